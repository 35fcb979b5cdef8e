"""Names in a model's calls: what runs, what a person is asked, what the model reads instead."""

from pathlib import Path
from typing import Any

from configs.settings import ExpertConfig, load_settings
from graph.replies import Reply
from graph.session import Desk
from state import CallRecord
from tests.graph.conftest import OpenDesk
from tests.graph.plays import Play, Turn, call, observations
from tests.graph.workshop import happened, journal, note_down
from tools.spec import ToolContext, ToolError

CREW = [{"id": "P-1", "name": "Ida Holm"}, {"id": "P-2", "name": "Rui Costa"}]
NAMES = {"names": {"tool": "list_crew", "field": "name", "id": "id"}}


def list_crew(context: ToolContext) -> dict[str, Any]:
    note_down(context, "list_crew")
    if (context.data_dir / "closed").exists():
        raise ToolError("the register is closed", kind="denied")
    hired = [one["args"]["name"] for one in journal(context.data_dir) if one["tool"] == "hire"]
    return {"crew": CREW + [{"id": f"N-{name}", "name": name} for name in hired]}


def find_person(context: ToolContext, *, person: str) -> str:
    return f"found {person}"


def pay_person(context: ToolContext, *, person: str, amount: float) -> str:
    note_down(context, "pay_person", person=person, amount=amount)
    return f"paid {person}"


def hire(context: ToolContext, *, name: str) -> str:
    note_down(context, "hire", name=name)
    return f"hired {name}"


def tool(name: str, effect: str = "read_only", **more: object) -> dict[str, Any]:
    return {
        "name": name,
        "function": f"tests.graph.test_names:{name}",
        "effect": effect,
        "description": f"Tool {name}.",
        "when": "a test says so",
        "returns": "text",
        **more,
    }


def expert(name: str, *tools: dict[str, Any]) -> ExpertConfig:
    text = {"title": name, "description": name, "brief": name}
    return ExpertConfig.model_validate({"name": name, **text, "tools": tools})


EXPERTS = (
    expert("crew", tool("list_crew", trusted=True)),
    expert(
        "money",
        tool("find_person", parameters={"person": NAMES}, trusted=True),
        tool("pay_person", "irreversible", parameters={"person": NAMES}),
        tool("hire", "idempotent"),
    ),
)


def play_of(*calls: list[dict[str, Any]]) -> Play:
    return Play({"do": Turn(["money"], {"money": calls})})


async def do(desk: Desk) -> tuple[Reply, list[CallRecord]]:
    """The reply and the calls of the turn as the history keeps them."""
    reply = await desk.ask(thread="t", user="local", text="do")
    record = (await desk.show("t", "local"))[-1:]
    return reply, [one for turn in record for part in turn["modules"] for one in part["calls"]]


async def test_a_person_approves_the_id_that_a_name_stands_for(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = play_of([call("pay_person", person="costa", amount=5.0)])
    async with open_workshop(play, experts=EXPERTS) as desk:
        reply, _ = await do(desk)
        (action,) = reply.pending
        assert action.args == {"person": "P-2", "amount": 5}
        await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")
    assert journal(data_dir)[-1]["args"] == {"person": "P-2", "amount": 5.0}


async def test_an_unknown_name_never_reaches_a_person_and_the_model_reads_what_is_near(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = play_of(
        [call("pay_person", person="Ida Helm", amount=5.0)], [call("find_person", person="Ida")]
    )
    async with open_workshop(play, experts=EXPERTS) as desk:
        reply, calls = await do(desk)
    assert reply.pending == []
    assert [(one["name"], one["status"]) for one in calls] == [
        ("pay_person", "error"),
        ("find_person", "ok"),
    ]
    assert calls[1]["args"] == {"person": "P-1"}
    (told,) = observations(play.prompts_of("expert")[1])
    assert "invalid_arguments" in told
    assert "Ida Holm (P-1)" in told
    assert happened(data_dir) == ["list_crew"]


async def test_good_calls_beside_a_bad_name_run_and_a_good_effect_is_asked_about(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = play_of(
        [
            call("find_person", "a", person="nobody"),
            call("pay_person", "b", person="Ida Holm", amount=1.0),
            call("find_person", "c", person="Rui"),
        ]
    )
    async with open_workshop(play, experts=EXPERTS) as desk:
        reply, _ = await do(desk)
        (action,) = reply.pending
        await desk.decide("t", [{"id": action.id, "type": "approve"}], user="local")
        calls = (await desk.show("t", "local"))[0]["modules"][0]["calls"]
    assert [(one["status"], one["args"]["person"]) for one in calls] == [
        ("error", "nobody"),
        ("ok", "P-1"),
        ("ok", "P-2"),
    ]
    assert happened(data_dir) == ["list_crew", "pay_person"]


async def test_a_rejected_call_is_the_same_call_by_name_and_by_id(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    pay = {"amount": 5.0}
    play = play_of(
        [call("pay_person", "a", person="P-2", **pay)],
        [call("pay_person", "b", person="Costa", **pay)],
    )
    async with open_workshop(play, experts=EXPERTS) as desk:
        reply, _ = await do(desk)
        (action,) = reply.pending
        reply = await desk.decide("t", [{"id": action.id, "type": "reject"}], user="local")
    assert reply.pending == []
    assert happened(data_dir) == ["list_crew"]


async def test_a_list_that_fails_lets_reads_go_on_with_a_note_and_stops_effects(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    (data_dir / "closed").touch()
    play = play_of(
        [call("find_person", "a", person="Rui")],
        [call("pay_person", "b", person="P-2", amount=1.0)],
    )
    async with open_workshop(play, experts=EXPERTS) as desk:
        reply, calls = await do(desk)
    assert [one["status"] for one in calls] == ["ok", "error"]
    assert calls[1]["note"].startswith("unavailable: person of pay_person cannot be checked")
    assert any("person of find_person was not checked" in note for note in reply.notes)
    assert reply.pending == []
    assert happened(data_dir) == ["list_crew"]


async def test_what_an_effect_of_the_turn_has_added_can_be_named(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    play = play_of(
        [call("find_person", "a", person="Rui")],
        [call("hire", "b", name="Zoe")],
        [call("find_person", "c", person="zoe")],
    )
    async with open_workshop(play, experts=EXPERTS) as desk:
        _, calls = await do(desk)
    assert calls[-1]["args"] == {"person": "N-Zoe"}
    assert happened(data_dir) == ["list_crew", "hire", "list_crew"]


async def test_the_sample_companys_tools_are_given_ids_and_still_find_customers_by_place(
    open_workshop: OpenDesk, data_dir: Path
) -> None:
    calls = [
        call("list_invoices", "a", customer="Otava"),
        call("list_invoices", "b", customer="Eero Lahtinen"),
        call("list_invoices", "c", customer="the one in Tampere"),
    ]
    play = Play({"do": Turn(["billing"], {"billing": [calls]})})
    async with open_workshop(play, experts=load_settings().experts) as desk:
        _, made = await do(desk)
    assert [(one["args"]["customer"], one["status"]) for one in made] == [
        ("CUS-005", "ok"),
        ("CUS-005", "ok"),
        ("the one in Tampere", "ok"),
    ]
