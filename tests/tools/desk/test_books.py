import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.forks import Forked
from tools.desk.billing import get_invoice, issue_refund
from tools.desk.books import reading, row, rows, writing
from tools.errors import ToolError
from tools.spec import ToolContext


def refund_when_told(context: ToolContext) -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(issue_refund(context, invoice_id="INV-1042", amount=100.0)["refund_id"])


def test_the_company_is_founded_on_first_use_as_one_file_in_wal_mode(context: ToolContext) -> None:
    with reading(context) as books:
        counts = {
            table: row(books, f"SELECT count(*) AS n FROM {table}")["n"]
            for table in ("customers", "invoices", "orders", "products", "usage_daily")
        }
        mode = row(books, "PRAGMA journal_mode")["journal_mode"]
        broken = rows(books, "PRAGMA foreign_key_check")
    assert counts == {
        "customers": 25,
        "invoices": 60,
        "orders": 40,
        "products": 10,
        "usage_daily": 4231,
    }
    assert mode == "wal"
    assert broken == []
    assert not list(context.data_dir.glob("*.new*"))


def test_the_seed_agrees_with_itself(context: ToolContext) -> None:
    with reading(context) as books:
        wrong_sums = rows(
            books,
            "SELECT i.id FROM invoices i JOIN order_lines l ON l.order_id = i.order_id"
            " GROUP BY i.id HAVING sum(l.quantity * l.unit_cents) <> i.amount_cents",
        )
        paid = "(SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE invoice_id = i.id)"
        refunded = "(SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE invoice_id = i.id)"
        wrong_states = rows(
            books,
            f"SELECT id FROM invoices i WHERE (status = 'paid') <> ({paid} = amount_cents)"
            f" OR {refunded} > {paid} OR (status = 'void' AND {paid} > 0)",
        )
    assert wrong_sums == []
    assert wrong_states == []


def test_four_processes_founding_at_once_act_once(context: ToolContext, tmp_path: Path) -> None:
    keyed = [
        replace(context, data_dir=tmp_path, idempotency_key=f"key-{number % 2}")
        for number in range(4)
    ]
    processes = [Forked(refund_when_told, one) for one in keyed]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate()[0] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert answers[0] == answers[2]
    assert answers[1] == answers[3]
    assert set(answers) == {"REF-3005", "REF-3006"}
    assert sorted(path.name for path in tmp_path.glob("desk-*")) == []
    with closing(sqlite3.connect(tmp_path / "desk.db")) as books:
        found = books.execute("SELECT count(*) FROM refunds WHERE invoice_id = 'INV-1042'")
        assert found.fetchone() == (2,)


def test_a_draft_left_by_a_killed_process_is_not_taken_for_the_books(context: ToolContext) -> None:
    context.data_dir.mkdir()
    (context.data_dir / "desk-abc.new").write_bytes(b"half")

    assert get_invoice(context, invoice_id="INV-1042")["status"] == "paid"


def test_a_broken_seed_founds_nothing(context: ToolContext, tmp_path: Path) -> None:
    desk = tmp_path / "app" / "desk"
    desk.mkdir(parents=True)
    (desk / "schema.sql").write_text("CREATE TABLE books (as_of TEXT);")
    (desk / "seed.sql").write_text("INSERT INTO nowhere VALUES (1);")

    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        get_invoice(replace(context, app_dir=tmp_path / "app"), invoice_id="INV-1042")

    assert list(context.data_dir.iterdir()) == []


def test_a_missing_seed_is_named(context: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "app" / "desk").mkdir(parents=True)

    with pytest.raises(ToolError, match=r"schema\.sql") as caught:
        get_invoice(replace(context, app_dir=tmp_path / "app"), invoice_id="INV-1042")

    assert "desk folder" in caught.value.hint


def test_an_app_without_a_desk_folder_uses_the_shipped_company(
    context: ToolContext, tmp_path: Path
) -> None:
    assert get_invoice(replace(context, app_dir=tmp_path), invoice_id="INV-1042")["amount"] == 1240


def test_books_of_another_version_are_refused(context: ToolContext) -> None:
    context.data_dir.mkdir()
    with closing(sqlite3.connect(context.data_dir / "desk.db")) as other:
        other.execute("PRAGMA user_version = 7")

    with pytest.raises(ToolError, match="version 1, came 7"):
        get_invoice(context, invoice_id="INV-1042")


def test_reading_cannot_write(context: ToolContext) -> None:
    with reading(context) as books, pytest.raises(sqlite3.OperationalError, match="readonly"):
        books.execute("DELETE FROM refunds")


def test_a_failed_change_leaves_nothing(context: ToolContext) -> None:
    with pytest.raises(ToolError), writing(context) as books:
        books.execute("DELETE FROM refunds")
        raise ToolError("changed my mind")

    with reading(context) as books:
        assert row(books, "SELECT count(*) AS n FROM refunds") == {"n": 4}


def test_locked_books_are_a_retryable_error(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.desk.books.BUSY_TIMEOUT_S", 0.05)
    with writing(context), pytest.raises(ToolError) as caught:
        issue_refund(context, invoice_id="INV-1042", amount=1.0)

    assert (caught.value.kind, caught.value.retryable) == ("timeout", True)


def test_every_result_is_plain_json(context: ToolContext) -> None:
    found = get_invoice(context, invoice_id="INV-1042")

    assert json.loads(json.dumps(found)) == found
