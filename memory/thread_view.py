"""A growing thread as segmentation sees it: what is said, whose turns, and what speaks where.

Tool messages and empty ones stay in their segment but say nothing. A topic can begin only where a
user speaks, a conversation only where a turn begins.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from memory.boundary_signs import (
    LIKENESS_BACK,
    MESSAGES_AHEAD,
    TURNS_AHEAD,
    Agent,
    Signs,
    agent_signs,
    depth_signs,
    entity_signs,
    word_signs,
)
from memory.entities import EntityFinder
from memory.readings import Reading, clipped, read_message
from memory.segment_shapes import SourceMessage
from models.embedding import Vectors
from models.openers import Embed, OpenerScale

EMBEDDED: Final = 400
"""So many characters say what a message is about; an embedder's time grows with them."""
BATCH: Final = 16  # while a batch is embedded, a turn that needs the embedder waits


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where a segment may begin.

    Attributes:
        at: the message.
        spoken: its place among what is said; None where it says nothing or no user speaks.
        turn: its place among the turns; None where no turn begins.
    """

    at: int
    spoken: int | None
    turn: int | None


@dataclass(frozen=True, slots=True)
class Lens:
    """What messages are read with; without a part, what it would show is not seen."""

    embed: Embed | None = None
    scale: OpenerScale | None = None
    finder: EntityFinder | None = None


@dataclass(slots=True)
class ThreadView:
    """The messages so far; each is read once, when it comes."""

    lens: Lens
    messages: list[SourceMessage] = field(default_factory=list)
    agents: list[Agent] = field(default_factory=list)
    _readings: list[Reading] = field(default_factory=list)
    _vectors: list[Vectors] = field(default_factory=list)
    _openings: list[float] = field(default_factory=list)
    _candidates: list[Candidate] = field(default_factory=list)
    _places: list[tuple[int, int]] = field(default_factory=list)
    """Of each message how much is said before it, and its turn."""

    def add(self, messages: Sequence[SourceMessage]) -> None:
        """Read further messages of the thread."""
        for start in range(0, len(messages), BATCH):
            page = messages[start : start + BATCH]
            said = [clipped(one["text"]) for one in page if _speaks(one)]
            place = len(self._readings)
            self._read(said)
            for one in page:
                self._place(one, place)
                place += _speaks(one)

    @property
    def candidates(self) -> Sequence[Candidate]:
        """Places where a segment may begin, the very first message left out."""
        return self._candidates

    def settled(self, candidate: Candidate) -> bool:
        """Whether further messages change nothing about a candidate or its neighbours."""
        said, turn = self._places[candidate.at]
        ahead = len(self._readings) - said, len(self.agents) - turn
        return ahead[0] > MESSAGES_AHEAD + 1 and ahead[1] > TURNS_AHEAD + 2

    def text_signs(self, candidate: Candidate) -> Signs:
        """What the texts around a candidate show; empty where nobody speaks."""
        at = candidate.spoken
        if not at:
            return {}
        signs = word_signs(self._readings, at)
        if self.lens.finder is not None:
            signs |= entity_signs(self._readings, at)
        if self._vectors:
            first = max(0, at - LIKENESS_BACK)
            window = np.stack(self._vectors[first : at + 2])
            signs |= depth_signs(window, self._openings[at], at - first)
        return signs

    def agent_signs(self, candidate: Candidate) -> Signs:
        """What the agents of the turns around a candidate show; empty where no turn begins."""
        return {} if candidate.turn is None else agent_signs(self.agents, candidate.turn)

    def agent_at(self, at: int) -> Agent:
        """The agent of the turn that a message belongs to."""
        return self.agents[self._places[at][1]]

    def agent_of(self, first: int, end: int) -> Agent:
        """The agent that served most turns of the messages from the first up to the end."""
        turns = range(self._places[first][1], self._places[end - 1][1] + 1)
        served = [self.agents[turn] for turn in turns if self.agents[turn]]
        return max(dict.fromkeys(served), key=served.count) if served else ()

    def entities(self, first: int, end: int) -> list[str]:
        """Normalised entities of the messages from the first up to the end, the commonest first."""
        counts: dict[str, int] = {}
        last = self._places[end][0] if end < len(self._places) else len(self._readings)
        for reading in self._readings[self._places[first][0] : last]:
            for name in reading.entities:
                counts[name] = counts.get(name, 0) + 1
        return sorted(counts, key=lambda name: -counts[name])

    def _read(self, texts: Sequence[str]) -> None:
        if not texts:
            return
        found = self.lens.finder.read(texts) if self.lens.finder else [[] for _ in texts]
        for text, entities in zip(texts, found, strict=True):
            self._readings.append(read_message(text, [one.normalised for one in entities]))
        if self.lens.embed and self.lens.scale:
            vectors = self.lens.scale.centred(self.lens.embed([one[:EMBEDDED] for one in texts]))
            self._vectors.extend(vectors)
            self._openings.extend(self.lens.scale.opening(vectors).tolist())

    def _place(self, message: SourceMessage, spoken: int) -> None:
        at = len(self.messages)
        begins = not self.messages or self.messages[-1]["turn_id"] != message["turn_id"]
        self.messages.append(message)
        self._places.append((spoken, len(self.agents) - (not begins)))
        agent = tuple(message["agent"])
        if begins:
            self.agents.append(agent)
        elif agent and not self.agents[-1]:
            self.agents[-1] = agent
        speaks = _speaks(message) and message["role"] == "user"
        if at and (speaks or begins):
            turn = len(self.agents) - 1 if begins else None
            self._candidates.append(Candidate(at, spoken if speaks else None, turn))


def _speaks(message: SourceMessage) -> bool:
    return message["role"] != "tool" and bool(message["text"].strip())
