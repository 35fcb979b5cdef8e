"""One of several records: "the smaller one", "the latest of those", "the one that's partly paid".

The records stand in the stored result of an earlier call, which the expert reads again.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from models.embedded.choices import status_forms
from models.embedded.patterns import amounts, identifiers, months
from models.embedded.scene import Scene, outputs_of
from models.embedded.words import STOP_WORDS, stems, words

Record = Mapping[str, Any]
Choose = Callable[[Sequence[Record], str, date], list[Record]]

_NOUN: Final = r"(?:one|invoice|bill|order|parcel|purchase|shipment|package|entry|item)"
_OF: Final = r"(?: (?:of|among|from|in|on) (?:those|these|them|the list|that list|all))"
_RANKS: Final[Mapping[str, tuple[str, bool]]] = {
    "latest|newest|most recent|youngest|newer": ("date", True),
    "oldest|earliest|older": ("date", False),
    "biggest|largest|highest|bigger|larger|most expensive|dearest|priciest": ("amount", True),
    "smallest|lowest|smaller|lower|cheapest|cheaper": ("amount", False),
    "longest overdue|most overdue|latest due": ("days", True),
}
_PLACES: Final = ("first", "second", "third", "fourth", "fifth")
_RANK: Final = re.compile(
    rf"\b(?:the|their) ({'|'.join(_RANKS)})(?: {_NOUN}\b{_OF}?|{_OF}|(?=\s*[,.;?!]|\s*$))", re.I
)
_PLACE: Final = re.compile(rf"\bthe ({'|'.join(_PLACES)}|last)(?: {_NOUN}\b{_OF}?|{_OF})", re.I)
_STATE: Final = re.compile(
    rf"\b(?:the|that) ((?:partly|partially|half|part)[ -]?paid|\w+) {_NOUN}\b{_OF}?"
    r"(?! (?:that|which|from|with))",
    re.I,
)
_CLAUSE: Final = re.compile(
    rf"\bthe {_NOUN} (?:that(?:'s| is| was| has)?|which (?:is|was|has)|from|with|due|in|over|worth"
    r"|for|placed|issued|still|at)\b([^,;?!]*)",
    re.IGNORECASE,
)
_PARTLY: Final = re.compile(r"\b(?:partly|partially|half|part)[ -]?paid\b", re.IGNORECASE)
_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    "date": ("issued_on", "placed_on", "date", "due_on", "paid_on"),
    "amount": ("amount", "total", "price"),
    "days": ("days_overdue",),
}


@dataclass(frozen=True, slots=True)
class Look:
    """A stored result that an expert has to read before it knows what is meant.

    Attributes:
        artifact: id of the stored result.
        phrase: the words that stand for one of its records; empty for what undoes the call.
        kind: prefix of the ids of those records.
    """

    artifact: str
    phrase: str = ""
    kind: str = ""


def selected(text: str, scene: Scene, kinds: Sequence[str]) -> Look | None:
    """The list and the words of the text that pick one of its records, if there are such.

    Args:
        text: one request.
        scene: the prompt.
        kinds: prefixes that the text names by a noun; empty allows any.
    """
    phrase = _phrase(text)
    if not phrase or identifiers(text):
        return None
    for record in reversed(scene.history[-3:]):
        shown = " ".join(outputs_of(record))
        listed = [one.kind for one in identifiers(shown) if f"- {one.text}" in shown]
        calls = [call for module in record["modules"] for call in module["calls"]]
        calls.sort(key=lambda call: call["name"].startswith("list"))
        stored = [one["artifact"] for one in calls if one["effect"] == "read_only"]
        if listed and stored and stored[-1] and (not kinds or listed[0] in kinds):
            return Look(stored[-1], phrase, listed[0])
    return None


def _phrase(text: str) -> str:
    if re.match(r"^(?:and |but )?(?:only|just)\b", text, re.IGNORECASE):
        return ""  # "only the unpaid one" narrows the list
    for pattern in (_CLAUSE, _RANK, _PLACE, _STATE):
        for found in pattern.finditer(text):
            if pattern is not _STATE or _is_state(found[1]):
                return found[0].strip()
    return ""


def _is_state(word: str) -> bool:
    return bool(_PARTLY.search(word)) or bool(status_forms(word))


def pick(value: object, look: Look, today: date) -> list[str]:
    """Ids of the records in a result that the phrase stands for."""
    records = _records(value, look.kind)
    for pattern, choose in _CHOOSERS:
        if found := pattern.search(look.phrase):
            return [str(one["id"]) for one in choose(records, found[1].lower().strip(), today)]
    return []


def _records(value: object, kind: str) -> list[Record]:
    lists = value.values() if isinstance(value, Mapping) else []
    for items in lists:
        if isinstance(items, list) and items and isinstance(items[0], Mapping):
            own = [one for one in items if str(one.get("id", "")).startswith(f"{kind}-")]
            if own:
                return own
    return []


def _field(record: Record, name: str) -> Any:  # noqa: ANN401 - a JSON value
    return next((record[key] for key in _FIELDS[name] if record.get(key) is not None), None)


def _by_rank(records: Sequence[Record], said: str, today: date) -> list[Record]:
    del today
    for words_, (name, most) in _RANKS.items():
        if said in words_.split("|"):
            known = [one for one in records if _field(one, name) is not None]
            values = sorted({_field(one, name) for one in known}, reverse=most)
            return [one for one in known if _field(one, name) == values[0]] if values else []
    return []


def _by_place(records: Sequence[Record], said: str, today: date) -> list[Record]:
    del today
    at = -1 if said == "last" else _PLACES.index(said)
    return [records[at]] if -1 <= at < len(records) else []


def _by_state(records: Sequence[Record], said: str, today: date) -> list[Record]:
    del today
    if _PARTLY.search(said):
        return [one for one in records if 0 < (one.get("paid") or 0) < (one.get("amount") or 0)]
    states = status_forms(said)
    return [one for one in records if str(one.get("status")) in states]


def _by_clause(records: Sequence[Record], said: str, today: date) -> list[Record]:
    """By a state, a month, a sum, or words that occur in the record."""
    if _PARTLY.search(said):
        return _by_state(records, said, today)
    for word in words(said):
        if status_forms(word):
            return _by_state(records, word, today)
    if found := months(f"in {said}", today):
        dated = [one for one in records if str(_field(one, "date") or "")[:7] in found]
        return dated or [one for one in records if str(one.get("due_on"))[:7] in found]
    sums = {float(one.value) for one in amounts(said) if one.value is not None}
    if sums:
        return [one for one in records if _field(one, "amount") in sums]
    wanted = [one for one in stems(said) if one not in STOP_WORDS]
    return [one for one in records if wanted and set(wanted) <= set(stems(str(dict(one))))]


_CHOOSERS: Final[Sequence[tuple[re.Pattern[str], Choose]]] = (
    (_CLAUSE, _by_clause),
    (_RANK, _by_rank),
    (_PLACE, _by_place),
    (_STATE, _by_state),
)
