"""Chat models by role, as the settings name them; only the configured provider is imported."""

import importlib.util
from collections.abc import Iterable, Mapping

from langchain_core.language_models import BaseChatModel

from configs.sections import ModelProfile
from configs.settings import Settings, read_secret
from models.endpoints import is_public
from models.errors import MissingKey, MissingPackage

ANY_KEY = "not-needed"


def build_models(settings: Settings) -> dict[str, BaseChatModel]:
    """The model of each role; roles with equal profiles share one client.

    Importing a provider takes half a second: call it in a thread.

    Raises:
        MissingKey: a profile's environment variable holds no API key.
        MissingPackage: the package of a provider is not installed.
    """
    models: dict[str, BaseChatModel] = {}
    clients: dict[str, BaseChatModel] = {}
    embedded = [role for role, profile in settings.models.items() if profile.provider == "embedded"]
    for role, profile in settings.models.items():
        if profile.provider == "openai":
            models[role] = _shared(clients, role, profile)
    if embedded:
        models.update(_open_embedded(settings, embedded))
    return models


def build_fallbacks(settings: Settings) -> dict[str, tuple[BaseChatModel, ...]]:
    """Who steps in for the model of each role, in the order of its profile's fallbacks.

    Raises:
        MissingKey: a profile's environment variable holds no API key.
        MissingPackage: the package of a provider is not installed.
    """
    clients: dict[str, BaseChatModel] = {}
    steps = {role: profile.fallbacks for role, profile in settings.models.items()}
    embedded = [
        role
        for role, profiles in steps.items()
        if any(profile.provider == "embedded" for profile in profiles)
    ]
    local = _open_embedded(settings, embedded) if embedded else {}
    return {
        role: tuple(
            local[role] if profile.provider == "embedded" else _shared(clients, role, profile)
            for profile in profiles
        )
        for role, profiles in steps.items()
        if profiles
    }


async def close_models(models: Iterable[BaseChatModel]) -> None:
    """Close the clients and workers behind models; each once."""
    for model in {id(model): model for model in models}.values():
        close = getattr(model, "aclose", None)
        if close is not None:
            await close()


def open_openai(role: str, profile: ModelProfile) -> BaseChatModel:
    """A client of an OpenAI-compatible endpoint.

    Raises:
        MissingKey: OpenAI itself is meant, and the environment variable holds no key.
        MissingPackage: langchain-openai is not installed.
    """
    secret = read_secret(profile.api_key_env)
    if secret is None and is_public(profile):
        raise MissingKey(
            wanted=f"an API key for {profile.model!r} (models.{role}) in {profile.api_key_env}",
            came="an empty or missing variable",
            next_step=f"Set {profile.api_key_env}, or name a local server in base_url.",
        )
    if importlib.util.find_spec("langchain_openai") is None:
        raise MissingPackage(
            wanted="langchain-openai for provider: openai",
            came="nothing",
            next_step="Run `pip install langchain-openai`.",
        )
    from models.openai_chat import open_chat  # noqa: PLC0415 - the embedded default needs none

    return open_chat(profile, secret.get_secret_value() if secret else ANY_KEY)


def _shared(clients: dict[str, BaseChatModel], role: str, profile: ModelProfile) -> BaseChatModel:
    """The client of an equal profile, or a new one."""
    same = profile.model_dump_json(exclude={"fallbacks"})
    if same not in clients:
        clients[same] = open_openai(role, profile)
    return clients[same]


def _open_embedded(settings: Settings, roles: Iterable[str]) -> Mapping[str, BaseChatModel]:
    from models.embedded import build_embedded  # noqa: PLC0415 - real models need none of it

    return build_embedded(settings, tuple(roles))
