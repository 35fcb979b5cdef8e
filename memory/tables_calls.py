"""The table of tool calls: one row a call, with ids, digests and sizes, never a payload."""

from sqlalchemy import Boolean, Column, Float, Index, Integer, Table, Text

from memory.tables import metadata

tool_calls = Table(
    "tool_calls",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("at", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("expert", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("tool", Text, nullable=False),
    Column("tool_call_id", Text, nullable=False),
    Column("effect", Text, nullable=False),
    # The ledger's row; empty for a read.
    Column("effect_id", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    # The kind of error; empty where there was none.
    Column("kind", Text, nullable=False),
    Column("args_sha256", Text, nullable=False),
    Column("args_bytes", Integer, nullable=False),
    Column("artifact", Text, nullable=False),
    Column("result_sha256", Text, nullable=False),
    Column("result_bytes", Integer, nullable=False),
    Column("duration_ms", Float, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("cached", Boolean, nullable=False),
    # Secret-shaped strings that were masked in the result.
    Column("masked", Integer, nullable=False),
    # How much the result looks like instructions to the model, 0 to 1.
    Column("suspicion", Float, nullable=False),
    Column("cost_usd", Float, nullable=False),
    Index("tool_calls_by_turn", "tenant", "thread", "turn_id"),
    Index("tool_calls_by_user", "tenant", "user", "number"),
)
