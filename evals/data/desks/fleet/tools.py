"""Tools of the vehicle pool of the municipality of Hollerup. Every call reads seed.sql into memory and answers from it."""
import sqlite3
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

TODAY = "2026-11-10"
VehicleKind = Literal["car", "van", "minibus", "bicycle", "cargo_bike"]
ServiceKind = Literal["inspection", "repair", "tyres", "cleaning", "recall"]
CostKind = Literal["fuel", "charging", "repair", "insurance", "fine", "parking"]
Area = Literal["body", "tyres", "brakes", "lights", "interior", "drive"]
Vehicle = Annotated[str, Field(description="Number plate such as FL-204, or the model's name", min_length=2)]
Driver = Annotated[str, Field(description="Driver id such as DR-11, or the driver's name", min_length=2)]


def _db() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript(Path(__file__).with_name("seed.sql").read_text(encoding="utf-8"))
    return db


def _words(text: str) -> set[str]:
    return set(text.lower().replace("-", " ").split()) - {"mr", "mr.", "mrs", "mrs.", "ms", "ms.", "dr", "dr.", "the"}


def _one(rows: list[sqlite3.Row], said: str, column: str, what: str) -> sqlite3.Row:
    """The one row with this id or name; a part of the name is enough where it is unique."""
    hits = [r for r in rows if r["id"].lower() == said.strip().lower()]
    words = _words(said)
    hits = hits or [r for r in rows if words and words <= _words(r[column])]
    if not hits:
        raise ValueError(f"There is no {what} {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"Several {what}s fit {said!r}: " + ", ".join(f"{r[column]} ({r['id']})" for r in hits))
    return hits[0]


def _vehicle(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    return _one(db.execute("SELECT * FROM vehicles ORDER BY id").fetchall(), said, "model", "vehicle")


def _driver(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    return _one(db.execute("SELECT * FROM drivers ORDER BY id").fetchall(), said, "name", "driver")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the form YYYY-MM-DD.") from None


def _span(start_date: str, end_date: str) -> None:
    if _day(end_date) < _day(start_date):
        raise ValueError(f"The end {end_date} lies before the start {start_date}.")


def find_vehicles(
    *,
    start_date: Annotated[str, Field(description="First day of use, YYYY-MM-DD")],
    end_date: Annotated[str, Field(description="Last day of use, YYYY-MM-DD; the same day for a single one")],
    kind: Annotated[VehicleKind | None, Field(description="Only this kind of vehicle")] = None,
    min_seats: Annotated[int | None, Field(ge=1, le=9, description="At least so many seats, the driver's included")] = None,
    electric: Annotated[bool | None, Field(description="True: only electric ones; false: only ones without an electric drive")] = None,
) -> list[dict]:
    """Vehicles that are free on all days of a period, by number plate."""
    _span(start_date, end_date)
    rows = _db().execute(
        "SELECT * FROM vehicles v WHERE NOT EXISTS (SELECT 1 FROM reservations r WHERE r.vehicle_id = v.id "
        "AND r.start_date <= ? AND r.end_date >= ?) ORDER BY v.id", (end_date, start_date)).fetchall()
    return [{"vehicle_id": r["id"], "model": r["model"], "kind": r["kind"], "seats": r["seats"], "electric": bool(r["electric"])}
            for r in rows if kind in (None, r["kind"]) and r["seats"] >= (min_seats or 1)
            and electric in (None, bool(r["electric"]))]


def vehicle_calendar(
    *,
    vehicle: Vehicle,
    start_date: Annotated[str | None, Field(description="First day looked at, YYYY-MM-DD; without it, today")] = None,
    end_date: Annotated[str | None, Field(description="Last day looked at, YYYY-MM-DD; without it, no end")] = None,
) -> dict:
    """Reservations of one vehicle, by start."""
    first, last = start_date or TODAY, end_date or "9999-12-31"
    _span(first, last)
    db = _db()
    row = _vehicle(db, vehicle)
    found = db.execute(
        "SELECT r.id AS reservation_id, d.name AS driver, d.office, r.start_date, r.end_date, r.pick_up FROM reservations r "
        "JOIN drivers d ON d.id = r.driver_id WHERE r.vehicle_id = ? AND r.start_date <= ? AND r.end_date >= ? "
        "ORDER BY r.start_date", (row["id"], last, first)).fetchall()
    return {"vehicle_id": row["id"], "model": row["model"], "reservations": [dict(r) for r in found]}


def reserve_vehicle(
    *,
    vehicle: Vehicle,
    driver: Driver,
    start_date: Annotated[str, Field(description="First day of use, YYYY-MM-DD")],
    end_date: Annotated[str, Field(description="Last day of use, YYYY-MM-DD; the same day for a single one")],
    pick_up: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="Time of collection on the first day, HH:MM")] = "08:00",
) -> dict:
    """Reserves a vehicle for a driver."""
    _span(start_date, end_date)
    if start_date < TODAY:
        raise ValueError(f"{start_date} is past.")
    db = _db()
    car, who = _vehicle(db, vehicle), _driver(db, driver)
    taken = db.execute("SELECT id FROM reservations WHERE vehicle_id = ? AND driver_id <> ? AND start_date <= ? AND end_date >= ?",
                       (car["id"], who["id"], end_date, start_date)).fetchone()
    if taken:
        raise ValueError(f"{car['id']} is taken then ({taken['id']}).")
    return {"reservation_id": "RS-71", "vehicle_id": car["id"], "model": car["model"], "driver": who["name"],
            "start_date": start_date, "end_date": end_date, "pick_up": pick_up}


def release_reservation(
    *,
    reservation_id: Annotated[str, Field(pattern=r"^RS-\d{2}$", description="Id of the reservation, such as RS-61")],
    reason: Annotated[str, Field(description="Why, in the user's words")] = "",
) -> dict:
    """Gives a reserved vehicle back to the pool."""
    row = _db().execute("SELECT r.*, d.name FROM reservations r JOIN drivers d ON d.id = r.driver_id WHERE r.id = ?",
                        (reservation_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no reservation {reservation_id}.")
    if row["start_date"] <= TODAY:
        raise ValueError(f"{reservation_id} began on {row['start_date']} and can no longer be released.")
    return {"reservation_id": reservation_id, "vehicle_id": row["vehicle_id"], "driver": row["name"],
            "start_date": row["start_date"], "end_date": row["end_date"], "released": True, "reason": reason}


def service_history(
    *,
    vehicle: Vehicle,
    kind: Annotated[ServiceKind | None, Field(description="Only this kind of visit")] = None,
    count: Annotated[int, Field(ge=1, le=20, description="At most so many visits")] = 5,
) -> dict:
    """Workshop visits of one vehicle, newest first."""
    db = _db()
    row = _vehicle(db, vehicle)
    found = db.execute("SELECT id AS service_id, day, kind, work, cost FROM services WHERE vehicle_id = ? ORDER BY day DESC",
                       (row["id"],)).fetchall()
    return {"vehicle_id": row["id"], "model": row["model"], "currency": "EUR",
            "visits": [dict(r) for r in found if kind in (None, r["kind"])][:count]}


def monthly_costs(
    *,
    month: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$", description="The month, YYYY-MM")],
    vehicle: Annotated[str | None, Field(description="Only this vehicle: number plate or model")] = None,
    kinds: Annotated[list[CostKind] | None, Field(description="Only these kinds of cost")] = None,
    min_amount: Annotated[float | None, Field(gt=0, description="Only entries of at least this amount in EUR")] = None,
) -> dict:
    """What the pool, or one vehicle, cost in a month: entries by day, and the sum."""
    _day(month + "-01")
    if month > TODAY[:7]:
        raise ValueError(f"{month} has not begun.")
    db = _db()
    only = _vehicle(db, vehicle)["id"] if vehicle else None
    rows = db.execute("SELECT vehicle_id, day, kind, amount, note FROM costs WHERE substr(day, 1, 7) = ? ORDER BY day", (month,)).fetchall()
    found = [dict(r) for r in rows if only in (None, r["vehicle_id"]) and (not kinds or r["kind"] in kinds)
             and r["amount"] >= (min_amount or 0)]
    return {"month": month, "total": round(sum(r["amount"] for r in found), 2), "currency": "EUR", "entries": found}


def report_damage(
    *,
    vehicle: Vehicle,
    area: Annotated[Area, Field(description="The part concerned; drive is motor, battery, gears and chain")],
    severity: Annotated[int, Field(ge=1, le=5, description="1 cosmetic to 5 not to be driven")],
    text: Annotated[str, Field(min_length=3, description="What is damaged, in the user's words")],
    trip_id: Annotated[str | None, Field(pattern=r"^TR-\d{4}$", description="The trip on which it happened, such as TR-9001")] = None,
    order_service: Annotated[bool, Field(description="Also order a workshop service for it")] = False,
) -> dict:
    """Records a damage and, where wanted, orders a service."""
    db = _db()
    row = _vehicle(db, vehicle)
    if trip_id:
        trip = db.execute("SELECT * FROM trips WHERE id = ?", (trip_id,)).fetchone()
        if trip is None or trip["vehicle_id"] != row["id"]:
            raise ValueError(f"{row['id']} made no trip {trip_id}.")
    return {"damage_id": "DM-41", "vehicle_id": row["id"], "model": row["model"], "area": area, "severity": severity, "text": text,
            "trip_id": trip_id, "service_ordered": order_service, "day": TODAY}
