"""A turn remembered as the background does it: its item, and the episodes of its segment."""

from memory.artifacts import Artifacts
from memory.database import Database
from memory.drafting import Drafter
from memory.remembering import Memory, Remembered
from memory.segment_shapes import SourceMessage
from memory.segmentation import Segmenter
from state import Scope, TurnRecord, derived_id

LEARNABLE = {"issue_refund": ("reason",), "run_report": ("index_hint",)}


def messages_of(*records: TurnRecord) -> list[SourceMessage]:
    """The messages of turns, as the transcript has them."""
    return [
        SourceMessage(
            id=derived_id("msg", record["id"], ordinal),
            turn_id=record["id"],
            role="assistant" if ordinal else "user",
            source="agent" if ordinal else "user",
            text=record["answer"] if ordinal else record["user"],
            at=record["at"],
            agent=sorted(record["route"]),
            position=2 * record["index"] + ordinal,
        )
        for record in records
        for ordinal in (0, 1)
    ]


async def remember(
    database: Database, memory: Memory, scope: Scope, thread: str, *records: TurnRecord
) -> Remembered:
    """Store the turns' items and, of each segment, what it is worth."""
    drafter = Drafter(Artifacts(database), LEARNABLE)
    messages = messages_of(*records)
    stored = [await memory.remember_turn(scope, thread, record) for record in records]
    for segment in Segmenter().batch(messages):
        drafted = await drafter.draft(scope, thread, segment, messages, records)
        stored.append(
            await memory.remember_segment(
                scope, thread, segment, drafted["drafts"], drafted["nothing"]
            )
        )
    indexed = all(one.indexed for one in stored)
    return Remembered(sum(one.new_items for one in stored), indexed)
