"""What users say about themselves: who said it, when it was, whether it holds."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configs.settings import SHIPPED_APP
from memory.episodes import Source
from memory.fact_rows import FactDraft
from memory.facts import SourcedMessage
from memory.slots import load_slots
from models.statements.facts import TIMELESS, EmbeddedFacts, stated_period

SLOTS = load_slots(SHIPPED_APP / "profile.yaml")
AT = datetime(2023, 5, 8, 12, tzinfo=UTC)  # a Monday
FACTS = EmbeddedFacts(FactDraft)


def message(text: str, source: Source = "user", thread: str = "t") -> SourcedMessage:
    return SourcedMessage(text, source, thread, "turn_1", AT)


async def drafts(*messages: SourcedMessage) -> list[FactDraft]:
    return await FACTS.extract(messages, SLOTS)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("I passed it yesterday", "2023-05-07"),
        ("on 3 March 2021", "2021-03-03"),
        ("on March 3rd", "2023-03-03"),
        ("on 9 June", "2022-06-09"),
        ("on 05/03/2022", "2022-03-05"),
        ("am 4. Mai 2020", "2020-05-04"),
        ("12 marca 2021", "2021-03-12"),
        ("en marzo de 2020", "2020-03"),
        ("le 5 mars", "2023-03-05"),
        ("in June 2020", "2020-06"),
        ("last year", "2022"),
        ("last Friday", "2023-05-05"),
        ("two years ago", "2021"),
        ("in 2019", "2019"),
        ("2020-02-30 is no day, 2020-02-28 is", "2020-02-28"),
        ("the second of two", ""),
        ("passed module 2 of the exam", ""),
        ("I start on 3 March 2030", ""),
        ("I may move", ""),
        ("I live in Cork.", ""),
    ],
)
def test_times_are_counted_from_when_it_was_said(text: str, period: str) -> None:
    assert stated_period(text, AT) == period


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=80))
def test_no_text_breaks_the_reading_of_times(text: str) -> None:
    period = stated_period(text, AT)
    assert period == "" or datetime.fromisoformat(f"{period}-01-01"[:10]).year <= AT.year


async def test_only_the_users_own_words_in_declared_slots_become_drafts() -> None:
    said = [
        message("I live in Hamburg."),
        message("My name is Desk.", source="agent"),
        message("I no longer work for Otava Robotics", thread="u"),
    ]
    declared = [slot for slot in SLOTS if slot.name != "location"]
    found = await FACTS.extract(said, declared)
    assert [(one.slot, one.value, one.thread, one.polarity) for one in found] == [
        ("employer", "Otava Robotics", "u", "ended")
    ]


async def test_a_town_is_no_employer() -> None:
    assert [(one.slot, one.value) for one in await drafts(message("I moved to Braga."))] == [
        ("location", "Braga")
    ]


async def test_an_event_has_its_own_time_and_a_state_since_when_it_holds() -> None:
    found = await drafts(message("I was promoted to head nurse on 1 March 2023."))
    (event,) = [one for one in found if one.slot == "milestone"]
    assert (event.occurred_at, event.period) == (datetime(2023, 3, 1, tzinfo=UTC), "2023-03-01")
    (state,) = await drafts(message("I have lived in Cork since March 2021."))
    assert (state.slot, state.occurred_at, state.period) == ("location", AT, "2021-03")


async def test_an_event_without_a_time_says_so() -> None:
    found = await drafts(message("I passed the fitter exam."))
    assert [(one.slot, one.period) for one in found] == [("milestone", TIMELESS)]


@pytest.mark.parametrize(
    "text",
    [
        "What is my name?",
        "refund INV-1042",
        "My brother lives in London.",
        "If I moved to Oslo, would my tax change?",
        "Where do I live?",
        "please cancel the order",
        "give me the newest 3 invoices of Solace, paid or not",
        "Translate the letter into Polish",
        "",
    ],
)
async def test_others_possibilities_and_tasks_state_nothing_of_the_user(text: str) -> None:
    assert await drafts(message(text)) == []
