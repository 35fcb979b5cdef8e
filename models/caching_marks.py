"""What a provider is told about its prompt cache: marks on messages, a routing key, allowed tools.

None of it changes a token of the prompt. OpenAI up to 5.5 needs the key only. From 5.6 on it finds
a prefix at marks alone, so the shared ones are marked. Anthropic's models, also behind gateways
that speak OpenAI's protocol, keep nothing without marks.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from configs.sections import ModelProfile
from models.endpoints import is_public
from models.prompts import block_kind

Style = Literal["none", "openai", "openai-marks", "anthropic", "anthropic-1h"]

MARKS: Final[Mapping[Style, Mapping[str, Any]]] = {
    "openai-marks": {"prompt_cache_breakpoint": {"mode": "explicit"}},
    "anthropic": {"cache_control": {"type": "ephemeral"}},
    "anthropic-1h": {"cache_control": {"type": "ephemeral", "ttl": "1h"}},
}
RULE_OF: Final[Mapping[Style, str]] = {
    "openai": "openai",
    "openai-marks": "openai-5.6",
    "anthropic": "anthropic",
    "anthropic-1h": "anthropic-1h",
}
FIRST_MARKED: Final = (5, 6)
MAX_MARKS: Final = 3
"""Beside the provider's own at the end; Anthropic takes one more, which would buy nothing here."""
_VERSION: Final = re.compile(r"\bgpt-(\d+)(?:\.(\d+))?")


def style_of(profile: ModelProfile) -> Style:
    """How an endpoint is told about caching: as configured, or by its address and model."""
    if profile.cache != "auto":
        return profile.cache
    if not is_public(profile):
        return "none"
    found = _VERSION.search(profile.model)
    version = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
    return "openai-marks" if version >= FIRST_MARKED else "openai"


def marked(messages: Sequence[BaseMessage], style: Style) -> list[BaseMessage]:
    """The prompt with marks where the style has them: same texts, in one-block contents."""
    mark = MARKS.get(style)
    if mark is None:
        return list(messages)
    places = set(mark_places([block_kind(message) for message in messages], MAX_MARKS))
    return [
        _with_mark(message, mark) if place in places else message
        for place, message in enumerate(messages)
    ]


def mark_places(kinds: Sequence[str], limit: int) -> list[int]:
    """Where marks pay: at the ends of the charter, of what the thread shares, of the question."""
    ends = {kind: place for place, kind in enumerate(kinds)}
    shared = max((ends[kind] for kind in ("summary", "history") if kind in ends), default=-1)
    wanted = {ends.get("charter", -1), shared, ends.get("question", -1)}
    return sorted(place for place in wanted if place >= 0)[:limit]


def cache_key(*parts: str) -> str:
    """A routing key: equal for calls that share a prefix, and nothing that names a person."""
    digest = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"hippograph-{digest[:24]}"


def cache_arguments(style: Style, key: str, allowed: Sequence[str]) -> dict[str, Any]:
    """Arguments of a request to OpenAI itself; other endpoints refuse or ignore them.

    Args:
        style: the endpoint's.
        key: see `cache_key`; empty for none.
        allowed: names of the tools the module may call, where that is less than all of them.
    """
    if style not in ("openai", "openai-marks"):
        return {}
    arguments: dict[str, Any] = {"prompt_cache_key": key} if key else {}
    if allowed:
        arguments["tool_choice"] = allowed_tools(allowed)
    return arguments


def allowed_tools(names: Sequence[str], *, required: bool = False) -> dict[str, Any]:
    """A `tool_choice` that narrows the catalogue without changing a byte of it."""
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    mode = "required" if required else "auto"
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


def _with_mark(message: BaseMessage, mark: Mapping[str, Any]) -> BaseMessage:
    if not isinstance(message, SystemMessage | HumanMessage) or not message.text:
        return message
    block = {"type": "text", "text": str(message.text), **mark}
    return message.model_copy(update={"content": [block]})
