import pytest
import yaml

from configs.errors import ConfigError, InvalidConfig
from configs.expert import RESERVED_TOOLS, ToolConfig
from configs.settings import load_settings
from tests.configs.app_folder import AppFolder, expert, tool


def refusal(app: AppFolder) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_settings(app.path)
    return caught.value


def test_experts_come_sorted_by_name(app: AppFolder) -> None:
    app.write_expert("analytics")
    app.write_expert("orders")
    names = [found.name for found in load_settings(app.path).experts]
    assert names == ["analytics", "billing", "orders"]


@pytest.mark.parametrize(
    ("effect", "approval"), [("read_only", False), ("idempotent", False), ("irreversible", True)]
)
def test_only_what_cannot_be_undone_needs_approval_unless_said_otherwise(
    effect: str, approval: bool
) -> None:
    assert ToolConfig.model_validate(tool(effect=effect)).approval is approval


@pytest.mark.parametrize("approval", [True, False])
def test_an_effect_can_say_whether_it_needs_approval(approval: bool) -> None:
    checked = ToolConfig.model_validate(tool(effect="idempotent", approval=approval))
    assert checked.approval is approval


@pytest.mark.parametrize(
    ("changes", "key", "wanted", "came"),
    [
        ({"tools": [tool(effect="harmless")]}, "tools[0].effect", "'read_only'", "'harmless'"),
        ({"tools": [tool(approval=True)]}, "tools[0]", "where effect is not read_only", ""),
        ({"tools": [tool(function="nowhere")]}, "tools[0].function", "text that matches", "'now"),
        ({"tools": [tool(name="Get Invoice")]}, "tools[0].name", "text that matches", "'Get Inv"),
        ({"tools": [tool(whn="x")]}, "tools[0].whn", "'when'", "an unknown key"),
        ({"tools": [tool(approver_teams="all")]}, "tools[0].approver_teams", "tuple", "'all'"),
        ({"tools": [{"name": "a_b"}]}, "tools[0].function", "a value", "nothing (4 more"),
        ({"tools": [tool(), tool()]}, "tools[1].name", "used once", "billing.yaml has already"),
        ({"tools": [tool("submit_plan")]}, "tools[0].name", "not built in", "'submit_plan'"),
        (
            {"tools": [tool(effect="irreversible", compensation="undo_it")]},
            "tools[0].compensation",
            "a tool of this app (get_invoice)",
            "'undo_it'",
        ),
        (
            {"tools": [tool(parameters={"who": {"names": {"tool": "list_all", "field": "n"}}})]},
            "tools[0].parameters.who.names.tool",
            "a tool of this app (get_invoice)",
            "'list_all'",
        ),
        (
            {
                "tools": [
                    tool(parameters={"who": {"names": {"tool": "add_one", "field": "n"}}}),
                    tool("add_one", effect="idempotent"),
                ]
            },
            "tools[0].parameters.who.names.tool",
            "a read_only tool",
            "'add_one', which is idempotent",
        ),
        (
            {"tools": [tool(parameters={"who": {"name": {}}})]},
            "tools[0].parameters.who.name",
            "'names'",
            "an unknown key",
        ),
        (
            {"intents": [{"name": "look", "tool": "get_order"}], "tools": [tool()]},
            "intents[0].tool",
            "a tool of this app (get_invoice)",
            "'get_order'",
        ),
        ({"intents": [{"name": "x", "examples": [1]}]}, "intents[0].examples[0]", "string", "1"),
        ({"name": "bills"}, "name", "the file's own name, 'billing'", "'bills'"),
        ({"brief": ""}, "brief", "at least 1 character", "''"),
    ],
)
def test_a_wrong_expert_names_file_key_wanted_and_came(
    app: AppFolder, changes: dict[str, object], key: str, wanted: str, came: str
) -> None:
    file = app.write("experts/billing.yaml", yaml.safe_dump(expert() | changes))
    error = refusal(app)
    assert isinstance(error, InvalidConfig)
    assert (error.file, error.key) == (str(file), key)
    assert wanted in error.wanted
    assert came in error.came


def test_a_tool_name_taken_by_another_expert_is_refused(app: AppFolder) -> None:
    app.write_expert("analytics", tools=[tool()])
    app.write_expert("billing", tools=[tool()])
    error = refusal(app)
    assert error.file.endswith("billing.yaml")
    assert error.came == "'get_invoice', which analytics.yaml has already"


@pytest.mark.parametrize("name", sorted(RESERVED_TOOLS))
def test_built_in_tool_names_are_taken(app: AppFolder, name: str) -> None:
    app.write_expert("billing", tools=[tool(name)])
    assert refusal(app).came == repr(name)
