"""`hippograph cost`: tokens and dollars of a user's model calls, by module, turn, thread, model."""

from collections.abc import Sequence

from configs.settings import load_settings
from graph.cli_audit import check_own
from graph.cli_memory import scope_of
from graph.cli_options import OK, Door
from graph.cli_run import run
from graph.cli_screen import Screen
from memory.cost_report import CostRow, cost_report
from memory.database import Database

HEADINGS = ("", "calls", "read", "of it cached", "written", "cost")


def cost(door: Door, thread: str | None) -> int:
    """Show what has been used; by turn when one thread is named."""

    async def work(screen: Screen) -> int:
        settings = load_settings(door.app)
        database = await Database.open(settings.database_url)
        try:
            report = await cost_report(database, scope_of(settings, door), thread)
            is_empty = not report["total"] or not report["total"][0].calls
            if thread is not None and is_empty:
                await check_own(database, scope_of(settings, door), thread)
        finally:
            await database.close()
        if is_empty:
            screen.say("No model has been called yet.")
        else:
            for by in ("module", "model", "turn" if thread else "thread", "total"):
                _show(screen, by, report[by])
        screen.document(report)
        return OK

    return run(door, work)


def _show(screen: Screen, by: str, rows: Sequence[CostRow]) -> None:
    screen.say(f"By {by}" if by != "total" else "Together", "bold")
    screen.table(HEADINGS, [_cells(row) for row in rows])


def _cells(row: CostRow) -> tuple[str, ...]:
    numbers = (row.calls, row.input_tokens, row.cached_tokens, row.output_tokens)
    return (row.name, *map(str, numbers), _dollars(row))


def _dollars(row: CostRow) -> str:
    if row.usd is None:
        return "unknown"
    unknown = f" and {row.unpriced} calls of unknown price" if row.unpriced else ""
    return f"${row.usd:.4f}{unknown}"
