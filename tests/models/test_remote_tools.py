"""Tools of MCP servers, which the embedded default sees in prompts and knows by the settings."""

from collections.abc import Mapping
from typing import Any

from configs.expert import ExpertConfig
from configs.mcp import McpServer, wire_name
from models.embedded.acts import shared_act_reader
from models.embedded.chooser import Chooser, remote_tools
from models.embedded.options import OptionReader
from models.embedded.planner import Planner
from models.embedded.scene import Scene
from models.embedded.slot_reader import shared_slot_reader
from models.embedded.slots import Filler
from models.embedding import open_embedder

EXPERTS = [
    ExpertConfig.model_validate(
        {
            "name": name,
            "title": name.title(),
            "description": f"Knows the {name}.",
            "brief": f"You know the {name}.",
            "tools": [
                {
                    "name": f"list_{name}",
                    "function": "shop:look",
                    "effect": "read_only",
                    "description": f"Lists {name}.",
                    "when": "somebody asks which there are",
                    "returns": "a list",
                    "examples": examples,
                }
            ],
        }
    )
    for name, examples in (
        ("invoices", ["which invoices are unpaid", "list the bills of May", "show invoice 1042"]),
        ("parcels", ["where is parcel 17", "which parcels were sent today", "track my delivery"]),
        ("staff", ["who works today", "the phone number of Jana", "list all colleagues"]),
    )
]
NAMES = [one.name for one in EXPERTS]
CHANGES = "\nConstraints: Changes records. Runs only after a person has approved it."


def server(*experts: str, **tools: Any) -> McpServer:  # noqa: ANN401 - any setting
    values = {"transport": "stdio", "command": "shop", "experts": experts, "tools": tools}
    return McpServer.model_validate(values)


def function(name: str, description: str = "Finds a rented bicycle.") -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": {"type": "object"}}


def scene(*functions: dict[str, Any]) -> Scene:
    return Scene(tools={one["name"]: one for one in functions})


def planner(servers: Mapping[str, McpServer]) -> Planner:
    embedder = open_embedder()
    chooser = Chooser(EXPERTS, embedder, shared_act_reader())
    return Planner(EXPERTS, chooser, Filler(shared_slot_reader(), OptionReader(embedder)), servers)


def test_a_tool_is_known_with_its_experts_and_its_examples() -> None:
    shop = server("parcels", "invoices", find_bike={"examples": ["where is my bike"]})
    (tool,) = remote_tools([function("shop__find_bike")], {"shop": shop}, NAMES)
    assert (tool.examples, tool.effect) == (("where is my bike",), "read_only")
    assert [name for name in NAMES if tool.serves(name)] == ["invoices", "parcels"]


def test_a_tool_with_a_name_that_had_to_be_changed_keeps_its_examples() -> None:
    shop = server("*", **{"find.bike": {"examples": ["where is my bike"]}})
    name = wire_name("shop", "find.bike")
    assert name != "shop__find.bike"
    (tool,) = remote_tools([function(name)], {"shop": shop}, NAMES)
    assert tool.examples == ("where is my bike",)
    assert all(tool.serves(expert) for expert in NAMES)


def test_what_changes_records_is_an_effect_whatever_its_server_says() -> None:
    shown = [function("shop__sell", f"Only reads.{CHANGES}"), function("shop__look", "Looks.")]
    sell, look = remote_tools(shown, {"shop": server("*")}, NAMES)
    assert (sell.effect, look.effect) == ("irreversible", "read_only")
    assert sell.description.strip() == "Only reads."


def test_other_functions_are_no_tools_of_servers() -> None:
    others = [function(name) for name in ("submit_plan", "recall_memory", "shops__look", "shop")]
    assert remote_tools(others, {"shop": server("*"), "empty": server("*")}, NAMES)[1:] == []


def test_a_planner_fits_anew_only_when_the_tools_have_changed() -> None:
    mine = planner({"shop": server("invoices")})
    own = mine.chooser
    mine.take_in(scene(function("submit_plan"), function("list_invoices")))
    assert mine.chooser is own
    mine.take_in(scene(function("list_invoices"), function("shop__find_bike")))
    first = mine.chooser
    assert [one.name for one in first.tools if one not in own.tools] == ["shop__find_bike"]
    mine.take_in(scene(function("shop__find_bike")))
    mine.take_in(scene())  # a prompt that shows none takes none away
    assert mine.chooser is first
    mine.take_in(scene(function("shop__find_bike", "Finds any bicycle.")))
    (changed,) = [one for one in mine.chooser.tools if one.name == "shop__find_bike"]
    assert changed.description.strip() == "Finds any bicycle."
    assert len(mine.chooser.tools) == len(first.tools)


def test_a_request_near_the_servers_examples_is_for_its_tool_and_another_is_not() -> None:
    examples = ["where is my rented bike", "find the bicycle of Jonas", "who has the cargo bike"]
    mine = planner({"shop": server("parcels", find_bike={"examples": examples})})
    shown = scene(function("shop__find_bike"))
    (step,) = mine.steps("which bike did Mara rent", shown)
    assert (step.tool.name, step.tool.expert, step.in_scope) == ("shop__find_bike", "parcels", True)
    (other,) = mine.steps("which invoices of April are unpaid", shown)
    assert other.tool.name == "list_invoices"


def test_an_expert_that_may_not_use_a_server_is_not_offered_its_tools() -> None:
    mine = planner({"shop": server("parcels", "invoices")})
    shown = scene(function("shop__find_bike"))
    names = {
        expert: mine.steps("find a rented bicycle", shown, expert)[0].tool.name for expert in NAMES
    }
    assert {expert for expert, name in names.items() if name == "shop__find_bike"} == {
        "parcels",
        "invoices",
    }
