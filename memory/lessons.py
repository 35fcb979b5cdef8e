"""Typed constraints from what a person said about a call: a reviewer, or the user.

By rule, not by model: a constraint is read only where a learnable argument of the tool is named;
anything else stays text under `avoid`.
"""

import re
from collections.abc import Mapping, Sequence

from state import LessonConstraint, Rule

Learnable = Mapping[str, Sequence[str]]

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


def read_constraints(
    tool: str, said: str, learnable: Sequence[str], situation: str
) -> list[LessonConstraint]:
    """The constraints that a person's words state about a tool's learnable arguments."""
    found: list[LessonConstraint] = []
    for argument in learnable:
        rule_and_value = _read_rule(said, argument)
        if rule_and_value is None:
            continue
        rule, value = rule_and_value
        found.append(
            {
                "tool": tool,
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
        rf"{name}\s+(?:(?:is|of|at)\s+)?(?P<bare>[A-Za-z]*[_\d][\w.-]*)",
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
