"""Versioned schema changes; each runs once, in order, under the database's write lock."""

from collections.abc import Callable
from typing import TypeAlias

from sqlalchemy import Connection, func, insert, select, text

from memory.errors import SchemaTooNew
from memory.fulltext import ARTIFACT_TEXT, EPISODE_TEXT
from memory.tables import (
    ARTIFACTS_APPEND_ONLY,
    metadata,
    model_calls,
    rate_buckets,
    schema_migrations,
)

Migration: TypeAlias = Callable[[Connection], None]

ADVISORY_LOCK = 0x4849_5050


def create_all(conn: Connection) -> None:
    """Version 1: every table of `memory.tables`."""
    metadata.create_all(conn)


def add_full_text(conn: Connection) -> None:
    """Version 2: the full-text indexes, and artifacts that cannot be changed."""
    for index in (EPISODE_TEXT, ARTIFACT_TEXT):
        index.create(conn)
    for statement in ARTIFACTS_APPEND_ONLY[conn.dialect.name]:
        conn.execute(text(statement))


def add_rate_buckets(conn: Connection) -> None:
    """Rates of keys, shared by processes."""
    rate_buckets.create(conn, checkfirst=True)


def add_model_calls(conn: Connection) -> None:
    """What each call of a model read, wrote and found in a cache."""
    model_calls.create(conn, checkfirst=True)


MIGRATIONS: list[Migration] = [create_all, add_full_text, add_rate_buckets, add_model_calls]


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
