"""Answers for people: a sentence, then a small table; nothing is added to the results."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from models.embedded.grammar import ASKS
from models.embedded.rows import rows_of
from text.words import STOP_WORDS, stem, words

MOST_ROWS: Final = 10
MOST_COLUMNS: Final = 6
MOST_CHARS: Final = 1600
SECTION_CHARS: Final = 500
CELL_CHARS: Final = 60
_NOT_RUN: Final = "Not run. Do not repeat this call"
_NAMING: Final = ("id", "name", "title", "subject")
_OPAQUE: Final = re.compile(r"[0-9a-f]{16,}|[0-9a-f]{8}-[0-9a-f]{4}-")
"""A key that no person reads."""
_QUIET: Final = frozenset({"currency", "undo", "idempotency_key"})
_COUNTS: Final = frozenset({"count", "number", "total_count"})
_NO_MONEY: Final = frozenset({"percent", "rate", "share", "days", "hours", "kg"})
"""Words of the names of numbers that are no sums, whatever the currency of their record."""
_CHECKS: Final = re.compile(
    r"^\W*(?:\w+[\s,]+){0,3}?(?:is|are|was|were|has|have|did|does|do)\b", re.I
)


def spoken(name: str) -> str:
    """A tool's or key's name as words."""
    return name.replace("_", " ")


def answer(text: str, question: str, *, tool: str = "", effect: bool = False) -> str:
    """What a tool returned, as somebody would say it.

    Args:
        text: the result, JSON or plain text.
        question: the user's request.
        tool: the tool's name.
        effect: whether it changed something.
    """
    try:
        value = json.loads(text)
    except ValueError:
        rows = [one.values for one in rows_of(text)]  # of a result that was cut
        return _table(rows, "") if len(rows) > 1 else shortened(text.strip(), MOST_CHARS)
    if effect:
        return _done(value, tool)
    if isinstance(value, Mapping):
        return shortened(_record(value, question, tool), MOST_CHARS)
    if isinstance(value, list):
        return shortened(_list(value, question, tool, {}), MOST_CHARS)
    return _cell("", value, "")


def declined(text: str) -> bool:
    """Whether a person decided that the call is not run, which is no failure of it."""
    return text.startswith(_NOT_RUN)


def failure(tool: str, text: str) -> str:
    """Why a call brought no result, with what to do next where the tool says so."""
    try:
        error = json.loads(text).get("error", {})
    except (ValueError, AttributeError):
        error = {}
    if error:
        hint = f" {sentence(str(error['hint']))}" if error.get("hint") else ""
        return f"{sentence(spoken(tool) + ' did not work: ' + str(error.get('message', '')))}{hint}"
    if declined(text):
        reason = text.removeprefix(_NOT_RUN).strip(" :.")
        return sentence(f"{spoken(tool)} was not run" + (f": {reason}" if reason else ""))
    return sentence(f"{spoken(tool)}: {shortened(text.removeprefix('Error.').strip(), 400)}")


def sentence(text: str) -> str:
    """A text with a capital and a full stop."""
    plain = text.strip()
    return plain[:1].upper() + plain[1:] + ("" if plain.endswith((".", "!", "?")) else ".")


def _done(value: object, tool: str) -> str:
    facts = _facts(value) if isinstance(value, Mapping) else _cell("", value, "")
    return f"Done: {spoken(tool)}. {sentence(facts)}" if facts else f"Done: {spoken(tool)}."


def _facts(value: Mapping[str, Any]) -> str:
    """The plain values of a record as one line, its name first."""
    currency = str(value.get("currency", ""))
    shown = {key: item for key, item in value.items() if _is_shown(key, item)}
    names = [key for key in shown if key in _NAMING or key.endswith("_id")][:1]
    parts = [
        f"{spoken(key)} {_cell(key, shown[key], currency)}"
        for key in shown
        if key not in names and shown[key] is not True
    ]
    return ": ".join(
        [*(_cell(key, shown[key], "") for key in names), *([", ".join(parts)] if parts else [])]
    )


def _is_shown(key: str, item: object) -> bool:
    return (
        key not in _QUIET
        and not isinstance(item, Mapping | list)
        and item not in (None, "", False)
        and not _OPAQUE.search(str(item))
    )


def _record(value: Mapping[str, Any], question: str, tool: str) -> str:
    if isinstance(value.get("rows"), list) and isinstance(value.get("columns"), list):
        return _table(
            [
                dict(zip(map(str, value["columns"]), row, strict=False))
                for row in value["rows"]
                if isinstance(row, list)
            ],
            "",
        )
    lists = {key: item for key, item in value.items() if isinstance(item, list)}
    currency = str(value.get("currency", ""))
    main = [
        key for key, item in lists.items() if item and all(isinstance(one, Mapping) for one in item)
    ]
    if lists and not any(lists.values()) and set(value) <= {*lists, *_COUNTS, *_QUIET}:
        return sentence(f"I find none: {spoken(next(iter(lists)))}")
    head = {key: item for key, item in value.items() if not isinstance(item, list | Mapping)}
    if main and any(key in _COUNTS for key in head):
        return _list(lists[main[0]], question, tool, head, noun=spoken(main[0]))
    parts = [_verdict(head, question) or _named(head, question, currency)]
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            facts = _facts({**item, "currency": item.get("currency", currency)})
            parts.append(f"{_heading(key)}: {facts}.")
        elif key in main:
            parts += [f"{_heading(key)}:", _table(item, currency)]
        elif isinstance(item, list) and item:
            parts.append(f"{_heading(key)}: {', '.join(map(str, item[:MOST_ROWS]))}.")
    return "\n".join(part for part in parts if part)


def _heading(key: str) -> str:
    return sentence(spoken(key)).rstrip(".")


def _verdict(head: Mapping[str, Any], question: str) -> str:
    """Yes or no, where the question asks for something that the record says is so or not."""
    if not (_CHECKS.match(question) and question.rstrip().endswith("?")):
        return ""
    asked = {stem(word) for word in words(question)} - {stem(word) for word in STOP_WORDS}
    name = next((str(head[key]) for key in _NAMING if head.get(key)), "") or next(
        (str(item) for key, item in head.items() if key.endswith("_id")), "it"
    )
    for key, item in head.items():
        rest = {other: value for other, value in head.items() if other != key}
        if isinstance(item, bool) and asked & {stem(word) for word in words(spoken(key))}:
            what = spoken(key).removeprefix("is ")
            said = f"Yes, {name} is {what}" if item else f"No, {name} is not {what}"
            return f"{said}: {_facts(rest)}."
        if isinstance(item, str) and key in ("status", "state"):
            values = {stem(word) for word in words(spoken(item))}
            if asked & values:
                return f"Yes, {name} is {spoken(item)}: {_facts(rest)}."
    return ""


def _named(head: Mapping[str, Any], question: str, currency: str) -> str:
    """The record's values, those that the question names first."""
    asked = {stem(word) for word in words(question)} - {stem(word) for word in STOP_WORDS}
    first = {
        key: item
        for key, item in head.items()
        if {stem(word) for word in words(spoken(key))} & asked and key not in _NAMING
    }
    names = {key: item for key, item in head.items() if key in _NAMING}
    facts = _facts({**names, **first, **head, "currency": currency})
    return sentence(facts) if facts else ""


def _list(
    items: Sequence[Any], question: str, tool: str, head: Mapping[str, Any], noun: str = ""
) -> str:
    if items and not all(isinstance(item, Mapping) for item in items):
        return f"{len(items)}: {', '.join(map(str, items[:MOST_ROWS]))}."
    if items and all(isinstance(item.get("text"), str) for item in items):
        return "\n\n".join(_section(item) for item in items[:3])
    noun = (
        noun or spoken(re.sub(r"^(?:list|get|find|search|show|check|read)_", "", tool)) or "records"
    )
    count = next(
        (head[key] for key in head if key in _COUNTS and isinstance(head[key], int)), len(items)
    )
    if not items and not count:
        return sentence(f"I find none: {noun}")
    currency = str(head.get("currency") or (items[0].get("currency", "") if items else ""))
    totals = [
        f"{spoken(key)} {_cell(key, item, currency)}"
        for key, item in head.items()
        if key not in _COUNTS and _is_shown(key, item)
    ]
    if not totals and currency and len(items) > 1 and (key := _summed(items)):
        total = sum(float(item[key]) for item in items)
        totals = [f"{_cell(key, total, currency)} in all"]
    yes = (
        "Yes: "
        if ASKS.match(question) and _CHECKS.match(question) and question.rstrip().endswith("?")
        else ""
    )
    noun = noun if count != 1 or not noun.endswith("s") else noun.removesuffix("s")
    opening = f"{yes}{count} {noun}" + (f", {', '.join(totals)}" if totals else "")
    return f"{sentence(opening)}\n{_table(items, currency, int(count))}"


def _summed(items: Sequence[Mapping[str, Any]]) -> str:
    """The key of the first sums of money that all rows have; empty where there are none."""
    keys = (key for key in items[0] if not _NO_MONEY & set(key.split("_")))
    return next(
        (key for key in keys if all(isinstance(item.get(key), float) for item in items)), ""
    )


def _section(item: Mapping[str, Any]) -> str:
    names = [str(item[key]) for key in ("title", "heading") if item.get(key)]
    heading = ", ".join(dict.fromkeys([names[0], names[-1]])) if names else ""
    return f"{heading}: {shortened(str(item['text']), SECTION_CHARS)}".removeprefix(": ")


def _table(items: Sequence[Mapping[str, Any]], currency: str, count: int = 0) -> str:
    """Rows under their columns' titles; a longer list ends with how many more there are."""
    if not items:
        return "No rows."
    keys = [
        key for key in items[0] if any(_is_shown(key, item.get(key)) for item in items[:MOST_ROWS])
    ]
    varied = [
        key for key in keys if len(items) < 2 or len({str(item.get(key)) for item in items}) > 1
    ]
    keys = (varied or keys)[:MOST_COLUMNS]
    titles = [_title(key, items, currency) for key in keys]
    lines = [" | ".join(titles), " | ".join("---" for _ in titles)]
    lines += [
        " | ".join(_cell(key, item.get(key), "") for key in keys) for item in items[:MOST_ROWS]
    ]
    more = max(count, len(items)) - min(len(items), MOST_ROWS)
    lines += (
        [f"… and {more} more; ask for a part of them, by name, state or time."] if more > 0 else []
    )
    return "\n".join(lines)


def _title(key: str, items: Sequence[Mapping[str, Any]], currency: str) -> str:
    unit = currency or str(items[0].get("currency", ""))
    money = unit and isinstance(items[0].get(key), float)
    return f"{_heading(key)} ({unit})" if money else _heading(key)


def _cell(key: str, value: object, currency: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "\u2013"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, float):
        money = currency and not _NO_MONEY & set(key.split("_"))
        plain = f"{value:,.2f}" if money or round(value, 2) != int(value) else f"{value:,.0f}"
        return f"{plain} {currency}" if money else plain
    return shortened(
        spoken(str(value)) if key in ("status", "state", "kind") else str(value), CELL_CHARS
    )


def shortened(text: str, most: int) -> str:
    """The beginning of a text, as many whole words as `most` characters hold."""
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} \u2026"
