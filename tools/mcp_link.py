"""One open connection to an MCP server, in plain values.

This file and `tools.mcp_transport` are the only importers of the MCP packages, which load when the
first server is connected: that costs about half a second.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from tools.errors import LinkLost, ToolError
from tools.mcp_offer import CallOutcome, Offer, RemotePrompt, RemoteResource, RemoteTool

if TYPE_CHECKING:
    from mcp import ClientSession, types

MOST_PAGES: Final = 100
IDEMPOTENCY_META: Final = "hippograph/idempotency-key"
_GONE_CODES: Final = (-32000, 32600, 408)
_GONE_ERRORS: Final = ("ClosedResourceError", "BrokenResourceError", "EndOfStream")


class Link:
    """A session that has been initialized; its errors are LinkLost or ToolError."""

    def __init__(self, session: "ClientSession", capabilities: "types.ServerCapabilities") -> None:
        """Wrap a session; `capabilities` says what may be asked for."""
        self._session = session
        self._can = capabilities

    async def offer(self) -> Offer:
        """Everything that the server offers, in sorted order."""
        async with _plain_errors():
            tools = await _all(self._session.list_tools, "tools") if self._can.tools else []
            prompts = await _all(self._session.list_prompts, "prompts") if self._can.prompts else []
            resources: list[RemoteResource] = []
            if self._can.resources:
                listed = await _all(self._session.list_resources, "resources")
                resources += [
                    RemoteResource(str(one.uri), one.name, one.description or "") for one in listed
                ]
                resources += await self._templates()
        by_name = {tool.name: _tool(tool) for tool in tools}
        return Offer(
            tools=tuple(by_name[name] for name in sorted(by_name)),
            resources=tuple(sorted(resources, key=lambda one: one.uri)),
            prompts=tuple(sorted(map(_prompt, prompts), key=lambda one: one.name)),
        )

    async def _templates(self) -> list[RemoteResource]:
        """Resources with places to fill in; a server need not know of any."""
        try:
            async with _plain_errors():
                listed = await _all(self._session.list_resource_templates, "resourceTemplates")
        except ToolError:
            return []
        return [
            RemoteResource(one.uriTemplate, one.name, one.description or "", template=True)
            for one in listed
        ]

    async def call(self, tool: str, arguments: Mapping[str, Any], key: str) -> CallOutcome:
        """Call a tool.

        Args:
            tool: the server's own name of it.
            arguments: checked.
            key: names this call in `_meta`, for servers that never do the same twice.
        """
        from mcp import types  # noqa: PLC0415 - loaded when a server is used

        meta = types.RequestParams.Meta.model_validate({IDEMPOTENCY_META: key})
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments), _meta=meta)
        request = types.ClientRequest(types.CallToolRequest(params=params))
        async with _plain_errors():
            result = await self._session.send_request(request, types.CallToolResult)
        return CallOutcome(_value(result), bool(result.isError))

    async def read(self, uri: str) -> str:
        """The text of a resource; of what is no text, its kind and size."""
        from pydantic import AnyUrl, ValidationError  # noqa: PLC0415 - beside its only use

        try:
            address = AnyUrl(uri)
        except ValidationError as error:
            message = f"wanted the URI of a resource, came {uri!r}"
            raise ToolError(message, kind="invalid_arguments") from error
        async with _plain_errors():
            result = await self._session.read_resource(address)
        return "\n".join(_content_text(one) for one in result.contents)

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """A prompt's messages as one text."""
        async with _plain_errors():
            result = await self._session.get_prompt(name, dict(arguments))
        return "\n\n".join(_block_text(message.content) for message in result.messages)

    async def ping(self, seconds: float) -> None:
        """Nothing, if the server answers in time.

        Raises:
            LinkLost: it does not.
        """
        from mcp import types  # noqa: PLC0415 - loaded when a server is used

        request = types.ClientRequest(types.PingRequest())
        async with _plain_errors():
            await self._session.send_request(
                request, types.EmptyResult, request_read_timeout_seconds=timedelta(seconds=seconds)
            )


@asynccontextmanager
async def _plain_errors() -> AsyncIterator[None]:
    """The session's errors as ours: the connection is gone, or the server has refused."""
    from mcp import McpError  # noqa: PLC0415 - loaded when a server is used

    try:
        yield
    except McpError as error:
        if error.error.code in _GONE_CODES:
            raise LinkLost(error.error.message) from error
        raise ToolError(error.error.message, kind="failed") from error
    except Exception as error:  # the transports' own errors, known by name: none is imported here
        if type(error).__name__ in _GONE_ERRORS:
            raise LinkLost(type(error).__name__) from error
        raise


async def _all(page: Callable[..., Awaitable[Any]], field: str) -> list[Any]:
    """Every item of a list that comes in pages; a server that never ends is cut off."""
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        answer = await page(cursor)
        found += getattr(answer, field)
        cursor = answer.nextCursor
        if not cursor:
            break
    return found


def _tool(tool: "types.Tool") -> RemoteTool:
    hints = tool.annotations
    return RemoteTool(
        name=tool.name,
        description=tool.description or "",
        schema=tool.inputSchema,
        read_only=hints.readOnlyHint if hints else None,
        destructive=hints.destructiveHint if hints else None,
        idempotent=hints.idempotentHint if hints else None,
    )


def _prompt(prompt: "types.Prompt") -> RemotePrompt:
    named = [f"{one.name}{'' if one.required else '?'}" for one in prompt.arguments or ()]
    return RemotePrompt(prompt.name, prompt.description or "", tuple(named))


def _value(result: "types.CallToolResult") -> Any:  # noqa: ANN401 - JSON
    """The result: structured where the texts only repeat it, else the texts."""
    texts = [_block_text(block) for block in result.content]
    structured = result.structuredContent
    if structured is not None and not result.isError and all(map(_is_json, texts)):
        return structured["result"] if set(structured) == {"result"} else structured
    return "\n".join(texts)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _block_text(block: Any) -> str:  # noqa: ANN401 - one of the protocol's content blocks
    if block.type == "text":
        return str(block.text)
    if block.type == "resource":
        return _content_text(block.resource)
    if block.type == "resource_link":
        return f"[resource {block.uri}]"
    return f"[{block.type} {block.mimeType}, {len(block.data) * 3 // 4} bytes, not shown]"


def _content_text(content: Any) -> str:  # noqa: ANN401 - text or binary contents of a resource
    text = getattr(content, "text", None)
    if text is not None:
        return str(text)
    return f"[{content.mimeType or 'binary'}, {len(content.blob) * 3 // 4} bytes, not shown]"
