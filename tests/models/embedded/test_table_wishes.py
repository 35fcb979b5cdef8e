"""How rows are wanted: columns and no more, in euros, with a date, and days counted from others."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest

from models.embedded.scene import Scene
from models.embedded.tables.asking import queried
from models.embedded.tables.schema import read_schema
from tests.models.embedded.rooms import EXPERTS, turn
from tools.desk.books import SHIPPED

TODAY = date(2026, 6, 30)
SCHEMA = read_schema(next(one for one in EXPERTS if one.name == "analytics"))
DAYS = "SELECT day, events FROM usage_daily WHERE customer_id = '{}' AND day BETWEEN '{}' AND '{}'"
SUM = "SELECT SUM({}) FROM usage_daily WHERE customer_id = '{}' AND day = '{}'"


@pytest.fixture(scope="module")
def books() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for script in ("schema.sql", "seed.sql"):
            connection.executescript((SHIPPED / script).read_text("utf-8"))
        yield connection


def rows(books: sqlite3.Connection, sql: str) -> list[str]:
    return sorted(map(repr, books.execute(sql)))


def asked(*turns: str, scene: Scene | None = None) -> str:
    """The query of the last of several messages."""
    sql = ""
    for text in turns:
        sql = queried(text, sql, SCHEMA, TODAY, scene or Scene(user=text, question=text))
    return sql


BY_CARD = "How many payments came by card and how many by transfer or debit?"
WISHES = [
    (["the biggest five customers by monthly fee, just the names."],
     "SELECT name FROM customers ORDER BY monthly_cents DESC LIMIT 5"),
    (["the biggest five customers by monthly fee, just the names.", "And the smallest five"],
     "SELECT name FROM customers ORDER BY monthly_cents LIMIT 5"),
    (["the three customers with the most seats, names only"],
     "SELECT name FROM customers ORDER BY seats DESC LIMIT 3"),
    (["the three customers with the most seats, names only", "and the fewest"],
     "SELECT name FROM customers ORDER BY seats LIMIT 3"),
    (["list all invoices above 4000 euros, only number and amount"],
     "SELECT id, amount_cents FROM invoices WHERE amount_cents > 400000"),
    (["how many orders in each status?", "just the packed ones, with number and address"],
     "SELECT id, address FROM orders WHERE status = 'packed'"),
    (["names and prices in euro of our hardware products please"],
     "SELECT name, price_cents / 100.0 FROM products WHERE kind = 'hardware'"),
    (["names and prices in euro of our hardware products", "and the services"],
     "SELECT name, price_cents / 100.0 FROM products WHERE kind = 'service'"),
    (["price list of hardware"], "SELECT name, price_cents FROM products WHERE kind = 'hardware'"),
    (["what are our services and what do they cost"],
     "SELECT name, price_cents FROM products WHERE kind = 'service'"),
    ([BY_CARD], "SELECT method, COUNT(*) FROM payments GROUP BY method"),
    ([BY_CARD, "now the sum in euro for each of those"],
     "SELECT method, SUM(amount_cents) / 100.0 FROM payments GROUP BY method"),
    (["Sum of all card payments we received so far, in cents is fine"],
     "SELECT SUM(amount_cents) FROM payments WHERE method = 'card'"),
    (["how many customers per plan?", "add up the monthly fees of the active ones"],
     "SELECT SUM(monthly_cents) FROM customers WHERE status = 'active'"),
    (["number of payments and their sum in may"],
     "SELECT COUNT(*), SUM(amount_cents) FROM payments WHERE paid_on LIKE '2026-05%'"),
    (["how many open invoices are there and what do they add up to"],
     "SELECT COUNT(*), SUM(amount_cents) FROM invoices WHERE status = 'open'"),
    (["sum of all refunds so far", "and the biggest one"],
     "SELECT * FROM refunds ORDER BY amount_cents DESC LIMIT 1"),
    (["contact person and mail of Otava", "for Zielona too"],
     "SELECT contact, email FROM customers WHERE id = 'CUS-017'"),
    (["which address do we have on file for Otava? street, postal code and city"],
     "SELECT street, postal_code, city FROM customers WHERE id = 'CUS-005'"),
    (["Which of our customers came in 2025 or later? Name and since when"],
     "SELECT name, customer_since FROM customers WHERE customer_since >= '2025-01-01'"),
    (["which customers joined before 2024, name and date"],
     "SELECT name, customer_since FROM customers WHERE customer_since < '2024'"),
    (["churned customers with date and reason"],
     "SELECT name, churned_on, churn_reason FROM customers WHERE status = 'churned'"),
    (["daily events of Nordlicht for the first week of june, 1st to 7th"],
     DAYS.format("CUS-001", "2026-06-01", "2026-06-07")),
    (["daily events of Nordlicht for the first week of june, 1st to 7th", "same days for Solace"],
     DAYS.format("CUS-023", "2026-06-01", "2026-06-07")),
    (["events per day at Tidepool from 8 to 14 June, day by day", "and the week after"],
     DAYS.format("CUS-024", "2026-06-15", "2026-06-21")),
    (["How many events did Solace have on 12 June alone?"],
     SUM.format("events", "CUS-023", "2026-06-12")),
    (["How many events did Solace have on 12 June alone?", "and on the 13th?"],
     SUM.format("events", "CUS-023", "2026-06-13")),
    (["api calls of Kestrel on 3 May", "and the day after"],
     SUM.format("api_calls", "CUS-009", "2026-05-04")),
    (["avg invoice size this year, void ones excluded?"],
     "SELECT AVG(amount_cents) FROM invoices WHERE status <> 'void'"),
    (["Top five customers by seats, churned ones left out."],
     "SELECT name, seats FROM customers WHERE status <> 'churned' ORDER BY seats DESC LIMIT 5"),
    (["number of orders, don't count the ones that were cancelled"],
     "SELECT COUNT(*) FROM orders WHERE cancelled_on IS NULL"),
    (["Which customers sit in Austria? Names and cities, for the roadshow."],
     "SELECT name, city FROM customers WHERE country = 'AT'"),
    (["how many customers on team, business and enterprise each"],
     "SELECT plan, COUNT(*) FROM customers GROUP BY plan"),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "wanted"), WISHES)
def test_rows_are_as_they_are_wanted(
    books: sqlite3.Connection, turns: list[str], wanted: str
) -> None:
    sql = asked(*turns)
    assert sql
    assert rows(books, sql) == rows(books, wanted)


@pytest.mark.parametrize(
    "text",
    ["who is our contact there, name and mail?", "contact and mail of the customer"],
)
def test_a_customer_at_hand_is_who_is_asked_for(text: str) -> None:
    shown = turn("invoices of Otava", "billing", [], "customer: Otava Robotics Oy; count: 2")
    scene = Scene(user=text, question=text, history=(shown,))
    assert asked(text, scene=scene) == (
        "SELECT contact, email FROM customers WHERE (name LIKE '%Otava Robotics Oy%'"
        " OR contact LIKE '%Otava Robotics Oy%')"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Can customers pay by card?",
        "Which countries do we ship hardware to?",
        "in which cities do our data sit",
        "which invoices can be voided",
        "how many seats can a team plan have at most",
    ],
)
def test_what_is_allowed_or_done_as_a_rule_stands_in_no_table(text: str) -> None:
    assert asked(text) == ""
