"""Runs a command's work with an open desk; every error becomes a sentence and an exit code."""

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from configs.environment import secrets_of_environment
from configs.errors import ConfigError
from configs.masking import Masking
from graph.cli_options import FAILED, OK, STOPPED, USER_ERROR, Door, UsageError
from graph.cli_screen import Screen
from graph.cli_stopped import LastWord
from graph.errors import DeskError, UserError
from memory.errors import MemoryFault
from models.errors import ModelError
from tools.errors import DecisionError, ThreadBusy

if TYPE_CHECKING:
    from graph.session import Desk

DeskWork: TypeAlias = "Callable[[Desk, Screen], Awaitable[int]]"

FAILURES = (DeskError, MemoryFault, ModelError)
USER_ERRORS = (ConfigError, UserError, DecisionError, ThreadBusy, UsageError)


@asynccontextmanager
async def open_app_desk(door: Door) -> "AsyncIterator[Desk]":
    """The desk of an app folder. The one place where commands open it."""
    from configs.settings import load_settings  # noqa: PLC0415  progress shows while it loads

    settings = load_settings(door.app)
    from graph.session import open_desk  # noqa: PLC0415  not worth loading for wrong settings

    async with open_desk(settings) as desk:
        _look_for_garbage()
        yield desk


def run_with_desk(door: Door, work: DeskWork, *, stopped: LastWord | None = None) -> int:
    """Open the desk, do the work, close the desk.

    Args:
        door: which app, for whom.
        work: does the command's work, returns its exit code.
        stopped: what to do next, said after Ctrl-C.
    """

    async def opened(screen: Screen) -> int:
        async with AsyncExitStack() as stack:
            with screen.progress("Opening the desk"):
                desk = await stack.enter_async_context(open_app_desk(door))
            code = await work(desk, screen)
            with screen.progress("Finishing background work"):
                await stack.aclose()
        return code

    return _run(door, opened, stopped=stopped)


def run(
    door: Door,
    work: Callable[[Screen], Coroutine[object, object, int]],
    *,
    stopped: LastWord | None = None,
) -> int:
    """Do async work that needs no desk, under the same rules for errors."""
    _look_for_garbage()
    return _run(door, work, stopped=stopped)


def _look_for_garbage() -> None:
    """From now on, and not among what has been imported; `cli.main` has it off until then."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def _run(
    door: Door,
    work: Callable[[Screen], Coroutine[object, object, int]],
    *,
    stopped: LastWord | None = None,
) -> int:
    screen = Screen(as_json=door.as_json)
    return guarded(door, screen, lambda: asyncio.run(work(screen)), stopped=stopped)


def guarded(
    door: Door, screen: Screen, work: Callable[[], int], *, stopped: LastWord | None = None
) -> int:
    """Call `work`; a failure becomes a sentence on stderr and an exit code.

    SIGTERM closes what is open, so that background work is drained.
    With `--debug` the traceback is printed too, and log records show.
    """
    logging.basicConfig(level=logging.DEBUG if door.debug else logging.CRITICAL)
    try:
        with _terminable():
            return work()
    except KeyboardInterrupt:
        screen.warn(f"Stopped. {stopped.said if stopped else ''}".strip())
        return STOPPED
    except BrokenPipeError:  # the reader of our output has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:  # noqa: BLE001  the outermost door: nobody above can handle it
        if door.debug:
            sys.stderr.write(_masking()(traceback.format_exc()))
        return report(screen, error, door)


@contextmanager
def _terminable() -> Iterator[None]:
    """Turn SIGTERM into an exit that closes what is open; other threads leave signals alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _exit(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def report(screen: Screen, error: Exception, door: Door) -> int:
    """Say what went wrong, without secrets, and give the exit code that belongs to it."""
    kind, said = type(error).__name__, _masking()(str(error))
    if isinstance(error, USER_ERRORS):
        screen.fail(said, kind=kind)
        return USER_ERROR
    if isinstance(error, FAILURES):
        screen.fail(said, kind=kind)
        return FAILED
    command = door.again("doctor")
    hint = f"`{command}` checks the set-up, `hippograph --debug …` shows where it came from."
    screen.fail(f"unexpected {kind}: {said}. {hint}", kind=kind)
    return FAILED


def _masking() -> Masking:
    return Masking.of(secrets_of_environment())
