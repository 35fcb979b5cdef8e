"""What the desk's tools share: ids, names, money and dates, as users write them and as stored."""

import re
import sqlite3
from calendar import monthrange
from datetime import date
from decimal import Decimal
from typing import Annotated, NamedTuple

from pydantic import Field

from tools.desk.books import Row, row, rows
from tools.desk.describing import described
from tools.errors import ToolError

MONTHS = r"^\d{4}-(0[1-9]|1[0-2])$"

InvoiceId = Annotated[
    str,
    Field(
        description="Invoice id: INV- and four digits",
        pattern=r"^(INV|inv)-\d{4}$",
        examples=["INV-1001"],
    ),
]
OrderId = Annotated[
    str,
    Field(
        description="Order id: ORD- and four digits",
        pattern=r"^(ORD|ord)-\d{4}$",
        examples=["ORD-2050"],
    ),
]
CustomerRef = Annotated[
    str,
    Field(
        description="Customer id such as CUS-001, or the company's name or a clear part of it",
        min_length=2,
        max_length=80,
        examples=["CUS-001", "Nordlicht Analytics"],
    ),
]
OptionalCustomerRef = Annotated[
    str,
    Field(
        description="Customer id or company name; empty for all customers",
        max_length=80,
        examples=["CUS-001", ""],
    ),
]
Month = Annotated[str, Field(description="Month as YYYY-MM", pattern=MONTHS, examples=["2026-05"])]
IndexHint = Annotated[
    str,
    Field(
        description="Name of an index the query must use, when experience says so; else empty",
        pattern=r"^[a-z_]*$",
        max_length=40,
        examples=["usage_by_day"],
    ),
]
Limit = Annotated[int, Field(description="At most so many rows", ge=1, le=50)]


class Period(NamedTuple):
    """A month by its first and last day."""

    first: str
    last: str


def find_customer(books: sqlite3.Connection, wanted: str) -> Row:
    """The one customer that an id, a name or part of it, a contact or a place stands for.

    Raises:
        ToolError: nobody is meant, or more than one could be.
    """
    text = " ".join(wanted.split()).casefold()
    known = rows(books, "SELECT * FROM customers ORDER BY id")
    exact = [one for one in known if text in (one["id"].casefold(), one["name"].casefold())]
    found = exact or [one for one in known if text and _begins_word(text, one["name"].casefold())]
    found = found or [one for one in known if _is_contact(text, one["contact"].casefold())]
    found = found or described(known, wanted)
    if len(found) == 1:
        return found[0]
    if not found:
        message = f"wanted a customer's id, company name or contact, came {wanted!r}"
        raise ToolError(message, kind="not_found", hint="ids look like CUS-001; ask for the name")
    names = ", ".join(
        f"{one['id']} {one['name']} ({one['contact']}, {one['city']})" for one in found
    )
    message = f"{wanted!r} could be {len(found)} customers"
    raise ToolError(message, kind="conflict", hint=f"ask which one is meant: {names}")


def _begins_word(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}", name) is not None


def _is_contact(text: str, contact: str) -> bool:
    return text == contact or text in contact.split()


def find_invoice(books: sqlite3.Connection, invoice_id: str) -> Row:
    """An invoice with its customer's name and what was paid and refunded, in cents.

    Raises:
        ToolError: there is no such invoice.
    """
    found = row(books, f"{INVOICE_SUMS} WHERE i.id = ?", invoice_id.upper())
    if not found:
        message = f"no invoice {invoice_id!r}"
        raise ToolError(message, kind="not_found", hint="list_invoices shows a customer's invoices")
    return found


def find_order(books: sqlite3.Connection, order_id: str) -> Row:
    """An order with its customer's name.

    Raises:
        ToolError: there is no such order.
    """
    found = row(
        books,
        "SELECT o.*, c.name AS customer FROM orders o JOIN customers c ON c.id = o.customer_id"
        " WHERE o.id = ?",
        order_id.upper(),
    )
    if not found:
        message = f"no order {order_id!r}"
        raise ToolError(message, kind="not_found", hint="list_orders shows a customer's orders")
    return found


INVOICE_SUMS = """
SELECT i.*, c.name AS customer,
    (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE invoice_id = i.id) AS paid_cents,
    (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE invoice_id = i.id) AS refunded_cents
FROM invoices i JOIN customers c ON c.id = i.customer_id
"""


def euros(cents: int) -> float:
    """Stored cents as the amount people read and write."""
    return float(Decimal(cents) / 100)


def cents(amount: float) -> int:
    """An amount in euros as cents.

    Raises:
        ToolError: the amount has fractions of a cent.
    """
    exact = Decimal(str(amount)) * 100
    if exact != exact.to_integral_value():
        message = f"wanted an amount with at most two decimals, came {amount!r}"
        raise ToolError(message, kind="invalid_arguments", hint="round to whole cents")
    return int(exact)


def period(books: sqlite3.Connection, month: str) -> Period:
    """First and last day of a month that the books cover.

    Raises:
        ToolError: the books have nothing on that month.
    """
    found = row(books, "SELECT substr(opened_on, 1, 7) AS a, substr(as_of, 1, 7) AS b FROM books")
    if not found["a"] <= month <= found["b"]:
        message = f"wanted a month from {found['a']} to {found['b']}, came {month!r}"
        raise ToolError(message, kind="not_found", hint="the books cover no other months")
    year, number = (int(part) for part in month.split("-"))
    return Period(f"{month}-01", f"{month}-{monthrange(year, number)[1]:02d}")


def days_between(earlier: str, later: str) -> int:
    """Days from one ISO date to another."""
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days
