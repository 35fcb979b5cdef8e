"""What speaks for and against a boundary at a message; each sign looks a few messages far.

Nothing here depends on where other boundaries were drawn, on the length of the thread, or on its
statistics. So a boundary can be decided as soon as the few messages after it are there, and the
decision is the same whether the thread is read at once or piece by piece.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from memory.readings import Reading
from models.embedding import Vectors

Agent: TypeAlias = tuple[str, ...]
Signs: TypeAlias = dict[str, float]

MESSAGES_AHEAD: Final = 2
"""How far signs look beyond the message itself; further ones change nothing."""
TURNS_AHEAD: Final = 2
WORDS_BACK: Final = 3
LIKENESS_BACK: Final = 6
ENTITIES_BACK: Final = 8
AGENTS_BACK: Final = 5
LEAST_ENTITIES: Final = 2
MOST_STEMS: Final = 6
LEAST_NAME_CHARS: Final = 3
SETTLED_TURNS: Final = 2


def word_signs(readings: Sequence[Reading], at: int) -> Signs:
    """Shared words, pending questions, farewells and announcements."""
    before = _stems(readings[max(0, at - WORDS_BACK) : at])
    after = _stems(readings[at : at + MESSAGES_AHEAD + 1])
    own, last = readings[at], readings[at - 1]
    return {
        "shared_words": len(before & after) / max(1, min(len(before), len(after))),
        "words": float(min(MOST_STEMS, len(own.stems))),
        "asked": float(last.asks),
        "closed": float(last.closes),
        "adds": float(own.adds),
        "gated": float(len(own.stems | set(own.entities)) < LEAST_ENTITIES or own.follows),
    }


def entity_signs(readings: Sequence[Reading], at: int) -> Signs:
    """A gated shift to other entities, and entities that stay."""
    own = readings[at]
    known = {one for each in readings[max(0, at - ENTITIES_BACK) : at] for one in each.entities}
    plain = own.text.casefold()
    kept = any(
        one in own.entities or (len(one) >= LEAST_NAME_CHARS and one in plain) for one in known
    )
    fresh = [one for one in own.entities if not any(one in other for other in known)]
    shift = bool(known) and not kept and not own.follows and len(fresh) >= LEAST_ENTITIES
    return {"entity_shift": float(shift), "entity_kept": float(kept)}


def depth_signs(vectors: Vectors, opening: float, at: int) -> Signs:
    """How unlike the message is to what stands before it, and how much it opens something.

    Args:
        vectors: centred unit vectors of the messages.
        opening: how much the message opens a topic.
        at: which message.
    """
    before = vectors[max(0, at - 2) : at].sum(axis=0)
    after = vectors[at : at + 2].sum(axis=0)
    lengths = float((before @ before) ** 0.5 * (after @ after) ** 0.5)
    back = vectors[max(0, at - LIKENESS_BACK) : at] @ vectors[at]
    return {
        "blocks_alike": float(before @ after) / max(lengths, 1e-9),
        "most_alike": float(back.max()),
        "opens": opening,
    }


def agent_signs(agents: Sequence[Agent], at: int) -> Signs:
    """Whether the turn is served by others than before, and how steady agents are around it.

    A router that errs changes to and fro; so a change among steady turns weighs more, and one that
    goes back to an earlier agent weighs less.

    Args:
        agents: of every turn; empty where the desk asked back or answered itself.
        at: which turn.
    """
    now = agents[at]
    before = [one for one in agents[:at] if one][-AGENTS_BACK - 1 :]
    if not now or not before:
        return {}
    if now == before[-1]:
        steady = len(set(before[-AGENTS_BACK:])) == 1
        settled = before[-SETTLED_TURNS:] == [now] * SETTLED_TURNS
        return {"same": 1.0, "same_settled": float(settled), "same_steady": float(steady)}
    after = [one for one in agents[at + 1 : at + 1 + TURNS_AHEAD] if one]
    lasts = bool(after) and all(one == now for one in after)
    settled = len(before) >= SETTLED_TURNS and before[-2] == before[-1]
    lone = all(one == now for one in after) and not any(
        one != other for one, other in pairwise(before[-AGENTS_BACK:])
    )
    signs = {
        "changed": 1.0,
        "back": float(now in before),
        "lone": float(lone),
        "lone_settled": float(lone and settled),
        "lone_lasting": float(lone and lasts),
    }
    if not lone:
        signs |= {
            "disjoint": float(not set(now) & set(before[-1])),
            "lasting": float(lasts),
            "settled": float(settled),
        }
    return signs


def _stems(readings: Sequence[Reading]) -> frozenset[str]:
    return frozenset(one for each in readings for one in each.stems)
