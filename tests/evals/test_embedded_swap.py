"""The sample company under other names is the same company."""

from pathlib import Path

import pytest

from configs.settings import SHIPPED_APP, load_settings, read_experts
from evals.embedded_names import Names
from evals.embedded_set import Conversation, Labelled, Wanted
from evals.embedded_swap import (
    BACK,
    THERE,
    renamed_conversation,
    renamed_same,
    renamed_tool,
    write_company,
)
from tools.desk.billing import get_invoice
from tools.errors import ToolError
from tools.signatures import json_schema
from tools.spec import ToolContext, load_tool


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(
        app_dir=SHIPPED_APP,
        data_dir=tmp_path,
        tenant="default",
        user="local",
        teams=(),
        thread="t",
        idempotency_key="k",
    )


@pytest.mark.parametrize(
    ("said", "other"),
    [
        ("Invoices of CUS-014, cus-3", "Bills of CLI-014, cli-3"),
        ("an invoice, a usage, An order", "a bill, a consumption, A purchase"),
        ("is ORD-2077 CANCELLED?", "is PUR-2077 REVOKED?"),
        ("refund REF-3001, ref 3001", "credit CRD-3001, ref 3001"),
        ("get_invoice by order_id", "show_bill by purchase_no"),
        ("reorder, invoicely, borders", "reorder, invoicely, borders"),
    ],
)
def test_whole_words_are_renamed_and_come_back(said: str, other: str) -> None:
    assert THERE.text(said) == other
    assert BACK.text(other) == said


def test_no_two_words_become_one() -> None:
    assert len(BACK.words) == len(THERE.words)
    assert len(BACK.names) == len(THERE.names)
    assert not set(THERE.words) & set(BACK.words)


def test_names_of_customers_stay() -> None:
    assert [name for name in Names().customer_names() if THERE.text(name) != name] == []


def test_a_renamed_tool_gives_the_same_record(context: ToolContext) -> None:
    own = get_invoice(context, invoice_id="INV-1042")
    found = renamed_tool("tools.desk.billing:get_invoice")(context, bill_no="BIL-1042")
    assert found["no"] == "BIL-1042"
    assert {"client", "purchase_no", "settlements", "state"} <= set(found)
    assert not set(found) & {"id", "customer", "invoice_id", "status"}
    assert found["client"] == own["customer"]
    assert BACK.record(found) == own


def test_what_is_refused_is_told_in_other_words(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="no bill 'BIL-9999'") as refused:
        renamed_tool("tools.desk.billing:get_invoice")(context, bill_no="BIL-9999")
    assert refused.value.kind == "not_found"


def test_every_tool_of_the_company_is_there_with_all_its_parameters(tmp_path: Path) -> None:
    write_company(tmp_path)
    settings = load_settings(tmp_path)
    own = {tool.name: tool for one in read_experts(SHIPPED_APP / "experts") for tool in one.tools}
    others = {tool.name: tool for one in settings.experts for tool in one.tools}
    assert set(others) == {THERE.name(name) for name in own}
    assert not set(others) & set(own)
    for name, tool in own.items():
        one = json_schema(load_tool(tool, SHIPPED_APP, "x").arguments)
        other = json_schema(load_tool(others[THERE.name(name)], tmp_path, "x").arguments)
        assert list(other["properties"]) == [THERE.name(key) for key in one["properties"]]
        assert not set(other["properties"]) & set(one["properties"])
        for key, value in one["properties"].items():
            given = other["properties"][THERE.name(key)]
            assert given == {
                inner: THERE.value(part) if inner != "type" else part
                for inner, part in value.items()
            }


def test_the_experts_files_say_nothing_in_the_old_words(tmp_path: Path) -> None:
    write_company(tmp_path)
    text = " ".join(file.read_text("utf-8") for file in (tmp_path / "experts").glob("*.yaml"))
    for word in ("invoice", "invoices", "INV-1042", "customer", "get_invoice", "tools.desk"):
        assert f" {word} " not in text
    assert "BIL-1042" in text


def test_labels_are_renamed_with_what_is_said() -> None:
    label = Labelled(
        id="x.1",
        text="Cancel the order ORD-2077, the customer says so",
        expect="call",
        calls=(Wanted(tool="cancel_order", args={"order_id": "ORD-2077"}),),
        free={"reason": ["customer", "cancel"]},
    )
    (other,) = renamed_conversation(Conversation("x", "tune", (label,))).requests
    assert other.text == "Revoke the purchase PUR-2077, the client says so"
    assert other.calls == (Wanted(tool="revoke_purchase", args={"purchase_no": "PUR-2077"}),)
    first, second = (set(choice.split("|")) for choice in other.free["cause"])
    assert "client" in first
    assert {"revoke", "revocation"} <= second


def test_values_are_compared_as_at_the_company() -> None:
    same = renamed_same(Names().same)
    assert same("client", "CLI-014", "blue harbor")
    assert not same("client", "CLI-002", "blue harbor")
    assert same("title", "credits", "Credits guideline")
    assert not same("title", "credits", "revocations")
    assert same("state", "annul", "Annul")
