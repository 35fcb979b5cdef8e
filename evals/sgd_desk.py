"""Schema-Guided services as experts of a desk: an app folder, and its router over dialogues.

An expert is a service, a tool an intent; descriptions come from the schema, examples from dialogues
that are not routed with them. The dialogues are therefore taken in two halves by their place, and
each half is routed by the desk whose examples come from the other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import HumanMessage

from configs.settings import Settings, load_settings
from evals.app_folder import write_folder
from evals.sgd_dialogues import Exchange, ServiceDialogue
from memory.history import make_record
from models.embedded.acts import shared_act_reader
from models.embedded.chooser import Chooser
from models.embedded.options import OptionReader
from models.embedded.planner import Planner
from models.embedded.router import EmbeddedRouter
from models.embedded.slot_reader import shared_slot_reader
from models.embedded.slots import Filler
from models.embedding import Embedder, shared_embedder
from state import CallRecord, TurnRecord

EXAMPLES: Final = 10
OUTPUT_TOKENS: Final = 60
SETTINGS: Final = {"recall": {"enabled": False}}


@dataclass(frozen=True, slots=True)
class Routed:
    """What the router made of one user message."""

    experts: tuple[str, ...]
    confidence: float


def halves(dialogues: Sequence[ServiceDialogue]) -> tuple[list[int], list[int]]:
    """Places of the dialogues of either half."""
    places = range(len(dialogues))
    return [at for at in places if at % 2 == 0], [at for at in places if at % 2]


def write_app(
    folder: Path,
    schema: Sequence[Mapping[str, Any]],
    others: Sequence[ServiceDialogue],
    examples: int = EXAMPLES,
) -> Path:
    """Make an app folder whose experts are the services.

    Args:
        folder: made when absent.
        schema: the services.
        others: dialogues that the desk will not be asked about; examples come from them.
        examples: how many examples an intent gets at most.
    """
    said, names = _openings(others), tool_names(schema)
    experts = [_expert(service, names, said, examples) for service in schema]
    return write_folder(folder, SETTINGS, experts)


def open_app(folder: Path) -> Settings:
    """The folder's settings."""
    return load_settings(folder)


def expert_name(service: str) -> str:
    """The expert of a service: `Hotels_4` is `hotels_4`."""
    return service.lower()


def tool_names(schema: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """The tool of each service and intent; an intent that several services have is numbered."""
    found: dict[tuple[str, str], str] = {}
    for service in schema:
        for intent in service["intents"]:
            plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", intent["name"]).lower()
            number = service["service_name"].rpartition("_")[2]
            taken = plain in found.values()
            name = f"{plain}_{number}" if taken else plain
            found[service["service_name"], intent["name"]] = name
    return found


def open_router(settings: Settings, embedder: Embedder) -> EmbeddedRouter:
    """The product's embedded router for an app, over an embedder of the caller's."""
    folder = settings.data_dir / "embedded"
    chooser = Chooser(settings.experts, embedder, shared_act_reader(), folder)
    filler = Filler(shared_slot_reader(), OptionReader(shared_embedder()))
    planner = Planner(settings.experts, chooser, filler)
    return EmbeddedRouter(planner=planner)


def route_dialogue(
    router: EmbeddedRouter, dialogue: ServiceDialogue, names: Mapping[tuple[str, str], str]
) -> Iterator[Routed]:
    """The router's choice at each user message, with the turns before it as its history.

    Calls that the recorded desk made stand in the history only where the router chose their expert.
    """
    history: list[TurnRecord] = []
    for index, exchange in enumerate(dialogue.exchanges):
        plan = router.reply(prompt_of(history, exchange.user), []).tool_calls[0]["args"]
        experts = tuple(sorted({one["name"] for one in plan["experts"]}))
        yield Routed(experts, float(plan["confidence"]))
        history.append(record_of(index, exchange, experts, names))


def _openings(dialogues: Sequence[ServiceDialogue]) -> dict[tuple[str, str], list[str]]:
    """What users said when they came up with an intent."""
    found: dict[tuple[str, str], list[str]] = {}
    for dialogue in dialogues:
        for exchange in dialogue.exchanges:
            for opened in exchange.opened:
                found.setdefault(opened, []).append(exchange.user)
    return {key: list(dict.fromkeys(texts)) for key, texts in found.items()}


def _expert(
    service: Mapping[str, Any],
    names: Mapping[tuple[str, str], str],
    said: Mapping[tuple[str, str], Sequence[str]],
    examples: int,
) -> dict[str, Any]:
    name = service["service_name"]
    intents = [(intent, names[name, intent["name"]]) for intent in service["intents"]]
    return {
        "name": expert_name(name),
        "title": name.rpartition("_")[0],
        "description": service["description"],
        "brief": f"{service['description']}. Serve the user with your tools.",
        "intents": [
            {
                "name": tool,
                "tool": tool,
                "examples": _spread(said.get((name, intent["name"]), ()), examples),
            }
            for intent, tool in intents
        ],
        "tools": [_tool(intent, tool) for intent, tool in intents],
    }


def _tool(intent: Mapping[str, Any], tool: str) -> dict[str, Any]:
    return {
        "name": tool,
        "function": f"{__name__}:serve",
        "effect": "irreversible" if intent["is_transactional"] else "read_only",
        "description": f"{intent['description']}.",
        "when": f"The user wants to {intent['description'].lower()}.",
        "returns": ", ".join(intent["result_slots"]) or "What was done.",
    }


def serve(**arguments: str) -> dict[str, str]:
    """Stand in for every service: give back what was asked."""
    return arguments


def _spread(texts: Sequence[str], count: int) -> list[str]:
    """So many of the texts, from all over the list."""
    if len(texts) <= count:
        return list(texts)
    return [texts[at * len(texts) // count] for at in range(count)]


def prompt_of(history: Sequence[TurnRecord], text: str) -> list[HumanMessage]:
    """What the router is asked: the turns before, and the message."""
    blocks: list[dict[str, Any]] = [{"kind": "history", "turn": turn} for turn in history]
    blocks += [{"kind": "question", "text": text}, {"kind": "brief", "module": "router"}]
    return [HumanMessage("", additional_kwargs={"block": block}) for block in blocks]


def record_of(
    index: int,
    exchange: Exchange,
    experts: Sequence[str],
    names: Mapping[tuple[str, str], str],
) -> TurnRecord:
    """One exchange as a desk that asked these experts would have recorded it."""
    calls: list[CallRecord] = [
        {
            "id": f"call_{number}",
            "name": names[call.service, call.intent],
            "args": dict(call.arguments),
            "effect": "irreversible" if call.transactional else "read_only",
            "status": "ok",
            "artifact": None,
            "note": "",
        }
        for number, call in enumerate(exchange.calls)
        if expert_name(call.service) in experts
    ]
    return make_record(
        {"id": f"turn_{index}", "index": index, "at": "", "text": exchange.user},
        list(experts),
        [
            {
                "expert": name,
                "question": exchange.user,
                "text": exchange.answer,
                "calls": calls,
                "status": "ok",
                "confidence": None,
            }
            for name in experts
        ],
        exchange.answer,
        OUTPUT_TOKENS,
    )
