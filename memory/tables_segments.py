"""Tables of conversations, their segments, and the segment of each message."""

from sqlalchemy import Boolean, Column, Float, Index, Integer, Table, Text

from memory.tables import metadata

# Neighbouring turns that the same experts served.
conversations = Table(
    "conversations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("position", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
    Index("conversations_by_thread", "thread", "position"),
)

# One topic of a conversation; `state` is open, episode (with the episodes' ids) or discarded.
segments = Table(
    "segments",
    metadata,
    Column("id", Text, primary_key=True),
    Column("conversation_id", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("final", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
    Column("domain", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("entities", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("episode_ids", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Index("segments_by_thread", "thread", "position"),
)

# The primary key is the law that a message is in one segment only.
segmented_messages = Table(
    "segmented_messages",
    metadata,
    Column("message_id", Text, primary_key=True),
    Column("segment_id", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("domain", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("speech_act", Text, nullable=False),
    Index("segmented_messages_by_segment", "segment_id", "position"),
    Index("segmented_messages_by_turn", "thread", "turn_id"),
)
