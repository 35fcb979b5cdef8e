"""Exact token counts of texts, messages and tool schemas, without a network.

The table of a model is found by name (`encoding_of`) and loaded at the first count, which takes a
quarter of a second: `await load()` before an event loop is busy. Text that holds special tokens is
counted as plain text. What no table can count (pictures, sound, files) is counted by rule.
"""

import asyncio
import json
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from models.media import media_tokens
from models.token_tables import (
    SPECS,
    EncodingName,
    LinearTokenizer,
    linear_tokenizer,
    read_ranks,
)

DEFAULT_ENCODING: Final[EncodingName] = "o200k_base"
MESSAGE_TOKENS: Final = 3
"""Frame of a message, without its role, as OpenAI publishes it."""
PRIMING_TOKENS: Final = 3
"""Opening of the reply, once per prompt."""
CALL_TOKENS: Final = 3
"""Frame of a tool call, and of a tool result's reference to it."""
TOOL_TOKENS: Final = 8
"""Frame of a tool in the catalogue."""

_BY_PREFIX: Final[Mapping[str, EncodingName]] = {
    "gpt-4o": "o200k_base",
    "gpt-4.": "o200k_base",
    "gpt-4": "cl100k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "text-embedding-": "cl100k_base",
}
_ROLES: Final[Mapping[str, str]] = {"human": "user", "ai": "assistant"}
_CACHED_CHARS: Final = 4000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONG_RUN: Final = 50_000
_DEGENERATE: Final = re.compile(rf"\s{{{_LONG_RUN}}}|(?:^|\s)\S{{{_LONG_RUN}}}")


class Tokenizer(Protocol):
    """What counts the tokens of another family of models; a `tiktoken.Encoding` is one."""

    def encode_ordinary(self, text: str, /) -> list[int]:
        """The tokens of a text, special ones read as text."""
        ...

    def decode_bytes(self, tokens: Sequence[int], /) -> bytes:
        """The bytes of tokens."""
        ...


def register(prefix: str, tokenizer: Tokenizer) -> None:
    """Count with another tokenizer for all models whose name begins with `prefix`.

    Call it before the first turn: what has been counted by then keeps its count.
    """
    name = f"registered:{prefix.lower()}"
    _tables[name] = tokenizer
    _registered[prefix.lower()] = name
    encoding_of.cache_clear()
    _count_short.cache_clear()
    _tool_sizes.clear()


@lru_cache(maxsize=256)
def encoding_of(model: str) -> EncodingName:
    """The table of a model by the longest known prefix; unknown models have the newest table.

    A provider's path (`openai/gpt-4o`) and a fine-tune's mark (`ft:gpt-4o:me`) are ignored.
    """
    name = model.strip().lower().rpartition("/")[2].removeprefix("ft:").removeprefix("azure-")
    by_prefix = {**_BY_PREFIX, **_registered}
    known = [prefix for prefix in by_prefix if name.startswith(prefix)]
    return by_prefix[max(known, key=len)] if known else DEFAULT_ENCODING


async def load(model: str = "") -> None:
    """Load a model's table in a thread, so that later counts do not block the loop."""
    if encoding_of(model) not in _tables:
        await asyncio.to_thread(_table, encoding_of(model))


def count(text: str, model: str = "") -> int:
    """Exact number of tokens of a text; 1 MB of whatever text takes well under a second."""
    name = encoding_of(model)
    return _count_short(name, text) if len(text) <= _CACHED_CHARS else _count(name, text)


def token_ids(text: str, model: str = "") -> list[int]:
    """The tokens themselves, as many as `count` says; for comparing prompts token by token."""
    name = encoding_of(model)
    if linear := _linear(name, text):
        return list(linear.encode(_encodable(text)))
    return _table(name).encode_ordinary(text)


def truncate(text: str, budget_tokens: int, model: str = "") -> str:
    """The longest opening of the text found to have at most `budget_tokens` tokens."""
    if len(text) * 4 <= budget_tokens or count(text, model) <= budget_tokens:
        return text
    name = encoding_of(model)
    ids = _opening_ids(name, _encodable(text), budget_tokens)[: max(budget_tokens, 0)]
    while ids:
        length = len(_table(name).decode_bytes(ids).decode("utf-8", "ignore"))
        excess = _count(name, text[:length]) - budget_tokens
        if excess <= 0:
            return text[:length]
        ids = ids[:-excess]
    return ""


def count_message(message: BaseMessage, model: str = "") -> int:
    """Tokens of a message as it is sent: frame, role, name, content blocks, tool calls."""
    role = _ROLES.get(message.type, message.type)
    tokens = MESSAGE_TOKENS + count(role, model) + _count_content(message.content, model)
    if isinstance(message, ToolMessage):
        return tokens + CALL_TOKENS
    if message.name:
        tokens += 1 + count(message.name, model)
    if isinstance(message, AIMessage):
        tokens += count_calls(message, model)
    return tokens


def count_messages(messages: Iterable[BaseMessage], model: str = "") -> int:
    """Tokens of messages, additive: a prompt has `PRIMING_TOKENS` more, and its tools."""
    return sum(count_message(message, model) for message in messages)


def count_calls(message: AIMessage, model: str = "") -> int:
    """Tokens of the tool calls of a message, unreadable ones included."""
    tokens = 0
    for call in message.tool_calls:
        tokens += CALL_TOKENS + count(call["name"], model) + count(_json(call["args"]), model)
    for broken in message.invalid_tool_calls:
        name, args = broken.get("name") or "", broken.get("args") or ""
        tokens += CALL_TOKENS + count(name, model) + count(args, model)
    return tokens


def count_tools(tools: Sequence[Mapping[str, Any]], model: str = "") -> int:
    """Tokens of the tool catalogue, counted as compact JSON.

    Providers render schemas in a form of their own that is a little shorter, so a budget that
    holds here holds there. A catalogue is counted once: it must not be changed in place.
    """
    key = (id(tools), encoding_of(model))
    kept = _tool_sizes.get(key)
    if kept is None or kept[0] is not tools:
        size = sum(TOOL_TOKENS + count(_json(tool), model) for tool in tools)
        kept = _tool_sizes[key] = (tools, size)
        while len(_tool_sizes) > _KEPT_CATALOGUES:
            _tool_sizes.pop(next(iter(_tool_sizes)), None)
    return kept[1]


def _count_content(content: str | Sequence[str | Mapping[str, Any]], model: str) -> int:
    if isinstance(content, str):
        return count(content, model)
    return sum(
        count(block, model) if isinstance(block, str) else _count_block(block, model)
        for block in content
    )


def _count_block(block: Mapping[str, Any], model: str) -> int:
    kind = str(block.get("type", ""))
    if kind in {"text", "input_text", "output_text", "refusal"}:
        return count(str(block.get("text") or block.get("refusal") or ""), model)
    if kind in {"tool_use", "tool_call", "function_call", "invalid_tool_call"}:
        return 0  # the message's tool_calls hold the same call
    if kind in {"reasoning", "thinking", "redacted_thinking"}:
        return count(_reasoning_text(block), model)
    tokens = media_tokens(block)
    return count(_json(block), model) if tokens is None else tokens


def _reasoning_text(block: Mapping[str, Any]) -> str:
    parts = [str(block.get(key) or "") for key in ("reasoning", "thinking", "text")]
    summary = block.get("summary")
    if isinstance(summary, str):
        parts.append(summary)
    elif isinstance(summary, Sequence):
        parts.extend(str(item.get("text", "")) for item in summary if isinstance(item, Mapping))
    return "".join(parts)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)


_KEPT_CATALOGUES: Final = 16
_tool_sizes: Final[dict[tuple[int, EncodingName], tuple[Sequence[Mapping[str, Any]], int]]] = {}
_tables: Final[dict[EncodingName, Tokenizer]] = {}  # constant data, read once per process
_registered: Final[dict[str, EncodingName]] = {}
_loading: Final = threading.Lock()


def _table(name: EncodingName) -> Tokenizer:
    if name not in _tables:
        with _loading:
            if name not in _tables:
                _tables[name] = _read_table(name)
    return _tables[name]


def _read_table(name: EncodingName) -> Tokenizer:
    from tiktoken import Encoding  # noqa: PLC0415 - loaded with the first count, not at start

    spec = SPECS[name]
    return Encoding(
        name,
        pat_str=spec.pattern,
        mergeable_ranks=read_ranks(name),
        special_tokens=dict(spec.special_tokens),
    )


@lru_cache(maxsize=4096)
def _count_short(name: EncodingName, text: str) -> int:
    return len(_table(name).encode_ordinary(text))


def _count(name: EncodingName, text: str) -> int:
    """Count by tiktoken; long runs overflow the stack of its pattern, or take it half a second."""
    if linear := _linear(name, text):
        return linear.count(_encodable(text))
    return len(_table(name).encode_ordinary(text))


def _linear(name: EncodingName, text: str) -> LinearTokenizer | None:
    """The tokenizer that takes long runs; None for other texts, and for registered tokenizers."""
    if name not in SPECS or len(text) < _LONG_RUN or not _DEGENERATE.search(text):
        return None
    return linear_tokenizer(name)


def _opening_ids(name: EncodingName, text: str, budget_tokens: int) -> list[int]:
    """Tokens of an opening that holds more than the budget; the whole text is not encoded."""
    size = 8 * max(budget_tokens, 8)
    while True:
        opening = text[:size]
        linear = _linear(name, opening)
        ids = linear.encode(opening) if linear else _table(name).encode_ordinary(opening)
        if len(ids) > budget_tokens or size >= len(text):
            return ids
        size *= 4


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced, one for one, so that it has UTF-8."""
    return _SURROGATE.sub("\ufffd", text)
