"""What a forgetting is asked for, and the receipt it gives: ids and numbers, no text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.fact_history import Fact

Level = Literal["memory", "turn", "thread", "user"]


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be forgotten.

    Attributes:
        level: `memory` is single items and facts, without the conversation they come from.
        ids: Ids of items, facts or artifacts; of turns; or one thread's key. Empty for a user.
    """

    level: Level
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erased:
    """One store's line of a receipt.

    Attributes:
        store: Which store.
        rows: How many entries were erased.
        note: What else is to be said, such as what was rewritten on disk, or why it was not.
        done: False when bytes may be left; then `note` says where and what to do.
    """

    store: str
    rows: int
    note: str = ""
    done: bool = True


@dataclass(slots=True)
class Receipt:
    """What was erased where, and what that changed.

    Attributes:
        target: What was asked for.
        rehearsed: Nothing was changed; the numbers are what would be.
        stores: A line for each store, also for those that held nothing.
        derived: What was changed, rebuilt or restored because its source is gone.
        turns: The erased turns, by thread key.
    """

    target: Target
    rehearsed: bool
    stores: list[Erased] = field(default_factory=list)
    derived: list[str] = field(default_factory=list)
    turns: dict[str, list[str]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every store has erased its bytes too."""
        return all(store.done for store in self.stores)

    @property
    def rows(self) -> int:
        """How many entries of all stores are gone."""
        return sum(store.rows for store in self.stores)


def changes(before: Sequence[Fact], after: Sequence[Fact]) -> list[str]:
    """What became of facts whose statements are gone."""
    now = {fact.id: fact for fact in after}
    found = []
    for fact in before:
        left = now.get(fact.id)
        if left is None:
            found.append(f"{fact.id} ({fact.slot}): no longer known")
        elif left.is_current and not fact.is_current:
            found.append(f"{fact.id} ({fact.slot}): holds again")
        elif len(left.mentions) < len(fact.mentions):
            found.append(f"{fact.id} ({fact.slot}): rests on {len(left.mentions)} statements")
    return found
