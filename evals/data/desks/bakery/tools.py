"""Tools of the order desk of Quarter Past Four, a wholesale bakery. Every call reads seed.sql into memory and answers from it."""
import re
import sqlite3
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

TODAY = "2026-07-07"
State = Literal["planned", "baked", "out", "delivered", "cancelled"]
Run = Literal["early", "noon", "late"]
Category = Literal["bread", "rolls", "pastry", "cake"]
Customer = Annotated[str, Field(description="Customer id such as K-31, or the name of the café", min_length=2)]
OrderId = Annotated[str, Field(pattern=r"^O-\d{4}$", description="Order id, such as O-7701")]
Product = Annotated[str, Field(description="Name of one product, such as rye loaf", min_length=3)]


def _db() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript(Path(__file__).with_name("seed.sql").read_text(encoding="utf-8"))
    return db


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("é", "e").replace("&", " and ").replace("'", "").replace("’", ""))


def _customer(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    """The one customer with this id or name; a part of the name is enough where it is unique."""
    rows = db.execute("SELECT * FROM customers ORDER BY id").fetchall()
    want = _words(said)
    hits = [r for r in rows if r["id"].lower() == said.strip().lower() or _words(r["name"]) == want]
    hits = hits or [r for r in rows if want and set(want) <= set(_words(r["name"]))]
    if not hits:
        raise ValueError(f"There is no customer {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"Several customers are called {said!r}: " + ", ".join(f"{r['name']} ({r['id']})" for r in hits))
    return hits[0]


def _product(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    """The one product with this name, in the singular or the plural."""
    def one(text: str) -> list[str]:
        return ["loaf" if w == "loaves" else w[:-1] if w.endswith("s") else w for w in _words(text)]
    rows = db.execute("SELECT * FROM products").fetchall()
    hits = [r for r in rows if one(r["name"]) == one(said)]
    hits = hits or [r for r in rows if one(said) and set(one(said)) <= set(one(r["name"]))]
    if not hits:
        raise ValueError(f"There is no product {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"{said!r} can be: " + ", ".join(r["name"] for r in hits))
    return hits[0]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the form YYYY-MM-DD.") from None


def _order(db: sqlite3.Connection, order_id: str) -> sqlite3.Row:
    row = db.execute("SELECT o.*, c.name AS customer, c.run FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.id = ?",
                     (order_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no order {order_id}.")
    return row


def _lines(db: sqlite3.Connection, order_id: str) -> list[dict]:
    return [dict(r) for r in db.execute("SELECT product, quantity FROM lines WHERE order_id = ?", (order_id,))]


def get_order(*, order_id: OrderId) -> dict:
    """One order with its lines and complaints."""
    db = _db()
    row = _order(db, order_id)
    total = db.execute("SELECT sum(l.quantity * p.price) FROM lines l JOIN products p ON p.name = l.product WHERE l.order_id = ?",
                       (order_id,)).fetchone()[0]
    complaints = [dict(r) for r in db.execute("SELECT day, text FROM complaints WHERE order_id = ?", (order_id,))]
    return {"order_id": row["id"], "customer_id": row["customer_id"], "customer": row["customer"], "delivery_date": row["delivery_date"],
            "latest_time": row["latest_time"], "run": row["run"], "state": row["state"], "weekly": bool(row["weekly"]),
            "lines": _lines(db, order_id), "total": round(total, 2), "currency": "EUR", "complaints": complaints}


def list_orders(
    *,
    start_date: Annotated[str, Field(description="First day of delivery, YYYY-MM-DD")],
    end_date: Annotated[str, Field(description="Last day of delivery, YYYY-MM-DD")],
    customer: Annotated[str | None, Field(description="Only this customer: id or name of the café")] = None,
    state: Annotated[State | None, Field(description="Only orders in this state; out means on the van")] = None,
    run: Annotated[Run | None, Field(description="Only this delivery run of the day")] = None,
) -> list[dict]:
    """Orders to be delivered in a period, by day."""
    if _day(end_date) < _day(start_date):
        raise ValueError(f"The end {end_date} lies before the start {start_date}.")
    db = _db()
    who = _customer(db, customer)["id"] if customer else None
    rows = db.execute(
        "SELECT o.id AS order_id, o.customer_id, c.name AS customer, o.delivery_date, o.state, c.run FROM orders o "
        "JOIN customers c ON c.id = o.customer_id WHERE o.delivery_date BETWEEN ? AND ? ORDER BY o.delivery_date, o.id",
        (start_date, end_date)).fetchall()
    return [{**dict(r), "lines": _lines(db, r["order_id"])} for r in rows
            if who in (None, r["customer_id"]) and state in (None, r["state"]) and run in (None, r["run"])]


def place_order(
    *,
    customer: Customer,
    product: Product,
    quantity: Annotated[int, Field(ge=1, le=500, description="How many pieces")],
    delivery_date: Annotated[str, Field(description="Day of delivery, YYYY-MM-DD")],
    latest_time: Annotated[str | None, Field(pattern=r"^\d{2}:\d{2}$", description="Must be there by this time, HH:MM")] = None,
    weekly: Annotated[bool, Field(description="A standing order, repeated every week from that day")] = False,
) -> dict:
    """Enters how many pieces of a product a customer gets on a day; replaces the number entered before."""
    db = _db()
    row, what, day = _customer(db, customer), _product(db, product), _day(delivery_date)
    if delivery_date <= TODAY:
        raise ValueError(f"{delivery_date} is too early; orders are taken from tomorrow on.")
    if day.weekday() == 6:
        raise ValueError(f"{delivery_date} is a Sunday; there is no delivery run on Sundays.")
    old = db.execute("SELECT o.id, l.quantity FROM orders o LEFT JOIN lines l ON l.order_id = o.id AND l.product = ? "
                     "WHERE o.customer_id = ? AND o.delivery_date = ? AND o.state = 'planned'",
                     (what["name"], row["id"], delivery_date)).fetchone()
    return {"order_id": old["id"] if old else "O-7741", "customer_id": row["id"], "customer": row["name"], "product": what["name"],
            "quantity": quantity, "quantity_before": (old["quantity"] or 0) if old else 0, "delivery_date": delivery_date,
            "latest_time": latest_time, "weekly": weekly, "price": round(quantity * what["price"], 2), "currency": "EUR"}


def cancel_order(
    *,
    order_id: OrderId,
    reason: Annotated[str, Field(description="Why, in the user's words")] = "",
) -> dict:
    """Cancels a whole order that is still planned."""
    db = _db()
    row = _order(db, order_id)
    if row["state"] != "planned":
        raise ValueError(f"{order_id} is {row['state']} and can no longer be cancelled.")
    return {"order_id": order_id, "customer": row["customer"], "delivery_date": row["delivery_date"], "cancelled": True, "reason": reason}


def sales_report(
    *,
    month: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$", description="The month, YYYY-MM")],
    by: Annotated[Literal["product", "customer", "category"], Field(description="What the rows are")] = "product",
    product: Annotated[str | None, Field(description="Only this product, by name")] = None,
    categories: Annotated[list[Category], Field(description="Only these kinds of goods; empty for all")] = [],
) -> dict:
    """Pieces and turnover of a month."""
    db = _db()
    if db.execute("SELECT 1 FROM months WHERE month = ?", (month,)).fetchone() is None:
        raise ValueError(f"There are no sales figures for {month}.")
    only = _product(db, product)["name"] if product else None
    rows: dict[str, list] = {}
    for r in db.execute("SELECT * FROM sales WHERE month = ?", (month,)):
        if only in (None, r["product"]) and (not categories or r["category"] in categories):
            sums = rows.setdefault(r[by], [0, 0.0])
            sums[0] += r["quantity"]
            sums[1] += r["amount"]
    best = sorted(rows.items(), key=lambda kv: -kv[1][1])
    return {"month": month, "rows": [{by: k, "pieces": n, "turnover": round(a, 2)} for k, (n, a) in best],
            "turnover": round(sum(a for _, (_, a) in best), 2), "currency": "EUR"}


def open_balances(
    *,
    customer: Annotated[str | None, Field(description="Only this customer: id or name of the café")] = None,
    min_amount: Annotated[float, Field(ge=0, description="Only customers who owe at least this much, in EUR")] = 0,
    overdue_days: Annotated[int, Field(ge=0, le=365, description="Only invoices overdue for at least so many days")] = 0,
) -> list[dict]:
    """What customers owe, the largest sum first."""
    db = _db()
    who = _customer(db, customer)["id"] if customer else None
    owed: dict[str, dict] = {}
    for r in db.execute("SELECT i.*, c.name FROM invoices i JOIN customers c ON c.id = i.customer_id WHERE NOT i.paid ORDER BY i.id"):
        late = max(0, (_day(TODAY) - _day(r["due"])).days)
        if who in (None, r["customer_id"]) and late >= overdue_days:
            o = owed.setdefault(r["customer_id"], {"customer_id": r["customer_id"], "customer": r["name"], "open": 0.0, "invoices": []})
            o["open"] = round(o["open"] + r["amount"], 2)
            o["invoices"].append({"invoice": r["id"], "amount": r["amount"], "due": r["due"], "days_overdue": late})
    return sorted((o for o in owed.values() if o["open"] >= min_amount), key=lambda o: -o["open"])


def credit_customer(
    *,
    customer: Customer,
    amount: Annotated[float, Field(gt=0, le=1000, description="Amount in EUR")],
    reason: Annotated[str, Field(min_length=3, description="What the credit is for, in the user's words")],
    order_id: Annotated[str | None, Field(pattern=r"^O-\d{4}$", description="The order it is about, if the user names one")] = None,
) -> dict:
    """Credits a sum to a customer's account."""
    db = _db()
    row = _customer(db, customer)
    if order_id and _order(db, order_id)["customer_id"] != row["id"]:
        raise ValueError(f"{order_id} is not an order of {row['name']}.")
    return {"credited": True, "customer_id": row["id"], "customer": row["name"], "amount": amount, "currency": "EUR",
            "reason": reason, "order_id": order_id, "day": TODAY}
