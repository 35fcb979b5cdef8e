"""`hippograph memory forget`: what would go, a question, and the receipt."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from graph.cli_options import FAILED, OK, Door, UsageError
from graph.cli_run import run_with_desk
from graph.cli_screen import Screen
from graph.forgetting import DeskForgetting, Request
from memory.receipts import Receipt

if TYPE_CHECKING:
    from graph.session import Desk


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line names."""

    ids: tuple[str, ...]
    thread: str | None
    everything: bool
    memory_only: bool


def forget(door: Door, wish: Wish, *, dry_run: bool, yes: bool) -> int:
    """Rehearse, ask, forget."""

    async def work(desk: "Desk", screen: Screen) -> int:
        forgetting = DeskForgetting(desk.graph, desk.services)
        request = await _request(forgetting, door, wish)
        with screen.progress("Looking"):
            rehearsed = await forgetting.rehearse(request)
        if not rehearsed.rows and not rehearsed.turns:
            message = f"there is nothing of that to forget; `{door.again('memory ls')}` lists yours"
            raise UsageError(message)
        if dry_run:
            _show(rehearsed, screen)
            return OK
        if not yes and not door.as_json:
            _show(rehearsed, screen)
        if not yes and not _confirmed():
            screen.warn("Nothing was forgotten.")
            return OK
        with screen.progress("Erasing"):
            receipt = await forgetting.run(request)
        _show(receipt, screen)
        return OK if receipt.complete else FAILED

    return run_with_desk(door, work)


def _confirmed() -> bool:
    try:
        return typer.confirm("Erase this for good?", err=True)
    except typer.Abort as error:
        message = "wanted yes or no, came the end of the input; --yes erases without asking"
        raise UsageError(message) from error


async def _request(forgetting: DeskForgetting, door: Door, wish: Wish) -> Request:
    if sum((bool(wish.ids), wish.thread is not None, wish.everything)) != 1:
        message = "wanted ids, or --thread NAME, or --everything; one of the three"
        raise UsageError(message)
    if wish.thread is not None:
        return await forgetting.thread(wish.thread, user=door.user, tenant=door.tenant)
    if wish.everything:
        return forgetting.user(door.user, door.tenant)
    return await forgetting.ids(
        wish.ids, user=door.user, tenant=door.tenant, memory_only=wish.memory_only
    )


def _show(receipt: Receipt, screen: Screen) -> None:
    screen.say("Would be erased:" if receipt.rehearsed else "Erased:", "bold")
    rows = [
        (store.store, str(store.rows), store.note if store.done else f"NOT DONE: {store.note}")
        for store in receipt.stores
    ]
    screen.table(("store", "entries", "note"), rows)
    for line in receipt.derived:
        screen.say(line)
    screen.document(receipt)
