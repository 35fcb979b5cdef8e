"""What a tool returned or raised, as plain text that every store can keep.

Nothing a tool returns can break a checkpoint: NaN, NUL, numpy, dates, cycles and objects that raise
when looked at all become JSON or text here, before anything is stored.
"""

import asyncio
import dataclasses
import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel

from configs.masking import NO_MASKING, Masked, Masking
from state import clean_text
from tools.effects import LARGEST_INT
from tools.errors import ErrorKind, ToolError
from tools.running import CallTimeout

DEEPEST: Final = 32
MOST_VALUES: Final = 300_000
MOST_CHARS: Final = 8_000_000
SMALL_CHARS: Final = 10_000
MESSAGE_CHARS: Final = 1000
NOTE_CHARS: Final = 200
SMALL_ITEMS: Final = 40
CUT: Final = "…"


class _TooMuch(Exception):
    """More values than anyone will read."""


class _Plain:
    """One conversion; counts the values it has seen, and knows which it is within."""

    def __init__(self) -> None:
        self._seen = 0
        self._within: set[int] = set()

    def of(self, value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - whatever a tool returns
        """The value as JSON."""
        self._seen += 1
        if self._seen > MOST_VALUES:
            raise _TooMuch
        if depth > DEEPEST:
            return CUT
        if isinstance(value, Enum):
            return self.of(value.value, depth + 1)
        for kinds, convert in _SCALARS:
            if isinstance(value, kinds):
                return convert(value)
        if id(value) in self._within:  # a cycle
            return CUT
        self._within.add(id(value))
        try:
            return self._compound(value, depth + 1)
        finally:
            self._within.remove(id(value))

    def _compound(self, value: Any, depth: int) -> Any:  # noqa: ANN401 - whatever a tool returns
        if isinstance(value, BaseModel):
            return self.of(dict(value), depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            return {name: self.of(getattr(value, name), depth) for name in names}
        if isinstance(value, Mapping):
            return {clean_text(str(key)): self.of(item, depth) for key, item in value.items()}
        if isinstance(value, list | tuple | deque):
            return [self.of(item, depth) for item in value]
        if isinstance(value, set | frozenset):
            return [self.of(item, depth) for item in sorted(value, key=repr)]
        if callable(getattr(value, "tolist", None)):  # numpy's scalars and arrays
            return self.of(value.tolist(), depth)
        return clean_text(str(value))


def _whole(value: int) -> Any:  # noqa: ANN401 - JSON
    if -LARGEST_INT <= value <= LARGEST_INT:
        return int(value)
    return str(value) if value.bit_length() < 10_000 else f"<{value.bit_length()}-bit integer>"


def _real(value: float) -> Any:  # noqa: ANN401 - JSON
    number = float(value)
    return number if math.isfinite(number) else str(number)


_SCALARS: Final[tuple[tuple[Any, Callable[[Any], Any]], ...]] = (
    ((bool, type(None)), lambda value: value),
    (str, lambda value: clean_text(str(value))),
    (int, _whole),
    (float, _real),
    ((bytes, bytearray), lambda value: clean_text(bytes(value).decode("utf-8", "replace"))),
    ((datetime, date, time), lambda value: value.isoformat()),
    (timedelta, lambda value: value.total_seconds()),
    ((Decimal, UUID, PurePath), str),
)


def plain_json(value: object) -> Any:  # noqa: ANN401 - JSON
    """The value as JSON; what has no JSON form becomes its text."""
    try:
        return _Plain().of(value)
    except Exception:  # noqa: BLE001 - a tool's object may raise anything when looked at
        return _described(value)


def result_text(value: object) -> str:
    """A tool's result as the artifact log keeps it: a text as it is, all else as JSON."""
    plain = plain_json(value)
    text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    if len(text) <= MOST_CHARS:
        return text
    return f"{text[:MOST_CHARS]}\n[cut: the result had {len(text)} characters]"


async def kept_text(value: object, masking: Masking = NO_MASKING) -> Masked:
    """`result_text` without secrets; what may be large is converted in a thread."""
    if value is None or isinstance(value, bool | int | float):
        return Masked(result_text(value), 0)
    if isinstance(value, str) and len(value) <= SMALL_CHARS:
        return masking.masked(result_text(value))
    if _is_small(value):
        return masking.masked(result_text(value))
    return await asyncio.to_thread(lambda: masking.masked(result_text(value)))


def _is_small(value: object) -> bool:
    """Whether a value is a short flat object or list, which is not worth a thread."""
    if isinstance(value, dict) and len(value) <= SMALL_ITEMS:
        return all(_is_short(item) for item in value.values())
    if isinstance(value, list | tuple) and len(value) <= SMALL_ITEMS:
        return all(_is_short(item) for item in value)
    return False


def _is_short(value: object) -> bool:
    plain = value is None or isinstance(value, bool | int | float)
    return plain or (isinstance(value, str) and len(value) <= NOTE_CHARS)


def _described(value: object) -> str:
    try:
        return clean_text(str(value))[:MESSAGE_CHARS]
    except Exception:  # noqa: BLE001 - a tool's object may raise anything when looked at
        return f"<{type(value).__name__}>"


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """A tool's failure as models and records see it."""

    kind: ErrorKind
    message: str
    retryable: bool = False
    hint: str = ""

    @property
    def note(self) -> str:
        """One short line for records."""
        return one_line(f"{self.kind}: {self.message}")

    @property
    def text(self) -> str:
        """All of it, as JSON for the model."""
        return json.dumps({"error": dataclasses.asdict(self)}, ensure_ascii=False)


def fault_of(error: BaseException, masking: Masking = NO_MASKING) -> Fault:
    """Any exception as a Fault without secrets; a ToolError says itself what it is."""
    if isinstance(error, ToolError):
        message, hint = masking(_described(error.message)), masking(_described(error.hint))
        return Fault(error.kind, message, bool(error.retryable), hint)
    if isinstance(error, CallTimeout):
        return Fault("timeout", str(error), retryable=True)
    later = isinstance(error, ConnectionError | TimeoutError)
    text = masking(f"{type(error).__name__}: {_described(error)}"[:MESSAGE_CHARS])
    return Fault("unavailable" if later else "failed", text, retryable=later)


def fault_note(text: str) -> str:
    """The note of a fault from the text that models see of it."""
    try:
        error = json.loads(text)["error"]
        return one_line(f"{error['kind']}: {error['message']}")
    except (ValueError, LookupError, TypeError):
        return one_line(text)


def one_line(text: str, most_chars: int = NOTE_CHARS) -> str:
    """The text on one line, short enough for a record."""
    line = " ".join(clean_text(text).split())
    return line if len(line) <= most_chars else f"{line[: most_chars - 1]}{CUT}"
