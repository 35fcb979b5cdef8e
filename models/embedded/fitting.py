"""Which records of a list a phrase stands for: all that it says of one must hold."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from models.embedded.choices import status_forms
from models.embedded.patterns import ID, MONTH, identifiers, months
from models.embedded.selection import (
    DATED,
    FIRST_EVER,
    OF,
    ORDER,
    OTHER,
    PARTLY,
    PLACES,
    RANKS,
    SAME_PLACES,
    Look,
)
from models.embedded.sums import sums_of
from models.embedded.words import content_stems, stem_set, stems, words

Record = Mapping[str, Any]

_COMPARED: Final = re.compile(r"(?:more recent|newer|older|earlier|bigger|larger|smaller|cheaper)")
_WEEK: Final = re.compile(r"\b(last|this) week\b", re.IGNORECASE)
_NO_CRITERION: Final = stem_set(
    "one order invoice bill parcel purchase shipment package entry item end start beginning early"
    " late mid back"
)
_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    "date": ("issued_on", "placed_on", "date", "due_on", "paid_on"),
    "amount": ("amount", "total", "price"),
    "days": ("days_overdue",),
}


def pick(values: Sequence[object], look: Look, today: date) -> list[str]:
    """Ids of the records in the results that the phrase stands for."""
    records = [one for value in values for one in records_of(value, look.kind)]
    if OTHER.search(look.phrase):
        return [str(one["id"]) for one in records if one["id"] not in look.besides]
    return [str(one["id"]) for one in fitting(records, look.phrase, today)]


def fitting(records: Sequence[Record], phrase: str, today: date) -> list[Record]:
    """The records of which all holds that the phrase says."""
    phrase = FIRST_EVER.sub("oldest", phrase)
    order = ORDER.search(phrase)
    dated = DATED.fullmatch(phrase) is not None
    rest = ORDER.sub(" ", re.sub(rf"{OF}", " ", phrase))
    for narrow in (_by_link, _by_state, _by_week, _by_month, _by_sum):
        records, rest = narrow(records, rest, today)
    wanted = [one for one in content_stems(rest) if one not in _NO_CRITERION and not dated]
    records = [one for one in records if set(wanted) <= set(stems(str(dict(one))))]
    return _ordered(records, order[1].lower()) if order else list(records)


def records_of(value: object, kind: str) -> list[Record]:
    """The records of a kind in a stored result."""
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
    said = SAME_PLACES.get(said, said)
    if said in (*PLACES, "last", "middle"):
        return _placed(records, said)
    if _COMPARED.fullmatch(said) and len(records) < 2:
        return []  # "the smaller one" is one of two
    for words_, (name, most) in RANKS.items():
        if said in words_.split("|"):
            known = [one for one in records if _field(one, name) is not None]
            values = sorted({_field(one, name) for one in known}, reverse=most)
            return [one for one in known if _field(one, name) == values[0]] if values else []
    return []


def _placed(records: Sequence[Record], said: str) -> list[Record]:
    """The record at a place of the list; only an odd number of them has a middle."""
    if said == "middle":
        return [records[len(records) // 2]] if len(records) % 2 else []
    at = -1 if said == "last" else PLACES.index(said)
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
    if PARTLY.search(said):
        fit = [one for one in records if 0 < (one.get("paid") or 0) < (one.get("amount") or 0)]
        return fit, PARTLY.sub(" ", said)
    for word in words(said):
        if states := status_forms(word):
            fit = [one for one in records if str(one.get("status")) in states]
            return fit, re.sub(rf"\b{word}\b", " ", said, flags=re.IGNORECASE)
    return records, said


def _by_week(records: Sequence[Record], said: str, today: date) -> Narrowed:
    found = _WEEK.search(said)
    if found is None:
        return records, said
    monday = today - timedelta(days=today.weekday() + (0 if found[1].lower() == "this" else 7))
    days = {(monday + timedelta(days=at)).isoformat() for at in range(7)}
    fit = [one for one in records if str(_field(one, "date")) in days]
    return fit, _WEEK.sub(" ", said)


def dated_in(record: Record, found: Collection[str]) -> bool:
    """Whether a record is of one of the months."""
    return str(_field(record, "date") or "")[:7] in found


def _by_month(records: Sequence[Record], said: str, today: date) -> Narrowed:
    named = " ".join(one[0] for one in MONTH.finditer(said))
    found = months(f"in {named}", today) if named else months(said, today)
    if not found:
        return records, said
    dated = [one for one in records if dated_in(one, found)]
    fit = dated or [one for one in records if str(one.get("due_on"))[:7] in found]
    return fit, MONTH.sub(" ", said)


def _by_sum(records: Sequence[Record], said: str, today: date) -> Narrowed:
    del today
    sums = {float(one.value) for one in sums_of(said) if one.value is not None}
    if not sums:
        return records, said
    fit = [one for one in records if _field(one, "amount") in sums]
    return fit, re.sub(r"[\d.,]+ ?(?:€|eur(?:os?)?)?|€", " ", said, flags=re.IGNORECASE)
