"""What providers are told about the shared prefix."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from configs.sections import ModelProfile
from evals.openai_server import Reply, openai_server
from models.caching_marks import cache_arguments, cache_key, marked, style_of
from models.gateway import Gateway
from models.openai_chat import open_chat
from models.tokens import count_messages

TOOLS = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": {}}}
    for name in ("look", "submit_plan")
]


def said(kind: str, text: str) -> HumanMessage:
    return HumanMessage(text, additional_kwargs={"block": {"kind": kind}})


PROMPT: list[BaseMessage] = [
    SystemMessage("rules", additional_kwargs={"block": {"kind": "charter"}}),
    said("summary", "before"),
    said("history", "turn 1"),
    said("history", "turn 2"),
    said("memory", "recalled"),
    said("question", "now?"),
    said("brief", "you are the router"),
    AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "c"}]),
    ToolMessage("seen", tool_call_id="c"),
]


def profile(**fields: Any) -> ModelProfile:  # noqa: ANN401 - fields of a profile
    return ModelProfile(provider="openai", **{"model": "gpt-4.1", **fields})


@pytest.mark.parametrize(
    ("fields", "style"),
    [
        ({}, "openai"),
        ({"model": "gpt-5.5-mini"}, "openai"),
        ({"model": "gpt-5.6"}, "openai-marks"),
        ({"model": "gpt-6"}, "openai-marks"),
        ({"base_url": "http://localhost:8000/v1"}, "none"),
        ({"base_url": "https://gate.example/v1", "cache": "anthropic"}, "anthropic"),
    ],
)
def test_the_style_follows_address_and_model(fields: dict[str, Any], style: str) -> None:
    assert style_of(profile(**fields)) == style


def test_marks_stand_at_charter_history_and_question_and_change_no_token() -> None:
    prompt = marked(PROMPT, "anthropic")
    places = [n for n, message in enumerate(prompt) if isinstance(message.content, list)]
    assert places == [0, 3, 5]
    assert prompt[3].content[-1]["cache_control"] == {"type": "ephemeral"}  # type: ignore[index]
    assert [str(m.text) for m in prompt] == [str(m.text) for m in PROMPT]
    assert count_messages(prompt) == count_messages(PROMPT)


def test_other_endpoints_get_the_prompt_as_it_is() -> None:
    assert marked(PROMPT, "none") == PROMPT
    assert cache_arguments("none", "key", ("look",)) == {}


def test_the_key_names_nobody_and_differs_by_thread() -> None:
    keys = {cache_key("default:anna"), cache_key("default:bert"), cache_key("default:anna")}
    assert len(keys) == 2
    assert not any("anna" in key for key in keys)


async def test_openai_is_sent_key_marks_and_allowed_tools_beside_an_unchanged_catalogue() -> None:
    async with openai_server(Reply("fine")) as server:
        settings = profile(model="gpt-5.6", base_url=server.base_url, cache="openai-marks")
        gateway = Gateway({"expert": open_chat(settings, "k")}, {"expert": settings})
        await gateway.call(
            "expert", PROMPT[:7], tools=TOOLS, cache_key="hippograph-1", allowed=("look",)
        )
    body = server.bodies[0]
    assert body["prompt_cache_key"] == "hippograph-1"
    assert [tool["function"]["name"] for tool in body["tools"]] == ["look", "submit_plan"]
    assert body["tool_choice"]["type"] == "allowed_tools"
    assert body["tool_choice"]["allowed_tools"]["tools"] == [
        {"type": "function", "function": {"name": "look"}}
    ]
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    assert body["messages"][0]["content"] == [{"type": "text", "text": "rules", **mark}]


async def test_another_server_is_sent_none_of_it() -> None:
    async with openai_server(Reply("fine")) as server:
        settings = profile(model="local", base_url=server.base_url)
        gateway = Gateway({"expert": open_chat(settings, "k")}, {"expert": settings})
        await gateway.call("expert", PROMPT[:7], tools=TOOLS, cache_key="k", allowed=("look",))
    assert "prompt_cache_key" not in server.bodies[0]
    assert "tool_choice" not in server.bodies[0]
    assert server.bodies[0]["messages"][0]["content"] == "rules"
