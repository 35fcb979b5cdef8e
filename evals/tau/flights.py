"""Airports, and search over the timetable of the airline."""

from collections.abc import Iterator

from evals.tau.records import Record, Records

AIRPORTS = {
    "SFO": "San Francisco",
    "JFK": "New York",
    "LAX": "Los Angeles",
    "ORD": "Chicago",
    "DFW": "Dallas",
    "DEN": "Denver",
    "SEA": "Seattle",
    "ATL": "Atlanta",
    "MIA": "Miami",
    "BOS": "Boston",
    "PHX": "Phoenix",
    "IAH": "Houston",
    "LAS": "Las Vegas",
    "MCO": "Orlando",
    "EWR": "Newark",
    "CLT": "Charlotte",
    "MSP": "Minneapolis",
    "DTW": "Detroit",
    "PHL": "Philadelphia",
    "LGA": "LaGuardia",
}


def direct(records: Records, origin: str, destination: str, date: str) -> list[Record]:
    """Flights between two airports that can be booked on a date, with seats and prices."""
    return [
        _with_day(flight, date)
        for _, flight in records.each("flights")
        if (flight["origin"], flight["destination"]) == (origin, destination)
        and _available(flight, date)
    ]


def onestop(records: Records, origin: str, destination: str, date: str) -> list[list[Record]]:
    """Pairs of flights with one change; the second may leave on the following day.

    The second flight shows the seats and prices of the first date, as the tables' authors do.
    """
    return [
        [
            {**_with_day(first, date), "date": date},
            {**_with_day(second, date), "date": second_date},
        ]
        for first, second, second_date in _connections(records, origin, destination, date)
    ]


def _connections(
    records: Records, origin: str, destination: str, date: str
) -> Iterator[tuple[Record, Record, str]]:
    flights = [flight for _, flight in records.each("flights")]
    for first in (flight for flight in flights if flight["origin"] == origin):
        arrival = first["scheduled_arrival_time_est"]
        for second in flights:
            if (second["destination"], second["origin"]) != (destination, first["destination"]):
                continue
            second_date = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
            if arrival > second["scheduled_departure_time_est"]:
                continue
            if _available(first, date) and _available(second, second_date):
                yield first, second, second_date


def _available(flight: Record, date: str) -> bool:
    return bool(flight["dates"].get(date, {}).get("status") == "available")


def _with_day(flight: Record, date: str) -> Record:
    plain = {key: value for key, value in flight.items() if key != "dates"}
    return {**plain, **flight["dates"][date]}
