"""Tables of what was recalled in a turn, and of what people said about it."""

from sqlalchemy import Boolean, Column, Index, Table, Text

from memory.tables import metadata

# Which items stood before a turn's question.
recalls = Table(
    "recalls",
    metadata,
    Column("turn_id", Text, primary_key=True),
    Column("item_id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("at", Text, nullable=False),
    Index("recalls_by_item", "item_id"),
)

# A person's thumb on a turn; the last one counts.
feedback = Table(
    "feedback",
    metadata,
    Column("turn_id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("good", Boolean, nullable=False),
    Column("note", Text, nullable=False),
    Column("at", Text, nullable=False),
)
