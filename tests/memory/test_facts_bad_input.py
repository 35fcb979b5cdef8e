"""What people, files and programs may hand to the facts without harm."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from memory.database import Database
from memory.exchange_lines import ItemLine, StatementLine
from memory.fact_rows import FactDraft
from memory.facts import Facts, SourcedMessage
from memory.near_values import NearValues
from memory.slots import Slot
from models.embedding import Vectors
from models.errors import ModelTimeout
from models.statements.facts import EmbeddedFacts
from state import Scope
from tests.memory.hashing import HashingEmbedder

AT = datetime(2026, 3, 1, tzinfo=UTC)
MOST_S = 10.0
"""Of the processor's time, with what the first reading loads."""
SLOTS = (
    Slot(name="location", type="place", cardinality="single", description="where"),
    Slot(name="preference", cardinality="many", description="wishes"),
    Slot(name="milestone", cardinality="event", description="events"),
)


def said(value: str, turn: str = "1", slot: str = "preference") -> FactDraft:
    return FactDraft(
        slot=slot,
        value=value,
        source="user",
        thread="t",
        turn_id=turn,
        quote=value,
        occurred_at=AT,
    )


class Down(HashingEmbedder):
    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        raise ModelTimeout(wanted="vectors", came="nothing", next_step="wait")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00I live in \x00Lyon\x00",
        "I live in \ud800Lyon",
        "I moved to Lyon 100,000 years ago.",
        "I was promoted 100,000 years ago",
        "I was promoted on 2026-02-31",
        "I live in " + "x" * 100_000,
        "I live in" + " " * 100_000 + "Lyon",
        "I, " * 100_000,
        "(" * 50_000,
        "my name is " * 20_000,
        "a@" * 50_000,
    ],
)
async def test_no_message_breaks_or_delays_the_reader(database: Database, text: str) -> None:
    facts = Facts(database, SLOTS)
    message = SourcedMessage(text, "user", "t", "1", AT)
    began = time.process_time()
    drafts = await EmbeddedFacts(FactDraft).extract([message], SLOTS)
    assert time.process_time() - began < MOST_S
    await facts.add(Scope(user="ada"), drafts)
    for fact in await facts.current(Scope(user="ada")):
        assert "\x00" not in fact.value
        assert fact.valid_from.year >= 1900


def test_ten_megabytes_are_read_at_their_beginning() -> None:
    began = time.process_time()
    found = EmbeddedFacts(FactDraft).read("I live in Lyon. " + "word " * 2_000_000)
    assert time.process_time() - began < MOST_S
    assert ("location", "Lyon") in [(one.slot, one.value) for one in found]


@pytest.mark.parametrize("value", ["x" * 10_000_000, "\x00", "a\x00b", "\ud800", "'; DROP TABLE"])
async def test_any_value_is_stored_short_and_clean_or_refused(
    database: Database, value: str
) -> None:
    facts = Facts(database, SLOTS, near=NearValues(HashingEmbedder(), 0.9))
    await facts.add(Scope(user="ada"), [said("something else"), said(value, "2")])
    for fact in await facts.current(Scope(user="ada")):
        assert len(fact.value) <= 500
        assert "\x00" not in fact.value


async def test_without_a_working_embedder_values_are_compared_by_spelling(
    database: Database,
) -> None:
    facts = Facts(database, SLOTS, near=NearValues(Down(), 0.9))
    await facts.add(Scope(user="ada"), [said("keep it short please"), said("be quite brief", "2")])
    await facts.add(Scope(user="ada"), [said("Keep it short, please", "3")])
    assert len(await facts.current(Scope(user="ada"))) == 2


@pytest.mark.parametrize(
    "hostile",
    [
        {"user_id": "bob"},
        {"user": "bob"},
        {"tenant": "other"},
        {"audience": "aud_x"},
        {"by": "bob"},
        {"occurred_at": "100,000 years ago"},
        {"occurred_at": "2026-01-01T00:00:00"},
        {"period": "yesterday"},
    ],
)
def test_no_line_of_an_import_can_name_another_user_or_an_impossible_time(
    hostile: dict[str, str],
) -> None:
    place = {"thread": "t", "turn_id": "1", "occurred_at": AT.isoformat()}
    statement = {"type": "statement", "slot": "x", "value": "y", "quote": "z", **place}
    with pytest.raises(ValidationError):
        StatementLine.model_validate(statement | hostile)
    if "period" not in hostile:
        item = {"type": "item", "id": "1", "kind": "turn", "text": "x", **place}
        with pytest.raises(ValidationError):
            ItemLine.model_validate(item | {"recorded_at": AT.isoformat()} | hostile)


async def test_users_whose_names_hold_separators_are_apart(database: Database) -> None:
    facts = Facts(database, SLOTS)
    await facts.add(Scope(user="a&agent_id=b"), [said("one wish of mine")])
    for user in ("a", "b", "a&agent_id=", "a&agent_id=b/"):
        assert await facts.current(Scope(user=user)) == []
