"""What ranking needs to know of an item or a fact."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item stands; one without a thread has no neighbours."""

    thread: str = ""
    position: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may answer a question.

    Attributes:
        id: The item's id.
        kind: turn, episode, document or fact.
        cosine: Similarity to the question, None when vectors were not available.
        lexical: BM25, 0 when no word matched.
        coverage: Share of the question's words found in the item, by rarity, 0 to 1.
        age_days: Age of the event.
        uses: How often it was recalled before.
        successes: How often it helped, less how often it was called bad.
        terms: The item's words, for finding twins.
        event: What happened; items of one event are twins (a turn and its episode).
        place: Where it stands among others.
        name_share: Share of the question's names and ids that the item mentions, 0 to 1; of those
            that few items mention.
        by_speaker: Whether the one the question is about said it.
        on_topic: Whether it belongs to the open topic's domain.
    """

    id: str
    kind: str
    cosine: float | None
    lexical: float
    coverage: float
    age_days: float
    uses: int = 0
    successes: int = 0
    terms: frozenset[str] = frozenset()
    event: str = ""
    place: Place = Place()
    name_share: float = 0.0
    by_speaker: bool = False
    on_topic: bool = False
