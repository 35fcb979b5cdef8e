"""Airline tools: bookings, changes, bags, passengers and certificates."""

import copy
from typing import Any, ClassVar

from evals.tau import flights as timetable
from evals.tau.domain import Domain
from evals.tau.errors import PartialChange, TauError
from evals.tau.records import Record

RESERVATION_IDS = ("HATHAT", "HATHAU", "HATHAV")
CERTIFICATE_IDS = ("certificate_3221322", "certificate_3221323", "certificate_3221324")
BOOKED_AT = "2024-05-15T15:00:00"
INSURANCE_PRICE = 30
BAG_PRICE = 50


class Airline(Domain):
    """The airline's tools over flights, reservations and users."""

    tools: ClassVar[tuple[str, ...]] = (
        *Domain.tools,
        "get_user_details",
        "get_reservation_details",
        "list_all_airports",
        "search_direct_flight",
        "search_onestop_flight",
        "book_reservation",
        "cancel_reservation",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
        "send_certificate",
    )
    writes: ClassVar[frozenset[str]] = frozenset(tools[-6:])

    def get_user_details(self, *, user_id: str) -> Record:
        """Look up a user with payment methods, saved passengers and reservations."""
        return self._need("users", user_id, "user")

    def get_reservation_details(self, *, reservation_id: str) -> Record:
        """Look up a reservation."""
        return self._need("reservations", reservation_id, "reservation")

    def list_all_airports(self) -> dict[str, str]:
        """List the airports' codes with their cities."""
        return dict(timetable.AIRPORTS)

    def search_direct_flight(self, *, origin: str, destination: str, date: str) -> list[Record]:
        """Search flights without a change on a date (YYYY-MM-DD)."""
        return timetable.direct(self.records, origin, destination, date)

    def search_onestop_flight(
        self, *, origin: str, destination: str, date: str
    ) -> list[list[Record]]:
        """Search pairs of flights with one change, leaving on a date (YYYY-MM-DD)."""
        return timetable.onestop(self.records, origin, destination, date)

    def book_reservation(
        self,
        *,
        user_id: str,
        origin: str,
        destination: str,
        flight_type: str,
        cabin: str,
        flights: list[dict[str, Any]],
        passengers: list[dict[str, Any]],
        payment_methods: list[dict[str, Any]],
        total_baggages: int,
        nonfree_baggages: int,
        insurance: str,
    ) -> Record:
        """Book flights for passengers; the payments must add up to the price exactly."""
        self._need("users", user_id, "user")
        segments = [self._segment(flight, cabin, len(passengers)) for flight in flights]
        total = sum(segment["price"] for segment in segments) * len(passengers)
        total += INSURANCE_PRICE * len(passengers) if insurance == "yes" else 0
        total += BAG_PRICE * nonfree_baggages
        self._check_payments(user_id, payment_methods, total)
        self._pay(user_id, payment_methods)
        reservation_id = self._free_reservation_id()
        reservation = {
            "reservation_id": reservation_id,
            "user_id": user_id,
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "flights": segments,
            "passengers": copy.deepcopy(passengers),
            "payment_history": copy.deepcopy(payment_methods),
            "created_at": BOOKED_AT,
            "total_baggages": total_baggages,
            "nonfree_baggages": nonfree_baggages,
            "insurance": insurance,
        }
        self.records.put("reservations", reservation_id, reservation)
        self.records.edit("users", user_id)["reservations"].append(reservation_id)
        return reservation

    def cancel_reservation(self, *, reservation_id: str) -> Record:
        """Cancel a reservation; its payments are given back as negative entries."""
        self._need("reservations", reservation_id, "reservation")
        reservation = self.records.edit("reservations", reservation_id)
        history = reservation["payment_history"]
        history += [
            {"payment_id": paid["payment_id"], "amount": -paid["amount"]} for paid in history
        ]
        reservation["status"] = "cancelled"
        return reservation

    def update_reservation_baggages(
        self, *, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
    ) -> Record:
        """Set the numbers of bags; each further paid bag costs 50."""
        reservation = self._need("reservations", reservation_id, "reservation")
        price = BAG_PRICE * max(0, nonfree_baggages - reservation["nonfree_baggages"])
        self._charge(reservation, payment_id, price)
        reservation = self.records.edit("reservations", reservation_id)
        reservation["total_baggages"] = total_baggages
        reservation["nonfree_baggages"] = nonfree_baggages
        return reservation

    def update_reservation_flights(
        self, *, reservation_id: str, cabin: str, flights: list[dict[str, Any]], payment_id: str
    ) -> Record:
        """Replace all flights of a reservation; kept ones keep their price in the same cabin."""
        reservation = self._need("reservations", reservation_id, "reservation")
        seats = len(reservation["passengers"])
        segments = [
            self._kept(reservation, flight, cabin) or self._segment(flight, cabin, seats)
            for flight in flights
        ]
        total = sum(segment["price"] for segment in segments) * seats
        total -= sum(segment["price"] for segment in reservation["flights"]) * seats
        self._charge(reservation, payment_id, total)
        reservation = self.records.edit("reservations", reservation_id)
        reservation["flights"] = segments
        return reservation

    def update_reservation_passengers(
        self, *, reservation_id: str, passengers: list[dict[str, Any]]
    ) -> Record:
        """Replace the passengers of a reservation by as many others."""
        reservation = self._need("reservations", reservation_id, "reservation")
        if len(passengers) != len(reservation["passengers"]):
            raise TauError("the number of passengers differs", kind="conflict")
        reservation = self.records.edit("reservations", reservation_id)
        reservation["passengers"] = copy.deepcopy(passengers)
        return reservation

    def send_certificate(self, *, user_id: str, amount: int | float) -> str | None:
        """Give a user a travel certificate; nothing happens when there are three already."""
        methods = self._need("users", user_id, "user")["payment_methods"]
        for certificate in CERTIFICATE_IDS:
            if certificate not in methods:
                added = {"source": "certificate", "amount": amount, "id": certificate}
                self.records.edit("users", user_id)["payment_methods"][certificate] = added
                return f"{certificate} over {amount} was added for user {user_id}."
        return None

    def _free_reservation_id(self) -> str:
        taken = (self.records.find("reservations", key) for key in RESERVATION_IDS[:-1])
        free = (key for key, row in zip(RESERVATION_IDS, taken, strict=False) if row is None)
        return next(free, RESERVATION_IDS[-1])

    def _segment(self, flight: Record, cabin: str, seats: int) -> Record:
        """The flight as a reservation keeps it, when enough seats can be booked."""
        row = self._need("flights", flight["flight_number"], "flight")
        day = row["dates"].get(flight["date"])
        if day is None:
            raise TauError(f"no flight on {flight['date']!r}", kind="not_found")
        if day["status"] != "available":
            raise TauError(f"flight is {day['status']!r} that day", kind="conflict")
        if day["available_seats"][cabin] < seats:
            raise TauError("not enough seats", kind="conflict")
        return _segment(flight, {**row, "price": day["prices"][cabin]})

    def _kept(self, reservation: Record, flight: Record, cabin: str) -> Record | None:
        if cabin != reservation["cabin"]:
            return None
        number, date = flight["flight_number"], flight["date"]
        for stored in reservation["flights"]:
            if (stored["flight_number"], stored["date"]) == (number, date):
                return _segment(flight, stored)
        return None

    def _check_payments(self, user_id: str, payments: list[Record], total: float) -> None:
        for payment in payments:
            method = self._method(user_id, payment["payment_id"])
            if method["source"] != "credit_card" and method["amount"] < payment["amount"]:
                raise TauError(f"balance of {payment['payment_id']!r} too low", kind="conflict")
        paid = sum(payment["amount"] for payment in payments)
        if paid != total:
            raise TauError(f"payments of {paid} do not add up to {total}", kind="conflict")

    def _pay(self, user_id: str, payments: list[Record]) -> None:
        methods = self.records.edit("users", user_id)["payment_methods"]
        for payment in payments:
            method = methods.get(payment["payment_id"])
            if method is None:
                raise PartialChange(f"{payment['payment_id']!r} was spent by this booking already")
            if method["source"] == "gift_card":
                method["amount"] -= payment["amount"]
            elif method["source"] == "certificate":
                del methods[payment["payment_id"]]

    def _charge(self, reservation: Record, payment_id: str, amount: float) -> None:
        """Take (or give back) money for a change; refused methods fail even when nothing is due."""
        method = self._method(reservation["user_id"], payment_id)
        if method["source"] == "certificate":
            raise TauError("a certificate cannot pay for a change", kind="conflict")
        if method["source"] == "gift_card":
            if method["amount"] < amount:
                raise TauError("gift card balance too low", kind="conflict")
            user = self.records.edit("users", reservation["user_id"])
            user["payment_methods"][payment_id]["amount"] -= amount
        if amount != 0:
            stored = self.records.edit("reservations", reservation["reservation_id"])
            stored["payment_history"].append({"payment_id": payment_id, "amount": amount})


def _segment(flight: Record, source: Record) -> Record:
    taken = {key: source[key] for key in ("price", "origin", "destination")}
    return {**copy.deepcopy(flight), **taken}
