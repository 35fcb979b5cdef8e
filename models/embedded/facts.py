"""What users say about themselves, read by patterns: names, roles, preferences, instructions.

Only plain first-person statements count; a question states nothing.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from models.embedded.patterns import EMAIL
from models.embedded.words import words

MAX_CHARS: Final = 20_000
_END: Final = r"(?=[.,;!?]|\s+(?:and|but|so|who|which|because|from now on)\b|$)"
_NAME: Final = r"[A-Z][\w'\u2019-]+(?: [A-Z][\w'\u2019-]+){0,3}"
_THING: Final = r"[\w][\w &'\u2019/-]{1,60}?"
_I_AM: Final = r"\b(?:I am|I'm|I\u2019m)"


_JOBS: Final = (
    "manager|director|engineer|analyst|accountant|controller|assistant|lead|clerk|officer|developer"
    "|owner|consultant|specialist|agent|founder|coordinator|representative|CEO|CFO|CTO|COO|head"
    "|bookkeeper|buyer|designer|administrator|nurse|teacher|lawyer"
)
_LANGUAGES: Final = (
    "English|German|French|Spanish|Italian|Dutch|Portuguese|Polish|Swedish|Danish|Norwegian|Finnish"
    "|Japanese|Chinese"
)
_ANSWER_IN: Final = (
    r"(?:[Pp]lease )?(?:[Aa]lways )?(?:[Aa]nswer|[Ww]rite|[Rr]eply|[Rr]espond|[Ss]peak)"
    r"(?: to)?(?: me)?(?: always)? in"
)
_SHOW_ME: Final = (
    r"(?:I (?:prefer|like|want|need)|[Pp]lease (?:always )?(?:give|show|send) me"
    r"|[Aa]lways (?:give|show|send) me)"
)
_LOOK_AFTER: Final = (
    rf"(?:{_I_AM} (?:responsible for|in charge of)|I (?:look after|handle|manage|take care of)"
    r"|[Mm]y (?:customers?|accounts?|clients?|regions?) (?:is|are)(?= [A-Z]))"
)
_JOINED: Final = (
    rf"(?:I work|I joined|I belong|I moved|{_I_AM})(?: now)?(?: in| on| to| with| part of)*"
)
_MOVES: Final = "was promoted|got promoted|started|joined|moved|became|retired|was hired"
_PATTERNS: Final[Sequence[tuple[str, re.Pattern[str]]]] = (
    (
        "preferred_name",
        re.compile(rf"\b(?:[Mm]y name is|[Cc]all me|[Pp]eople call me) (?P<v>{_NAME})"),
    ),
    ("preferred_name", re.compile(rf"^(?:[Hh]i,? |[Hh]ello,? )?{_I_AM} (?P<v>{_NAME}){_END}")),
    (
        "role",
        re.compile(rf"\b[Mm]y (?:role|job|function|title) is (?:the |an? )?(?P<v>{_THING}){_END}"),
    ),
    ("role", re.compile(rf"\bI work as (?:the |an? )(?P<v>{_THING})(?= (?:at|for|in)\b|[.,;!]|$)")),
    (
        "role",
        re.compile(
            rf"{_I_AM} (?:now )?(?:the |an? |your )(?:new )?"
            rf"(?P<v>(?:[\w-]+ ){{0,3}}(?:{_JOBS})(?: of [\w ]{{2,30}}?)?){_END}"
        ),
    ),
    ("role", re.compile(rf"{_I_AM} (?P<v>head of [\w ]{{2,30}}?){_END}")),
    (
        "team",
        re.compile(rf"\b{_JOINED} the (?P<v>[\w &-]{{2,40}}?) (?:team|department|group)\b"),
    ),
    (
        "team",
        re.compile(
            rf"\b[Mm]y (?:team|department) is (?:the |called )?(?P<v>{_THING})(?: team)?{_END}"
        ),
    ),
    (
        "employer",
        re.compile(
            r"\bI (?:no longer |used to |now )?work (?:for|at) "
            rf"(?P<v>{_NAME}(?: (?:GmbH|AG|Inc|Ltd|AB|BV))?)"
        ),
    ),
    (
        "location",
        re.compile(
            rf"\b(?:I live in|{_I_AM} (?:based|located) in|I work from|I moved to) (?P<v>{_NAME})"
        ),
    ),
    (
        "language",
        re.compile(
            rf"\b(?:{_ANSWER_IN}|I (?:prefer|want|need)(?: answers| replies)?(?: in)?"
            rf"|[Mm]y language is) (?P<v>{_LANGUAGES})\b"
        ),
    ),
    (
        "report_format",
        re.compile(
            rf"\b{_SHOW_ME}(?: (?:my|the|all|reports|figures|numbers))* (?:as|in) (?:an? )?"
            r"(?P<v>[\w -]{2,40}?)(?: format| form)?(?=[.,;!]|$)"
        ),
    ),
    (
        "responsible_for",
        re.compile(rf"\b{_LOOK_AFTER} (?P<v>[\w][\w &,'\u2019-]{{1,80}}?)(?=[.;!]|$)"),
    ),
    ("milestone", re.compile(rf"\b(?P<v>I (?:{_MOVES})\b[^.;!?]{{3,120}})")),
)
_STANDING: Final = re.compile(
    r"(?:^|[.!;]\s+)(?P<v>(?:(?:from now on|in (?:the )?future|going forward|as a rule)[, ]+"
    r"|(?:please )?(?:always|never)\b|(?:please )?(?:make it a rule|remember)(?: that| to|:)? "
    r"|i (?:always|never) (?:want|need)\b|i(?:'d| would)? prefer (?!reports|figures|numbers)"
    r"|whenever |(?:for the record|please note)[,: ]+).{4,200}?)(?=[.!;]|$)",
    re.IGNORECASE | re.DOTALL,
)
_ENDED: Final = re.compile(
    r"\b(?:no longer|not any ?more|any ?longer|used to|don't .* any ?more|stopped)\b", re.IGNORECASE
)
_OWN_MAIL: Final = re.compile(
    r"\b(?:my (?:new )?(?:e-?mail|mail|address)(?: address)? is"
    r"|(?:mail|write|send (?:it|them|mail))(?: to)? me (?:at|under)|reach me (?:at|under))\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a user about themselves.

    Attributes:
        rest: whether the message says clearly more than its statements.
    """

    slot: str
    value: str
    quote: str
    ended: bool = False
    rest: bool = False


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


class Named(Protocol):
    """A declared slot."""

    @property
    def name(self) -> str:
        """The slot's name."""


def read_facts(text: str) -> list[Statement]:
    """The statements in a text, each slot's value once, in the order of the patterns."""
    plain = text[:MAX_CHARS].replace("\u2019", "'")
    found: dict[tuple[str, str], Statement] = {}
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", plain):
        if sentence.rstrip().endswith("?"):
            continue
        for slot, value in _read_sentence(sentence):
            found.setdefault((slot, value.casefold()), _statement(slot, value, sentence, plain))
    return list(found.values())


def _read_sentence(sentence: str) -> list[tuple[str, str]]:
    found = [
        (slot, match["v"].strip(" ,"))
        for slot, pattern in _PATTERNS
        for match in pattern.finditer(sentence)
    ]
    mail = EMAIL.search(sentence)
    if mail and _OWN_MAIL.search(sentence[: mail.start()]):
        found.append(("email", mail[0]))
    taken = {slot for slot, _ in found}
    if not taken & {"language", "report_format"}:
        found += [("preference", match["v"].strip()) for match in _STANDING.finditer(sentence)]
    return found


def _statement(slot: str, value: str, sentence: str, text: str) -> Statement:
    more = len(words(text)) > len(words(sentence)) + 6
    return Statement(slot, value, sentence.strip(), _ENDED.search(sentence) is not None, more)


class PatternFacts:
    """A fact extractor that needs no model."""

    def __init__(self, draft: Callable[..., Any] = StatedFact) -> None:
        """Bind what makes a draft out of a statement.

        Args:
            draft: called with the fields of `StatedFact` by keyword.
        """
        self._draft = draft

    async def extract(self, messages: Sequence[Message], slots: Sequence[Named]) -> list[Any]:
        """Drafts of the user's own statements that fit a declared slot."""
        declared = {slot.name for slot in slots}
        return [
            self._draft(
                slot=found.slot,
                value=found.value,
                source=message.source,
                thread=message.thread,
                turn_id=message.turn_id,
                quote=found.quote,
                occurred_at=message.at,
                polarity="ended" if found.ended else "holds",
            )
            for message in messages
            if message.source == "user"
            for found in read_facts(message.text)
            if found.slot in declared
        ]
