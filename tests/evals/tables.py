"""Small retail and airline tables in the shape of the public ones."""

from typing import Any

from evals.tau.airline import Airline
from evals.tau.records import Records
from evals.tau.retail import Retail

Tables = dict[str, dict[str, dict[str, Any]]]


def variant(item_id: str, price: float, *, available: bool = True) -> dict[str, Any]:
    return {
        "item_id": item_id,
        "price": price,
        "available": available,
        "options": {"colour": item_id},
    }


def item(item_id: str, price: float) -> dict[str, Any]:
    return {
        "name": "Mug",
        "product_id": "p1",
        "item_id": item_id,
        "price": price,
        "options": {"colour": "as ordered"},
    }


def order(order_id: str, status: str, items: list[dict[str, Any]], paid: str) -> dict[str, Any]:
    return {
        "order_id": order_id,
        "user_id": "ann",
        "status": status,
        "address": {"zip": "1"},
        "items": items,
        "payment_history": [
            {"transaction_type": "payment", "amount": 20.1, "payment_method_id": paid}
        ],
    }


def retail_tables() -> Tables:
    return {
        "orders": {
            "#1": order("#1", "pending", [item("b", 10.0), item("a", 12.3)], "gift_card_1"),
            "#2": order("#2", "delivered", [item("a", 12.3), item("b", 10.0)], "credit_card_1"),
        },
        "products": {
            "p1": {
                "name": "Mug",
                "product_id": "p1",
                "variants": {
                    "a": variant("a", 12.5),
                    "b": variant("b", 10.2),
                    "c": variant("c", 13.7),
                    "gone": variant("gone", 1.0, available=False),
                },
            }
        },
        "users": {
            "ann": {
                "name": {"first_name": "Ann", "last_name": "Lee"},
                "email": "Ann@Example.com",
                "address": {"zip": "9"},
                "orders": ["#1", "#2"],
                "payment_methods": {
                    "gift_card_1": {"source": "gift_card", "balance": 2.0, "id": "gift_card_1"},
                    "credit_card_1": {"source": "credit_card", "id": "credit_card_1"},
                },
            }
        },
    }


def flight(number: str, origin: str, destination: str, out: str, back: str) -> dict[str, Any]:
    seats = {"basic_economy": 0, "economy": 2, "business": 2}
    prices = {"basic_economy": 50, "economy": 100, "business": 300}
    day = {"status": "available", "available_seats": seats, "prices": prices}
    return {
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_est": out,
        "scheduled_arrival_time_est": back,
        "dates": {"2024-05-20": day, "2024-05-21": day, "2024-05-22": {"status": "flying"}},
    }


def airline_tables() -> Tables:
    kept = {"flight_number": "F1", "date": "2024-05-20", "price": 80}
    return {
        "flights": {
            "F1": flight("F1", "JFK", "ORD", "08:00:00", "10:00:00"),
            "F2": flight("F2", "ORD", "SEA", "11:00:00", "13:00:00"),
            "F3": flight("F3", "JFK", "ORD", "22:00:00", "01:00:00+1"),
        },
        "reservations": {
            "R1": {
                "reservation_id": "R1",
                "user_id": "bo",
                "cabin": "economy",
                "flights": [{**kept, "origin": "JFK", "destination": "ORD"}],
                "passengers": [{"first_name": "Bo", "last_name": "Ek", "dob": "1990-01-01"}],
                "payment_history": [{"payment_id": "credit_card_1", "amount": 80}],
                "total_baggages": 1,
                "nonfree_baggages": 0,
            }
        },
        "users": {
            "bo": {
                "reservations": ["R1"],
                "payment_methods": {
                    "credit_card_1": {"source": "credit_card", "id": "credit_card_1"},
                    "gift_card_1": {"source": "gift_card", "amount": 150, "id": "gift_card_1"},
                    "certificate_1": {"source": "certificate", "amount": 90, "id": "certificate_1"},
                },
            }
        },
    }


def retail() -> Retail:
    return Retail(Records(retail_tables()))


def airline() -> Airline:
    return Airline(Records(airline_tables()))
