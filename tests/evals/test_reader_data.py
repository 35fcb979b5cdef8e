"""Labelled messages: places of their values, their variants, and the arithmetic of the figures."""

import json
import random

from evals.reader_data import (
    FILE,
    Labelled,
    load_statements,
    recall_and_precision,
    tuned_messages,
)
from evals.reader_variants import Variants
from models.statements.facts import Statement
from models.statements.tagging import SLOTS, Stretch

MESSAGES = load_statements()


def test_every_labelled_value_stands_in_its_message() -> None:
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    for row, message in zip(rows, MESSAGES, strict=True):
        marked = [message.text[at.start : at.stop] for at in message.stretches]
        assert all(any(fact["value"] in one for one in marked) for fact in row["facts"])
    assert {at.slot for one in MESSAGES for at in one.stretches} == set(SLOTS)


def test_addresses_belong_to_nobody() -> None:
    emails = [
        one.text[at.start : at.stop]
        for one in MESSAGES
        for at in one.stretches
        if at.slot == "email"
    ]
    assert [email for email in emails if not email.endswith(".example")] == []


def test_messages_of_pairs_state_what_holds_what_ended_and_nothing_of_others() -> None:
    tuned = {one.text: one for one in tuned_messages(())}

    def stated(text: str) -> list[tuple[str, str, bool]]:
        return [(at.slot, text[at.start : at.stop], at.ended) for at in tuned[text].stretches]

    assert stated("My sister works for Contoso.") == []
    assert stated("I've given up Kyushu and I'm responsible for Hokkaido now.") == [
        ("responsible_for", "Kyushu", True),
        ("responsible_for", "Hokkaido", False),
    ]
    assert stated("I'm employed by Otava Robotics") == [("employer", "Otava Robotics", False)]


def test_variants_keep_each_value_where_it_is_marked() -> None:
    chance = random.Random(1)
    variants = Variants(MESSAGES, chance)
    for message in MESSAGES[:300]:
        found = variants.of(message)
        assert [one.slot for one in found.stretches] == [one.slot for one in message.stretches]
        ends = [place for one in found.stretches for place in (one.start, one.stop)]
        assert ends == sorted(ends)
        assert all(found.text[one.start : one.stop].strip() for one in found.stretches)


def test_a_value_is_found_if_one_holds_the_other() -> None:
    message = Labelled("I'm a senior buyer", "en", "a", (Stretch("role", 6, 18, False, 0.0),))
    other = Labelled("What is due?", "en", "a", ())
    read = [
        (message, [Statement("role", "Buyer", ""), Statement("team", "buyer", "")]),
        (other, [Statement("role", "due", "")]),
    ]
    assert recall_and_precision(read) == (1.0, 1 / 3)
