"""Tools of the freight desk of Pikehall Forwarding. Every call reads seed.sql into memory and answers from it."""
import sqlite3
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

TODAY = "2026-02-03"
Depot = Literal["leeds", "bristol", "dover", "felixstowe", "glasgow"]
State = Literal["booked", "at_depot", "in_transit", "on_hold", "delivered", "returned"]
ClaimKind = Literal["damage", "loss", "delay", "misdelivery"]
ClaimStatus = Literal["open", "approved", "paid", "rejected"]
ShipmentId = Annotated[str, Field(pattern=r"^SH-\d{5}$", description="Shipment id, such as SH-58213")]
ClaimId = Annotated[str, Field(pattern=r"^CL-\d{3}$", description="Claim id, such as CL-771")]


def _db() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript(Path(__file__).with_name("seed.sql").read_text(encoding="utf-8"))
    return db


def _customer(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    """The one customer with this number or name; part of the name is enough where it is unique."""
    words = set(said.lower().replace("&", " ").split()) - {"and", "the", "ltd"}
    rows = db.execute("SELECT * FROM customers ORDER BY id").fetchall()
    hits = [r for r in rows if r["id"].lower() == said.strip().lower()]
    hits = hits or [r for r in rows if words and words <= set(r["name"].lower().split())]
    if not hits:
        raise ValueError(f"There is no customer {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"Several customers are called {said!r}: " + ", ".join(f"{r['name']} ({r['id']})" for r in hits))
    return hits[0]


def _shipment(db: sqlite3.Connection, shipment_id: str) -> dict:
    row = db.execute("SELECT s.id AS shipment_id, c.name AS customer, s.goods, s.pieces, s.weight_kg, s.depot, s.town, s.state, "
                     "s.delivery_date, s.express FROM shipments s JOIN customers c ON c.id = s.customer_id WHERE s.id = ?",
                     (shipment_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no shipment {shipment_id}.")
    return {**dict(row), "express": bool(row["express"])}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the form YYYY-MM-DD.") from None


def track_shipment(
    *,
    shipment_id: ShipmentId,
    with_history: Annotated[bool, Field(description="Also every scan so far, not only the present state")] = False,
) -> dict:
    """State, depot and delivery day of one shipment."""
    row = _shipment(_db(), shipment_id)
    if with_history:
        due = _day(row["delivery_date"])
        steps = [("order taken", 4), (f"goods in at {row['depot']}", 2), ("loaded", 1), (row["state"].replace("_", " "), 0)]
        seen = {"booked": 1, "at_depot": 2, "on_hold": 2, "in_transit": 3}.get(row["state"], 4)
        row["scans"] = [{"day": (due - timedelta(n)).isoformat(), "event": what} for what, n in steps[:seen]]
    return row


def list_shipments(
    *,
    customer: Annotated[str | None, Field(description="Only this sender: customer number such as K-101, or company name")] = None,
    depot: Annotated[Depot | None, Field(description="Only this depot")] = None,
    state: Annotated[State | None, Field(description="Only this state")] = None,
    start_date: Annotated[str | None, Field(description="First delivery day looked at, YYYY-MM-DD")] = None,
    end_date: Annotated[str | None, Field(description="Last delivery day looked at, YYYY-MM-DD; the same day for a single one")] = None,
    min_weight_kg: Annotated[float | None, Field(gt=0, description="Only shipments of at least this weight in kg")] = None,
    only_express: Annotated[bool, Field(description="Only express shipments")] = False,
) -> list[dict]:
    """Shipments by delivery day."""
    if start_date and end_date and _day(end_date) < _day(start_date):
        raise ValueError(f"The end {end_date} lies before the start {start_date}.")
    db = _db()
    name = _customer(db, customer)["name"] if customer else None
    rows = [_shipment(db, r["id"]) for r in db.execute("SELECT id FROM shipments ORDER BY delivery_date, id")]
    return [r for r in rows
            if name in (None, r["customer"]) and depot in (None, r["depot"]) and state in (None, r["state"])
            and (start_date or "") <= r["delivery_date"] <= (end_date or "9999")
            and r["weight_kg"] >= (min_weight_kg or 0) and (r["express"] or not only_express)]


def monthly_volumes(
    *,
    month: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$", description="The month, YYYY-MM")],
    customer: Annotated[str | None, Field(description="Only this sender: customer number such as K-101, or company name")] = None,
    depot: Annotated[Depot | None, Field(description="Only this depot")] = None,
    group_by: Annotated[Literal["depot", "customer"], Field(description="One line for each depot, or for each customer")] = "depot",
) -> list[dict]:
    """Parcels, pallets and kilograms carried in a month, heaviest first."""
    db = _db()
    name = _customer(db, customer)["name"] if customer else None
    if not db.execute("SELECT 1 FROM months WHERE month = ?", (month,)).fetchone():
        raise ValueError(f"There are no volumes for {month}.")
    lines: dict[str, dict] = {}
    for r in db.execute("SELECT * FROM volumes WHERE month = ?", (month,)):
        if name in (None, r["customer"]) and depot in (None, r["depot"]):
            line = lines.setdefault(r[group_by], {group_by: r[group_by], "month": month, "parcels": 0, "pallets": 0, "weight_kg": 0})
            for k in ("parcels", "pallets", "weight_kg"):
                line[k] += r[k]
    return sorted(lines.values(), key=lambda x: -x["weight_kg"])


def change_delivery(
    *,
    shipment_ids: Annotated[list[ShipmentId], Field(min_length=1, max_length=10, description="The shipments that get the same change")],
    action: Annotated[Literal["reschedule", "reroute", "hold"],
                      Field(description="Another day or time, another depot, or keep back")],
    delivery_date: Annotated[str | None, Field(description="The new delivery day, YYYY-MM-DD; for a hold the day it ends, if known")] = None,
    not_before: Annotated[str | None, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="Earliest time of day, HH:MM")] = None,
    depot: Annotated[Depot | None, Field(description="The depot it shall go through; for a reroute")] = None,
    note: Annotated[str, Field(description="Why, in the user's words")] = "",
) -> dict:
    """Reschedules, reroutes or holds shipments that are not delivered yet."""
    db = _db()
    for s in (_shipment(db, i) for i in shipment_ids):
        if s["state"] in ("delivered", "returned"):
            raise ValueError(f"{s['shipment_id']} is {s['state']} and can no longer be changed.")
        if action == "reroute" and s["depot"] == depot:
            raise ValueError(f"{s['shipment_id']} already goes through {depot}.")
    if action == "reroute" and not depot:
        raise ValueError("A reroute needs the new depot.")
    if action == "reschedule" and not (delivery_date or not_before):
        raise ValueError("Rescheduling needs a new day or an earliest time.")
    if delivery_date:
        if _day(delivery_date).isoformat() < TODAY:
            raise ValueError(f"{delivery_date} is past.")
        if _day(delivery_date).weekday() == 6:
            raise ValueError(f"{delivery_date} is a Sunday; nothing is delivered then.")
    return {"shipment_ids": shipment_ids, "action": action, "delivery_date": delivery_date, "not_before": not_before,
            "depot": depot, "note": note, "changed": True}


def list_claims(
    *,
    customer: Annotated[str | None, Field(description="Only this customer: number such as K-101, or company name")] = None,
    shipment_id: Annotated[ShipmentId | None, Field(description="Only this shipment, such as SH-58213")] = None,
    status: Annotated[ClaimStatus | None, Field(description="Only this status")] = None,
    kind: Annotated[ClaimKind | None, Field(description="Only this kind of claim")] = None,
    since: Annotated[str | None, Field(description="Only claims opened on this day or later, YYYY-MM-DD")] = None,
    count: Annotated[int, Field(ge=1, le=50, description="At most so many, the latest")] = 20,
) -> list[dict]:
    """Claims, newest first."""
    if since:
        _day(since)
    db = _db()
    name = _customer(db, customer)["name"] if customer else None
    if shipment_id:
        _shipment(db, shipment_id)
    rows = db.execute("SELECT k.id AS claim_id, k.shipment_id, c.name AS customer, k.kind, k.amount, 'GBP' AS currency, k.status, "
                      "k.opened_on, k.reason FROM claims k JOIN shipments s ON s.id = k.shipment_id "
                      "JOIN customers c ON c.id = s.customer_id ORDER BY k.opened_on DESC, k.id DESC").fetchall()
    return [dict(r) for r in rows if name in (None, r["customer"]) and shipment_id in (None, r["shipment_id"])
            and status in (None, r["status"]) and kind in (None, r["kind"]) and r["opened_on"] >= (since or "")][:count]


def open_claim(
    *,
    shipment_id: ShipmentId,
    kind: Annotated[ClaimKind, Field(description="What went wrong")],
    amount: Annotated[float, Field(gt=0, le=10000, description="Amount claimed, in GBP")],
    reason: Annotated[str, Field(min_length=3, description="What happened, in the user's words")],
) -> dict:
    """Opens a claim for a shipment."""
    db = _db()
    row = _shipment(db, shipment_id)
    if row["state"] == "booked":
        raise ValueError(f"{shipment_id} has not been picked up yet; there is nothing to claim.")
    old = db.execute("SELECT id FROM claims WHERE shipment_id = ? AND kind = ? AND status <> 'rejected'", (shipment_id, kind)).fetchone()
    if old:
        raise ValueError(f"{old['id']} is already a {kind} claim for {shipment_id}.")
    return {"claim_id": "CL-774", "shipment_id": shipment_id, "customer": row["customer"], "kind": kind, "amount": amount,
            "currency": "GBP", "status": "open", "opened_on": TODAY, "reason": reason}


def pay_claim(
    *,
    claim_id: ClaimId,
    percent: Annotated[int, Field(ge=1, le=100, description="Share of the claimed amount, in percent")] = 100,
) -> dict:
    """Pays out a claim."""
    row = _db().execute("SELECT * FROM claims WHERE id = ?", (claim_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no claim {claim_id}.")
    if row["status"] in ("paid", "rejected"):
        raise ValueError(f"{claim_id} is {row['status']} and cannot be paid out.")
    return {"claim_id": claim_id, "shipment_id": row["shipment_id"], "percent": percent,
            "paid": round(row["amount"] * percent / 100, 2), "currency": "GBP", "day": TODAY}
