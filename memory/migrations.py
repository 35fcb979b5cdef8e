"""Versioned schema changes; each runs once, in order, under the database's write lock."""

from collections.abc import Callable
from typing import TypeAlias

from sqlalchemy import Connection, func, insert, select, text

from memory.errors import SchemaTooNew
from memory.tables import metadata, schema_migrations

Migration: TypeAlias = Callable[[Connection], None]

ADVISORY_LOCK = 0x4849_5050


def create_all(conn: Connection) -> None:
    """Version 1: every table of `memory.tables`."""
    metadata.create_all(conn)


MIGRATIONS: list[Migration] = [create_all]


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
