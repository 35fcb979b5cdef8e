"""Labelled requests: those to the sample company, and those of a desk in a folder of its own."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, get_args

from configs.settings import ExpertConfig
from evals.errors import EvaluationFailed

Half = Literal["tune", "test"]
Expect = Literal["call", "ask", "off_topic", "talk"]

REQUESTS: Final = Path(__file__).parent / "embedded_requests.jsonl"
OWN_DESKS: Final = Path(__file__).parent / "data" / "desks"
DESK_FILES: Final = ("app.yaml", "experts", "requests.jsonl")
LARGEST_SHARE: Final = 0.5
WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
ID: Final = re.compile(r"\b[A-Za-z]{3}-\d+\b")
ENDINGS: Final = ("ing", "ed", "es", "s", "e")
DOUBLED: Final = re.compile(r"(.)\1$")
SHORTEST_STEM: Final = 3
FUNCTION_TEXT: Final = (
    "a about after all also am an and any anyone are as at be been before by can could did do "
    "does for from had has have he her hers him his how i if in into is it it's its just "
    "let's me my no not of off ok okay on one ones only or our out over please pls she should "
    "so some such than thanks thank that that's the their theirs them then there these they "
    "this those to too up us very was we were what what's when where where's which who who's "
    "why will with would yes you you're your i'd i'm don't doesn't didn't "
)
FUNCTION_WORDS: Final = frozenset(FUNCTION_TEXT.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call a request asks for; `instead` are calls that would answer it as well."""

    tool: str
    args: Mapping[str, Any]
    instead: tuple["Wanted", ...] = ()

    @property
    def choices(self) -> tuple["Wanted", ...]:
        """The call and those that would answer as well."""
        return (self, *self.instead)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One request with what a sensible colleague does about it.

    Attributes:
        id: conversation and position, such as `c007.2`.
        free: for an argument in free words, what must occur in it; `a|b` is either.
    """

    id: str
    text: str
    expect: Expect
    calls: tuple[Wanted, ...] = ()
    free: Mapping[str, Sequence[str]] = field(default_factory=dict)
    follow_up: bool = False
    two_in_one: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """Requests of one thread; the half says whether anyone may tune on them.

    "tune" is for tuning, "test" gives the figures. A desk's requests are all of "test".
    """

    id: str
    half: Half
    requests: tuple[Labelled, ...]


def load_conversations(path: Path = REQUESTS, limit: int | None = None) -> list[Conversation]:
    """The conversations in the order of the file, at most `limit` of each half.

    Raises:
        EvaluationFailed: a line is not a labelled conversation.
    """
    lines = path.read_text("utf-8").splitlines()
    found = [_conversation(path, number, line) for number, line in enumerate(lines, start=1)]
    kept = {
        one.id
        for half in get_args(Half)
        for one in islice((one for one in found if one.half == half), limit)
    }
    return [one for one in found if one.id in kept]


def find_desks(folder: Path) -> dict[str, Path]:
    """The desks below a folder by name: each an app folder with requests."""
    return {
        one.name: one
        for one in (sorted(folder.iterdir()) if folder.is_dir() else ())
        if all((one / name).exists() for name in DESK_FILES)
    }


def free_arguments(conversations: Iterable[Conversation]) -> frozenset[str]:
    """The arguments that hold the user's words, by their labels somewhere in the set."""
    return frozenset(
        name for one in conversations for request in one.requests for name in request.free
    )


def example_utterances(experts: Iterable[ExpertConfig]) -> list[str]:
    """What the experts' files give as examples of what people say."""
    found: list[str] = []
    for expert in experts:
        for intent in expert.intents:
            found += intent.examples
        for tool in expert.tools:
            found += tool.examples
    return found


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that carry a meaning; ids, numbers and function words do not count."""
    words = (word.casefold() for word in WORD.findall(ID.sub(" ", text)))
    return frozenset(
        _stem(word)
        for word in words
        if word not in FUNCTION_WORDS and not any(letter.isdigit() for letter in word)
    )


def largest_share(text: str, examples: Sequence[frozenset[str]]) -> float:
    """The largest part of the request's content words that one example has too, 0 to 1."""
    words = content_words(text)
    if not words:
        return 0.0
    return max((len(words & example) / len(words) for example in examples), default=0.0)


def borrowed(conversations: Iterable[Conversation], examples: Iterable[str]) -> frozenset[str]:
    """Ids of the requests that share more than half of their content words with an example."""
    known = [content_words(example) for example in examples]
    return frozenset(
        request.id
        for conversation in conversations
        for request in conversation.requests
        if largest_share(request.text, known) > LARGEST_SHARE
    )


def _stem(word: str) -> str:
    """One stem for the forms of a word: invoice, invoices; cancel, cancelled."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            word = word.removesuffix(ending)
            break
    return DOUBLED.sub(r"\1", word)


def _conversation(path: Path, number: int, line: str) -> Conversation:
    place = f"line {number} of {path}"
    try:
        given = json.loads(line)
        requests = tuple(
            _labelled(f"{given['id']}.{position}", turn)
            for position, turn in enumerate(given["turns"], start=1)
        )
        conversation = Conversation(given["id"], given.get("half", "test"), requests)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvaluationFailed(f"{place}: {error!r}") from error
    if conversation.half not in get_args(Half):
        raise EvaluationFailed(f"{place}: wanted a half, came {conversation.half!r}")
    return conversation


def _labelled(request_id: str, turn: Mapping[str, Any]) -> Labelled:
    if turn["expect"] not in get_args(Expect) or (turn["expect"] == "call") != bool(turn["calls"]):
        raise EvaluationFailed(f"{request_id}: wanted calls exactly where a call is expected")
    return Labelled(
        id=request_id,
        text=turn["text"],
        expect=turn["expect"],
        calls=tuple(_wanted(call) for call in turn["calls"]),
        free=turn["free"],
        follow_up=turn["follow_up"],
        two_in_one=turn["two_in_one"],
    )


def _wanted(call: Mapping[str, Any]) -> Wanted:
    others = (*call.get("or", ()), *call.get("instead", ()))
    return Wanted(
        tool=call["tool"], args=call["args"], instead=tuple(_wanted(other) for other in others)
    )
