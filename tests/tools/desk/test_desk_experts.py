from collections import Counter

import pytest

from configs.settings import ExpertConfig, load_settings
from tools.desk.books import SHIPPED
from tools.spec import ToolContext, ToolError, ToolSpec, load_tool

EXPERTS = {expert.name: expert for expert in load_settings(SHIPPED.parent).experts}
SPECS = {
    tool.name: load_tool(tool, SHIPPED.parent, expert.name)
    for expert in EXPERTS.values()
    for tool in expert.tools
}
EFFECTS = {
    "cancel_order": "irreversible",
    "change_address": "idempotent",
    "issue_refund": "irreversible",
    "reopen_invoice": "idempotent",
    "void_invoice": "idempotent",
}


def test_the_desk_has_four_experts_and_seventeen_tools() -> None:
    assert sorted(EXPERTS) == ["analytics", "billing", "knowledge", "orders"]
    assert len(SPECS) == 17


def test_only_effects_change_records_and_only_irreversible_ones_ask() -> None:
    effects = {name: spec.effect for name, spec in SPECS.items() if spec.effect != "read_only"}
    asking = {name for name, spec in SPECS.items() if spec.approval}

    assert effects == EFFECTS
    assert asking == {"cancel_order", "issue_refund"}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_tool_says_all_five_parts(spec: ToolSpec) -> None:
    parameters = spec.openai_schema()["function"]["parameters"]

    assert all((spec.description, spec.when, spec.when_not, spec.returns, spec.constraints))
    assert all("description" in one for one in parameters["properties"].values())
    assert parameters["additionalProperties"] is False


@pytest.mark.parametrize("name", EFFECTS)
def test_every_effect_can_be_settled(name: str, context: ToolContext) -> None:
    settle = SPECS[name].settle

    assert settle is not None
    assert settle(context) == {"happened": False}


def test_what_can_be_undone_names_its_compensation() -> None:
    undone_by = {name: spec.compensation for name, spec in SPECS.items() if spec.compensation}

    assert undone_by == {
        "change_address": "change_address",
        "reopen_invoice": "void_invoice",
        "void_invoice": "reopen_invoice",
    }


def test_lessons_can_reach_reasons_hints_and_how_much_is_shown() -> None:
    assert {name: spec.learnable for name, spec in SPECS.items() if spec.learnable} == {
        "cancel_order": ("reason",),
        "issue_refund": ("reason",),
        "list_invoices": ("status", "limit"),
        "list_orders": ("status", "limit"),
        "list_overdue": ("min_days",),
        "report_revenue": ("index_hint",),
        "report_usage": ("index_hint",),
        "run_query": ("index_hint",),
        "search_policies": ("limit",),
        "void_invoice": ("reason",),
    }


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_invoice", {"invoice_id": "1042"}),
        ("get_invoice", {"invoice_id": "INV-10422"}),
        ("issue_refund", {"invoice_id": "INV-1042", "amount": 0}),
        ("issue_refund", {"invoice_id": "INV-1042", "amount": -5.0}),
        ("issue_refund", {"invoice_id": "INV-1042", "amount": "50"}),
        ("issue_refund", {"invoice_id": "INV-1042", "amount": float("nan")}),
        ("issue_refund", {"invoice_id": "INV-1042"}),
        ("list_invoices", {"customer": "CUS-014", "status": "late"}),
        ("list_invoices", {"customer": "CUS-014", "limit": 0}),
        ("list_overdue", {"min_days": 0}),
        ("get_order", {"order_id": "INV-1042"}),
        ("change_address", {"order_id": "ORD-2077", "address": "here"}),
        ("report_revenue", {"month": "2026-13"}),
        ("report_revenue", {"month": "May"}),
        ("report_usage", {"month": "2026-05", "index_hint": "x; DROP TABLE orders"}),
        ("run_query", {"sql": "SELECT 1 -- " + "x" * 4000}),
        ("search_policies", {"query": "refund", "limit": 11}),
    ],
)
def test_arguments_outside_their_bounds_are_refused(
    name: str, arguments: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match="validation error"):
        SPECS[name].arguments.model_validate(arguments)


def test_every_tool_has_an_intent_with_examples_and_its_own_examples() -> None:
    for expert in EXPERTS.values():
        examples = {one.tool: one.examples for one in expert.intents if one.tool}
        assert set(examples) == {tool.name for tool in expert.tools}
        assert all(len(found) >= 10 for found in examples.values())
        assert all(len(tool.examples) >= 5 for tool in expert.tools)


def _said(expert: ExpertConfig) -> list[str]:
    intents = [text for one in expert.intents for text in one.examples]
    return intents + [text for one in expert.tools for text in one.examples]


def test_no_example_stands_for_two_things() -> None:
    counts = Counter(text.casefold() for expert in EXPERTS.values() for text in _said(expert))

    assert [text for text, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", [name for name in SPECS if name not in EFFECTS])
def test_read_only_tools_leave_the_books_alone(name: str, context: ToolContext) -> None:
    known: dict[str, object] = {
        "invoice_id": "INV-1042",
        "order_id": "ORD-2077",
        "customer": "CUS-014",
        "month": "2026-05",
        "sql": "SELECT count(*) FROM refunds",
        "query": "refund",
        "name": "refunds",
    }
    spec = SPECS[name]
    arguments = {key: known[key] for key in spec.arguments.model_fields if key in known}
    validated = spec.arguments.model_validate(arguments).model_dump()
    spec.function(context, **validated)
    before = _books(context)

    spec.function(context, **validated)

    assert _books(context) == before


def _books(context: ToolContext) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in context.data_dir.glob("*.db")}


def test_errors_carry_a_hint_for_the_model(context: ToolContext) -> None:
    with pytest.raises(ToolError) as caught:
        SPECS["get_invoice"].function(context, invoice_id="INV-0000")

    assert caught.value.hint
