from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from configs.sections import ModelProfile
from evals.openai_server import Call, Reply, Script
from models.capabilities import Capabilities, Capability
from models.errors import ContextOverflow, InvalidRequest
from models.text_tools import written_prompt
from tests.models.test_gateway import ASK, TOOL, both, line

SAID = {
    "vLLM": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
    "Ollama": "registry.example/gemma does not support tools",
    "llama.cpp": "tools param requires --jinja flag",
    "strict": "tools: Extra inputs are not permitted",
    "unknown": "Unsupported parameter: tool_choice",
}
WRITTEN = '<tool_call>{"name": "find_invoice", "arguments": {"id": "INV-1"}}</tool_call>'


def refusing(key: str, said: str, then: Reply) -> Script:
    """A server that does not know a parameter."""

    def script(body: Mapping[str, Any]) -> Reply:
        return Reply(status=400, error={"message": said}) if key in body else then

    return script


@both
@pytest.mark.parametrize("server", sorted(SAID))
async def test_a_server_without_tools_gets_them_as_text_and_is_asked_only_once_with_them(
    server: str, stream: bool
) -> None:
    script = refusing("tools", SAID[server], Reply(WRITTEN))
    async with line(script) as desk:
        first = await desk.ask(stream=stream)
        await desk.ask(stream=stream)
    assert [call["args"] for call in first.calls] == [{"id": "INV-1"}]
    assert ["tools" in body for body in desk.server.bodies] == [True, False, False]
    assert "find_invoice" in desk.server.bodies[1]["messages"][0]["content"]


async def test_a_bad_schema_is_not_taken_for_missing_tool_support() -> None:
    async with line(Reply(status=400, error={"message": "bad tool schema"})) as desk:
        with pytest.raises(InvalidRequest):
            await desk.ask()
    assert len(desk.server.requests) == 1


async def test_calls_and_results_are_written_where_tools_are_not_known() -> None:
    call = {"name": "find_invoice", "args": {"id": "INV-1"}, "id": "c1"}
    prompt = [
        SystemMessage("You help."),
        HumanMessage("Where?"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("paid", tool_call_id="c1", name="find_invoice"),
    ]
    written = written_prompt(prompt, [TOOL])
    assert [message.type for message in written] == ["system", "human", "ai", "human"]
    assert written[2].text == WRITTEN
    assert written[3].text == "Result of find_invoice:\npaid"


async def test_the_limit_of_a_reply_is_named_as_the_server_knows_it() -> None:
    said = "Unrecognized request argument supplied: max_completion_tokens"
    async with line(refusing("max_completion_tokens", said, Reply("ok"))) as desk:
        assert (await desk.ask()).text == "ok"
        await desk.ask()
    assert [body.get("max_tokens") for body in desk.server.bodies] == [None, 1024, 1024]


async def test_a_server_that_ignores_the_limit_gets_it_by_its_older_name() -> None:
    long = {"prompt_tokens": 10, "completion_tokens": 500, "total_tokens": 510}
    async with line(Reply("long", usage=long), max_output_tokens=100) as desk:
        await desk.ask()
        await desk.ask()
    assert [body.get("max_tokens") for body in desk.server.bodies] == [None, 100]


async def test_a_server_that_does_not_know_stream_options_streams_without() -> None:
    script = refusing("stream_options", "unknown field stream_options", Reply("ok", usage=None))
    async with line(script) as desk:
        reply = await desk.ask(stream=True)
        await desk.ask(stream=True)
        plain = await desk.ask()
    assert (reply.text, reply.usage.counted, plain.text) == ("ok", True, "ok")
    assert ["stream_options" in body for body in desk.server.bodies] == [True, *[False] * 3]


@pytest.mark.parametrize(
    ("said", "fit_to", "window"),
    [
        ("This model's maximum context length is 1,000 tokens", 950, 950),
        ("the request exceeds the available context size (1000 tokens)", 950, 950),
        ("This model's maximum context length is 4096 tokens. However, you asked for 9", 871, None),
        ("prompt is too long", 871, None),
    ],
)
async def test_a_window_the_provider_names_is_remembered_and_a_guess_is_not(
    said: str, fit_to: int, window: int | None
) -> None:
    reply = Reply(status=400, error={"message": said})
    async with line(reply, max_output_tokens=1100) as desk:
        with pytest.raises(ContextOverflow) as caught:
            await desk.ask()
        assert await desk.gateway.window_of("expert") == window
    assert caught.value.window_tokens == fit_to


async def test_a_provider_that_counts_higher_is_given_smaller_prompts() -> None:
    usage = {"prompt_tokens": 3000, "completion_tokens": 1, "total_tokens": 3001}
    async with line(Reply("Fine.", usage=usage), context_tokens=9000) as desk:
        before = await desk.gateway.window_of("expert")
        await desk.gateway.call("expert", [HumanMessage("word " * 2000)])
        after = await desk.gateway.window_of("expert")
    assert before == 9000
    assert after is not None
    assert 5900 < after < 6100


def test_the_safety_factor_rises_at_once_falls_slowly_and_is_never_below_one() -> None:
    profile, known = ModelProfile(provider="openai", model="m"), Capabilities()
    known.learn_count(profile, 100, 900)  # too small a prompt to tell
    assert known.token_factor(profile) == 1
    known.learn_count(profile, 2000, 3000)
    assert known.token_factor(profile) == 1.5
    known.learn_count(profile, 2000, 2000)
    assert 1.4 < known.token_factor(profile) < 1.5
    for _ in range(100):
        known.learn_count(profile, 2000, 1000)
    assert known.token_factor(profile) == 1
    known.learn_count(profile, 2000, 90_000)
    assert known.token_factor(profile) == 2


def test_nothing_is_learned_from_another_kind_of_failure() -> None:
    profile = ModelProfile(provider="openai", model="m")
    capabilities = Capabilities()
    error = ContextOverflow(wanted="a", came="tools are not supported", next_step="")
    assert not capabilities.learn(profile, error)
    assert capabilities.of(profile) == Capability()


async def test_a_call_written_by_a_server_that_took_the_tools_is_a_call() -> None:
    async with line(Reply(WRITTEN)) as desk:
        assert [call["name"] for call in (await desk.ask()).calls] == ["find_invoice"]
    assert Call("find_invoice", {}).raw == "{}"
    assert len(desk.server.bodies[0]["messages"]) == len(ASK)
