"""What a model sent, made into a reply that can be used, or an error that says why not."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage

from models.calls import RawCall, ReadCall, native_calls, with_ids, written_calls
from models.errors import BadOutput, Refused
from models.prompts import call_ids
from models.tokens import count_message
from state import ToolCall, clean_text

_FINISH: Final[Mapping[str, str]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "refusal": "content_filter",
    "safety": "content_filter",
}
_REPLACED: Final = {"tool_calls", "function_call", "refusal"}
_THOUGHTS: Final = re.compile(
    r"^\s*(?:<(think|thinking|reasoning)>)?.*?</(?:think|thinking|reasoning)>\s*", re.DOTALL
)
_OPEN_THOUGHTS: Final = re.compile(r"^\s*<(?:think|thinking|reasoning)>.*$", re.DOTALL)
_FENCE: Final = re.compile(r"^\s*```[\w-]*\s*\n((?:(?!```).)*?)\n?\s*```\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `counted` when the provider gave none and they were counted here."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    counted: bool = False


@dataclass(frozen=True, slots=True)
class InvalidCall:
    """A tool call whose arguments cannot be read; it must be answered with `error`, never run."""

    id: str
    name: str
    args: str
    error: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A usable reply.

    `message` can go into a prompt as it is: each of its tool calls has an id of its own, and those
    that could not be read are in it with empty arguments. Run `calls`; answer `invalid_calls`.
    `notes` are for the user: another model has stepped in, a budget comes to its end.
    """

    message: AIMessage
    usage: Usage
    finish_reason: str = "stop"
    invalid_calls: tuple[InvalidCall, ...] = ()
    tokens_by_block: Mapping[str, int] = field(default_factory=dict)
    model: str = ""
    cost_usd: float | None = None
    tries: int = 1
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of the reply, without reasoning."""
        return str(self.message.text)

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls that may be run, in the model's order."""
        unreadable = {call.id for call in self.invalid_calls}
        return [
            {"id": call["id"] or "", "name": call["name"], "args": call["args"]}
            for call in self.message.tool_calls
            if call["id"] not in unreadable
        ]


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as it goes on, why the model stopped, and the calls that cannot be run."""

    message: AIMessage
    finish_reason: str
    invalid_calls: tuple[InvalidCall, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What the reader of a reply has to know about what was asked."""

    role: str
    prompt: Sequence[BaseMessage]
    offered: Collection[str] = ()
    local: bool = False
    max_output_tokens: int | None = None


def read_reply(
    message: AIMessage, streamed: Sequence[RawCall] | None, question: Question
) -> Reading:
    """The reply, if it can be used.

    Args:
        message: as the provider's class gave it.
        streamed: raw tool calls of a stream; None when the reply came in one piece.
        question: what was asked.

    Raises:
        Refused: the model or a content filter declined.
        BadOutput: the reply was cut, or holds nothing.
    """
    finish = finish_reason(message)
    _check_refusal(message, finish)
    _check_stream(message, streamed, finish)
    content, calls = _content_and_calls(message, streamed or (), question)
    _check_length(finish, content, calls, question)
    if not calls and not _has_text(content):
        raise BadOutput(
            wanted="a text or a tool call",
            came="an empty reply",
            next_step="Ask again, or use another model for this role.",
        )
    origin = (question.role, len(question.prompt))
    calls = with_ids(calls, call_ids(question.prompt), *origin)
    invalid = tuple(InvalidCall(c.id, c.name, c.text, c.error) for c in calls if c.args is None)
    return Reading(_rebuilt(message, content, calls), finish or "stop", invalid)


def finish_reason(message: AIMessage) -> str:
    """Why the model stopped, in OpenAI's words; empty when the provider did not say."""
    given = message.response_metadata
    details = given.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    for key in ("finish_reason", "stop_reason", "done_reason", "status"):
        reason = reason or given.get(key)
    text = str(reason or "").lower()
    half = text[: len(text) // 2]  # a server that says it in two chunks
    text = half if half and half * 2 == text else text
    return _FINISH.get(text, text)


def read_usage(message: AIMessage, asked_tokens: int, model: str) -> Usage:
    """The provider's figures, or exact counts when it gave none."""
    given = message.usage_metadata
    if not given or not given["input_tokens"]:
        return Usage(asked_tokens, count_message(message, model), counted=True)
    read: Mapping[str, Any] = given.get("input_token_details") or {}
    written: Mapping[str, Any] = given.get("output_token_details") or {}
    return Usage(
        input_tokens=given["input_tokens"],
        output_tokens=given["output_tokens"],
        cache_read_tokens=_sum(read, "cache_read"),
        cache_write_tokens=_sum(
            read, "cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"
        ),
        reasoning_tokens=_sum(written, "reasoning"),
    )


def without_thoughts(text: str) -> str:
    """The text after a local model's thoughts; a server may have eaten the opening tag."""
    return _OPEN_THOUGHTS.sub("", _THOUGHTS.sub("", text, count=1))


def without_fence(text: str) -> str:
    """The inside of a text that is one code fence as a whole."""
    found = _FENCE.match(text)
    return found.group(1) if found else text


def _sum(details: Mapping[str, Any], *keys: str) -> int:
    """Also under the prefix that a service tier puts before the keys."""
    return sum(
        value for name, value in details.items() if isinstance(value, int) and name.endswith(keys)
    )


def _check_refusal(message: AIMessage, finish: str) -> None:
    refusal = message.additional_kwargs.get("refusal")
    if refusal or finish == "content_filter":
        raise Refused(
            wanted="an answer",
            came=f"a refusal: {str(refusal or message.text or 'content filter')[:300]!r}",
            next_step="Ask in other words.",
        )


def _check_stream(message: AIMessage, streamed: Sequence[RawCall] | None, finish: str) -> None:
    by_openai = message.response_metadata.get("model_provider") == "openai"
    if streamed is not None and by_openai and not finish:
        raise BadOutput(
            wanted="a finish reason at the end of the stream",
            came="a stream that stopped without one, so the text may be cut",
            next_step="Ask again.",
        )


def _check_length(
    finish: str, content: object, calls: Sequence[ReadCall], question: Question
) -> None:
    if finish != "length" or (not calls and _has_text(content)):
        return
    raise BadOutput(
        wanted=f"a complete reply within {question.max_output_tokens} tokens",
        came=f"one cut {'in its tool calls' if calls else 'before its text'}",
        next_step=f"Set a larger max_output_tokens for the role {question.role!r}.",
        retryable=False,
    )


def _content_and_calls(
    message: AIMessage, streamed: Sequence[RawCall], question: Question
) -> tuple[str | list[str | dict[str, Any]], list[ReadCall]]:
    calls = native_calls(message, streamed)
    content = message.content
    if not isinstance(content, str):
        return content, calls
    content = clean_text(content)
    if question.local:
        content = without_fence(without_thoughts(content))
        if not calls:
            return written_calls(content, question.offered)
    return content, calls


def _has_text(content: object) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, Sequence) and any(
        item.strip() if isinstance(item, str) else str(item.get("text") or "").strip()
        for item in content
    )


def _rebuilt(
    message: AIMessage, content: str | list[str | dict[str, Any]], calls: Sequence[ReadCall]
) -> AIMessage:
    kept = {k: v for k, v in message.additional_kwargs.items() if k not in _REPLACED}
    return AIMessage(
        content=content,
        id=message.id,
        name=message.name,
        tool_calls=[{"id": c.id, "name": c.name, "args": dict(c.args or {})} for c in calls],
        additional_kwargs=kept,
        response_metadata=message.response_metadata,
        usage_metadata=message.usage_metadata,
    )
