"""From a segment to drafts of episodes: what was done, what was refused, what was taught.

Actions and outcomes are read off the turns' records, where they are known; a writer, if one is
bound, only words what is left. Nothing is drafted that no record says.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from memory.artifacts import Artifacts
from memory.consolidation import Draft, Drafted, Occasion, drafted, last_of
from memory.drafts import (
    SITUATION_CHARS,
    Finding,
    Source,
    opening,
    situation_of,
    source_of,
    to_draft,
)
from memory.episodes import Episode
from memory.errors import DamagedArtifact
from memory.failing import ANSWER_CHARS, Made, achieved, failures_of, made_in, together
from memory.feeding import feeds
from memory.lessons import Learnable
from memory.segment_shapes import Segment, SourceMessage
from memory.teaching import taught_by
from state import Scope, TurnRecord

NOTHING: Final = "no action came to an end, and nothing that was read is in the answer"


@dataclass(frozen=True, slots=True)
class Wording:
    """What a writer made of drafts: the same ones in its words, or why it could not.

    Attributes:
        fault: What was wrong with its reply.
        failed: Why it could not be asked.
        waits: Why it cannot be asked now: an outage, or a budget that is used up.
    """

    drafts: Sequence[Draft] = ()
    fault: str = ""
    failed: str = ""
    waits: str = ""


class Writer(Protocol):
    """Words what rules leave open; a model behind a gateway."""

    async def word(
        self,
        messages: Sequence[SourceMessage],
        drafts: Sequence[Draft],
        feedback: str,
        occasion: Occasion,
    ) -> Wording:
        """The drafts with situation, observation, lesson and topic in the writer's words."""


class Drafter:
    """Drafts the episodes of a segment; deterministic as long as no writer is bound."""

    def __init__(
        self, artifacts: Artifacts, learnable: Learnable, writer: Writer | None = None
    ) -> None:
        """Bind what it reads.

        Args:
            artifacts: results of tools, to see whether they fed the answer.
            learnable: Tool name to the arguments that people may teach.
            writer: words the drafts; None leaves the wording to rules.
        """
        self._artifacts = artifacts
        self._learnable = learnable
        self._writer = writer

    async def draft(
        self,
        scope: Scope,
        thread: str,
        segment: Segment,
        messages: Sequence[SourceMessage],
        records: Sequence[TurnRecord],
        feedback: str = "",
        *,
        plain: bool = False,
    ) -> Drafted:
        """What a segment is worth.

        Args:
            scope: Whose conversation.
            thread: Its thread.
            segment: The messages that belong together.
            messages: All messages of the consolidation.
            records: All turns of the consolidation, oldest first.
            feedback: What was wrong with the last try; the writer reads it.
            plain: Whether the wording is left to rules, because the writer has had its tries.
        """
        source = source_of(scope, thread, segment, messages, records)
        # Long conversations take seconds: not in the loop.
        found = await asyncio.to_thread(self._by_rule, source)
        drafts = [to_draft(source, one) for one in found or await self._read(source)]
        for one in drafts:
            existing = await self._artifacts.existing(scope, one["artifacts"])
            one["artifacts"] = [key for key in one["artifacts"] if key in existing]
        if not drafts:
            return drafted(segment, nothing=NOTHING)
        if self._writer is None or plain:
            return drafted(segment, drafts)
        occasion = last_of(thread, source.turns)
        worded = await self._writer.word(source.messages, drafts, feedback, occasion)
        why = {"fault": worded.fault, "failed": worded.failed, "waits": worded.waits}
        return drafted(segment, worded.drafts, **why)

    def _by_rule(self, source: Source) -> list[Finding]:
        """What was done, what failed and what was taught."""
        return [
            *achieved(source),
            *failures_of(source, self._learnable),
            *taught_by(source, self._learnable),
        ]

    async def _read(self, source: Source) -> list[Finding]:
        """An episode of the look-ups whose results are in the answers; none if none is."""
        feeding = [one for one in _looked_up(source) if await self._fed(source, one)]
        if not feeding:
            return []
        last = feeding[-1].turn
        situations = dict.fromkeys(situation_of(source.turns, one.turn) for one in feeding)
        episode = Episode(
            agent=tuple(sorted({one.expert for one in feeding})),
            situation=opening("\n".join(situations), SITUATION_CHARS),
            actions=tuple(one.action for one in feeding),
            observation=opening(_answer(source, last), ANSWER_CHARS),
        )
        cited = together(source, [one.turn for one in feeding])
        return [Finding(last, "read", episode, "positive", cited)]

    async def _fed(self, source: Source, made: Made) -> bool:
        artifact = made.call["artifact"]
        if artifact is None:
            return False
        try:
            stored = await self._artifacts.get(source.scope, artifact)
        except DamagedArtifact:
            return False
        said = "\n".join(
            record["user"] for record in source.turns if record["index"] <= made.turn["index"]
        )
        answer = _answer(source, made.turn)
        return stored is not None and feeds(stored.text, answer, said)


def _looked_up(source: Source) -> list[Made]:
    return [
        one for one in made_in(source.turns) if not one.is_effect and one.call["status"] == "ok"
    ]


def _answer(source: Source, turn: TurnRecord) -> str:
    """What the user was told, whole; a record keeps its opening only."""
    said = [
        message["text"]
        for message in source.messages
        if message["turn_id"] == turn["id"] and message["role"] == "assistant"
    ]
    return said[-1] if said else turn["answer"]
