"""From what a server says to what experts see: names, permissions, arguments."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.mcp import McpServer, wire_name
from tools.checking import checked_args
from tools.errors import ToolError
from tools.mcp_offer import KeptOffer, Offer, RemotePrompt, RemoteResource, RemoteTool
from tools.mcp_schema import clean_schema
from tools.mcp_specs import Limits, tools_of
from tools.spec import ToolSpec

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "x" * 2000},
        "limit": {"type": "integer", "default": 3, "minimum": 1},
        "place": {"$ref": "#/$defs/Place"},
    },
    "required": ["name"],
    "$defs": {
        "Place": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "near": {"$ref": "#/$defs/Place"}},
        }
    },
}


async def nothing(*_: object) -> str:
    return ""


def specs(
    *tools: RemoteTool, resources: tuple[RemoteResource, ...] = (), **config: object
) -> dict[str, ToolSpec]:
    server = McpServer.model_validate(
        {"transport": "stdio", "command": "shop", "experts": ["billing", "orders"], **config}
    )
    offer = Offer(tools=tools, resources=resources)
    limits = Limits(timeout_s=30, max_output_tokens=100)
    found = tools_of("shop", server, offer, limits=limits, call=nothing, read=nothing)
    return {spec.title: spec for spec in found}


def tool(name: str = "find", **hints: Any) -> RemoteTool:  # noqa: ANN401 - any hint
    return RemoteTool(name, f"Does {name}.", SCHEMA, **hints)


def test_a_tool_nobody_has_judged_is_irreversible_and_asks() -> None:
    spec = specs(tool(read_only=True))["shop::find"]
    assert (spec.name, spec.effect, spec.approval) == ("shop__find", "irreversible", True)
    assert spec.serves("orders")
    assert not spec.serves("knowledge")


@pytest.mark.parametrize(
    ("hints", "effect", "approval"),
    [
        ({"read_only": True}, "read_only", False),
        ({"idempotent": True, "destructive": False}, "idempotent", False),
        ({"idempotent": True}, "irreversible", True),
        ({}, "irreversible", True),
    ],
)
def test_a_trusted_servers_annotations_count(
    hints: dict[str, Any], effect: str, approval: bool
) -> None:
    spec = specs(tool(**hints), trust_annotations=True)["shop::find"]
    assert (spec.effect, spec.approval) == (effect, approval)


def test_what_is_configured_wins_over_what_the_server_says() -> None:
    decided = {"find": {"effect": "idempotent", "approval": True, "description": "Ours."}}
    spec = specs(tool(read_only=True), trust_annotations=True, tools=decided)["shop::find"]
    assert (spec.effect, spec.approval, spec.description) == ("idempotent", True, "Ours.")


def test_only_allowed_tools_are_there() -> None:
    assert set(specs(tool("find"), tool("drop"), allow=["f*"])) == {"shop::find"}


def test_a_schema_that_cannot_be_checked_leaves_its_tool_out() -> None:
    odd = RemoteTool("odd", "", {"type": "object", "properties": {"a": {"type": "no-such"}}})
    assert set(specs(tool(), odd, RemoteTool("list", "", {"type": "array"}))) == {"shop::find"}


def test_arguments_are_checked_and_defaults_filled_in() -> None:
    spec = specs(tool())["shop::find"]
    checked = checked_args(spec, "c1", {"name": "Ada", "place": {"city": "Rome"}})
    assert checked.args == {"name": "Ada", "limit": 3, "place": {"city": "Rome"}}


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ({}, "'name' is a required property"),
        ({"name": 3}, "name: 3 is not of type 'string'"),
        ({"name": "a", "limit": 0}, "less than the minimum"),
        ({"name": "a", "nmae": 1}, "'nmae' was unexpected"),
        ({"name": "a", "place": {"city": 3}}, "place.city: 3 is not of type 'string'"),
    ],
)
def test_wrong_arguments_are_refused(args: dict[str, Any], part: str) -> None:
    with pytest.raises(ToolError) as refused:
        checked_args(specs(tool())["shop::find"], "c1", args)
    assert refused.value.kind == "invalid_arguments"
    assert part in refused.value.message


def test_arguments_may_have_any_name() -> None:
    names = ("context", "self", "model_config", "copy", "arguments", "_x")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    spec = specs(RemoteTool("odd", "", schema))["shop::odd"]
    args = dict.fromkeys(names, "v")
    assert checked_args(spec, "c1", args).args == args


def test_the_schema_a_model_sees_has_no_references_and_short_descriptions() -> None:
    (shown,) = [spec.openai_schema()["function"] for spec in specs(tool()).values()]
    text = json.dumps(shown)
    assert "$ref" not in text
    assert "$defs" not in text
    assert len(text) < 1500
    assert shown["parameters"]["additionalProperties"] is False


def test_a_server_cannot_flood_the_prompt() -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(100):
        deep = {"type": "object", "properties": {f"p{n}": deep for n in range(3)}}
    assert len(json.dumps(clean_schema(deep))) < 200_000
    flood = RemoteTool("flood", "word " * 50_000, SCHEMA)
    assert len(specs(flood)["shop::flood"].description) <= 1000


def test_resources_are_read_by_a_tool_that_lists_them() -> None:
    memo = (RemoteResource("memo://one", "one", "The first."),)
    spec = specs(tool(), resources=memo)["shop::read_resource"]
    assert "memo://one: The first." in spec.description
    assert spec.effect == "read_only"


def test_resources_can_be_closed_and_the_servers_own_reader_stays() -> None:
    memo = (RemoteResource("memo://one"),)
    config = {"transport": "stdio", "command": "s", "experts": ["*"], "resources": False}
    server = McpServer.model_validate(config)
    offer = Offer((tool("read_resource"),), memo)
    limits = Limits(timeout_s=1, max_output_tokens=1)
    closed = tools_of("shop", server, offer, limits=limits, call=nothing, read=nothing)
    assert [spec.title for spec in closed] == ["shop::read_resource"]
    both = specs(tool("read_resource"), resources=memo)
    assert set(both) == {"shop::read_resource", "shop::read_resource_of_server"}


@given(st.text(min_size=1, max_size=100), st.text(min_size=1, max_size=100))
def test_names_on_the_wire_are_valid_and_never_meet(one: str, other: str) -> None:
    names = [wire_name("shop", name) for name in (one, other)]
    for name in names:
        assert 0 < len(name) <= 64
        assert name.isascii()
        assert name.replace("_", "").replace("-", "").isalnum()
    assert (names[0] == names[1]) == (one == other)


def test_a_plain_name_stays_readable() -> None:
    assert wire_name("shop", "find_customer") == "shop__find_customer"


def test_an_offer_is_kept_whole(tmp_path: Path) -> None:
    offer = Offer((tool(read_only=True),), (RemoteResource("a://b"),), (RemotePrompt("p"),))
    kept = KeptOffer(tmp_path / "mcp" / "shop.json")
    assert kept.load() == Offer()
    kept.save(offer)
    assert kept.load() == offer
    kept.file.write_text("{half", encoding="utf-8")
    assert kept.load() == Offer()
