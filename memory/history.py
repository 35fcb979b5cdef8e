"""The shared history: a closed turn as a lean TurnRecord, and a TurnRecord as bytes.

Prefix law: `render(history[:n])` is a byte prefix of `render(history[:n + 1])`, and the question of
the turn in progress is the opening of the record it becomes. So nothing here may look at a clock,
at the number of turns, or at the order of a set.

Turn 12 is written `#12` and its second call's result `#12.2`: a handle of four tokens where an
artifact's id has eighteen. `handle_of` and `read_handle` are the two directions.
"""

import re
from collections.abc import Sequence
from typing import Final

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

ARGUMENT_CHARS: Final = 400
ANSWER_CAPS: Final = 2
"""A final answer is kept up to so many output caps."""
_HANDLE: Final = re.compile(r"#?(\d+)(?:\.(\d+))?")


def opening(index: int, text: str) -> str:
    """A turn's first lines: the user's words, byte for byte."""
    return f"#{index} user: {text}\n"


def handle_of(index: int, number: int) -> str:
    """How prompts name the result of a turn's call; calls are numbered from 1 across modules."""
    return f"#{index}.{number}"


def read_handle(text: str) -> tuple[int, int | None] | None:
    """Turn and call number of a handle, no number for a whole turn; None when it is no handle."""
    found = _HANDLE.fullmatch(text.strip())
    return (int(found[1]), int(found[2]) if found[2] else None) if found else None


def calls_of(record: TurnRecord) -> list[CallRecord]:
    """A turn's calls in rendered order; the first one has number 1."""
    return [call for module in record["modules"] for call in module["calls"]]


def call_line(index: int, number: int, call: CallRecord) -> str:
    """One tool call: name, arguments, status, and the handle of its result."""
    arguments = canonical_json(call["args"])
    if len(arguments) > ARGUMENT_CHARS:
        arguments = f"{arguments[:ARGUMENT_CHARS]}… ({len(arguments)} characters)"
    parts = [f"{call['name']} {arguments} -> {call['status']}"]
    if call["artifact"]:
        parts.append(handle_of(index, number))
    if call["note"]:
        parts.append(f"({call['note']})")
    return " ".join(parts)


def render_turn(record: TurnRecord) -> str:
    """One closed turn as every module sees it."""
    index = record["index"]
    lines = [opening(index, record["user"])]
    number = 0
    for module in record["modules"]:
        for call in module["calls"]:
            number += 1
            lines.append(f"{call_line(index, number, call)}\n")
        lines.append(f"{module['expert']}: {module['output']}\n")
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
        answer: the final answer, kept up to `ANSWER_CAPS` output caps.
        output_cap_tokens: longest kept output of a module.
    """
    modules: list[ModuleRecord] = [
        {
            "expert": finding["expert"],
            "question": finding["question"],
            "calls": finding["calls"],
            "output": _capped(finding["text"], output_cap_tokens),
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
        "answer": _capped(answer, ANSWER_CAPS * output_cap_tokens),
        "status": turn_status(findings),
    }


def _capped(text: str, tokens: int) -> str:
    """The opening of a text; a cut is marked, so that nobody takes the part for the whole."""
    short = truncate(text, tokens)
    return text if short == text else f"{truncate(text, tokens - 1).rstrip()}…"


def turn_status(findings: Sequence[Finding]) -> TurnStatus:
    """Failed when every expert failed, partial when some did or one stopped early, else done."""
    statuses = {finding["status"] for finding in findings}
    if statuses == {"failed"}:
        return "failed"
    return "partial" if statuses & {"failed", "partial"} else "done"
