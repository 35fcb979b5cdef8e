"""`hippograph audit`: every tool call of a user, how it ended, how long it took; no payload."""

from collections.abc import Sequence

from configs.settings import load_settings
from graph.cli_memory import scope_of
from graph.cli_options import OK, Door
from graph.cli_run import run
from graph.cli_screen import Screen, when
from graph.errors import UnknownThread
from graph.services import utc_now
from memory.database import Database
from memory.group_commit import GroupCommit
from memory.tool_log import AuditedCall, ToolLog
from memory.transcript import Transcript
from state import Scope, thread_key, thread_name

HEADINGS = ("at", "thread", "expert", "tool", "effect", "outcome", "ms", "result", "remarks")


def audit(door: Door, thread: str | None) -> int:
    """Show the calls of one thread, or of all the user's threads, oldest first."""

    async def work(screen: Screen) -> int:
        settings = load_settings(door.app)
        database = await Database.open(settings.database_url)
        try:
            log = ToolLog(database, GroupCommit(database), utc_now)
            key = None if thread is None else thread_key(door.tenant, thread)
            found = await log.calls(scope_of(settings, door), key)
            if thread is not None and not found:
                await check_own(database, scope_of(settings, door), thread)
        finally:
            await database.close()
        if found:
            screen.table(HEADINGS, [_cells(one) for one in found])
        else:
            screen.say("No tool has been called yet.")
        screen.document([one.as_json() for one in found])
        return OK

    return run(door, work)


async def check_own(database: Database, scope: Scope, thread: str) -> None:
    """Tell a thread of which nothing is known from one that is not there.

    Raises:
        UnknownThread: the user has no thread of that name.
    """
    row = await Transcript(database, utc_now).thread(thread_key(scope.tenant, thread))
    if row is None or row.owner != scope.user:
        raise UnknownThread(thread)


def _cells(one: AuditedCall) -> Sequence[str]:
    call = one.call
    outcome = f"{call.outcome} ({call.kind})" if call.kind else call.outcome
    return (
        when(one.at),
        thread_name(call.thread),
        call.expert,
        call.tool,
        call.effect,
        outcome,
        f"{call.duration_ms:.1f}",
        f"{call.result_bytes} bytes" if call.result_bytes else "",
        "; ".join(_remarks(one)),
    )


def _remarks(one: AuditedCall) -> list[str]:
    call = one.call
    said = {
        "from the cache": call.cached,
        f"{call.tries} tries": call.tries > 1,
        f"{call.masked} secrets masked": call.masked,
        f"looks like instructions ({call.suspicion:.2f})": call.suspicion >= 0.5,
        f"${call.cost_usd:.4f}": call.cost_usd,
    }
    return [text for text, holds in said.items() if holds]
