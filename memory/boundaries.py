"""Which candidates of a thread are boundaries: the evidence of each, and its neighbours'."""

from dataclasses import dataclass, field
from typing import Final

from memory.boundary_weights import Evidence, Weights
from memory.thread_view import ThreadView

START: Final = "start"
AGENT: Final = "agent"


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a segment begins, why, and how clearly (0 to 1)."""

    at: int
    cause: str
    score: float


@dataclass(slots=True)
class Judge:
    """Weighs the candidates of a view; each once, so only when its neighbourhood is complete."""

    view: ThreadView
    weights: Weights
    _found: dict[int, Evidence] = field(default_factory=dict)

    def boundary(self, place: int) -> Boundary | None:
        """The boundary at a candidate, if there is one.

        A change of the agent that lasts, among turns that are otherwise steady, always is one.
        Other candidates need enough evidence, and more than what is said right beside them.

        Args:
            place: of the candidate among the view's.
        """
        candidate = self.view.candidates[place]
        evidence = self._evidence(place)
        if self.view.agent_signs(candidate).get("lone_lasting"):
            return Boundary(candidate.at, _with_agent(evidence.cause), evidence.score)
        if evidence.total <= 0 or self._outdone(place, evidence.total):
            return None
        return Boundary(candidate.at, evidence.cause, evidence.score)

    def _evidence(self, place: int) -> Evidence:
        if place not in self._found:
            candidate = self.view.candidates[place]
            text = self.view.text_signs(candidate)
            self._found[place] = self.weights.evidence(text, self.view.agent_signs(candidate))
        return self._found[place]

    def _outdone(self, place: int, total: float) -> bool:
        """Whether the message before says it as clearly, or the one after more clearly."""
        if self._adjacent(place - 1, place) and self._evidence(place - 1).total >= total:
            return True
        return self._adjacent(place, place + 1) and self._evidence(place + 1).total > total

    def _adjacent(self, place: int, other: int) -> bool:
        candidates = self.view.candidates
        if place < 0 or other >= len(candidates):
            return False
        first, second = candidates[place].spoken, candidates[other].spoken
        return first is not None and second is not None and second - first == 1


def _with_agent(cause: str) -> str:
    return cause if cause.startswith(AGENT) else f"{AGENT}+{cause}"
