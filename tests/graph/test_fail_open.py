"""Memory fails open, effects fail closed: no recall is a note, no ledger is no effect."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from graph.session import Desk
from memory.facts import ExtractionFailed
from models.errors import MissingPackage
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import happened
from tests.memory.hashing import HashingEmbedder
from tools.errors import LedgerError

PATIENT = {"enabled": True, "floor": 0.0, "deadline_s": 30.0}
RECALL = {"enabled": True, "deadline_s": 0.5}
PLAY = {"press": Turn(["hands"], {"hands": [[call("press_button", item="red")]]})}


@pytest.fixture(autouse=True)
def _fast_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.services.shared_embedder", lambda _: HashingEmbedder())


def failing(error: Exception) -> Callable[..., Any]:
    async def fail(*_: object, **__: object) -> None:
        raise error

    return fail


async def hanging(*_: object, **__: object) -> None:
    await asyncio.sleep(30)


async def remembered(desk: Desk) -> None:
    await desk.ask(thread="before", user="local", text="The word is tangerine.")
    assert await desk.services.background.drain(10)


async def test_a_later_thread_recalls_what_an_earlier_one_was_told(
    open_workshop: OpenDesk,
) -> None:
    play = Play(PLAY)
    async with open_workshop(play, recall=PATIENT) as desk:
        await remembered(desk)
    async with open_workshop(play, recall=PATIENT) as desk:
        reply = await desk.ask(thread="after", user="local", text="What was the word tangerine?")
        other = await desk.ask(thread="other", user="ada", text="What was the word tangerine?")
    asked = play.prompts[-2:]
    assert (reply.notes, other.notes) == ([], [])
    assert "The word is tangerine." in asked[0].text
    assert "The word is tangerine." not in asked[1].text


@pytest.mark.parametrize("fault", [RuntimeError("the index is broken"), OSError("disk")])
async def test_a_turn_goes_on_without_memory_and_says_so(
    fault: Exception, open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_workshop(Play(PLAY), recall=RECALL) as desk:
        await remembered(desk)
        monkeypatch.setattr("memory.searching.Searcher.search", failing(fault))
        reply = await desk.ask(thread="t", user="local", text="tangerine?")
    assert (reply.status, reply.text) == ("done", "Hello.")
    assert any("memory failed" in note and str(fault) in note for note in reply.notes)


async def test_a_turn_goes_on_when_memory_hangs(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_workshop(Play(PLAY), recall=RECALL) as desk:
        await remembered(desk)
        monkeypatch.setattr("memory.searching.Searcher.search", hanging)
        reply = await asyncio.wait_for(desk.ask(thread="t", user="local", text="word?"), 5)
    assert (reply.status, reply.notes) == ("done", ["memory did not answer within 1.5 s"])


async def test_a_broken_embedder_leaves_recall_to_full_text_and_says_so(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Play(PLAY)
    async with open_workshop(play, recall=PATIENT) as desk:
        await remembered(desk)
        broken = failing(MissingPackage(wanted="weights", came="none", next_step="Install them."))
        monkeypatch.setattr(HashingEmbedder, "embed_queries", broken)
        reply = await desk.ask(thread="t", user="local", text="which word, tangerine?")
    assert reply.status == "done"
    assert reply.notes
    assert "The word is tangerine." in play.prompts[-1].text


async def test_a_failed_extraction_is_tried_again_and_is_not_nothing_to_remember(
    open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = failing_with(ExtractionFailed("down"))
    monkeypatch.setattr("models.statements.facts.EmbeddedFacts.extract", down)
    async with open_workshop(Play(PLAY)) as desk:
        await desk.ask(thread="t", user="local", text="hi")
        await desk.services.background.drain(10)
        assert await desk.services.outbox.counts() == {"pending": 2}


def failing_with(result: object) -> Callable[..., Any]:
    async def fail(*_: object) -> object:
        return result

    return fail


@pytest.mark.parametrize("step", ["prepare", "decide", "start", "rows"])
async def test_without_the_ledger_no_effect_runs_and_the_turn_can_be_taken_up_later(
    step: str, open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another kind of fault than a refused decision: the database is gone in the middle."""
    fault = OperationalError("UPDATE effects", {}, OSError("disk"))
    async with open_workshop(Play(PLAY)) as desk:
        with monkeypatch.context() as broken, pytest.raises(OperationalError):
            if step in ("prepare", "rows"):
                broken.setattr(f"tools.ledger.Ledger.{step}", failing(fault))
                await desk.ask(thread="t", user="local", text="press")
            await desk.ask(thread="t", user="local", text="press")
            broken.setattr(f"tools.ledger.Ledger.{step}", failing(fault))
            await approve(desk)
        assert happened(data_dir) == []
        reply = await desk.resume("t", user="local")
        while reply.pending:
            await approve(desk)
            reply = await desk.resume("t", user="local")
    assert (reply.status, happened(data_dir)) == ("done", ["press_button"])


async def approve(desk: Desk) -> None:
    waiting = await desk.pending("t", user="local")
    await desk.decide("t", [{"id": a.id, "type": "approve"} for a in waiting], user="local")


async def test_an_effect_whose_row_cannot_be_closed_is_found_started_and_asked_about(
    open_workshop: OpenDesk, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_workshop(Play(PLAY)) as desk:
        await desk.ask(thread="t", user="local", text="press")
        with monkeypatch.context() as broken, pytest.raises(LedgerError):
            broken.setattr("tools.ledger.Ledger.finish", failing(LedgerError("x", "gone")))
            await approve(desk)
        asked = await desk.resume("t", user="local")
        assert [action.kind for action in asked.pending] == ["settle"]
    assert happened(data_dir) == ["press_button"]
