"""Runs one function once, within a time limit: async ones as a task, sync ones in their own thread.

Each sync call has its own daemon thread, not one of a pool: a call that hangs is abandoned without
using up workers and without keeping the process from ending.
"""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tools.errors import ToolsFault


class CallTimeout(ToolsFault):
    """The call did not come back in time and was abandoned; it may still be running."""

    def __init__(self, timeout_s: float) -> None:
        """Name the limit."""
        super().__init__(
            f"no answer within {timeout_s:g} s; the call was abandoned and may still be running"
        )


class CallCrashed(ToolsFault):
    """The function raised what no program should go on from, such as SystemExit."""


def begin(
    function: Callable[..., Any],
    arguments: dict[str, Any],
    on_end: Callable[[], None] | None = None,
) -> asyncio.Future[Any]:
    """Start the call and return its future.

    Args:
        function: sync or async.
        arguments: by name.
        on_end: called in the loop when the function has truly ended, also after a time-out.
    """
    if _is_async(function):
        task = asyncio.create_task(_awaited(function, arguments), name="tool call")
        if on_end is not None:
            task.add_done_callback(lambda _: on_end())
        return task
    return _in_thread(function, arguments, on_end)


async def within(future: asyncio.Future[Any], timeout_s: float) -> Any:  # noqa: ANN401 - a result
    """The future's result; whatever ends the waiting also ends an async call.

    Raises:
        CallTimeout: it did not come in time.
        CallCrashed: it was cancelled from inside.
    """
    try:
        done, _ = await asyncio.wait({future}, timeout=timeout_s)
    except asyncio.CancelledError:
        _abandon(future)
        raise
    if not done:
        _abandon(future)
        raise CallTimeout(timeout_s)
    if future.cancelled():
        message = "the call was cancelled from inside"
        raise CallCrashed(message)
    return future.result()


def _abandon(future: asyncio.Future[Any]) -> None:
    future.add_done_callback(lambda late: late.cancelled() or late.exception())
    future.cancel()


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - its kind is asked for, not if it is there
    )


async def _awaited(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - a result
    try:
        return await function(**arguments)
    except SystemExit as error:
        message = f"the tool tried to end the process ({error!r})"
        raise CallCrashed(message) from error


def _in_thread(
    function: Callable[..., Any], arguments: dict[str, Any], on_end: Callable[[], None] | None
) -> asyncio.Future[Any]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(value: Any, error: Exception | None) -> None:  # noqa: ANN401 - a result
        if on_end is not None:
            on_end()
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def work() -> None:
        value, error = None, None
        try:
            value = context.run(function, **arguments)
        except BaseException as raised:  # noqa: BLE001 - handed to the caller through the future
            error = _carried(raised)
        with suppress(RuntimeError):  # the loop has ended and nobody waits any more
            loop.call_soon_threadsafe(deliver, value, error)

    threading.Thread(target=work, name="tool call", daemon=True).start()
    return future


def _carried(raised: BaseException) -> Exception:
    """The exception in a form that a future can carry without ending the loop."""
    plain = isinstance(raised, Exception) and not isinstance(raised, StopIteration)
    if plain and not isinstance(raised, asyncio.CancelledError):
        return raised  # type: ignore[return-value]  # `plain` says so
    crashed = CallCrashed(f"the tool raised {type(raised).__name__}")
    crashed.__cause__ = raised
    return crashed
