"""What a closed turn teaches: its episode, and typed constraints from a reviewer's words.

By rule, not by model: a constraint is read only where the reviewer names a learnable argument of
the refused tool; anything else stays text under `avoid`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from memory.episode_rows import shortened
from memory.episodes import Action, Episode, Result
from state import CallRecord, CallStatus, LessonConstraint, Rule, TurnRecord, canonical_json

Learnable = Mapping[str, Sequence[str]]

SITUATION_CHARS: Final = 500
ANSWER_CHARS: Final = 300
ENDED: Final[dict[CallStatus, str]] = {"ok": "done", "error": "failed", "rejected": "rejected"}

_CLAUSE = re.compile(r"[.;\n]+(?=\s|$)|,?\s+\b(?:but|and then)\b\s+")
_FORBID = re.compile(
    r"\b(?:do not|don't|never|must not|should not|avoid|drop|remove|leave out)\b", re.I
)
_REQUIRE = re.compile(
    r"\b(?:requires?|required|missing|needs?|needed|must|always|give|add|state|include|provide|"
    r"name|fill in|no (?:\S+ )+(?:given|stated|named|provided))\b",
    re.I,
)
_ASSIGNS = r"\s*(?:=|:|\bto\b|\bas\b|\b(?:must|should|has to)\s+be\b)\s*(?:the\s+)?"
_QUOTED = r"[\"'\u201c\u2018](?P<quoted>[^\"'\u201d\u2019]+)[\"'\u201d\u2019]"
_BARE = r"(?P<bare>[^\s\"'\u201c\u2018,.;]\S*(?:\s+\S+){0,5})"
_IDENTIFIER = re.compile(r"^\S*[_\d/-]\S*$")


def episode_of(
    record: TurnRecord, learnable: Learnable, entities: tuple[str, ...] = ()
) -> tuple[Episode, Result] | None:
    """The turn's episode and its sign, None if no effect of it came to an end."""
    calls = [call for _, call in ended_effects(record)]
    if not calls:
        return None
    situation = shortened(record["user"], SITUATION_CHARS)
    failures = [call for call in calls if call["status"] != "ok"]
    constraints = [
        constraint
        for call in calls
        if call["status"] == "rejected"
        for constraint in read_constraints(call, learnable.get(call["name"], ()), situation)
    ]
    episode = Episode(
        agent=tuple(sorted({expert for expert, _ in ended_effects(record)})),
        situation=situation,
        actions=tuple(Action(call["name"], call["args"], _outcome(call)) for call in calls),
        observation=shortened(record["answer"], ANSWER_CHARS),
        entities=entities,
        avoid=" ".join(_warning(call) for call in failures),
        constraints=tuple(constraints),
    )
    return episode, _sign(len(calls), len(failures))


def ended_effects(record: TurnRecord) -> list[tuple[str, CallRecord]]:
    """The turn's effects that came to an end, each with its expert."""
    return [
        (module["expert"], call)
        for module in record["modules"]
        for call in module["calls"]
        if call["effect"] != "read_only" and call["status"] in ENDED
    ]


def _sign(ended: int, failed: int) -> Result:
    if not failed:
        return "positive"
    return "negative" if failed == ended else "mixed"


def _outcome(call: CallRecord) -> str:
    word = ENDED[call["status"]]
    return f"{word}: {call['note']}" if call["note"] else word


def _warning(call: CallRecord) -> str:
    arguments = canonical_json(call["args"])
    note = call["note"].strip().rstrip(".")
    if call["status"] == "rejected":
        said = f" and said: {note}" if note else ""
        return f"A reviewer refused {call['name']} with {arguments}{said}."
    return f"{call['name']} with {arguments} failed: {note or 'no reason given'}."


def read_constraints(
    call: CallRecord, learnable: Sequence[str], situation: str
) -> list[LessonConstraint]:
    """The constraints that a reviewer's message states about the call's learnable arguments."""
    found: list[LessonConstraint] = []
    for argument in learnable:
        rule_and_value = _read_rule(call["note"], argument)
        if rule_and_value is None:
            continue
        rule, value = rule_and_value
        found.append(
            {
                "tool": call["name"],
                "argument": argument,
                "rule": rule,
                "value": value,
                "situation": situation,
            }
        )
    return found


def _read_rule(message: str, argument: str) -> tuple[Rule, str] | None:
    name = r"\b" + r"[_\s-]".join(re.escape(part) for part in argument.split("_")) + r"\b"
    for clause in _CLAUSE.split(message):
        mention = re.search(name, clause, re.I)
        if mention is None:
            continue
        value = _value_near(clause, name)
        if _FORBID.search(clause[: mention.start()]):
            return "forbid", value
        if value:
            return "value", value
        if _REQUIRE.search(clause):
            return "require", ""
    return None


def _value_near(clause: str, name: str) -> str:
    """The value a clause gives to an argument: `NAME to VALUE`, `use NAME VALUE`, `VALUE as NAME`.

    A bare value ends with the clause, unless its first word looks like an identifier.
    """
    forms = (
        rf"{name}(?:{_ASSIGNS}|\s+(?:is|of)\s+|\s+)(?:{_QUOTED})",
        rf"{name}{_ASSIGNS}(?:{_BARE})",
        rf"\b(?:use|set|choose|pick)\s+(?:the\s+)?{name}\s+(?:{_BARE})",
        rf"(?:{_QUOTED})\s+(?:as|for)\s+(?:the\s+|an?\s+)?{name}",
        rf"\buse\s+(?P<bare>\S+)\s+(?:as|for)\s+(?:the\s+|an?\s+)?{name}",
    )
    for form in forms:
        if match := re.search(form, clause, re.I):
            groups = match.groupdict()
            return _trimmed(groups.get("quoted") or "", groups.get("bare") or "")
    return ""


def _trimmed(quoted: str, bare: str) -> str:
    if quoted:
        return quoted.strip()
    first = bare.split()[0].rstrip(",.;:!")
    return first if _IDENTIFIER.match(first) else bare.strip().rstrip(",.;:!")
