"""The embedded profile: chat models that need no key and no network."""

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel

from configs.settings import Settings
from models.embedded_small import MODEL as SMALL
from models.embedded_small import open_deciders as open_small

ROLES_OF_COMPOSER = ("synthesizer", "summarizer", "extractor", "judge")


def build_embedded(settings: Settings, roles: Sequence[str]) -> dict[str, BaseChatModel]:
    """The embedded models of the roles; router and experts share one planner.

    Loads no weights: the embedder and the argument model open at their first use.
    """
    from models.embedded.composer import EmbeddedComposer  # noqa: PLC0415 - package init stays light
    from models.embedded.roles import open_deciders  # noqa: PLC0415 - package init stays light

    models: dict[str, BaseChatModel] = {}
    if {"router", "expert"} & set(roles):
        models |= open_small(settings) if _is_small(settings) else open_deciders(settings)
    composer = EmbeddedComposer()
    models |= dict.fromkeys(ROLES_OF_COMPOSER, composer)
    return {role: models[role] for role in roles if role in models}


def _is_small(settings: Settings) -> bool:
    """Whether router or expert ask for the small design."""
    return SMALL in {settings.models[role].model for role in ("router", "expert")}
