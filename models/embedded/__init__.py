"""The embedded profile: chat models that need no key and no network."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from langchain_core.language_models import BaseChatModel

from configs.settings import Settings

if TYPE_CHECKING:
    from models.embedded.planner import Planner

ROLES_OF_COMPOSER: Final = ("synthesizer", "summarizer", "extractor", "judge")


def build_embedded(settings: Settings, roles: Sequence[str]) -> dict[str, BaseChatModel]:
    """The embedded models of the roles; router and experts share one planner.

    Loads no weights: they are read at their first use.
    """
    from models.embedded.composer import EmbeddedComposer  # noqa: PLC0415 - package init stays light
    from models.embedded.expert import EmbeddedExpert  # noqa: PLC0415 - package init stays light
    from models.embedded.router import EmbeddedRouter  # noqa: PLC0415 - package init stays light

    models: dict[str, BaseChatModel] = {}
    if {"router", "expert"} & set(roles):
        planner = open_planner(settings)
        models = {
            "router": EmbeddedRouter(planner=planner),
            "expert": EmbeddedExpert(planner=planner),
        }
    models |= dict.fromkeys(ROLES_OF_COMPOSER, EmbeddedComposer())
    return {role: models[role] for role in roles if role in models}


def open_planner(settings: Settings) -> "Planner":
    """What reads requests to an app: its chooser of tools and its filler of their parameters."""
    from models.embedded.acts import shared_act_reader  # noqa: PLC0415 - package init stays light
    from models.embedded.chooser import Chooser  # noqa: PLC0415 - package init stays light
    from models.embedded.options import OptionReader  # noqa: PLC0415 - package init stays light
    from models.embedded.planner import Planner  # noqa: PLC0415 - package init stays light
    from models.embedded.slot_reader import (  # noqa: PLC0415 - package init stays light
        shared_slot_reader,
    )
    from models.embedded.slots import Filler  # noqa: PLC0415 - package init stays light
    from models.embedding import shared_embedder  # noqa: PLC0415 - package init stays light

    embedder, folder = shared_embedder(settings.embedder.name), settings.data_dir / "embedded"
    chooser = Chooser(settings.experts, embedder, shared_act_reader(), folder)
    filler = Filler(shared_slot_reader(), OptionReader(shared_embedder()))
    return Planner(settings.experts, chooser, filler, settings.mcp)
