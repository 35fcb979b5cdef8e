"""SGD dialogues as threads whose turns the router, the true services, or nobody served."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from evals.registry import Request
from evals.segmentation_data import Thread, service_thread
from evals.sgd_desk import halves, open_app, open_router, route_dialogue, tool_names, write_app
from evals.sgd_dialogues import ServiceDialogue, active_services, load_dialogues, load_schema
from models.embedding import Embedder

Agents: TypeAlias = Sequence[Sequence[str]]
"""Who served each turn of a dialogue."""


class Services:
    """SGD with the router's agents, the true ones, and none."""

    def __init__(self, request: Request, embedder: Embedder) -> None:
        """Load the dialogues and let the router choose for every turn."""
        every = load_dialogues(request.data)
        self.places = spread(len(every), request.limit)
        self.dialogues = [every[at] for at in self.places]
        self.true: list[Agents] = [
            [(name,) for name in active_services(one)] for one in self.dialogues
        ]
        self.nobody: list[Agents] = [[() for _ in one.exchanges] for one in self.dialogues]
        self.routed = routed_by(request, every, self.places, embedder)

    def threads(self, agents: Sequence[Agents], *, late: bool = False) -> Iterator[Thread]:
        """The dialogues as threads, with the change of the last frame's service as gold if late."""
        for dialogue, own in zip(self.dialogues, agents, strict=True):
            last = [exchange.service for exchange in dialogue.exchanges]
            yield service_thread(dialogue, own, last if late else active_services(dialogue))


def spread(count: int, limit: int | None) -> list[int]:
    """Places of so many dialogues from all over the file, which is ordered by their services."""
    wanted = min(limit or count, count)
    return [at * count // wanted for at in range(wanted)]


def routed_by(
    request: Request,
    every: Sequence[ServiceDialogue],
    places: Sequence[int],
    embedder: Embedder,
) -> list[Agents]:
    """The router's experts for each turn; either half of the dialogues has its own desk."""
    schema = load_schema(request.data)
    names = tool_names(schema)
    found: dict[int, Agents] = {}
    for own, other in (halves(every), halves(every)[::-1]):
        with tempfile.TemporaryDirectory(prefix="sgd-desk-") as folder:
            app = write_app(Path(folder), schema, [every[at] for at in other])
            router = open_router(open_app(app), embedder)
            for at in sorted(set(own) & set(places)):
                found[at] = [one.experts for one in route_dialogue(router, every[at], names)]
                if len(found) % 200 == 0:
                    request.progress.print(f"routed {len(found)} of {len(places)} dialogues")
    return [found[at] for at in places]
