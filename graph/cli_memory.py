"""`hippograph memory`: what the desk remembers for a user."""

from collections.abc import Sequence

from sqlalchemy import select

from configs.settings import Settings, load_settings
from graph.cli_options import OK, Door, UsageError
from graph.cli_run import run
from graph.cli_screen import Screen, when
from memory.database import Database
from memory.episodes import EpisodeItem, readable_audiences
from memory.sql_episodes import SqlEpisodes
from memory.tables import episodes
from state import Scope

TEXT_CHARS = 80


def ls(door: Door, limit: int) -> int:
    """List remembered items, newest first."""

    async def work(screen: Screen) -> int:
        items = await _recent(door, limit)
        rows = [
            (item.id, item.kind, item.result, when(item.occurred_at), _opening(item.text))
            for item in items
        ]
        if rows:
            screen.table(("id", "kind", "result", "when", "text"), rows)
        else:
            screen.say("Nothing is remembered yet.")
        screen.document(items)
        return OK

    return run(door, work)


def show(door: Door, item: str) -> int:
    """Print one remembered item whole."""

    async def work(screen: Screen) -> int:
        database, scope = await _open(door)
        try:
            found = await SqlEpisodes(database).scoped(scope).get([item])
        finally:
            await database.close()
        if not found:
            message = f"there is no memory {item!r} for you; `{door.again('memory ls')}` lists them"
            raise UsageError(message)
        _show(found[0], screen)
        screen.document(found[0])
        return OK

    return run(door, work)


def scope_of(settings: Settings, door: Door) -> Scope:
    """The scope of the door's user, with the teams of the directory."""
    member = settings.directory.users.get(door.user)
    teams = member.teams if member else ()
    return Scope(tenant=door.tenant, user=door.user, teams=teams)


async def _open(door: Door) -> tuple[Database, Scope]:
    settings = load_settings(door.app)
    return await Database.open(settings.database_url), scope_of(settings, door)


async def _recent(door: Door, limit: int) -> Sequence[EpisodeItem]:
    database, scope = await _open(door)
    query = (
        select(episodes.c.id)
        .where(
            episodes.c.tenant == scope.tenant,
            episodes.c.audience.in_(readable_audiences(scope)),
            episodes.c.forgotten_at.is_(None),
        )
        .order_by(episodes.c.occurred_at.desc(), episodes.c.number.desc())
        .limit(limit)
    )
    try:
        ids = await database.read(lambda conn: list(conn.execute(query).scalars()))
        return await SqlEpisodes(database).scoped(scope).get(ids)
    finally:
        await database.close()


def _show(item: EpisodeItem, screen: Screen) -> None:
    screen.say(f"{item.id}  {item.kind}  {item.result}  {when(item.occurred_at)}", "bold")
    screen.say(f"thread {item.thread}, turn {item.turn_id}, from {item.source}", "dim")
    screen.say(item.text)
    if item.episode and item.episode.avoid:
        screen.say(f"avoid: {item.episode.avoid}", "yellow")


def _opening(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_CHARS else f"{line[:TEXT_CHARS]}…"
