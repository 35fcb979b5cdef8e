"""Where the arguments of a call come from: the user's words, the app's records, or elsewhere.

Text of tools, documents and memory is outside text, unless its tool is trusted. Once a module has
read any, an argument counts as the user's only when its words are found in what the user said, and
as the app's own when they are found in a trusted result; whatever else it may be, it is tainted.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel

from tools.signatures import call_arguments

FEWEST_WORDS: Final = 3
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"(?<![\w.])[-+]?\d[\d.,'\u00a0\u202f ]*\d|\d")
_COUNTED: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "dozen": 12, "hundred": 100,
    "thousand": 1000,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OutsideText:
    """A text from outside and where it came from: a tool's name, `memory` or `summary`."""

    origin: str
    text: str


@dataclass(frozen=True)
class Sources:
    """What a module has read before it asked for a call.

    Attributes:
        user: the user's own words in this thread.
        records: results of trusted tools.
        outside: everything else.
    """

    user: Sequence[str] = ()
    records: Sequence[str] = ()
    outside: Sequence[OutsideText] = field(default=())

    @cached_property
    def _said(self) -> "_Said":
        return _Said.of(self.user)

    @cached_property
    def _known(self) -> "_Said":
        return _Said.of(self.records)

    def is_users(self, value: object) -> bool:
        """Whether the user has said this value."""
        return self._said.holds(value)

    def is_recorded(self, value: object) -> bool:
        """Whether the value stands in a trusted result."""
        return self._known.holds(value, loosely=False)

    def origin_of(self, value: object) -> str:
        """Which outside text has the value; empty when none has it word for word."""
        for one in self.outside:
            if _Said.of([one.text]).holds(value, loosely=False):
                return one.origin
        return ""


@dataclass(frozen=True, slots=True)
class TaintedArgument:
    """An argument that is neither the user's nor the app's; `origin` where it was found."""

    name: str
    origin: str


def tainted_arguments(values: BaseModel, sources: Sources) -> list[TaintedArgument]:
    """The arguments that come from outside, or that nobody can place once outside text was read.

    Switches, choices from a list and values that are the default carry no text and are left out;
    where nothing else is left, the call as a whole is nobody's and is named by `*`.
    """
    if not sources.outside:
        return []
    found, clean = list[TaintedArgument](), 0
    for name, value in _given(values):
        for leaf in _leaves(value):
            if sources.is_users(leaf) or sources.is_recorded(leaf):
                clean += 1
            else:
                found.append(TaintedArgument(name, sources.origin_of(leaf)))
    if not found and not clean:
        return [TaintedArgument("*", "")]
    return list(dict.fromkeys(found))


def _given(values: BaseModel) -> Iterator[tuple[str, Any]]:
    """Arguments that carry text or numbers of somebody's choice."""
    fields = type(values).model_fields
    named = {found.alias or name: found for name, found in fields.items()}
    for name, value in call_arguments(values).items():
        default = named[name].default
        choice = "Literal[" in str(named[name].annotation)
        if value != default and not choice:
            yield name, value


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(key)
            yield from _leaves(item)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool) and value != "":
        yield value if isinstance(value, int | float | str) else str(value)


@dataclass(frozen=True, slots=True)
class _Said:
    """Texts, prepared for looking values up in them."""

    text: str
    words: frozenset[str]
    numbers: frozenset[float]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "_Said":
        plain = [_plain(text) for text in texts]
        split = [_WORD.findall(text) for text in plain]
        words = frozenset(word for found in split for word in found)
        joined = " \n ".join(" ".join(found) for found in split)
        numbers = {number for text in plain for number in _numbers(text)}
        return cls(f" {joined} ", words, frozenset(numbers | _counted(words)))

    def holds(self, value: object, *, loosely: bool = True) -> bool:
        """Whether a value is here; a sentence may be made of the words in another order."""
        if isinstance(value, int | float):
            return float(value) in self.numbers
        found = _WORD.findall(_plain(str(value)))
        if not found or f" {' '.join(found)} " in self.text:
            return True
        number = _number(str(value))
        if number is not None and number in self.numbers:
            return True
        return loosely and len(found) >= FEWEST_WORDS and self.words.issuperset(found)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("_", " ")


def _numbers(text: str) -> Iterator[float]:
    for match in _NUMBER.finditer(text):
        written = match[0].strip(" ,.'")
        for one in {written, *re.split(r"[\s,]+", written)}:
            yield from _readings(one)


def _readings(written: str) -> Iterator[float]:
    """What a written number may mean: 1.200 is 1.2 to some and 1200 to others."""
    bare = re.sub(r"[\s'\u00a0\u202f]", "", written)
    for text in (bare.replace(",", ""), bare.replace(".", "").replace(",", ".")):
        number = _number(text)
        if number is not None:
            yield number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _counted(words: frozenset[str]) -> set[float]:
    return {float(number) for word, number in _COUNTED.items() if word in words}
