"""The values that a run carries, and the laws of what is done with them."""

import json
from collections.abc import Iterable
from itertools import pairwise, permutations, product
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state import (
    TRANSITIONS,
    Context,
    Finding,
    Scope,
    Status,
    canonical_json,
    clean_text,
    derived_id,
    empty_note,
    may_move,
    merge_findings,
    thread_key,
    thread_name,
)

NAMES = st.sampled_from(["billing", "orders", "analytics", "knowledge"])
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def findings(draw: st.DrawFn) -> list[Finding]:
    """What parallel experts may write, one or several findings each."""
    names = draw(st.lists(NAMES, max_size=5))
    return [
        {
            "expert": name,
            "question": "q",
            "text": draw(TEXT),
            "calls": [],
            "status": "ok",
            "confidence": None,
        }
        for name in names
    ]


@given(findings(), findings(), findings())
def test_merging_findings_does_not_depend_on_how_they_are_grouped(
    a: list[Finding], b: list[Finding], c: list[Finding]
) -> None:
    assert merge_findings(merge_findings(a, b), c) == merge_findings(a, merge_findings(b, c))


@given(st.lists(findings(), min_size=1, max_size=3))
def test_merging_findings_of_different_experts_does_not_depend_on_who_ended_first(
    parts: list[list[Finding]],
) -> None:
    seen: set[str] = set()
    apart = []
    for part in parts:
        apart.append(merge_findings([], [f for f in part if f["expert"] not in seen]))
        seen |= {finding["expert"] for finding in part}
    merged = [_merged(order) for order in permutations(apart)]
    assert all(found == merged[0] for found in merged)


@given(findings(), findings())
def test_merged_findings_are_one_for_each_expert_the_latest_and_sorted(
    left: list[Finding], right: list[Finding]
) -> None:
    merged = merge_findings(left, right)
    names = [finding["expert"] for finding in merged]
    latest = {finding["expert"]: finding for finding in [*left, *right]}
    assert names == sorted({finding["expert"] for finding in [*left, *right]})
    assert all(finding == latest[finding["expert"]] for finding in merged)


@given(findings())
def test_merging_the_same_findings_again_changes_nothing(some: list[Finding]) -> None:
    once = merge_findings([], some)
    assert merge_findings(once, some) == merge_findings(once, []) == once


def _merged(parts: Iterable[list[Finding]]) -> list[Finding]:
    merged: list[Finding] = []
    for part in parts:
        merged = merge_findings(merged, part)
    return merged


MOVES = {
    ("PLANNING", "EXECUTING"),
    ("PLANNING", "DONE"),
    ("PLANNING", "FAILED"),
    ("EXECUTING", "EXECUTING"),
    ("EXECUTING", "WAITING_FOR_HUMAN"),
    ("EXECUTING", "DONE"),
    ("EXECUTING", "FAILED"),
    ("WAITING_FOR_HUMAN", "WAITING_FOR_HUMAN"),
    ("WAITING_FOR_HUMAN", "EXECUTING"),
    ("WAITING_FOR_HUMAN", "DONE"),
    ("WAITING_FOR_HUMAN", "FAILED"),
    ("DONE", "PLANNING"),
    ("FAILED", "PLANNING"),
    ("FAILED", "FAILED"),
}


@pytest.mark.parametrize(("before", "after"), sorted(product(get_args(Status), repeat=2)))
def test_the_status_moves_by_its_table(before: Status, after: Status) -> None:
    assert may_move(before, after) == ((before, after) in MOVES)


def test_every_status_can_be_reached_and_left() -> None:
    assert set(TRANSITIONS) == set(get_args(Status))
    assert set().union(*TRANSITIONS.values()) == set(get_args(Status))
    assert all(TRANSITIONS[status] - {status} for status in TRANSITIONS)


@given(ANY_TEXT)
def test_cleaned_text_can_be_stored_anywhere_and_keeps_its_length(text: str) -> None:
    cleaned = clean_text(text)
    assert "\x00" not in cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert len(cleaned) == len(text)
    assert clean_text(cleaned) == cleaned


@given(TEXT, TEXT, TEXT, TEXT)
def test_thread_keys_are_one_to_one(tenant: str, thread: str, tenant2: str, thread2: str) -> None:
    same = (tenant, thread) == (tenant2, thread2)
    assert (thread_key(tenant, thread) == thread_key(tenant2, thread2)) == same
    assert thread_name(thread_key(tenant, thread)) == thread or not thread


def test_a_key_that_studio_made_is_its_own_name() -> None:
    assert thread_name("0f1e-uuid") == "0f1e-uuid"


@given(JSON)
def test_canonical_json_is_one_text_for_one_value(value: Any) -> None:  # noqa: ANN401 - any JSON
    text = canonical_json(value)
    again = json.loads(text)
    assert canonical_json(again) == text
    if isinstance(value, dict):
        assert canonical_json(dict(reversed(value.items()))) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}])
def test_canonical_json_has_no_nan(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", {"a": [{"b": len}]}])
def test_canonical_json_takes_nothing_but_json(value: object) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)


@given(st.lists(st.lists(ANY_TEXT, min_size=1, max_size=3), min_size=2, max_size=4))
def test_derived_ids_differ_exactly_when_their_parts_differ(parts: list[list[str]]) -> None:
    ids = [derived_id("x", *some) for some in parts]
    assert ids == [derived_id("x", *some) for some in parts]
    assert len(set(ids)) == len({tuple(some) for some in parts})


def test_a_derived_id_is_the_same_in_every_process() -> None:
    assert derived_id("turn", "default:t", 0, "m") == "turn_bcce30fa5cfdb7e9e84ac941"
    assert derived_id("a", "b", "c") != derived_id("a", "bc")


def test_a_context_gives_the_scope_of_memory() -> None:
    context = Context(user="ada", tenant="acme", teams=("support",))
    assert context.scope == Scope(tenant="acme", user="ada", teams=("support",))


def test_an_empty_note_says_why() -> None:
    note = empty_note("nothing relevant", degraded=True)
    assert (note["text"], note["items"], note["reason"], note["degraded"]) == (
        "",
        [],
        "nothing relevant",
        True,
    )


def test_the_order_of_a_turns_statuses_is_a_walk_in_the_table() -> None:
    walk: list[Status] = ["DONE", "PLANNING", "EXECUTING", "WAITING_FOR_HUMAN", "EXECUTING", "DONE"]
    assert all(may_move(before, after) for before, after in pairwise(walk))
