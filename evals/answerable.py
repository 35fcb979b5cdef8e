"""Whether the message that a probing question was made from can still answer it.

Judged without a model: of the content words and figures that the source message shares with the
question and its gold answer, at least `NEEDED` must stand in what is left of that message, in the
window or in what recall quotes. Other messages that happen to say the same do not count.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from evals.beam import Chat, Probe
from memory.compaction import Window
from memory.digest import content_terms
from memory.working import Shared, folded_text
from state import TurnRecord, empty_note

NEEDED: Final = 0.8

_LINE = re.compile(r"^#?(\d+) (.*)$", re.MULTILINE)


def evidence(chat: Chat, probe: Probe, source: int) -> frozenset[str]:
    """The words and figures of a source message that the answer needs; all if it shares none."""
    said = content_terms(chat.message(source))
    return said & content_terms(f"{probe.question} {probe.gold}") or said


def holds(texts: Iterable[str], wanted: frozenset[str]) -> bool:
    """Whether enough of the evidence stands in the texts together."""
    found = content_terms(" ".join(texts))
    return len(wanted & found) >= NEEDED * len(wanted)


def left_of_turns(window: Window) -> Mapping[int, list[str]]:
    """What the window still says of each turn, by its index."""
    left: dict[int, list[str]] = {}
    for record in window.history:
        left.setdefault(record["index"], []).append(turn_text(record))
    for number, text in _LINE.findall(folded_text(shared(window))):
        left.setdefault(int(number), []).append(text)
    return left


def rules_from(window: Window, message: str) -> list[str]:
    """Kept rules that this message has stated."""
    return [rule for rule in window.constraints if rule in message]


def turn_text(record: TurnRecord) -> str:
    """A turn as memory indexes it."""
    return f"{record['user']}\n{record['answer']}"


def shared(window: Window) -> Shared:
    """The window as prompts are assembled from it."""
    return {
        "summary": window.summary,
        "done_before": window.done_before,
        "done": list(window.done),
        "constraints": list(window.constraints),
        "history": list(window.history),
        "memory": empty_note("not looked up"),
        "turn": {"id": "", "index": 0, "at": "", "text": ""},
    }
