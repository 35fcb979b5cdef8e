"""A chat model that answers at once from a function; it records what it was asked."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForLLMRun,
    CallbackManagerForLLMRun,
)
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field
from typing_extensions import override

Answer = AIMessage | str | Exception
Script = Callable[[str, list[BaseMessage], list[Mapping[str, Any]]], Answer | Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question as the model got it."""

    role: str
    messages: list[BaseMessage]
    tools: list[Mapping[str, Any]]

    @property
    def text(self) -> str:
        """All message texts, one after the other."""
        return "\n".join(str(message.text) for message in self.messages)


class ScriptedModel(BaseChatModel):
    """Plays a role by a script; an exception it returns is raised.

    `prompts` may be shared between the models of several roles, so that it holds them in order.
    """

    role: str
    script: Any = Field(repr=False)
    prompts: list[Prompt] = Field(default_factory=list, repr=False)  # every call writes the repr

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @override
    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("async only")

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = await self._answer(messages, kwargs.get("tools") or [])
        return ChatResult(generations=[ChatGeneration(message=message)])

    @override
    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        message = await self._answer(messages, kwargs.get("tools") or [])
        for index, word in enumerate(str(message.content).split(" ")):
            part = f" {word}" if index else word
            yield ChatGenerationChunk(message=AIMessageChunk(content=part))
        whole = AIMessageChunk(
            content="",
            tool_calls=message.tool_calls,
            invalid_tool_calls=message.invalid_tool_calls,
            additional_kwargs=message.additional_kwargs,
            response_metadata=message.response_metadata,
            usage_metadata=message.usage_metadata,
        )
        yield ChatGenerationChunk(message=whole)

    async def _answer(self, messages: list[BaseMessage], tools: Sequence[Any]) -> AIMessage:
        self.prompts.append(Prompt(self.role, list(messages), list(tools)))
        answer = self.script(self.role, messages, list(tools))
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, AIMessage) else AIMessage(answer)


def scripted(script: Script, *roles: str) -> dict[str, ScriptedModel]:
    """Models for the roles (default: those of a turn) over one script and one list of prompts."""
    prompts: list[Prompt] = []
    names = roles or ("router", "expert", "synthesizer", "summarizer")
    return {name: _model(name, script, prompts) for name in names}


def _model(role: str, script: Script, prompts: list[Prompt]) -> ScriptedModel:
    model = ScriptedModel(role=role, script=script)
    model.prompts = prompts
    return model
