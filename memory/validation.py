"""Whether a draft may become an episode: checked against its sources by code, then by a judge.

A draft stays out that names an action nobody made, a result nobody saw, a message or artifact that
does not exist, or a number or id that none of its sources has.
"""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from memory.consolidation import Draft, Drafted, Occasion, Verdict
from memory.feeding import LONGEST_CHARS, telling
from memory.history import calls_of
from memory.segment_shapes import SourceMessage
from state import TurnRecord, canonical_json

TEXTS: Final = ("situation", "observation", "topic", "lesson", "avoid", "cause", "alternative")


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge says of a draft; `failed` if it could not be asked, `waits` if it cannot now."""

    verdict: Literal["accept", "discard", "feedback", "failed", "waits"]
    reason: str = ""


class Judge(Protocol):
    """A reasoning model that reads a draft beside its sources."""

    async def judge(
        self, messages: Sequence[SourceMessage], draft: Draft, occasion: Occasion
    ) -> Opinion:
        """Whether the draft is a tangible result, truly told."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What drafts are checked against.

    Attributes:
        artifacts: Ids that exist in the artifact log.
        read: What was read of messages and turns so far, by id.
    """

    messages: Mapping[str, SourceMessage]
    turns: Mapping[str, TurnRecord]
    artifacts: Collection[str]
    read: dict[str, set[str]] = field(default_factory=dict)


def fault_of(draft: Draft, sources: Sources) -> str:
    """What is wrong with a draft, as feedback to who wrote it; empty when nothing is."""
    episode = draft["episode"]
    return (
        _unknown(episode, draft, sources)
        or _unmade(episode, sources)
        or _without_end(draft)
        or _invented(episode, sources)
    )


def _unknown(episode: Mapping[str, Any], draft: Draft, sources: Sources) -> str:
    cited: list[tuple[str, str, Collection[str]]] = [
        *(("message", one, sources.messages) for one in episode["messages"]),
        *(("turn", one, sources.turns) for one in (*episode["turns"], draft["turn_id"])),
    ]
    for kind, key, known in cited:
        if key not in known:
            return f"it cites the {kind} {key!r}, which this conversation does not have"
    for key in draft["artifacts"]:
        if key not in sources.artifacts:
            return f"it cites the artifact {key!r}, which does not exist"
    return "" if episode["turns"] else "it cites no turn"


def _unmade(episode: Mapping[str, Any], sources: Sources) -> str:
    """An action that is no call of the cited turns."""
    made = {
        (call["name"], canonical_json(call["args"]))
        for turn in episode["turns"]
        for call in calls_of(sources.turns[turn])
    }
    for action in episode["actions"]:
        if (action["tool"], canonical_json(action["arguments"])) not in made:
            return f"nobody called {action['tool']} with {canonical_json(action['arguments'])}"
    if not episode["actions"] and not episode["constraints"]:
        return "it has no action"
    return ""


def _without_end(draft: Draft) -> str:
    episode = draft["episode"]
    if any(not action["outcome"].strip() for action in episode["actions"]):
        return "an action has no outcome"
    if not episode["situation"].strip():
        return "it does not say what was wanted"
    if draft["result"] in ("negative", "mixed") and not episode["avoid"].strip():
        return "a failure has to say what to avoid"
    return ""


def _invented(episode: Mapping[str, Any], sources: Sources) -> str:
    """A number, id or name that no cited source has."""
    known = _said(episode, sources)
    for name in TEXTS:
        strange = sorted(_exact(str(episode[name])) - known)
        if strange:
            return f"{name} says {strange[0]!r}, which none of its sources does"
    return ""


def _said(episode: Mapping[str, Any], sources: Sources) -> set[str]:
    known = set[str]()
    for key in (*episode["messages"], *episode["turns"]):
        if key not in sources.read:
            sources.read[key] = _exact(_text_of(key, sources))
        known |= sources.read[key]
    return known


def _text_of(key: str, sources: Sources) -> str:
    """A source's words; drafts quote no more than the openings of long ones."""
    if key in sources.messages:
        return sources.messages[key]["text"][:LONGEST_CHARS]
    record = sources.turns[key]
    texts = [record["user"][:LONGEST_CHARS], record["answer"][:LONGEST_CHARS]]
    for call in calls_of(record):
        texts += [call["name"], canonical_json(call["args"]), call["note"]]
    return "\n".join(texts)


def _exact(text: str) -> set[str]:
    """Numbers and ids, without the separators that people leave out; names are for the judge."""
    found = (one for one in telling(text) if any(char.isdigit() for char in one))
    return {re.sub(r"[-_#]", "", one) for one in found}


class Validator:
    """Judges what was drafted of a segment."""

    def __init__(self, judge: Judge | None = None) -> None:
        """Bind the judge; None leaves it at the check by code, as the embedded profile does."""
        self._judge = judge

    async def validate(self, drafted: Drafted, sources: Sources, occasion: Occasion) -> Verdict:
        """Accept, discard with the reason, or send back with feedback.

        Args:
            drafted: what came of drafting a segment.
            sources: what it is checked against.
            occasion: what the judge's calls are counted for.
        """
        key = drafted["segment_id"]
        if (undecided := _unworded(drafted)) is not None:
            return undecided
        kept: list[Draft] = []
        refused: list[str] = []
        for draft in drafted["drafts"]:
            if fault := await asyncio.to_thread(fault_of, draft, sources):
                return Verdict(segment_id=key, verdict="feedback", drafts=[], reason=fault)
            opinion = await self._opinion(draft, sources, occasion)
            if opinion.verdict in ("feedback", "failed", "waits"):
                return Verdict(
                    segment_id=key, verdict=opinion.verdict, drafts=[], reason=opinion.reason
                )
            if opinion.verdict == "accept":
                kept.append(draft)
            else:
                refused.append(opinion.reason)
        verdict: Literal["accept", "discard"] = "accept" if kept else "discard"
        return Verdict(segment_id=key, verdict=verdict, drafts=kept, reason="; ".join(refused))

    async def _opinion(self, draft: Draft, sources: Sources, occasion: Occasion) -> Opinion:
        if self._judge is None:
            return Opinion("accept")
        cited = [sources.messages[key] for key in draft["episode"]["messages"]]
        return await self._judge.judge(cited, draft, occasion)


def _unworded(drafted: Drafted) -> Verdict | None:
    """The verdict on a segment that has no drafts to read, None where it has some."""
    key = drafted["segment_id"]
    if drafted["waits"]:
        return Verdict(segment_id=key, verdict="waits", drafts=[], reason=drafted["waits"])
    if drafted["failed"]:
        return Verdict(segment_id=key, verdict="failed", drafts=[], reason=drafted["failed"])
    if drafted["fault"]:
        return Verdict(segment_id=key, verdict="feedback", drafts=[], reason=drafted["fault"])
    if not drafted["drafts"]:
        return Verdict(segment_id=key, verdict="discard", drafts=[], reason=drafted["nothing"])
    return None
