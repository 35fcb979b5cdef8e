"""The done-list: one line for every folded turn, request -> action -> result, copied by code.

It is a pyramid of two levels, and each only grows at its end, so that a provider's prompt cache
keeps what stands before. The newest lines are written out (`done_line`); whenever there are enough
of them, the oldest `BATCH` become one paragraph in which the turns of the same action stand
together (`batch_text`), at about nine tokens a turn. Nothing here is written by a model.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from memory.history import calls_of, handle_of
from models.tokens import count, truncate
from state import CallRecord, DoneItem, TurnRecord, canonical_json

KEPT_LINES: Final = 0
BATCH: Final = 12
REQUEST_WORDS, SHORT_WORDS = 6, 4
SAID_TOKENS: Final = 8
ACTION_TOKENS: Final = 40
WORD_TOKENS: Final = 3
NO_CALL: Final = "answered"
MOST_TOKENS: Final = 2_400

_ARGUMENTS: Final = re.compile(r" \{[^}]*\}*")
_TALLY: Final = re.compile(r"Up to #(\d+) \([^)]*\): (.*)")
_TALLIED: Final = re.compile(r"(\d+) x (.+?)(?:; |$)")
_PLAIN: Final = re.compile(r"#\d+\.\d+(?:-\d+)?")
_WORD: Final = re.compile(r"[\w#@$€£%.,:/+-]*\w", re.UNICODE)
# Words that carry no request; an English list, other languages keep their first words.
_FILLER_WORDS: Final = (
    "a an and are as at be by can could do for from have hello hi i in is it me my of on or our"
    " please so some that the their then there this to was we what will with would you your"
)
_FILLERS: Final = frozenset(_FILLER_WORDS.split())


def done_item(record: TurnRecord) -> DoneItem:
    """A turn's line: what was asked, what was done, where the results lie, what was said."""
    calls = calls_of(record)
    actions = dict.fromkeys(_action(call) for call in calls)
    return {
        "turn": record["index"],
        "request": gist(record["user"], REQUEST_WORDS),
        "action": ", ".join(actions) or NO_CALL,
        "result": _results(record["index"], calls),
        "said": truncate(" ".join(record["answer"].split()), SAID_TOKENS),
    }


def done_line(item: DoneItem) -> str:
    """Request, action and result of a turn in one line."""
    result = f" -> {item['result']}" if item["result"] else ""
    return f"#{item['turn']} {item['request']} -> {item['action']}{result}: {item['said']}"


def batch_text(items: Sequence[DoneItem]) -> str:
    """Turns below their action, a line each: `TURN REQUEST`, and results that did not go well."""
    by_action: dict[str, list[str]] = {}
    for item in items:
        entry = f"{item['turn']} {gist(item['request'], SHORT_WORDS)}"
        if item["result"] and not _PLAIN.fullmatch(item["result"]):
            entry = f"{entry} ({item['result']})"
        by_action.setdefault(item["action"], []).append(entry)
    return "\n".join(f"{action}:\n" + "\n".join(lines) for action, lines in by_action.items())


def settle(before: str, items: Sequence[DoneItem]) -> tuple[str, list[DoneItem]]:
    """Move the oldest lines into paragraphs, once a whole batch is more than what stays."""
    lines = list(items)
    while len(lines) >= KEPT_LINES + BATCH:
        paragraph = batch_text(lines[:BATCH])
        before = f"{before}\n{paragraph}" if before else paragraph
        lines = lines[BATCH:]
    return _bounded(before), lines


def _bounded(before: str) -> str:
    """The paragraphs, the oldest half of them as a tally once they are more than `MOST_TOKENS`.

    That is after some 260 turns. The turns stay in the database, to be read by number or found by
    words.
    """
    if count(before) <= MOST_TOKENS:
        return before
    tally: dict[str, int] = {}
    action, last, kept = "", 0, before.splitlines()
    while count("\n".join(kept)) > MOST_TOKENS // 2:
        line = kept.pop(0)
        if told := _TALLY.match(line):
            tally |= {name: int(times) for times, name in _TALLIED.findall(told[2])}
            last = int(told[1])
        elif line[0].isdigit() and action:
            name = _ARGUMENTS.sub("", action.removesuffix(":"))
            tally[name] = tally.get(name, 0) + 1
            last = max(last, int(line.split()[0]))
        else:
            action = line
    if kept and kept[0][0].isdigit():
        kept.insert(0, action)
    counts = "; ".join(f"{times} x {name}" for name, times in tally.items())
    return "\n".join([f"Up to #{last} (find them by words with recall_artifact): {counts}", *kept])


def gist(text: str, words: int) -> str:
    """The words of a request that tell it from others, in order: content words first, and ids."""
    found = _WORD.findall(text)
    content = [word for word in found if word.lower() not in _FILLERS] or found
    kept = content[:words]
    ids = [word for word in content[words:] if any(char.isdigit() for char in word)]
    return truncate(" ".join([*kept, *ids[: words // 4]]), WORD_TOKENS * words)


def _action(call: CallRecord) -> str:
    """A look-up by its tool's name; what changed something with its arguments, for good."""
    if call["effect"] == "read_only":
        return call["name"]
    arguments = truncate(canonical_json(call["args"]), ACTION_TOKENS)
    return f"{call['name']} {arguments}"


def _results(index: int, calls: Sequence[CallRecord]) -> str:
    """Handles of the results, `#7.1-3` for neighbours of one status, which is said unless ok."""
    parts = []
    for status, group in groupby(enumerate(calls, start=1), key=lambda item: item[1]["status"]):
        numbers = [number for number, _ in group]
        handle = handle_of(index, numbers[0])
        if len(numbers) > 1:
            handle = f"{handle}-{numbers[-1]}"
        parts.append(handle if status == "ok" else f"{handle} {status}")
    return " ".join(parts)
