"""Reports on revenue, usage and churn, and guarded read-only SQL."""

import sqlite3
from typing import Annotated, Literal

from pydantic import Field

from tools.desk.books import Row, reading, row, rows
from tools.desk.records import (
    IndexHint,
    Month,
    OptionalCustomerRef,
    Period,
    euros,
    find_customer,
    period,
)
from tools.errors import ToolError
from tools.spec import ToolContext

QUERY_STEPS = 3_000_000
QUERY_SECONDS = 5.0
CELL_CHARACTERS = 300

RevenueGroup = Annotated[
    Literal["total", "customer", "product"],
    Field(description="One sum, or one row per customer or per product"),
]
INVOICED = {
    "customer": (
        "SELECT c.name AS name, count(*) AS invoices, sum(i.amount_cents) AS total_cents"
        " FROM invoices i {index} JOIN customers c ON c.id = i.customer_id"
        " WHERE i.status <> 'void' AND i.issued_on BETWEEN ? AND ?"
        " GROUP BY c.id ORDER BY total_cents DESC, name"
    ),
    "product": (
        "SELECT coalesce(p.name, 'Subscriptions') AS name, count(DISTINCT i.id) AS invoices,"
        " sum(coalesce(l.quantity * l.unit_cents, i.amount_cents)) AS total_cents"
        " FROM invoices i {index} LEFT JOIN order_lines l ON l.order_id = i.order_id"
        " LEFT JOIN products p ON p.sku = l.sku"
        " WHERE i.status <> 'void' AND i.issued_on BETWEEN ? AND ?"
        " GROUP BY p.sku ORDER BY total_cents DESC, name"
    ),
}
INVOICED_TOTAL = (
    "SELECT count(*) AS invoices, coalesce(sum(i.amount_cents), 0) AS total_cents"
    " FROM invoices i {index} WHERE i.status <> 'void' AND i.issued_on BETWEEN ? AND ?"
)
USAGE = (
    "SELECT c.id AS customer_id, c.name AS customer, count(*) AS days, sum(u.events) AS events,"
    " sum(u.api_calls) AS api_calls, max(u.active_users) AS peak_users,"
    " round(avg(u.events), 1) AS events_per_day"
    " FROM usage_daily u {index} JOIN customers c ON c.id = u.customer_id"
    " WHERE u.day BETWEEN ? AND ? AND ? IN ('', u.customer_id)"
    " GROUP BY c.id ORDER BY events DESC"
)


def report_revenue(
    context: ToolContext,
    *,
    month: Month,
    group_by: RevenueGroup = "total",
    index_hint: IndexHint = "",
) -> Row:
    """What was invoiced, refunded and collected in a month."""
    with reading(context) as books:
        span = period(books, month)
        invoiced = _hinted(books, INVOICED_TOTAL, "invoices", index_hint, *span)[0]
        refunded = _sum(books, "refunds", "refunded_on", span)
        collected = _sum(books, "payments", "paid_on", span)
        groups = []
        if group_by != "total":
            groups = _hinted(books, INVOICED[group_by], "invoices", index_hint, *span)
    return {
        "month": month,
        "currency": "EUR",
        "invoices": invoiced["invoices"],
        "invoiced": euros(invoiced["total_cents"]),
        "refunded": euros(refunded),
        "net": euros(invoiced["total_cents"] - refunded),
        "collected": euros(collected),
        "group_by": group_by,
        "groups": [
            {
                "name": one["name"],
                "invoices": one["invoices"],
                "invoiced": euros(one["total_cents"]),
            }
            for one in groups
        ],
    }


def report_usage(
    context: ToolContext,
    *,
    month: Month,
    customer: OptionalCustomerRef = "",
    index_hint: IndexHint = "",
) -> Row:
    """How much a customer, or every customer, used the product in a month."""
    with reading(context) as books:
        span = period(books, month)
        only = find_customer(books, customer) if customer else {}
        found = _hinted(books, USAGE, "usage_daily", index_hint, *span, only.get("id", ""))
    if only and not found:
        message = f"{only['name']} has no usage in {month}"
        hint = f"customer since {only['customer_since']}, churned on {only['churned_on']}"
        raise ToolError(message, kind="not_found", hint=hint)
    return {
        "month": month,
        "events": sum(one["events"] for one in found),
        "api_calls": sum(one["api_calls"] for one in found),
        "customers": found,
    }


def list_customers(context: ToolContext) -> Row:
    """Every customer, those who have left included, by id."""
    with reading(context) as books:
        found = rows(
            books,
            "SELECT id, name, contact, city, country, plan, status FROM customers ORDER BY id",
        )
    return {"count": len(found), "customers": found}


def report_churn(context: ToolContext, *, month: Month) -> Row:
    """Who left in a month, why, and what share of customers and recurring revenue that was."""
    with reading(context) as books:
        span = period(books, month)
        at_start = row(
            books,
            "SELECT count(*) AS customers, coalesce(sum(monthly_cents), 0) AS monthly_cents"
            " FROM customers WHERE status <> 'trial' AND customer_since < ?"
            " AND (churned_on IS NULL OR churned_on >= ?)",
            span.first,
            span.first,
        )
        left = rows(
            books,
            "SELECT id AS customer_id, name AS customer, churned_on, churn_reason AS reason,"
            " monthly_cents FROM customers WHERE churned_on BETWEEN ? AND ? ORDER BY churned_on",
            *span,
        )
    lost = sum(one["monthly_cents"] for one in left)
    return {
        "month": month,
        "customers_at_start": at_start["customers"],
        "churned": len(left),
        "churn_percent": _percent(len(left), at_start["customers"]),
        "monthly_revenue_lost": euros(lost),
        "revenue_churn_percent": _percent(lost, at_start["monthly_cents"]),
        "currency": "EUR",
        "customers": [
            {key: value for key, value in one.items() if key != "monthly_cents"}
            | {"monthly_revenue": euros(one["monthly_cents"])}
            for one in left
        ],
    }


def run_query(
    context: ToolContext,
    *,
    sql: Annotated[
        str,
        Field(
            description="One SELECT in SQLite's dialect",
            min_length=8,
            max_length=4000,
            examples=["SELECT status, count(*) FROM orders GROUP BY status"],
        ),
    ],
    index_hint: IndexHint = "",
    limit: Annotated[int, Field(description="At most so many rows", ge=1, le=200)] = 50,
) -> Row:
    """Rows of one read-only query over the company's tables."""
    from tools.desk.sql_guard import (  # noqa: PLC0415 - the parser loads in 0.15 s; only SQL needs it
        checked_select,
        run_guarded,
    )

    statement = checked_select(sql, index_hint)
    with reading(context) as books:
        columns, found, more = run_guarded(
            books, statement, limit=limit, steps=QUERY_STEPS, seconds=QUERY_SECONDS
        )
    return {
        "sql": statement,
        "columns": columns,
        "rows": [[_cell(value) for value in one] for one in found],
        "row_count": len(found),
        "more_rows": more,
    }


def _hinted(
    books: sqlite3.Connection, query: str, table: str, index: str, *values: object
) -> list[Row]:
    """Run a report with the index it is told to use, if the table has it."""
    known = [one["name"] for one in rows(books, "SELECT name FROM pragma_index_list(?)", table)]
    known = [name for name in known if not name.startswith("sqlite_")]
    if index and index not in known:
        message = f"wanted an index of {table}, came {index!r}"
        hint = f"one of {', '.join(sorted(known))}, or empty"
        raise ToolError(message, kind="invalid_arguments", hint=hint)
    clause = f"INDEXED BY {index}" if index else ""
    try:
        return rows(books, query.format(index=clause), *values)
    except sqlite3.OperationalError as error:
        message = f"SQLite: {error}"
        hint = "this report cannot use that index; leave index_hint empty"
        raise ToolError(message, kind="invalid_arguments", hint=hint) from error


def _sum(books: sqlite3.Connection, table: str, day: str, span: Period) -> int:
    found = row(
        books,
        f"SELECT coalesce(sum(amount_cents), 0) AS cents FROM {table} WHERE {day} BETWEEN ? AND ?",
        *span,
    )
    return int(found["cents"])


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def _cell(value: object) -> object:
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, str) and len(value) > CELL_CHARACTERS:
        return f"{value[:CELL_CHARACTERS]}… ({len(value)} characters)"
    return value
