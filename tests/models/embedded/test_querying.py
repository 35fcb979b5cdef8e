"""Questions for figures that no report has, as one SELECT."""

from datetime import date

import pytest

from models.embedded.querying import amended, compose
from models.embedded.schema import Table, read_tables
from tests.models.embedded.rooms import EXPERTS

TODAY = date(2026, 6, 30)
BY_PLAN = "SELECT plan, COUNT(*) FROM customers GROUP BY plan"


@pytest.fixture(scope="module")
def tables() -> tuple[Table, ...]:
    return read_tables(next(one.brief for one in EXPERTS if one.name == "analytics"))


def test_tables_and_their_values_are_read_off_the_brief(tables: tuple[Table, ...]) -> None:
    orders = next(one for one in tables if one.name == "orders")
    assert orders.date == "placed_on"
    assert orders.values["status"] == ["processing", "packed", "shipped", "delivered", "cancelled"]
    payments = next(one for one in tables if one.name == "payments")
    assert payments.values["method"] == ["transfer", "card", "direct debit"]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("how many clients are there per plan", BY_PLAN),
        ("average seats by country", "SELECT country, AVG(seats) FROM customers GROUP BY country"),
        (
            "number of cancelled orders, please",
            "SELECT COUNT(*) FROM orders WHERE status = 'cancelled'",
        ),
        (
            "total refunds since March",
            "SELECT SUM(amount_cents) FROM refunds WHERE refunded_on >= '2026-03-01'",
        ),
        (
            "how many security keys did we sell? HW-KEY",
            "SELECT SUM(quantity) FROM order_lines WHERE sku = 'HW-KEY'",
        ),
        ("how many seats do we have altogether", "SELECT SUM(seats) FROM customers"),
        ("which customers are in Norway?", "SELECT name FROM customers WHERE country = 'NO'"),
        ("which orders are packed, ids only", "SELECT id FROM orders WHERE status = 'packed'"),
    ],
)
def test_a_question_that_the_tables_explain_is_a_query(
    tables: tuple[Table, ...], text: str, sql: str
) -> None:
    assert compose(text, tables, TODAY) == sql


@pytest.mark.parametrize(
    "text",
    [
        "how many customers left in March",
        "how much does Kestrel owe in total",
        "how many gateways are in that order",
        "how much did we refund them",
        "total refunds in May",
        "how many planets are there",
        "show all open invoices",
        "which customers are late",
    ],
)
def test_what_holds_a_word_more_is_no_query(tables: tuple[Table, ...], text: str) -> None:
    assert compose(text, tables, TODAY) == ""


@pytest.mark.parametrize(
    ("text", "sql", "wanted"),
    [
        (
            "only the active ones",
            BY_PLAN,
            "SELECT plan, COUNT(*) FROM customers WHERE status = 'active' GROUP BY plan",
        ),
        (
            "now for business",
            "select name from customers where plan = 'team' limit 5",
            "select name from customers where plan = 'business' limit 5",
        ),
        (
            "and keys, HW-KEY",
            "SELECT SUM(quantity) FROM order_lines WHERE sku = 'HW-SCAN'",
            "SELECT SUM(quantity) FROM order_lines WHERE sku = 'HW-KEY'",
        ),
        ("and what does Otava owe", BY_PLAN, ""),
    ],
)
def test_a_short_message_changes_the_last_query(
    tables: tuple[Table, ...], text: str, sql: str, wanted: str
) -> None:
    assert amended(text, sql, tables, TODAY) == wanted
