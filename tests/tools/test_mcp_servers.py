"""MCP servers over real transports: found, called, lost, found again; never in a turn's way."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from configs.mcp import McpServer
from tests.tools.mcp_parts import (
    files_with,
    free_port,
    is_alive,
    key_of_last,
    kill,
    lines,
    running_shop,
    stdio_shop,
    web_shop,
)
from tools.errors import LinkLost, ToolError
from tools.mcp import McpServers
from tools.mcp_specs import Limits
from tools.registry import Registry
from tools.spec import ToolContext, ToolSpec


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@asynccontextmanager
async def servers(data_dir: Path, **configs: dict[str, Any]) -> AsyncIterator[McpServers]:
    found = {name: McpServer.model_validate(values) for name, values in configs.items()}
    limits = Limits(timeout_s=10, max_output_tokens=500)
    opened = McpServers(found, app_dir=data_dir, data_dir=data_dir, limits=limits)
    await opened.bind(Registry([]))
    yield opened
    await opened.close()


async def tool(opened: McpServers, title: str) -> ToolSpec:
    await opened.ready()
    (status,) = await opened.status()
    return next(spec for spec in status.tools if spec.title == title)


async def call(opened: McpServers, title: str, **arguments: Any) -> Any:  # noqa: ANN401 - JSON
    spec = await tool(opened, title)
    context = ToolContext(
        app_dir=Path(),
        data_dir=Path(),
        tenant="default",
        user="ada",
        teams=(),
        thread="t",
        idempotency_key="key-1",
    )
    return await spec.function(context=context, arguments=arguments)


async def heard(opened: McpServers, name: str) -> None:
    """Wait until the server is known to offer a tool."""

    async def offered() -> bool:
        (status,) = await opened.status()
        return any(tool.name == name for tool in status.offer.tools)

    for _ in range(160):
        if await offered():
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"{name} was not heard of")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The configuration of a shop that runs, for tests that do not end it."""
    port = free_port()
    with running_shop(port, tmp_path_factory.mktemp("shop") / "journal"):
        yield web_shop(port)


async def test_a_running_server_offers_tools_resources_and_prompts(
    shop: dict[str, Any], tmp_path: Path
) -> None:
    async with servers(tmp_path, shop=shop) as opened:
        await opened.ready()
        (status,) = await opened.status()
        memo = await opened.read_resource("shop", "memo://customer/ada")
        prompt = await opened.prompt("shop::greet", {"name": "Ada"})
    assert status.state == "up"
    assert [one.title for one in status.tools][:2] == [
        "shop::a_tool_whose_name_is_so_long_that_no_provider_would_take_it_as_it_is",
        "shop::find_customer",
    ]
    assert {one.uri for one in status.offer.resources} == {
        "memo://opening-hours",
        "memo://customer/{name}",
    }
    assert [one.name for one in status.offer.prompts] == ["greet"]
    assert (memo, prompt) == ("ada likes boxes", "Write a greeting for Ada.")


async def test_a_result_comes_as_it_is_and_a_failure_says_why(
    shop: dict[str, Any], tmp_path: Path
) -> None:
    async with servers(tmp_path, shop=shop) as opened:
        found = await call(opened, "shop::find_customer", name="Ada", limit=2)
        assert (found["name"], found["limit"]) == ("Ada", 2)
        assert len(await call(opened, "shop::read_huge")) == 1_000_000
        with pytest.raises(ToolError, match="the shelf fell down"):
            await call(opened, "shop::read_failing")


async def test_a_changed_list_is_heard_and_waits_for_the_next_turn(
    shop: dict[str, Any], tmp_path: Path
) -> None:
    registry = Registry([])
    async with servers(tmp_path, shop=shop) as opened:
        await opened.bind(registry)
        await opened.ready()
        assert await opened.take_over()
        before = [spec.name for spec in registry]
        await call(opened, "shop::read_more")
        await heard(opened, "read_fresh")
        assert [spec.name for spec in registry] == before
        assert await opened.take_over()
        assert "shop__read_fresh" in [spec.name for spec in registry]
        assert not await opened.take_over(), "nothing more has changed"


async def test_a_server_at_an_address_is_killed_and_found_again(
    tmp_path: Path, journal: Path
) -> None:
    port = free_port()
    async with servers(tmp_path, shop=web_shop(port)) as opened:
        with running_shop(port, journal) as process:
            first = await call(opened, "shop::find_customer", name="Ada")
            kill(process)
            with pytest.raises(ToolError, match="MCP server shop cannot be reached"):
                await call(opened, "shop::send_note", text="hello")
            (status,) = await opened.status()
            assert status.state == "down"
            assert status.tools, "its tools stay known"
        with running_shop(port, journal):
            again = await call(opened, "shop::find_customer", name="Ada")
    assert first["process"] == process != again["process"]
    assert lines(journal) == [], "an effect is not sent to a server that is gone"
    async with servers(tmp_path, shop=web_shop(port)) as opened:
        with pytest.raises(ToolError, match="cannot be reached"):
            await call(opened, "shop::find_customer", name="Ada")


OLD = pytest.mark.filterwarnings("ignore:The WebSocket client transport is deprecated")


@pytest.mark.parametrize("kind", ["sse", pytest.param("websocket", marks=OLD)])
async def test_the_other_transports_are_spoken_too(
    kind: str, tmp_path: Path, journal: Path
) -> None:
    port = free_port()
    with running_shop(port, journal, kind):
        async with servers(tmp_path, shop=web_shop(port, kind)) as opened:
            assert (await call(opened, "shop::find_customer", name="Ada"))["name"] == "Ada"


async def test_a_started_server_sees_its_own_variables_only_and_comes_back_when_killed(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "for-the-shop")
    monkeypatch.setenv("NOT_FOR_SHOPS", "secret-of-another")
    async with servers(tmp_path, shop=stdio_shop(journal, env=["SHOP_TOKEN"])) as opened:
        said = await call(opened, "shop::read_secret")
        assert said == "my token is for-the-shop, other: None"
        first = await call(opened, "shop::find_customer", name="Ada")
        kill(first["process"])
        again = await call(opened, "shop::find_customer", name="Ada")
    assert again["process"] != first["process"]
    assert not is_alive(again["process"]), "closing ends the server"
    assert files_with(b"for-the-shop", tmp_path) == []


async def test_an_effect_lost_on_its_way_is_not_sent_again(tmp_path: Path, journal: Path) -> None:
    async with servers(tmp_path, shop=stdio_shop(journal)) as opened:
        with pytest.raises(LinkLost):
            await call(opened, "shop::send_and_die", text="hello")
        assert await call(opened, "shop::send_note", text="after") == "sent: after"
    assert lines(journal) == ["died hello", "sent after"]
    assert key_of_last(journal) == "key-1"


async def test_a_server_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    config = {"transport": "stdio", "command": "no-such-program", "experts": ["*"]}
    async with servers(tmp_path, shop=config) as opened:
        await opened.ready()
        (status,) = await opened.status()
    assert status.state == "down"
    assert "no-such-program" in status.error


async def test_a_missing_secret_is_named(tmp_path: Path, journal: Path) -> None:
    async with servers(tmp_path, shop=stdio_shop(journal, env=["SHOP_TOKEN"])) as opened:
        await opened.ready()
        (status,) = await opened.status()
    assert "wanted SHOP_TOKEN in the environment" in status.error


async def test_servers_that_nobody_uses_are_not_started(tmp_path: Path, journal: Path) -> None:
    async with servers(tmp_path, shop=stdio_shop(journal)) as opened:
        (status,) = await opened.status()
    assert (status.state, status.tools) == ("idle", ())
