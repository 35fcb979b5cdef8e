"""Entities by pattern at once, names by spaCy when asked."""

import asyncio
from itertools import pairwise

import pytest

from memory.entities import Entity, EntityFinder, _pipeline, pattern_entities


def test_ids_codes_paths_and_addresses_are_found_in_order() -> None:
    text = "Mail a.b@example.com on INV-1042, E_CONN_42 in src/app/main.py, see https://x.example/y"
    found = [(entity.kind, entity.text) for entity in pattern_entities(text)]
    assert found == [
        ("email", "a.b@example.com"),
        ("id", "INV-1042"),
        ("code", "E_CONN_42"),
        ("path", "src/app/main.py"),
        ("url", "https://x.example/y"),
    ]


def test_one_id_in_two_spellings_is_one_thing() -> None:
    left, right = (Entity(text, "id", 0, len(text)) for text in ("INV-1042", "inv 1042"))
    assert left.normalised == right.normalised


def test_plain_numbers_and_words_are_no_entities() -> None:
    assert pattern_entities("on 3 May 2026 we paid 120 EUR for it") == []


async def test_names_are_found_beside_patterns() -> None:
    found = await EntityFinder().find("Maria Schmidt from Siemens asked about INV-1042 in Berlin.")
    names = {entity.text for entity in found if entity.kind == "name"}
    assert {"Maria Schmidt", "Berlin"} <= names
    assert [entity.text for entity in found if entity.kind == "id"] == ["INV-1042"]


@pytest.fixture(scope="module")
def finder() -> EntityFinder:
    return EntityFinder(["Lufthansa", "kubernetes"])


def read(finder: EntityFinder, text: str) -> list[str]:
    return [entity.text for entity in finder.read([text])[0]]


def test_known_names_count_in_any_case(finder: EntityFinder) -> None:
    assert "lufthansa" in read(finder, "book a flight with lufthansa for maria")
    assert "LUFTHANSA" in read(finder, "BOOK A FLIGHT WITH LUFTHANSA")


def test_ids_and_code_are_taken_for_what_they_are(finder: EntityFinder) -> None:
    (found,) = finder.read(["JIRA-4821 needs `Session.query(User)` and A-99812 on kubernetes"])
    assert [(one.text, one.kind) for one in found] == [
        ("JIRA-4821", "id"),
        ("`Session.query(User)`", "code"),
        ("A-99812", "id"),
        ("kubernetes", "name"),
    ]


@pytest.mark.parametrize("text", ["He said that to her yesterday", "thanks!!", "15", "", "\ud83d"])
def test_times_numbers_pronouns_and_broken_text_are_no_entities(
    finder: EntityFinder, text: str
) -> None:
    assert read(finder, text) == []


def test_only_the_edges_of_a_huge_text_are_searched_for_names(finder: EntityFinder) -> None:
    text = "I met Angela Merkel. " + "word " * 1_000_000 + "She lives in Berlin."
    assert read(finder, text) == ["Angela Merkel", "Berlin"]
    berlin = finder.read([text])[0][-1]
    assert text[berlin.start : berlin.end] == "Berlin"


async def test_threads_may_share_a_finder(finder: EntityFinder) -> None:
    texts = [f"Maria Schmidt flew from Paris to Rome {number}" for number in range(40)]
    each = await asyncio.gather(*(finder.find(text) for text in texts))
    assert all(one == other for one, other in pairwise(each))


def test_words_never_seen_before_are_given_back(finder: EntityFinder) -> None:
    read(finder, "warm up in Berlin")
    strings = _pipeline().vocab.strings
    before = len(strings)
    finder.read([f"qzx{number}word in Berlin" for number in range(100)])
    assert len(strings) == before
