"""A question for figures as one SELECT: how many, how much, per what, of which, since when.

A query is written only when every content word of the question is explained by the tables; what
holds one word more is another tool's, or nobody's.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from models.embedded.patterns import ISO_MONTH, MONTH, months, shifted
from models.embedded.schema import Table
from models.embedded.speech import core
from models.embedded.words import STOP_WORDS, stem, stem_set, stems, words

_MEASURES: Final[Mapping[str, re.Pattern[str]]] = {
    "AVG": re.compile(r"\b(?:average|mean|avg)\b", re.I),
    "MAX": re.compile(r"\b(?:highest|largest|biggest|maximum|max)\b", re.I),
    "MIN": re.compile(r"\b(?:lowest|smallest|minimum|min)\b", re.I),
    "COUNT": re.compile(r"\b(?:how many|number of|count(?: of)?)\b", re.I),
    "SUM": re.compile(r"\b(?:total|sum|how much|altogether|in all|overall)\b", re.I),
}
_GROUP: Final = re.compile(
    r"\b(?:(?:split|broken down|grouped|sorted) )?(?:per|by|(?:for|in) (?:each|every)|each)"
    r" (?:the )?([a-z_]+(?: [a-z_]+)?)\b",
    re.IGNORECASE,
)
_SKU: Final = re.compile(r"\b[A-Z]{2,4}-[A-Z][A-Z0-9]{2,}\b")
_SINCE: Final = re.compile(
    r"\b(since|from|after|before|until|till)\s+(?:the (?:start|end) of )?$", re.I
)
_SOLD: Final = re.compile(r"\b(?:sold|sell|sold so far|units?|pieces?|quantity)\b", re.IGNORECASE)
_EXPLAINED: Final = stem_set(
    "many much number count total sum average mean avg highest largest biggest maximum max lowest"
    " smallest minimum min altogether overall time ever far currently today there exist made make"
    " give given figure figures show list tell split broken down grouped by per each every all only"
    " just now ones one instead and so year whole sku sold sell unit piece quantity different"
    " across over everything got get already sit right still entire"
    " since from after before until till start end thing table database records rows our month"
)
_POINTING: Final = re.compile(
    r"\b(?:they|them|their|it|its|he|she|him|her|this|that|those|these|my|your)\b", re.IGNORECASE
)
_WHICH: Final = re.compile(r"(?:which|what)(?: of our)? (\w+)\b", re.IGNORECASE)
_ONLY: Final = re.compile(
    r"\b(?:just|only)? ?(?:the |their )?(?:names?|ids?)(?: only| are enough)?\b", re.I
)
_LITERAL: Final = r"(\b{column}\s*(?:=|LIKE|>=|<)\s*)'[^']*'"
_TAIL: Final = re.compile(r"\s+(?=(?:GROUP BY|ORDER BY|LIMIT)\b)", re.IGNORECASE)
_FROM: Final = re.compile(r"\bFROM\s+(\w+)", re.IGNORECASE)
MAX_UNKNOWN: Final = 2


@dataclass(frozen=True, slots=True)
class _Said:
    """What a question says of one table.

    Attributes:
        conditions: for each column, operator and value.
        explained: stems of the words that are used up.
    """

    conditions: Mapping[str, tuple[str, str]]
    group: str
    explained: frozenset[str]


def compose(text: str, tables: Sequence[Table], today: date) -> str:
    """A SELECT for a question; empty when the tables do not explain all of it.

    Args:
        text: one request.
        tables: what may be read.
        today: what "since April" counts from.
    """
    if _POINTING.search(text):
        return ""  # "how much did we refund them" is about somebody
    measure = next((name for name, pattern in _MEASURES.items() if pattern.search(text)), "")
    if not measure and _WHICH.match(core(text)):
        return _listed(text, tables, today)
    table = _table_of(text, tables) if measure else None
    if table is None:
        return ""
    said = _read(text, table, today)
    if said is None or not _explains(text, table, said):
        return ""
    if any(sign == "LIKE" for sign, _ in said.conditions.values()):
        return ""  # figures of one month are a report's
    plain = stems(_GROUP.sub(" ", text))
    column = table.named_figure(plain) if measure == "COUNT" else table.numeric(plain)
    if measure == "COUNT" and not column and "quantity" in table.columns:
        column = "quantity"
    if measure != "COUNT" and not column:
        return ""
    what = f"{'SUM' if measure == 'COUNT' else measure}({column})" if column else "COUNT(*)"
    where = " AND ".join(
        f"{name} {sign} '{value}'" for name, (sign, value) in said.conditions.items()
    )
    sql = f"SELECT {f'{said.group}, ' if said.group else ''}{what} FROM {table.name}"
    sql += f" WHERE {where}" if where else ""
    return sql + (f" GROUP BY {said.group}" if said.group else "")


def _listed(text: str, tables: Sequence[Table], today: date) -> str:
    """A SELECT of the rows that a "which … are …" describes completely."""
    found = _WHICH.match(core(text))
    table = next((one for one in tables if found and one.is_named(stems(found[1]))), None)
    said = _read(text, table, today) if table else None
    if table is None or said is None or not said.conditions or not table.label:
        return ""
    if said.group or not _explains(_ONLY.sub(" ", text), table, said):
        return ""
    if any(sign == "LIKE" for sign, _ in said.conditions.values()):
        return ""
    where = " AND ".join(
        f"{name} {sign} '{value}'" for name, (sign, value) in said.conditions.items()
    )
    return f"SELECT {table.label} FROM {table.name} WHERE {where}"


def amended(text: str, sql: str, tables: Sequence[Table], today: date) -> str:
    """An earlier query with what a short text changes: "now for enterprise", "only since April".

    Empty when the text says more than that, or nothing of the query's table.
    """
    named = _FROM.search(sql)
    table = next((one for one in tables if named and one.name == named[1].lower()), None)
    said = _read(text, table, today) if table else None
    if table is None or said is None or not (said.conditions or said.group):
        return ""
    if not _explains(text, table, said):
        return ""
    for column, (sign, value) in said.conditions.items():
        known = re.compile(_LITERAL.format(column=column), re.IGNORECASE)
        if known.search(sql):
            sql = known.sub(f"{column} {sign} '{value}'", sql, count=1)
        else:
            sql = _with_condition(sql, f"{column} {sign} '{value}'")
    if said.group and "GROUP BY" not in sql.upper():
        sql = f"{re.sub(r'(?i)^select ', f'SELECT {said.group}, ', sql)} GROUP BY {said.group}"
    return sql


def _with_condition(sql: str, condition: str) -> str:
    head, *tail = _TAIL.split(sql, maxsplit=1)
    link = "AND" if re.search(r"\bWHERE\b", head, re.IGNORECASE) else "WHERE"
    return " ".join([head.rstrip("; "), link, condition, *tail])


def _table_of(text: str, tables: Sequence[Table]) -> Table | None:
    """The table whose rows or figures are asked for, which the words before "per" name."""
    plain = stems(_GROUP.sub(" ", text))
    if _SKU.search(text) or _SOLD.search(text):
        sold = [one for one in tables if {"sku", "quantity"} <= set(one.columns)]
        return sold[0] if sold else None
    named = [one for one in tables if one.is_named(plain)]
    named = named or [one for one in tables if one.named_figure(plain)]
    return named[0] if len(named) == 1 else None


def _read(text: str, table: Table, today: date) -> _Said | None:
    """Conditions and grouping; None when a grouping names no column."""
    conditions: dict[str, tuple[str, str]] = {}
    explained: set[str] = set()
    for column, value, word in table.conditions(text):
        conditions[column] = ("=", value)
        explained |= set(stems(word))
    if "sku" in table.columns and (code := _SKU.search(text)):
        conditions["sku"] = ("=", code[0])
        explained |= set(stems(code[0]))
    conditions |= _when(text, table, today)
    group = _GROUP.search(text)
    column = ""
    if group:
        column = table.column(stems(group[1])) or table.column(stems(group[1].split()[0]))
        if not column:
            return None
        explained |= set(stems(group[1])) & (set(stems(column.replace("_", " "))) | table.stems)
    return _Said(conditions, column, frozenset(explained))


def _when(text: str, table: Table, today: date) -> dict[str, tuple[str, str]]:
    found = next(iter([*MONTH.finditer(text), *ISO_MONTH.finditer(text)]), None)
    if found is None or not table.date:
        return {}
    month = months(f"in {found[0]}", today)[0]
    lead = _SINCE.search(text[: found.start()])
    word = lead[1].lower() if lead else ""
    if word in ("since", "from"):
        return {table.date: (">=", f"{month}-01")}
    if word == "after":
        return {table.date: (">=", f"{shifted(month, 1)}-01")}
    if word:
        return {table.date: ("<", f"{month}-01")}
    return {table.date: ("LIKE", f"{month}%")}


def _explains(text: str, table: Table, said: _Said) -> bool:
    """Whether nothing is left; a code's own name may stand beside it: "gateways, HW-GATE"."""
    plain = MONTH.sub(" ", _SKU.sub(" ", core(text)))
    columns = {part for one in table.columns for part in stems(one.replace("_", " "))}
    known: Collection[str] = _EXPLAINED | said.explained | table.stems | columns
    left = [
        one
        for one in words(plain)
        if one not in STOP_WORDS and not one.isdigit() and stem(one) not in known
    ]
    return len(left) <= (MAX_UNKNOWN if "sku" in said.conditions else 0)
