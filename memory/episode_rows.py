"""Episodic items as rows of the table `episodes`, with full text in the same transaction."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, RowMapping, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from memory.episodes import Action, Episode, EpisodeItem, audience_of, searchable
from memory.tables import episodes, turns
from memory.text_index import EPISODE_TEXT, TextEntry
from state import Scope, clean_text

MAX_TEXT_CHARS: Final = 20_000
PAGE: Final = 500
NO_EPISODE: Final = "{}"
# The status of a turn whose text was erased.
FORGOTTEN: Final = "forgotten"
EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
LATEST: Final = datetime.max.replace(tzinfo=UTC)

_SAME: Final = (
    "id", "kind", "text", "thread", "turn_id", "position", "actor", "domain", "operation",
    "result", "source", "visibility", "team", "uses", "successes", "origin",
)  # fmt: skip


def insert_new(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
    """Store the rows whose id is new, with their full text; return how many were.

    Nothing is stored of a turn that was forgotten, however late it comes.
    """
    distinct = {row["id"]: row for row in reversed(rows)}
    added = 0
    for page in pages(list(reversed(distinct.values()))):
        ids = [row["id"] for row in page]
        taken = set(conn.execute(select(episodes.c.id).where(episodes.c.id.in_(ids))).scalars())
        gone = forgotten_turns(conn, {row["turn_id"] for row in page})
        fresh = [row for row in page if row["id"] not in taken and row["turn_id"] not in gone]
        if fresh:
            added += _insert(conn, fresh)
    return added


def _insert(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
    dialect = postgresql if conn.dialect.name == "postgresql" else sqlite
    # Another process may have stored the same turn since we looked.
    statement = dialect.insert(episodes).on_conflict_do_nothing(index_elements=["id"])
    returned = conn.execute(statement.returning(episodes.c.number, episodes.c.id), list(rows))
    numbers = {row.id: row.number for row in returned}
    EPISODE_TEXT.add(
        conn,
        [
            TextEntry(numbers[row["id"]], row["audience"], searchable(row["actor"], row["text"]))
            for row in rows
            if row["id"] in numbers
        ],
    )
    return len(numbers)


def forgotten_turns(conn: Connection, ids: Collection[str]) -> set[str]:
    """Those of the turns whose text was erased."""
    query = select(turns.c.id).where(turns.c.id.in_(list(ids)), turns.c.status == FORGOTTEN)
    return set(conn.execute(query).scalars())


def rewrite(conn: Connection, number: int, values: Mapping[str, Any]) -> None:
    """Change a row's content: its full text follows, its vector at the next sweep."""
    row = conn.execute(
        update(episodes)
        .where(episodes.c.number == number)
        .values(**values, indexed="")
        .returning(episodes)
    ).one()
    EPISODE_TEXT.remove(conn, [number])
    text = searchable(row.actor, row.text)
    EPISODE_TEXT.add(conn, [TextEntry(number, row.audience, text)])


def erase(conn: Connection, condition: ColumnElement[bool]) -> list[str]:
    """Leave text-free tombstones of the rows; return their ids."""
    found = conn.execute(select(episodes.c.number, episodes.c.id).where(condition)).all()
    now = datetime.now(UTC).isoformat()
    for page in pages(found):
        conn.execute(
            update(episodes)
            .where(episodes.c.number.in_([row.number for row in page]))
            .values(
                text="", payload=NO_EPISODE, actor="", domain="", operation="", forgotten_at=now
            )
        )
    EPISODE_TEXT.remove(conn, [row.number for row in found])
    return [row.id for row in found]


def made_from(turn_ids: Sequence[str]) -> ColumnElement[bool]:
    """Rows of the turns, and episodes that cite any of them; a page of ids at most."""
    # Ids hold letters, digits and underscores only, so each stands in the payload as it is.
    cited = [episodes.c.payload.contains(f'"{one}"', autoescape=True) for one in turn_ids]
    return or_(episodes.c.turn_id.in_(list(turn_ids)), *cited)


def pages(values: Sequence[Any]) -> list[list[Any]]:
    """The values in lists short enough for one statement."""
    return [list(values[at : at + PAGE]) for at in range(0, len(values), PAGE)]


def to_row(scope: Scope, item: EpisodeItem) -> dict[str, Any]:
    """An item as its row, in the scope that writes it.

    Raises:
        ValueError: the item is for a team that the scope is not in.
    """
    row = {name: getattr(item, name) for name in _SAME}
    row |= {name: clean_text(row[name]) for name in ("actor", "domain", "operation")}
    return row | {
        "tenant": scope.tenant,
        "user": scope.user,
        "audience": audience_of(scope, item.visibility, item.team),
        "text": shortened(clean_text(item.text)),
        "payload": payload_of(item.episode),
        "occurred_at": stored_time(item.occurred_at),
        "recorded_at": stored_time(item.recorded_at),
        "indexed": "",
        "forgotten_at": None,
    }


def shortened(value: str, limit_chars: int = MAX_TEXT_CHARS) -> str:
    """The text, or its opening with a remark on how much was left out."""
    if len(value) <= limit_chars:
        return value
    return f"{value[:limit_chars]} [{len(value) - limit_chars} more characters in the transcript]"


def stored_time(moment: datetime) -> str:
    """A time as ISO 8601 in UTC; one without a zone is UTC, one out of range the nearest in it."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC).isoformat()
    except OverflowError:
        nearest = EARLIEST if aware.year == EARLIEST.year else LATEST
        return nearest.isoformat()


def payload_of(episode: Episode | None) -> str:
    """An episode as JSON; an empty object for none."""
    if episode is None:
        return NO_EPISODE
    return clean_text(json.dumps(asdict(episode), ensure_ascii=False, sort_keys=True, default=str))


def from_row(row: RowMapping) -> EpisodeItem:
    """A row as its item."""
    payload = row["payload"]
    return EpisodeItem(
        **{name: row[name] for name in _SAME},
        occurred_at=datetime.fromisoformat(row["occurred_at"]),
        recorded_at=datetime.fromisoformat(row["recorded_at"]),
        episode=None if payload == NO_EPISODE else read_episode(json.loads(payload)),
    )


def read_episode(payload: Mapping[str, Any]) -> Episode:
    """An episode from its JSON."""
    return Episode(
        agent=tuple(payload["agent"]),
        situation=payload["situation"],
        actions=tuple(Action(**action) for action in payload["actions"]),
        observation=payload["observation"],
        topic=payload["topic"],
        entities=tuple(payload["entities"]),
        lesson=payload["lesson"],
        avoid=payload["avoid"],
        constraints=tuple(payload["constraints"]),
        # Earlier versions did not write these.
        cause=payload.get("cause", ""),
        alternative=payload.get("alternative", ""),
        turns=tuple(payload.get("turns", ())),
        messages=tuple(payload.get("messages", ())),
        retired_by=payload.get("retired_by", ""),
    )
