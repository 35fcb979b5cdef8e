"""Experts use the tools of a real MCP server: our pipeline stands around every call."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph import cli_doctor
from graph.cli import app
from graph.replies import Reply
from graph.session import Desk
from tests.fakes.scripted import Prompt
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call, observations
from tests.tools.mcp_parts import files_with, free_port, lines, running_shop, stdio_shop, web_shop

SECRET = "token-of-the-shop-4711"


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop") / "journal"


@pytest.fixture(scope="module")
def shop(journal: Path) -> Iterator[dict[str, Any]]:
    port = free_port()
    with running_shop(port, journal):
        yield web_shop(port)


@pytest.fixture(autouse=True)
def _empty_journal(journal: Path) -> Iterator[None]:
    yield
    journal.unlink(missing_ok=True)


def eyes(*calls: dict[str, Any]) -> Turn:
    return Turn(["eyes"], {"eyes": [[one] for one in calls]})


async def ask(desk: Desk, text: str) -> Reply:
    return await desk.ask(thread="t", user="local", text=text)


def last_seen(play: Play) -> str:
    return observations(play.prompts_of("expert")[-1])[-1]


def offered(prompt: Prompt) -> list[str]:
    return [tool["function"]["name"] for tool in prompt.tools]


async def test_an_expert_reads_through_a_server(
    open_workshop: OpenDesk, shop: dict[str, Any]
) -> None:
    play = Play({"who": eyes(call("shop__find_customer", name="Ada"))})
    async with open_workshop(play, mcp={"shop": shop}) as desk:
        reply = await ask(desk, "who")
        (record,) = (await desk.show("t", "local"))[0]["modules"]
        events = desk.stream(thread="t", user="local", text="who")
        titles = [event.data["title"] async for event in events if event.kind == "tool"]
    assert titles == ["shop::find_customer"]
    assert reply.status == "done"
    assert '"name": "Ada"' in last_seen(play)
    assert record["calls"][0]["args"] == {"name": "Ada", "limit": 3}
    assert record["calls"][0]["artifact"]


async def test_a_megabyte_is_kept_as_an_artifact_and_shown_in_part(
    open_workshop: OpenDesk, shop: dict[str, Any], data_dir: Path
) -> None:
    tools = {"read_huge": {"max_output_tokens": 100}}
    play = Play({"all": eyes(call("shop__read_huge"))})
    async with open_workshop(play, mcp={"shop": {**shop, "tools": tools}}) as desk:
        await ask(desk, "all")
    assert "100 of 250001 tokens shown; call recall_artifact" in last_seen(play)
    assert (data_dir / "checkpoints.db").stat().st_size < 1_000_000


@pytest.mark.parametrize(
    ("wanted", "part"),
    [
        (call("shop__read_failing"), "the shelf fell down"),
        (call("shop__find_customer", limit=2), "'name' is a required property"),
        (call("shop__find_customer", name="Ada", nmae="Eve"), "'nmae' was unexpected"),
        (call("shop__drop_all"), "unknown_tool"),
        (call("shop__read_hanging"), "no answer within 0.3 s"),
    ],
)
async def test_a_call_that_goes_wrong_is_an_observation(
    wanted: dict[str, Any], part: str, open_workshop: OpenDesk, shop: dict[str, Any]
) -> None:
    tools = {"read_hanging": {"timeout_s": 0.3}}
    play = Play({"try": eyes(wanted)})
    async with open_workshop(play, mcp={"shop": {**shop, "tools": tools}}) as desk:
        assert (await ask(desk, "try")).status == "done"
    assert part in last_seen(play)


async def test_an_expert_may_not_use_anothers_server(
    open_workshop: OpenDesk, shop: dict[str, Any]
) -> None:
    play = Play({"who": eyes(call("shop__find_customer", name="Ada"))})
    async with open_workshop(play, mcp={"shop": {**shop, "experts": ["hands"]}}) as desk:
        await ask(desk, "who")
    assert "belongs to hands, not to eyes" in last_seen(play)


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_an_effect_of_a_server_waits_for_a_person(
    decision: str, open_workshop: OpenDesk, shop: dict[str, Any], journal: Path
) -> None:
    play = Play({"send": eyes(call("shop__send_note", text="hello"))})
    async with open_workshop(play, mcp={"shop": shop}) as desk:
        (action,) = (await ask(desk, "send")).pending
        assert (action.title, action.args) == ("shop::send_note", {"text": "hello"})
        assert lines(journal) == []
        done = await desk.decide("t", [{"id": action.id, "type": decision}], user="local")
    assert done.status == "done"
    assert lines(journal) == (["sent hello"] if decision == "approve" else [])


async def test_what_nobody_has_judged_asks_even_if_the_server_calls_it_a_read(
    open_workshop: OpenDesk, shop: dict[str, Any]
) -> None:
    play = Play({"who": eyes(call("shop__find_customer", name="Ada"))})
    untrusted = {**shop, "trust_annotations": False}
    async with open_workshop(play, mcp={"shop": untrusted}) as desk:
        assert (await ask(desk, "who")).status == "waiting"


async def test_an_effect_whose_server_dies_under_it_is_asked_about_and_not_repeated(
    open_workshop: OpenDesk, journal: Path
) -> None:
    play = Play({"send": eyes(call("shop__send_and_die", text="hello"))})
    async with open_workshop(play, mcp={"shop": stdio_shop(journal)}) as desk:
        (action,) = (await ask(desk, "send")).pending
        waiting = await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")
        assert [one.kind for one in waiting.pending] == ["settle"]
        answer = {"id": action.id, "type": "respond", "message": "happened"}
        assert (await desk.decide("t", [answer], user="local")).status == "done"
    assert lines(journal) == ["died hello"]


async def test_a_dead_server_stops_neither_the_desk_nor_the_turn(
    open_workshop: OpenDesk, shop: dict[str, Any]
) -> None:
    """Its tools stay in the catalogue from the last time it could be reached."""
    play = Play({"who": eyes(call("shop__find_customer", name="Ada"))})
    async with open_workshop(play, mcp={"shop": shop}) as desk:
        await ask(desk, "who")
    gone = {**shop, "url": f"http://127.0.0.1:{free_port()}/mcp"}
    async with open_workshop(play, mcp={"shop": gone}) as desk:
        assert (await ask(desk, "who")).status == "done"
    first, *_, last = play.prompts
    assert "the MCP server shop cannot be reached" in last_seen(play)
    assert first.tools == last.tools


async def listed(data_dir: Path, tool: str) -> None:
    """Wait until the server's offer, as it is kept, has a tool; a loaded machine takes a while."""
    kept = data_dir / "mcp" / "shop.json"
    for _ in range(200):
        if kept.exists() and tool in kept.read_text(encoding="utf-8"):
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"{tool} was never listed")


async def test_a_new_tool_is_shown_from_the_next_turn_on(
    open_workshop: OpenDesk, data_dir: Path, journal: Path
) -> None:
    turns: Sequence[dict[str, Any]] = [
        call("shop__read_more"),
        call("shop__find_customer", name=""),
    ]
    play = Play({"more": eyes(*turns), "again": eyes(call("shop__read_fresh"))})
    async with open_workshop(play, mcp={"shop": stdio_shop(journal)}) as desk:
        await ask(desk, "more")
        during = [offered(prompt) for prompt in play.prompts]
        await listed(data_dir, "read_fresh")
        await ask(desk, "again")
    assert all(names == during[0] for names in during), "inside a turn nothing changes"
    new = offered(play.prompts[-1])
    assert set(new) - set(during[0]) == {"shop__read_fresh"}
    assert new == sorted(new)
    assert "fresh at" in last_seen(play)


async def test_a_servers_secret_is_in_no_file(
    open_workshop: OpenDesk, data_dir: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    play = Play({"tell": eyes(call("shop__read_secret"))})
    config = {"shop": stdio_shop(journal, env=["SHOP_TOKEN"])}
    async with open_workshop(play, mcp=config) as desk:
        await ask(desk, "tell")
        assert SECRET not in str(desk.services.settings)
    assert "my token is" in last_seen(play)
    assert SECRET not in last_seen(play)
    assert files_with(SECRET.encode(), data_dir) == []


def test_the_command_line_lists_servers_and_says_which_are_down(
    shop: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = {**shop, "url": f"http://127.0.0.1:{free_port()}/mcp"}
    for name, server in (("SHOP", shop), ("DEAD", dead)):
        values = {**server, "experts": ["*"]}
        monkeypatch.setenv(f"HIPPOGRAPH_MCP__{name}", json.dumps(values))
    monkeypatch.setenv("HIPPOGRAPH_DATA_DIR", str(tmp_path))
    run = CliRunner()
    listed = run.invoke(app, ["mcp", "--json"])
    down, up = json.loads(listed.stdout)["servers"]
    assert (listed.exit_code, down["state"], up["state"]) == (1, "down", "up")
    send = next(tool for tool in up["tools"] if tool["name"] == "shop::send_note")
    assert (send["wire_name"], send["approval"]) == ("shop__send_note", True)
    read = run.invoke(app, ["mcp", "read", "shop", "memo://opening-hours"])
    assert read.stdout.strip() == "nine to five"
    prompt = run.invoke(app, ["mcp", "prompt", "shop::greet", "--arg", "name=Ada"])
    assert prompt.stdout.strip() == "Write a greeting for Ada."
    assert run.invoke(app, ["mcp", "prompt", "shop::none"]).exit_code == 1
    assert run.invoke(app, ["mcp", "prompt", "shop::greet", "--arg", "x"]).exit_code == 2
    probes = tuple(probe for probe in cli_doctor.PROBES if probe[0] == "MCP servers")
    monkeypatch.setattr(cli_doctor, "PROBES", probes)
    doctor = json.loads(run.invoke(app, ["doctor", "--json"]).stdout)
    (check,) = [one for one in doctor["checks"] if one["name"] == "MCP servers"]
    assert not check["ok"]
    assert "dead is down" in check["detail"]
