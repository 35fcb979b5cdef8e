"""One request to one model: what is sent, within which time, and what came back untouched."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.exceptions import LangChainException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_core.messages.tool import ToolCallChunk
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from typing_extensions import override

from configs.sections import ModelProfile
from models.caching_marks import cache_arguments, marked, style_of
from models.calls import RawCall
from models.capabilities import Capability
from models.endpoints import is_compatible, place_of
from models.faults import Asked, translated
from models.replies import Question
from models.text_tools import written_prompt

NOSTREAM: Final = "nostream"
"""Tag that keeps a call out of LangGraph's message stream."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A model that can play a role."""

    role: str
    model: BaseChatModel
    profile: ModelProfile

    @property
    def remote(self) -> bool:
        """Whether it is behind a network, with all that this brings."""
        return self.profile.provider == "openai"

    @property
    def asked(self) -> Asked:
        """Who is asked, for the texts of errors."""
        return Asked(
            role=self.role,
            model=self.profile.model,
            where=place_of(self.profile),
            key_env=self.profile.api_key_env,
            timeout_s=self.profile.timeout_s,
        )


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked, the same for every model and every try."""

    messages: Sequence[BaseMessage]
    tools: Sequence[Mapping[str, Any]]
    config: RunnableConfig | None
    tool_choice: str | None
    background: bool
    cache_key: str = ""
    allowed: Sequence[str] = ()

    def question(self, seat: Seat) -> Question:
        """What the reader of the seat's reply has to know."""
        return Question(
            role=seat.role,
            prompt=self.messages,
            offered={str(tool.get("function", tool).get("name")) for tool in self.tools},
            local=is_compatible(seat.profile),
            max_output_tokens=seat.profile.max_output_tokens,
        )


async def ask(
    seat: Seat, order: Order, known: Capability, left_s: float
) -> tuple[AIMessage, list[RawCall] | None]:
    """Send the order once.

    Args:
        seat: who is asked.
        order: what is asked.
        known: what the endpoint takes.
        left_s: seconds that are left for all tries.

    Returns:
        The reply as the provider's class gave it, and the raw calls of a stream.

    Raises:
        ModelError: no reply came.
    """
    raw = _RawCalls()
    own: RunnableConfig = {
        "callbacks": [raw],
        "metadata": {"role": seat.role},
        "tags": [NOSTREAM] if order.background else [],
    }
    config = merge_configs(ensure_config(order.config), own)
    runnable, messages = _prepared(seat, order, known)
    try:
        async with asyncio.timeout(min(seat.profile.timeout_s, left_s)):
            message = await runnable.ainvoke(messages, config)
    except (LangChainException, OSError) as error:
        raise translated(error, seat.asked) from error
    return message, raw.read()


def _prepared(seat: Seat, order: Order, known: Capability) -> tuple[Any, list[BaseMessage]]:
    """The model, bare or bound to tools, and the prompt in the form the endpoint takes."""
    model: Any = seat.model
    arguments = known.as_arguments
    if not order.tools or type(model).bind_tools is BaseChatModel.bind_tools:
        return _bound(model, arguments), list(order.messages)
    if not known.tools:
        return _bound(model, arguments), written_prompt(order.messages, order.tools)
    style = style_of(seat.profile)
    arguments |= cache_arguments(style, order.cache_key, order.allowed)
    if order.tool_choice and seat.remote:
        arguments["tool_choice"] = order.tool_choice
    tools = [dict(tool) for tool in order.tools]
    return model.bind_tools(tools, **arguments), marked(order.messages, style)


def _bound(model: BaseChatModel, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a runnable
    return model.bind(**arguments) if arguments else model


class _RawCalls(AsyncCallbackHandler):
    """Keeps the tool calls of a stream as they were written."""

    def __init__(self) -> None:
        self.streamed = False
        self._chunks: list[ToolCallChunk] = []

    @override
    async def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing; without this method LangChain renders the whole prompt as text."""

    @override
    async def on_llm_new_token(self, token: Any, *, chunk: Any = None, **kwargs: Any) -> None:
        """Keep what a chunk says about tool calls."""
        message = getattr(chunk, "message", None)
        if isinstance(message, AIMessageChunk):
            self.streamed = True
            self._chunks.extend(message.tool_call_chunks)

    def read(self) -> list[RawCall] | None:
        """The calls of the stream; None when the reply came in one piece."""
        if not self.streamed:
            return None
        parts = [AIMessageChunk(content="", tool_call_chunks=[chunk]) for chunk in self._chunks]
        whole = add_ai_message_chunks(AIMessageChunk(content=""), *parts)
        return [
            RawCall(call["id"] or "", call["name"] or "", call["args"] or "")
            for call in whole.tool_call_chunks
        ]
