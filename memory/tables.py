"""All tables of the SQL database. Times are ISO 8601 UTC text; JSON values are canonical text."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()

schema_migrations = Table(
    "schema_migrations",
    MetaData(),
    Column("version", Integer, primary_key=True),
)

threads = Table(
    "threads",
    metadata,
    Column("key", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Index("threads_by_owner", "tenant", "owner", "updated_at"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("closed_at", Text, nullable=False),
    Column("rolled_back_at", Text),
    Index("turns_by_thread", "thread", "position"),
)

messages = Table(
    "messages",
    metadata,
    Column("id", Text, primary_key=True),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("importance", Float, nullable=False),
    Column("compression", Text, nullable=False),
    Index("messages_by_turn", "thread", "turn_id", "ordinal"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("teams", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    # When a pending row may run; what has brought it about.
    Column("due_at", Text, nullable=False, server_default=""),
    Column("cause", Text, nullable=False, server_default="turn"),
    Index("outbox_by_state", "state", "created_at"),
)

leases = Table(
    "leases",
    metadata,
    Column("thread", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("acquired_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
)

effects = Table(
    "effects",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("expert", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("tool", Text, nullable=False),
    Column("args", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("tool_call_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("needs_approval", Boolean, nullable=False),
    Column("approver_teams", Text, nullable=False),
    Column("reasons", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
    Column("decided_by", Text),
    Column("decided_at", Text),
    Column("decision", Text),
    Column("message", Text, nullable=False),
    Column("supersedes", Text),
    Column("artifact", Text),
    Column("note", Text, nullable=False),
    Index("effects_by_turn", "thread", "turn_id", "expert", "ordinal"),
    Index("effects_by_status", "tenant", "status"),
)

effect_events = Table(
    "effect_events",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("effect", Text, nullable=False),
    Column("before", Text),
    Column("after", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("note", Text, nullable=False),
    Index("effect_events_by_effect", "effect", "number"),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("module", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("encoding", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("created_at", Text, nullable=False),
    UniqueConstraint("tenant", "user", "id", name="artifacts_once"),
    Index("artifacts_by_thread", "tenant", "user", "thread", "turn_id"),
)

episodes = Table(
    "episodes",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("team", Text, nullable=False),
    Column("audience", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("actor", Text, nullable=False),
    Column("domain", Text, nullable=False),
    Column("operation", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("occurred_at", Text, nullable=False),
    Column("recorded_at", Text, nullable=False),
    Column("uses", Integer, nullable=False),
    Column("successes", Integer, nullable=False),
    # The generation of the vector index that holds the row; empty when none does.
    Column("indexed", Text, nullable=False),
    # Set when the row is a tombstone: its text is gone, its id stays taken.
    Column("forgotten_at", Text),
    # The item it is a promoted copy of; empty for an original.
    Column("origin", Text, nullable=False, server_default=""),
    Index("episodes_by_audience", "audience", "kind"),
    Index("episodes_by_turn", "tenant", "thread", "turn_id"),
    Index("episodes_by_index", "indexed", "number"),
)
# Few rows at a time are in these, so that looking for work does not read all that was done.
_TO_INDEX, _TO_TAKE_OUT, _COPIES = (
    text("indexed = '' AND forgotten_at IS NULL"),
    text("indexed <> '' AND forgotten_at IS NOT NULL"),
    text("origin <> ''"),
)
EPISODE_INDEXES = (
    Index(
        "episodes_to_index",
        episodes.c.number,
        sqlite_where=_TO_INDEX,
        postgresql_where=_TO_INDEX,
    ),
    Index(
        "episodes_to_take_out",
        episodes.c.number,
        sqlite_where=_TO_TAKE_OUT,
        postgresql_where=_TO_TAKE_OUT,
    ),
    Index("episodes_by_origin", episodes.c.origin, sqlite_where=_COPIES, postgresql_where=_COPIES),
    Index("episodes_by_place", episodes.c.tenant, episodes.c.thread, episodes.c.position),
    Index("episodes_by_user", episodes.c.tenant, episodes.c.user, episodes.c.number),
    Index("episodes_by_time", episodes.c.audience, episodes.c.occurred_at),
)

# Serves the list of speakers: one jump from name to name.
ACTOR_INDEX = Index("episodes_by_actor", episodes.c.audience, episodes.c.actor)

# What is left of an artifact that was forgotten: its id stays taken, its text and digest are gone.
artifact_tombstones = Table(
    "artifact_tombstones",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("user", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("forgotten_at", Text, nullable=False),
    Column("reason", Text, nullable=False),
)

# Who promoted, edited, imported or forgot what; ids and numbers only.
memory_audit = Table(
    "memory_audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("at", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Index("memory_audit_by_subject", "tenant", "subject"),
)

# What users said about themselves, one row a mention; the facts themselves are derived from these.
fact_mentions = Table(
    "fact_mentions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("user", Text, nullable=False),
    Column("audience", Text, nullable=False),
    Column("slot", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("normalised", Text, nullable=False),
    Column("polarity", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("quote", Text, nullable=False),
    Column("occurred_at", Text, nullable=False),
    Column("recorded_at", Text, nullable=False),
    # The same for all wordings of one value; empty in rows of old.
    Column("meaning", Text, nullable=False, server_default=""),
    # The day, month or year that was stated.
    Column("period", Text, nullable=False, server_default=""),
    Index("fact_mentions_by_slot", "audience", "slot", "occurred_at"),
    Index("fact_mentions_by_turn", "tenant", "thread", "turn_id"),
)

# What is left of the rate of a key at an endpoint; times are seconds since the epoch.
rate_buckets = Table(
    "rate_buckets",
    metadata,
    Column("key", Text, primary_key=True),
    Column("requests", Float, nullable=False),
    Column("tokens", Float, nullable=False),
    Column("at", Float, nullable=False),
    Column("closed_until", Float, nullable=False),
)

# One row a call of a model: sizes and digests of its prompt's blocks, and the provider's figures.
model_calls = Table(
    "model_calls",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("thread", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("module", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("blocks", Text, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("cache_read_tokens", Integer, nullable=False),
    Column("cache_write_tokens", Integer, nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("cost_usd", Float),  # empty when nobody knows the price
    Index("model_calls_by_thread", "thread", "number"),
)

# What a model writes about the turns of one fold, and until then what it is to read.
summaries = Table(
    "summaries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("thread", Text, nullable=False),
    Column("fold", Text, nullable=False),
    Column("upto", Integer, nullable=False),
    # wanted, written (may be taken over) or refused (with the reason in `note`).
    Column("state", Text, nullable=False),
    # The window before the fold, for the model; emptied when the job has ended.
    Column("source", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Index("summaries_by_thread", "thread", "state", "fold"),
)

# A trigger per dialect: an artifact may be deleted, never changed.
ARTIFACTS_APPEND_ONLY = {
    "sqlite": (
        "CREATE TRIGGER IF NOT EXISTS artifacts_append_only BEFORE UPDATE ON artifacts "
        "BEGIN SELECT RAISE(ABORT, 'artifacts are append-only'); END",
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION refuse_artifact_update() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'artifacts are append-only'; END $$",
        "CREATE OR REPLACE TRIGGER artifacts_append_only BEFORE UPDATE ON artifacts "
        "FOR EACH ROW EXECUTE FUNCTION refuse_artifact_update()",
    ),
}
# And deleted only after its tombstone was written, which `forget` alone does.
ARTIFACTS_LEAVE_TOMBSTONES = {
    "sqlite": (
        "CREATE TRIGGER IF NOT EXISTS artifacts_leave_tombstones BEFORE DELETE ON artifacts "
        "WHEN NOT EXISTS (SELECT 1 FROM artifact_tombstones t WHERE t.tenant = OLD.tenant "
        'AND t."user" = OLD."user" AND t.id = OLD.id) '
        "BEGIN SELECT RAISE(ABORT, 'artifacts are deleted by forget only'); END",
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION refuse_artifact_delete() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN IF NOT EXISTS (SELECT 1 FROM artifact_tombstones t WHERE t.tenant = OLD.tenant "
        'AND t."user" = OLD."user" AND t.id = OLD.id) '
        "THEN RAISE EXCEPTION 'artifacts are deleted by forget only'; END IF; "
        "RETURN OLD; END $$",
        "CREATE OR REPLACE TRIGGER artifacts_leave_tombstones BEFORE DELETE ON artifacts "
        "FOR EACH ROW EXECUTE FUNCTION refuse_artifact_delete()",
    ),
}
