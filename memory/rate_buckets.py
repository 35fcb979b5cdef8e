"""Rate buckets in the SQL database, so that all processes that use a key share its rate."""

from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, select, update
from sqlalchemy.dialects import postgresql, sqlite

from memory.database import Database
from memory.tables import rate_buckets
from models.limiter import Change
from models.rates import Bucket, Grant

_INSERTS: Final[dict[str, Any]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class SqlBuckets:
    """A `models.limiter.BucketStore`; each change is one write transaction."""

    def __init__(self, database: Database) -> None:
        """Keep buckets in `database`."""
        self._database = database

    async def change(self, key: str, change: Change) -> Grant:
        """Replace a key's bucket by what `change` makes of it."""
        return await self._database.write(lambda conn: _change(conn, key, change))


def _change(conn: Connection, key: str, change: Change) -> Grant:
    held = _held(conn, key)
    if held is None:
        bucket, grant = change(None)
        new = _INSERTS[conn.dialect.name](rate_buckets).values(key=key, **asdict(bucket))
        if conn.execute(new.on_conflict_do_nothing()).rowcount == 1:
            return grant
        held = _held(conn, key)  # another process was faster
    bucket, grant = change(held)
    conn.execute(update(rate_buckets).where(rate_buckets.c.key == key).values(asdict(bucket)))
    return grant


def _held(conn: Connection, key: str) -> Bucket | None:
    query = select(rate_buckets).where(rate_buckets.c.key == key).with_for_update()
    row = conn.execute(query).first()
    return None if row is None else Bucket(row.requests, row.tokens, row.at, row.closed_until)
