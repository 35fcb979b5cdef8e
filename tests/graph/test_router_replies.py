"""Whatever the router sends, the turn ends in a known branch and the thread stays usable."""

import pytest
from langchain_core.messages import AIMessage

from models.errors import MissingKey, Refused
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call, plan

ASKED_BACK = "I am not sure what you need"


def submitted(args: dict[str, object]) -> AIMessage:
    return AIMessage("", tool_calls=[call("submit_plan", **args)])


def unreadable(args: str) -> AIMessage:
    bad = {"name": "submit_plan", "args": args, "id": "p", "error": "no JSON"}
    return AIMessage("", invalid_tool_calls=[{**bad, "type": "invalid_tool_call"}])


BAD_REPLIES: dict[str, AIMessage | Exception] = {
    "an unknown expert": plan("plumbing"),
    "an empty expert": plan(""),
    "an empty plan": submitted({}),
    "experts as a text": submitted({"experts": "eyes"}),
    "an expert without a name": submitted({"experts": [{"question": "how many?"}]}),
    "a confidence of 7": submitted({"experts": [{"name": "eyes"}], "confidence": 7}),
    "an answer of white space": plan(answer="  "),
    "another tool": AIMessage("", tool_calls=[call("press_button", item="x")]),
    "arguments that are no JSON": unreadable('{"experts": [{"name": "eyes"'),
    "a text instead of a plan": AIMessage("I would ask eyes."),
    "an empty reply": AIMessage(""),
    "a refusal": AIMessage("", additional_kwargs={"refusal": "I must not."}),
    "a content filter": AIMessage("", response_metadata={"finish_reason": "content_filter"}),
    "a reply cut by length": AIMessage("", response_metadata={"finish_reason": "length"}),
    "a refusal as an error": Refused(wanted="an answer", came="none", next_step="Ask anew."),
}


@pytest.mark.parametrize("kind", sorted(BAD_REPLIES))
async def test_a_router_reply_that_is_no_plan_takes_the_default_branch(
    kind: str, open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.gateway.random.random", lambda: 0.0)
    monkeypatch.setattr("models.gateway.Retries.pause_s", lambda *_: 0.0)
    play = Play({"count": Turn(BAD_REPLIES[kind])})
    async with open_workshop(play) as desk:
        asked = await desk.ask(thread="t", user="local", text="count")
        after = await desk.ask(thread="t", user="local", text="hi")
    assert (asked.status, asked.consulted) == ("done", [])
    assert asked.text.startswith(ASKED_BACK)
    assert (after.status, after.text) == ("done", "Hello.")


async def test_a_router_that_cannot_be_asked_ends_the_turn_as_failed_and_keeps_the_thread(
    open_workshop: OpenDesk,
) -> None:
    no_key = MissingKey(wanted="a key", came="none", next_step="Set it.")
    play = Play({"count": Turn(no_key)})
    async with open_workshop(play) as desk:
        asked = await desk.ask(thread="t", user="local", text="count")
        after = await desk.ask(thread="t", user="local", text="hi")
        records = await desk.show("t", "local")
    assert (asked.status, asked.consulted) == ("failed", [])
    assert "did not answer" in asked.text
    assert any("Set it." in note for note in asked.notes)
    assert (after.status, after.text) == ("done", "Hello.")
    assert [record["status"] for record in records] == ["failed", "done"]


@pytest.mark.parametrize("kind", ["an unknown expert", "an empty reply", "a refusal"])
async def test_the_default_branch_can_be_an_expert(
    kind: str, open_workshop: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.gateway.Retries.pause_s", lambda *_: 0.0)
    play = Play({"count": Turn(BAD_REPLIES[kind])})
    async with open_workshop(play, router={"default": "eyes"}) as desk:
        asked = await desk.ask(thread="t", user="local", text="count")
    assert (asked.status, asked.consulted) == ("done", ["eyes"])


async def test_what_was_planned_for_an_unknown_name_is_said_to_be_open(
    open_workshop: OpenDesk,
) -> None:
    """The synthesizer, the notes and the record see it; the known expert is asked all the same."""
    parts = [{"name": "Eyes ", "question": "how many?"}, {"name": "Plumbing", "question": "leaks?"}]
    play = Play({"count": Turn(submitted({"experts": parts}))})
    async with open_workshop(play) as desk:
        asked = await desk.ask(thread="t", user="local", text="count")
        (record,) = await desk.show("t", "local")
    left = "There is no expert of this name, so nobody looked into: leaks?"
    assert (asked.status, asked.consulted) == ("done", ["eyes"])
    assert asked.notes == [f"plumbing ended failed: {left}"]
    assert f"plumbing (failed): {left}" in play.prompts_of("synthesizer")[0].text
    assert record["status"] == "partial"
    assert [(one["expert"], one["output"]) for one in record["modules"]] == [
        ("eyes", "eyes is done."),
        ("plumbing", left),
    ]


@pytest.mark.parametrize("default", ["ask", "eyes"])
async def test_an_unknown_name_alone_is_in_the_notes(default: str, open_workshop: OpenDesk) -> None:
    play = Play({"count": Turn(plan("plumbing"))})
    async with open_workshop(play, router={"default": default}) as desk:
        asked = await desk.ask(thread="t", user="local", text="count")
    assert asked.notes == ["The plan names 'plumbing', who is not here"]


async def test_one_expert_named_twice_is_asked_once_with_both_questions(
    open_workshop: OpenDesk,
) -> None:
    twice = [{"name": "eyes", "question": q} for q in ("how many?", "which shelf?")]
    play = Play({"count": Turn(submitted({"experts": twice}))})
    async with open_workshop(play) as desk:
        asked = await desk.ask(thread="t", user="local", text="count")
    assert asked.consulted == ["eyes"]
    assert "Your question: how many?\nwhich shelf?" in play.prompts_of("expert")[0].text
