"""Services as experts of a desk: named once, with examples of other dialogues."""

from pathlib import Path
from typing import Any

from evals.sgd_desk import halves, open_app, open_router, route_dialogue, tool_names, write_app
from evals.sgd_dialogues import Exchange, ServiceDialogue
from tests.memory.hashing import HashingEmbedder


def service(name: str, intent: str) -> dict[str, Any]:
    entry = {
        "name": intent,
        "description": f"{intent} for the user",
        "is_transactional": intent.startswith("Reserve"),
        "result_slots": ["name"],
    }
    return {"service_name": name, "description": f"All about {name}", "intents": [entry]}


SCHEMA = [service("Hotels_1", "ReserveHotel"), service("Hotels_4", "ReserveHotel")]


def dialogue(*texts: str) -> ServiceDialogue:
    opened = (("Hotels_1", "ReserveHotel"),)
    exchanges = [Exchange(text, "ok", "Hotels_1", ("Hotels_1",), opened, ()) for text in texts]
    return ServiceDialogue("d", tuple(exchanges))


def test_tools_of_services_with_the_same_intent_have_names_of_their_own() -> None:
    assert list(tool_names(SCHEMA).values()) == ["reserve_hotel", "reserve_hotel_4"]


def test_the_app_has_an_expert_for_each_service_and_examples_of_other_dialogues(
    tmp_path: Path,
) -> None:
    app = open_app(write_app(tmp_path, SCHEMA, [dialogue("book me a room"), dialogue("a bed")]))
    assert [expert.name for expert in app.experts] == ["hotels_1", "hotels_4"]
    assert app.experts[0].intents[0].examples == ("book me a room", "a bed")
    assert app.experts[0].tools[0].effect == "irreversible"


def test_every_user_message_is_routed_by_the_product(tmp_path: Path) -> None:
    app = open_app(write_app(tmp_path, SCHEMA, [dialogue("book me a room in Rome")]))
    router = open_router(app, HashingEmbedder())
    found = list(route_dialogue(router, dialogue("book a room", "thanks"), tool_names(SCHEMA)))
    assert len(found) == 2
    assert {name for one in found for name in one.experts} <= {"hotels_1", "hotels_4"}


def test_halves_share_no_dialogue() -> None:
    left, right = halves([dialogue("a")] * 5)
    assert sorted([*left, *right]) == list(range(5))
