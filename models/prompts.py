"""Rules every provider puts on a prompt, and what each of its blocks costs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from models.errors import BadHistory
from models.tokens import PRIMING_TOKENS, count_message, count_tools

_NEXT_STEP = "This is a fault of the program, not of your request; please report it."


def check_history(messages: Sequence[BaseMessage]) -> None:
    """Refuse what providers answer with an error, or what kills a thread for good.

    Raises:
        BadHistory: a tool call without exactly one result right after it, a result without its
            call, an empty assistant message, or no message at all.
    """
    if not messages:
        raise _bad("a prompt", "no message")
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            _settle(waiting, message, place)
            continue
        if waiting:
            raise _bad("one result for each tool call", f"none for {waiting} before #{place}")
        if isinstance(message, AIMessage):
            waiting = _opened(message, place)
    if waiting:
        raise _bad("one result for each tool call", f"none for {waiting}")


def call_ids(messages: Iterable[BaseMessage]) -> set[str]:
    """Ids of all tool calls in a prompt."""
    return {
        call["id"] or ""
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }


def count_blocks(
    messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]], model: str
) -> dict[str, int]:
    """Exact tokens of a prompt by block kind; the sum is what the provider is asked to read."""
    sizes = {"frame": PRIMING_TOKENS}
    if tools:
        sizes["tools"] = count_tools(tools, model)
    for message in messages:
        kind = block_kind(message)
        sizes[kind] = sizes.get(kind, 0) + count_message(message, model)
    return sizes


def block_kind(message: BaseMessage) -> str:
    """The kind written into `additional_kwargs["block"]`; the scratchpad carries none."""
    block = message.additional_kwargs.get("block")
    return str(block.get("kind")) if isinstance(block, Mapping) else "scratchpad"


def _settle(waiting: list[str], message: ToolMessage, place: int) -> None:
    if message.tool_call_id not in waiting:
        raise _bad("a result of the call before it", f"{message.tool_call_id!r} at #{place}")
    waiting.remove(message.tool_call_id)


def _opened(message: AIMessage, place: int) -> list[str]:
    if message.invalid_tool_calls:
        raise _bad("readable tool calls", f"{message.invalid_tool_calls!r} at #{place}")
    if not message.content and not message.tool_calls:
        raise _bad("a text or a call in each assistant message", f"an empty one at #{place}")
    ids = [call["id"] or "" for call in message.tool_calls]
    if "" in ids or len(set(ids)) < len(ids):
        raise _bad("tool calls with ids of their own", f"{ids!r} at #{place}")
    return ids


def _bad(wanted: str, came: str) -> BadHistory:
    return BadHistory(wanted=wanted, came=came, next_step=_NEXT_STEP)
