from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tools.desk.actions import settle_action
from tools.desk.billing import issue_refund, reopen_invoice, void_invoice
from tools.desk.books import reading, rows
from tools.desk.orders import cancel_order, change_address
from tools.errors import ToolError
from tools.spec import ToolContext

EFFECTS: list[tuple[Callable[..., dict[str, Any]], Mapping[str, Any]]] = [
    (issue_refund, {"invoice_id": "INV-1042", "amount": 620.0, "reason": "half returned"}),
    (void_invoice, {"invoice_id": "INV-1054", "reason": "wrong"}),
    (reopen_invoice, {"invoice_id": "INV-1041"}),
    (change_address, {"order_id": "ORD-2077", "address": "1 New Street, 33100 Tampere"}),
    (cancel_order, {"order_id": "ORD-2083", "reason": "changed plans"}),
]


@pytest.mark.parametrize(("effect", "arguments"), EFFECTS)
def test_settling_tells_whether_the_key_has_acted(
    context: ToolContext,
    keyed: Callable[[str], ToolContext],
    effect: Callable[..., dict[str, Any]],
    arguments: Mapping[str, Any],
) -> None:
    assert settle_action(context, **arguments) == {"happened": False}

    result = effect(context, **arguments)

    assert settle_action(context, **arguments) == {"happened": True, "result": result}
    assert settle_action(keyed("key-2"), **arguments) == {"happened": False}


@pytest.mark.parametrize(("effect", "arguments"), EFFECTS)
def test_an_effect_is_recorded_once_with_its_requester(
    context: ToolContext, effect: Callable[..., dict[str, Any]], arguments: Mapping[str, Any]
) -> None:
    assert effect(context, **arguments) == effect(context, **arguments)

    with reading(context) as books:
        found = rows(books, "SELECT idempotency_key, tool, requested_by FROM actions")
    assert found == [{"idempotency_key": "key-1", "tool": effect.__name__, "requested_by": "ada"}]


@pytest.mark.parametrize(("effect", "arguments"), EFFECTS)
def test_an_effect_without_a_key_does_not_run(
    keyed: Callable[[str], ToolContext],
    effect: Callable[..., dict[str, Any]],
    arguments: Mapping[str, Any],
) -> None:
    with pytest.raises(ToolError, match="idempotency key"):
        effect(keyed(""), **arguments)


def test_a_key_used_for_something_else_is_refused(context: ToolContext) -> None:
    issue_refund(context, invoice_id="INV-1042", amount=82.0)

    with pytest.raises(ToolError, match="was used for issue_refund") as caught:
        issue_refund(context, invoice_id="INV-1042", amount=820.0, reason="more")
    assert caught.value.kind == "conflict"
    with pytest.raises(ToolError, match="was used for issue_refund"):
        cancel_order(context, order_id="ORD-2077")


def test_a_refused_effect_has_not_happened(context: ToolContext) -> None:
    with pytest.raises(ToolError):
        issue_refund(context, invoice_id="INV-1042", amount=9999.0)

    assert settle_action(context, invoice_id="INV-1042", amount=9999.0) == {"happened": False}
