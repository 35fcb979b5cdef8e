"""Which expert and tool a request is for, or none of them.

A class's score is the cosine to the centroid of its examples plus the overlap of words, plus what
the structure says (ids, months, a demanded deed). "None of these" is calibrated on the examples
themselves, each left out in turn, against background utterances, each topic left out in turn.
"""

import re
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from configs.expert import ExpertConfig
from models.embedded.acts import ActReader, Reading
from models.embedded.background import BACKGROUND
from models.embedded.calibration import softmax
from models.embedded.classes import RequestClass, request_classes
from models.embedded.deeds import deed_shifts, likely_deed, nearest_deed
from models.embedded.demand import demands
from models.embedded.likeness import Likeness, Scores, train
from models.embedded.masking import masked
from models.embedded.patterns import identifiers
from models.embedded.profiles import Profiles, aside, profiles_of
from models.embedded.signs import SERVED, Place, needs_no_record, referred, shift, sure_signs
from models.embedded.unspoken import readdressed
from models.embedded.vectors import stored_vectors
from models.embedding import Embedder

FOLLOW_UP_EVIDENCE: Final = 0.1
STAYING: Final = 0.35
SUBJECT: Final = 0.5
LEAST_DEED: Final = -0.1  # "book it" says little about which expert where no record is at hand
MOST_DEED: Final = 0.15
_LED_NAME: Final = re.compile(
    r"(?<=\bof |\bby )[A-Z][\w'-]+(?: (?:& )?[A-Z][\w'-]+)+"
    r"|(?<=\bfor |\bhas |\bdid )[A-Z][\w'-]+(?: (?:& )?[A-Z][\w'-]+)+"
    r"|(?<=\bfrom |\bdoes |\bwith |\bhave )[A-Z][\w'-]+(?: (?:& )?[A-Z][\w'-]+)+"
)
ACTS_WEIGHT: Final = 1.5
"""Of a log likelihood ratio by the act, against one by likeness."""
ASIDE_WEIGHT: Final = 1.2
NAMELESS_EVIDENCE: Final = -0.05
LEAST_FAMILIAR: Final = 0.02  # probability of being for the app, by its own words alone
LEAST_UNFAMILIAR: Final = 0.08


@dataclass(frozen=True, slots=True)
class Choice:
    """The best class for a text and how sure that is.

    Attributes:
        found: the best class.
        confidence: probability that the text is for the app at all and for this class.
        in_scope: probability that it is for the app at all.
        runner_up: the second best class, for asking back.
        demanded: whether the text demands the class's deed; False for read-only classes.
        alone: probability that the text is for the app by its own words, whatever stands before.
        reading: what the text does, where that is read.
    """

    found: RequestClass
    confidence: float
    in_scope: float
    runner_up: RequestClass | None
    demanded: bool
    alone: float = 1.0
    reading: Reading | None = None


class Chooser:
    """Chooses by the experts' examples; trained at first use, in the thread that needs it."""

    def __init__(
        self,
        experts: Sequence[ExpertConfig],
        embedder: Embedder,
        folder: Path | None = None,
        acts: ActReader | None = None,
    ) -> None:
        """Read the classes off the experts.

        Args:
            experts: the app's experts.
            embedder: gives the vectors.
            folder: where vectors of examples are kept between starts; None keeps none.
            acts: reads what a text does; None, or an app without tools, goes by the words alone.
        """
        self.classes = request_classes(experts)
        self.kinds = frozenset(kind for one in self.classes for kind in one.kinds)
        self._embedder = embedder
        self._folder = folder
        self._acts = acts if any(one.tool for one in self.classes) else None
        self._profiles: Profiles | None = None
        self._trained: Likeness | None = None
        self._lock = threading.Lock()

    def choose(
        self,
        text: str,
        place: Place | None = None,
        *,
        expert: str | None = None,
        changing: bool = False,
    ) -> Choice | None:
        """The class a text is for; None when there is no class to choose from.

        Args:
            text: one request.
            place: what stands before it.
            expert: only this expert's classes.
            changing: whether it is known to want a change, whatever its words demand.
        """
        place = place or Place()
        at = [n for n, one in enumerate(self.classes) if expert in (None, one.expert)]
        if not at:
            return None
        trained = self.prepare()
        plain, evidence = self._read(trained, text, place)
        meant = [referred(text, self._focus(one, place), self.kinds) for one in self.classes]
        own = [*zip(self.classes, meant, strict=True)]
        reading = None if readdressed(text) else self.read(text, place.said, place.done)
        plain = plain + self._by_act(trained, reading, place.done)
        moved = np.asarray([shift(*one, place, self.kinds, read=bool(reading)) for one in own])
        likely = likely_deed(self.classes, plain, text)
        if changing:
            likely = nearest_deed(self.classes, plain + moved) or likely
        vetoed = reading is not None and reading.vetoes_change
        deeds = deed_shifts(own, likely, vetoed=vetoed)
        scores = plain + moved + deeds
        if not (place.focus or identifiers(text, self.kinds)):
            deeds = np.clip(deeds, LEAST_DEED, MOST_DEED)
        likeliest = plain + moved + deeds + SUBJECT * self._subject(trained, text, place)
        owner = self.classes[max(at, key=lambda index: likeliest[index])].expert
        order = sorted(at, key=lambda index: (self.classes[index].expert != owner, -scores[index]))
        best = self.classes[order[0]]
        sure = sure_signs(best, text, place, self.kinds, self.classes, trained.breadth)
        for_the_app = -ASIDE_WEIGHT * aside(reading) if reading else 0.0
        if place.continued:  # a part of a message may only add to what was asked for
            for_the_app = min(0.0, for_the_app)
        in_scope = trained.scope(evidence + sure, for_the_app)
        return Choice(
            found=best,
            confidence=in_scope * float(softmax(scores[at] / trained.temperature).max()),
            in_scope=in_scope,
            runner_up=self.classes[order[1]] if len(order) > 1 else None,
            demanded=best.effect and not vetoed and (best is likely or demands(text, best.deeds)),
            alone=trained.scope(evidence),
            reading=reading,
        )

    def _by_act(self, trained: Likeness, reading: Reading | None, done: str) -> Scores:
        """What the reading of a text adds to the scores of the classes."""
        if reading is None or self._profiles is None:
            return np.zeros(len(self.classes))
        return ACTS_WEIGHT * trained.temperature * self._profiles.moved(reading, done)

    def read(self, text: str, said: str = "", done: str = "") -> Reading | None:
        """What a text does; None where acts are not read.

        Args:
            text: one request.
            said: what was said before it.
            done: name of the tool that was called there.
        """
        if self._acts is None:
            return None
        self.prepare()
        return self._acts.read(text, said, done)

    def _subject(self, trained: Likeness, text: str, place: Place) -> Scores:
        """How near a text without an id is, by its own words, to the nearest class of an expert."""
        if not place.ongoing or identifiers(text, self.kinds):
            return np.zeros(len(self.classes))
        own = self._plain(trained, place.nameless or text)[0]
        near: dict[str, float] = {}
        for one, score in zip(self.classes, own, strict=True):
            near[one.expert] = max(near.get(one.expert, score), score)
        return np.asarray([near[one.expert] for one in self.classes])

    def choose_reply(
        self, text: str, question: str, previous: str, served: Collection[str] = ()
    ) -> Choice | None:
        """The class that a reply to a question is for, where its own words do not tell.

        Args:
            text: the reply; empty when it only acknowledges.
            question: what the user was asked, which may be about something new.
            previous: the expert of the last turn.
            served: the experts of all earlier turns.
        """
        if not self.classes:
            return None
        trained = self.prepare()
        scores = self._plain(trained, question)[0]
        if text:
            scores = scores + self._plain(trained, text)[0]
        own = np.asarray([one.expert == previous for one in self.classes])
        known = np.asarray([one.expert in served for one in self.classes])
        scores = scores + STAYING * own + SERVED * known
        order = np.argsort(-scores)
        return Choice(
            found=self.classes[int(order[0])],
            confidence=float(softmax(scores / trained.temperature).max()),
            in_scope=1.0,
            runner_up=self.classes[int(order[1])] if len(order) > 1 else None,
            demanded=False,
        )

    def _read(self, trained: Likeness, text: str, place: Place) -> tuple[Scores, float]:
        """Scores by likeness and the evidence of being for the app, with "it" filled in."""
        plain, evidence = self._plain(trained, text)
        nameless = place.nameless or _LED_NAME.sub("the customer", text)
        if nameless != text:  # a company called "… Books" is not about books
            others, clear = self._plain(trained, nameless)
            plain = (plain + others) / 2
            evidence = max(evidence, clear + NAMELESS_EVIDENCE)
        if place.earlier:  # what was asked for counts as much as the answer
            plain = (plain + 2 * self._plain(trained, place.earlier)[0]) / 3
        meant = referred(text, place.focus, self.kinds)
        if meant == text:
            return self._about_focus(trained, text, place, plain, evidence)
        likeness, clear = self._likeness(
            trained, plain, place, lambda focus: referred(text, focus, self.kinds)
        )
        if place.strange:
            return (plain + likeness) / 2, evidence
        filled = clear if place.continued else (evidence + clear) / 2
        return (plain + likeness) / 2, max(evidence + FOLLOW_UP_EVIDENCE, filled)

    def _likeness(
        self,
        trained: Likeness,
        plain: Scores,
        place: Place,
        filled: Callable[[Sequence[str]], str],
    ) -> tuple[Scores, float]:
        """Scores with what "it" stands for filled in, for each class a record of its own kind."""
        likeness, clear = self._plain(trained, filled(place.focus))
        free = [not one.anchored and not one.effect for one in self.classes]
        likeness = np.where(free, plain, likeness)
        for name in place.kin.values():
            others, _ = self._plain(trained, filled((name,)))
            about = [self._focus(one, place) == (name,) for one in self.classes]
            likeness = np.where(about, others, likeness)
        return likeness, clear

    def _focus(self, one: RequestClass, place: Place) -> Sequence[str]:
        """What "it" stands for where a class is meant: the invoice of the order at hand."""
        linked = place.kin.get(next(iter(one.kinds), "")) if one.anchored else None
        fits = linked and len(one.kinds) == 1 and (not one.effect or linked in place.at_hand)
        return (linked,) if linked and fits else place.focus

    def _about_focus(
        self,
        trained: Likeness,
        text: str,
        place: Place,
        plain: Scores,
        evidence: float,
    ) -> tuple[Scores, float]:
        """The same for a text that leaves out what it is about: "gimme the tracking no."."""
        least = LEAST_FAMILIAR if place.familiar else LEAST_UNFAMILIAR
        silent = place.ongoing and not place.strange and place.focus and not place.nameless
        if not silent or identifiers(text, self.kinds) or trained.scope(evidence) < least:
            return plain, evidence
        likeness, clear = self._likeness(
            trained, plain, place, lambda focus: f"{text.rstrip(' .?!')} of {focus[0]}"
        )
        if needs_no_record(self.classes, plain):
            return plain, min(evidence, (evidence + clear) / 2)
        return (plain + likeness) / 2, (evidence + clear) / 2

    def _plain(self, trained: Likeness, text: str) -> tuple[Scores, float]:
        """Scores of the classes by likeness alone, and the evidence of being for the app."""
        plain = masked(text, self.kinds)
        return trained.read(plain, self._embedder.encode([plain])[0])

    def prepare(self) -> Likeness:
        """Train now if it has not been done; costs about 7 ms a text once, then a file read."""
        with self._lock:
            if self._trained is None:
                if self._acts:
                    self._profiles = profiles_of(self.classes, self._acts, self._folder)
                self._trained = self._train()
            return self._trained

    def texts(self) -> list[str]:
        """All texts whose vectors are needed: the examples, then the background."""
        examples = [masked(text, self.kinds) for one in self.classes for text in one.examples]
        return [*examples, *(text for texts in BACKGROUND.values() for text in texts)]

    def _train(self) -> Likeness:
        examples = [masked(text, self.kinds) for one in self.classes for text in one.examples]
        owners = [at for at, one in enumerate(self.classes) for _ in one.examples]
        vectors = stored_vectors(self._embedder, self.texts(), self._folder)
        return train(examples, owners, BACKGROUND, vectors)
