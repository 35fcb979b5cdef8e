"""Tools of the events desk of Tannery Wharf. Every call reads seed.sql into memory and answers from it."""
import re
import sqlite3
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

TODAY = "2026-05-21"
Room = Literal["hall", "studio", "foyer", "loft"]
Status = Literal["option", "confirmed", "cancelled"]
Source = Literal["rent", "bar", "catering", "tickets"]
Equipment = Literal["projector", "grand_piano", "microphones", "stage_lights", "dance_floor"]
Category = Literal["standing", "stalls", "circle", "box"]
Reason = Literal["illness", "double_purchase", "event_changed", "complaint", "goodwill"]
Event = Annotated[str, Field(min_length=2, description="Event id such as EV-52, or the event's title")]


def _db() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript(Path(__file__).with_name("seed.sql").read_text(encoding="utf-8"))
    return db


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - {"the", "and", "of", "mr", "mrs", "ms", "dr"}


def _organiser(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    """The one organiser with this id, company or contact; part of a name is enough where it is unique."""
    rows = db.execute("SELECT * FROM organisers ORDER BY id").fetchall()
    words = _words(said)
    hits = [r for r in rows if r["id"].lower() == said.strip().lower()]
    hits = hits or [r for r in rows if words and (words <= _words(r["company"]) or words <= _words(r["contact"]))]
    if not hits:
        raise ValueError(f"There is no organiser {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"Several organisers fit {said!r}: " + ", ".join(f"{r['contact']}, {r['company']} ({r['id']})" for r in hits))
    return hits[0]


def _event(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    rows = db.execute("SELECT * FROM events ORDER BY id").fetchall()
    words = _words(said)
    hits = [r for r in rows if r["id"].lower() == said.strip().lower()]
    hits = hits or [r for r in rows if words and words == _words(r["title"])]
    hits = hits or [r for r in rows if words and words <= _words(r["title"])]
    if not hits:
        raise ValueError(f"There is no event {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"Several events fit {said!r}: " + ", ".join(f"{r['title']} on {r['day']} ({r['id']})" for r in hits))
    return hits[0]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the form YYYY-MM-DD.") from None


def _span(start_date: str, end_date: str) -> list[str]:
    first, last = _day(start_date), _day(end_date)
    if last < first:
        raise ValueError(f"The end {end_date} lies before the start {start_date}.")
    return [(first + timedelta(n)).isoformat() for n in range((last - first).days + 1)]


def _taken(db: sqlite3.Connection, room: str, days: list[str]) -> dict[str, str]:
    """The days on which the room is taken, with the booking; an option takes the room as well."""
    rows = db.execute("SELECT * FROM bookings WHERE room = ? AND status <> 'cancelled' AND start_date <= ? AND end_date >= ?",
                      (room, days[-1], days[0])).fetchall()
    return {d: r["id"] for r in rows for d in days if r["start_date"] <= d <= r["end_date"]}


def room_availability(
    *,
    start_date: Annotated[str, Field(description="First day looked at, YYYY-MM-DD")],
    end_date: Annotated[str, Field(description="Last day looked at, YYYY-MM-DD; the same day for a single one")],
    rooms: Annotated[list[Room] | None, Field(min_length=1, description="Only these rooms; without it, all four")] = None,
    headcount: Annotated[int | None, Field(ge=1, le=600, description="Only rooms that hold this many people")] = None,
) -> list[dict]:
    """Free and taken days of rooms in a period."""
    days = _span(start_date, end_date)
    if len(days) > 92:
        raise ValueError("At most 92 days a call.")
    db = _db()
    out = []
    for r in db.execute("SELECT * FROM rooms ORDER BY capacity DESC").fetchall():
        if (rooms and r["room"] not in rooms) or (headcount and r["capacity"] < headcount):
            continue
        taken = _taken(db, r["room"], days)
        out.append({"room": r["room"], "capacity": r["capacity"], "free_all_days": not taken,
                    "free_days": [d for d in days if d not in taken], "taken_days": taken})
    return out


def list_bookings(
    *,
    start_date: Annotated[str, Field(description="First day looked at, YYYY-MM-DD")],
    end_date: Annotated[str, Field(description="Last day looked at, YYYY-MM-DD; the same day for a single one")],
    room: Annotated[Room | None, Field(description="Only this room")] = None,
    organiser: Annotated[str | None, Field(description="Only this organiser: id such as ORG-03, company or contact person")] = None,
    status: Annotated[Status | None, Field(description="Only this status; an option is not signed yet")] = None,
) -> list[dict]:
    """Bookings that fall into a period, by start."""
    _span(start_date, end_date)
    db = _db()
    who = _organiser(db, organiser)["id"] if organiser else None
    rows = db.execute(
        "SELECT b.id AS booking_id, b.room, b.organiser_id, o.company, o.contact, b.start_date, b.end_date, b.start_time, "
        "b.headcount, b.catering, b.discount, b.status FROM bookings b JOIN organisers o ON o.id = b.organiser_id "
        "WHERE b.start_date <= ? AND b.end_date >= ? ORDER BY b.start_date, b.id", (end_date, start_date)).fetchall()
    return [{**dict(r), "catering": bool(r["catering"])} for r in rows
            if who in (None, r["organiser_id"]) and room in (None, r["room"]) and status in (None, r["status"])]


def monthly_takings(
    *,
    month: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$", description="The month, YYYY-MM")],
    room: Annotated[Room | None, Field(description="Only this room")] = None,
    source: Annotated[Source | None, Field(description="Only this kind of income")] = None,
) -> dict:
    """What the house took in a month, by room and source."""
    rows = _db().execute("SELECT * FROM takings WHERE month = ? ORDER BY room, source", (month,)).fetchall()
    if not rows:
        raise ValueError(f"There are no takings for {month}.")
    rows = [r for r in rows if room in (None, r["room"]) and source in (None, r["source"])]
    return {"month": month, "currency": "EUR", "total": round(sum(r["amount"] for r in rows), 2),
            "lines": [{"room": r["room"], "source": r["source"], "amount": r["amount"]} for r in rows]}


def book_room(
    *,
    room: Annotated[Room, Field(description="The room")],
    organiser: Annotated[str, Field(min_length=2, description="Organiser id such as ORG-03, company or contact person")],
    start_date: Annotated[str, Field(description="First day, YYYY-MM-DD")],
    end_date: Annotated[str, Field(description="Last day, YYYY-MM-DD; the same day for a single one")],
    headcount: Annotated[int, Field(ge=1, le=600, description="How many people are expected")],
    start_time: Annotated[str | None, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="When doors open, HH:MM")] = None,
    catering: Annotated[bool, Field(description="Food from the house's kitchen")] = False,
    discount: Annotated[int, Field(ge=0, le=50, description="Discount on the rent in percent")] = 0,
    equipment: Annotated[list[Equipment] | None, Field(min_length=1, description="Equipment to be set up")] = None,
) -> dict:
    """Enters a booking."""
    db = _db()
    who = _organiser(db, organiser)
    days = _span(start_date, end_date)
    if start_date < TODAY:
        raise ValueError(f"{start_date} is past.")
    capacity, rent = db.execute("SELECT capacity, rent FROM rooms WHERE room = ?", (room,)).fetchone()
    if headcount > capacity:
        raise ValueError(f"The {room} holds {capacity} people.")
    taken = _taken(db, room, days)
    if taken:
        raise ValueError(f"The {room} is taken: " + ", ".join(f"{d} ({b})" for d, b in taken.items()))
    return {"booking_id": "BK-1211", "room": room, "organiser_id": who["id"], "company": who["company"],
            "start_date": start_date, "end_date": end_date, "headcount": headcount, "start_time": start_time,
            "catering": catering, "discount": discount, "equipment": equipment or [],
            "rent": round(rent * len(days) * (100 - discount) / 100, 2), "currency": "EUR", "status": "confirmed"}


def ticket_sales(
    *,
    events: Annotated[list[Event], Field(min_length=1, max_length=6, description="The events, each by id or title")],
    category: Annotated[Category | None, Field(description="Only this category of places")] = None,
    with_attendees: Annotated[bool, Field(description="Also count the people who came in at the door")] = False,
) -> list[dict]:
    """Tickets sold and left for events."""
    db = _db()
    out = []
    for said in events:
        e = _event(db, said)
        rows = [dict(r) for r in db.execute("SELECT * FROM places WHERE event_id = ? ORDER BY category", (e["id"],))
                if category in (None, r["category"])]
        if not rows:
            raise ValueError(f"{e['id']} has no {category} places.")
        one = {"event_id": e["id"], "title": e["title"], "day": e["day"], "sold": sum(r["sold"] for r in rows),
               "blocked": sum(r["blocked"] for r in rows), "revenue": round(sum(r["sold"] * r["price"] for r in rows), 2),
               "left": sum(r["capacity"] - r["sold"] - r["blocked"] for r in rows), "currency": "EUR",
               "categories": [{k: r[k] for k in ("category", "sold", "blocked", "price")} for r in rows]}
        if with_attendees:
            one["attendees"] = sum(r["scanned"] for r in rows) if e["day"] < TODAY else None
        out.append(one)
    return out


def block_seats(
    *,
    event_id: Annotated[str, Field(pattern=r"^EV-\d{2}$", description="Event id, such as EV-52")],
    category: Annotated[Category, Field(description="Category of places")],
    count: Annotated[int, Field(ge=1, le=60, description="How many places are taken off sale, in all")],
    note: Annotated[str, Field(min_length=3, description="For whom or what, in the user's words")],
    release_date: Annotated[str | None, Field(description="The day they go back on sale, YYYY-MM-DD; without it, never")] = None,
) -> dict:
    """Takes places off sale."""
    db = _db()
    e = _event(db, event_id)
    if e["day"] < TODAY:
        raise ValueError(f"{event_id} was on {e['day']}.")
    if release_date and not TODAY <= _day(release_date).isoformat() <= e["day"]:
        raise ValueError(f"The release must lie between today and {e['day']}.")
    p = db.execute("SELECT * FROM places WHERE event_id = ? AND category = ?", (event_id, category)).fetchone()
    if p is None:
        raise ValueError(f"{event_id} has no {category} places.")
    left = p["capacity"] - p["sold"] - p["blocked"]
    if count > left:
        raise ValueError(f"Only {left} {category} places of {event_id} are left.")
    return {"block_id": "BL-071", "event_id": event_id, "title": e["title"], "category": category, "count": count,
            "note": note, "release_date": release_date, "left": left - count}


def refund_tickets(
    *,
    order_id: Annotated[str, Field(pattern=r"^OR-\d{4}$", description="Id of the order, such as OR-3301")],
    count: Annotated[int, Field(ge=1, le=20, description="How many tickets of the order are refunded")],
    reason: Annotated[Reason, Field(description="Why; illness covers accidents, event_changed a new day or line-up")],
    fee: Annotated[float, Field(ge=0, le=20, description="What the house keeps per ticket, in EUR")] = 0,
) -> dict:
    """Pays tickets back to the buyer."""
    row = _db().execute("SELECT o.*, p.price FROM orders o JOIN places p ON p.event_id = o.event_id AND p.category = o.category "
                        "WHERE o.id = ?", (order_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no order {order_id}.")
    left = row["tickets"] - row["refunded"]
    if count > left:
        raise ValueError(f"{order_id} has only {left} tickets left to refund.")
    if fee >= row["price"]:
        raise ValueError(f"The fee is not less than the price of {row['price']} EUR.")
    return {"order_id": order_id, "buyer": row["buyer"], "event_id": row["event_id"], "count": count, "reason": reason,
            "fee": fee, "paid_back": round(count * (row["price"] - fee), 2), "currency": "EUR", "day": TODAY}
