"""Names that people write in lower case."""

import pytest

from models.embedded.names import names
from models.embedded.parties import parties_in, with_names

ORDINARY = frozenset({"bills", "of", "blue", "list", "for", "the"})
KNOWN = parties_in(
    ["list the bills of Blue Harbor Foods", "bills for Helix & Thorne", "the bills of Otava"],
    ORDINARY,
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("usage otava may", "usage Otava may"),
        ("otavas bills", "Otava's bills"),
        ("blue harbor, anything open?", "Blue Harbor, anything open?"),
        ("the blue parcel", "the blue parcel"),
        ("helix and thorne june", "Helix & Thorne june"),
        ("mail otava@example.com", "mail otava@example.com"),
    ],
)
def test_a_known_name_is_written_as_a_name(text: str, written: str) -> None:
    assert with_names(text, KNOWN, ORDINARY) == written


def test_sql_stays_as_it_is() -> None:
    sql = "select id from customers where name = 'otava'"
    assert with_names(sql, KNOWN, ORDINARY) == sql


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Karin from Lindqvist Vard rang", ["Lindqvist Vard", "Karin"]),
        ("late payers, one week and longer", []),
        ("do likewise for April", []),
        ("and zielona", ["zielona"]),
        ("usage of otava and nordlicht", ["otava", "nordlicht"]),
    ],
)
def test_a_name_ends_where_ordinary_words_begin(text: str, wanted: list[str]) -> None:
    assert names(text, {"usage", "late", "payers", "week"}) == wanted
