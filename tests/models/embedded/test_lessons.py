"""Recalled lessons set, ask for and forbid arguments; what the user says wins."""

import pytest

from models.embedded.lessons import with_lessons
from models.embedded.slots import Filling
from state import LessonConstraint
from tests.models.embedded.readings import parameters

OWN = parameters(
    "crate",
    crate={"type": "string", "pattern": r"^CRT-\d{4}$"},
    boxes={"type": "integer"},
    price={"type": "number"},
    shade={"enum": ["light", "dark"]},
    reason={"type": "string"},
)


def lesson(argument: str, value: str, rule: str = "value", tool: str = "send") -> LessonConstraint:
    return {
        "tool": tool,
        "argument": argument,
        "rule": rule,  # type: ignore[typeddict-item]  # a rule by name
        "value": value,
        "situation": "",
    }


def after(filling: Filling, *lessons: LessonConstraint) -> Filling:
    return with_lessons("send", OWN, filling, lessons)


@pytest.mark.parametrize(
    ("argument", "value", "typed"),
    [
        ("reason", "leaks", "leaks"),
        ("boxes", "3", 3),
        ("price", "3", 3.0),
        ("shade", "DARK", "dark"),
    ],
)
def test_what_was_left_open_is_set_as_the_tool_takes_it(
    argument: str, value: str, typed: object
) -> None:
    found = after(Filling(), lesson(argument, value))
    assert (found.args, found.origins) == ({argument: typed}, {argument: "lesson"})


@pytest.mark.parametrize(("argument", "value"), [("boxes", "many"), ("shade", "blue")])
def test_what_the_tool_does_not_take_is_not_set(argument: str, value: str) -> None:
    assert after(Filling(), lesson(argument, value)).args == {}


def test_what_the_user_said_wins() -> None:
    said = Filling({"reason": "too late"}, {"reason": "said"})
    assert after(said, lesson("reason", "leaks")) == said


def test_a_requirement_without_a_value_is_missing_once() -> None:
    found = after(Filling(), *[lesson("reason", "", "require")] * 2)
    assert [one.name for one in found.missing] == ["reason"]


@pytest.mark.parametrize(
    ("value", "left"), [("leaks", {}), ("", {}), ("broke", {"reason": "Leaks"})]
)
def test_a_forbidden_value_is_left_out(value: str, left: dict[str, str]) -> None:
    said = Filling({"reason": "Leaks"}, {"reason": "said"})
    assert after(said, lesson("reason", value, "forbid")).args == left


def test_a_required_argument_whose_value_is_forbidden_is_missing() -> None:
    said = Filling({"crate": "CRT-0001"}, {"crate": "said"})
    found = after(said, lesson("crate", "CRT-0001", "forbid"))
    assert (found.args, [one.name for one in found.missing]) == ({}, ["crate"])


def test_lessons_of_another_tool_or_of_no_argument_change_nothing() -> None:
    found = after(Filling(), lesson("reason", "leaks", tool="open"), lesson("colour", "red"))
    assert found == Filling()
