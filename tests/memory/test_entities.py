"""Entities by pattern at once, names by spaCy when asked."""

import subprocess
import sys

from memory.entities import Entity, EntityFinder, pattern_entities


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


def test_spacy_is_not_imported_with_the_module() -> None:
    code = "import sys, memory.remembering; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
