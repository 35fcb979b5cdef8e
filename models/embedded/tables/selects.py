"""One SELECT as its clauses: put together from a question, or taken apart to be amended."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

_CLAUSE: Final = re.compile(
    r"\b(SELECT|FROM|WHERE|GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT|UNION|EXCEPT|INTERSECT|WITH|OFFSET)\b",
    re.IGNORECASE,
)
_KNOWN: Final = ("SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT")
_SOURCE: Final = re.compile(
    r"(?:^|\bJOIN\s+|,\s*)([a-z_]+)(?:\s+(?:AS\s+)?"
    r"(?!(?:join|left|inner|on|outer|cross|using|indexed)\b)([a-z_]\w*))?",
    re.IGNORECASE,
)
_AGGREGATE: Final = re.compile(r"\b(?:count|sum|avg|min|max|round|total)\s*\(", re.IGNORECASE)
_CLEARED: Final = "x"


@dataclass(frozen=True, slots=True)
class Select:
    """The clauses of a query, each as SQL without its keyword.

    Attributes:
        what: the columns of the result.
        source: tables and their joins.
        where: conditions that must all hold.
    """

    what: tuple[str, ...]
    source: str
    where: tuple[str, ...] = ()
    group: str = ""
    having: str = ""
    order: str = ""
    limit: str = ""

    @property
    def base(self) -> str:
        """The first table."""
        return self.source.split()[0].lower()

    @property
    def aggregate(self) -> bool:
        """Whether the result is figures over rows, not the rows."""
        return any(_AGGREGATE.search(one) for one in self.what)

    @property
    def tables(self) -> dict[str, str]:
        """The tables that are read, each with the name that the query has for it."""
        return {name.lower(): alias or name for name, alias in _SOURCE.findall(self.source)}

    @property
    def sql(self) -> str:
        """The statement; columns carry their table only where there are several."""
        clauses = [
            ("SELECT", ", ".join(self.what)),
            ("FROM", self.source),
            ("WHERE", " AND ".join(self.where)),
            ("GROUP BY", self.group),
            ("HAVING", self.having),
            ("ORDER BY", self.order),
            ("LIMIT", self.limit),
        ]
        text = " ".join(f"{word} {clause}" for word, clause in clauses if clause)
        if len(self.source.split()) > 1:
            return text
        return re.sub(rf"\b{self.source}\.(?=[a-z_])", "", text)

    def qualified(self, columns: Iterable[str]) -> "Select":
        """The query with its only table before its columns, so that others can be joined."""
        own = rf"(?<![\w.'])({'|'.join(columns)})\b(?!\s*\()"
        said = rf"{self.tables[self.base]}.\1"
        return replace(
            self,
            what=tuple(re.sub(own, said, one) for one in self.what),
            where=tuple(re.sub(rf"^{own}", said, one) for one in self.where),
            group=re.sub(own, said, self.group),
            order=re.sub(own, said, self.order),
        )

    def on(self, column: str) -> list[str]:
        """The conditions on a column."""
        own = re.compile(rf"^\(?(?:\w+\.)?{column}\b", re.IGNORECASE)
        return [one for one in self.where if own.match(one)]

    def narrowed(self, columns: Iterable[str], conditions: Sequence[str]) -> "Select":
        """The query with conditions in the place of those it has on the columns."""
        old = [one for column in columns for one in self.on(column)]
        kept = [one for one in self.where if one not in old]
        added = [one for one in conditions if one not in kept]
        return replace(self, where=(*kept, *added))


def parsed(sql: str) -> Select | None:
    """The clauses of a plain SELECT; None when it holds others or more than one."""
    text = " ".join(sql.split()).strip(" ;")
    hidden = _hidden(text)
    found = list(_CLAUSE.finditer(hidden))
    words = [" ".join(one[0].upper().split()) for one in found]
    if words[:2] != ["SELECT", "FROM"] or found[0].start() != 0:
        return None
    if len(set(words)) != len(words) or not set(words) <= set(_KNOWN):
        return None
    ends = [one.start() for one in found[1:]] + [len(text)]
    held = {
        word: text[one.end() : end].strip()
        for word, one, end in zip(words, found, ends, strict=True)
    }
    where = held.get("WHERE", "")
    return Select(
        what=tuple(_split(held["SELECT"], r",")),
        source=held["FROM"],
        where=tuple(_conjuncts(where)),
        group=held.get("GROUP BY", ""),
        having=held.get("HAVING", ""),
        order=held.get("ORDER BY", ""),
        limit=held.get("LIMIT", ""),
    )


def _hidden(text: str) -> str:
    """The text with what is in brackets or quotes made one letter, its length kept."""
    cover = re.compile(r"'[^']*'|\([^()]*\)")
    while found := cover.search(text):
        text = text[: found.start()] + _CLEARED * len(found[0]) + text[found.end() :]
    return text


def _split(text: str, separator: str) -> list[str]:
    ends = [one.span() for one in re.finditer(separator, _hidden(text), re.IGNORECASE)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [text[a:b].strip() for a, b in zip(starts, stops, strict=True) if text[a:b].strip()]


def _conjuncts(text: str) -> list[str]:
    """The conditions between AND, a BETWEEN in one piece, alternatives in brackets."""
    if len(_split(text, r"\bOR\b")) > 1:
        return [f"({text})"]
    found: list[str] = []
    for one in _split(text, r"\bAND\b"):
        if found and re.search(r"\bBETWEEN\s+\S+$", found[-1], re.IGNORECASE):
            found[-1] = f"{found[-1]} AND {one}"
        else:
            found.append(one)
    return found
