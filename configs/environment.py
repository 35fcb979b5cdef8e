"""The only file that reads the environment. An empty variable counts as absent."""

import os
from collections.abc import Collection
from typing import Any, Final

import yaml
from pydantic import SecretStr

from configs.errors import InvalidConfig, UnreadableConfig, quoted
from configs.layers import ENVIRONMENT, PREFIX

SECRET_NAMES: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "DSN")
PUBLIC_PREFIXES: Final = ("/", "~", "./", "../")


def read_secret(name: str) -> SecretStr | None:
    """The secret in an environment variable, or None when it is absent or empty."""
    value = os.environ.get(name, "").strip()
    return SecretStr(value) if value else None


def secrets_of_environment(known: Collection[str] = ()) -> list[str]:
    """Values of variables that are named like secrets, paths left out, and of `known` ones."""
    return [
        value.strip()
        for name, value in sorted(os.environ.items())
        if name in known
        or (
            any(part in name.upper() for part in SECRET_NAMES)
            and not value.strip().startswith(PUBLIC_PREFIXES)
        )
    ]


def read_environment() -> dict[str, Any]:
    """The settings that variables of our prefix give, by lower-case key.

    Raises:
        ConfigError: two variables contradict each other, or one is no YAML.
    """
    values: dict[str, Any] = {}
    for name in sorted(os.environ):
        text = os.environ[name]
        if not name.startswith(PREFIX) or not text.strip():
            continue
        *parents, last = name.removeprefix(PREFIX).lower().split("__")
        target = values
        for parent in parents:
            target = target.setdefault(parent, {})
            if not isinstance(target, dict):
                wanted = f"either {parent.upper()} or keys below it, not both"
                raise InvalidConfig(ENVIRONMENT, name, wanted=wanted, came="both")
        target[last] = _environment_value(name, text)
    return values


def _environment_value(name: str, text: str) -> object:
    if text.strip()[0] not in "[{":
        return text.strip()
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        wanted = "a list or mapping"
        raise UnreadableConfig(ENVIRONMENT, name, wanted=wanted, came=quoted(text)) from error
