"""Messages labelled with what they say of their writer, and how well a reader finds it.

`evals/statements.jsonl` has one message a line, written for this project: `author` d and e
by the reader's author, some after pairs that are tuned on, the others by people who had never seen
a reader of them; `past` marks what holds no more. Messages of v to y and of ga to gg were written
as pairs like those of `evals/write_pairs.jsonl`; those of o are wishes and events of tuned pairs.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evals.writes_data import Pair, load_pairs
from models.statements.facts import Statement
from models.statements.tagging import Stretch

FILE: Final = Path(__file__).parent / "statements.jsonl"
_PARTIAL: Final = frozenset({"preference", "milestone"})
"""Of these slots a pair's values are not the words of its messages."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message with its statements' places, in order."""

    text: str
    lang: str
    author: str
    stretches: tuple[Stretch, ...]


def load_statements(file: Path = FILE) -> list[Labelled]:
    """All messages of the file."""
    with file.open(encoding="utf-8") as lines:
        return [_labelled(json.loads(line)) for line in lines if line.strip()]


def tuned_messages(labelled: Iterable[Labelled]) -> list[Labelled]:
    """Messages of tuned pairs that nobody labelled, where a value stands in them word by word.

    What a statement about somebody else states of the user is nothing.
    """
    known = {one.text for one in labelled}
    found = {}
    for pair in load_pairs():
        if pair.half != "tune" or _PARTIAL & {pair.slot, *pair.current}:
            continue
        for number, said in enumerate(pair.said):
            if said.text in known:
                continue
            facts = list(_facts_in(pair, number))
            if facts or pair.kind == "other_subject":
                found[said.text] = _labelled({"text": said.text, "facts": facts})
    return list(found.values())


def _facts_in(pair: Pair, number: int) -> Iterator[dict[str, Any]]:
    """What a message of a pair says; a value that is replaced there holds no more.

    In a recurrence the first value is replaced in the middle message, and the second in the last.
    """
    text, returns = pair.said[number].text, pair.kind == "recurrence"
    held = [(slot, one) for slot, values in pair.current.items() for one in values]
    for slot, value in held:
        if at := _found(value, text):
            yield {"slot": slot, "value": at[0], "past": returns and number == 1}
    for value in pair.retired:
        if at := _found(value, text):
            yield {"slot": pair.slot, "value": at[0], "past": number > (1 if returns else 0)}


def _found(value: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)


def _labelled(row: dict[str, Any]) -> Labelled:
    text, places = row["text"], list[Stretch]()
    for fact in sorted(row["facts"], key=lambda one: -len(one["value"])):
        value = fact["value"]
        stop = len(text)
        while (start := text.rfind(value, 0, stop)) >= 0:
            if not any(start < at.stop and at.start < start + len(value) for at in places):
                ended = bool(fact.get("past"))
                places.append(Stretch(fact["slot"], start, start + len(value), ended, 0.0))
                break
            stop = start + len(value) - 1
    ordered = tuple(sorted(places, key=lambda at: at.start))
    return Labelled(text, row.get("lang", "en"), row.get("author", ""), ordered)


def recall_and_precision(
    read: Iterable[tuple[Labelled, Sequence[Statement]]],
) -> tuple[float, float]:
    """Shares of the labelled facts that were found, and of the found ones that are labelled.

    A fact is found by its slot and a value that holds, or is held by, the labelled one.
    """
    wanted_of = came_of = found = right = 0
    for message, statements in read:
        wanted = [(at.slot, message.text[at.start : at.stop]) for at in message.stretches]
        came = [(one.slot, one.value) for one in statements]
        wanted_of += len(wanted)
        came_of += len(came)
        found += sum(any(_same(one, other) for other in came) for one in wanted)
        right += sum(any(_same(one, other) for other in wanted) for one in came)
    return found / max(1, wanted_of), right / max(1, came_of)


def _same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    first, second = one[1].casefold(), other[1].casefold()
    return one[0] == other[0] and (first in second or second in first)
