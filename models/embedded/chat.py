"""What the embedded chat models share: a reply worked out by code, behind LangChain's interface."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import ToolCall, tool_call_chunk
from langchain_core.messages.tool import tool_call as make_tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from typing_extensions import override


class EmbeddedChat(BaseChatModel):
    """A chat model that needs no provider; a subclass says what it replies."""

    def reply(
        self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]
    ) -> AIMessage:
        """The message that answers the prompt; blocks, so it runs in a thread.

        Args:
            messages: the prompt with its blocks.
            tools: OpenAI-style entries of the tools that may be called.
        """
        raise NotImplementedError

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with a tools array, as any provider takes it."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = self.reply(messages, kwargs.get("tools") or ())
        message.response_metadata = {"finish_reason": _finish(message), "model_name": "embedded"}
        return ChatResult(generations=[ChatGeneration(message=message)])

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self.reply(messages, kwargs.get("tools") or ())
        for chunk in _chunks(message):
            if run_manager and isinstance(chunk.message.content, str) and chunk.message.content:
                run_manager.on_llm_new_token(chunk.message.content, chunk=chunk)
            yield chunk


def _finish(message: AIMessage) -> str:
    return "tool_calls" if message.tool_calls else "stop"


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """The message word by word, then its calls and extras in one last chunk."""
    for word in str(message.text).splitlines(keepends=True):
        for piece in _pieces(word):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=at)
        for at, call in enumerate(message.tool_calls)
    ]
    last = AIMessageChunk(
        content="",
        additional_kwargs=message.additional_kwargs,
        tool_call_chunks=calls,
        response_metadata={"finish_reason": _finish(message), "model_name": "embedded"},
    )
    yield ChatGenerationChunk(message=last)


def _pieces(line: str) -> list[str]:
    words = line.split(" ")
    return [word + " " for word in words[:-1]] + ([words[-1]] if words[-1] else [])


def tool_call(name: str, args: Mapping[str, Any], at: int) -> ToolCall:
    """A call with an id that is the same whenever the same prompt asks for it."""
    content = json.dumps([name, args, at], sort_keys=True, default=str)
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:20]
    return make_tool_call(name=name, args=dict(args), id=f"call_{digest}")
