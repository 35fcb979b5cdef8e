"""The next embedded default: one small design for any desk, learned instead of enumerated.

It stands beside `models.embedded` until it reaches what that reaches on the sample company. An app
chooses it with `models: {default: {provider: embedded, model: small}}`; every desk is read by the
same way, from its YAML, its tools' schemas, and what tools and memory return.
"""

from typing import TYPE_CHECKING, Final

from langchain_core.language_models import BaseChatModel

from configs.settings import Settings

if TYPE_CHECKING:
    from models.embedded_small.planner import Planner

MODEL: Final = "small"
"""What `model` says of a profile with `provider: embedded` to choose it."""


def open_deciders(settings: Settings) -> dict[str, BaseChatModel]:
    """Router and expert, which share one planner; loads no weights yet."""
    from models.embedded_small.expert import EmbeddedExpert  # noqa: PLC0415 - package init stays light
    from models.embedded_small.router import EmbeddedRouter  # noqa: PLC0415 - package init stays light

    planner = open_planner(settings)
    return {"router": EmbeddedRouter(planner=planner), "expert": EmbeddedExpert(planner=planner)}


def open_planner(settings: Settings) -> "Planner":
    """What reads requests to an app: its chooser of tools and its filler of their parameters."""
    from models.embedded.acts import ActReader, act_reader  # noqa: PLC0415 - package init stays light
    from models.embedded_small.chooser import Chooser  # noqa: PLC0415 - package init stays light
    from models.embedded_small.planner import Planner  # noqa: PLC0415 - package init stays light
    from models.embedded_small.slot_reader import (  # noqa: PLC0415 - package init stays light
        shared_slot_reader,
    )
    from models.embedded_small.slots import Filler  # noqa: PLC0415 - package init stays light
    from models.embedding import shared_embedder  # noqa: PLC0415 - package init stays light

    embedder, folder = shared_embedder(settings.embedder.name), settings.data_dir / "embedded"
    acts = act_reader(embedder.name) or ActReader()
    chooser = Chooser(settings.experts, embedder, acts, folder)
    return Planner(settings.experts, chooser, Filler(shared_slot_reader(), shared_embedder()))
