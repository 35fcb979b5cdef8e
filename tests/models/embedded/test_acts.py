"""What a turn does, in any organisation."""

import pytest

from models.embedded.acts import ASKED, ActReader, Reading, joined, shared_act_reader


@pytest.fixture(scope="module")
def reader() -> ActReader:
    return shared_act_reader()


def act_of(reading: Reading) -> str:
    return max(reading.acts, key=lambda one: reading.acts[one])


@pytest.mark.parametrize(
    ("text", "before", "done", "act"),
    [
        ("which vans are at the garage", "", "", "records"),
        ("may a visitor park in the yard?", "", "", "rules"),
        ("and if they bring it back late?", "how long can one keep a drill", "find_rule", "rules"),
        ("void INV-1042", "", "", "change"),
        ("INV-1042 was voided last week", "", "", "talk"),
        ("has INV-1042 been voided?", "", "", "records"),
        ("don't void INV-1042 yet", "", "", "talk"),
        ("both tickets for 4471 go back to her card", "", "", "change"),
        ("75 euros", "refund part of it please", ASKED, "change"),
        ("ah, so it was paid. good to know", "is 7741 paid?", "get_bill", "talk"),
        ("who won the world cup in 1990", "", "", "unrelated"),
    ],
)
def test_a_turn_is_read_in_any_organisation(
    reader: ActReader, text: str, before: str, done: str, act: str
) -> None:
    found = reader.read(text, before, done)
    assert act_of(found) == act
    assert sum(found.acts.values()) == pytest.approx(1, abs=0.01)


def test_going_on_is_told_from_something_new(reader: ActReader) -> None:
    before, done = "visits of Mrs Abara in March", "list_visits"
    assert reader.read("and in April?", before, done).same > 0.5
    assert reader.read("cancel her next one", before, done).same < 0.5


def test_a_turn_is_read_with_the_end_of_the_turn_before() -> None:
    assert joined("and May?") == "and May?"
    assert joined("and  May?", "April", "list_bills") == "and May? | list bills | April"
    assert len(joined("x" * 900, "y" * 900)) < 500
