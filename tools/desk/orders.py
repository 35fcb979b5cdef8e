"""Orders of the sample company: look up, list, change the address, cancel."""

import sqlite3
from typing import Annotated, Literal

from pydantic import Field

from tools.desk.actions import act_once
from tools.desk.books import Row, as_of, reading, rows
from tools.desk.records import CustomerRef, Limit, OrderId, euros, find_customer, find_order
from tools.errors import ToolError
from tools.spec import ToolContext

UNSHIPPED = ("processing", "packed")

OrderStatus = Annotated[
    Literal["any", "processing", "packed", "shipped", "delivered", "cancelled"],
    Field(description="Only orders in this state"),
]


def get_order(context: ToolContext, *, order_id: OrderId) -> Row:
    """One order: state, lines, delivery, and the invoices that belong to it."""
    with reading(context) as books:
        found = find_order(books, order_id)
        lines = _lines(books, found["id"])
        invoices = _invoices(books, found["id"])
    return {
        "id": found["id"],
        "customer_id": found["customer_id"],
        "customer": found["customer"],
        "status": found["status"],
        "placed_on": found["placed_on"],
        "shipped_on": found["shipped_on"],
        "delivered_on": found["delivered_on"],
        "cancelled_on": found["cancelled_on"],
        "cancel_reason": found["cancel_reason"],
        "carrier": found["carrier"],
        "tracking": found["tracking"],
        "address": found["address"],
        "total": euros(sum(one["quantity"] * one["unit_cents"] for one in lines)),
        "currency": "EUR",
        "lines": [_line(one) for one in lines],
        "invoices": invoices,
    }


def list_orders(
    context: ToolContext,
    *,
    customer: CustomerRef,
    status: OrderStatus = "any",
    limit: Limit = 20,
) -> Row:
    """A customer's orders, newest first."""
    with reading(context) as books:
        who = find_customer(books, customer)
        found = rows(
            books,
            "SELECT o.id, o.status, o.placed_on, o.shipped_on, o.delivered_on,"
            " sum(l.quantity * l.unit_cents) AS total_cents,"
            " group_concat(l.quantity || ' x ' || p.name, '; ') AS items"
            " FROM orders o JOIN order_lines l ON l.order_id = o.id"
            " JOIN products p ON p.sku = l.sku"
            " WHERE o.customer_id = ? AND ? IN ('any', o.status)"
            " GROUP BY o.id ORDER BY o.placed_on DESC, o.id DESC",
            who["id"],
            status,
        )
    return {
        "customer_id": who["id"],
        "customer": who["name"],
        "status": status,
        "count": len(found),
        "currency": "EUR",
        "orders": [
            {key: value for key, value in one.items() if key != "total_cents"}
            | {"total": euros(one["total_cents"])}
            for one in found[:limit]
        ],
    }


def change_address(
    context: ToolContext,
    *,
    order_id: OrderId,
    address: Annotated[
        str,
        Field(
            description="The whole new address in one line: street and number, postal code, city",
            min_length=8,
            max_length=160,
            examples=["12 Canal Walk, D04 A2B3 Dublin, IE"],
        ),
    ],
) -> Row:
    """Send an order that has not left the warehouse to another address."""

    def change(books: sqlite3.Connection) -> Row:
        found = find_order(books, order_id)
        _check_unshipped(found, "its address can no longer be changed")
        wanted = " ".join(address.split())
        books.execute("UPDATE orders SET address = ? WHERE id = ?", (wanted, found["id"]))
        result = {
            "order_id": found["id"],
            "customer": found["customer"],
            "status": found["status"],
            "address": wanted,
            "previous_address": found["address"],
        }
        if wanted == found["address"]:
            return result
        return result | {"undo": {"order_id": found["id"], "address": found["address"]}}

    arguments = {"order_id": order_id.upper(), "address": address}
    return act_once(context, "change_address", arguments, change)


def cancel_order(
    context: ToolContext,
    *,
    order_id: OrderId,
    reason: Annotated[
        str, Field(description="Why, in the user's words; empty if not said", max_length=200)
    ] = "",
) -> Row:
    """Cancel an order that has not left the warehouse."""

    def change(books: sqlite3.Connection) -> Row:
        found = find_order(books, order_id)
        _check_unshipped(found, "it can no longer be cancelled")
        if found["status"] == "packed" and not reason.strip():
            message = f"{found['id']} is packed; cancelling a packed order needs a reason"
            raise ToolError(message, kind="conflict", hint="pass `reason`; ask the user for it")
        today = as_of(books)
        books.execute(
            "UPDATE orders SET status = 'cancelled', cancelled_on = ?, cancel_reason = ?"
            " WHERE id = ?",
            (today, reason, found["id"]),
        )
        return {
            "order_id": found["id"],
            "customer": found["customer"],
            "status": "cancelled",
            "was": found["status"],
            "cancelled_on": today,
            "reason": reason,
            "invoices": _invoices(books, found["id"]),
        }

    arguments = {"order_id": order_id.upper(), "reason": reason}
    return act_once(context, "cancel_order", arguments, change)


def _check_unshipped(order: Row, consequence: str) -> None:
    if order["status"] in UNSHIPPED:
        return
    day = order["delivered_on"] or order["shipped_on"] or order["cancelled_on"]
    message = f"{order['id']} is {order['status']} since {day}; {consequence}"
    hint = "tell the user; for goods that arrived, a return and a refund are the way"
    if order["status"] == "cancelled":
        hint = "nothing is left to do on this order"
    raise ToolError(message, kind="conflict", hint=hint)


def _lines(books: sqlite3.Connection, order_id: str) -> list[Row]:
    return rows(
        books,
        "SELECT l.sku, p.name, p.kind, l.quantity, l.unit_cents FROM order_lines l"
        " JOIN products p ON p.sku = l.sku WHERE l.order_id = ? ORDER BY l.sku",
        order_id,
    )


def _line(line: Row) -> Row:
    rest = {key: value for key, value in line.items() if key != "unit_cents"}
    return rest | {"amount": euros(line["quantity"] * line["unit_cents"])}


def _invoices(books: sqlite3.Connection, order_id: str) -> list[Row]:
    return rows(books, "SELECT id, status FROM invoices WHERE order_id = ? ORDER BY id", order_id)
