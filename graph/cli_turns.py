"""The commands that speak to one thread or list threads: ask, pending, decide, resume and so on."""

import sys
from typing import TYPE_CHECKING

from graph.cli_decisions import DecisionFlags, check_flags, from_flags, show_action
from graph.cli_options import OK, WAITING, Door
from graph.cli_reply import end_with_reply, show_call
from graph.cli_run import guarded, run_with_desk
from graph.cli_screen import Screen, when
from graph.cli_stopped import MessageWord, deciding, resuming, taking_back

if TYPE_CHECKING:
    from graph.session import Desk
    from state import TurnRecord
    from tools.registry import Registry

STDIN = "-"


def ask(door: Door, thread: str, text: str) -> int:
    """Ask one question; `-` reads it from standard input."""
    if text == STDIN:
        text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
    stopped = MessageWord(door, thread)

    async def work(desk: "Desk", screen: Screen) -> int:
        with screen.progress("Thinking"):
            async with stopped.sending(desk):
                reply = await desk.ask(thread=thread, user=door.user, text=text, tenant=door.tenant)
        return end_with_reply(reply, screen, door)

    return run_with_desk(door, work, stopped=stopped)


def pending(door: Door, thread: str | None) -> int:
    """List what waits for a person."""

    async def work(desk: "Desk", screen: Screen) -> int:
        actions = await desk.pending(thread, user=door.user, tenant=door.tenant)
        for action in actions:
            screen.say(f"Thread {action.thread}", "dim")
            show_action(action, screen)
            screen.say(f"  offered: {', '.join(action.allowed)}")
        if not actions:
            screen.say("Nothing waits for a decision.")
        screen.document(actions)
        return OK

    return run_with_desk(door, work)


def decide(door: Door, thread: str, flags: DecisionFlags) -> int:
    """Decide pending actions and let the turn go on."""

    async def work(desk: "Desk", screen: Screen) -> int:
        if flags.cancel:
            with screen.progress("Cancelling"):
                reply = await desk.cancel(thread, user=door.user, tenant=door.tenant)
            return end_with_reply(reply, screen, door)
        actions = await desk.pending(thread, user=door.user, tenant=door.tenant)
        decisions = from_flags(flags, actions)
        with screen.progress("Working"):
            reply = await desk.decide(thread, decisions, user=door.user, tenant=door.tenant)
        return end_with_reply(reply, screen, door)

    def checked() -> int:
        check_flags(flags, thread)
        return run_with_desk(door, work, stopped=deciding(door, thread))

    return guarded(door, Screen(as_json=door.as_json), checked)


def resume(door: Door, thread: str) -> int:
    """Finish a turn that was stopped."""

    async def work(desk: "Desk", screen: Screen) -> int:
        with screen.progress("Working"):
            reply = await desk.resume(thread, user=door.user, tenant=door.tenant)
        return end_with_reply(reply, screen, door)

    return run_with_desk(door, work, stopped=resuming(door, thread))


def rollback(door: Door, thread: str, turns: int) -> int:
    """Take back the last turns; what cannot be undone is listed."""

    async def work(desk: "Desk", screen: Screen) -> int:
        with screen.progress("Taking back"):
            report = await desk.rollback(thread, turns, user=door.user, tenant=door.tenant)
        for text in report.turns:
            screen.say(f"Taken back: {text}")
        for effect in report.cannot_undo:
            screen.say(f"Stays done, there is no way back: {effect}", "yellow")
        for action in report.compensations:
            show_action(action, screen)
        if report.compensations:
            command = door.again(f"decide {thread}")
            screen.say(f"Decide with `{command} --approve ID|all` whether it is undone.")
        screen.document(report)
        return WAITING if report.compensations else OK

    return run_with_desk(door, work, stopped=taking_back(door, thread))


def threads(door: Door) -> int:
    """List the user's threads, newest first."""

    async def work(desk: "Desk", screen: Screen) -> int:
        found = await desk.threads(door.user, door.tenant)
        rows = [
            (info.thread, info.owner, str(info.turns), info.status, when(info.updated_at))
            for info in found
        ]
        if rows:
            screen.table(("thread", "owner", "turns", "status", "last used"), rows)
        else:
            screen.say(f"No threads yet. `{door.again('chat')}` begins one.")
        screen.document(found)
        return OK

    return run_with_desk(door, work)


def show(door: Door, thread: str) -> int:
    """Print a thread's turns."""

    async def work(desk: "Desk", screen: Screen) -> int:
        records = await desk.show(thread, door.user, door.tenant)
        for record in records:
            _show_record(record, screen, desk.services.registry)
        if not records:
            screen.say(
                f"No turn is closed yet. `{door.again(f'resume {thread}')}` goes on with it."
            )
        screen.document(records)
        return OK

    return run_with_desk(door, work)


def _show_record(record: "TurnRecord", screen: Screen, registry: "Registry") -> None:
    screen.say(f"{record['index']}. {when(record['at'])}  {record['status']}", "dim")
    screen.say(f"{record['user']}", "bold")
    for module in record["modules"]:
        screen.say(f"· {module['expert']}: {module['question']}", "dim")
        for call in module["calls"]:
            show_call({**call, "title": registry.title_of(call["name"])}, screen)
    screen.say(record["answer"])
    screen.say()
