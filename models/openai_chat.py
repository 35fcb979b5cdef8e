"""Chat completions over HTTP, for OpenAI and every server that speaks its protocol.

`langchain-openai` leaves some failures in the classes of other packages (a stream's error event, a
status without a class, a reply without choices), drops a refusal that comes in a stream, and fails
on a tool call whose arguments are JSON but no object. Here every failure is in LangChain's own
tree, the refusal is kept, and the call is an invalid one.
"""

import json
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import httpx2
import openai
from langchain_core.exceptions import ModelError, OutputParserException
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import InvalidToolCall
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from typing_extensions import override

from configs.sections import ModelProfile
from models.endpoints import PUBLIC_URL, is_public

_LIMIT: Final = "max_completion_tokens"


class ProviderFault(ModelError):
    """A failure that langchain-openai gives no class of its own."""

    def __init__(self, error: openai.APIError) -> None:
        """Keep what tells one failure from another."""
        super().__init__(error.message)
        self.message = error.message
        self.code = error.code
        self.type = error.type
        self.response = getattr(error, "response", None)
        self.status_code = getattr(error, "status_code", None) or _status_of_event(error)


class CompatibleChat(ChatOpenAI):
    """A chat model behind an OpenAI-compatible endpoint."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self.root_async_client.close()

    @override
    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with _classed():
            return await super()._agenerate(*args, **kwargs)

    @override
    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        empty = True
        with _classed():
            async for chunk in super()._astream(*args, **kwargs):
                empty = False
                yield chunk
        if empty:
            message = "a stream that holds nothing"
            raise OutputParserException(message)

    @override
    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Name the reply's limit as the server knows it, when a call says `limit_key`."""
        kwargs.pop("stream_usage", None)  # left over where nothing is streamed
        key = kwargs.pop("limit_key", _LIMIT)
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        if _LIMIT in payload:
            payload[key] = payload.pop(_LIMIT)
        return payload

    @override
    def _create_chat_result(
        self,
        response: dict[str, Any] | openai.BaseModel,
        generation_info: dict[str, Any] | None = None,
    ) -> ChatResult:
        if not isinstance(response, openai.BaseModel):
            return super()._create_chat_result(response, generation_info)
        data = response.model_dump(warnings=False)
        if not data.get("choices"):
            message = "a reply without choices"
            raise ValueError(message)
        odd = [
            call
            for choice in data.get("choices") or ()
            for call in _take_odd_calls(choice["message"])
        ]
        result = super()._create_chat_result(data, generation_info)
        if odd:
            reply = result.generations[0].message
            reply.invalid_tool_calls.extend(odd)  # type: ignore[attr-defined]  # an AIMessage
        return result

    @override
    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], *args: Any, **kwargs: Any
    ) -> ChatGenerationChunk | None:
        converted = super()._convert_chunk_to_generation_chunk(chunk, *args, **kwargs)
        choices = chunk.get("choices") or [{}]
        refusal = (choices[0].get("delta") or {}).get("refusal")
        if converted is not None and refusal:
            converted.message.additional_kwargs["refusal"] = refusal
        return converted


def open_chat(profile: ModelProfile, key: str) -> CompatibleChat:
    """A client with explicit limits; it never retries by itself and reads no environment.

    Args:
        profile: model, address and limits.
        key: the API key; a server on this machine takes any.
    """

    async def api_key() -> str:
        """Hand the key to the client; an attribute would be traced, and serve the sync client."""
        return key

    return CompatibleChat(
        model=profile.model,
        base_url=profile.base_url or PUBLIC_URL,
        api_key=api_key,
        temperature=profile.temperature,
        max_completion_tokens=profile.max_output_tokens,
        timeout=profile.timeout_s,
        stream_chunk_timeout=profile.timeout_s,
        max_retries=0,
        stream_usage=profile.stream_usage,
        extra_body=dict(profile.extra_body) or None,
        use_responses_api=None if is_public(profile) else False,
        openai_proxy=None,
        http_async_client=openai.DefaultAsyncHttpxClient(
            timeout=profile.timeout_s, verify=_authorities()
        ),
    )


@cache
def _authorities() -> ssl.SSLContext:
    """The authorities that this machine trusts, read once for all clients of the process."""
    return httpx2.create_ssl_context()


@contextmanager
def _classed() -> Iterator[None]:
    """Give what is outside LangChain's tree a place in it."""
    try:
        yield
    except ModelError:
        raise
    except openai.APIError as error:
        raise ProviderFault(error) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # what langchain-openai stumbles over in a reply that is no chat completion
        raise OutputParserException(f"{type(error).__name__}: {error}") from error


def _take_odd_calls(message: dict[str, Any]) -> list[InvalidToolCall]:
    """Remove the calls whose arguments are JSON but no object, and return them as invalid ones."""
    calls = message.get("tool_calls") or []
    odd = [call for call in calls if _is_odd(call["function"]["arguments"])]
    message["tool_calls"] = [call for call in calls if call not in odd]
    return [
        invalid_tool_call(
            name=call["function"]["name"],
            args=call["function"]["arguments"],
            id=call.get("id"),
            error="arguments that are no object",
        )
        for call in odd
    ]


def _is_odd(arguments: str) -> bool:
    try:
        return not isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


def _status_of_event(error: openai.APIError) -> int:
    """The status an error event inside a stream stands for; its own code where it is one."""
    marks = f"{error.code} {error.type}".lower()
    if "rate" in marks or "quota" in marks:
        return 429
    if "invalid_request" in marks or "context" in marks:
        return 400
    return int(marks.split()[0]) if marks.split()[0].isdigit() else 500
