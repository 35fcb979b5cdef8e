"""The summary of folded turns: lines that name their turn, so the next fold can read them again.

    [up to #9, written by a model] prose     at most one, at the top
    #12 what the user said => the answer     paragraph
    #13 what the user said                   said
    #14 the best of it                       mention

Lines are extracts: the telling sentences of a message, without words that carry no content.
The prose comes from a background job and stands for all lines up to its turn.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memory.digest import bare, statements, telling, weigh
from memory.history import calls_of, render_turn
from memory.strategies import Level, Piece
from models.tokens import count, truncate
from state import TurnRecord

FULL_TOKENS: Final = 160
SAID_TOKENS: Final = 60
ANSWER_TOKENS: Final = 24
MENTION_TOKENS: Final = 24
ARROW: Final = " => "
PIN: Final = re.compile(
    r"\b(?:remember (?:that|this|my)|keep (?:this |that |it )?in mind|don'?t forget|for the record"
    r"|note that|important:)",
    re.IGNORECASE,
)

_LINE = re.compile(r"#(\d+) (.*)")
_WRITTEN = re.compile(r"\[up to #(\d+), written by a model\] (.*)")


@dataclass(frozen=True, slots=True)
class Written:
    """A model's prose over all turns up to one; empty without a model."""

    upto: int = -1
    text: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One folded turn's lines by level; the next fold can keep or shorten it."""

    turn: int
    lines: Mapping[Level, str]
    weight: float
    pinned: bool

    def piece(self, similarity: float = 0.0, verbatim: int | None = None) -> Piece:
        """The turn as strategies see it."""
        sizes: dict[Level, int] = {level: count(f"{line}\n") for level, line in self.lines.items()}
        if verbatim is not None:
            sizes["verbatim"] = verbatim
        return Piece(self.turn, sizes, self.weight, self.pinned, similarity)


def entry_of(record: TurnRecord) -> Entry:
    """What a turn of the history shrinks to.

    A turn with tool calls lives on in the done-list; of it only what the user told is kept here.
    """
    index, user, answer = record["index"], record["user"], record["answer"]
    if calls_of(record):
        user, answer = user if _is_pinned(index, user) else statements(user), ""
    return _entry(index, telling(bare(user), FULL_TOKENS), telling(bare(answer), ANSWER_TOKENS))


def read(summary: str) -> tuple[Written, list[Entry]]:
    """A summary's prose and lines; what is neither is taken as prose without a turn."""
    written, loose, entries = Written(), list[str](), list[Entry]()
    for text in filter(None, summary.splitlines()):
        if prose := _WRITTEN.fullmatch(text):
            written = Written(int(prose[1]), prose[2])
        elif line := _LINE.fullmatch(text):
            entries.append(_entry_of_line(int(line[1]), line[2]))
        else:
            loose.append(text)
    if loose:
        written = Written(written.upto, " ".join(filter(None, [written.text, *loose])))
    return written, entries


def write(written: Written, lines: Iterable[str]) -> str:
    """The summary's text."""
    head = f"[up to #{written.upto}, written by a model] " if written.upto >= 0 else ""
    return "\n".join([f"{head}{written.text}", *lines] if written.text else lines)


def verbatim_tokens(record: TurnRecord) -> int:
    """What a turn costs as it was."""
    return count(render_turn(record))


def shortened(written: Written, budget_tokens: int) -> Written:
    """The prose within a budget."""
    return Written(written.upto, truncate(written.text, budget_tokens))


def _entry(turn: int, full: str, answer: str) -> Entry:
    if not full:
        return Entry(turn, {}, 0.0, pinned=False)
    full = _plain(full)
    said = telling(full, SAID_TOKENS)
    lines: dict[Level, str] = {
        "said": f"#{turn} {said}",
        "mention": f"#{turn} {telling(said, MENTION_TOKENS)}",
    }
    if answer or full != said:
        lines["paragraph"] = f"#{turn} {full}{ARROW}{_plain(answer)}".rstrip()
    return Entry(turn, lines, weigh(said), _is_pinned(turn, full))


def _entry_of_line(turn: int, text: str) -> Entry:
    said, _, answer = text.partition(ARROW.rstrip())
    return _entry(turn, said.strip(), answer.strip())


def _is_pinned(turn: int, text: str) -> bool:
    return turn == 0 or bool(PIN.search(text))


def _plain(text: str) -> str:
    return " ".join(text.split()).replace(ARROW.strip(), "->")
