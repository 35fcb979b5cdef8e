"""Retail tools: orders, items, addresses and payments of an online shop."""

import copy
from typing import ClassVar

from evals.tau.domain import Domain
from evals.tau.errors import TauError
from evals.tau.records import Record

REASONS = ("no longer needed", "ordered by mistake")


class Retail(Domain):
    """The shop's tools over orders, products and users."""

    tools: ClassVar[tuple[str, ...]] = (
        *Domain.tools,
        "find_user_id_by_email",
        "find_user_id_by_name_zip",
        "get_order_details",
        "get_product_details",
        "get_user_details",
        "list_all_product_types",
        "cancel_pending_order",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "exchange_delivered_order_items",
        "return_delivered_order_items",
    )
    writes: ClassVar[frozenset[str]] = frozenset(tools[-7:])

    def find_user_id_by_email(self, *, email: str) -> str:
        """Find the id of the user with this e-mail address, ignoring case."""
        for user_id, user in self.records.each("users"):
            if user["email"].lower() == email.lower():
                return user_id
        raise TauError("user not found", kind="not_found")

    def find_user_id_by_name_zip(self, *, first_name: str, last_name: str, zip: str) -> str:
        """Find the id of the user with this name, ignoring case, and exactly this zip code."""
        wanted = (first_name.lower(), last_name.lower(), zip)
        for user_id, user in self.records.each("users"):
            name = user["name"]
            found = (name["first_name"].lower(), name["last_name"].lower(), user["address"]["zip"])
            if found == wanted:
                return user_id
        raise TauError("user not found", kind="not_found")

    def get_order_details(self, *, order_id: str) -> Record:
        """Look up an order; the id starts with '#'."""
        return self._need("orders", order_id, "order")

    def get_product_details(self, *, product_id: str) -> Record:
        """Look up a product with all of its variants; an item id is not a product id."""
        return self._need("products", product_id, "product")

    def get_user_details(self, *, user_id: str) -> Record:
        """Look up a user with addresses, payment methods and orders."""
        return self._need("users", user_id, "user")

    def list_all_product_types(self) -> dict[str, str]:
        """List the names of all products with their ids, sorted by name."""
        return dict(sorted((p["name"], p["product_id"]) for _, p in self.records.each("products")))

    def cancel_pending_order(self, *, order_id: str, reason: str) -> Record:
        """Cancel a pending order and refund every entry of its payment history."""
        self._open_order(order_id, "pending")
        if reason not in REASONS:
            raise TauError(f"reason: wanted one of {REASONS}, got {reason!r}")
        order = self.records.edit("orders", order_id)
        refunds = [
            _entry("refund", paid["amount"], paid["payment_method_id"])
            for paid in order["payment_history"]
        ]
        for refund in refunds:
            if "gift_card" in refund["payment_method_id"]:
                self._credit(order["user_id"], refund["payment_method_id"], refund["amount"])
        order["payment_history"].extend(refunds)
        order["status"] = "cancelled"
        order["cancel_reason"] = reason
        return order

    def modify_pending_order_address(
        self,
        *,
        order_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> Record:
        """Replace the delivery address of a pending order."""
        self._open_order(order_id, "pending")
        order = self.records.edit("orders", order_id)
        order["address"] = _address(address1, address2, city, state, country, zip)
        return order

    def modify_user_address(
        self,
        *,
        user_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> Record:
        """Replace the address in the user's profile; orders keep theirs."""
        self._need("users", user_id, "user")
        user = self.records.edit("users", user_id)
        user["address"] = _address(address1, address2, city, state, country, zip)
        return user

    def modify_pending_order_payment(self, *, order_id: str, payment_method_id: str) -> Record:
        """Move the single payment of a pending order to another method of its user."""
        order = self._open_order(order_id, "pending")
        method = self._method(order["user_id"], payment_method_id)
        history = order["payment_history"]
        if len(history) > 1 or history[0]["transaction_type"] != "payment":
            raise TauError("there must be exactly one payment", kind="conflict")
        amount, old_id = history[0]["amount"], history[0]["payment_method_id"]
        if old_id == payment_method_id:
            raise TauError("the new payment method must differ from the old", kind="conflict")
        _afford(method, amount)
        order = self.records.edit("orders", order_id)
        order["payment_history"] += [
            _entry("payment", amount, payment_method_id),
            _entry("refund", amount, old_id),
        ]
        if method["source"] == "gift_card":
            self._credit(order["user_id"], payment_method_id, -amount)
        if "gift_card" in old_id:
            self._credit(order["user_id"], old_id, amount)
        return order

    def modify_pending_order_items(
        self,
        *,
        order_id: str,
        item_ids: list[str],
        new_item_ids: list[str],
        payment_method_id: str,
    ) -> Record:
        """Swap items of a pending order for other variants; closes the order for more changes."""
        order = self._open_order(order_id, "pending")
        difference = self._price_difference(order, item_ids, new_item_ids)
        method = self._method(order["user_id"], payment_method_id)
        _afford(method, difference)
        order = self.records.edit("orders", order_id)
        kind = "payment" if difference > 0 else "refund"
        order["payment_history"].append(_entry(kind, abs(difference), payment_method_id))
        if method["source"] == "gift_card":
            self._credit(order["user_id"], payment_method_id, -difference)
        for old_id, new_id in zip(item_ids, new_item_ids, strict=True):
            item = _first(order, old_id)
            variant = self._variant(item, new_id)
            item["item_id"] = new_id
            item["price"] = variant["price"]
            item["options"] = copy.deepcopy(variant["options"])
        order["status"] = "pending (item modified)"
        return order

    def exchange_delivered_order_items(
        self,
        *,
        order_id: str,
        item_ids: list[str],
        new_item_ids: list[str],
        payment_method_id: str,
    ) -> Record:
        """Request an exchange of delivered items for other variants of the same products."""
        order = self._open_order(order_id, "delivered")
        difference = round(self._price_difference(order, item_ids, new_item_ids), 2)
        _afford(self._method(order["user_id"], payment_method_id), difference)
        order = self.records.edit("orders", order_id)
        order["status"] = "exchange requested"
        order["exchange_items"] = sorted(item_ids)
        order["exchange_new_items"] = sorted(new_item_ids)
        order["exchange_payment_method_id"] = payment_method_id
        order["exchange_price_difference"] = difference
        return order

    def return_delivered_order_items(
        self, *, order_id: str, item_ids: list[str], payment_method_id: str
    ) -> Record:
        """Request a return of delivered items, refunded to the original method or a gift card."""
        order = self._open_order(order_id, "delivered")
        self._method(order["user_id"], payment_method_id)
        original = order["payment_history"][0]["payment_method_id"]
        if "gift_card" not in payment_method_id and payment_method_id != original:
            raise TauError("must be the original payment method or a gift card", kind="conflict")
        _has_all(order, item_ids)
        order = self.records.edit("orders", order_id)
        order["status"] = "return requested"
        order["return_items"] = sorted(item_ids)
        order["return_payment_method_id"] = payment_method_id
        return order

    def _open_order(self, order_id: str, status: str) -> Record:
        order = self._need("orders", order_id, "order")
        if order["status"] != status:
            raise TauError(f"order is {order['status']!r}, wanted {status!r}", kind="conflict")
        return order

    def _price_difference(self, order: Record, old_ids: list[str], new_ids: list[str]) -> float:
        """What the new variants cost more than what the order paid for the old ones."""
        _has_all(order, old_ids)
        if len(old_ids) != len(new_ids):
            raise TauError("the numbers of old and new items differ")
        difference: float = 0
        for old_id, new_id in zip(old_ids, new_ids, strict=True):
            item = _first(order, old_id)
            difference += self._variant(item, new_id)["price"] - item["price"]
        return difference

    def _variant(self, item: Record, new_id: str) -> Record:
        product = self._need("products", item["product_id"], "product")
        variant: Record | None = product["variants"].get(new_id)
        if variant is None or not variant["available"]:
            raise TauError(f"new item {new_id!r} not found or not available", kind="conflict")
        return variant

    def _credit(self, user_id: str, method_id: str, amount: float) -> None:
        card = self.records.edit("users", user_id)["payment_methods"][method_id]
        card["balance"] = round(card["balance"] + amount, 2)


def _entry(kind: str, amount: float, method_id: str) -> Record:
    return {"transaction_type": kind, "amount": amount, "payment_method_id": method_id}


def _address(
    address1: str, address2: str, city: str, state: str, country: str, zip_code: str
) -> Record:
    return {
        "address1": address1,
        "address2": address2,
        "city": city,
        "state": state,
        "country": country,
        "zip": zip_code,
    }


def _afford(method: Record, amount: float) -> None:
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise TauError("gift card balance too low", kind="conflict")


def _has_all(order: Record, item_ids: list[str]) -> None:
    ordered = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > ordered.count(item_id):
            raise TauError(f"item {item_id!r} not found in the order", kind="not_found")


def _first(order: Record, item_id: str) -> Record:
    item: Record = next(item for item in order["items"] if item["item_id"] == item_id)
    return item
