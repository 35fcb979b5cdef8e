"""Compiled SQL statements, kept by the process: a desk that is opened anew compiles none again.

SQLAlchemy keeps them with each engine. For SQLite they may be shared, because every engine has the
same library and the same options; servers differ in what they know, so theirs stay apart.
"""

from typing import Any, Final

from sqlalchemy.util import LRUCache

STATEMENTS_KEPT: Final = 1_000


class _Statements(LRUCache[Any, Any]):
    """SQLAlchemy's own cache, but for the dialect object that each of its keys begins with."""

    def get(self, key: Any, default: Any = None) -> Any:  # noqa: ANN401 - SQLAlchemy's keys
        return super().get(key[1:], default)

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401 - SQLAlchemy's keys
        super().__setitem__(key[1:], value)


SQLITE_STATEMENTS: Final = _Statements(STATEMENTS_KEPT)
