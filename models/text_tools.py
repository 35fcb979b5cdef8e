"""Tools for a server without tool support: the catalogue and the calls are written as text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

_HOW: Final = (
    "# Tools\nTo call a tool, reply with nothing but one line for each call:\n"
    '<tool_call>{"name": "TOOL", "arguments": {…}}</tool_call>\n'
    "The results come in the next message. These are the tools:"
)


def written_prompt(
    messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]
) -> list[BaseMessage]:
    """The same prompt without anything that needs tool support, the catalogue after the charter."""
    written: list[BaseMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            written.append(_result(message))
        elif isinstance(message, AIMessage) and message.tool_calls:
            written.append(_calls(message))
        else:
            written.append(message)
    if written and isinstance(written[0], SystemMessage):
        written[0] = SystemMessage(f"{written[0].text}\n\n{catalogue(tools)}")
        return written
    return [SystemMessage(catalogue(tools)), *written]


def catalogue(tools: Iterable[Mapping[str, Any]]) -> str:
    """The tools as text, one JSON schema a line."""
    lines = [json.dumps(tool.get("function", tool), ensure_ascii=False) for tool in tools]
    return "\n".join([_HOW, *lines])


def _calls(message: AIMessage) -> AIMessage:
    calls = [
        json.dumps({"name": call["name"], "arguments": call["args"]}, ensure_ascii=False)
        for call in message.tool_calls
    ]
    lines = [f"<tool_call>{call}</tool_call>" for call in calls]
    return AIMessage("\n".join([str(message.text), *lines]).strip())


def _result(message: ToolMessage) -> HumanMessage:
    return HumanMessage(f"Result of {message.name or message.tool_call_id}:\n{message.text}")
