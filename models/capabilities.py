"""What a server turned out not to know, remembered so that it is found out once.

OpenAI-compatible servers differ in what they accept. The first refusal of a feature is the probe:
the request is repeated without it, and the server is never asked for it again.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from configs.sections import ModelProfile
from models.endpoints import is_compatible, place_of
from models.errors import InvalidRequest, ModelError, Overloaded

LimitKey = Literal["max_completion_tokens", "max_tokens"]

_NO_TOOLS: Final = re.compile(
    r"enable-auto-tool-choice|requires --jinja"
    r"|(?:not|n't) support (?:the )?(?:tools?\b|function|tool[_ -]?(?:choice|call|use))"
    r"|\b(?:tools?|tool[_ -]?choice|tool[_ -]?call\w*|function[_ -]?call\w*)\b['\"`]?"
    r"[^.]{0,30}(?:not supported|unsupported|not permitted|unrecognized)"
    r"|(?:unsupported|unrecognized|unknown)[^.]{0,40}\b(?:tools?|tool_choice)\b",
    re.IGNORECASE,
)
_NOT_KNOWN: Final = re.compile(
    r"not supported|unsupported|unrecognized|unknown|unexpected|not permitted|extra", re.IGNORECASE
)
_STREAM_USAGE: Final = re.compile(r"stream_options|include_usage", re.IGNORECASE)
_LIMIT_SLACK: Final = 1.25
_TELLING_TOKENS: Final = 1024
"""Prompts below say little about how a provider counts: its frames weigh too much."""
_MOST_FACTOR: Final = 2.0
_FORGETTING: Final = 0.1

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Capability:
    """What one model at one endpoint takes.

    Attributes:
        tools: the `tools` array; without it the catalogue is written into the prompt.
        stream_usage: `stream_options`; without it tokens are counted here.
        limit_key: the name of the reply's limit.
        window_tokens: what the provider said it can hold.
    """

    tools: bool = True
    stream_usage: bool = True
    limit_key: LimitKey = "max_completion_tokens"
    window_tokens: int | None = None

    @property
    def as_arguments(self) -> dict[str, Any]:
        """What differs from the client's own way, as arguments of a call."""
        given: dict[str, Any] = {}
        if not self.stream_usage:
            given["stream_usage"] = False
        if self.limit_key != "max_completion_tokens":
            given["limit_key"] = self.limit_key
        return given


class Capabilities:
    """Capabilities by endpoint and model, for the life of the process."""

    def __init__(self) -> None:
        """Start with the belief that everything is known everywhere."""
        self._known: dict[tuple[str, str], Capability] = {}
        self._factors: dict[tuple[str, str], float] = {}

    def of(self, profile: ModelProfile) -> Capability:
        """What is known about a profile's model."""
        return self._known.get((place_of(profile), profile.model), Capability())

    def learn(self, profile: ModelProfile, error: ModelError) -> bool:
        """Take a refusal of a feature to heart; whether the request is worth repeating without."""
        if not isinstance(error, InvalidRequest | Overloaded):
            return False
        known, said = self.of(profile), error.came
        if known.stream_usage and _STREAM_USAGE.search(said):
            return self._note(profile, replace(known, stream_usage=False), said)
        if re.search(rf"\b{known.limit_key}\b", said) and _NOT_KNOWN.search(said):
            return self._note(profile, replace(known, limit_key=_other(known.limit_key)), said)
        if known.tools and _NO_TOOLS.search(said):
            return self._note(profile, replace(known, tools=False), said)
        return False

    def learn_window(self, profile: ModelProfile, tokens: int) -> None:
        """Remember a window that the provider enforces; the smallest one counts."""
        known = self.of(profile)
        if known.window_tokens is None or tokens < known.window_tokens:
            self._note(profile, replace(known, window_tokens=tokens), f"a window of {tokens}")

    def learn_limit(self, profile: ModelProfile, output_tokens: int) -> None:
        """Notice a server that ignores the reply's limit, and name the limit the older way."""
        known = self.of(profile)
        ignored = output_tokens > _LIMIT_SLACK * profile.max_output_tokens
        if ignored and is_compatible(profile) and known.limit_key == "max_completion_tokens":
            self._note(profile, replace(known, limit_key="max_tokens"), f"{output_tokens} tokens")

    def learn_count(self, profile: ModelProfile, counted: int, reported: int) -> None:
        """Compare a prompt's count with the provider's: a higher one counts at once and long."""
        if counted < _TELLING_TOKENS:
            return
        old, ratio = self.token_factor(profile), min(reported / counted, _MOST_FACTOR)
        new = ratio if ratio > old else old + _FORGETTING * (ratio - old)
        self._factors[place_of(profile), profile.model] = max(1.0, new)

    def token_factor(self, profile: ModelProfile) -> float:
        """How many of the provider's tokens one counted here may be; at least 1."""
        return self._factors.get((place_of(profile), profile.model), 1.0)

    def _note(self, profile: ModelProfile, known: Capability, why: str) -> bool:
        changed = known != self.of(profile)
        if changed:
            self._known[place_of(profile), profile.model] = known
            log.warning("%r at %s: %s, after %s", profile.model, place_of(profile), known, why)
        return changed

    def by_model(self) -> Mapping[tuple[str, str], Capability]:
        """Everything learned, by endpoint and model."""
        return dict(self._known)


def _other(key: LimitKey) -> LimitKey:
    return "max_tokens" if key == "max_completion_tokens" else "max_completion_tokens"
