"""What a value says of the known ones of its slot, with the judge that is shipped."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory.database import Database
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.near_values import NearValues
from memory.slots import Slot
from models.embedding import Embedder, shared_embedder
from models.statements.comparing import shared_comparer
from state import Scope

WISH = Slot(name="wish", type="text", cardinality="many", description="how requests are handled")
JOB = Slot(name="job", type="job", cardinality="single", description="what the user does")
TEAM = Slot(name="team", type="name", cardinality="single", description="the user's team")
EVENT = Slot(name="event", type="text", cardinality="event", description="what happened")
TOWN = Slot(name="town", type="place", cardinality="single", description="where")
TONGUE = Slot(name="tongue", type="language", cardinality="single", description="answers")
SHAPE = Slot(name="shape", type="format", cardinality="single", description="reports")
ANA = Scope(user="ana")
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return shared_embedder()


def said(slot: str, values: Sequence[str]) -> list[FactDraft]:
    return [
        FactDraft(
            slot=slot,
            value=value,
            source="user",
            thread="t",
            turn_id=str(number),
            quote=value,
            occurred_at=START + timedelta(days=number),
        )
        for number, value in enumerate(values)
    ]


async def known(
    database: Database, embedder: Embedder, slot: Slot, *values: str
) -> list[tuple[str, bool]]:
    facts = Facts(database, (slot,), near=NearValues(embedder, judge=shared_comparer()))
    for draft in said(slot.name, values):
        await facts.add(ANA, [draft])
    return [(fact.value, fact.is_current) for fact in await facts.history(ANA)]


@pytest.mark.parametrize(
    ("slot", "first", "second"),
    [
        (JOB, "lorry driver", "conductor de camión"),
        (JOB, "warehouse manager", "runs the warehouse"),
        (JOB, "CFO", "chief financial officer"),
        (TOWN, "Munich", "München"),
        (TONGUE, "German", "Deutsch"),
        (SHAPE, "bar chart", "bar graph"),
        (JOB, "maintenance planner", "maintenance planer"),
        (TEAM, "human resources", "Personalabteilung"),
        (WISH, "don't use abbreviations", "always spell terms out in full"),
        (WISH, "keep answers under five lines", "keep your answers under five lines"),
        (WISH, "call me after 6 pm", "call me after 18:00"),
        (WISH, "don't call me before ten", "dont call me before ten"),
        (WISH, "ask me before you cancel an appointment", "ask me before you cancel an apointment"),
        (TEAM, "Quillfeather Press", "Quill Feather Press"),
    ],
)
async def test_the_same_in_other_words_is_one_fact(
    database: Database, embedder: Embedder, slot: Slot, first: str, second: str
) -> None:
    assert await known(database, embedder, slot, first, second) == [(second, True)]


@pytest.mark.parametrize(
    ("slot", "first", "second"),
    [
        (JOB, "purchasing manager", "warehouse manager"),
        (TEAM, "accounts payable", "accounts receivable"),
        (TOWN, "Bern", "Berlin"),
        (SHAPE, "bar chart", "pie chart"),
    ],
)
async def test_what_is_only_near_replaces(
    database: Database, embedder: Embedder, slot: Slot, first: str, second: str
) -> None:
    assert await known(database, embedder, slot, first, second) == [(first, False), (second, True)]


async def test_wishes_of_one_matter_hold_side_by_side(
    database: Database, embedder: Embedder
) -> None:
    found = await known(
        database,
        embedder,
        WISH,
        "text me when a delivery is late",
        "text me when a payment bounces",
    )
    assert [current for _, current in found] == [True, True]


async def test_a_wish_ends_the_one_that_cannot_hold_beside_it(
    database: Database, embedder: Embedder
) -> None:
    found = await known(
        database,
        embedder,
        WISH,
        "copy my assistant on invoices",
        "book without asking me",
        "ask me before each booking",
    )
    assert dict(found) == {
        "copy my assistant on invoices": True,
        "book without asking me": False,
        "ask me before each booking": True,
    }


async def test_a_wish_that_is_taken_back_holds_no_more_and_is_none_itself(
    database: Database, embedder: Embedder
) -> None:
    found = await known(
        database,
        embedder,
        WISH,
        "add a summary at the top",
        "you can drop the summary at the top",
    )
    assert found == [("add a summary at the top", False)]


async def test_forgetting_the_turn_that_took_it_back_restores_a_wish(
    database: Database, embedder: Embedder
) -> None:
    facts = Facts(database, (WISH,), near=NearValues(embedder, judge=shared_comparer()))
    for draft in said("wish", ["book without asking me", "ask me before each booking"]):
        await facts.add(ANA, [draft])
    await facts.forget_turn(ANA, "t", "1")
    assert [fact.value for fact in await facts.current(ANA)] == ["book without asking me"]


async def test_numbers_tell_apart_what_reads_alike(database: Database, embedder: Embedder) -> None:
    found = await known(
        database, embedder, EVENT, "passed module 2 of the exam", "passed module 3 of the exam"
    )
    assert [current for _, current in found] == [True, True]


async def test_the_day_of_an_event_may_be_written_in_any_way(
    database: Database, embedder: Embedder
) -> None:
    facts = Facts(database, (EVENT,), near=NearValues(embedder, judge=Doubtful()))
    values = ("became a citizen on 22 October 2025", "became a citizen on 22/10/2025 !")
    for draft in said("event", values):
        await facts.add(ANA, [replace(draft, period="2025-10-22")])
    assert len(await facts.history(ANA)) == 1


async def test_a_slip_makes_no_other_job(database: Database, embedder: Embedder) -> None:
    found = await known(database, embedder, JOB, "veterinary assistant", "Veterinary assistent")
    assert len(found) == 1


class Doubtful:
    """A judge that takes nothing for the same, but does not exclude it."""

    def compare(self, slot: str, first: str, second: str) -> dict[str, float]:
        return {"same": 0.2, "other": 0.8, "opposite": 0.0, "takes_back": 0.0}


@pytest.mark.parametrize(("day", "count"), [("2026-03-04", 1), ("2026-03-11", 2)])
async def test_a_doubtful_wording_of_an_event_counts_on_the_same_day(
    database: Database, embedder: Embedder, day: str, count: int
) -> None:
    facts = Facts(database, (EVENT,), near=NearValues(embedder, judge=Doubtful()))
    values = ("passed my driving test for lorries", "got through the test for lorries")
    for draft, period in zip(said("event", values), ("2026-03-04", day), strict=True):
        await facts.add(ANA, [replace(draft, period=period)])
    assert len(await facts.history(ANA)) == count
