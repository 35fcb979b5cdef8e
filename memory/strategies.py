"""How a thread's turns are kept within a budget: one protocol, six strategies, all pure.

A strategy gets the turns as `Piece`s, oldest first, with their exact sizes at every level, and says
at which level each one stays. It never sees text, a model or a clock. Two things hold for all: the
newest turn stays verbatim whatever it costs, and everything else together fits the room.

score(m_i) = sim(e(m_i), e(q)) + lambda * i/n is the selective one; the importance-weighted one
maximises sum w_i subject to sum |m_i| <= B, greedily by w_i/|m_i|.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from configs.sections import FoldStrategy

Level = Literal["verbatim", "paragraph", "said", "mention", "gone"]

BRIEFLY: Final[tuple[Level, ...]] = ("paragraph", "said", "mention")
WITHOUT_LINES: Final[frozenset[FoldStrategy]] = frozenset({"ranked", "selective", "fifo"})
"""Strategies that keep turns as they were or not at all."""
RECENCY_WEIGHT: Final = 0.5
"""Lambda of selective retention."""
PARAGRAPH_SHARE: Final = 0.5
"""Part of the pyramid's folded room that goes to paragraphs."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One turn as a strategy weighs it.

    Attributes:
        turn: The turn's index in the thread.
        sizes: Tokens at each level that the turn can still have; `gone` is always possible.
        weight: How much it says; corrections and results more.
        pinned: The first user message, and what the user asked to keep in mind.
        similarity: Cosine to the present question; 0 without vectors.
    """

    turn: int
    sizes: Mapping[Level, int]
    weight: float = 1.0
    pinned: bool = False
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class Room:
    """What may be kept, in tokens: turns as they were, and what is left of folded ones."""

    verbatim: int
    folded: int

    @property
    def total(self) -> int:
        """Both together; strategies without folded turns use it all for turns as they were."""
        return self.verbatim + self.folded


Strategy: TypeAlias = Callable[[Sequence[Piece], Room], list[Level]]


@dataclass(slots=True)
class Shelf:
    """Levels as they are being given out, against a budget."""

    pieces: Sequence[Piece]
    left: int
    levels: list[Level] = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is kept yet."""
        self.levels = ["gone"] * len(self.pieces)

    def put(self, place: int, level: Level, *, forced: bool = False) -> bool:
        """Keep a piece at a level, or raise it to one; False when it does not fit or cannot."""
        sizes, before = self.pieces[place].sizes, self.levels[place]
        if level not in sizes:
            return False
        extra = sizes[level] - (sizes[before] if before != "gone" else 0)
        if extra > self.left and not forced:
            return False
        self.levels[place] = level
        self.left -= extra
        return True

    def put_first_fitting(self, place: int, levels: Iterable[Level]) -> bool:
        """Keep a piece at the first of the levels that it has and that fits."""
        return any(self.put(place, level) for level in levels)


def keep_recent(shelf: Shelf, budget_tokens: int) -> int:
    """Keep the newest turns verbatim within a budget; return the place of the oldest kept one."""
    oldest = len(shelf.pieces)
    for place in reversed(range(len(shelf.pieces))):
        size = shelf.pieces[place].sizes.get("verbatim")
        newest = place == len(shelf.pieces) - 1
        if size is None or (size > budget_tokens and not newest):
            break
        shelf.put(place, "verbatim", forced=newest)
        budget_tokens -= size
        oldest = place
    return oldest


def keep_pins(shelf: Shelf, levels: Iterable[Level]) -> None:
    """Keep pinned turns that are not kept yet, at the fullest of the levels that fits."""
    wanted = tuple(levels)
    for place, piece in enumerate(shelf.pieces):
        if piece.pinned and shelf.levels[place] == "gone":
            shelf.put_first_fitting(place, wanted)


def fifo(pieces: Sequence[Piece], room: Room) -> list[Level]:
    """The newest turns as they were, and nothing of the others."""
    shelf = Shelf(pieces, room.total)
    keep_recent(shelf, room.total)
    return shelf.levels


def selective(pieces: Sequence[Piece], room: Room) -> list[Level]:
    """Turns as they were, by similarity to the present question and recency."""
    last = max(len(pieces) - 1, 1)

    def score(place: int) -> float:
        return pieces[place].similarity + RECENCY_WEIGHT * place / last

    return _by_score(pieces, room, score, pins=False)


def ranked(pieces: Sequence[Piece], room: Room) -> list[Level]:
    """Turns as they were, by the sum of their ranks in weight and recency; pins first."""
    by_weight = sorted(range(len(pieces)), key=lambda at: (pieces[at].weight, at))
    rank = {place: number for number, place in enumerate(by_weight)}
    return _by_score(pieces, room, lambda place: rank[place] + place, pins=True)


def _by_score(
    pieces: Sequence[Piece], room: Room, score: Callable[[int], float], *, pins: bool
) -> list[Level]:
    shelf = Shelf(pieces, room.total)
    keep_recent(shelf, 0)
    if pins:
        keep_pins(shelf, ("verbatim", "said", "mention"))
    for place in sorted(range(len(pieces)), key=lambda at: (-score(at), -at)):
        if shelf.levels[place] == "gone":
            shelf.put_first_fitting(place, ("verbatim",))
    return shelf.levels


def summarise(pieces: Sequence[Piece], room: Room) -> list[Level]:
    """The newest turns as they were, older ones as paragraphs while there is room."""
    shelf = Shelf(pieces, room.total)
    oldest = keep_recent(shelf, room.verbatim)
    shelf.left = min(shelf.left, room.folded)
    for place in reversed(range(oldest)):
        if not shelf.put_first_fitting(place, BRIEFLY):
            break
    return shelf.levels


def importance(pieces: Sequence[Piece], room: Room) -> list[Level]:
    """The newest turns as they were; of older ones the user's messages that say most per token."""
    shelf = Shelf(pieces, room.total)
    oldest = keep_recent(shelf, room.verbatim)
    shelf.left = min(shelf.left, room.folded)
    keep_pins(shelf, ("said", "mention"))
    for place in by_density(pieces[:oldest], "said"):
        if shelf.levels[place] == "gone":
            shelf.put(place, "said")
    for place in by_density(pieces[:oldest], "paragraph"):
        shelf.put(place, "paragraph")
    return shelf.levels


def pyramid(pieces: Sequence[Piece], room: Room) -> list[Level]:
    """The newest turns as they were, older ones as paragraphs, the oldest as one abstract.

    What the abstract mentions is chosen by weight per token, so a thread of any length has one.
    """
    shelf = Shelf(pieces, room.total)
    oldest = keep_recent(shelf, room.verbatim)
    shelf.left = min(shelf.left, room.folded)
    keep_pins(shelf, BRIEFLY)
    abstract = int(shelf.left * (1.0 - PARAGRAPH_SHARE))
    for place in reversed(range(oldest)):
        if shelf.left - pieces[place].sizes.get("paragraph", 0) < abstract:
            break
        shelf.put_first_fitting(place, BRIEFLY)
    for place in by_density(pieces[:oldest], "mention"):
        if shelf.levels[place] == "gone":
            shelf.put(place, "mention")
    return shelf.levels


def by_density(pieces: Sequence[Piece], level: Level) -> list[int]:
    """Places by weight per token at a level, best first; among equals the newer one."""
    able = [at for at, piece in enumerate(pieces) if level in piece.sizes]
    return sorted(able, key=lambda at: (-pieces[at].weight / max(pieces[at].sizes[level], 1), -at))


STRATEGIES: Final[Mapping[FoldStrategy, Strategy]] = {
    "importance": importance,
    "pyramid": pyramid,
    "summarise": summarise,
    "ranked": ranked,
    "selective": selective,
    "fifo": fifo,
}
