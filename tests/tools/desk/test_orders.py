from collections.abc import Callable

import pytest

from tools.desk.orders import cancel_order, change_address, get_order, list_orders
from tools.errors import ToolError
from tools.spec import ToolContext

NEW = "44 Canal Walk, 33200 Tampere, FI"


def test_an_order_shows_lines_delivery_and_invoices(context: ToolContext) -> None:
    found = get_order(context, order_id="ord-2083")

    assert (found["customer"], found["status"]) == ("Blue Harbor Foods Ltd", "processing")
    assert [(one["sku"], one["quantity"], one["amount"]) for one in found["lines"]] == [
        ("HW-GATE", 1, 690.0),
        ("HW-SCAN", 2, 620.0),
    ]
    assert found["total"] == 1310.0
    assert found["invoices"] == [{"id": "INV-1054", "status": "open"}]


def test_an_unknown_order_is_not_found(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="ORD-1111") as caught:
        get_order(context, order_id="ORD-1111")

    assert caught.value.kind == "not_found"


def test_orders_are_listed_newest_first_and_by_state(context: ToolContext) -> None:
    every = list_orders(context, customer="Blue Harbor")
    waiting = list_orders(context, customer="CUS-014", status="processing", limit=1)

    assert [one["id"] for one in every["orders"]] == ["ORD-2083", "ORD-2070", "ORD-2054"]
    assert every["orders"][1]["items"] == "4 x Badge scanner B1"
    assert every["orders"][1]["total"] == 1240.0
    assert [one["id"] for one in waiting["orders"]] == ["ORD-2083"]


def test_an_address_is_changed_and_the_undo_restores_it(
    context: ToolContext, keyed: Callable[[str], ToolContext]
) -> None:
    before = get_order(context, order_id="ORD-2077")["address"]

    done = change_address(context, order_id="ORD-2077", address=f"  {NEW} ")
    assert done["address"] == NEW
    assert get_order(context, order_id="ORD-2077")["address"] == NEW

    change_address(keyed("key-2"), **done["undo"])
    assert get_order(context, order_id="ORD-2077")["address"] == before


def test_changing_an_address_again_does_no_more(
    context: ToolContext, keyed: Callable[[str], ToolContext]
) -> None:
    first = change_address(context, order_id="ORD-2077", address=NEW)
    same_key = change_address(context, order_id="ORD-2077", address=NEW)
    new_key = change_address(keyed("key-2"), order_id="ORD-2077", address=NEW)

    assert same_key == first
    assert "undo" not in new_key
    assert new_key["address"] == NEW


@pytest.mark.parametrize(
    ("order_id", "state"),
    [("ORD-2078", "shipped"), ("ORD-2070", "delivered"), ("ORD-2082", "cancelled")],
)
def test_an_order_that_left_is_not_changed(context: ToolContext, order_id: str, state: str) -> None:
    with pytest.raises(ToolError, match=f"is {state} since 2026"):
        change_address(context, order_id=order_id, address=NEW)
    with pytest.raises(ToolError, match=f"is {state} since 2026") as caught:
        cancel_order(context, order_id=order_id, reason="too late")

    assert caught.value.kind == "conflict"
    assert get_order(context, order_id=order_id)["status"] == state


def test_an_order_is_cancelled_once_and_its_invoice_named(context: ToolContext) -> None:
    done = cancel_order(context, order_id="ORD-2077")
    again = cancel_order(context, order_id="ORD-2077")

    assert (done["status"], done["was"], done["cancelled_on"]) == (
        "cancelled",
        "processing",
        "2026-06-30",
    )
    assert done["invoices"] == [{"id": "INV-1049", "status": "open"}]
    assert again == done


def test_cancelling_a_packed_order_needs_a_reason(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="needs a reason") as caught:
        cancel_order(context, order_id="ORD-2080", reason=" ")
    assert "reason" in caught.value.hint

    done = cancel_order(context, order_id="ORD-2080", reason="ordered twice")
    assert done["was"] == "packed"
    assert get_order(context, order_id="ORD-2080")["cancel_reason"] == "ordered twice"
