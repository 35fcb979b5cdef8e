import json
from typing import Any

from evals.tau.airline import Airline
from tests.evals.tables import airline

BOOKING: dict[str, Any] = {
    "user_id": "bo",
    "origin": "JFK",
    "destination": "ORD",
    "flight_type": "one_way",
    "cabin": "economy",
    "flights": [{"flight_number": "F1", "date": "2024-05-20"}],
    "passengers": [{"first_name": "Bo", "last_name": "Ek", "dob": "1990-01-01"}],
    "payment_methods": [{"payment_id": "credit_card_1", "amount": 100}],
    "total_baggages": 0,
    "nonfree_baggages": 0,
    "insurance": "no",
}


def methods(desk: Airline) -> dict[str, Any]:
    found: dict[str, Any] = desk.get_user_details(user_id="bo")["payment_methods"]
    return found


def change(desk: Airline, cabin: str, payment: str, *numbers: str) -> str:
    flights = [{"flight_number": number, "date": "2024-05-20"} for number in numbers]
    asked = {"reservation_id": "R1", "cabin": cabin, "flights": flights, "payment_id": payment}
    return desk.observe("update_reservation_flights", asked)


def test_bookings_take_the_fixed_ids_in_order_and_the_last_again() -> None:
    desk = airline()
    ids = [json.loads(desk.observe("book_reservation", BOOKING))["reservation_id"] for _ in "1234"]
    assert ids == ["HATHAT", "HATHAU", "HATHAV", "HATHAV"]


def test_insurance_and_bags_count_and_payments_must_add_up() -> None:
    asked = {**BOOKING, "insurance": "yes", "nonfree_baggages": 1}
    assert airline().observe("book_reservation", asked).endswith("do not add up to 180")


def test_a_gift_card_is_lowered_and_a_certificate_is_spent_whole() -> None:
    desk = airline()
    paid = [
        {"payment_id": "gift_card_1", "amount": 60},
        {"payment_id": "certificate_1", "amount": 40},
    ]
    desk.run("book_reservation", {**BOOKING, "payment_methods": paid})
    assert methods(desk)["gift_card_1"]["amount"] == 90
    assert "certificate_1" not in methods(desk)


def test_a_certificate_listed_twice_fails_and_is_gone() -> None:
    desk = airline()
    paid = [{"payment_id": "certificate_1", "amount": 50}] * 2
    text = desk.observe("book_reservation", {**BOOKING, "payment_methods": paid})
    assert text.startswith("Error")
    assert list(desk.records.diff()) == ["users"]


def test_a_full_cabin_an_unknown_cabin_and_a_day_that_cannot_be_booked_are_errors() -> None:
    bad: list[dict[str, Any]] = [
        {"cabin": "basic_economy"},
        {"cabin": "first"},
        {"flights": [{"flight_number": "F1", "date": "2024-05-22"}]},
        {"flights": [{"flight_number": "F1", "date": "2023-01-01"}]},
    ]
    texts = [airline().observe("book_reservation", {**BOOKING, **part}) for part in bad]
    assert all(text.startswith("Error") for text in texts)


def test_a_second_cancellation_negates_the_doubled_history() -> None:
    desk = airline()
    for _ in "12":
        desk.run("cancel_reservation", {"reservation_id": "R1"})
    amounts = [e["amount"] for e in desk.records.diff()["reservations"]["R1"]["payment_history"]]
    assert amounts == [80, -80, -80, 80]


def test_a_kept_segment_keeps_its_price_and_the_cabin_is_not_updated() -> None:
    desk = airline()
    kept = json.loads(change(desk, "economy", "credit_card_1", "F1", "F2"))
    dearer = json.loads(change(desk, "business", "credit_card_1", "F1"))
    assert [segment["price"] for segment in kept["flights"]] == [80, 100]
    assert (dearer["cabin"], dearer["flights"][0]["price"]) == ("economy", 300)


def test_money_back_raises_a_gift_card() -> None:
    desk = airline()
    change(desk, "economy", "gift_card_1")
    assert methods(desk)["gift_card_1"]["amount"] == 230


def test_a_gift_card_that_is_too_low_cannot_pay_a_change() -> None:
    assert "too low" in change(airline(), "business", "gift_card_1", "F1")


def test_a_certificate_is_refused_even_when_nothing_is_due() -> None:
    asked = {"reservation_id": "R1", "total_baggages": 1, "nonfree_baggages": 0}
    text = airline().observe(
        "update_reservation_baggages", {**asked, "payment_id": "certificate_1"}
    )
    assert text.startswith("Error")


def test_each_further_paid_bag_costs_fifty() -> None:
    desk = airline()
    asked = {"reservation_id": "R1", "total_baggages": 3, "nonfree_baggages": 2}
    desk.run("update_reservation_baggages", {**asked, "payment_id": "credit_card_1"})
    assert desk.records.diff()["reservations"]["R1"]["payment_history"][-1]["amount"] == 100


def test_as_many_passengers_as_before_are_wanted() -> None:
    asked: dict[str, Any] = {"reservation_id": "R1", "passengers": []}
    assert airline().observe("update_reservation_passengers", asked).startswith("Error")
    asked = {"reservation_id": "R1", "passengers": [{"first_name": "Cy"}]}
    assert "Cy" in airline().observe("update_reservation_passengers", asked)


def test_a_fourth_certificate_is_not_given() -> None:
    desk = airline()
    given = [desk.run("send_certificate", {"user_id": "bo", "amount": 50}) for _ in "1234"]
    assert [text is None for text in given] == [False, False, False, True]
    assert methods(desk)["certificate_3221322"]["amount"] == 50


def test_direct_search_shows_the_day_without_the_other_dates() -> None:
    asked = {"origin": "JFK", "destination": "ORD", "date": "2024-05-20"}
    found = json.loads(airline().observe("search_direct_flight", asked))
    assert [row["flight_number"] for row in found] == ["F1", "F3"]
    assert found[0]["prices"]["economy"] == 100
    assert "dates" not in found[0]


def test_a_connection_after_midnight_shows_the_next_date() -> None:
    asked = {"origin": "JFK", "destination": "SEA", "date": "2024-05-20"}
    pairs = json.loads(airline().observe("search_onestop_flight", asked))
    assert [[leg["date"] for leg in pair] for pair in pairs] == [
        ["2024-05-20", "2024-05-20"],
        ["2024-05-20", "2024-05-21"],
    ]


def test_airports_are_listed_in_order() -> None:
    assert list(json.loads(airline().observe("list_all_airports", {})))[:2] == ["SFO", "JFK"]
