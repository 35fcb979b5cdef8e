"""Said is done: what is noted is what the store has kept, changed or ended, once a turn."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NoReturn

import pytest

from configs.settings import SHIPPED_APP
from memory.database import Database
from memory.fact_rows import FactDraft
from memory.facts import ExtractionFailed, Facts, SourcedMessage
from memory.near_values import NearValues
from memory.notebook import MOST_FACTS, Notebook
from memory.slots import Slot, load_slots
from models.embedding import shared_embedder
from models.errors import ModelTimeout
from models.statements.comparing import shared_comparer
from models.statements.facts import EmbeddedFacts
from state import Scope

SLOTS = load_slots(SHIPPED_APP / "profile.yaml")
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ANA = Scope(user="ana")
LEARNABLE = {"usage_report": ("index_hint",)}


def message(text: str, turn: int = 0) -> SourcedMessage:
    return SourcedMessage(text, "user", "t", f"turn_{turn}", AT + timedelta(days=turn), turn)


@pytest.fixture
async def facts(database: Database) -> AsyncIterator[Facts]:
    near = NearValues(shared_embedder(), judge=shared_comparer())
    yield Facts(database, SLOTS, near=near)


@pytest.fixture
def notebook(facts: Facts) -> Notebook:
    return Notebook(facts, EmbeddedFacts(FactDraft), LEARNABLE)


async def held(facts: Facts) -> list[tuple[str, str]]:
    return [(fact.slot, fact.value) for fact in await facts.current(ANA)]


async def test_what_is_noted_is_what_is_stored(facts: Facts, notebook: Notebook) -> None:
    noted = await notebook.note(ANA, message("I work for Bosch."))
    assert noted.said == ["employer: Bosch"]
    assert await held(facts) == [("employer", "Bosch")]
    assert noted.facts == [
        {"slot": "employer", "value": "Bosch", "source": "you said so on 2026-03-02"}
    ]


async def test_a_town_is_noted_as_a_town(facts: Facts, notebook: Notebook) -> None:
    noted = await notebook.note(ANA, message("I moved to Braga."))
    assert noted.said == [f"{slot}: {value}" for slot, value in await held(facts)]
    assert noted.said == ["location: Braga"]


async def test_a_change_is_told_without_what_was_said_before(notebook: Notebook) -> None:
    await notebook.note(ANA, message("I live in Porto."))
    noted = await notebook.note(ANA, message("I live in Braga now.", 1))
    assert noted.said == ["location: Braga (changed)"]
    assert [fact["value"] for fact in noted.facts] == ["Braga"]


async def test_what_ends_is_noted_as_ended(facts: Facts, notebook: Notebook) -> None:
    await notebook.note(ANA, message("I look after Nordvik Papier."))
    noted = await notebook.note(ANA, message("I no longer look after Nordvik Papier.", 1))
    assert noted.said == ["no longer responsible for: Nordvik Papier"]
    assert await held(facts) == []


async def test_a_repetition_is_told_and_changes_nothing(facts: Facts, notebook: Notebook) -> None:
    await notebook.note(ANA, message("I work for Bosch."))
    noted = await notebook.note(ANA, message("I work for Bosch.", 1))
    assert noted.said == ["employer: Bosch (known already)"]
    assert await held(facts) == [("employer", "Bosch")]


@pytest.mark.parametrize(
    "said",
    [
        ["I moved to Braga and I work for Bosch."],
        ["I look after Nordvik Papier.", "I no longer look after Nordvik Papier."],
        ["Add a summary at the top.", "You can drop the summary at the top."],
        ["Always book without asking me.", "Please ask me before each booking."],
    ],
)
async def test_a_turn_read_twice_is_stored_once(
    facts: Facts, notebook: Notebook, said: Sequence[str]
) -> None:
    for turn, text in enumerate(said):
        first = await notebook.note(ANA, message(text, turn))
        before = await facts.history(ANA)
        assert await notebook.note(ANA, message(text, turn)) == first
        assert await notebook.keep(ANA, [message(text, turn)]) is not None
        assert await facts.history(ANA) == before


async def test_a_question_notes_nothing_and_still_brings_what_is_known(notebook: Notebook) -> None:
    await notebook.note(ANA, message("I work for Bosch."))
    noted = await notebook.note(ANA, message("Where do I work?", 1))
    assert noted.said == []
    assert [(fact["slot"], fact["value"]) for fact in noted.facts] == [("employer", "Bosch")]


async def test_how_a_tool_is_to_be_used_is_no_fact(facts: Facts, notebook: Notebook) -> None:
    noted = await notebook.note(
        ANA, message("From now on always set index_hint to idx_usage for usage reports.")
    )
    assert (noted.said, await held(facts)) == ([], [])


async def test_another_user_is_told_nothing(notebook: Notebook) -> None:
    await notebook.note(ANA, message("I work for Bosch."))
    noted = await notebook.note(Scope(user="bob"), message("hi", 1))
    assert (noted.said, noted.facts) == ([], [])


async def test_as_many_facts_are_handed_on_as_are_of_use(database: Database) -> None:
    facts = Facts(database, SLOTS)
    await facts.add(ANA, [wish(number) for number in range(MOST_FACTS + 5)])
    noted = await Notebook(facts, EmbeddedFacts(FactDraft), {}).note(ANA, message("hi", 99))
    assert len(noted.facts) == MOST_FACTS
    assert noted.facts[0]["value"] == f"word {MOST_FACTS + 4}"


def wish(number: int) -> FactDraft:
    return FactDraft(
        slot="responsible_for",
        value=f"word {number}",
        source="user",
        thread="t",
        turn_id=str(number),
        quote="",
        occurred_at=AT + timedelta(hours=number),
    )


class Broken:
    """A reader that fails as it is told."""

    def __init__(self, error: Exception | ExtractionFailed) -> None:
        self.error = error

    async def extract(self, messages: object, slots: Sequence[Slot]) -> ExtractionFailed:
        if isinstance(self.error, ExtractionFailed):
            return self.error
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        OSError("disk"),
        ExtractionFailed("disk"),
        ModelTimeout(wanted="statements", came="disk", next_step="wait"),
    ],
)
async def test_whatever_fails_is_a_reason_and_no_stop(
    facts: Facts, error: Exception | ExtractionFailed
) -> None:
    noted = await Notebook(facts, Broken(error), {}).note(ANA, message("I live in Porto."))
    assert not noted.said
    assert "disk" in noted.fault


async def test_a_failing_store_is_a_reason_and_no_stop(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError("disk full")

    monkeypatch.setattr(Facts, "add", full)
    noted = await notebook.note(ANA, message("I live in Porto."))
    assert not noted.said
    assert "disk full" in noted.fault
