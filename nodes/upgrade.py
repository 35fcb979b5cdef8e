"""Bring a checkpointed state of an earlier schema version to the present one, on read."""

from collections.abc import Callable, Mapping
from typing import Any

from nodes.errors import StateTooNew
from state import SCHEMA_VERSION, State

Step = Callable[[dict[str, Any]], dict[str, Any]]

UPGRADES: dict[int, Step] = {}


def upgrade(state: State | Mapping[str, Any]) -> dict[str, Any]:
    """The state's values at `SCHEMA_VERSION`; a new thread has none and gets the version only.

    Raises:
        StateTooNew: a later version wrote the state.
    """
    values: dict[str, Any] = dict(state)
    version = values.get("schema_version", SCHEMA_VERSION)
    if version > SCHEMA_VERSION:
        raise StateTooNew(version, SCHEMA_VERSION)
    for step in range(version, SCHEMA_VERSION):
        values = UPGRADES[step](values)
    return {**values, "schema_version": SCHEMA_VERSION}
