"""A chat model that answers at once from a script; no evaluation meets a provider by accident."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.base import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

Policy = Callable[[str, Sequence[BaseMessage]], AIMessage]
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


class ScriptedModel(BaseChatModel):
    """Asks its policy for each reply, with the role it plays and the prompt."""

    role: str
    policy: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[Any], **kwargs: object
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Convert the tools as every provider does; the script needs none of them."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        reply: AIMessage = self.policy(self.role, messages)
        reply.usage_metadata = USAGE.copy()  # type: ignore[assignment]  # a TypedDict of these keys
        reply.response_metadata = {"model_name": "scripted", "finish_reason": "stop"}
        return ChatResult(generations=[ChatGeneration(message=reply)])


def last_steps(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """What followed the last human message: the scratchpad of the module that is asked."""
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], HumanMessage):
            return list(messages[index + 1 :])
    return list(messages)


def results_so_far(messages: Sequence[BaseMessage]) -> int:
    """How many tool results the asked module has seen in this turn."""
    return sum(isinstance(message, ToolMessage) for message in last_steps(messages))


def calls_so_far(messages: Sequence[BaseMessage]) -> list[ToolCall]:
    """The calls whose results the asked module has seen in this turn, in order."""
    steps = last_steps(messages)
    answered = {step.tool_call_id for step in steps if isinstance(step, ToolMessage)}
    return [
        made
        for step in steps
        if isinstance(step, AIMessage)
        for made in step.tool_calls
        if made["id"] in answered
    ]


def call(name: str, arguments: dict[str, Any], call_id: str) -> AIMessage:
    """A reply that asks for one tool call."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": call_id}])
