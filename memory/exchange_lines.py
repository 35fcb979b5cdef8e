"""The lines of an export: their shapes, and how a file of them is read."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from configs.masking import Masking
from memory.episode_rows import read_episode
from memory.episodes import Kind, Result, Source, Visibility
from memory.errors import WrongImport

SCHEMA: Final = "hippograph-memory"
VERSION: Final = 1
MOST_SHOWN: Final = 200


class Line(BaseModel):
    """Every line refuses keys it does not know: nothing may name another user."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Header(Line):
    """The first line."""

    type: Literal["header"]
    schema_name: Literal["hippograph-memory"] = Field(alias="schema")
    version: Literal[1]
    exported_at: AwareDatetime


class ItemLine(Line):
    """An item of the episodic index."""

    type: Literal["item"]
    id: str
    kind: Kind
    text: str
    thread: str
    turn_id: str
    position: int = 0
    actor: str = ""
    domain: str = ""
    operation: str = ""
    result: Result = "none"
    source: Source = "user"
    visibility: Visibility = "private"
    team: str = ""
    origin: str = ""
    uses: int = Field(default=0, ge=0)
    successes: int = Field(default=0, ge=0)
    occurred_at: AwareDatetime
    recorded_at: AwareDatetime
    episode: dict[str, Any] | None = None


class StatementLine(Line):
    """What the user said about themselves."""

    type: Literal["statement"]
    slot: str
    value: str
    polarity: Literal["holds", "ended"] = "holds"
    thread: str
    turn_id: str
    quote: str
    occurred_at: AwareDatetime
    period: str = Field(default="", pattern=r"^(\?|\d{4}(-\d{2}){0,2})?$")
    recorded_at: AwareDatetime | None = None


class ArtifactLine(Line):
    """A result, a trace or reasoning of one of the user's turns."""

    type: Literal["artifact"]
    id: str = Field(min_length=1)
    thread: str
    turn_id: str
    module: str
    kind: str
    source: str
    text: str
    created_at: AwareDatetime


@dataclass(slots=True)
class Lines:
    """What a file holds, by type."""

    items: list[ItemLine] = field(default_factory=list)
    statements: list[StatementLine] = field(default_factory=list)
    artifacts: list[ArtifactLine] = field(default_factory=list)


def read_lines(lines: Iterable[str], slots: Collection[str], masking: Masking) -> Lines:
    """Read a whole file, its secrets masked, before anything of it is stored.

    Raises:
        WrongImport: a line is none that an export writes, or names a slot that is not declared.
    """
    found = Lines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        read = _parsed(number, line, masking, first=number == 1)
        if isinstance(read, ItemLine):
            found.items.append(read)
        elif isinstance(read, ArtifactLine):
            found.artifacts.append(read)
        elif isinstance(read, StatementLine):
            if read.slot not in slots:
                raise WrongImport(number, f"a slot of {', '.join(sorted(slots))}", repr(read.slot))
            found.statements.append(read)
    return found


def _parsed(number: int, line: str, masking: Masking, *, first: bool) -> Line:
    try:
        value = masking.within(json.loads(line))
    except (ValueError, RecursionError) as error:
        raise WrongImport(number, "one JSON document a line", str(error)) from error
    kind = value.get("type") if isinstance(value, dict) else None
    if first != (kind == "header") or kind not in ("header", *_TYPES):
        wanted = (
            f"a header of {SCHEMA} version {VERSION}" if first else f"one of {', '.join(_TYPES)}"
        )
        raise WrongImport(number, wanted, repr(value)[:MOST_SHOWN])
    model = Header if first else _TYPES[kind]
    try:
        read = model.model_validate(value)
        if isinstance(read, ItemLine) and read.episode is not None:
            read_episode(read.episode)
    except (ValidationError, KeyError, TypeError, OverflowError) as error:
        raise WrongImport(number, f"a line as an export writes it ({kind})", str(error)) from error
    return read


_TYPES: Final[dict[str, type[Line]]] = {
    "item": ItemLine,
    "statement": StatementLine,
    "artifact": ArtifactLine,
}
