"""A real HTTP server that speaks enough of OpenAI's chat completions, well or badly on command."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

DEFAULT_USAGE: Final[Mapping[str, Any]] = {
    "prompt_tokens": 120,
    "completion_tokens": 7,
    "total_tokens": 127,
    "prompt_tokens_details": {"cached_tokens": 64},
}
_LARGEST_BODY: Final = 50_000_000


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in a reply; `args` is a value, or raw text that may be no JSON at all."""

    name: str
    args: Mapping[str, Any] | str
    id: str | None = "call_1"

    @property
    def raw(self) -> str:
        """Arguments as they go over the wire."""
        return self.args if isinstance(self.args, str) else json.dumps(self.args)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers to one request.

    `cut_after` stops a stream after that many events, by a broken connection when `chunked`, else
    by an end that looks clean. `events` replaces the events of a stream, `body` the whole body.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = ""
    refusal: str | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: dict(DEFAULT_USAGE))
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    body: str | None = None
    hang_s: float = 0.0
    cut_after: int | None = None
    chunked: bool = True
    events: tuple[Mapping[str, Any], ...] | None = None
    drop: bool = False

    @property
    def finish_reason(self) -> str | None:
        """Given, or what a well-behaved server would say."""
        if self.finish != "":
            return self.finish
        return "tool_calls" if self.calls else "stop"


Script = Callable[[Mapping[str, Any]], Reply]


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class OpenAIServer:
    """Answers by a script and keeps every request."""

    def __init__(self, script: Script) -> None:
        """Answer each request by the script; see `openai_server`."""
        self.script = script
        self.requests: list[Request] = []
        self.called = asyncio.Event()
        self.base_url = ""
        self._handlers: set[asyncio.Task[None]] = set()

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        """The bodies of all requests."""
        return [request.body for request in self.requests]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection: one request, one answer."""
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            try:
                request = await _read_request(reader)
                self.requests.append(request)
                self.called.set()
                await _answer(writer, request, self._reply_to(request))
            finally:
                writer.close()
                await writer.wait_closed()
                self._handlers.discard(task)

    async def stop(self) -> None:
        """End what hangs."""
        waiting = list(self._handlers)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    def _reply_to(self, request: Request) -> Reply:
        if request.path.endswith("/chat/completions"):
            return self.script(request.body)
        return Reply(status=404, error={"message": f"no such path {request.path}"})


@asynccontextmanager
async def openai_server(script: Script | Reply | list[Reply]) -> AsyncIterator[OpenAIServer]:
    """A server on a free local port.

    Args:
        script: a function of the request's body, one reply for all requests, or one for each.
    """
    server = OpenAIServer(_as_script(script))
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0, limit=_LARGEST_BODY)
    port = listener.sockets[0].getsockname()[1]
    server.base_url = f"http://127.0.0.1:{port}/v1"
    try:
        yield server
    finally:
        listener.close()
        await server.stop()
        await listener.wait_closed()


def _as_script(script: Script | Reply | list[Reply]) -> Script:
    if isinstance(script, Reply):
        only = script
        return lambda _: only
    if isinstance(script, list):
        replies = iter(script)
        return lambda _: next(replies)
    return script


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path = head[0].split(" ")[1]
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    length = int(headers.get("content-length", "0"))
    body = await reader.readexactly(length)
    return Request(path, headers, json.loads(body) if body else {})


async def _answer(writer: asyncio.StreamWriter, request: Request, reply: Reply) -> None:
    if reply.hang_s:
        await asyncio.sleep(reply.hang_s)
    if reply.drop:
        return
    if reply.status >= 400 or reply.body is not None or not request.body.get("stream"):
        await _send_whole(writer, request, reply)
    else:
        await _send_stream(writer, request, reply)


async def _send_whole(writer: asyncio.StreamWriter, request: Request, reply: Reply) -> None:
    if reply.body is not None:
        body = reply.body
    elif reply.status >= 400:
        body = json.dumps({"error": reply.error or {"message": f"status {reply.status}"}})
    else:
        body = json.dumps(_completion(request.body, reply))
    data = body.encode()
    headers = {"content-type": "application/json", **reply.headers, "content-length": len(data)}
    writer.write(_head(reply.status, headers) + data)
    await writer.drain()


async def _send_stream(writer: asyncio.StreamWriter, request: Request, reply: Reply) -> None:
    framing = {"transfer-encoding": "chunked"} if reply.chunked else {}
    headers = {"content-type": "text/event-stream", **reply.headers, **framing}
    writer.write(_head(200, headers))
    events = [json.dumps(event) for event in _events(request.body, reply)]
    if reply.cut_after is None:
        events.append("[DONE]")
    for event in events[: reply.cut_after]:
        data = f"data: {event}\n\n".encode()
        writer.write(b"%x\r\n%s\r\n" % (len(data), data) if reply.chunked else data)
        await writer.drain()
    if reply.chunked and reply.cut_after is None:
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def _head(status: int, headers: Mapping[str, Any]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", "connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _completion(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.refusal:
        message["refusal"] = reply.refusal
    if reply.calls:
        message["tool_calls"] = [_wire_call(call) for call in reply.calls]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    whole = {**_envelope(body, "chat.completion"), "choices": [choice]}
    return {**whole, "usage": reply.usage} if reply.usage else whole


def _events(body: Mapping[str, Any], reply: Reply) -> Iterator[Mapping[str, Any]]:
    if reply.events is not None:
        yield from reply.events
        return
    envelope = _envelope(body, "chat.completion.chunk")
    for delta in _deltas(reply):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        yield {**envelope, "choices": [choice]}
    if reply.finish_reason is not None:
        choice = {"index": 0, "delta": {}, "finish_reason": reply.finish_reason}
        yield {**envelope, "choices": [choice]}
    if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
        yield {**envelope, "choices": [], "usage": reply.usage}


def _deltas(reply: Reply) -> Iterator[Mapping[str, Any]]:
    yield {"role": "assistant", "content": ""}
    if reply.text:
        for index, word in enumerate(reply.text.split(" ")):
            yield {"content": f" {word}" if index else word}
    if reply.refusal:
        yield {"refusal": reply.refusal}
    for index, call in enumerate(reply.calls):
        opening = {**_wire_call(call), "function": {"name": call.name, "arguments": ""}}
        yield {"tool_calls": [{"index": index, **opening}]}
        for start in range(0, len(call.raw), 5):
            part = {"arguments": call.raw[start : start + 5]}
            yield {"tool_calls": [{"index": index, "function": part}]}


def _wire_call(call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.raw}
    wire: dict[str, Any] = {"type": "function", "function": function}
    return wire if call.id is None else {"id": call.id, **wire}


def _envelope(body: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": body.get("model", "fake")}
