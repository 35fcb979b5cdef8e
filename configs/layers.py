"""Where a setting came from: explicit arguments, the environment, app.yaml, first ones first."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from configs.profiles import merge
from configs.reading import Location, key_path

PREFIX: Final = "HIPPOGRAPH_"
ENVIRONMENT: Final = "environment"

Layers: TypeAlias = list[tuple[Path | str, Mapping[str, Any]]]


def merged(layers: Layers) -> dict[str, Any]:
    """All layers in one, the first over all others, mappings key by key."""
    whole: dict[str, Any] = {}
    for _, layer in reversed(layers):
        whole = merge(whole, layer)
    return whole


def origin_of(layers: Layers, location: Location) -> tuple[Path | str, str]:
    """Where the value at a location came from: the file or kind of source, and the key there."""
    candidates = [location]
    if location[:1] in (("models",), ("profiles",)):
        candidates.append(("models", "default", *location[2:]))
    for candidate in candidates:
        for source, layer in layers:
            if _holds(layer, candidate):
                return source, _named(source, candidate)
    return layers[-1][0], key_path(location)


def _named(source: Path | str, location: Location) -> str:
    if source == ENVIRONMENT:
        return PREFIX + "__".join(str(part) for part in location).upper()
    return key_path(location)


def _holds(layer: object, location: Location) -> bool:
    for part in location:
        if isinstance(layer, Mapping) and part in layer:
            layer = layer[part]
        else:
            return False
    return True
