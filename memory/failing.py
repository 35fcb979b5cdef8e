"""What a segment's calls achieved, and which of them failed, were refused or changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory.drafts import SITUATION_CHARS, Finding, Source, opening, situation_of, situation_turns
from memory.episodes import Action, Episode
from memory.fulltext import fold
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
    acting = list({one.turn["id"]: one.turn for one in done}.values())
    cited = together(source, acting)
    situations = dict.fromkeys(record["user"] for record in cited)
    episode = Episode(
        agent=tuple(sorted({one.expert for one in done})),
        situation=opening("\n".join(situations), SITUATION_CHARS),
        actions=tuple(one.action for one in done),
        observation=opening(last["answer"], ANSWER_CHARS),
    )
    return [Finding(last, "done", episode, "positive", cited)]


def failures_of(source: Source, learnable: Learnable) -> Iterator[Finding]:
    """An episode for each call that was refused, changed or failed, with what worked instead."""
    made = made_in(source.turns)
    for at, one in enumerate(made):
        if one.call["status"] == "ok":
            if one.call["note"].startswith(EDITED) and (rules := _put_in(source, one, learnable)):
                yield _edit(source, one, rules)
            continue
        later = [other for other in made[at + 1 :] if _worked_instead(one, other)]
        if not one.is_effect and not later:
            continue  # a look-up that found nothing teaches nothing
        if any(other.call["args"] == one.call["args"] for other in later):
            continue  # the very same call worked in the end
        if one.call["note"] != EDITED:
            yield _failure(source, one, later[0] if later else None, learnable)


def _worked_instead(failed: Made, other: Made) -> bool:
    return other.call["name"] == failed.call["name"] and other.call["status"] == "ok"


def _failure(source: Source, failed: Made, later: Made | None, learnable: Learnable) -> Finding:
    call, turn = failed.call, failed.turn
    situation, refused = situation_of(source.turns, turn), call["status"] == "rejected"
    names = learnable.get(call["name"], ()) if refused else ()
    episode = Episode(
        agent=(failed.expert,),
        situation=situation,
        actions=(failed.action,),
        observation=opening(turn["answer"], ANSWER_CHARS),
        lesson=call["note"] if refused else "",
        avoid=_warning(call),
        cause=call["note"],
        alternative=_shown(later.call) if later is not None else "",
        constraints=tuple(read_constraints(call["name"], call["note"], names, situation)),
    )
    cited = together(source, [turn, *([later.turn] if later is not None else [])])
    return Finding(turn, f"failed {turn['id']} {failed.number}", episode, "negative", cited)


def _put_in(source: Source, made: Made, learnable: Learnable) -> list[LessonConstraint]:
    """Values of learnable arguments that a reviewer put in, for nobody had said them."""
    situation, call = situation_of(source.turns, made.turn), made.call
    values = {name: str(call["args"].get(name) or "") for name in learnable.get(call["name"], ())}
    return [
        {
            "tool": call["name"],
            "argument": name,
            "rule": "value",
            "value": value,
            "situation": situation,
        }
        for name, value in values.items()
        if value and fold(value) not in fold(situation)
    ]


def _edit(source: Source, made: Made, rules: Sequence[LessonConstraint]) -> Finding:
    """What a reviewer changed before agreeing."""
    call, turn = made.call, made.turn
    episode = Episode(
        agent=(made.expert,),
        situation=situation_of(source.turns, turn),
        actions=(made.action,),
        observation=opening(turn["answer"], ANSWER_CHARS),
        avoid=f"A reviewer changed the arguments of {call['name']} before agreeing.",
        cause=call["note"],
        alternative=_shown(call),
        constraints=tuple(rules),
    )
    cited = situation_turns(source.turns, turn)
    return Finding(turn, f"edited {turn['id']} {made.number}", episode, "mixed", cited)


def together(source: Source, turns: Sequence[TurnRecord]) -> list[TurnRecord]:
    """The turns with those that say what they were about, in order."""
    found = {
        record["id"]: record for turn in turns for record in situation_turns(source.turns, turn)
    }
    return sorted(found.values(), key=lambda record: record["index"])


def _warning(call: CallRecord) -> str:
    arguments, note = canonical_json(call["args"]), call["note"].strip().rstrip(".")
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
