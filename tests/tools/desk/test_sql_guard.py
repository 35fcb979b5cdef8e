import sqlite3
import time
from contextlib import closing

import pytest

from tools.desk.analytics import run_query
from tools.desk.books import reading, rows
from tools.desk.sql_guard import checked_select, run_guarded
from tools.errors import ToolError
from tools.spec import ToolContext

ATTACKS = [
    "",
    "   -- nothing",
    "DELETE FROM refunds",
    "UPDATE invoices SET status = 'paid'",
    "INSERT INTO refunds VALUES ('a', 'INV-1042', 1, 'x', '2026-01-01')",
    "REPLACE INTO refunds VALUES ('a', 'INV-1042', 1, 'x', '2026-01-01')",
    "DROP TABLE refunds",
    "CREATE TABLE loot AS SELECT * FROM customers",
    "ALTER TABLE customers RENAME TO gone",
    "PRAGMA table_info(customers)",
    "PRAGMA writable_schema = 1",
    "ATTACH DATABASE '/tmp/loot.db' AS loot",
    "DETACH DATABASE main",
    "VACUUM INTO '/tmp/loot.db'",
    "EXPLAIN SELECT 1",
    "BEGIN; SELECT 1",
    "VALUES (1)",
    "SELECT 1; DROP TABLE refunds",
    "SELECT 1; SELECT 2",
    "SELECT 1 /* ; */ ; /* x */ DELETE FROM refunds",
    "SELECT * FROM actions",
    "SELECT count(*) FROM ACTIONS",
    "SELECT * FROM sqlite_master",
    'SELECT * FROM "sqlite_schema"',
    "SELECT * FROM main.customers",
    "SELECT * FROM temp.sqlite_temp_master",
    "SELECT * FROM orders, (SELECT * FROM actions)",
    "SELECT (SELECT result FROM actions) FROM orders",
    "SELECT id FROM orders UNION SELECT result FROM actions",
    "SELECT id FROM orders WHERE id IN (SELECT tool FROM actions)",
    "WITH orders AS (SELECT * FROM actions) SELECT * FROM orders",
    "WITH customers AS (SELECT 1) SELECT * FROM customers",
    "WITH x AS (DELETE FROM refunds RETURNING *) SELECT * FROM x",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "SELECT * FROM pragma_table_info('customers')",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM json_each('[1, 2]')",
    "SELECT load_extension('/tmp/evil.so')",
    "SELECT LOAD_EXTENSION('/tmp/evil.so') FROM orders",
    "SELECT \"load_extension\"('/tmp/evil.so')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT randomblob(1000000000)",
    "SELECT hex(zeroblob(100000))",
    "SELECT printf('%.*c', 900000000, 'x')",
    "SELECT sqlite_version()",
    "SELECT last_insert_rowid()",
    "SELECT name INTO loot FROM customers",
    "SELECT * FROM customers WHERE id = ?",
    "SELECT * FROM customers WHERE id = :id",
    "SELECT",
    "SELECT * FROM orders WHERE",
    "SELECT 'unclosed FROM orders",
    "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    "SELECT \x00 FROM orders",
]

HONEST = [
    "SELECT count(*) FROM customers",
    "SELECT country, count(*) AS n, sum(seats) FROM customers GROUP BY country HAVING n > 1",
    "SELECT round(avg(amount_cents) / 100.0, 2), 7 / 2, 7 % 4, -7 / 2 FROM invoices",
    "SELECT c.name, sum(i.amount_cents) AS s FROM invoices AS i JOIN customers c"
    " ON c.id = i.customer_id WHERE i.status <> 'void' GROUP BY 1 ORDER BY s DESC LIMIT 5",
    "WITH busy AS (SELECT customer_id, sum(events) AS e FROM usage_daily GROUP BY 1)"
    " SELECT c.name, e FROM busy JOIN customers c ON c.id = customer_id ORDER BY e DESC LIMIT 3",
    "WITH busy AS (SELECT customer_id FROM usage_daily) SELECT count(*) FROM busy",
    "SELECT strftime('%m', placed_on) AS m, count(*) FROM orders GROUP BY m ORDER BY m",
    "SELECT substr(issued_on, 1, 7), max(amount_cents), min(due_on) FROM invoices GROUP BY 1",
    "SELECT id FROM orders UNION SELECT id FROM invoices ORDER BY id LIMIT 4 OFFSET 2",
    "SELECT id, CASE WHEN amount_cents > 100000 THEN 'big' ELSE 'small' END FROM invoices",
    "SELECT name FROM customers WHERE name LIKE '%bright%' OR name GLOB '*Vins*' ORDER BY 1",
    "SELECT iif(status = 'paid', 1, 0), coalesce(void_reason, '-') || '!' FROM invoices",
    "SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY issued_on) FROM invoices",
    "SELECT day, sum(events) OVER (ORDER BY day ROWS 6 PRECEDING) FROM usage_daily"
    " WHERE customer_id = 'CUS-009' AND day BETWEEN '2026-05-01' AND '2026-05-31'",
    "SELECT julianday(due_on) - julianday(issued_on), CAST(amount_cents AS REAL) FROM invoices",
    "SELECT count(*) FILTER (WHERE status = 'open'), count(DISTINCT customer_id) FROM invoices",
    "SELECT name FROM customers c WHERE NOT EXISTS"
    " (SELECT 1 FROM orders o WHERE o.customer_id = c.id) ORDER BY name",
    "SELECT date('2026-05-01', '-1 month'), lower('ABC'), upper(sku), length(name) FROM products",
    "SELECT o.id, p.name FROM orders o LEFT JOIN order_lines l ON l.order_id = o.id"
    " LEFT JOIN products p USING (sku) WHERE p.kind = 'hardware' ORDER BY 1, 2",
]


@pytest.mark.parametrize("sql", ATTACKS)
def test_an_attack_is_refused_and_changes_nothing(context: ToolContext, sql: str) -> None:
    with pytest.raises(ToolError) as caught:
        run_query(context, sql=sql)

    assert caught.value.kind in ("denied", "invalid_arguments", "timeout")
    assert caught.value.hint
    with reading(context) as books:
        assert rows(books, "SELECT count(*) AS n FROM refunds") == [{"n": 4}]


@pytest.mark.parametrize("sql", HONEST)
def test_an_honest_query_means_the_same_after_rewriting(context: ToolContext, sql: str) -> None:
    with reading(context) as books:
        wanted = [tuple(one) for one in books.execute(sql)]
    with reading(context) as books:
        _, found, more = run_guarded(books, checked_select(sql), limit=5000, steps=10**7, seconds=5)

    assert wanted
    assert [tuple(one) for one in found] == wanted
    assert not more


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM refunds",
        "SELECT * FROM actions",
        "SELECT count(*) FROM actions",
        "SELECT count(*) FROM ACTIONS",
        "SELECT count(*) FROM sqlite_master",
        "SELECT * FROM pragma_table_info('customers')",
        "PRAGMA query_only = OFF",
        "ATTACH ':memory:' AS loot",
        "SELECT load_extension('x')",
        "SELECT json_array(1)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    ],
)
def test_sqlite_itself_refuses_what_the_parser_might_miss(
    context: ToolContext, statement: str
) -> None:
    with reading(context) as books, pytest.raises(ToolError) as caught:
        run_guarded(books, statement, limit=10, steps=10**6, seconds=5)

    assert caught.value.kind == "denied"


def test_a_query_that_reads_too_much_is_stopped(context: ToolContext) -> None:
    begin = time.monotonic()
    with pytest.raises(ToolError, match="was stopped") as caught:
        run_query(context, sql="SELECT sum(a.events * b.events) FROM usage_daily a, usage_daily b")

    assert caught.value.kind == "timeout"
    assert "index_hint" in caught.value.hint
    assert time.monotonic() - begin < 5


def test_a_query_over_its_time_is_stopped(context: ToolContext) -> None:
    sql = "SELECT sum(a.events) FROM usage_daily a, usage_daily b"
    with reading(context) as books, pytest.raises(ToolError, match="was stopped"):
        run_guarded(books, sql, limit=1, steps=10**12, seconds=0.05)


def test_a_value_cannot_grow_without_end(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="too big"):
        run_query(
            context,
            sql="SELECT group_concat(a.name || b.name || c.name) FROM customers a, customers b,"
            " customers c",
        )


def test_an_index_the_query_cannot_use_is_explained(context: ToolContext) -> None:
    with closing(sqlite3.connect(":memory:")) as books, pytest.raises(ToolError) as caught:
        books.execute("CREATE TABLE orders (id TEXT)")
        books.execute("CREATE INDEX orders_by_id ON orders (id) WHERE id = 'x'")
        run_guarded(
            books,
            "SELECT id FROM orders INDEXED BY orders_by_id",
            limit=1,
            steps=10**6,
            seconds=5,
        )

    assert "leave index_hint empty" in caught.value.hint
