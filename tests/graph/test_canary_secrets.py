"""A secret turns up nowhere else: of the environment, a config, a tool's result, or a user."""

import logging
import zlib
from pathlib import Path

import pytest
from langchain_core.tracers.context import collect_runs
from langchain_core.tracers.schemas import Run
from sqlalchemy import select

from configs.settings import ExpertConfig
from graph.errors import DecisionRefused
from graph.session import Desk
from memory.tables import artifacts
from nodes.open_turn import MASKED
from state import Scope
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Step, Turn, call
from tests.graph.studio_door import CONFIG as STUDIO_CONFIG
from tests.graph.studio_door import studio
from tests.tools.parts import SetClock
from tools.spec import ToolError

ENVIRONMENT = "zq417-canary-of-the-environment"
CONFIG = "sk-zq417CanaryOfTheConfig0123456789"
TOKEN = "ghp_zq417CanaryOfTheTool0123456789abcdef"
TYPED = "sk-proj-zq417CanaryOfTheUser0123456789"
CANARIES = (ENVIRONMENT, CONFIG, TOKEN, TYPED)
SAID = f"Call me Zaphod, and do not tell {TYPED}"
HEARD = "Call me Zaphod, and do not tell [masked token]"


def read_token() -> dict[str, str]:
    return {"token": TOKEN, "seen": ENVIRONMENT, "header": f"Authorization: Bearer {TOKEN}"}


def read_much() -> str:
    return f"{'all is well ' * 1000} {TOKEN} {ENVIRONMENT}"


def read_failing() -> str:
    logging.getLogger("a tool").warning("refused %s", TOKEN)
    raise ToolError(f"401 for {TOKEN}", hint=f"renew {ENVIRONMENT}")


def read_breaking() -> str:
    raise ValueError(TOKEN)


def write_token(*, to: str) -> str:
    return f"{to} has {TOKEN} and {ENVIRONMENT}"


NAMES = ("read_token", "read_much", "read_failing", "read_breaking")
STEPS: list[Step] = [
    [call(name) for name in NAMES],
    [call("write_token", to="Ana")],
    "done",
]


def keeper() -> ExpertConfig:
    tools = [
        {
            "name": name,
            "function": f"{__name__}:{name}",
            "effect": "irreversible" if name.startswith("write") else "read_only",
            "description": name,
            "when": "a test says so",
            "returns": "a secret",
        }
        for name in (*NAMES, "write_token")
    ]
    texts = dict.fromkeys(("title", "description", "brief"), "Keeps secrets.")
    return ExpertConfig.model_validate({"name": "keeper", "tools": tools, **texts})


async def stored_bodies(desk: Desk) -> list[bytes]:
    """Every artifact's text, unpacked."""
    query = select(artifacts.c.encoding, artifacts.c.body)
    rows = await desk.services.database.read(lambda conn: conn.execute(query).all())
    return [zlib.decompress(row.body) if row.encoding == "zlib" else row.body for row in rows]


def all_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def traced(runs: list[Run]) -> str:
    """All that a tracer gets to see of runs and the runs inside them."""
    return "".join(
        f"{run.inputs} {run.outputs} {run.extra} {run.error} {traced(run.child_runs)}"
        for run in runs
    )


def found_in(data: bytes) -> list[str]:
    return [canary for canary in CANARIES if canary.encode() in data]


async def test_a_secret_is_in_no_checkpoint_log_trace_or_memory(
    open_workshop: OpenDesk,
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("WAREHOUSE_TOKEN", ENVIRONMENT)
    play = Play({"go": Turn(["keeper"], {"keeper": STEPS})})
    profile = {"provider": "openai", "model": "m", "extra_body": {"api_key": CONFIG}}
    settings = {"experts": (keeper(),), "models": {"default": profile}}
    with collect_runs() as runs:
        async with open_workshop(play, **settings) as desk:
            await desk.ask(thread="t", user="local", text="go")
            (action,) = await desk.pending("t", user="local")
            await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")
            audit = await desk.services.tool_log.calls(Scope(user="local"))
            bodies = await stored_bodies(desk)
            logging.getLogger("memory").error("it said %s", ENVIRONMENT)
    assert [one.call.masked > 0 for one in audit if one.call.outcome == "ok"] == [True] * 3
    assert "[masked" in b"".join(bodies).decode()
    assert not found_in(b"".join(bodies))
    files = all_files(data_dir)
    assert {"hippograph.db", "checkpoints.db"} <= set(files)
    assert not {name: found for name, data in files.items() if (found := found_in(data))}
    assert "[masked" in caplog.text
    assert not found_in(caplog.text.encode())
    seen = traced(runs.traced_runs)
    assert "[masked" in seen
    assert not found_in(seen.encode())
    assert not found_in("".join(prompt.text for prompt in play.prompts).encode())


async def test_a_secret_that_a_user_types_is_masked_at_the_door(
    open_workshop: OpenDesk, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    press = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})
    play = Play({"press": press, "pull": press, HEARD: Turn(["eyes"], {"eyes": ["noted"]})})
    with collect_runs() as runs:
        async with open_workshop(play) as desk:
            said = await desk.ask(thread="t", user="local", text=SAID)
            streamed = [one async for one in desk.stream(thread="t", user="local", text=SAID)]
            for question in ("press", "pull"):
                (action,) = (await desk.ask(thread="t", user="local", text=question)).pending
                edit = {"id": action.id, "type": "edit", "edited_action": edited({"item": TYPED})}
                with pytest.raises(DecisionRefused, match="without a secret"):
                    await desk.decide("t", [edit], user="local")
                reject = {"id": action.id, "type": "reject", "message": f"not with {TYPED}"}
                await desk.decide("t", [reject], user="local")
            note = f"You should have looked first, with {TYPED}"
            await desk.feedback("t", 0, good=False, note=note, user="local")
            plain = await desk.ask(thread="t", user="local", text="thanks")
            await desk.consolidate("t", user="local")
            scope = Scope(user="local")
            facts = await desk.services.facts.current(scope)
            items = await desk.services.opened.episodes.scoped(scope).own(0, 100)
            records = await desk.show("t", "local")
            bodies = await stored_bodies(desk)
    assert [MASKED in reply.notes for reply in (said, streamed[-1].data["reply"])] == [True] * 2
    assert MASKED not in plain.notes
    assert [record["user"] for record in records] == [HEARD, HEARD, "press", "pull", "thanks"]
    assert any("Zaphod" in fact.value for fact in facts)
    kept = f"{facts} {items} {records} {caplog.text} {traced(runs.traced_runs)}".encode()
    assert b"[masked" in kept
    assert not found_in(kept + b"".join(bodies))
    assert not {name for name, data in all_files(data_dir).items() if found_in(data)}
    assert not found_in("".join(prompt.text for prompt in play.prompts).encode())


def edited(args: dict[str, str]) -> dict[str, object]:
    return {"name": "press_button", "args": args}


@pytest.mark.parametrize("given", [SAID, [SAID[:-9], SAID[-9:]]])
async def test_a_server_run_goes_on_without_the_secret_that_its_input_had(
    given: str | list[str | dict[str, str]], data_dir: Path, clock: SetClock
) -> None:
    """The server itself keeps what a client has sent; the state has it no longer."""
    turn = Turn(["hands"], {"hands": [[call("press_button", item="red")]]})
    async with studio(data_dir, turn, clock) as door:
        earlier = {"role": "user", "content": f"my key: {TYPED}"}
        ended = await door.run({"messages": [earlier, {"role": "user", "content": given}]})
        asked = [message.id for message in ended["messages"][:2]]
        paused = await door.send("press")
        refused = await door.send(f"what of {TYPED}")
        await door.resume({"decisions": [{"type": "reject", "message": f"it is {TYPED}"}]})
        after = (await door.graph.aget_state(STUDIO_CONFIG)).values
    assert ended["messages"][1].text == HEARD
    assert (ended["turn"]["text"], ended["notes"]) == (HEARD, [MASKED])
    assert [message.id for message in after["messages"][:2]] == asked
    assert "[masked token]" in after["findings"][0]["calls"][0]["note"]
    assert not found_in(f"{ended} {paused} {refused} {after}".encode())
    assert not {name for name, data in all_files(data_dir).items() if found_in(data)}
    assert not found_in("".join(prompt.text for prompt in door.play.prompts).encode())


async def test_an_ordinary_message_is_taken_as_it_is(open_workshop: OpenDesk) -> None:
    texts = [
        "Refund INV-1042 to ada.lovelace+billing@example.org and tell Ben.",
        "SELECT token_id, password_hash FROM users u JOIN api_keys k ON k.token = u.token_id",
        "My API key does not work any more, and the password: how do I reset it?",
        "Where is https://example.org/orders/5f0c?page=2&sort=asc and order sk-1042?",
    ]
    async with open_workshop(Play()) as desk:
        replies = [await desk.ask(thread="t", user="local", text=text) for text in texts]
        records = await desk.show("t", "local")
    assert [record["user"] for record in records] == texts
    assert not any(MASKED in reply.notes for reply in replies)
