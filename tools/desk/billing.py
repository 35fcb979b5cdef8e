"""Invoices of the sample company: look up, list, refund, void, reopen."""

import sqlite3
from typing import Annotated, Literal

from pydantic import Field

from tools.desk.actions import act_once
from tools.desk.books import Row, as_of, reading, row, rows
from tools.desk.records import (
    INVOICE_SUMS,
    CustomerRef,
    InvoiceId,
    Limit,
    OptionalCustomerRef,
    cents,
    days_between,
    euros,
    find_customer,
    find_invoice,
)
from tools.errors import ToolError
from tools.spec import ToolContext

REASON_FROM_CENTS = 50_000  # policy "Refunds": above this a refund carries a reason

InvoiceStatus = Annotated[
    Literal["any", "open", "paid", "void"], Field(description="Only invoices in this state")
]
Reason = Annotated[
    str,
    Field(description="Why, in the user's words; empty if not said", max_length=200),
]


def get_invoice(context: ToolContext, *, invoice_id: InvoiceId) -> Row:
    """One invoice with its payments and refunds."""
    with reading(context) as books:
        found = find_invoice(books, invoice_id)
        payments = rows(
            books,
            "SELECT id, paid_on, amount_cents, method FROM payments WHERE invoice_id = ?"
            " ORDER BY paid_on, id",
            found["id"],
        )
        refunds = rows(
            books,
            "SELECT id, refunded_on, amount_cents, reason FROM refunds WHERE invoice_id = ?"
            " ORDER BY id",
            found["id"],
        )
        summary = _summary(found, as_of(books))
    details = {
        "customer_id": found["customer_id"],
        "order_id": found["order_id"],
        "description": found["description"],
        "refundable": euros(_refundable(found)),
        "payments": [_in_euros(one) for one in payments],
        "refunds": [_in_euros(one) for one in refunds],
    }
    if found["status"] == "void":
        details |= {"voided_on": found["voided_on"], "void_reason": found["void_reason"]}
    return summary | details


def list_invoices(
    context: ToolContext,
    *,
    customer: CustomerRef,
    status: InvoiceStatus = "any",
    limit: Limit = 20,
) -> Row:
    """A customer's invoices, newest first."""
    with reading(context) as books:
        who = find_customer(books, customer)
        found = rows(
            books,
            f"{INVOICE_SUMS} WHERE i.customer_id = ? AND ? IN ('any', i.status)"
            " ORDER BY i.issued_on DESC, i.id DESC",
            who["id"],
            status,
        )
        today = as_of(books)
    return {
        "customer_id": who["id"],
        "customer": who["name"],
        "status": status,
        "count": len(found),
        "total_amount": euros(sum(one["amount_cents"] for one in found)),
        "total_open": euros(sum(_owed(one) for one in found)),
        "currency": "EUR",
        "invoices": [_summary(one, today) for one in found[:limit]],
    }


def list_overdue(
    context: ToolContext,
    *,
    customer: OptionalCustomerRef = "",
    min_days: Annotated[int, Field(description="At least so many days overdue", ge=1, le=3650)] = 1,
) -> Row:
    """Open invoices past their due date, the longest overdue first."""
    with reading(context) as books:
        today = as_of(books)
        only = find_customer(books, customer)["id"] if customer else ""
        found = rows(
            books,
            f"{INVOICE_SUMS} WHERE i.status = 'open' AND i.due_on < ? AND ? IN ('', i.customer_id)"
            " ORDER BY i.due_on, i.id",
            today,
            only,
        )
    late = [one for one in found if days_between(one["due_on"], today) >= min_days]
    return {
        "as_of": today,
        "count": len(late),
        "total_open": euros(sum(_owed(one) for one in late)),
        "currency": "EUR",
        "invoices": [_summary(one, today) for one in late],
    }


def issue_refund(
    context: ToolContext,
    *,
    invoice_id: InvoiceId,
    amount: Annotated[
        float,
        Field(description="Amount in EUR, two decimals at most", gt=0, le=100_000, examples=[75.5]),
    ],
    reason: Reason = "",
) -> Row:
    """Pay back part or all of what was paid on an invoice."""
    asked = cents(amount)

    def change(books: sqlite3.Connection) -> Row:
        found = find_invoice(books, invoice_id)
        _check_refund(found, asked, reason)
        refund_id = _next_refund_id(books)
        today = as_of(books)
        books.execute(
            "INSERT INTO refunds VALUES (?, ?, ?, ?, ?)",
            (refund_id, found["id"], asked, reason, today),
        )
        return {
            "refund_id": refund_id,
            "invoice_id": found["id"],
            "customer": found["customer"],
            "amount": euros(asked),
            "currency": "EUR",
            "refunded_on": today,
            "reason": reason,
            "still_refundable": euros(_refundable(found) - asked),
        }

    arguments = {"invoice_id": invoice_id.upper(), "amount_cents": asked, "reason": reason}
    return act_once(context, "issue_refund", arguments, change)


def void_invoice(context: ToolContext, *, invoice_id: InvoiceId, reason: Reason = "") -> Row:
    """Declare an invoice void on which nothing was paid."""

    def change(books: sqlite3.Connection) -> Row:
        found = find_invoice(books, invoice_id)
        if found["status"] == "paid" or found["paid_cents"]:
            message = f"{found['id']} has payments of {euros(found['paid_cents']):.2f} EUR"
            raise ToolError(message, kind="conflict", hint="void only unpaid ones; refund instead")
        if found["status"] == "void":
            return _state(found, "void", found["voided_on"], found["void_reason"])
        today = as_of(books)
        books.execute(
            "UPDATE invoices SET status = 'void', voided_on = ?, void_reason = ? WHERE id = ?",
            (today, reason, found["id"]),
        )
        result = _state(found, "void", today, reason)
        return result | {"undo": {"invoice_id": found["id"], "reason": "voiding undone"}}

    arguments = {"invoice_id": invoice_id.upper(), "reason": reason}
    return act_once(context, "void_invoice", arguments, change)


def reopen_invoice(context: ToolContext, *, invoice_id: InvoiceId, reason: Reason = "") -> Row:
    """Make a void invoice valid and payable again."""

    def change(books: sqlite3.Connection) -> Row:
        found = find_invoice(books, invoice_id)
        if found["status"] == "paid":
            message = f"{found['id']} is paid"
            raise ToolError(message, kind="conflict", hint="only void invoices can be reopened")
        if found["status"] == "open":
            return _state(found, "open", None, reason)
        books.execute(
            "UPDATE invoices SET status = 'open', voided_on = NULL, void_reason = NULL"
            " WHERE id = ?",
            (found["id"],),
        )
        result = _state(found, "open", None, reason)
        was = found["void_reason"] or ""
        return result | {"undo": {"invoice_id": found["id"], "reason": was}}

    arguments = {"invoice_id": invoice_id.upper(), "reason": reason}
    return act_once(context, "reopen_invoice", arguments, change)


def _check_refund(invoice: Row, asked: int, reason: str) -> None:
    left = _refundable(invoice)
    if asked > left:
        message = (
            f"wanted at most {euros(left):.2f} EUR on {invoice['id']} (paid "
            f"{euros(invoice['paid_cents']):.2f}, refunded "
            f"{euros(invoice['refunded_cents']):.2f}), came {euros(asked):.2f}"
        )
        hint = "nothing was paid, so nothing can be refunded" if not left else "ask for less"
        raise ToolError(message, kind="conflict", hint=hint)
    if asked > REASON_FROM_CENTS and not reason.strip():
        message = f"a refund above {euros(REASON_FROM_CENTS):.2f} EUR needs a reason, came none"
        raise ToolError(message, kind="conflict", hint="pass `reason`; ask the user for it")


def _next_refund_id(books: sqlite3.Connection) -> str:
    last = row(books, "SELECT max(CAST(substr(id, 5) AS INTEGER)) AS n FROM refunds")["n"]
    return f"REF-{(last or 3000) + 1}"


def _summary(invoice: Row, today: str) -> Row:
    late = days_between(invoice["due_on"], today) if invoice["status"] == "open" else 0
    return {
        "id": invoice["id"],
        "customer": invoice["customer"],
        "status": invoice["status"],
        "issued_on": invoice["issued_on"],
        "due_on": invoice["due_on"],
        "days_overdue": max(0, late),
        "amount": euros(invoice["amount_cents"]),
        "paid": euros(invoice["paid_cents"]),
        "refunded": euros(invoice["refunded_cents"]),
        "open": euros(_owed(invoice)),
        "currency": "EUR",
    }


def _owed(invoice: Row) -> int:
    owed: int = invoice["amount_cents"] - invoice["paid_cents"]
    return owed if invoice["status"] == "open" else 0


def _refundable(invoice: Row) -> int:
    left: int = invoice["paid_cents"] - invoice["refunded_cents"]
    return left


def _state(invoice: Row, status: str, voided_on: str | None, reason: str | None) -> Row:
    return {
        "invoice_id": invoice["id"],
        "customer": invoice["customer"],
        "amount": euros(invoice["amount_cents"]),
        "currency": "EUR",
        "status": status,
        "voided_on": voided_on,
        "reason": reason or "",
    }


def _in_euros(record: Row) -> Row:
    rest = {key: value for key, value in record.items() if key != "amount_cents"}
    return rest | {"amount": euros(record["amount_cents"])}
