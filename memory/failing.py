"""What a segment's calls achieved, and which of them failed, were refused or changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory.drafts import Finding, Source, situation_of
from memory.episode_rows import shortened
from memory.episodes import Action, Episode, Result
from memory.history import calls_of
from memory.lessons import Learnable, read_constraints
from state import CallRecord, CallStatus, LessonConstraint, TurnRecord, canonical_json

EDITED: Final = "a reviewer changed the arguments"
"""How the note of a call begins that was changed before it was approved, and of its successor."""
NOT_RUN: Final = "not run"
"""How the note of a call begins that was never tried."""
ANSWER_CHARS: Final = 300
ENDED: Final[dict[CallStatus, str]] = {"ok": "done", "error": "failed", "rejected": "rejected"}


@dataclass(frozen=True, slots=True)
class Made:
    """A call where it was made."""

    turn: TurnRecord
    expert: str
    number: int
    call: CallRecord

    @property
    def is_effect(self) -> bool:
        """Whether it was to change something."""
        return self.call["effect"] != "read_only"

    @property
    def action(self) -> Action:
        """The call as an episode keeps it."""
        word, note = ENDED[self.call["status"]], self.call["note"]
        outcome = f"{word}: {note}" if note else word
        return Action(self.call["name"], self.call["args"], outcome)


def made_in(turns: Sequence[TurnRecord]) -> list[Made]:
    """The calls of turns that came to an end, in order."""
    found: list[Made] = []
    for record in turns:
        calls = [(m["expert"], call) for m in record["modules"] for call in m["calls"]]
        found += [
            Made(record, expert, number, call)
            for number, (expert, call) in enumerate(calls)
            if call["status"] in ENDED and not call["note"].startswith(NOT_RUN)
        ]
    return found


def achieved(source: Source) -> list[Finding]:
    """The episode of all effects that happened in a segment; none if nothing did."""
    done = [one for one in made_in(source.turns) if one.is_effect and one.call["status"] == "ok"]
    if not done:
        return []
    last = done[-1].turn
    acting = {one.turn["id"] for one in done}
    cited = [record for record in source.turns if record["index"] <= last["index"]]
    situations = dict.fromkeys(
        line
        for record in cited
        if record["id"] in acting
        for line in situation_of(source.turns, record).splitlines()
    )
    episode = Episode(
        agent=tuple(sorted({one.expert for one in done})),
        situation=shortened("\n".join(situations)),
        actions=tuple(one.action for one in done),
        observation=shortened(last["answer"], ANSWER_CHARS),
    )
    return [Finding(last, "done", episode, "positive", cited)]


def failures_of(source: Source, learnable: Learnable) -> Iterator[Finding]:
    """An episode for each call that was refused, changed or failed, with what worked instead."""
    made = made_in(source.turns)
    for at, one in enumerate(made):
        if one.call["status"] == "ok":
            continue
        later = [other for other in made[at + 1 :] if _worked_instead(one, other)]
        if not one.is_effect and not later:
            continue  # a look-up that found nothing teaches nothing
        edited = one.call["note"] == EDITED
        yield _failure(source, one, later[0] if later else None, learnable, edited=edited)


def _worked_instead(failed: Made, other: Made) -> bool:
    return other.call["name"] == failed.call["name"] and other.call["status"] == "ok"


def _failure(
    source: Source, failed: Made, later: Made | None, learnable: Learnable, *, edited: bool
) -> Finding:
    call, turn = failed.call, failed.turn
    situation = situation_of(source.turns, turn)
    if edited and later is not None:
        constraints = _changes(call, later.call, learnable.get(call["name"], ()), situation)
    elif call["status"] == "rejected":
        names = learnable.get(call["name"], ())
        constraints = read_constraints(call["name"], call["note"], names, situation)
    else:
        constraints = []
    episode = Episode(
        agent=(failed.expert,),
        situation=situation,
        actions=(failed.action,),
        observation=shortened(turn["answer"], ANSWER_CHARS),
        lesson=call["note"] if call["status"] == "rejected" and not edited else "",
        avoid=_warning(call, edited=edited),
        cause=call["note"],
        alternative=_shown(later.call) if later is not None else "",
        constraints=tuple(constraints),
    )
    result: Result = "mixed" if edited and later is not None else "negative"
    cited = [one for one in source.turns if one["id"] in _between(source, turn, later)]
    return Finding(turn, f"failed {turn['id']} {failed.number}", episode, result, cited)


def _between(source: Source, turn: TurnRecord, later: Made | None) -> set[str]:
    """The turns up to the failure, and the one of what worked instead."""
    first = [one["id"] for one in source.turns if one["index"] <= turn["index"]]
    return {*first, *([later.turn["id"]] if later is not None else [])}


def _changes(
    asked: CallRecord, run: CallRecord, learnable: Sequence[str], situation: str
) -> list[LessonConstraint]:
    """What a reviewer's edit says about learnable arguments: the value that was put in."""
    return [
        {
            "tool": asked["name"],
            "argument": name,
            "rule": "value",
            "value": str(run["args"][name]),
            "situation": situation,
        }
        for name in learnable
        if run["args"].get(name) not in (None, "", asked["args"].get(name))
    ]


def _warning(call: CallRecord, *, edited: bool) -> str:
    arguments, note = canonical_json(call["args"]), call["note"].strip().rstrip(".")
    if edited:
        return f"A reviewer changed the arguments of {call['name']}, which were {arguments}."
    if call["status"] == "rejected":
        said = f" and said: {note}" if note else ""
        return f"A reviewer refused {call['name']} with {arguments}{said}."
    return f"{call['name']} with {arguments} failed: {note or 'no reason given'}."


def _shown(call: CallRecord) -> str:
    return f"{call['name']} with {canonical_json(call['args'])}"


def last_calls(before: Sequence[TurnRecord], reach: int) -> list[Made]:
    """The calls of the nearest earlier turn that made any, within `reach` turns."""
    for record in list(reversed(before))[:reach]:
        if calls_of(record):
            return [one for one in made_in([record]) if one.call["status"] == "ok"]
    return []
