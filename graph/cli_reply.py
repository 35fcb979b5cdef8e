"""How a turn looks in a terminal: its events while it runs, its reply at the end."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.status import Status

from graph.cli_decisions import show_action
from graph.cli_options import FAILED, OK, WAITING, Door
from graph.cli_screen import Screen, compact, shortened

if TYPE_CHECKING:
    from graph.replies import Event, Reply

REMEMBERED_CHARS = 140
CODES = {"done": OK, "waiting": WAITING, "failed": FAILED}


class EventPrinter:
    """Prints events as they come; streamed tokens become the answer."""

    def __init__(self, screen: Screen, status: Status) -> None:
        """Write to `screen`; `status` is the progress line, stopped when the answer begins."""
        self._screen = screen
        self._status = status
        self._streamed = ""
        self._ended = False

    def show(self, event: "Event") -> None:
        """Print one event."""
        handler = getattr(self, f"_{event.kind}", None)
        if handler is not None:
            handler(event.data)

    def end(self) -> None:
        """Finish a streamed answer's line."""
        if self._streamed and not self._ended:
            self._screen.say()
        self._ended = True

    def _plan(self, data: Mapping[str, Any]) -> None:
        if data["plan"].get("reason"):
            self._screen.say(f"· {data['plan']['reason']}", "dim")

    def _consult(self, data: Mapping[str, Any]) -> None:
        self._status.update(f"{data['name']} is working")
        self._screen.say(f"· asking {data['name']}: {data['question']}", "dim")

    def _tool(self, data: Mapping[str, Any]) -> None:
        self._status.update(data["name"])
        show_call(data, self._screen)

    def _note(self, data: Mapping[str, Any]) -> None:
        self._screen.say(f"· {data['text']}", "dim")

    def _token(self, data: Mapping[str, Any]) -> None:
        self._status.stop()
        self._streamed += data["text"]
        self._screen.write(data["text"])

    def _answer(self, data: Mapping[str, Any]) -> None:
        self._status.stop()
        self.end()
        show_memory(data["reply"], self._screen)
        answer = data["reply"].text
        if not answer or self._streamed.strip() == answer.strip():
            return
        if self._streamed:  # a try that was broken off, or thoughts that are not the answer
            self._screen.say("(begun anew)", "dim")
        self._screen.say(answer)


def show_call(call: Mapping[str, Any], screen: Screen) -> None:
    """Print one tool call: name, arguments, how it ended."""
    note = f" ({call['note']})" if call.get("note") else ""
    name = call.get("title") or call["name"]
    screen.say(f"  → {name} {compact(call['args'])} {call.get('status', '')}{note}", "cyan")


def show_reply(reply: "Reply", screen: Screen) -> None:
    """Print a whole reply: notes, answer, what waits for a person."""
    if reply.consulted:
        screen.say(f"· asked {', '.join(reply.consulted)}", "dim")
    show_memory(reply, screen)
    for note in reply.notes:
        screen.say(f"· {note}", "dim")
    if reply.text:
        screen.say(reply.text)


def show_memory(reply: "Reply", screen: Screen) -> None:
    """Print what was recalled for the question, a short line for each record."""
    for line in reply.memory.splitlines():
        if line.startswith("- "):
            screen.say(f"· remembered: {shortened(line[2:], REMEMBERED_CHARS)}", "dim")


def end_with_reply(reply: "Reply", screen: Screen, door: Door) -> int:
    """Print a reply as the result of a command; gives the exit code that its status has."""
    show_reply(reply, screen)
    for action in reply.pending:
        show_action(action, screen)
    if reply.pending:
        command = door.again(f"decide {reply.thread}")
        others = "--reject, --edit, --respond, --cancel"
        screen.say(f"Decide with `{command} --approve ID|all`, or {others}.")
    screen.document(reply)
    return CODES[reply.status]
