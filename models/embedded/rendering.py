"""Tool results as short readable text: key facts first, lists as lines, nothing added."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from models.embedded.words import stems

MAX_LINES: Final = 12
MAX_CHARS: Final = 1400
MAX_SECTION_CHARS: Final = 500
REST: Final = "… and more than fits here; ask for a part of it."
MAX_LINKS: Final = 3
LINK_KEYS: Final = 2
_LINK: Final = re.compile(r"[A-Z]{2,6}-\d{3,8}\b(?! [A-Z])")
_NAMING: Final = ("id", "invoice_id", "order_id", "refund_id", "name", "title", "policy", "heading")
_QUIET: Final = frozenset({"currency", "undo"})
_BARE: Final = frozenset({"percent", "rate", "share", "average", "per", "ratio", "score"})
_FIGURE: Final = re.compile(r"(COUNT|SUM|AVG|MIN|MAX)\((?:DISTINCT )?([\w.]+|\*)\)$", re.IGNORECASE)
_FIGURES: Final[Mapping[str, str]] = {
    "COUNT": "count",
    "SUM": "total",
    "AVG": "average",
    "MIN": "lowest",
    "MAX": "highest",
}
_NOT_RUN: Final = "Not run. Do not repeat this call"


def spoken(name: str) -> str:
    """A tool's or key's name as words."""
    return name.replace("_", " ")


def render(text: str, question: str = "") -> str:
    """A result as lines; what the question names comes first.

    Args:
        text: what the tool returned, JSON or plain text.
        question: the user's question.
    """
    try:
        value = json.loads(text)
    except ValueError:
        return _shortened(text.strip(), MAX_CHARS)
    return _shortened("\n".join(_lines(value, frozenset(stems(question)))), MAX_CHARS)


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
        hint = f" {_sentence(str(error['hint']))}" if error.get("hint") else ""
        return (
            f"{_sentence(spoken(tool) + ' did not work: ' + str(error.get('message', '')))}{hint}"
        )
    if declined(text):
        reason = text.removeprefix(_NOT_RUN).strip(" :.")
        return _sentence(f"{spoken(tool)} was not run" + (f": {reason}" if reason else ""))
    return _sentence(f"{spoken(tool)}: {_shortened(text.removeprefix('Error.').strip(), 400)}")


def _sentence(text: str) -> str:
    plain = text.strip()
    return plain[:1].upper() + plain[1:] + ("" if plain.endswith((".", "!", "?")) else ".")


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    if "\n" in text[most // 2 : most]:
        whole = text[:most].rsplit("\n", 1)[0]
        return f"{whole}\n{REST}"
    return f"{text[:most].rsplit(' ', 1)[0]} …"


def _lines(value: object, wanted: frozenset[str]) -> list[str]:
    if isinstance(value, Mapping):
        return _mapping_lines(value, wanted)
    if isinstance(value, list):
        return _list_lines(value, "", wanted)
    return [_plain(value, "")]


def _mapping_lines(value: Mapping[str, Any], wanted: frozenset[str]) -> list[str]:
    if "rows" in value and "columns" in value:
        return _table_lines(value)
    currency = str(value.get("currency", ""))
    linked = {key: joined for key, item in value.items() if (joined := _links(item))}
    facts = _facts({**value, **linked}, currency, wanted)
    lines = [facts] if facts else []
    for key, item in value.items():
        if key in linked:
            continue
        if isinstance(item, list) and item:
            lines.append(f"{spoken(key)}:")
            lines += _list_lines(item, currency, wanted)
        elif isinstance(item, list):
            lines.append(f"{spoken(key)}: none")
    return lines


def _links(item: object) -> str:
    """A list of other records that gives little more than their ids, as one line."""
    if not isinstance(item, list) or not item or len(item) > MAX_LINKS:
        return ""
    if not all(isinstance(one, Mapping) and "id" in one and len(one) <= LINK_KEYS for one in item):
        return ""
    return ", ".join(_link(one) for one in item)


def _link(record: Mapping[str, Any]) -> str:
    rest = [str(value) for key, value in record.items() if key != "id"]
    return f"{record['id']} ({', '.join(rest)})" if rest else str(record["id"])


def _table_lines(value: Mapping[str, Any]) -> list[str]:
    """Rows under their columns; a single one as "name: value", which reads as an answer."""
    columns = [str(name) for name in value["columns"]]
    rows = [
        [_cell(name, cell) for name, cell in zip(columns, row, strict=True)]
        for row in value["rows"]
    ]
    heads = [_heading(name) for name in columns]
    if len(rows) == 1:
        return ["; ".join(f"{head}: {cell}" for head, cell in zip(heads, rows[0], strict=True))]
    lines = [" | ".join(row) for row in rows]
    more = [f"… {len(rows) - MAX_LINES} more rows"] if len(rows) > MAX_LINES else []
    return (
        [" | ".join(heads), *lines[:MAX_LINES], *more] if rows else [" | ".join(heads), "no rows"]
    )


def _heading(name: str) -> str:
    """A column of a query as words: SUM(orders.amount_cents) is the total amount."""
    plain = name.strip()
    if not (found := _FIGURE.match(plain)):
        return spoken(plain.removesuffix("_cents")) if plain.isidentifier() else plain
    column = found[2].split(".")[-1]
    what = "" if column == "*" else spoken(column.removesuffix("_cents"))
    return f"{_FIGURES[found[1].upper()]} {what}".strip()


def _cell(name: str, value: object) -> str:
    """A value of a query's row; cents as money with two decimals."""
    counted = name.upper().startswith("COUNT(")
    if "_cents" in name and "/" not in name and not counted and isinstance(value, int | float):
        return f"{value / 100:.2f}"
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return _plain(value, "")


def _list_lines(items: Sequence[Any], currency: str, wanted: frozenset[str]) -> list[str]:
    lines = [f"- {_item(item, currency, wanted)}" for item in items[:MAX_LINES]]
    return lines + ([f"… and {len(items) - MAX_LINES} more"] if len(items) > MAX_LINES else [])


def _item(item: object, currency: str, wanted: frozenset[str]) -> str:
    if not isinstance(item, Mapping):
        return _plain(item, "")
    if isinstance(item.get("text"), str):
        names = [str(item[key]) for key in ("title", "policy", "heading") if item.get(key)]
        heading = ", ".join(dict.fromkeys([names[0], names[-1]])) if names else ""
        return f"{heading}: {_shortened(item['text'], MAX_SECTION_CHARS)}".removeprefix(": ")
    return _facts(item, str(item.get("currency", currency)), wanted)


def _facts(value: Mapping[str, Any], currency: str, wanted: frozenset[str]) -> str:
    """The scalar values: the name, what was asked for, ids of other records, then the rest."""
    shown = {
        key: item
        for key, item in value.items()
        if key not in _QUIET
        and not isinstance(item, Mapping | list)
        and (item not in (None, "", 0) or (item == 0 and set(stems(spoken(key))) & wanted))
    }
    named = [key for key in _NAMING if key in shown][:1]
    asked = [key for key in shown if key not in named and set(stems(spoken(key))) & wanted]
    links = [key for key in shown if key not in (*named, *asked) and _LINK.match(str(shown[key]))]
    rest = [key for key in shown if key not in (*named, *asked, *links)]
    parts = [
        f"{spoken(key)}: {_amount(key, shown[key], currency)}" for key in (*asked, *links, *rest)
    ]
    names = [str(shown[key]) for key in named]
    return ": ".join([*names, *(["; ".join(parts)] if parts else [])])


def _amount(key: str, value: object, currency: str) -> str:
    return _plain(value, "" if _BARE & set(key.split("_")) else currency)


def _plain(value: object, currency: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f} {currency}".strip() if currency else f"{value:g}"
    return "none" if value is None else str(value)
