"""Whether a prompt shows the whole lineage of its thread, judged from its text alone.

Recent turns: the user's words, every tool's name and arguments, and at least 40 tokens of the
answer, or all of it. Every older turn: a line with words of its request, below or beside the tools
that were called, and the number by which its results are read.
"""

import re
from collections.abc import Iterable, Sequence

from evals.economics_recording import SentPrompt
from models.tokens import truncate
from state import TurnRecord, canonical_json

ANSWER_TOKENS = 40
_LINE = re.compile(r"^#(\d+) (.+?) -> (.+?) -> (#[\d.# -]+)", re.MULTILINE)
_HEADING = re.compile(r"^([a-z_, ]+):$")
_ENTRY = re.compile(r"^(\d+) (.+)$")


def missing_lineage(prompts: Iterable[SentPrompt], records: Sequence[TurnRecord]) -> list[str]:
    """What prompts do not show of the turns before them; empty when all do.

    Args:
        prompts: in any order; each names the turn it belongs to.
        records: the thread's closed turns by their index.
    """
    missing = []
    for prompt in prompts:
        text = prompt.text
        older = _older_lines(text)
        for record in records[: prompt.turn]:
            if not (_is_verbatim(text, record) or _has_line(older, record)):
                missing.append(f"turn {record['index']} in {prompt.module} of turn {prompt.turn}")
    return missing


def recent_turns(prompt: SentPrompt, records: Sequence[TurnRecord]) -> int:
    """How many turns a prompt shows verbatim."""
    text = prompt.text
    return sum(_is_verbatim(text, record) for record in records[: prompt.turn])


def _is_verbatim(text: str, record: TurnRecord) -> bool:
    wanted = [record["user"], truncate(record["answer"], ANSWER_TOKENS)]
    for module in record["modules"]:
        for call in module["calls"]:
            wanted.append(f"{call['name']} {canonical_json(call['args'])}")
    return all(part in text for part in wanted)


def _has_line(older: dict[int, tuple[str, str]], record: TurnRecord) -> bool:
    if record["index"] not in older:
        return False
    request, action = older[record["index"]]
    words = set(re.findall(r"\w+", record["user"]))
    names = {call["name"] for module in record["modules"] for call in module["calls"]}
    said = re.findall(r"\w+", request)
    return len(said) > 1 and words.issuperset(said) and all(name in action for name in names)


def _older_lines(text: str) -> dict[int, tuple[str, str]]:
    """Request and action of every older turn that has a line with its results' number."""
    found: dict[int, tuple[str, str]] = {}
    for number, request, action, results in _LINE.findall(text):
        if results.startswith(f"#{number}."):
            found[int(number)] = (request, action)
    action = ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            action = heading[1]
        elif entry := _ENTRY.match(line):
            found.setdefault(int(entry[1]), (entry[2], action))
        else:
            action = ""
    return found
