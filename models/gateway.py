"""The one place where chat models are called: time-out, retries, typed errors, checked replies."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
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
from models.calls import RawCall
from models.endpoints import is_compatible, place_of
from models.errors import ContextOverflow, ModelError, UnknownRole
from models.faults import Asked, translated
from models.prompts import check_history, count_blocks
from models.replies import InvalidCall, ModelReply, Question, Reading, Usage, read_reply, read_usage
from models.tokens import load

__all__ = ["Gateway", "InvalidCall", "ModelReply", "Retries", "Usage"]

NOSTREAM: Final = "nostream"
"""Tag that keeps a call out of LangGraph's message stream."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently a retryable fault is tried again."""

    tries: int = 3
    first_pause_s: float = 0.5
    longest_pause_s: float = 20.0
    deadline_s: float = 120.0

    def pause_s(self, attempt: int, jitter: float) -> float:
        """Back-off min(2^k t0 + U(0, t0), tmax) after attempt k = 0, 1, …; jitter in [0, 1)."""
        first = self.first_pause_s
        return min(2.0**attempt * first + jitter * first, self.longest_pause_s)


class Gateway:
    """Calls the model of a role."""

    def __init__(
        self,
        models: Mapping[str, BaseChatModel],
        profiles: Mapping[Any, ModelProfile],
        *,
        retries: Retries | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Bind models by role.

        Args:
            models: who plays which role.
            profiles: limits by role; a role without one has the defaults.
            retries: the policy for retryable faults.
            sleep: waits between tries.
            jitter: a number in [0, 1) that spreads the tries of parallel calls.
        """
        self._models = models
        self._profiles = profiles
        self._retries = retries or Retries()
        self._sleep = sleep
        self._jitter = jitter

    async def call(
        self,
        role: str,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        config: RunnableConfig | None = None,
        tool_choice: str | None = None,
        background: bool = False,
    ) -> ModelReply:
        """Ask the role's model and check its reply.

        Args:
            role: who is asked.
            messages: the prompt; every tool call in it has its result.
            tools: OpenAI schemas of the tools it may call, always in the same order.
            config: the node's config, so that LangGraph streams the tokens.
            tool_choice: a tool's name, `required`, `auto` or `none`, for providers that know it.
            background: keep the reply out of the user's stream.

        Raises:
            ModelError: the model could not be asked, or its reply cannot be used.
        """
        model, profile = self._player(role)
        check_history(messages)
        await load(profile.model)
        blocks = count_blocks(messages, tools, profile.model)
        _check_window(blocks, profile)
        choice = tool_choice if profile.provider == "openai" else None
        request = _Request(
            model=_with_tools(model, tools, choice),
            question=_question(role, messages, tools, profile),
            asked=_asked(role, profile),
            config=config,
            background=background,
        )
        started = asyncio.get_running_loop().time()
        reading, tries = await self._ask_until_usable(request, started + self._retries.deadline_s)
        return ModelReply(
            message=reading.message,
            usage=read_usage(reading.message, sum(blocks.values()), profile.model),
            finish_reason=reading.finish_reason,
            invalid_calls=reading.invalid_calls,
            tokens_by_block=blocks,
            tries=tries,
            seconds=asyncio.get_running_loop().time() - started,
        )

    async def _ask_until_usable(self, request: "_Request", ends: float) -> tuple[Reading, int]:
        attempt = 0
        while True:
            left_s = ends - asyncio.get_running_loop().time()
            try:
                message, streamed = await _ask(request, left_s)
                return read_reply(message, streamed, request.question), attempt + 1
            except ModelError as error:
                await self._before_retry(error, attempt, ends)
            attempt += 1

    def _player(self, role: str) -> tuple[BaseChatModel, ModelProfile]:
        if role not in self._models:
            raise UnknownRole(
                wanted=f"a model for the role {role!r}",
                came=f"models for {sorted(self._models)}",
                next_step=f"Set models.{role} in app.yaml.",
            )
        return self._models[role], self._profiles.get(role) or ModelProfile()

    async def _before_retry(self, error: ModelError, attempt: int, ends: float) -> None:
        """Wait as the provider asks, or by back-off; raise when another try makes no sense."""
        if not error.retryable or attempt + 1 >= self._retries.tries:
            raise error
        pause = error.retry_after_s
        if pause is None:
            pause = self._retries.pause_s(attempt, self._jitter())
        if asyncio.get_running_loop().time() + pause >= ends:
            raise error
        log.info("%s; trying again in %.1f s", error, pause)
        await self._sleep(pause)


@dataclass(frozen=True, slots=True)
class _Request:
    """One question to one model, the same for every try."""

    model: Any  # a chat model, bare or bound to tools
    question: Question
    asked: Asked
    config: RunnableConfig | None
    background: bool


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


async def _ask(request: _Request, left_s: float) -> tuple[AIMessage, list[RawCall] | None]:
    raw = _RawCalls()
    own: RunnableConfig = {
        "callbacks": [raw],
        "metadata": {"role": request.asked.role},
        "tags": [NOSTREAM] if request.background else [],
    }
    config = merge_configs(ensure_config(request.config), own)
    try:
        async with asyncio.timeout(min(request.asked.timeout_s, left_s)):
            message = await request.model.ainvoke(list(request.question.prompt), config)
    except (LangChainException, OSError) as error:
        raise translated(error, request.asked) from error
    return message, raw.read()


def _with_tools(
    model: BaseChatModel, tools: Sequence[Mapping[str, Any]], choice: str | None
) -> Any:  # noqa: ANN401 - a chat model, bare or bound to tools
    """The model with tools; one that cannot take any is asked without."""
    if not tools or type(model).bind_tools is BaseChatModel.bind_tools:
        return model
    chosen: dict[str, Any] = {"tool_choice": choice} if choice else {}
    return model.bind_tools([dict(tool) for tool in tools], **chosen)


def _question(
    role: str,
    messages: Sequence[BaseMessage],
    tools: Sequence[Mapping[str, Any]],
    profile: ModelProfile,
) -> Question:
    return Question(
        role=role,
        prompt=messages,
        offered={str(tool.get("function", tool).get("name")) for tool in tools},
        local=is_compatible(profile),
        max_output_tokens=profile.max_output_tokens,
    )


def _check_window(blocks: Mapping[str, int], profile: ModelProfile) -> None:
    total = sum(blocks.values()) + profile.max_output_tokens
    if profile.context_tokens is None or total <= profile.context_tokens:
        return
    kind, size = max(blocks.items(), key=lambda item: item[1])
    raise ContextOverflow(
        wanted=f"at most {profile.context_tokens} tokens for {profile.model!r}",
        came=f"{total}, {profile.max_output_tokens} of them kept for the reply",
        next_step=f"The biggest part is {kind!r} with {size}; shorten it, or raise context_tokens.",
    )


def _asked(role: str, profile: ModelProfile) -> Asked:
    return Asked(
        role=role,
        model=profile.model,
        where=place_of(profile),
        key_env=profile.api_key_env,
        timeout_s=profile.timeout_s,
    )
