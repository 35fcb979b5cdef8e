from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from configs.errors import ConfigError
from configs.settings import ToolConfig
from tests.tools.parts import spec_of
from tools.registry import EVERY_EXPERT, Registry
from tools.signatures import Place, argument_model, call_arguments, import_function
from tools.spec import load_tool

TOOLS = """
from typing import Annotated
from pydantic import Field
from tools.spec import ToolContext

CALLS = []

def issue_refund(
    context: ToolContext,
    *,
    invoice_id: Annotated[str, Field(description="The invoice.")],
    reason: str = "",
) -> dict:
    CALLS.append(invoice_id)
    return {}

def settle(context, **arguments):
    return None

def untyped(context, amount): ...
def variadic(*amounts: int): ...
def unknown(amount: "Nowhere"): ...
NUMBER = 7
"""


@pytest.fixture
def app_dir(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(TOOLS)
    (tmp_path / "broken.py").write_text("def (")
    return tmp_path


def config(**changes: Any) -> ToolConfig:  # noqa: ANN401 - any field
    values = {
        "name": "issue_refund",
        "function": "own.py:issue_refund",
        "effect": "irreversible",
        "description": "Pay money back.",
        "when": "asked",
        "when_not": "unpaid",
        "returns": "the refund",
        "constraints": "no more than paid",
        "learnable": ["reason"],
    }
    return ToolConfig.model_validate({**values, **changes})


def test_a_configured_tool_is_loaded_with_all_five_parts(app_dir: Path) -> None:
    spec = load_tool(config(settle="own.py:settle", timeout_s=3), app_dir, "billing")
    schema = spec.openai_schema()
    assert schema["function"]["name"] == "issue_refund"
    assert schema["function"]["description"] == (
        "Pay money back.\nUse when: asked\nDo not use when: unpaid\nReturns: the refund\n"
        "Constraints: no more than paid Changes records. "
        "Runs only after a person has approved it."
    )
    assert schema["function"]["parameters"] == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "invoice_id": {"type": "string", "description": "The invoice."},
            "reason": {"type": "string", "default": ""},
        },
        "required": ["invoice_id"],
    }
    assert (spec.approval, spec.timeout_s, spec.max_output_tokens) == (True, 3, 2000)
    assert spec.settle is not None


def test_all_tools_of_a_file_share_one_module(app_dir: Path) -> None:
    at = Place("f", "k")
    first = import_function("own.py:issue_refund", app_dir, at)
    second = import_function("own.py:settle", app_dir, at)
    assert first.__module__ == second.__module__


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"function": "own.py:nothing"}, "function: wanted a function nothing"),
        ({"function": "own.py:NUMBER"}, "function: wanted a function NUMBER"),
        ({"function": "none.py:x"}, "function: wanted an importable none.py"),
        ({"function": "broken.py:x"}, "function: wanted an importable broken.py"),
        ({"function": "no.such.module:x"}, "function: wanted an importable no.such.module"),
        ({"function": "own.py:untyped"}, "a type on every parameter, came amount"),
        ({"function": "own.py:variadic"}, "named parameters only, came 'amounts'"),
        ({"function": "own.py:unknown"}, "resolvable type hints"),
        ({"settle": "own.py:nothing"}, "settle: wanted a function nothing"),
        ({"learnable": ["colour"]}, "learnable: wanted an argument .*, came 'colour'"),
    ],
)
def test_a_wrong_reference_names_file_key_wanted_and_came(
    app_dir: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        load_tool(config(**{"learnable": [], **changes}), app_dir, "billing")
    assert caught.value.file.endswith("billing.yaml")
    assert caught.value.key.startswith("tools.issue_refund.")


class Line(BaseModel):
    """A line of an order."""

    item: str
    count: int = 1


def order(
    *, lines: list[Line], json: int, title: Literal["mr", "ms"] = "ms", copy: str | None = None
) -> None: ...


def test_nested_types_and_names_of_pydantic_s_own_are_plain_in_the_schema() -> None:
    spec = spec_of(order, name="place_order")
    parameters = spec.openai_schema()["function"]["parameters"]
    assert "$ref" not in str(parameters)
    assert set(parameters["properties"]) == {"lines", "json", "title", "copy"}
    assert parameters["properties"]["title"] == {
        "default": "ms",
        "enum": ["mr", "ms"],
        "type": "string",
    }
    values = spec.arguments.model_validate_json('{"lines": [{"item": "a"}], "json": 3}')
    assert call_arguments(values) == {
        "lines": [Line(item="a")],
        "json": 3,
        "title": "ms",
        "copy": None,
    }


class Tree(BaseModel):
    children: list["Tree"] = []


def plant(*, tree: Tree) -> None: ...


def carry(*, bag: Annotated[object, Field(description="anything")], thing: Registry) -> None: ...


@pytest.mark.parametrize("function", [plant, carry])
def test_types_that_a_provider_cannot_be_told_are_refused(function: Any) -> None:  # noqa: ANN401
    with pytest.raises(ConfigError, match="types that JSON can carry"):
        argument_model(function, "x", Place("f", "k"))


def test_tools_come_sorted_and_by_expert() -> None:
    specs = [
        spec_of(order, name="b"),
        spec_of(order, name="a"),
        spec_of(order, name="c", expert="orders"),
        spec_of(order, name="z", expert=EVERY_EXPERT),
    ]
    registry = Registry(specs)
    assert [spec.name for spec in registry.all()] == ["a", "b", "c", "z"]
    assert [spec.name for spec in registry.for_expert("billing")] == ["a", "b", "z"]
    assert registry.get("none") is None
    assert len(registry) == 4
    with pytest.raises(ValueError, match="two tools are called 'a'"):
        Registry([*specs, spec_of(order, name="a")])


def test_both_providers_get_their_schema_from_one_spec(app_dir: Path) -> None:
    spec = load_tool(config(), app_dir, "billing")
    function = spec.openai_schema()["function"]
    assert spec.anthropic_schema() == {
        "name": function["name"],
        "description": function["description"],
        "input_schema": function["parameters"],
    }


def test_an_effect_is_never_tried_twice_and_a_read_as_often_as_configured(app_dir: Path) -> None:
    plain = {"effect": "read_only", "learnable": []}
    assert load_tool(config(), app_dir, "billing", tries=3).tries == 1
    assert load_tool(config(**plain), app_dir, "billing", tries=3).tries == 3
    assert load_tool(config(**plain, tries=2), app_dir, "billing", tries=3).tries == 2


@pytest.mark.parametrize("changes", [{"tries": 2}, {"cache_s": 5}])
def test_an_effect_takes_no_tries_and_no_cache(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="effects run once"):
        config(**changes)
