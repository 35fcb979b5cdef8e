"""What each message is about and does: domain, operation, speech act.

Patterns decide where they can. A request whose words name no operation goes to the one whose
examples are nearest, if an embedder is given. What answers a request shares its operation.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from configs.segmenting import ClassificationSettings
from memory.segment_shapes import MessageClass, Segment, SourceMessage, SpeechAct
from models.embedding import Vectors
from text.speech import core, speech_act
from text.words import content_stems, stem, stem_set, words

Embed: TypeAlias = Callable[[Sequence[str]], Vectors]

READ: Final = "read"
MAX_CHARS: Final = 2000
LEAST_LIKENESS: Final = 0.92
MOST_TOPIC_WORDS: Final = 5
COURTESIES: Final = stem_set(
    "yes yeah yep nope sure great perfect fine good nice cool alright right correct exactly"
    " welcome bye goodbye thx cheers hello hi"
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a message can want done.

    Attributes:
        words: words that say so.
        examples: whole requests, for those whose words do not.
    """

    words: frozenset[str]
    examples: tuple[str, ...] = ()


class Classifier:
    """Classifies the messages of segments; the same messages always get the same classes."""

    def __init__(self, operations: Mapping[str, Operation], embed: Embed | None = None) -> None:
        """Bind the operations.

        Args:
            operations: by name; where words of several stand at one place, the first wins.
            embed: unit vectors of texts; None leaves requests without a known word to `read`.
        """
        self._by_stem = {
            stem(word): name
            for name, one in reversed(list(operations.items()))
            for word in one.words
        }
        examples = [(name, text) for name, one in operations.items() for text in one.examples]
        self._names = [name for name, _ in examples]
        self._examples = [text for _, text in examples]
        self._embed = embed
        self._vectors: Vectors | None = None

    def classify(
        self, segments: Sequence[Segment], messages: Sequence[SourceMessage]
    ) -> list[Segment]:
        """The segments with the classes of their messages, and what follows for the whole.

        Args:
            segments: of these messages.
            messages: one thread's, in order.
        """
        by_id = {one["id"]: one for one in messages}
        found: list[Segment] = []
        for segment in segments:
            members = [by_id[one] for one in segment["message_ids"]]
            found.append(self._classified(segment, members))
        return found

    def operation(self, text: str) -> str:
        """What a message wants done; empty for a comment that names no operation."""
        plain = text[:MAX_CHARS]
        asked = words(core(plain))
        for word in asked:
            if name := self._by_stem.get(stem(word)):
                return name
        if act_of(plain) == "comment":
            return ""
        return self._nearest(plain) or READ

    def _classified(self, segment: Segment, members: Sequence[SourceMessage]) -> Segment:
        domain = ",".join(segment["agent"])
        classes: list[MessageClass] = []
        operation = ""
        for one in members:
            if one["role"] == "user":
                operation = self.operation(one["text"]) or operation
            classes.append(
                {
                    "message_id": one["id"],
                    "turn_id": one["turn_id"],
                    "position": one["position"],
                    "domain": ",".join(one["agent"]) or domain,
                    "operation": operation,
                    "speech_act": act_of(one["text"]),
                }
            )
        return {
            **segment,
            "domain": domain,
            "operation": _commonest([each["operation"] for each in classes]),
            "speech_acts": [each["speech_act"] for each in classes],
            "topic": topic_of(members, segment["entities"]),
            "classes": classes,
        }

    def _nearest(self, text: str) -> str:
        if self._embed is None or not self._examples:
            return ""
        if self._vectors is None:
            self._vectors = self._embed(self._examples)
        likeness = self._vectors @ self._embed([text])[0]
        best = int(np.argmax(likeness))
        return self._names[best] if likeness[best] >= LEAST_LIKENESS else ""


def open_classifier(settings: ClassificationSettings, embed: Embed | None = None) -> Classifier:
    """The classifier that the settings describe.

    Args:
        settings: the operations.
        embed: unit vectors of texts, for requests whose words name no operation.
    """
    operations = {
        name: Operation(frozenset(one.words), one.examples)
        for name, one in settings.operations.items()
    }
    return Classifier(operations, embed)


def act_of(text: str) -> SpeechAct:
    """Question, command or comment; a text of courtesies alone is a comment."""
    plain = text[:MAX_CHARS]
    if not set(content_stems(plain)) - COURTESIES and "?" not in plain:
        return "comment"
    return speech_act(plain)


def topic_of(members: Sequence[SourceMessage], entities: Sequence[str]) -> str:
    """A few words for what a segment is about: its entities, then its users' commonest words."""
    counts: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for one in members:
        if one["role"] != "user":
            continue
        for word in words(one["text"][:MAX_CHARS]):
            for key in content_stems(word):
                counts[key] = counts.get(key, 0) + 1
                spelled.setdefault(key, word)
    order = sorted(counts, key=lambda key: -counts[key])
    named = [*entities[:2], *(spelled[key] for key in order if key.isalpha())]
    return " ".join(dict.fromkeys(named[:MOST_TOPIC_WORDS]))


def _commonest(values: Sequence[str]) -> str:
    """The commonest value that says something; of equals the first."""
    said = [value for value in values if value]
    return max(dict.fromkeys(said), key=said.count) if said else ""
