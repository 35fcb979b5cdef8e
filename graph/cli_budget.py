"""`show --budget`: what each prompt of a thread was made of, in exact tokens, by component."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.cli_options import OK, Door
from graph.cli_run import run_with_desk
from graph.cli_screen import Screen
from memory.budget import component_of
from memory.call_log import LoggedCall
from state import thread_key

if TYPE_CHECKING:
    from graph.session import Desk

HEAD = ("turn", "module", "system", "memory", "tools", "history", "reply", "blocks")


@dataclass(frozen=True, slots=True)
class PromptBudget:
    """One call: tokens of S, M, T and H as sent, of the reply as received, and of each block."""

    turn: int
    module: str
    model: str
    system: int
    memory: int
    tools: int
    history: int
    reply: int
    blocks: dict[str, int]

    @property
    def cells(self) -> tuple[str, ...]:
        """One line of the table."""
        sizes = (self.system, self.memory, self.tools, self.history, self.reply)
        blocks = ", ".join(f"{kind} {size}" for kind, size in self.blocks.items())
        return (str(self.turn), self.module, *map(str, sizes), blocks)


def show(door: Door, thread: str) -> int:
    """Print a line for each model call of the thread."""

    async def work(desk: "Desk", screen: Screen) -> int:
        await desk.show(thread, door.user, door.tenant)  # refuses a thread of somebody else
        calls = await desk.services.calls.calls(thread_key(door.tenant, thread))
        found = [budget_of(call) for call in calls]
        if found:
            screen.table(HEAD, [one.cells for one in found])
        else:
            screen.say(f"No model has been called in the thread {thread!r} yet.")
        screen.document(found)
        return OK

    return run_with_desk(door, work)


def budget_of(call: LoggedCall) -> PromptBudget:
    """A kept call by component and by block kind."""
    blocks: dict[str, int] = {}
    sizes = {"system": 0, "memory": 0, "tools": 0, "history": 0}
    for block in call.blocks:
        blocks[block.kind] = blocks.get(block.kind, 0) + block.tokens
        sizes[component_of(block.kind)] += block.tokens
    return PromptBudget(
        call.turn, call.module, call.model, **sizes, reply=call.output_tokens, blocks=blocks
    )
