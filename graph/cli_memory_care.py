"""`hippograph memory`: reasons, changes, sharing, export and import, figures, the index."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import get_args

from sqlalchemy import Connection, func, select

from configs.masking import Masking
from configs.settings import Settings, load_settings
from graph.cli_memory import scope_of
from graph.cli_options import OK, Door, UsageError
from graph.cli_run import run
from graph.cli_screen import Screen, place, when
from graph.services import judge_of, utc_now
from graph.tooling import masking_of
from memory.audit import acts_on
from memory.database import Database
from memory.episodes import EpisodeItem, Result, Visibility
from memory.exchange import export_lines, import_lines
from memory.fact_history import Fact
from memory.opening import OpenMemory, open_memory
from memory.tables import artifacts, episodes, fact_mentions
from models.embedding import shared_embedder
from state import Scope


@dataclass(frozen=True, slots=True)
class Opened:
    """What these commands work on."""

    settings: Settings
    database: Database
    memory: OpenMemory
    scope: Scope
    masking: Masking


def facts(door: Door, *, past: bool) -> int:
    """List what is known."""

    async def work(screen: Screen) -> int:
        async with opened_memory(door) as opened:
            known = await opened.memory.facts.history(opened.scope)
        shown = [fact for fact in known if past or fact.is_current]
        rows = [
            (fact.id, fact.slot, fact.value, when(fact.valid_from), _until(fact.valid_to))
            for fact in shown
        ]
        if rows:
            screen.table(("id", "slot", "value", "since", "until"), rows)
        else:
            screen.say("Nothing is known yet.")
        screen.document(shown)
        return OK

    return run(door, work)


def why(door: Door, item: str) -> int:
    """Where a fact or an item comes from."""

    async def work(screen: Screen) -> int:
        async with opened_memory(door) as opened:
            mentions = await opened.memory.facts.why(opened.scope, item)
            subjects = [item, *(mention.id for mention in mentions)]
            acts = [
                act
                for subject in subjects
                for act in await acts_on(opened.database, opened.scope, subject)
            ]
            found = None if mentions else await _readable(opened, door, item)
        for mention in mentions:
            place = f"{mention.by}  {mention.thread}  {mention.turn_id}"
            screen.say(f"{when(mention.occurred_at)}  {place}", "dim")
            screen.say(f"  “{mention.quote}” → {mention.slot}: {mention.value}")
        if found is not None:
            screen.say(f"{found.kind} of {when(found.occurred_at)}, from {found.source}", "bold")
            screen.say(f"thread {found.thread}, turn {found.turn_id}, recalled {found.uses} times")
        for act in acts:
            screen.say(f"{when(act.at)}  {act.user}  {act.action}  {act.detail}")
        screen.document({"statements": mentions, "item": found, "acts": acts})
        return OK

    return run(door, work)


def edit(door: Door, item: str, changes: Mapping[str, str]) -> int:
    """Change an item of the user's."""

    async def work(screen: Screen) -> int:
        if not changes:
            message = "wanted at least one of --text, --result, --lesson and --avoid"
            raise UsageError(message)
        if changes.get("result", "none") not in get_args(Result):
            message = f"wanted a result of {', '.join(get_args(Result))}"
            raise UsageError(message)
        async with opened_memory(door) as opened:
            kept = {name: opened.masking(text) for name, text in changes.items()}
            edited = await _edited(opened, item, kept)
        if edited is None:
            raise UsageError(_unknown(door, item))
        screen.say(f"{edited.id} was changed.")
        screen.document(edited)
        return OK

    return run(door, work)


def promote(door: Door, item: str, to: str) -> int:
    """Share an item of the user's."""

    async def work(screen: Screen) -> int:
        visibility, team = readers_of(to)
        async with opened_memory(door) as opened:
            try:
                copy = await opened.memory.sharing.promote(opened.scope, item, visibility, team)
            except ValueError as error:
                raise UsageError(str(error)) from error
        if copy is None:
            raise UsageError(_unknown(door, item))
        screen.say(f"{item} is shared with {to} as {copy.id}, private details taken out:")
        screen.say(copy.text)
        screen.document(copy)
        return OK

    return run(door, work)


def write_export(door: Door, file: Path) -> int:
    """Write the user's memory to a new file."""

    async def work(screen: Screen) -> int:
        async with opened_memory(door) as opened:
            lines = export_lines(
                opened.database, opened.memory.episodes, opened.memory.facts, opened.scope
            )
            written = [line async for line in lines]
        try:
            with file.open("x", encoding="utf-8") as out:
                out.writelines(f"{line}\n" for line in written)
        except OSError as error:
            message = f"wanted a new file, got {place(file)}: {error.strerror}"
            raise UsageError(message) from error
        screen.say(f"{len(written) - 1} entries written to {place(file)}.")
        screen.document({"file": file, "entries": len(written) - 1})
        return OK

    return run(door, work)


def read_import(door: Door, file: Path) -> int:
    """Read an export into the user's memory."""

    async def work(screen: Screen) -> int:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()  # noqa: ASYNC240 - the same
        except (OSError, UnicodeDecodeError) as error:
            message = f"wanted a file that `memory export` wrote, got {place(file)}: {error}"
            raise UsageError(message) from error
        async with opened_memory(door) as opened:
            memory, to = opened.memory, opened.scope
            with screen.progress("Importing"):
                stored = await import_lines(
                    opened.database, memory.episodes, memory.facts, to, lines, opened.masking
                )
        new = f"{stored.items} items, {stored.statements} statements, {stored.artifacts} artifacts"
        known = f"{stored.known_items}, {stored.known_statements} and {stored.known_artifacts}"
        screen.say(f"{new} are new;")
        screen.say(f"{known} were known or forgotten.")
        screen.document(stored)
        return OK

    return run(door, work)


def stats(door: Door) -> int:
    """Count what is kept."""

    async def work(screen: Screen) -> int:
        async with opened_memory(door) as opened:
            scope = opened.scope
            figures = await opened.database.read(lambda conn: _figures(conn, scope))
            waiting = await opened.memory.indexer.waiting() if opened.memory.indexer else 0
            disk = _sizes(opened.settings.data_dir)
        figures["waiting for the index"] = waiting
        rows = [(name, str(value)) for name, value in figures.items()]
        screen.table(("kept for you", "number"), rows)
        screen.table(("on disk, of everybody", "kB"), [(n, str(v)) for n, v in disk.items()])
        screen.document({"kept": figures, "disk_kb": disk})
        return OK

    return run(door, work)


def reindex(door: Door) -> int:
    """Make the vector index anew."""

    async def work(screen: Screen) -> int:
        async with opened_memory(door) as opened:
            if opened.memory.indexer is None:
                message = "no embedder is set, so there is no vector index"
                raise UsageError(message)
            with screen.progress("Embedding"):
                number = await opened.memory.indexer.reindex()
        screen.say(f"{number} items are in the new index.")
        screen.document({"items": number})
        return OK

    return run(door, work)


@asynccontextmanager
async def opened_memory(door: Door) -> AsyncIterator[Opened]:
    """The memory of the door's app and user, closed at the end."""
    settings = load_settings(door.app)
    database = await Database.open(settings.database_url)
    try:
        embedder = shared_embedder(settings.embedder.name)
        memory = open_memory(
            database, settings, embedder=embedder, judge=judge_of(embedder), clock=utc_now
        )
        try:
            yield Opened(settings, database, memory, scope_of(settings, door), masking_of(settings))
        finally:
            await memory.close()
    finally:
        await database.close()


async def _edited(
    opened: Opened, item: str, changes: Mapping[str, str]
) -> EpisodeItem | Fact | None:
    """The changed item, or the fact with another value; None if there is none of the user's."""
    if not await opened.memory.facts.why(opened.scope, item):
        return await opened.memory.episodes.scoped(opened.scope).edit(item, changes)
    if set(changes) != {"text"}:
        message = "a fact has a value only: wanted --text and nothing else"
        raise UsageError(message)
    try:
        return await opened.memory.facts.edit(opened.scope, item, changes["text"])
    except ValueError as error:
        raise UsageError(str(error)) from error


async def _readable(opened: Opened, door: Door, item: str) -> EpisodeItem:
    found = await opened.memory.episodes.scoped(opened.scope).get([item])
    if not found:
        raise UsageError(_unknown(door, item))
    return found[0]


def _unknown(door: Door, item: str) -> str:
    return f"there is no memory {item!r} of yours; `{door.again('memory ls')}` lists them"


def _until(at: datetime | None) -> str:
    return "" if at is None else when(at)


def readers_of(to: str) -> tuple[Visibility, str]:
    """Whom `team:NAME` or `organisation` names.

    Raises:
        UsageError: neither is meant.
    """
    kind, _, team = to.partition(":")
    if kind == "team" and team:
        return "team", team
    if to == "organisation":
        return "organisation", ""
    message = f"wanted --to team:NAME or --to organisation, got {to!r}"
    raise UsageError(message)


def _figures(conn: Connection, scope: Scope) -> dict[str, int]:
    mine = (episodes.c.tenant == scope.tenant, episodes.c.user == scope.user)
    kinds = select(episodes.c.kind, func.count()).where(*mine, episodes.c.forgotten_at.is_(None))
    figures = {f"{row[0]}s": int(row[1]) for row in conn.execute(kinds.group_by(episodes.c.kind))}
    for name, table in (("artifacts", artifacts), ("statements", fact_mentions)):
        own = (table.c.tenant == scope.tenant, table.c.user == scope.user)
        counted = select(func.count()).select_from(table).where(*own)
        figures[name] = int(conn.execute(counted).scalar_one())
    return figures


def _sizes(folder: Path) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            top = file.relative_to(folder).parts[0]
            sizes[top] = sizes.get(top, 0) + file.stat().st_size
    return {name: round(size / 1_000) for name, size in sizes.items()}
