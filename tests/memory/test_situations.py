"""A lesson applies before the same attempt in the same situation, and nowhere else."""

import pytest

from memory.episodes import Action, Episode
from memory.situations import Attempt, Traits, applicable, traits_of
from state import LessonConstraint, Rule

SCHEMA = {
    "properties": {
        "month": {"type": "string", "examples": ["2026-05"]},
        "customer": {"type": "string", "default": ""},
        "group_by": {"type": "string", "enum": ["total", "product"], "default": "total"},
        "sql": {"type": "string", "default": ""},
        "amount": {"type": "number", "default": 0},
        "hint": {"type": "string", "default": ""},
    },
    "required": ["month"],
}
TRAITS = {"report": traits_of(SCHEMA, ["hint"])}


def rule(kind: Rule = "value", value: str = "idx", tool: str = "report") -> LessonConstraint:
    return {
        "tool": tool, "argument": "hint", "rule": kind, "value": value, "situation": "the report"
    }  # fmt: skip


def failed(args: dict[str, object], cause: str = "", *rules: LessonConstraint) -> Episode:
    return Episode(
        agent=("a",),
        situation="the report",
        actions=(Action("report", dict(args), "rejected"),),
        observation="",
        cause=cause,
        constraints=rules,
    )


def applies(episode: Episode, *attempts: Attempt) -> bool:
    found = applicable(episode, "question", attempts, TRAITS, lambda *_: True)
    return found is not None


MONTH = {"month": "2026-01"}


def test_what_traits_are_read_off_a_schema() -> None:
    assert TRAITS["report"] == Traits(
        learnable=("hint",),
        defaults={"customer": "", "group_by": "total", "sql": "", "amount": 0, "hint": ""},
        choices=frozenset({"group_by"}),
        options=frozenset({"customer"}),
        code=frozenset({"sql"}),
    )


@pytest.mark.parametrize(
    ("attempt", "same"),
    [
        (("report", MONTH), True),
        (("report", {**MONTH, "group_by": "total", "customer": ""}), True),
        (("other", MONTH), False),
        (("report", {**MONTH, "customer": "Otava"}), False),
        (("report", {**MONTH, "group_by": "product"}), False),
        (("report", {**MONTH, "hint": "mine"}), False),
    ],
)
def test_a_typed_lesson_needs_the_same_tool_choices_and_options(
    attempt: Attempt, same: bool
) -> None:
    assert applies(failed({"month": "2026-05"}, "", rule()), attempt) == same


def test_code_is_alike_when_it_names_the_same_table() -> None:
    lesson = failed({**MONTH, "sql": "SELECT 1 FROM usage_daily"}, "", rule())
    assert applies(lesson, ("report", {**MONTH, "sql": "select max(n) from usage_daily u"}))
    assert not applies(lesson, ("report", {**MONTH, "sql": "select 1 from orders"}))


@pytest.mark.parametrize(
    ("cause", "amount", "within"),
    [
        ("Above 250 EUR state a hint", 300, True),
        ("Above 250 EUR state a hint", 40, False),
        ("needs a hint below 1,000 euros", 999, True),
        ("needs a hint below 1,000 euros", 1001, False),
        ("state a hint", 1, True),
    ],
)
def test_a_bound_that_the_lesson_names_holds(cause: str, amount: int, within: bool) -> None:
    sql = {"sql": "select 1 from a"}
    lesson = failed({**MONTH, **sql, "amount": 300}, cause, rule("require", ""))
    assert applies(lesson, ("report", {**MONTH, **sql, "amount": amount})) == within


def test_a_failure_without_a_rule_warns_only_of_the_very_same_call() -> None:
    lesson = failed({"month": "2026-05", "customer": "Otava"})
    assert applies(lesson, ("report", {"month": "2026-05", "customer": "otava"}))
    assert not applies(lesson, ("report", {"month": "2026-06", "customer": "Otava"}))


def test_texts_have_to_be_about_the_same() -> None:
    traits = {"search": traits_of({"properties": {"query": {"type": "string"}}}, ["hint"])}
    episode = Episode(
        agent=(), situation="s", observation="", constraints=(rule(tool="search"),),
        actions=(Action("search", {"query": "uptime promised"}, "wrong"),),
    )  # fmt: skip
    attempts = [("search", {"query": "availability"})]
    assert applicable(episode, "q", attempts, traits, lambda *_: True)
    assert applicable(episode, "q", attempts, traits, lambda *_: False) is None


def test_a_retired_failure_warns_of_nothing() -> None:
    lesson = Episode(
        agent=(), situation="", observation="", actions=(Action("report", dict(MONTH), "failed"),),
        retired_by="epi_later",
    )  # fmt: skip
    assert not applies(lesson, ("report", MONTH))
