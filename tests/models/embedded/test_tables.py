"""Questions for figures and rows that no report has, as one SELECT over the sample company."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.query_answers import Value, holds
from models.embedded.rendering import render
from models.embedded.scene import Scene
from models.embedded.tables.amending import amended
from models.embedded.tables.asking import guessed, queried
from models.embedded.tables.periods import periods
from models.embedded.tables.querying import compose
from models.embedded.tables.schema import Schema, Table, read_schema, read_tables
from models.embedded.tables.selects import parsed
from tests.models.embedded.rooms import EXPERTS
from tools.desk.books import SHIPPED

TODAY = date(2026, 6, 30)
BY_PLAN = "SELECT plan, COUNT(*) FROM customers GROUP BY plan"
ANALYTICS = next(one for one in EXPERTS if one.name == "analytics")
SCHEMA = read_schema(ANALYTICS)


@pytest.fixture(scope="module")
def books() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for script in ("schema.sql", "seed.sql"):
            connection.executescript((SHIPPED / script).read_text("utf-8"))
        connection.execute("PRAGMA query_only = ON")
        yield connection


def rows(books: sqlite3.Connection, sql: str) -> list[tuple[Value, ...]]:
    return books.execute(sql).fetchall()


def test_tables_values_and_what_codes_are_called_are_read_off_the_brief() -> None:
    tables = {one.name: one for one in read_tables(ANALYTICS.brief)}
    assert tables["orders"].dates[0] == "placed_on"
    assert tables["orders"].values["status"] == [
        "processing", "packed", "shipped", "delivered", "cancelled",
    ]  # fmt: skip
    assert tables["payments"].values["method"] == ["transfer", "card", "direct debit"]
    assert tables["products"].glosses["HW-GATE"] == "edge gateway"


def test_tables_hang_together_by_the_names_of_their_columns() -> None:
    assert SCHEMA.climb("refunds", "customers") == ["refunds", "invoices", "customers"]
    assert SCHEMA.climb("customers", "orders") is None
    assert SCHEMA.below("customers", "products") == ["order_lines", "orders", "customers"]
    assert SCHEMA.party == "customers"


ASKED = [
    ("how many clients are there per plan", BY_PLAN),
    ("average seats by country", "SELECT country, AVG(seats) FROM customers GROUP BY country"),
    ("how many orders got cancelled", "SELECT COUNT(*) FROM orders WHERE status = 'cancelled'"),
    ("total refunds since March", "SELECT SUM(amount_cents) FROM refunds"
     " WHERE refunded_on >= '2026-03-01'"),
    ("how many security keys did we sell? HW-KEY", "SELECT SUM(quantity) FROM order_lines"
     " WHERE sku = 'HW-KEY'"),
    ("which customers are in Norway?", "SELECT name FROM customers WHERE country = 'NO'"),
    ("which orders are packed, ids only", "SELECT id FROM orders WHERE status = 'packed'"),
    ("which customers have more than 50 seats?", "SELECT name FROM customers WHERE seats > 50"),
    ("invoices over 10,000 euros", "SELECT id FROM invoices WHERE amount_cents > 1000000"),
    ("how many invoices between 500 and 1000 euros do we have", "SELECT count(*) FROM invoices"
     " WHERE amount_cents BETWEEN 50000 AND 100000"),
    ("which orders have not been shipped yet?",
     "SELECT id FROM orders WHERE status IN ('processing', 'packed')"),
    ("which orders have no tracking number?", "SELECT id FROM orders WHERE tracking IS NULL"),
    ("invoices without an order", "SELECT id FROM invoices WHERE order_id IS NULL"),
    ("which customers have never ordered anything?", "SELECT name FROM customers c WHERE NOT"
     " EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)"),
    ("customers without orders since April", "SELECT name FROM customers WHERE id NOT IN"
     " (SELECT customer_id FROM orders WHERE placed_on >= '2026-04-01')"),
    ("customers with at least two orders", "SELECT c.name FROM customers c JOIN orders o ON"
     " o.customer_id = c.id GROUP BY c.id HAVING count(*) >= 2"),
    ("which customers in Denmark or Norway bought a gateway", "SELECT DISTINCT c.name FROM"
     " customers c JOIN orders o ON o.customer_id = c.id JOIN order_lines l ON l.order_id = o.id"
     " WHERE l.sku = 'HW-GATE' AND c.country IN ('DK', 'NO')"),
    ("who has the most seats?", "SELECT name FROM customers ORDER BY seats DESC LIMIT 1"),
    ("top 3 products by units sold", "SELECT p.name, sum(l.quantity) FROM order_lines l JOIN"
     " products p ON p.sku = l.sku GROUP BY p.sku ORDER BY 2 DESC LIMIT 3"),
    ("which customer has placed the most orders?", "SELECT c.name, count(*) FROM orders o JOIN"
     " customers c ON c.id = o.customer_id GROUP BY c.id ORDER BY 2 DESC LIMIT 1"),
    ("what is the highest price of our hardware", "SELECT max(price_cents) FROM products"
     " WHERE kind = 'hardware'"),
    ("list all products with their prices, the dearest first", "SELECT name, price_cents FROM"
     " products ORDER BY price_cents DESC"),
    ("total open amount by country", "SELECT c.country, sum(i.amount_cents) FROM invoices i"
     " JOIN customers c ON c.id = i.customer_id WHERE i.status = 'open' GROUP BY 1"),
    ("how many orders per month?", "SELECT substr(placed_on, 1, 7), count(*) FROM orders"
     " GROUP BY 1"),
    ("how many different countries do our customers come from?",
     "SELECT count(DISTINCT country) FROM customers"),
    ("percentage of customers on the enterprise plan", "SELECT round(100.0 * sum(plan ="
     " 'enterprise') / count(*), 1) FROM customers"),
    ("email address on file for lindqvist vard?", "SELECT email FROM customers"
     " WHERE id = 'CUS-025'"),
    ("who pays more than 1,000 euros a month", "SELECT name FROM customers"
     " WHERE monthly_cents > 100000"),
    ("daily events of Solace in the first week of June", "SELECT day, events FROM usage_daily"
     " WHERE customer_id = 'CUS-023' AND day BETWEEN '2026-06-01' AND '2026-06-07'"),
    ("seats in Germany versus France", "SELECT country, sum(seats) FROM customers WHERE country"
     " IN ('DE', 'FR') GROUP BY country"),
    ("which invoices fall due in July?", "SELECT id FROM invoices WHERE due_on LIKE '2026-07%'"),
    ("non-enterprise customers outside Germany", "SELECT name FROM customers WHERE plan <>"
     " 'enterprise' AND country <> 'DE'"),
    ("the customer with the most unpaid invoices", "SELECT c.name, count(*) FROM invoices i JOIN"
     " customers c ON c.id = i.customer_id WHERE i.status = 'open' GROUP BY c.id"
     " ORDER BY 2 DESC LIMIT 1"),
    ("customers with unpaid invoices over 1000 euros", "SELECT DISTINCT c.name FROM customers c"
     " JOIN invoices i ON i.customer_id = c.id WHERE i.status = 'open' AND i.amount_cents > 1e5"),
    ("how many orders have we shipped so far", "SELECT count(shipped_on) FROM orders"),
    ("when did Kestrel Freight sign up?", "SELECT customer_since FROM customers"
     " WHERE id = 'CUS-009'"),
    ("number of refunds and their total", "SELECT count(*), sum(amount_cents) FROM refunds"),
    ("how many orders per customer, top 5", "SELECT c.name, count(*) FROM orders o JOIN customers"
     " c ON c.id = o.customer_id GROUP BY c.id ORDER BY 2 DESC LIMIT 5"),
    ("average order value", "SELECT sum(quantity * unit_cents) * 1.0 / count(DISTINCT order_id)"
     " FROM order_lines"),
    ("what hardware do we offer", "SELECT name FROM products WHERE kind = 'hardware'"),
    ("US customers", "SELECT name FROM customers WHERE country = 'US'"),
    ("which customer got the biggest refund", "SELECT c.name, r.amount_cents FROM refunds r JOIN"
     " invoices i ON i.id = r.invoice_id JOIN customers c ON c.id = i.customer_id"
     " ORDER BY 2 DESC LIMIT 1"),
    ("which month had the most orders", "SELECT substr(placed_on, 1, 7), count(*) FROM orders"
     " GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
    ("list every customer with its plan and number of seats",
     "SELECT name, plan, seats FROM customers"),
    ("avg invoice size in the second quarter? exclude void ones",
     "SELECT AVG(amount_cents) FROM invoices WHERE status <> 'void' AND issued_on BETWEEN"
     " '2026-04-01' AND '2026-06-30'"),
    ("how does incoming money split over transfer and card? Sums for the whole half-year.",
     "SELECT method, SUM(amount_cents) FROM payments WHERE method IN ('transfer', 'card') AND"
     " paid_on BETWEEN '2026-01-01' AND '2026-06-30' GROUP BY method"),
    ("how many key packs did we sell up to now? cancelled orders don't count",
     "SELECT SUM(quantity) FROM order_lines JOIN orders ON id = order_id WHERE sku = 'HW-KEY'"
     " AND status <> 'cancelled'"),
    ("what does one of those badge scanners cost, list price?",
     "SELECT price_cents FROM products WHERE sku = 'HW-SCAN'"),
    ("How much money came in by card in April?", "SELECT SUM(amount_cents) FROM payments WHERE"
     " method = 'card' AND paid_on LIKE '2026-04-%'"),
    ("How many active customers do we have today?",
     "SELECT COUNT(*) FROM customers WHERE status = 'active'"),
    ("avg seat count per active customer",
     "SELECT AVG(seats) FROM customers WHERE status = 'active'"),
    ("how many seats does Solace have, and since when are they a customer",
     "SELECT seats, customer_since FROM customers WHERE id = 'CUS-023'"),
    ("How many days does a parcel take on average, from leaving us to being delivered?",
     "SELECT AVG(julianday(delivered_on) - julianday(shipped_on)) FROM orders"),
    ("Top five customers by how long they've been with us",
     "SELECT name, customer_since FROM customers ORDER BY customer_since LIMIT 5"),
    ("Which orders got cancelled this year and why?", "SELECT id, customer_id, cancelled_on,"
     " cancel_reason FROM orders WHERE cancelled_on >= '2026-01-01'"),
    ("I need Ingrid Solheim's e-mail address",
     "SELECT email FROM customers WHERE contact = 'Ingrid Solheim'"),
    ("orders from last week", "SELECT id FROM orders WHERE placed_on BETWEEN '2026-06-22' AND"
     " '2026-06-28'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), ASKED)
def test_a_question_that_the_tables_explain_is_a_query(
    books: sqlite3.Connection, text: str, wanted: str
) -> None:
    sql = compose(text, SCHEMA, TODAY)
    assert sql, text
    want, came = rows(books, wanted), rows(books, sql)
    assert len(came) == len(want), sql
    assert holds(want, came), sql
    if want and len(came[0]) == len(want[0]):  # no column beside those asked for
        cells = [sorted(sorted(map(repr, row)) for row in found) for found in (came, want)]
        assert cells[0] == cells[1], sql


@pytest.mark.parametrize(
    "text",
    [
        "how many customers left in March",
        "how much does Kestrel owe in total",
        "how many gateways are in that order",
        "how much did we refund them",
        "total refunds in May",
        "how many planets are there",
        "which customers are late",
        "which orders did Solace place",
        "void all open invoices",
        "void the invoice",
        "and all customers together?",
        "how many customers are from outside Europe",
        "what is the price of gold",
        "what's open there?",
        "countries with more than 2 customers",
        "which orders has Kestrel cancelled",
        "which products made it up?",
        "events of all customers in May",
        "I need the API calls of all customers in March",
        "how many events per day did Aurora have in May on average",
        "how many scanners were in ORD-2061?",
    ],
)
def test_what_another_tool_has_or_nothing_explains_is_no_query(text: str) -> None:
    assert compose(text, SCHEMA, TODAY) == ""


@pytest.mark.parametrize(
    "text",
    [
        "which invoices are past due as of today?",
        "which open invoices are overdue?",
        "which invoices are due as of today?",
        "which invoices are late as of today?",
    ],
)
def test_what_is_overdue_is_no_span_of_due_days(text: str) -> None:
    assert compose(text, SCHEMA, TODAY) == ""


AMENDED = [
    ("only the active ones", BY_PLAN,
     "SELECT plan, COUNT(*) FROM customers WHERE status = 'active' GROUP BY plan"),
    ("now for business", "select name from customers where plan = 'team' limit 5",
     "SELECT name FROM customers WHERE plan = 'business' LIMIT 5"),
    ("and keys, HW-KEY", "SELECT SUM(quantity) FROM order_lines WHERE sku = 'HW-SCAN'",
     "SELECT SUM(quantity) FROM order_lines WHERE sku = 'HW-KEY'"),
    ("just the count", "SELECT name FROM customers WHERE country = 'SE'",
     "SELECT COUNT(*) FROM customers WHERE country = 'SE'"),
    ("per country", "SELECT COUNT(*) FROM customers WHERE plan = 'team'",
     "SELECT country, COUNT(*) FROM customers WHERE plan = 'team' GROUP BY country"),
    ("with their city", "SELECT name FROM customers", "SELECT name, city FROM customers"),
    ("names of the ones above 100 seats", "SELECT SUM(seats) FROM customers",
     "SELECT name FROM customers WHERE seats > 100"),
    ("the same with active users instead",
     "SELECT day, api_calls FROM usage_daily WHERE customer_id = 'CUS-001'",
     "SELECT day, active_users FROM usage_daily WHERE customer_id = 'CUS-001'"),
    ("Q2", "SELECT COUNT(*) FROM orders WHERE placed_on BETWEEN '2026-01-01' AND '2026-03-31'",
     "SELECT COUNT(*) FROM orders WHERE placed_on BETWEEN '2026-04-01' AND '2026-06-30'"),
    ("sort by amount descending",
     "SELECT method, SUM(amount_cents) FROM payments GROUP BY method",
     "SELECT method, SUM(amount_cents) FROM payments GROUP BY method"
     " ORDER BY SUM(amount_cents) DESC"),
    ("only German customers",
     "SELECT i.id FROM invoices i JOIN customers c ON c.id = i.customer_id",
     "SELECT i.id FROM invoices i JOIN customers c ON c.id = i.customer_id"
     " WHERE c.country = 'DE'"),
    ("and for sato instruments", "SELECT email FROM customers WHERE name LIKE '%Kestrel%'",
     "SELECT email FROM customers WHERE (name LIKE '%sato instruments%'"
     " OR contact LIKE '%sato instruments%')"),
    ("more than 100?", "SELECT name FROM customers WHERE seats > 50",
     "SELECT name FROM customers WHERE seats > 100"),
    ("top 10", "SELECT name, seats FROM customers ORDER BY seats DESC LIMIT 5",
     "SELECT name, seats FROM customers ORDER BY seats DESC LIMIT 10"),
    ("which customers?", "SELECT COUNT(*) FROM orders WHERE status = 'packed'",
     "SELECT DISTINCT customers.name FROM orders JOIN customers ON"
     " customers.id = orders.customer_id WHERE orders.status = 'packed'"),
    ("and their seats?", "SELECT name FROM customers WHERE plan = 'team'",
     "SELECT name, seats FROM customers WHERE plan = 'team'"),
    ("the first one", "SELECT id FROM invoices WHERE status = 'open'", ""),
    ("and what does Otava owe", BY_PLAN, ""),
    ("ok, that is more card than i thought",
     "SELECT method, COUNT(*) FROM payments GROUP BY method", ""),
    ("open that invoice, INV-1012", "SELECT * FROM refunds", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sql", "wanted"), AMENDED)
def test_a_short_message_changes_the_last_query(text: str, sql: str, wanted: str) -> None:
    assert amended(text, sql, SCHEMA, TODAY) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("put this through: SELECT 1 FROM orders", "SELECT 1 FROM orders"),
        ("could you run `SELECT id\nFROM orders\nLIMIT 2`", "SELECT id\nFROM orders\nLIMIT 2"),
        ("SELECT id FROM orders;\nwhat does that give?", "SELECT id FROM orders"),
        ("select id from orders limit 5\n\nwhat comes out?", "select id from orders limit 5"),
        ("void INV-1050 and run SELECT 1 FROM orders", ""),
    ],
)
def test_pasted_sql_goes_through_as_it_is(text: str, wanted: str) -> None:
    assert queried(text, "", SCHEMA, TODAY, Scene()) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "How many active customers do we have? It's for the pitch deck",
        "How many active customers do we have, need it for the cash page",
        "How many active customers do we have? I mean all of them. I want to plan the dinner.",
    ],
)
def test_remarks_beside_a_question_are_left_out(text: str) -> None:
    found = queried(text, "", SCHEMA, TODAY, Scene(user=text, question=text))
    assert found == "SELECT COUNT(*) FROM customers WHERE status = 'active'"


def test_a_few_words_may_stay_unexplained_where_nothing_else_serves() -> None:
    text = "which orders are still stranded in packed"
    assert compose(text, SCHEMA, TODAY) == ""
    assert guessed(text, SCHEMA, TODAY) == "SELECT * FROM orders WHERE status = 'packed'"
    assert guessed("which stars shine over the sea in May", SCHEMA, TODAY) == ""


@pytest.mark.parametrize(
    "text",
    [
        "How many active customers do we have, cancel ORD-2084",
        "the seat count was right. reinstate it",
    ],
)
def test_no_demand_is_left_out_as_a_remark(text: str) -> None:
    assert queried(text, "", SCHEMA, TODAY, Scene(user=text, question=text)) == ""


def test_other_tables_are_read_as_well_as_the_sample_companys() -> None:
    brief = (
        "Tables: hotels(id, name, city, country, stars_count, opened_on),"
        " bookings(id, hotel_id, booked_on, nights, price_cents, channel)."
        " bookings.channel is web, phone or agency."
    )
    schema = Schema(read_tables(brief))
    asked = compose("how many bookings by phone per hotel since March", schema, TODAY)
    assert asked == (
        "SELECT hotels.name, COUNT(*) FROM bookings JOIN hotels ON hotels.id = bookings.hotel_id"
        " WHERE bookings.booked_on >= '2026-03-01' AND bookings.channel = 'phone'"
        " GROUP BY hotels.id"
    )
    assert compose("bookings with more than 5 nights", schema, TODAY) == (
        "SELECT * FROM bookings WHERE nights > 5"
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("in May", "d BETWEEN '2026-05-01' AND '2026-05-31'"),
        ("since April", "d >= '2026-04-01'"),
        ("after Q1", "d >= '2026-04-01'"),
        ("before 2026-03-05", "d <= '2026-03-04'"),
        ("from 3 June to 5 June 2026", "d BETWEEN '2026-06-03' AND '2026-06-05'"),
        ("in the spring quarter", "d BETWEEN '2026-04-01' AND '2026-06-30'"),
        ("the last week of May", "d BETWEEN '2026-05-25' AND '2026-05-31'"),
        ("this year", "d BETWEEN '2026-01-01' AND '2026-12-31'"),
        ("in the last 7 days", "d BETWEEN '2026-06-24' AND '2026-06-30'"),
    ],
)
def test_times_are_read_as_days(text: str, wanted: str) -> None:
    assert [one.condition("d") for one in periods(text, TODAY)] == [wanted]


def test_you_may_is_no_month() -> None:
    assert periods("you may tell me", TODAY) == []


_NAME = st.sampled_from(["id", "plan", "seats", "name"])
_VALUE = st.text(st.characters(codec="ascii", exclude_characters="'", min_codepoint=32), max_size=9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_NAME, _VALUE), min_size=1, max_size=3), _NAME)
def test_a_plain_select_survives_being_taken_apart(
    conditions: list[tuple[str, str]], column: str
) -> None:
    where = " AND ".join(f"{name} = '{' '.join(value.split())}'" for name, value in conditions)
    sql = f"SELECT {column} FROM customers WHERE {where} ORDER BY {column} LIMIT 3"
    select = parsed(sql)
    assert select is not None
    assert re.sub(r"\s+", " ", select.sql) == sql


@pytest.mark.parametrize(
    "sql", ["WITH t AS (SELECT 1) SELECT * FROM t", "SELECT 1 UNION SELECT 2", "DELETE FROM t"]
)
def test_what_is_no_plain_select_is_not_amended(sql: str) -> None:
    assert parsed(sql) is None


def test_rows_read_as_an_answer() -> None:
    one = '{"columns": ["COUNT(*)"], "rows": [[25]]}'
    assert render(one) == "count: 25"
    money = '{"columns": ["method", "SUM(p.amount_cents)"], "rows": [["card", 12345], ["x", 5]]}'
    assert render(money) == "method | total amount\ncard | 123.45\nx | 0.05"
    none = '{"columns": ["id"], "rows": []}'
    assert render(none) == "id\nno rows"


def test_a_table_without_a_name_is_known_by_its_id() -> None:
    assert Table("notes", ("id", "text"), {}).label == "id"
