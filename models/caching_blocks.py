"""A prompt as the blocks a provider's cache sees: tools first, then messages, in tokens.

The tokens are those that `models.tokens` counts, so the sizes of a prompt's blocks add up to the
size that the gateway reports. Frames of messages and calls stand in it as negative numbers.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from models.caching_marks import MAX_MARKS, mark_places
from models.media import media_tokens
from models.prompts import block_kind
from models.tokens import (
    CALL_TOKENS,
    MESSAGE_TOKENS,
    PRIMING_TOKENS,
    TOOL_TOKENS,
    count,
    count_message,
    token_ids,
)

_FRAME, _CALL, _TOOL, _OTHER = -1, -2, -3, -4
_ROLES: Final[Mapping[str, str]] = {"human": "user", "ai": "assistant"}


@dataclass(frozen=True, slots=True)
class Block:
    """A tool, or a message; equal digests mean equal bytes.

    `ids` may be missing (a stored call keeps digests only): then a block is equal as a whole or
    not at all.
    """

    kind: str
    digest: str
    tokens: int
    ids: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PromptCall:
    """One call of a model: who asked, when, and what it sent."""

    module: str
    at_s: float
    blocks: tuple[Block, ...]
    marks: tuple[int, ...] = ()
    turn: int = 0

    @property
    def tokens(self) -> int:
        """Size of the prompt, the opening of the reply included."""
        return PRIMING_TOKENS + sum(block.tokens for block in self.blocks)


def blocks_of(
    messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]] = (), model: str = ""
) -> tuple[Block, ...]:
    """The blocks of a prompt in the order in which providers read it."""
    catalogue = [_tool_block(_json(tool), model) for tool in tools]
    return (*catalogue, *(_message_block(message, model) for message in messages))


def common_tokens(left: Block, right: Block) -> int:
    """How many tokens two blocks have in common at their beginning."""
    if left.digest == right.digest:
        return left.tokens
    same = 0
    for a, b in zip(left.ids, right.ids, strict=False):
        if a != b:
            break
        same += 1
    return same


def mark_points(blocks: Sequence[Block]) -> tuple[int, ...]:
    """Where the product marks a prompt for providers that keep nothing else."""
    return tuple(mark_places([block.kind for block in blocks], MAX_MARKS))


@lru_cache(maxsize=512)
def _tool_block(text: str, model: str) -> Block:
    return _block("tool", text, (_TOOL,) * TOOL_TOKENS + tuple(token_ids(text, model)))


def _message_block(message: BaseMessage, model: str) -> Block:
    kind = block_kind(message)
    parts = _parts(message)
    if parts is None:  # pictures, sound, files: counted by rule, equal or not as a whole
        raw = _json(message.content)
        ids: tuple[int, ...] = (_OTHER,) * count_message(message, model)
        return Block(kind, _digest(kind, raw), len(ids))
    return _text_block(kind, parts, model)


def _parts(message: BaseMessage) -> tuple[tuple[int, str], ...] | None:
    """Frame marks with the texts behind them; None when the content is not text alone."""
    texts = _texts(message.content)
    if texts is None:
        return None
    role = _ROLES.get(message.type, message.type)
    parts = [(_FRAME, role), *((0, text) for text in texts)]
    if isinstance(message, ToolMessage):
        return (*parts, (_CALL, ""))
    if message.name:
        parts.append((_OTHER, message.name))
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            parts += [(_CALL, call["name"]), (0, _json(call["args"]))]
    return tuple(parts)


_WIDTHS: Final[Mapping[int, int]] = {0: 0, _FRAME: MESSAGE_TOKENS, _CALL: CALL_TOKENS, _OTHER: 1}


@lru_cache(maxsize=4096)
def _text_block(kind: str, parts: tuple[tuple[int, str], ...], model: str) -> Block:
    ids: list[int] = []
    for mark, text in parts:
        ids += [mark] * _WIDTHS[mark]
        ids += token_ids(text, model)
    return _block(kind, _json(parts), tuple(ids))


def _block(kind: str, text: str, ids: tuple[int, ...]) -> Block:
    return Block(kind, _digest("", text), len(ids), ids)


def _digest(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _texts(content: str | Sequence[str | Mapping[str, Any]]) -> list[str] | None:
    """The texts of a content, each counted for itself; None when it holds more than text."""
    if isinstance(content, str):
        return [content]
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif part.get("type") == "text" and media_tokens(part) is None:
            texts.append(str(part.get("text", "")))
        elif part.get("type") not in {"tool_use", "tool_call"}:
            return None
    return texts


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)


def outline(
    messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]], model: str = ""
) -> tuple[Block, ...]:
    """A prompt without its tokens, small enough to be kept for every call.

    Messages that grow are kept in parts, a summary by lines and a turn by its first line, so that
    a common beginning is still found.
    """
    catalogue = [
        Block("tool", _digest("", text), TOOL_TOKENS + count(text, model))
        for text in map(_json, tools)
    ]
    parts = (part for message in messages for part in _outlined(message, model))
    return (*catalogue, *parts)


def _outlined(message: BaseMessage, model: str) -> list[Block]:
    kind, total = block_kind(message), count_message(message, model)
    raw = [message.type, message.content, getattr(message, "tool_calls", None)]
    if kind not in ("summary", "history", "question") or not isinstance(message.content, str):
        return [Block(kind, _digest(kind, _json(raw)), total)]
    text = message.content
    pieces = text.splitlines(keepends=True)
    if kind != "summary":
        pieces = [pieces[0], text[len(pieces[0]) :]] if pieces else []
    blocks: list[Block] = []
    for piece in filter(None, pieces):
        blocks.append(Block(kind, _digest("", piece), min(count(piece, model), total)))
        total -= blocks[-1].tokens
    return [*blocks, Block(kind, _digest(kind, "end"), total)]
