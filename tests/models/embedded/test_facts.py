"""What users say about themselves."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from models.embedded.facts import EmbeddedFacts, read_facts

NOW = datetime(2026, 7, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    text: str
    source: str = "user"
    thread: str = "t"
    turn_id: str = "turn_1"
    at: datetime = NOW

    @property
    def told_at(self) -> datetime:
        return self.at


@dataclass(frozen=True)
class Slot:
    name: str


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("My name is Dana Whitford.", "preferred_name", "Dana Whitford"),
        ("Call me Jo", "preferred_name", "Jo"),
        ("I am the finance manager", "role", "finance manager"),
        ("My role is head of support.", "role", "head of support"),
        ("I work in the finance team", "team", "finance"),
        ("I work for Alderway Software", "employer", "Alderway Software"),
        ("I live in Hamburg", "location", "Hamburg"),
        ("My e-mail is dana@alderway.example", "email", "dana@alderway.example"),
        ("Please answer me in German", "language", "German"),
        ("I prefer reports as CSV", "report_format", "CSV"),
        (
            "I look after Blue Harbor Foods and Otava",
            "responsible_for",
            "Otava",
        ),
        ("Always round amounts to euros.", "preference", "Always round amounts to euros"),
        ("I was promoted to lead in May", "milestone", "I was promoted to lead"),
    ],
)
def test_statements_fill_their_slot(text: str, slot: str, value: str) -> None:
    assert (slot, value) in [(one.slot, one.value) for one in read_facts(text)]


@pytest.mark.parametrize(
    "text",
    [
        "What is my name?",
        "refund INV-1042",
        "Is the customer called Dana?",
        "The customer says they work for Otava",
        "I need the invoice of Otava Robotics",
        "",
    ],
)
def test_questions_and_requests_state_nothing(text: str) -> None:
    assert read_facts(text) == []


async def test_only_the_users_own_words_in_declared_slots_become_drafts() -> None:
    messages = [
        Said("My name is Dana. I live in Hamburg."),
        Said("My name is Desk.", source="agent"),
        Said("I no longer work for Otava Robotics", thread="u"),
    ]
    slots = [Slot("preferred_name"), Slot("employer")]
    found = await EmbeddedFacts().extract(messages, slots)
    assert [(one.slot, one.value, one.thread, one.polarity) for one in found] == [
        ("preferred_name", "Dana", "t", "holds"),
        ("employer", "Otava Robotics", "u", "ended"),
    ]
    assert found[0].occurred_at == NOW
