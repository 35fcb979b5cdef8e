"""The shared history: a closed turn as a lean TurnRecord, and a TurnRecord as bytes.

Prefix law: `render(history[:n])` is a byte prefix of `render(history[:n + 1])`, and the question of
the turn in progress is the opening of the record it becomes. So nothing here may look at a clock,
at the number of turns, or at the order of a set.
"""

from collections.abc import Sequence

from models.tokens import truncate
from state import (
    CallRecord,
    Finding,
    ModuleRecord,
    OpenTurn,
    TurnRecord,
    TurnStatus,
    canonical_json,
)

ARGUMENT_CHARS = 400


def opening(index: int, text: str) -> str:
    """A turn's first lines: the user's words, byte for byte."""
    return f"[turn {index}]\nuser: {text}\n"


def call_line(expert: str, call: CallRecord) -> str:
    """One tool call: name, arguments, status and where the result lies."""
    arguments = canonical_json(call["args"])
    if len(arguments) > ARGUMENT_CHARS:
        arguments = f"{arguments[:ARGUMENT_CHARS]}… ({len(arguments)} characters)"
    parts = [f"{expert} called {call['name']}({arguments}) -> {call['status']}"]
    if call["artifact"]:
        parts.append(call["artifact"])
    if call["note"]:
        parts.append(f"({call['note']})")
    return " ".join(parts)


def render_turn(record: TurnRecord) -> str:
    """One closed turn as every module sees it."""
    lines = [opening(record["index"], record["user"])]
    for module in record["modules"]:
        lines.extend(f"{call_line(module['expert'], call)}\n" for call in module["calls"])
        lines.append(f"{module['expert']} said: {module['output']}\n")
    lines.append(f"answer: {record['answer']}\n")
    return "".join(lines)


def render(history: Sequence[TurnRecord]) -> str:
    """The shared history of this epoch as one text."""
    return "".join(map(render_turn, history))


def make_record(
    turn: OpenTurn,
    route: Sequence[str],
    findings: Sequence[Finding],
    answer: str,
    output_cap_tokens: int,
) -> TurnRecord:
    """The record a turn leaves: names and arguments of calls, short outputs, no payloads.

    Args:
        turn: the open turn.
        route: names of the experts consulted.
        findings: what they found, sorted by expert.
        answer: the final answer, kept up to four output caps.
        output_cap_tokens: longest kept output of a module.
    """
    modules: list[ModuleRecord] = [
        {
            "expert": finding["expert"],
            "question": finding["question"],
            "calls": finding["calls"],
            "output": truncate(finding["text"], output_cap_tokens),
        }
        for finding in findings
    ]
    return {
        "id": turn["id"],
        "index": turn["index"],
        "at": turn["at"],
        "user": turn["text"],
        "route": sorted(route),
        "modules": modules,
        "answer": truncate(answer, 4 * output_cap_tokens),
        "status": turn_status(findings),
    }


def turn_status(findings: Sequence[Finding]) -> TurnStatus:
    """Failed when every expert failed, partial when some did or one stopped early, else done."""
    statuses = {finding["status"] for finding in findings}
    if statuses == {"failed"}:
        return "failed"
    return "partial" if statuses & {"failed", "partial"} else "done"
