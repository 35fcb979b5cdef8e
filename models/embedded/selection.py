"""One of several records: "the smaller one", "the June one", "the first of those, from March".

The records stand in the stored result of an earlier call, which the expert reads again. All that
the phrase says of the record must hold; a rank or a place is taken among those that are left.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from models.embedded.choices import status_forms
from models.embedded.demand import clauses_of
from models.embedded.names import names
from models.embedded.patterns import ID, MONTH, identifiers, months
from models.embedded.scene import Scene, record_ids
from models.embedded.sums import plain_numbers, sums_of
from models.embedded.words import content_stems, stem_set, stems, words
from state import ModuleRecord, TurnRecord

Record = Mapping[str, Any]

_NOUN: Final = r"(?:one|invoice|bill|order|parcel|purchase|shipment|package|entry|item)(?!s)\b"
_DET: Final = r"(?:the|that|their|this|its|his|her)"
_OF: Final = (
    r"(?: (?:of|among|from|in|on) (?:those|these|them|all|both|(?:the|that|these|those)"
    r" (?:list|two|three|four|five|lot|open|paid)))"
)
_TAIL: Final = (
    r"(?:(?:,? (?:that(?:'s| is| was| has)|which (?:is|was|has))| that|,? (?:from|with|due|in|over"
    r"|worth|for|placed|issued|still|at))"
    r" (?!(?:full|details?|me|us|it|that|this|them|a (?:look|while))\b)"
    r"(?:(?! to (?-i:[A-Z0-9]))[^,;:.?!])*)"
)
_RANKS: Final[Mapping[str, tuple[str, bool]]] = {
    "latest|newest|most recent|more recent|youngest|newer": ("date", True),
    "oldest|earliest|older|earlier": ("date", False),
    "biggest|largest|highest|bigger|larger|most expensive|dearest|priciest": ("amount", True),
    "smallest|lowest|smaller|lower|cheapest|cheaper": ("amount", False),
    "longest overdue|most overdue|latest due": ("days", True),
}
_COMPARED: Final = re.compile(r"(?:more recent|newer|older|earlier|bigger|larger|smaller|cheaper)")
_PLACES: Final = ("first", "second", "third", "fourth", "fifth")
_SAME_PLACES: Final = {"former": "first", "latter": "last", "top": "first", "bottom": "last"}
_RANK_WORDS: Final = "|".join(_RANKS)
_PLACE_WORDS: Final = "|".join([*_PLACES, "last", "middle", *_SAME_PLACES])
_ORDER: Final = re.compile(rf"\b({_RANK_WORDS}|{_PLACE_WORDS}(?! (?:month|week|year)))\b", re.I)
_PARTLY: Final = re.compile(r"\b(?:partly|partially|half|part)[ -]?paid\b", re.IGNORECASE)
_OTHER: Final = re.compile(
    r"\b(?:the|their|that) other (?:one|invoice|bill|order|purchase)\b", re.I
)
_SAID: Final = re.compile(
    rf"\b{_DET} (?P<what>(?:(?!(?:and|or|of|to|in|for|is|was)\b)[\w'&-]+ ){{1,3}})"
    rf"{_NOUN}{_OF}?{_TAIL}?",
    re.IGNORECASE,
)
_RANKED: Final = re.compile(
    rf"(?:\b(?:the|their|its) |^(?:and |ok |then )*)(?:very )?(?:{_RANK_WORDS}|{_PLACE_WORDS})"
    rf"(?: {_NOUN})?(?:{_OF}{_TAIL}?|{_TAIL}"
    rf"|(?=\s*(?:$|[,.;:?!]|(?:to|too|please|as|is|was|has|should|must|can|needs)\b)))",
    re.IGNORECASE,
)
_FIRST_EVER: Final = re.compile(
    rf"\bthe (?:very )?first (?:{_NOUN} )?(?:(?:that )?(?:they|he|she|it|we) )?ever(?: \w+)?\b",
    re.I,
)
_DATED: Final = re.compile(
    rf"\b{_DET} (?:[\w'-]+ ){{1,3}}(?:in|from|of) (?:early |late |mid )?{MONTH.pattern}",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(rf"\bthe {_NOUN}{_TAIL}", re.IGNORECASE)
_OWNED: Final = re.compile(
    rf"\b[A-Z][\w&-]+(?: [A-Z][\w&-]+)*'s(?: (?:\w+ )?{_NOUN}|(?= (?:is|was|has|looks)\b))"
)
_NO_CRITERION: Final = stem_set(
    "one order invoice bill parcel purchase shipment package entry item end start beginning early"
    " late mid back"
)
_NO_THING: Final = stem_set(
    "wrong right same other new old next previous current good bad original only whole correct real"
    " actual proper final single main better best worse worst second third different particular"
    " specific certain usual normal big small large long short"
)
_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    "date": ("issued_on", "placed_on", "date", "due_on", "paid_on"),
    "amount": ("amount", "total", "price"),
    "days": ("days_overdue",),
}


@dataclass(frozen=True, slots=True)
class Look:
    """Stored results that an expert has to read before it knows what is meant.

    Attributes:
        artifacts: ids of the stored results.
        phrase: the words that stand for one of its records; empty for what undoes the call.
        kind: prefix of the ids of those records.
        besides: ids that were talked about since, which "the other one" is not.
    """

    artifacts: tuple[str, ...]
    phrase: str = ""
    kind: str = ""
    besides: tuple[str, ...] = ()


def selected(
    text: str, scene: Scene, kinds: Sequence[str], *, changing: bool = False
) -> Look | None:
    """The list and the words of the text that pick one of its records, if there are such.

    Args:
        text: one request.
        scene: the prompt.
        kinds: prefixes that the text names by a noun; empty allows any.
        changing: whether the text wants a change, so that "the scanners in April" are a record.
    """
    dated = _DATED.search(text) if changing else None
    phrase = picking(text) or (dated[0] if dated else "")
    if not phrase or identifiers(text.replace(phrase, " ")):
        return None
    besides: list[str] = []
    for record in reversed(scene.history[-4:]):
        for module in record["modules"]:
            listed = [one for one in identifiers(module["output"]) if _heads(one.text, module)]
            stored = [one for one in module["calls"] if one["effect"] == "read_only"]
            stored.sort(key=lambda call: call["name"].startswith("list"))
            artifact = stored[-1]["artifact"] if stored else None
            if listed and artifact and (not kinds or listed[0].kind in kinds):
                return Look((artifact,), phrase, listed[0].kind, tuple(besides))
        if alone := _alone(record, kinds):
            kind, artifacts = alone
            return Look(artifacts, phrase, kind)
        besides += record_ids(record)
    return None


def _alone(record: TurnRecord, kinds: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The kind and the stored results of a turn that had several records, one by one."""
    found: dict[str, list[str]] = {}
    for module in record["modules"]:
        for call in module["calls"]:
            for id_ in identifiers(" ".join(map(str, call["args"].values()))):
                if call["artifact"] and (not kinds or id_.kind in kinds):
                    found.setdefault(id_.kind, []).append(call["artifact"])
    several = [(kind, tuple(stored)) for kind, stored in found.items() if len(stored) > 1]
    return several[0] if several else None


def _heads(name: str, module: ModuleRecord) -> bool:
    """Whether an id begins a line of a list or of a table."""
    return re.search(rf"(?m)- {name}\b|^{name}(?: \||…?$)", module["output"]) is not None


def picking(text: str) -> str:
    """The words of a text that pick one of several records; empty if there are none."""
    if re.match(r"^(?:and |but )?(?:only|just)\b", text, re.IGNORECASE):
        return ""  # "only the unpaid one" narrows the list
    for pattern in (_FIRST_EVER, _OTHER, _SAID, _RANKED, _CLAUSE, _OWNED):
        for found in pattern.finditer(text):
            if pattern is not _SAID or _says_which(found):
                return found[0].strip()
    return ""


def named_in(text: str) -> str:
    """The text without what a picking phrase says of the record: "the one for that order"."""
    phrase = picking(text)
    if not re.search(r"\bone\b", phrase):
        return text
    return text.replace(phrase, "one", 1)


def named_beside(text: str, look: Look, known_words: Collection[str]) -> bool:
    """Whether a text names somebody beside the phrase that picks one: another's records."""
    clause = next((one for one in clauses_of(text) if look.phrase in one), text)
    rest = clause.replace(look.phrase, "it", 1)
    named = any(name[0].isupper() for name in names(rest, known_words))
    return named and " one" not in look.phrase


def _says_which(found: re.Match[str]) -> bool:
    """Whether words before the noun are a month, a rank, a state or a name."""
    said = found["what"]
    named = re.search(r"\b[A-Z][\w'&-]+", said) and re.search(r"\bone\b", found[0])
    states = bool(_PARTLY.search(said)) or any(status_forms(word) for word in words(said))
    number = plain_numbers(said)
    thing = re.search(r"\bone\b", found[0]) and set(content_stems(said)) - _NO_THING
    return bool(MONTH.search(found[0]) or _ORDER.search(said) or states or named or number or thing)


def pick(values: Sequence[object], look: Look, today: date) -> list[str]:
    """Ids of the records in the results that the phrase stands for."""
    records = [one for value in values for one in _records(value, look.kind)]
    if _OTHER.search(look.phrase):
        return [str(one["id"]) for one in records if one["id"] not in look.besides]
    return [str(one["id"]) for one in fitting(records, look.phrase, today)]


def fitting(records: Sequence[Record], phrase: str, today: date) -> list[Record]:
    """The records of which all holds that the phrase says."""
    phrase = _FIRST_EVER.sub("oldest", phrase)
    order = _ORDER.search(phrase)
    dated = _DATED.fullmatch(phrase) is not None
    rest = _ORDER.sub(" ", re.sub(rf"{_OF}", " ", phrase))
    for narrow in (_by_link, _by_state, _by_month, _by_sum):
        records, rest = narrow(records, rest, today)
    wanted = [one for one in content_stems(rest) if one not in _NO_CRITERION and not dated]
    records = [one for one in records if set(wanted) <= set(stems(str(dict(one))))]
    return _ordered(records, order[1].lower()) if order else list(records)


def _records(value: object, kind: str) -> list[Record]:
    if not isinstance(value, Mapping):
        return []
    if "rows" in value and "columns" in value:
        table = [dict(zip(value["columns"], row, strict=False)) for row in value["rows"]]
        return [one | {"id": name} for one in table if (name := _row_id(one, kind))]
    for items in value.values():
        if isinstance(items, list) and items and isinstance(items[0], Mapping):
            own = [one for one in items if str(one.get("id", "")).startswith(f"{kind}-")]
            if own:
                return own
    name = _row_id(value, kind)
    return [dict(value) | {"id": name}] if name else []


def _row_id(row: Record, kind: str) -> str:
    return next((str(cell) for cell in row.values() if str(cell).startswith(f"{kind}-")), "")


def _field(record: Record, name: str) -> Any:  # noqa: ANN401 - a JSON value
    return next((record[key] for key in _FIELDS[name] if record.get(key) is not None), None)


def _ordered(records: Sequence[Record], said: str) -> list[Record]:
    said = _SAME_PLACES.get(said, said)
    if said in (*_PLACES, "last", "middle"):
        return _placed(records, said)
    if _COMPARED.fullmatch(said) and len(records) < 2:
        return []  # "the smaller one" is one of two
    for words_, (name, most) in _RANKS.items():
        if said in words_.split("|"):
            known = [one for one in records if _field(one, name) is not None]
            values = sorted({_field(one, name) for one in known}, reverse=most)
            return [one for one in known if _field(one, name) == values[0]] if values else []
    return []


def _placed(records: Sequence[Record], said: str) -> list[Record]:
    """The record at a place of the list; only an odd number of them has a middle."""
    if said == "middle":
        return [records[len(records) // 2]] if len(records) % 2 else []
    at = -1 if said == "last" else _PLACES.index(said)
    return [records[at]] if -1 <= at < len(records) and records else []


Narrowed = tuple[Sequence[Record], str]


def _by_link(records: Sequence[Record], said: str, today: date) -> Narrowed:
    """By the id of another record: "the one for ORD-2067"."""
    del today
    names = [one.text for one in identifiers(said)]
    fit = [one for one in records if set(names) <= {str(value) for value in one.values()}]
    return fit, ID.sub(" ", said) if names else said


def _by_state(records: Sequence[Record], said: str, today: date) -> Narrowed:
    del today
    if _PARTLY.search(said):
        fit = [one for one in records if 0 < (one.get("paid") or 0) < (one.get("amount") or 0)]
        return fit, _PARTLY.sub(" ", said)
    for word in words(said):
        if states := status_forms(word):
            fit = [one for one in records if str(one.get("status")) in states]
            return fit, re.sub(rf"\b{word}\b", " ", said, flags=re.IGNORECASE)
    return records, said


def _by_month(records: Sequence[Record], said: str, today: date) -> Narrowed:
    named = " ".join(one[0] for one in MONTH.finditer(said))
    found = months(f"in {named}", today) if named else months(said, today)
    if not found:
        return records, said
    dated = [one for one in records if str(_field(one, "date") or "")[:7] in found]
    fit = dated or [one for one in records if str(one.get("due_on"))[:7] in found]
    return fit, MONTH.sub(" ", said)


def _by_sum(records: Sequence[Record], said: str, today: date) -> Narrowed:
    del today
    sums = {float(one.value) for one in sums_of(said) if one.value is not None}
    if not sums:
        return records, said
    fit = [one for one in records if _field(one, "amount") in sums]
    return fit, re.sub(r"[\d.,]+ ?(?:€|eur(?:os?)?)?|€", " ", said, flags=re.IGNORECASE)
