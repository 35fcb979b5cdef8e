import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langgraph.constants import TAG_NOSTREAM
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from configs.sections import ModelProfile
from evals.openai_server import Call, OpenAIServer, Reply, Script, openai_server
from models.errors import (
    AuthFailed,
    BadHistory,
    BadOutput,
    ConnectionFailed,
    ContextOverflow,
    InvalidRequest,
    ModelError,
    ModelTimeout,
    Overloaded,
    QuotaExceeded,
    RateLimited,
    Refused,
    UnknownRole,
)
from models.gateway import NOSTREAM, Gateway, ModelReply, Retries
from models.openai_chat import open_chat
from models.tokens import count_messages, count_tools
from tests.fakes.scripted import ScriptedModel, scripted

TOOL = {
    "type": "function",
    "function": {
        "name": "find_invoice",
        "description": "Find one invoice.",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
    },
}
ASK: list[BaseMessage] = [SystemMessage("You help."), HumanMessage("Where is INV-1?")]
FIND = Call("find_invoice", {"id": "INV-1"})


@dataclass
class Sleeper:
    """Keeps the pauses and does not wait."""

    pauses: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)


@dataclass
class Line:
    """A gateway over HTTP to a fake server."""

    gateway: Gateway
    server: OpenAIServer
    sleeper: Sleeper

    async def ask(self, *, stream: bool = False, tools: Sequence[Any] = (TOOL,)) -> ModelReply:
        if not stream:
            return await self.gateway.call("expert", ASK, tools=tools)
        replies: list[ModelReply] = []

        async def consult(state: MessagesState) -> dict[str, Any]:
            replies.append(await self.gateway.call("expert", ASK, tools=tools))
            return {}

        async for _ in _graph(consult).astream({"messages": []}, stream_mode="messages"):
            pass
        return replies[0]


def _graph(
    node: Callable[[MessagesState], Awaitable[dict[str, Any]]],
) -> CompiledStateGraph[MessagesState, None, MessagesState, MessagesState]:
    graph = StateGraph(MessagesState)
    graph.add_node("consult", RunnableLambda(node))
    graph.add_edge(START, "consult")
    graph.add_edge("consult", END)
    return graph.compile()


@asynccontextmanager
async def line(
    script: Script | Reply | list[Reply], retries: Retries | None = None, **profile: object
) -> AsyncIterator[Line]:
    async with openai_server(script) as server:
        values = {"model": "gpt-4o", "timeout_s": 5, "base_url": server.base_url, **profile}
        chosen = ModelProfile.model_validate({"provider": "openai", **values})
        model = open_chat(chosen, "key")
        sleeper = Sleeper()
        gateway = Gateway(
            {"expert": model},
            {"expert": chosen},
            retries=retries,
            sleep=sleeper,
            jitter=lambda: 0.5,
        )
        try:
            yield Line(gateway, server, sleeper)
        finally:
            await model.aclose()


def _local(answer: AIMessage | str | Exception) -> Gateway:
    return Gateway(scripted(lambda *_: answer), {})


both = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


@both
async def test_a_text_comes_with_the_providers_usage(stream: bool) -> None:
    async with line(Reply("It is paid.")) as desk:
        reply = await desk.ask(stream=stream)
    assert reply.text == "It is paid."
    assert reply.finish_reason == "stop"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (120, 7)
    assert reply.usage.cache_read_tokens == 64
    assert not reply.usage.counted
    assert desk.server.bodies[0].get("stream", False) is stream
    assert [tool["function"]["name"] for tool in desk.server.bodies[0]["tools"]] == ["find_invoice"]


@both
async def test_tool_calls_are_ready_to_run(stream: bool) -> None:
    calls = (FIND, Call("find_invoice", {"id": "INV-2"}, id="call_2"))
    async with line(Reply(calls=calls)) as desk:
        reply = await desk.ask(stream=stream)
    assert reply.calls == [
        {"id": "call_1", "name": "find_invoice", "args": {"id": "INV-1"}},
        {"id": "call_2", "name": "find_invoice", "args": {"id": "INV-2"}},
    ]
    assert reply.finish_reason == "tool_calls"


@both
async def test_usage_is_counted_when_the_provider_gives_none(stream: bool) -> None:
    async with line(Reply("It is paid.", usage=None)) as desk:
        reply = await desk.ask(stream=stream)
    assert reply.usage.counted
    assert reply.usage.input_tokens == count_messages(ASK) + count_tools([TOOL]) + 3
    assert reply.usage.output_tokens == count_messages([AIMessage("It is paid.")])


@both
@pytest.mark.parametrize("args", ['{"id": "INV-1"', '{"id":"1"}{"id":"2"}', "[1]", "nul", "NaN"])
async def test_unreadable_arguments_are_surfaced_and_never_run(args: str, stream: bool) -> None:
    calls = (Call("find_invoice", args), Call("find_invoice", {"id": "2"}, id="call_2"))
    async with line(Reply(calls=calls)) as desk:
        reply = await desk.ask(stream=stream)
    assert [call["id"] for call in reply.calls] == ["call_2"]
    (invalid,) = reply.invalid_calls
    assert (invalid.id, invalid.name) == ("call_1", "find_invoice")
    assert invalid.args == args
    assert "wanted" in invalid.error


async def test_a_reply_with_unreadable_calls_can_be_sent_back() -> None:
    async with line([Reply(calls=(Call("find_invoice", '{"id": '),)), Reply("sorry")]) as desk:
        reply = await desk.ask()
        answer = ToolMessage(reply.invalid_calls[0].error, tool_call_id=reply.invalid_calls[0].id)
        await desk.gateway.call("expert", [*ASK, reply.message, answer], tools=[TOOL])
    sent = desk.server.bodies[1]["messages"][2]["tool_calls"][0]
    assert sent["function"]["arguments"] == "{}"


@both
@pytest.mark.parametrize("args", ["", "null", "{}"])
async def test_no_arguments_are_an_empty_object(args: str, stream: bool) -> None:
    async with line(Reply(calls=(Call("find_invoice", args),))) as desk:
        reply = await desk.ask(stream=stream)
    assert reply.calls[0]["args"] == {}


@both
async def test_missing_and_doubled_ids_are_replaced_the_same_way_each_time(stream: bool) -> None:
    calls = (Call("find_invoice", {"id": "1"}, id=None), FIND, FIND)
    async with line(Reply(calls=calls)) as desk:
        first, second = await desk.ask(stream=stream), await desk.ask(stream=stream)
    ids = [call["id"] for call in first.calls]
    assert len(set(ids)) == 3
    assert ids[1] == "call_1"
    assert ids == [call["id"] for call in second.calls]


async def test_an_id_used_before_in_the_prompt_is_replaced() -> None:
    before = AIMessage("", tool_calls=[{"name": "find_invoice", "args": {}, "id": "call_1"}])
    async with line(Reply(calls=(FIND,))) as desk:
        prompt = [*ASK, before, ToolMessage("paid", tool_call_id="call_1")]
        reply = await desk.gateway.call("expert", prompt, tools=[TOOL])
    assert reply.calls[0]["id"] != "call_1"


@both
async def test_calls_cut_by_length_are_never_run_nor_asked_again(stream: bool) -> None:
    async with line(Reply(calls=(FIND,), finish="length"), max_output_tokens=64) as desk:
        with pytest.raises(BadOutput, match="max_output_tokens"):
            await desk.ask(stream=stream)
    assert len(desk.server.requests) == 1


@both
async def test_a_text_cut_by_length_says_so(stream: bool) -> None:
    async with line(Reply("It is", finish="length")) as desk:
        assert (await desk.ask(stream=stream)).finish_reason == "length"


@both
async def test_an_empty_turn_is_asked_again_and_then_an_error(stream: bool) -> None:
    async with line(Reply("")) as desk:
        with pytest.raises(BadOutput, match="empty"):
            await desk.ask(stream=stream)
    assert len(desk.server.requests) == 3


@both
@pytest.mark.parametrize(
    "reply", [Reply(refusal="I cannot."), Reply("Half", finish="content_filter")]
)
async def test_a_refusal_is_typed_and_not_repeated(reply: Reply, stream: bool) -> None:
    async with line(reply) as desk:
        with pytest.raises(Refused, match="other words"):
            await desk.ask(stream=stream)
    assert len(desk.server.requests) == 1


@pytest.mark.parametrize("chunked", [True, False], ids=["chunked", "unframed"])
async def test_a_cut_stream_is_no_answer_and_is_asked_again(chunked: bool) -> None:
    cut = Reply("It is paid today.", cut_after=3, chunked=chunked)
    async with line([cut, Reply("It is paid today.")]) as desk:
        reply = await desk.ask(stream=True)
    assert reply.text == "It is paid today."
    assert reply.tries == 2


async def test_a_stream_that_ends_without_a_finish_reason_is_bad_output() -> None:
    async with line(Reply("It is", finish=None)) as desk:
        with pytest.raises(BadOutput, match="finish reason"):
            await desk.ask(stream=True)


async def test_a_doubled_finish_reason_is_one() -> None:
    choice = {"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}
    event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    async with line(Reply(events=({**event, "choices": [choice]},) * 2)) as desk:
        assert (await desk.ask(stream=True)).finish_reason == "stop"


@both
@pytest.mark.parametrize(
    ("reply", "error", "requests"),
    [
        (Reply(status=401, error={"message": "bad key sk-abcdef123456"}), AuthFailed, 1),
        (Reply(status=403, error={"message": "no right"}), AuthFailed, 1),
        (Reply(status=404, error={"message": "no such model"}), InvalidRequest, 1),
        (Reply(status=400, error={"message": "bad tool schema"}), InvalidRequest, 1),
        (Reply(status=422, error={"message": "unknown field"}), InvalidRequest, 1),
        (Reply(status=402, error={"message": "pay"}), QuotaExceeded, 1),
        (Reply(status=429, error={"message": "q", "code": "insufficient_quota"}), QuotaExceeded, 1),
        (Reply(status=429, error={"message": "slow down"}), RateLimited, 3),
        (Reply(status=500, error={"message": "oops"}), Overloaded, 3),
        (Reply(status=503, body="<html>busy</html>"), Overloaded, 3),
        (Reply(status=529, error={"message": "overloaded"}), Overloaded, 3),
        (Reply(drop=True), ConnectionFailed, 3),
        (Reply(status=413, error={"message": "too large"}), ContextOverflow, 1),
        (
            Reply(status=400, error={"message": "m", "code": "context_length_exceeded"}),
            ContextOverflow,
            1,
        ),
        (
            Reply(status=400, error={"message": "This model's maximum context length is 4096"}),
            ContextOverflow,
            1,
        ),
        (
            Reply(status=400, error={"message": "exceeds the available context size"}),
            ContextOverflow,
            1,
        ),
        (Reply(body="<html>login</html>"), BadOutput, 3),
        (Reply(body='{"choices": null}'), BadOutput, 3),
        (Reply(body='{"choices": []}'), BadOutput, 3),
        (Reply(body="{}"), BadOutput, 3),
    ],
)
async def test_every_failure_is_typed_and_requests_are_bounded(
    reply: Reply, error: type[ModelError], requests: int, stream: bool
) -> None:
    async with line(reply) as desk:
        with pytest.raises(error) as caught:
            await desk.ask(stream=stream)
    assert len(desk.server.requests) == requests
    assert "wanted" in str(caught.value)
    assert "sk-abcdef" not in str(caught.value)


@pytest.mark.parametrize(
    ("event", "error"),
    [
        ({"message": "busy", "type": "server_error"}, Overloaded),
        ({"message": "slow down", "code": "rate_limit_exceeded"}, RateLimited),
        ({"message": "no credit", "code": "insufficient_quota"}, QuotaExceeded),
        ({"message": "maximum context length is 9", "code": 400}, ContextOverflow),
    ],
)
async def test_an_error_inside_a_stream_is_typed(
    event: dict[str, Any], error: type[ModelError]
) -> None:
    async with line(Reply(events=({"error": event},))) as desk:
        with pytest.raises(error):
            await desk.ask(stream=True)


async def test_retry_after_is_honoured() -> None:
    busy = Reply(status=429, headers={"retry-after": "2"}, error={"message": "slow down"})
    async with line([busy, busy, Reply("ok")]) as desk:
        reply = await desk.ask()
    assert reply.tries == 3
    assert desk.sleeper.pauses == [2.0, 2.0]


async def test_a_retry_after_beyond_the_deadline_is_told_at_once() -> None:
    busy = Reply(status=429, headers={"retry-after": "120"}, error={"message": "slow down"})
    async with line(busy, Retries(deadline_s=10)) as desk:
        with pytest.raises(RateLimited, match="ask again in 120 s") as caught:
            await desk.ask()
    assert caught.value.retry_after_s == 120
    assert len(desk.server.requests) == 1
    assert desk.sleeper.pauses == []


async def test_pauses_grow_with_jitter() -> None:
    async with line(Reply(status=500), Retries(first_pause_s=1)) as desk:
        with pytest.raises(Overloaded):
            await desk.ask()
    assert desk.sleeper.pauses == [1.5, 2.5]


@given(attempt=st.integers(0, 40), jitter=st.floats(0, 1, exclude_max=True))
def test_back_off_is_bounded(attempt: int, jitter: float) -> None:
    retries = Retries(first_pause_s=0.5, longest_pause_s=20)
    assert 0.5 <= retries.pause_s(attempt, jitter) <= 20


@both
async def test_a_hanging_server_ends_in_a_timeout(stream: bool) -> None:
    async with line(Reply("late", hang_s=30), Retries(tries=1), timeout_s=0.2) as desk:
        with pytest.raises(ModelTimeout, match=r"0\.2 s"):
            await desk.ask(stream=stream)
    assert len(desk.server.requests) == 1


async def test_all_tries_together_keep_the_deadline() -> None:
    async with line(Reply("late", hang_s=30), Retries(deadline_s=0.3), timeout_s=0.2) as desk:
        started = asyncio.get_running_loop().time()
        with pytest.raises(ModelTimeout):
            await desk.ask()
    assert asyncio.get_running_loop().time() - started < 5


async def test_a_cancelled_call_stays_cancelled() -> None:
    async with line(Reply("late", hang_s=30)) as desk:
        task = asyncio.create_task(desk.ask())
        await desk.server.called.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_thoughts_and_fences_of_local_models_are_stripped() -> None:
    text = "<think>the invoice…</think>\n```json\n{}\n```"
    async with line(Reply(text)) as desk:
        assert (await desk.ask()).text == "{}"
    async with line(Reply("let me see</think>Paid.")) as desk:
        assert (await desk.ask()).text == "Paid."


async def test_thoughts_alone_are_an_empty_turn() -> None:
    async with line(Reply("<think>hm"), Retries(tries=1)) as desk:
        with pytest.raises(BadOutput):
            await desk.ask()


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "find_invoice", "arguments": {"id": "INV-1"}}</tool_call>',
        '<tool_call>\n{"name": "find_invoice", "arguments": {"id": "INV-1"}}',
        '<tool_call>{"name": "find_invoice", "arguments": "{\\"id\\": \\"INV-1\\"}"}</tool_call>',
        '```json\n{"name": "find_invoice", "parameters": {"id": "INV-1"}}\n```',
        '[TOOL_CALLS][{"name": "find_invoice", "arguments": {"id": "INV-1"}}]',
        '<function=find_invoice>{"id": "INV-1"}</function>',
        '{"type": "function", "function": {"name": "find_invoice", "arguments": {"id": "INV-1"}}}',
    ],
)
async def test_a_call_written_as_text_is_a_call(text: str) -> None:
    async with line(Reply(text)) as desk:
        reply = await desk.ask()
    assert [(call["name"], call["args"]) for call in reply.calls] == [
        ("find_invoice", {"id": "INV-1"})
    ]
    assert reply.text == ""


async def test_a_call_in_the_middle_of_a_text_is_a_call() -> None:
    text = 'I will look:\n```json\n{"name": "find_invoice", "arguments": {"id": "INV-1"}}\n```\nSo.'
    async with line(Reply(text)) as desk:
        reply = await desk.ask()
    assert [call["args"] for call in reply.calls] == [{"id": "INV-1"}]
    assert "find_invoice" not in reply.text
    assert reply.text.startswith("I will look:")


@pytest.mark.parametrize(
    "text",
    [
        'Sure. <tool_call>{"name": "find_invoice", "arg</tool_call>',
        'Sure. {"name": "find_invoice", "arguments": {"id": "INV-1"',
    ],
)
async def test_a_broken_call_written_as_text_is_surfaced(text: str) -> None:
    async with line(Reply(text)) as desk:
        reply = await desk.ask()
    assert reply.text == "Sure."
    assert [call.name for call in reply.invalid_calls] == ["find_invoice"]


@pytest.mark.parametrize("text", ['{"name": "nobody", "arguments": {}}', '{"a": 1}', "[]"])
async def test_other_json_in_a_text_stays_text(text: str) -> None:
    async with line(Reply(text)) as desk:
        assert (await desk.ask()).text == text


async def test_tool_choice_reaches_the_provider() -> None:
    async with line(Reply(calls=(FIND,))) as desk:
        await desk.gateway.call("expert", ASK, tools=[TOOL], tool_choice="required")
    assert desk.server.bodies[0]["tool_choice"] == "required"


async def test_tokens_stream_through_langgraph_unless_the_call_is_in_the_background() -> None:
    async with line(Reply("It is paid.")) as desk:

        async def consult(state: MessagesState) -> dict[str, Any]:
            await desk.gateway.call("expert", ASK)
            await desk.gateway.call("expert", ASK, background=True)
            return {}

        stream = _graph(consult).astream({"messages": []}, stream_mode="messages")
        parts: list[Any] = [part async for part in stream]
    assert "".join(chunk.content for chunk, _ in parts) == "It is paid."
    assert {metadata["role"] for _, metadata in parts} == {"expert"}
    assert NOSTREAM == TAG_NOSTREAM


async def test_the_prompt_is_counted_by_block() -> None:
    history = HumanMessage("Turn 1", additional_kwargs={"block": {"kind": "history"}})
    gateway = _local("ok")
    reply = await gateway.call("expert", [history, *ASK], tools=[TOOL])
    assert reply.tokens_by_block == {
        "frame": 3,
        "tools": count_tools([TOOL]),
        "history": count_messages([history]),
        "scratchpad": count_messages(ASK),
    }


async def test_a_prompt_beyond_the_window_is_refused_before_it_is_sent() -> None:
    async with line(Reply("ok"), context_tokens=100, max_output_tokens=50) as desk:
        with pytest.raises(ContextOverflow, match="'scratchpad'"):
            await desk.gateway.call("expert", [HumanMessage("word " * 60)])
    assert desk.server.requests == []


CALL = AIMessage("", tool_calls=[{"name": "find_invoice", "args": {}, "id": "c1"}])
RESULT = ToolMessage("paid", tool_call_id="c1")
DOUBLE = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "c"}] * 2)
BROKEN = AIMessage("", invalid_tool_calls=[{"name": "f", "args": "{", "id": "c1", "error": None}])


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [*ASK, CALL],
        [*ASK, CALL, HumanMessage("and?")],
        [*ASK, CALL, HumanMessage("and?"), RESULT],
        [*ASK, CALL, RESULT, RESULT],
        [*ASK, RESULT],
        [*ASK, AIMessage(""), HumanMessage("and?")],
        [*ASK, DOUBLE, ToolMessage("x", tool_call_id="c"), ToolMessage("y", tool_call_id="c")],
        [*ASK, BROKEN, RESULT],
    ],
)
async def test_a_prompt_that_kills_threads_is_never_sent(messages: list[BaseMessage]) -> None:
    models = scripted(lambda *_: "ok")
    with pytest.raises(BadHistory):
        await Gateway(models, {}).call("expert", messages)
    assert models["expert"].prompts == []


async def test_a_well_formed_scratchpad_is_sent() -> None:
    reply = await _local("ok").call("expert", [*ASK, CALL, RESULT])
    assert reply.text == "ok"


async def test_an_unknown_role_is_named() -> None:
    with pytest.raises(UnknownRole, match=r"models\.judge"):
        await _local("ok").call("judge", ASK)


async def test_what_a_model_adds_to_its_reply_is_kept() -> None:
    answer = AIMessage("Which?", additional_kwargs={"finding_status": "ask", "confidence": 0.0})
    reply = await _local(answer).call("expert", ASK)
    assert reply.message.additional_kwargs == {"finding_status": "ask", "confidence": 0.0}


async def test_text_and_arguments_are_storable() -> None:
    args = {"id": "a\x00", "list": ["b\ud800", 1], "deep": {"c\x00": None}}
    answer = AIMessage("x\x00\ud83d", tool_calls=[{"name": "f", "args": args, "id": "c1"}])
    reply = await _local(answer).call("expert", ASK)
    assert reply.text == "x\ufffd\ufffd"
    assert reply.calls[0]["args"] == {
        "id": "a\ufffd",
        "list": ["b\ufffd", 1],
        "deep": {"c\ufffd": None},
    }


async def test_a_call_without_a_name_is_surfaced() -> None:
    answer = AIMessage("", tool_calls=[{"name": "", "args": {}, "id": "c1"}])
    reply = await _local(answer).call("expert", ASK)
    assert [call.name for call in reply.invalid_calls] == ["unnamed"]


async def test_numbers_that_are_not_json_are_surfaced() -> None:
    answer = AIMessage("", tool_calls=[{"name": "f", "args": {"x": float("nan")}, "id": "c1"}])
    reply = await _local(answer).call("expert", ASK)
    assert reply.calls == []
    assert "JSON" in reply.invalid_calls[0].error


async def test_a_fault_of_the_program_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        await _local(ZeroDivisionError()).call("expert", ASK)


async def test_a_model_without_tools_is_asked_without_them() -> None:
    class Composer(ScriptedModel):
        bind_tools = BaseChatModel.bind_tools

    model = Composer(role="synthesizer", script=lambda *_: "done")
    reply = await Gateway({"synthesizer": model}, {}).call("synthesizer", ASK, tools=[TOOL])
    assert reply.text == "done"
    assert model.prompts[0].tools == []
