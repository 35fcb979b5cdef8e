"""The scenarios of the closed loop: what is taught in one session, what is asked in a later one.

A file has one JSON document a line:

    {"id": …, "kind": "lesson" | "same_tool" | "unrelated", "expert": …,
     "session_1": [{"say": TEXT} | {"reject": TEXT} | {"edit": {ARGUMENT: VALUE}}, …],
     "session_2": TEXT, "expect": {"tool", "argument", "rule": "require" | "value", "value"},
     "answer": TEXT}

`reject` and `edit` decide the action that waits. In a lesson the later session must heed what
`expect` names; `answer` is said when it asks for a value. In the other kinds nothing may come back.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from evals.embedded_set import content_words
from evals.errors import EvaluationFailed

SCENARIOS: Final = Path(__file__).parent / "loop_scenarios.jsonl"
OVERRIDE: Final = Path("loop") / "scenarios.jsonl"
MOST_SHARED: Final = 0.3
"""Part of a later question's content words that the earlier session may have said too."""

Kind = Literal["lesson", "same_tool", "unrelated"]


@dataclass(frozen=True, slots=True)
class Expected:
    """What a lesson is about."""

    tool: str
    argument: str
    rule: Literal["require", "value"]
    value: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One lesson or control."""

    id: str
    kind: Kind
    expert: str
    session_1: tuple[Mapping[str, Any], ...]
    session_2: str
    expect: Expected
    answer: str = ""
    taught: str = field(default="")

    @property
    def corrections(self) -> list[str]:
        """What the person said against the desk's work."""
        said = [str(step.get("reject") or step.get("say") or "") for step in self.session_1[1:]]
        return [text for text in said if text]


def load_scenarios(data: Path, limit: int | None = None) -> list[Scenario]:
    """The scenarios under `data`, if it has any, otherwise the shipped ones.

    Args:
        data: the folder of public data.
        limit: at most so many of each kind.

    Raises:
        EvaluationFailed: a line is no scenario, or a later question repeats too many words.
    """
    path = data / OVERRIDE if (data / OVERRIDE).exists() else SCENARIOS
    lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
    found = [_scenario(number, line) for number, line in lines if line.strip()]
    for one in found:
        check_words(one)
    kept: list[Scenario] = []
    for kind in get_args(Kind):
        kept += [one for one in found if one.kind == kind][:limit]
    return kept


def check_words(scenario: Scenario) -> None:
    """Refuse a lesson whose later question could be matched by its words.

    Raises:
        EvaluationFailed: it shares too many content words with the first session.
    """
    share = shared_words(scenario)
    if scenario.kind == "lesson" and share > MOST_SHARED:
        message = (
            f"{scenario.id}: wanted at most {MOST_SHARED:.0%} of the later question's content "
            f"words in the first session, came {share:.0%}"
        )
        raise EvaluationFailed(message)


def shared_words(scenario: Scenario) -> float:
    """Part of the later question's content words that the first session has said, 0 to 1."""
    said = " ".join(str(step.get("say") or step.get("reject") or "") for step in scenario.session_1)
    later = content_words(scenario.session_2)
    return len(later & content_words(said)) / len(later) if later else 0.0


def experts_of(scenarios: Sequence[Scenario]) -> set[str]:
    """The experts that lessons are about."""
    return {one.expert for one in scenarios if one.kind == "lesson"}


def _scenario(number: int, line: str) -> Scenario:
    try:
        given = json.loads(line)
        scenario = Scenario(
            id=str(given["id"]),
            kind=given["kind"],
            expert=str(given["expert"]),
            session_1=tuple(given["session_1"]),
            session_2=str(given["session_2"]),
            expect=Expected(**given["expect"]),
            answer=str(given.get("answer", "")),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise EvaluationFailed(f"scenario {number}: {error!r}") from error
    if scenario.kind not in get_args(Kind) or scenario.expect.rule not in ("require", "value"):
        raise EvaluationFailed(f"scenario {number}: wanted a known kind and rule")
    return scenario
