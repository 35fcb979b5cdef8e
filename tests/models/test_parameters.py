"""What a schema says of a parameter: its kind, by pattern, format, type and words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.parameters import IdShape, Parameter, id_shape, parameters_of

SHADES = {"enum": ["light", "dark"], "type": "string"}
WRITTEN = (
    "type enum anyOf oneOf items $ref $defs const description pattern format default examples"
    " minimum exclusiveMaximum parameters properties required name"
)
KEYS = st.sampled_from(WRITTEN.split())
WORDS = st.sampled_from(["string", "integer", "array", "#/$defs/x", "such as AB-12", "^A-\\d+$"])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


def one(name: str, schema: object, **more: object) -> Parameter:
    (found,) = parameters_of({"parameters": {"properties": {name: schema}, **more}})
    return found


def string(**more: object) -> dict[str, object]:
    return {"type": "string", **more}


@pytest.mark.parametrize(
    ("name", "schema", "kind"),
    [
        ("crate_id", string(pattern=r"^CRT-\d{4}$"), "id"),
        ("crate", string(description="One crate, such as CRT-0042"), "id"),
        ("crate", string(description="A crate, such as CRT-0042, or its name"), "name"),
        ("shade", SHADES, "choice"),
        ("shade", {"const": "light"}, "choice"),
        ("urgent", {"type": "boolean"}, "flag"),
        ("on", string(format="date"), "day"),
        ("on", string(description="Day as YYYY-MM-DD"), "day"),
        ("on", string(pattern=r"^\d{4}-\d{2}-\d{2}$"), "day"),
        ("month", string(description="Month as YYYY-MM"), "month"),
        ("month", string(pattern=r"^\d{4}-\d{2}$"), "month"),
        ("at", string(description="Time as HH:MM"), "time"),
        ("at", string(pattern=r"^([01]\d|2[0-3]):[0-5]\d$"), "time"),
        ("price", {"type": "number"}, "amount"),
        ("off", {"type": "number", "description": "Percent of the price"}, "share"),
        ("boxes", {"type": "integer"}, "count"),
        ("days", {"type": "integer", "description": "Days until the sum is due"}, "count"),
        ("gardener", string(), "name"),
        ("reason", string(), "text"),
        ("told", string(description="Why, in the user's words"), "text"),
        ("shape", string(pattern=r"^[a-z]{3}/x$"), "unknown"),
        ("parts", {"type": "object"}, "unknown"),
        ("anything", True, "name"),
    ],
)
def test_the_kind_is_read_off_the_schema(name: str, schema: object, kind: str) -> None:
    assert one(name, schema).kind == kind


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [SHADES, {"type": "null"}], "default": None},
        {"oneOf": [{"type": "null"}, SHADES]},
        {"$ref": "#/$defs/Shade"},
        {"anyOf": [{"$ref": "#/$defs/Shade"}, {"type": "null"}]},
    ],
)
def test_references_and_or_null_are_seen_through(schema: dict[str, Any]) -> None:
    found = one("shade", schema, **{"$defs": {"Shade": SHADES}})
    assert (found.kind, found.choices, found.many) == ("choice", ("light", "dark"), False)
    assert one("boxes", {"type": ["integer", "null"]}).kind == "count"


def test_a_list_takes_many_values_of_the_kind_of_its_items() -> None:
    crates = one("crates", {"type": "array", "items": string(pattern=r"^CRT-\d{4}$")})
    assert (crates.kind, crates.many, crates.shape) == ("id", True, IdShape("CRT-", 4, 4))
    shades = one("shades", {"type": "array", "items": SHADES})
    assert (shades.kind, shades.many, shades.choices) == ("choice", True, ("light", "dark"))


def test_bounds_defaults_and_what_is_required_are_kept() -> None:
    schema = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
    found = one("boxes", schema, required=["boxes"])
    assert (found.least, found.most, found.default, found.required, found.whole) == (
        1.0, 50.0, 10, True, True,
    )  # fmt: skip
    assert one("price", {"type": "number", "exclusiveMinimum": 0}).least == 0.0
    assert one("price", {"type": "number", "exclusiveMinimum": True}).least is None


@pytest.mark.parametrize(
    ("name", "description", "edge"),
    [
        ("start", "", "first"),
        ("date_to", "", "last"),
        ("day", "First day of the stay", "first"),
        ("day", "Last day of the stay", "last"),
        ("day", "The day", ""),
    ],
)
def test_the_ends_of_a_span_are_told_apart(name: str, description: str, edge: str) -> None:
    assert one(name, string(format="date", description=description)).edge == edge


@given(prefix=st.sampled_from(["CRT-", "V", "B/", "k_"]), number=st.integers(1000, 999_999))
def test_an_id_is_found_however_it_is_written(prefix: str, number: int) -> None:
    shape = id_shape(rf"^{prefix}\d{{4,6}}$", "")
    assert shape == IdShape(prefix, 4, 6)
    for written in (f"{prefix}{number}", f"{prefix}{number}".lower(), f"{shape.kind} {number}"):
        text = f"is {written} there?"
        assert shape.found_in(text) == [(f"{prefix}{number}", 3, 3 + len(written))]
    assert shape.of_number(str(number)) == f"{prefix}{number}"


def test_a_number_of_another_length_and_a_longer_word_are_no_id() -> None:
    shape = IdShape("CRT-", 4, 4)
    for text in ("CRT-123", "CRT-12345", "XCRT-1234", "CRT-1234b", "crates 1234"):
        assert shape.found_in(text) == []
    assert shape.of_number("123") == ""


@given(JSON)
def test_no_schema_breaks_it(schema: object) -> None:
    for found in parameters_of({"parameters": schema}):
        assert found.spoken is not None
        assert found.edge in ("first", "last", "")
    (single,) = parameters_of({"parameters": {"properties": {"thing": schema}}})
    assert single.name == "thing"
    assert isinstance(single.words, frozenset)
