"""What forgetting takes from conversations and segments: rows, and the words in those that stay."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, select, update

from memory.episode_rows import pages
from memory.receipts import Target
from memory.segments import drop_empty_conversations
from memory.tables_segments import conversations, segmented_messages, segments
from state import Scope

_TABLES = (segmented_messages, segments, conversations)


def erase_segments(conn: Connection, scope: Scope, target: Target, turn_ids: Sequence[str]) -> int:
    """Erase what segments hold of the target; a segment that other turns share loses its words.

    Args:
        conn: A connection inside the forgetting's transaction.
        scope: Whose.
        target: What is forgotten.
        turn_ids: The turns that are to go.

    Returns:
        How many rows were erased.
    """
    if target.level == "user":
        return sum(conn.execute(delete(one).where(_mine(one, scope))).rowcount for one in _TABLES)
    if target.level == "thread":
        return sum(
            conn.execute(
                delete(one).where(_mine(one, scope), one.c.thread.in_(target.ids))
            ).rowcount
            for one in _TABLES
        )
    return sum(_erase_turns(conn, scope, page) for page in pages(turn_ids))


def _erase_turns(conn: Connection, scope: Scope, turn_ids: Sequence[str]) -> int:
    chosen = and_(_mine(segmented_messages, scope), segmented_messages.c.turn_id.in_(turn_ids))
    query = select(segmented_messages.c.segment_id).where(chosen).distinct()
    touched = list(conn.execute(query).scalars())
    rows = conn.execute(delete(segmented_messages).where(chosen)).rowcount
    for page in pages(touched):
        members = segmented_messages.c.segment_id == segments.c.id
        filled = select(segmented_messages.c.message_id).where(members).exists()
        mine = and_(_mine(segments, scope), segments.c.id.in_(page))
        rows += conn.execute(delete(segments).where(mine, ~filled)).rowcount
        blank = {"entities": "[]", "topic": "", "reason": ""}
        conn.execute(update(segments).where(mine).values(**blank))
    return rows + drop_empty_conversations(conn, _mine(conversations, scope))


def _mine(table: Table, scope: Scope) -> ColumnElement[bool]:
    return and_(table.c.tenant == scope.tenant, table.c.user == scope.user)
