import json
from typing import Any

from evals.tau.retail import Retail
from tests.evals.tables import retail


def history(shop: Retail, order_id: str) -> list[tuple[str, float, str]]:
    entries = shop.get_order_details(order_id=order_id)["payment_history"]
    return [(e["transaction_type"], e["amount"], e["payment_method_id"]) for e in entries]


def balance(shop: Retail) -> float:
    card: float = shop.get_user_details(user_id="ann")["payment_methods"]["gift_card_1"]["balance"]
    return card


def swap(
    shop: Retail, order_id: str, old: list[str], new: list[str], paid: str = "credit_card_1"
) -> str:
    tool = "modify_pending_order_items" if order_id == "#1" else "exchange_delivered_order_items"
    arguments = {
        "order_id": order_id,
        "item_ids": old,
        "new_item_ids": new,
        "payment_method_id": paid,
    }
    return shop.observe(tool, arguments)


def test_a_user_is_found_whatever_the_case() -> None:
    found = retail().observe(
        "find_user_id_by_name_zip", {"first_name": "aNN", "last_name": "LEE", "zip": "9"}
    )
    assert found == retail().observe("find_user_id_by_email", {"email": "ann@example.COM"}) == "ann"


def test_cancelling_refunds_every_entry_refunds_included() -> None:
    shop = retail()
    shop.run(
        "modify_pending_order_payment", {"order_id": "#1", "payment_method_id": "credit_card_1"}
    )
    shop.run("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"})
    assert len(history(shop, "#1")) == 6
    assert balance(shop) == 62.3


def test_a_changed_payment_cannot_be_changed_again() -> None:
    shop = retail()
    move = {"order_id": "#1", "payment_method_id": "credit_card_1"}
    shop.run("modify_pending_order_payment", move)
    assert "exactly one payment" in shop.observe(
        "modify_pending_order_payment", {**move, "payment_method_id": "gift_card_1"}
    )


def test_pairs_are_looked_up_anew_after_each_swap() -> None:
    shop = retail()
    swap(shop, "#1", ["b", "a"], ["a", "c"])
    items = [entry["item_id"] for entry in shop.get_order_details(order_id="#1")["items"]]
    assert items == ["c", "a"]


def test_the_price_difference_of_a_change_is_kept_unrounded() -> None:
    shop = retail()
    swap(shop, "#1", ["a"], ["c"])
    assert history(shop, "#1")[-1] == ("payment", 13.7 - 12.3, "credit_card_1")


def test_a_change_of_nothing_records_a_refund_of_zero_and_closes_the_order() -> None:
    shop = retail()
    swap(shop, "#1", [], [])
    assert history(shop, "#1")[-1][:2] == ("refund", 0)
    assert "wanted 'pending'" in swap(shop, "#1", [], [])


def test_a_gift_card_that_is_too_low_changes_nothing() -> None:
    shop = retail()
    swap(shop, "#2", ["b", "a"], ["c", "c"], "gift_card_1")
    assert shop.records.diff() == {}


def test_an_exchange_sorts_both_lists_and_moves_no_money() -> None:
    shop = retail()
    order = json.loads(swap(shop, "#2", ["b", "a"], ["c", "a"]))
    assert (order["exchange_items"], order["exchange_new_items"]) == (["a", "b"], ["a", "c"])
    assert order["exchange_price_difference"] == 3.9
    assert len(order["payment_history"]) == 1


def test_an_item_asked_for_more_often_than_ordered_is_not_found() -> None:
    assert "not found in the order" in swap(retail(), "#2", ["a", "a"], ["c", "c"])


def test_a_sold_out_variant_cannot_be_chosen() -> None:
    assert "not available" in swap(retail(), "#2", ["a"], ["gone"])


def test_a_return_goes_to_the_original_method_or_a_gift_card() -> None:
    asked = {"order_id": "#2", "item_ids": ["b", "a"], "payment_method_id": "gift_card_1"}
    returned = json.loads(retail().observe("return_delivered_order_items", asked))
    assert (returned["status"], returned["return_items"]) == ("return requested", ["a", "b"])


def test_a_missing_a_surplus_and_a_wrong_argument_are_errors_that_change_nothing() -> None:
    shop = retail()
    bad: list[dict[str, Any]] = [
        {"order_id": "#1"},
        {"order_id": "#1", "reason": "x", "more": 1},
        {"order_id": ["#1"]},
    ]
    texts = [shop.observe("cancel_pending_order", arguments) for arguments in bad]
    assert all(text.startswith("Error") for text in texts)
    assert shop.records.changes == {}


def test_an_unknown_tool_is_said_to_be_unknown() -> None:
    assert retail().observe("cancel_all", {}) == "Unknown action 'cancel_all'"


def test_an_address_is_replaced_whole() -> None:
    parts = {key: key for key in ("address1", "address2", "city", "state", "country", "zip")}
    shop = retail()
    shop.run("modify_user_address", {"user_id": "ann", **parts})
    shop.run("modify_pending_order_address", {"order_id": "#1", **parts})
    assert shop.records.diff()["users"]["ann"]["address"] == parts
    assert shop.records.diff()["orders"]["#1"]["address"] == parts


def test_product_types_are_listed_by_name() -> None:
    assert json.loads(retail().observe("list_all_product_types", {})) == {"Mug": "p1"}
