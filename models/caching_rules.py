"""What a provider's prompt cache keeps and finds, one class for each kind of rule.

Each rule is a frozen description; `fresh()` opens an empty cache that serves calls in the order of
their times. Which provider follows which rule stands in `models.caching_providers`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from models.caching_blocks import Block, PromptCall, common_tokens

Confidence = Literal["documented", "reported", "measured"]
FOREVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Served:
    """What the cache did for one call: tokens read from it, and tokens written at a price."""

    read: int
    written: int = 0


class Cache(Protocol):
    """One provider's cache for one account."""

    def serve(self, call: PromptCall) -> Served:
        """Answer a call and remember its prompt."""


class Rule(Protocol):
    """A provider's rule and its prices, relative to an uncached token."""

    @property
    def name(self) -> str:
        """Key in `RULES`."""

    @property
    def read_price(self) -> float:
        """Price of a token read from the cache."""

    @property
    def write_price(self) -> float:
        """Price of a token written to the cache, where writing is billed."""

    def fresh(self) -> Cache:
        """An empty cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongestPrefix:
    """Any earlier prompt's longest common prefix counts, from a minimum on and in whole steps."""

    name: str
    minimum: int
    step: int
    idle_s: float
    read_price: float
    source: str
    confidence: Confidence
    write_price: float = 1.0

    def fresh(self) -> Cache:
        """An empty cache."""
        return _Trie(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """Prefixes are written and found at marked block ends only.

    Attributes:
        implicit: the provider itself marks the end of the prompt.
        lookback: blocks before a mark at which an earlier write is still found; None for all.
    """

    name: str
    minimum: int
    marks: int
    lookback: int | None
    idle_s: float
    read_price: float
    write_price: float
    implicit: bool
    source: str
    confidence: Confidence

    def fresh(self) -> Cache:
        """An empty cache."""
        return _Entries(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """A server with a few slots, each holding the last prompt it worked on.

    Attributes:
        similarity: share of a prompt that a slot must hold already to be chosen for it; otherwise
            the slot that was idle longest is overwritten.
    """

    name: str
    slots: int
    similarity: float
    read_price: float
    source: str
    confidence: Confidence
    write_price: float = 1.0

    def fresh(self) -> Cache:
        """An empty cache."""
        return _Slots(self)


@dataclass(slots=True)
class _Node:
    block: Block | None = None
    used_s: float = -FOREVER
    children: dict[str, "_Node"] = field(default_factory=dict)


class _Trie:
    """All prompts seen, as a tree of blocks; each node knows when it was last used."""

    def __init__(self, rule: LongestPrefix) -> None:
        self._rule = rule
        self._root = _Node()

    def serve(self, call: PromptCall) -> Served:
        """Read the longest live prefix and keep the whole prompt."""
        common = self._common(call)
        self._keep(call)
        rule = self._rule
        return Served(common // rule.step * rule.step if common >= rule.minimum else 0)

    def _common(self, call: PromptCall) -> int:
        node, total = self._root, 0
        for block in call.blocks:
            live = {
                digest: child
                for digest, child in node.children.items()
                if call.at_s - child.used_s <= self._rule.idle_s
            }
            if block.digest not in live:
                others = (child.block for child in live.values() if child.block is not None)
                return total + max((common_tokens(other, block) for other in others), default=0)
            node = live[block.digest]
            total += block.tokens
        return total

    def _keep(self, call: PromptCall) -> None:
        node = self._root
        for block in call.blocks:
            node = node.children.setdefault(block.digest, _Node(block))
            node.used_s = call.at_s


class _Entries:
    """Written prefixes by the chain of their blocks' digests, with the time of their last use."""

    def __init__(self, rule: Marked) -> None:
        self._rule = rule
        self._chains: dict[tuple[int, str], int] = {}
        self._used_s: dict[int, float] = {}

    def serve(self, call: PromptCall) -> Served:
        """Find the longest written prefix that a mark can see, then write at the marks."""
        chains, sizes = self._chain(call.blocks), _running(call.blocks)
        marks = self._marks(call)
        found = self._find(call.at_s, chains, marks)
        read = sizes[found] if found is not None else 0
        if found is not None:
            self._used_s[chains[found]] = call.at_s
        last = 0
        for mark in marks:
            if sizes[mark] >= self._rule.minimum:
                self._used_s[chains[mark]] = call.at_s
                last = sizes[mark]
        return Served(read, max(0, last - read))

    def _marks(self, call: PromptCall) -> list[int]:
        own = {len(call.blocks) - 1} if self._rule.implicit else set[int]()
        explicit = sorted(set(call.marks) - own)[-(self._rule.marks - len(own)) :]
        return sorted({*own, *explicit})

    def _find(self, now_s: float, chains: Sequence[int], marks: Sequence[int]) -> int | None:
        reach = self._rule.lookback
        for place in range(len(chains) - 1, -1, -1):
            seen = any(place <= mark and (reach is None or mark - place < reach) for mark in marks)
            used_s = self._used_s.get(chains[place], -FOREVER)
            if seen and now_s - used_s <= self._rule.idle_s:
                return place
        return None

    def _chain(self, blocks: Sequence[Block]) -> list[int]:
        chains, parent = [], -1
        for block in blocks:
            parent = self._chains.setdefault((parent, block.digest), len(self._chains))
            chains.append(parent)
        return chains


class _Slots:
    """What each slot holds, least recently used first."""

    def __init__(self, rule: Slots) -> None:
        self._rule = rule
        self._held: list[tuple[Block, ...]] = [()] * rule.slots

    def serve(self, call: PromptCall) -> Served:
        """Continue the most similar slot, or overwrite the one idle longest."""
        common = [_common_prefix(held, call.blocks) for held in self._held]
        best = max(range(len(common)), key=lambda place: (common[place], -place))
        if common[best] <= self._rule.similarity * call.tokens:
            best = 0
        del self._held[best]
        self._held.append(call.blocks)
        return Served(common[best])


def _common_prefix(left: Sequence[Block], right: Sequence[Block]) -> int:
    total = 0
    for a, b in zip(left, right, strict=False):
        total += common_tokens(a, b)
        if a.digest != b.digest:
            break
    return total


def _running(blocks: Sequence[Block]) -> list[int]:
    sizes, total = [], 0
    for block in blocks:
        total += block.tokens
        sizes.append(total)
    return sizes
