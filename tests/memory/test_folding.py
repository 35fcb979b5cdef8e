"""A fold and the way into memory are one event; a written summary fits one fold only."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, delete, select

from memory import folding as module
from memory.compaction import Window
from memory.database import Database
from memory.folding import Folding
from memory.outbox import Outbox
from memory.summary import Written
from memory.tables import messages, outbox, summaries
from memory.transcript import Transcript
from state import Scope
from tests.memory.samples import NOON, turn

KEY = "default:t"
HISTORY = [turn(number, f"question {number}") for number in range(4)]
WINDOW = Window(HISTORY, "#0 earlier.", "", [], ["Always answer in German."])


@pytest.fixture
async def transcript(database: Database, ana: Scope) -> Transcript:
    """A thread with four closed turns."""
    made = Transcript(database, lambda: NOON)
    await made.claim(KEY, ana)
    for record in HISTORY:
        await made.close_turn(KEY, ana, record, record["answer"])
    return made


@pytest.fixture
def folding(database: Database, transcript: Transcript) -> Folding:
    return Folding(database, lambda: NOON + timedelta(hours=1))


async def rows(database: Database, query: Any) -> list[Any]:  # noqa: ANN401 - SQL
    return list(await database.read(lambda conn: conn.execute(query).all()))


async def kinds(database: Database) -> list[tuple[str, str]]:
    found = await rows(database, select(outbox.c.kind, outbox.c.turn_id).order_by(outbox.c.id))
    return sorted((row.kind, row.turn_id) for row in found)


async def test_folded_turns_are_marked_and_their_texts_stay(
    database: Database, folding: Folding, transcript: Transcript, ana: Scope
) -> None:
    await folding.commit(KEY, ana, WINDOW, ["turn-0", "turn-1"])
    kept = {(one.turn_id, one.compression) for one in await transcript.messages(KEY)}
    assert kept == {
        ("turn-0", "folded"),
        ("turn-1", "folded"),
        ("turn-2", "verbatim"),
        ("turn-3", "verbatim"),
    }
    assert [one.text for one in await transcript.messages(KEY)][:2] == ["question 0", "Done."]
    assert await rows(database, select(summaries.c.id)) == []


async def test_a_turn_without_an_extraction_row_gets_one_before_it_is_folded(
    database: Database, folding: Folding, ana: Scope
) -> None:
    lost = delete(outbox).where(outbox.c.turn_id == "turn-1")
    await database.write(lambda conn: conn.execute(lost))
    await folding.commit(KEY, ana, WINDOW, ["turn-0", "turn-1"])
    assert await kinds(database) == [
        ("consolidate", "turn-1"),
        ("consolidate", "turn-3"),
        *(("turn_closed", f"turn-{number}") for number in range(4)),
    ]


async def test_the_consolidation_of_folded_turns_waits_for_a_pause_but_not_for_ever(
    database: Database, folding: Folding, ana: Scope
) -> None:
    await folding.commit(KEY, ana, WINDOW, ["turn-0", "turn-1"])
    query = select(outbox).where(outbox.c.cause == "compaction")
    (row,) = await rows(database, query)
    assert (row.state, row.turn_id) == ("pending", "turn-1")
    assert row.due_at == (NOON + timedelta(hours=1, seconds=600)).isoformat()


async def test_an_extraction_that_has_ended_is_not_queued_again(
    database: Database, folding: Folding, ana: Scope
) -> None:
    queue = Outbox(database, lambda: NOON)
    for job in await queue.pending():
        await queue.settle(job, "done")
    await folding.commit(KEY, ana, WINDOW, ["turn-0", "turn-1"])
    assert [job.kind for job in await queue.pending()] == ["consolidate"]


async def test_nothing_is_folded_when_the_way_into_memory_cannot_be_queued(
    database: Database, folding: Folding, ana: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(conn: Connection, *_: object) -> str:
        conn.execute(delete(outbox))
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr(module, "enqueue_once", full)
    with pytest.raises(OSError, match="disk full"):
        await folding.commit(KEY, ana, WINDOW, ["turn-0"], by_model=True)
    marked = await rows(database, select(messages).where(messages.c.compression == "folded"))
    assert (marked, len(await kinds(database))) == ([], 5)


async def test_a_fold_that_is_committed_twice_is_one(
    database: Database, folding: Folding, ana: Scope
) -> None:
    for _ in range(2):
        await folding.commit(KEY, ana, WINDOW, ["turn-0", "turn-1"], by_model=True)
    assert len(await rows(database, select(summaries.c.id))) == 1
    assert [kind for kind, _ in await kinds(database)].count("summarize") == 1


async def queued(database: Database, folding: Folding, ana: Scope) -> str:
    await folding.commit(KEY, ana, WINDOW, ["turn-0", "turn-1"], by_model=True)
    (row,) = await rows(database, select(summaries.c.id))
    return str(row.id)


async def test_a_job_holds_the_window_as_it_was_before_the_fold(
    database: Database, folding: Folding, ana: Scope
) -> None:
    job = await folding.job(await queued(database, folding, ana))
    assert job is not None
    assert (job.window, job.folded, job.upto) == (WINDOW, ("turn-0", "turn-1"), 1)


async def test_a_written_summary_is_found_for_its_fold_and_for_no_other(
    database: Database, folding: Folding, ana: Scope
) -> None:
    summary_id = await queued(database, folding, ana)
    assert await folding.written_for(KEY, ["turn-2", "turn-3"]) is None
    await folding.settle(summary_id, "They spoke of tea.")
    found = await folding.written_for(KEY, ["turn-2", "turn-3"])
    assert found == Written(1, "They spoke of tea.")
    for other in (["turn-3"], ["turn-1", "turn-2", "turn-3"], []):
        assert await folding.written_for(KEY, other) is None
    assert await folding.written_for("default:other", ["turn-2", "turn-3"]) is None


async def test_a_summary_of_turns_that_were_rolled_back_is_not_found(
    database: Database, folding: Folding, transcript: Transcript, ana: Scope
) -> None:
    await folding.settle(await queued(database, folding, ana), "They spoke of tea.")
    await transcript.roll_back(KEY, ["turn-1", "turn-2", "turn-3"])
    assert await folding.written_for(KEY, []) is None
    assert await folding.written_for(KEY, ["turn-0"]) is None


async def test_a_refused_summary_keeps_its_reason_and_is_never_used(
    database: Database, folding: Folding, ana: Scope
) -> None:
    summary_id = await queued(database, folding, ana)
    await folding.settle(summary_id, "", "empty or degenerate: ''")
    await folding.settle(summary_id, "A late second answer.")
    assert await folding.written_for(KEY, ["turn-2", "turn-3"]) is None
    assert await folding.job(summary_id) is None
    (row,) = await rows(database, select(summaries.c.note, summaries.c.source))
    assert tuple(row) == ("empty or degenerate: ''", "")


async def test_a_job_that_a_later_fold_has_overtaken_is_not_done(
    database: Database, folding: Folding, ana: Scope
) -> None:
    summary_id = await queued(database, folding, ana)
    later = Window(HISTORY[2:], "#0 earlier.")
    await folding.commit(KEY, ana, later, ["turn-2"], by_model=True)
    assert await folding.job(summary_id) is None
    newer = await rows(database, select(summaries.c.id).where(summaries.c.state == "wanted"))
    assert await folding.job(newer[0].id) is not None
