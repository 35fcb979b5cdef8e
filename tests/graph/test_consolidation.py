"""The background graph as a whole: what was done is kept once, nothing invented, nothing lost."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from graph.session import Desk
from memory.episodes import EpisodeItem
from models.errors import ConnectionFailed
from nodes.extraction import SUBMIT_EPISODES, SUBMIT_VERDICT
from state import Scope
from tests.fakes.scripted import Answer, ScriptedModel
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call
from tests.memory.hashing import HashingEmbedder

ME = Scope(user="local", teams=("support", "finance"))
REAL = {"provider": "openai", "model": "any", "base_url": "http://127.0.0.1:9/v1"}
PRESS = "press the red button"
FAILS = "do the heavy one"


@pytest.fixture(autouse=True)
def _fast_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.services.shared_embedder", lambda _: HashingEmbedder())


def play(extractor: Answer | None = None, judge: Answer | None = None) -> Play:
    made = Play(
        {
            PRESS: Turn(["hands"], {"hands": [[call("press_button", item="red")]]}, "Pressed."),
            FAILS: Turn(["hands"], {"hands": [[call("refuse_politely", item="it")]]}, "No."),
            "look": Turn(["eyes"], {"eyes": [[call("count_boxes")]]}, "boxes on A: 3"),
            "idle": Turn(["eyes"], {"eyes": [[call("count_boxes")]]}, "I counted."),
        }
    )
    for role, answer in (("extractor", extractor), ("judge", judge)):
        if answer is not None:
            made.models[role] = ScriptedModel(role=role, script=_always(answer))
    return made


def _always(answer: Answer) -> Any:  # noqa: ANN401 - a script
    def script(_: str, __: list[BaseMessage], ___: list[Mapping[str, Any]]) -> Answer:
        return answer

    return script


async def do(desk: Desk, text: str, decision: str = "approve", thread: str = "t") -> None:
    reply = await desk.ask(thread=thread, user="local", text=text)
    if reply.pending:
        given = {"id": reply.pending[0].id, "type": decision, "message": "not now"}
        await desk.decide(thread, [given], user="local")


async def episodes(desk: Desk) -> list[EpisodeItem]:
    found = await desk.services.opened.episodes.scoped(ME).recent(50)
    return [one for one in found if one.kind == "episode"]


async def all_placed(desk: Desk, thread: str = "t") -> bool:
    """Whether every message is in exactly one segment that has ended as an episode or a discard."""
    key = f"default:{thread}"
    rows = await desk.services.segments.of_thread(key)
    assert all(one.episode_ids if one.state == "episode" else one.reason for one in rows)
    ended = Counter(one for row in rows if row.state != "open" for one in row.message_ids)
    said = [one.id for one in await desk.services.transcript.messages(key)]
    return ended == Counter(said)


async def test_a_thread_becomes_episodes_and_discards_and_no_message_is_left(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(play()) as desk:
        for text in ("hello", "look", PRESS, FAILS, "idle", "thanks"):
            await do(desk, text)
        job = await desk.consolidate("t", user="local")
        assert job.state == "done"
        assert await all_placed(desk)
        signs = Counter(one.result for one in await episodes(desk))
        assert signs == {"positive": 2, "negative": 1}
        await do(desk, "hello")
        await desk.consolidate("t", user="local")
        assert await all_placed(desk)
        assert len(await episodes(desk)) == 3


async def test_a_refusal_is_a_failure_with_the_reviewers_words(open_workshop: OpenDesk) -> None:
    async with open_workshop(play()) as desk:
        await do(desk, PRESS, "reject")
        await desk.consolidate("t", user="local")
        (one,) = await episodes(desk)
        assert one.episode is not None
        assert (one.result, one.episode.cause) == ("negative", "not now")


async def test_chatter_alone_is_empty_with_its_reason(open_workshop: OpenDesk) -> None:
    async with open_workshop(play()) as desk:
        await do(desk, "hello")
        job = await desk.consolidate("t", user="local")
        assert (job.state, "no action came to an end" in job.note) == ("empty", True)
        assert await all_placed(desk)


@pytest.mark.parametrize(
    "reply",
    [
        "The user pressed a button, all went well.",
        AIMessage("", tool_calls=[call(SUBMIT_EPISODES, episodes=[])]),
        AIMessage(
            "",
            tool_calls=[
                call(
                    SUBMIT_EPISODES,
                    episodes=[
                        {"id": "epi_42", "situation": "INV-99", "observation": "an invented 4711"}
                    ],
                )
            ],
        ),
    ],
)
async def test_a_model_that_cannot_word_it_loses_nothing_and_adds_nothing(
    open_workshop: OpenDesk, reply: Answer
) -> None:
    models = {"default": {"provider": "embedded"}, "extractor": REAL}
    async with open_workshop(play(extractor=reply), models=models) as desk:
        await do(desk, PRESS)
        assert (await desk.consolidate("t", user="local")).state == "done"
        assert await all_placed(desk)
        (one,) = await episodes(desk)
        assert one.episode is not None
        assert one.episode.situation == PRESS
        assert "invented" not in repr(one)


async def test_an_outage_leaves_the_messages_open_and_the_job_to_be_tried_again(
    open_workshop: OpenDesk,
) -> None:
    down = ConnectionFailed(wanted="a reply", came="nothing", next_step="wait")
    models = {"default": {"provider": "embedded"}, "extractor": REAL}
    retries = {"tries": 1}
    async with open_workshop(play(extractor=down), models=models, retries=retries) as desk:
        await do(desk, PRESS)
        job = await desk.consolidate("t", user="local")
        assert job.state in ("pending", "failed")
        assert "could not be asked" in job.note
        assert await episodes(desk) == []
        assert await desk.services.segments.placed("default:t") == set()
    async with open_workshop(play()) as desk:
        await desk.retry_jobs(user="local")
        await desk.consolidate("t", user="local")
        await desk.services.background.drain(10)
        assert len(await episodes(desk)) == 1
        assert await all_placed(desk)


async def test_a_judge_discards_with_its_reason(open_workshop: OpenDesk) -> None:
    models = {"default": {"provider": "embedded"}, "judge": REAL}
    said = AIMessage("", tool_calls=[call(SUBMIT_VERDICT, verdict="discard", reason="routine")])
    async with open_workshop(play(judge=said), models=models) as desk:
        await do(desk, PRESS)
        job = await desk.consolidate("t", user="local")
        assert (job.state, "routine" in job.note) == ("empty", True)
        assert await episodes(desk) == []
        assert await all_placed(desk)


async def test_what_is_consolidated_is_never_in_the_users_stream(open_workshop: OpenDesk) -> None:
    models = {"default": {"provider": "embedded"}, "extractor": REAL}
    async with open_workshop(play(extractor="SECRET-WORDING"), models=models) as desk:
        await do(desk, PRESS)
        await desk.consolidate("t", user="local")
        events = [
            repr(event) async for event in desk.stream(thread="t", user="local", text="hello")
        ]
        assert not [event for event in events if "SECRET-WORDING" in event]


async def test_recalled_text_is_no_new_evidence_however_often_it_is_repeated(
    open_workshop: OpenDesk,
) -> None:
    async with open_workshop(play(), recall={"enabled": True, "deadline_s": 20}) as desk:
        await do(desk, PRESS, "reject")
        await desk.consolidate("t", user="local")
        before = [one.id for one in await episodes(desk)]
        for number in range(5):
            await do(desk, "What happened with the red button?", thread=f"later-{number}")
            await desk.consolidate(f"later-{number}", user="local")
        assert [one.id for one in await episodes(desk)] == before
