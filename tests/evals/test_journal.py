import json
from pathlib import Path
from typing import Any

import pytest

from evals.tau.airline import Airline
from evals.tau.errors import TauError
from evals.tau.journal import Journal
from evals.tau.retail import Retail
from tests.evals.tables import airline_tables, retail_tables


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    for folder, content in (("retail", retail_tables()), ("airline", airline_tables())):
        (tmp_path / folder).mkdir()
        for name, rows in content.items():
            (tmp_path / folder / f"{name}.json").write_text(json.dumps(rows))
    return tmp_path


def cancel(tables: Path, *, key: str, thread: str = "t") -> object:
    return Journal(tables / "journal.sqlite").run(
        Airline,
        tables / "airline",
        thread=thread,
        key=key,
        name="cancel_reservation",
        arguments={"reservation_id": "R1"},
    )


def test_a_repeated_key_changes_nothing_and_stays_visible(tables: Path) -> None:
    first, again = cancel(tables, key="k"), cancel(tables, key="k")
    journal = Journal(tables / "journal.sqlite")
    assert first == again
    assert len(journal.entries("t", "k")) == 2
    assert len(journal.changes("t")["reservations"]["R1"]["payment_history"]) == 2


def test_another_key_is_another_effect(tables: Path) -> None:
    cancel(tables, key="k")
    again: Any = cancel(tables, key="l")
    assert len(again["payment_history"]) == 4


def test_conversations_do_not_see_each_other(tables: Path) -> None:
    cancel(tables, key="k")
    assert Journal(tables / "journal.sqlite").changes("other") == {}


def test_a_failed_write_is_entered_as_failed_and_fails_again(tables: Path) -> None:
    journal = Journal(tables / "journal.sqlite")
    for _ in "12":
        with pytest.raises(TauError, match="not found"):
            journal.run(
                Retail,
                tables / "retail",
                thread="t",
                key="k",
                name="cancel_pending_order",
                arguments={"order_id": "#9", "reason": "no longer needed"},
            )
    assert [entry.failed for entry in journal.entries("t")] == [True, True]


def test_reading_leaves_no_entry(tables: Path) -> None:
    journal = Journal(tables / "journal.sqlite")
    journal.run(
        Retail,
        tables / "retail",
        thread="t",
        key="k",
        name="get_order_details",
        arguments={"order_id": "#1"},
    )
    assert journal.entries("t") == []
