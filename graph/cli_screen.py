"""What a command writes: text or one JSON document to stdout, progress and errors to stderr."""

import dataclasses
import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table
from rich.text import Text

PIPE_COLUMNS = 200


def visible(text: str) -> str:
    """Text without characters that steer a terminal or hide their neighbours.

    Tools and models are not trusted to draw on the screen: an escape sequence or a bidirectional
    override could make an approval look like another one.
    """
    return "".join(
        f"\\u{ord(character):04x}" if _steers(character) else character for character in text
    )


def _steers(character: str) -> bool:
    if character in "\n\t\u200c\u200d":  # the joiners belong to scripts and emoji
        return False
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def plain(value: object) -> Any:  # noqa: ANN401  any JSON value
    """A value as JSON knows it: dataclasses as objects, times as ISO text, paths as text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {field.name: plain(getattr(value, field.name)) for field in fields}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Sequence | set | frozenset):
        return [plain(item) for item in value]
    return str(value)


def compact(value: object) -> str:
    """A JSON value on one line, readable on a terminal."""
    return visible(json.dumps(plain(value), ensure_ascii=False))


def shortened(text: str, chars: int) -> str:
    """The beginning of a text on one line, marked where it is cut."""
    line = " ".join(visible(text).split())
    return line if len(line) <= chars else f"{line[: chars - 1]}…"


class Screen:
    """The two streams of a command."""

    def __init__(self, *, as_json: bool = False) -> None:
        """Write text, or with `as_json` nothing but one document, to stdout."""
        self.as_json = as_json
        width = None if sys.stdout.isatty() else PIPE_COLUMNS
        self._out = Console(width=width, markup=False, highlight=False, emoji=False, soft_wrap=True)
        self._err = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def say(self, text: str = "", style: str = "") -> None:
        """A paragraph for the user; silent in JSON mode."""
        if not self.as_json:
            self._out.print(Text(visible(text), style=style))

    def write(self, text: str) -> None:
        """A piece of streamed text, without a line end."""
        if not self.as_json:
            self._out.print(Text(visible(text)), end="")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows under headings; silent in JSON mode."""
        if self.as_json:
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(Text(visible(cell)) for cell in row))
        self._out.print(table)

    def document(self, value: object) -> None:
        """The one JSON document of a command; silent outside JSON mode."""
        if self.as_json:
            sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")
            sys.stdout.flush()

    def warn(self, text: str) -> None:
        """A remark beside the result, on stderr."""
        self._err.print(Text(visible(text), style="yellow"))

    def fail(self, text: str, *, kind: str) -> None:
        """Say on stderr why the work was not done; in JSON mode with a document too."""
        self._err.print(Text(visible(f"hippograph: {text}"), style="red"))
        self.document({"error": {"kind": kind, "message": text}})

    @contextmanager
    def progress(self, label: str) -> Iterator[Status]:
        """Show on stderr that work goes on, where stderr is a terminal."""
        status = Status(escape(label), console=self._err)
        if not self._err.is_terminal:
            yield status
            return
        with status:
            yield status


def when(value: object) -> str:
    """A time as people read it, in their own zone."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        return ""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def place(path: Path) -> str:
    """A path as short as it can be typed from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
