"""Turns labelled with what they do, and variants of them.

`evals/acts.jsonl` has one conversation a line, of many organisations, written for this by six
authors who had seen no reader of acts (language models; 4 to 6 wrote contrasts). The labelled
requests to the sample company give more, their acts read off the calls that they want.
"""

import json
import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from configs.settings import SHIPPED_APP, read_experts
from evals.embedded_names import Names
from evals.embedded_set import Conversation, Labelled
from evals.same_data import slipped
from models.embedded.acts import ASKED, Act

FILE: Final = Path(__file__).parent / "acts.jsonl"
ID: Final = re.compile(r"\b([A-Za-z]{2,6})[-_ ]?(\d{3,8})\b")
MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTH: Final = re.compile(
    rf"\b(?P<name>{'|'.join(MONTHS)})\b\.?(?:,?\s+(?:of\s+)?(?P<year>20\d\d))?", re.IGNORECASE
)
RULE_TOOLS: Final = frozenset({"search_policies", "get_policy"})
OTHER_NAMES, OTHER_IDS, OTHER_MONTHS = 0.6, 0.6, 0.4
SMALL, SLIP, BARE = 0.2, 0.12, 0.2
UNSIGNED: Final = 0.35
"""Share of turns shown without the name of the tool that was called before."""
AFTER_ANOTHER: Final = 0.35
"""Share of first turns shown after a turn of another conversation."""
_MADE: Final = {
    "kinds": "INV|ORD|TCK|BK|CASE|PAT|RES|LOAN|ACC|REQ|JOB|SO|PO|WO|CLM|MBR",
    "first": "Alder|Birch|Calder|Dunmore|Elgin|Farrow|Garnet|Harlan|Iver|Juniper|Keller|Lindqvist"
    "|Marlow|Norden|Oakline|Pemberton|Quill|Rowan|Stratos|Tamar|Ulster|Verdane|Whitby|Yarrow|Zenit"
    "|Moreau|Okafor|Petrov|Nguyen|Hansen|Costa|Kowalski|Haddad|Ibsen|Suzuki|Brandt|Osei|Larsen",
    "second": "Foods|Textiles GmbH|Shipping|& Sons|Clinics|Ltd|Papier|Logistics|Cement|Pharma AG"
    "|Cargo|Pumps|Media AS|Labs|Glass|School|Council|Hotel|Books|Dairy",
}
_KINDS, _FIRST, _SECOND = (tuple(words.split("|")) for words in _MADE.values())
Made = Callable[[str, random.Random], str]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn with what it does.

    Attributes:
        text: what was said.
        before: what was said in the turn before.
        done: name of the tool that was called there, or `ASKED`.
        act: None where it does several things.
        same: whether it wants the call before with something else in it; None where unclear.
        author: who wrote it.
    """

    text: str
    before: str
    done: str
    act: Act | None
    same: bool | None
    author: str


def load_acts(file: Path = FILE, out: Collection[str] = ()) -> list[Turn]:
    """All turns of the file but those of some authors."""
    found: list[Turn] = []
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                given = json.loads(line)
                if given.get("author", "") not in out:
                    found += _turns(given["turns"], given.get("author", ""))
    return found


def _turns(turns: Sequence[Mapping[str, Any]], author: str) -> Iterator[Turn]:
    for at, turn in enumerate(turns):
        last = turns[at - 1] if at else {}
        done = str(last.get("tool", ""))
        yield Turn(turn["text"], str(last.get("text", "")), done, turn["act"], turn["same"], author)


def requests_of(conversations: Iterable[Conversation]) -> list[Turn]:
    """The turns of labelled requests, their acts read off the calls that they want."""
    effects = {
        tool.name
        for expert in read_experts(SHIPPED_APP / "experts")
        for tool in expert.tools
        if tool.effect != "read_only"
    }
    found: list[Turn] = []
    for one in conversations:
        for at, label in enumerate(one.requests):
            after = one.requests[at + 1] if at + 1 < len(one.requests) else None
            meant = after if label.expect == "ask" and after and after.follow_up else label
            last = one.requests[at - 1] if at else None
            act, same = _act(meant, effects), _same(label, last)
            if act or same is not None:
                done = _done(last) if last else ""
                found.append(Turn(label.text, last.text if last else "", done, act, same, one.id))
    return found


def _act(label: Labelled, effects: set[str]) -> Act | None:
    if label.expect == "talk":
        return "talk"
    if label.expect == "off_topic":
        return "unrelated"
    tools = {one.tool for call in label.calls for one in (call, *call.instead)}
    acts = {_act_of(tool, effects) for tool in tools}
    return acts.pop() if len(acts) == 1 else None


def _act_of(tool: str, effects: set[str]) -> Act:
    if tool in effects:
        return "change"
    return "rules" if tool in RULE_TOOLS else "records"


def _same(label: Labelled, last: Labelled | None) -> bool | None:
    if last is None or label.expect in ("talk", "off_topic"):
        return False
    if label.expect == "ask" or last.expect == "ask":
        return None if label.expect == "ask" else label.follow_up
    now = {call.tool for call in label.calls}
    then = {call.tool for call in last.calls}
    if len(now) > 1 or len(then) > 1:
        return now == then or None
    both = now == then and label.follow_up
    return True if both else (False if now != then else None)


def _done(last: Labelled) -> str:
    if last.expect == "ask":
        return ASKED
    return last.calls[0].tool if last.calls else ""


def drawn(turns: Sequence[Turn], chance: random.Random) -> list[Turn]:
    """One round: each turn in some spelling, with other names, ids and months."""
    names = _customer_names()
    return [_drawn(turn, turns, names, chance) for turn in turns]


def _drawn(
    turn: Turn, turns: Sequence[Turn], names: re.Pattern[str], chance: random.Random
) -> Turn:
    if not turn.before and chance.random() < AFTER_ANOTHER:
        other = chance.choice(turns)
        turn = replace(
            turn, before=other.text, done="", same=None if turn.act == other.act else False
        )
    if chance.random() < UNSIGNED and turn.done != ASKED:
        turn = replace(turn, done="")
    for pattern, share, made in (
        (names, OTHER_NAMES, _name),
        (ID, OTHER_IDS, _id),
        (MONTH, OTHER_MONTHS, _month),
    ):
        if chance.random() < share:
            turn = _swapped(turn, pattern, made, chance)
    return _respelled(turn, chance)


def _swapped(turn: Turn, pattern: re.Pattern[str], made: Made, chance: random.Random) -> Turn:
    """Everything that the pattern finds replaced, the same by the same in both turns."""
    other: dict[str, str] = {}

    def replaced(found: re.Match[str]) -> str:
        if found[0] not in other:
            other[found[0]] = made(found[0], chance)
        return other[found[0]]

    text, before = (pattern.sub(replaced, one) for one in (turn.text, turn.before))
    return replace(turn, text=text, before=before)


def _name(said: str, chance: random.Random) -> str:
    made = chance.choice(_FIRST)
    if " " in said:
        made = f"{made} {chance.choice(_SECOND)}"
    return made if said[0].isupper() else made.lower()


def _id(said: str, chance: random.Random) -> str:
    if not any(mark.isdigit() for mark in said) or not said[:2].isalpha():
        return said
    made = f"{chance.choice(_KINDS)}-{chance.randrange(100, 99999)}"
    return made if said[0].isupper() else made.lower()


def _month(said: str, chance: random.Random) -> str:
    if said[0].islower() or len(said) > 9:
        return said  # "may" may be a verb
    made = chance.choice(MONTHS).capitalize()
    return made[:3] if len(said) == 3 and said != "May" else made


def _respelled(turn: Turn, chance: random.Random) -> Turn:
    text = turn.text
    if chance.random() < BARE:
        text = text.rstrip(".!?")
    if chance.random() < SMALL:
        text = text.lower()
    if chance.random() < SLIP:
        text = slipped(text, chance)
    return replace(turn, text=text or turn.text)


def _customer_names() -> re.Pattern[str]:
    full = Names().customer_names()
    firsts = [name.split()[0] for name in full]
    shorter = [" ".join(name.split()[:2]) for name in full]
    every = sorted({*full, *shorter, *firsts}, key=len, reverse=True)
    return re.compile(r"\b(?:" + "|".join(map(re.escape, every)) + r")(?!\w)", re.IGNORECASE)
