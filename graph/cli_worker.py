"""`hippograph worker`: does background work beside, or instead of, the processes users talk to."""

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from graph.cli_options import OK, Door
from graph.cli_run import run_with_desk
from graph.cli_screen import Screen

if TYPE_CHECKING:
    from graph.session import Desk

IDLE_SECONDS = 2.0
SIGNALS = (signal.SIGTERM, signal.SIGINT)


def worker(door: Door, *, once: bool) -> int:
    """Handle background jobs until SIGTERM or Ctrl-C, or with `once` only those there are."""

    async def work(desk: "Desk", screen: Screen) -> int:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, stop.set)
        try:
            handled = await _sweep(desk, stop, screen, once=once)
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)
        screen.say(f"{handled} job(s) handled.")
        screen.document({"handled": handled})
        return OK

    return run_with_desk(door, work)


async def _sweep(desk: "Desk", stop: asyncio.Event, screen: Screen, *, once: bool) -> int:
    background = desk.services.background
    handled = await background.sweep()
    await background.keep_up()
    if once:
        return handled
    screen.say("Waiting for background work; SIGTERM or Ctrl-C ends it.")
    while not stop.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), IDLE_SECONDS)
            break
        handled += await background.sweep()
        await background.keep_up()
    return handled
