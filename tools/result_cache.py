"""Results of reads that may be used again: for one scope, for a while, and only so many."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from state import canonical_json
from tools.spec import CallSite, ToolSpec

MOST_RESULTS: Final = 512
MOST_CHARS: Final = 4_000_000

Key: TypeAlias = tuple[str, str, tuple[str, ...], str, str]


class ResultCache:
    """The newest results in memory; an effect in a tenant drops what that tenant has there."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        most_results: int = MOST_RESULTS,
        most_chars: int = MOST_CHARS,
    ) -> None:
        """Keep at most so many results and characters; `clock` counts seconds."""
        self._clock = clock
        self._most_results, self._most_chars = most_results, most_chars
        self._kept: OrderedDict[Key, tuple[float, str]] = OrderedDict()
        self._chars = 0

    def get(self, spec: ToolSpec, args: Mapping[str, Any], site: CallSite) -> str | None:
        """The result of the same call for the same scope, if it is fresh."""
        if not spec.cache_s:
            return None
        key = _key(spec, args, site)
        found = self._kept.get(key)
        if found is None:
            return None
        at, text = found
        if self._clock() - at >= spec.cache_s:
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return text

    def put(self, spec: ToolSpec, args: Mapping[str, Any], site: CallSite, text: str) -> None:
        """Keep a result, and let the oldest go where there is no room."""
        if not spec.cache_s or len(text) > self._most_chars:
            return
        key = _key(spec, args, site)
        self._drop(key)
        self._kept[key] = (self._clock(), text)
        self._chars += len(text)
        while len(self._kept) > self._most_results or self._chars > self._most_chars:
            self._drop(next(iter(self._kept)))

    def forget(self, tenant: str) -> None:
        """Drop a tenant's results: something has changed."""
        for key in [key for key in self._kept if key[0] == tenant]:
            self._drop(key)

    def __len__(self) -> int:
        """How many results are kept."""
        return len(self._kept)

    def _drop(self, key: Key) -> None:
        found = self._kept.pop(key, None)
        if found is not None:
            self._chars -= len(found[1])


def _key(spec: ToolSpec, args: Mapping[str, Any], site: CallSite) -> Key:
    teams = tuple(sorted(site.teams))
    return (site.tenant, site.user, teams, spec.name, canonical_json(dict(args)))
