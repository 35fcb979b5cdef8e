"""Versioned schema changes; each runs once, in order, under the database's write lock."""

from collections.abc import Callable
from typing import TypeAlias

from sqlalchemy import Connection, func, insert, inspect, select, text
from sqlalchemy.schema import CreateIndex

from memory.errors import SchemaTooNew
from memory.refilling import refill_text
from memory.tables import (
    ACTOR_INDEX,
    ARTIFACTS_APPEND_ONLY,
    ARTIFACTS_LEAVE_TOMBSTONES,
    EPISODE_INDEXES,
    artifact_tombstones,
    memory_audit,
    metadata,
    model_calls,
    rate_buckets,
    schema_migrations,
    summaries,
)
from memory.tables_calls import tool_calls
from memory.tables_feedback import feedback, recalls
from memory.tables_segments import conversations, segmented_messages, segments

Migration: TypeAlias = Callable[[Connection], None]

ADVISORY_LOCK = 0x4849_5050


def create_all(conn: Connection) -> None:
    """Version 1: every table of `memory.tables`; none is there but the list of versions."""
    tables = [table for table in metadata.sorted_tables if table is not schema_migrations]
    metadata.create_all(conn, tables, checkfirst=False)


def protect_artifacts(conn: Connection) -> None:
    """Version 2: artifacts that cannot be changed; its full-text indexes gave way to later ones."""
    for statement in ARTIFACTS_APPEND_ONLY[conn.dialect.name]:
        conn.execute(text(statement))


def add_rate_buckets(conn: Connection) -> None:
    """Rates of keys, shared by processes."""
    rate_buckets.create(conn, checkfirst=True)


def add_model_calls(conn: Connection) -> None:
    """What each call of a model read, wrote and found in a cache."""
    model_calls.create(conn, checkfirst=True)


def add_call_costs(conn: Connection) -> None:
    """What a call has cost; tables made by a newer version have the column already."""
    known = {column["name"] for column in inspect(conn).get_columns("model_calls")}
    if "cost_usd" not in known:
        conn.execute(text("ALTER TABLE model_calls ADD COLUMN cost_usd FLOAT"))


def index_text_by_reader(conn: Connection) -> None:
    """Full-text indexes whose terms belong to an audience each, filled from the rows."""
    for table in ("episodes", "artifacts"):
        conn.execute(text(f"DROP TABLE IF EXISTS {table}_text"))
    refill_text(conn)


def add_growth(conn: Connection) -> None:
    """Promoted copies, tombstones of artifacts, an audit, and indexes for many rows."""
    known = {column["name"] for column in inspect(conn).get_columns("episodes")}
    if "origin" not in known:
        conn.execute(text("ALTER TABLE episodes ADD COLUMN origin TEXT NOT NULL DEFAULT ''"))
    for index in EPISODE_INDEXES:
        conn.execute(CreateIndex(index, if_not_exists=True))
    for table in (artifact_tombstones, memory_audit):
        table.create(conn, checkfirst=True)
    for statement in ARTIFACTS_LEAVE_TOMBSTONES[conn.dialect.name]:
        conn.execute(text(statement))


def add_summaries(conn: Connection) -> None:
    """Summaries of folded turns that a model writes."""
    summaries.create(conn, checkfirst=True)


def index_actors(conn: Connection) -> None:
    """An index of who has spoken."""
    conn.execute(CreateIndex(ACTOR_INDEX, if_not_exists=True))


def add_segments(conn: Connection) -> None:
    """Conversations, their segments, and the segment of each message."""
    for table in (conversations, segments, segmented_messages):
        table.create(conn, checkfirst=True)


def add_job_times(conn: Connection) -> None:
    """When a job may run, and what has brought it about."""
    known = {column["name"] for column in inspect(conn).get_columns("outbox")}
    for name, default in (("due_at", ""), ("cause", "turn")):
        if name not in known:
            conn.execute(
                text(f"ALTER TABLE outbox ADD COLUMN {name} TEXT NOT NULL DEFAULT '{default}'")
            )


def add_tool_calls(conn: Connection) -> None:
    """What each call of a tool was, how it ended and how long it took."""
    tool_calls.create(conn, checkfirst=True)


def add_meanings(conn: Connection) -> None:
    """Which statements say the same in other words, and the times that they state."""
    known = {column["name"] for column in inspect(conn).get_columns("fact_mentions")}
    for name in ("meaning", "period"):
        if name not in known:
            conn.execute(
                text(f"ALTER TABLE fact_mentions ADD COLUMN {name} TEXT NOT NULL DEFAULT ''")
            )


def add_feedback(conn: Connection) -> None:
    """What was recalled in a turn, and what people said about it."""
    for table in (recalls, feedback):
        table.create(conn, checkfirst=True)


MIGRATIONS: list[Migration] = [
    create_all,
    protect_artifacts,
    add_rate_buckets,
    add_model_calls,
    add_call_costs,
    index_text_by_reader,
    add_growth,
    add_summaries,
    index_actors,
    add_segments,
    add_job_times,
    add_tool_calls,
    add_meanings,
    add_feedback,
]


def migrate(conn: Connection) -> None:
    """Bring the schema to the newest version; concurrent callers wait for the first one.

    Raises:
        SchemaTooNew: the database was written by a later version of Hippograph.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
    schema_migrations.create(conn, checkfirst=True)
    found = conn.execute(select(func.max(schema_migrations.c.version))).scalar() or 0
    if found > len(MIGRATIONS):
        raise SchemaTooNew(found, len(MIGRATIONS))
    for version, apply in enumerate(MIGRATIONS[found:], start=found + 1):
        apply(conn)
        conn.execute(insert(schema_migrations).values(version=version))
