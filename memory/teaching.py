"""What a user's own words teach: that a result was wrong, and how a tool is to be used.

Only what the user says is read. A correction is about the calls of the turn before it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.corrections import READ_CHARS, said_of_before
from memory.drafts import Finding, Source, opening
from memory.episodes import Action, Episode
from memory.failing import ANSWER_CHARS, Made, last_calls
from memory.fulltext import terms
from memory.lessons import Learnable, read_constraints
from state import LessonConstraint, TurnRecord, canonical_json

REACH = 2
"""A correction is about this turn or the one before it."""


def taught_by(source: Source, learnable: Learnable) -> Iterator[Finding]:
    """An episode for each message that corrects earlier work or says how work is to be done."""
    whole = [*source.before, *source.turns]
    for turn in source.turns:
        word = said_of_before(turn["user"])
        if not word:
            continue
        at = bisect_left(whole, turn["index"], key=lambda record: record["index"])
        meant = last_calls(whole[max(0, at - REACH) : at], REACH)
        found = _taught(turn["user"], meant, learnable)
        if found or (word == "wrong" and meant):
            yield _lesson(source, turn, meant, found)
        elif word == "standing" and (rules := _announced(turn, learnable)):
            yield _lesson(source, turn, [], rules)


def teaches(words: str, learnable: Learnable) -> bool:
    """Whether a message says how a tool's argument is to be set."""
    if not said_of_before(words):
        return False
    names = {name for arguments in learnable.values() for name in arguments}
    return bool(read_constraints("", words[:READ_CHARS], sorted(names), ""))


def said_in_feedback(turn: TurnRecord, note: str, learnable: Learnable) -> Finding | None:
    """The lesson of a bad word on a turn; None if the turn called no tool."""
    meant = last_calls([turn], 1)
    if not meant:
        return None
    found = _taught(note, meant, learnable)
    return replace(_lesson_of(turn, note, meant, found), turn=turn, cited=[turn])


def _taught(words: str, meant: Sequence[Made], learnable: Learnable) -> list[LessonConstraint]:
    """Constraints on the tools that were used, each with what the user had asked them for."""
    found: list[LessonConstraint] = []
    for one in meant:
        names = learnable.get(one.call["name"], ())
        asked = one.turn["user"]
        for rule in read_constraints(one.call["name"], words[:READ_CHARS], names, asked):
            if rule not in found:
                found.append(rule)
    return found


def _announced(turn: TurnRecord, learnable: Learnable) -> list[LessonConstraint]:
    """Constraints on tools that the message names by their words: "usage reports"."""
    said = set(terms(turn["user"][:READ_CHARS]))
    found: list[LessonConstraint] = []
    for tool, names in sorted(learnable.items()):
        words = set(terms(re.sub(r"[_\W]+", " ", tool)))
        if words and words <= said:
            found += read_constraints(
                tool, turn["user"][:READ_CHARS], names, opening(turn["user"], ANSWER_CHARS)
            )
    return found


def _lesson(
    source: Source,
    turn: TurnRecord,
    meant: Sequence[Made],
    constraints: Sequence[LessonConstraint],
) -> Finding:
    found = _lesson_of(turn, turn["user"], meant, constraints)
    cited = {turn["id"], *(one["id"] for one in found.cited)}
    whole = [*source.before, *source.turns]
    return replace(found, cited=[record for record in whole if record["id"] in cited])


def _lesson_of(
    turn: TurnRecord,
    words: str,
    meant: Sequence[Made],
    constraints: Sequence[LessonConstraint],
) -> Finding:
    """What a person's words teach about calls of theirs."""
    named = {rule["tool"] for rule in constraints}
    about = [one for one in meant if one.call["name"] in named] or list(meant)
    said = opening(words.strip(), ANSWER_CHARS)
    actions = [Action(one.call["name"], one.call["args"], f"wrong: {said}") for one in about]
    episode = Episode(
        agent=tuple(sorted({one.expert for one in about})) or tuple(sorted(set(turn["route"]))),
        situation=about[0].turn["user"] if about else words,
        actions=tuple(actions),
        observation=opening(about[0].turn["answer"], ANSWER_CHARS) if about else "",
        lesson=said,
        avoid=_warning(about, said),
        cause=said,
        alternative=_instead(turn, about),
        constraints=tuple(constraints),
    )
    cited = list({one.turn["id"]: one.turn for one in about}.values())
    return Finding(turn, f"taught {turn['id']}", episode, "negative", cited)


def _warning(about: Sequence[Made], said: str) -> str:
    if not about:
        return f"The user said: {said}"
    calls = " and ".join(f"{one.call['name']} with {_args(one)}" for one in about)
    return f"The user called the result of {calls} wrong and said: {said}"


def _instead(turn: TurnRecord, about: Sequence[Made]) -> str:
    """The call that the correcting turn made in place of the wrong one."""
    wrong = [(one.call["name"], one.call["args"]) for one in about]
    tools = {name for name, _ in wrong}
    for one in last_calls([turn], 1):
        if one.call["name"] in tools and (one.call["name"], one.call["args"]) not in wrong:
            return f"{one.call['name']} with {_args(one)}"
    return ""


def _args(made: Made) -> str:
    return canonical_json(made.call["args"])
