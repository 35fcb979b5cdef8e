"""`hippograph memory load`: documents as memories."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from configs.masking import Masking
from graph.cli_memory_care import opened_memory, readers_of
from graph.cli_options import OK, Door, UsageError
from graph.cli_run import run
from graph.cli_screen import Screen, place
from graph.services import utc_now
from memory.documents import Documents, LoadedDocument, Section, sections_of
from memory.episodes import Visibility

ENDINGS: Final = (".md", ".markdown", ".txt", ".rst", ".text")
MOST_BYTES: Final = 5_000_000


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    sections: list[Section]
    at: datetime


def load(door: Door, paths: Sequence[Path], to: str, *, remove: bool) -> int:
    """Read documents into memory, in place of what they said before; or remove them."""

    async def work(screen: Screen) -> int:
        visibility, team = readers(to)
        loaded: list[LoadedDocument] = []
        async with opened_memory(door) as opened:
            if remove:
                files = _named(paths)
            else:
                files = await asyncio.to_thread(read_files, paths, opened.masking)
            documents = Documents(opened.database, utc_now)
            with screen.progress("Loading") as status:
                for number, one in enumerate(files, start=1):
                    status.update(f"{number} of {len(files)}: {one.name}")
                    try:
                        done = await documents.load(
                            opened.scope, one.name, one.sections,
                            at=one.at, visibility=visibility, team=team,
                        )  # fmt: skip
                    except ValueError as error:
                        raise UsageError(str(error)) from error
                    loaded.append(done)
        if remove and (unknown := [one.name for one in loaded if not one.removed]):
            message = (
                f"you have not loaded {', '.join(unknown)} for {to}; nothing was removed of it"
            )
            raise UsageError(message)
        for done in loaded:
            said = f"{done.new} new, {done.unchanged} unchanged, {done.removed} removed sections"
            screen.say(f"{done.name}: {said}")
        screen.document({"to": to, "documents": loaded})
        return OK

    return run(door, work)


def readers(to: str) -> tuple[Visibility, str]:
    """Whom `--to` names; nobody else by default."""
    return ("private", "") if to == "private" else readers_of(to)


def read_files(paths: Sequence[Path], masking: Masking) -> list[_File]:
    """The documents at the paths without secrets, named by their place in folders; blocks.

    Raises:
        UsageError: a path is no document, or two have one name.
    """
    found: dict[str, _File] = {}
    for path in paths:
        files = (
            sorted(one for one in path.rglob("*") if one.suffix in ENDINGS)
            if (path.is_dir())
            else [path]
        )
        if not files:
            message = f"wanted documents ({', '.join(ENDINGS)}) in {place(path)}, came none"
            raise UsageError(message)
        for file in files:
            name = file.relative_to(path.parent).as_posix()
            if name in found:
                message = f"wanted documents of different names, came {name!r} twice"
                raise UsageError(message)
            found[name] = _read(file, name, masking)
    return list(found.values())


def _read(file: Path, name: str, masking: Masking) -> _File:
    try:
        details = file.stat()
        if file.suffix not in ENDINGS or details.st_size > MOST_BYTES:
            message = (
                f"wanted a document ({', '.join(ENDINGS)}) of at most {MOST_BYTES // 1_000_000} MB"
                f", came {place(file)} with {details.st_size} bytes"
            )
            raise UsageError(message)
        text = masking(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        message = f"wanted a document in UTF-8, came {place(file)}: {error}"
        raise UsageError(message) from error
    sections = sections_of(name, text)
    if not sections:
        message = f"wanted a document with text, came {place(file)} with none"
        raise UsageError(message)
    return _File(name, sections, datetime.fromtimestamp(details.st_mtime, UTC))


def _named(paths: Sequence[Path]) -> list[_File]:
    """Documents to remove, by the names that `memory load` has printed."""
    return [_File(path.as_posix(), [], utc_now()) for path in paths]
