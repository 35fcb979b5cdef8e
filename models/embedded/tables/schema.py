"""The tables a query may read, as an expert's brief describes them, and what is said of them."""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from configs.expert import ExpertConfig
from models.embedded.countries import COUNTRIES
from models.embedded.frames import arguments_in
from models.embedded.scene import Scene
from models.embedded.tables.sayings import VALUES, said_for, table_said
from models.embedded.words import stems

_TABLE: Final = re.compile(r"\b([a-z_]+)\(((?:[a-z_]+, )+[a-z_]+)\)")
_VALUES: Final = re.compile(r"\b([a-z_]+)\.([a-z_]+) is ([^.;]+? or [^.;]+?)(?=[.;])")
_GLOSS: Final = re.compile(r"^(.+?)(?: \(([^)]+)\))?$")
_DATES: Final = ("_on", "day", "_since", "_at", "date")
_WORDS: Final = frozenset({"IN", "IT", "NO", "BE", "AT"})  # codes that are words in capitals
_TEXTS: Final = frozenset({"status", "address", "postal_code"})

Named = tuple[str, str]  # table and column


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its columns and, for some of them, all values there are.

    Attributes:
        glosses: for a value that is a code, what people call it.
    """

    name: str
    columns: tuple[str, ...]
    values: Mapping[str, Sequence[str]]
    glosses: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The column that others refer to."""
        return self.columns[0]

    @property
    def label(self) -> str:
        """The column that a row is known by: its name, else its id."""
        return next((one for one in ("name", "id") if one in self.columns), self.key)

    @property
    def dates(self) -> list[str]:
        """The columns that say when, that of the row itself first."""
        return [one for one in self.columns if one.endswith(_DATES)]

    @property
    def money(self) -> list[str]:
        """The columns with sums of money, in cents."""
        return [one for one in self.columns if one.endswith("_cents")]

    @property
    def counts(self) -> list[str]:
        """The columns with figures that are no money."""
        return [
            one
            for one in self.columns
            if one == "quantity"
            or (one.endswith("s") and one not in _TEXTS and not one.endswith("_cents"))
        ]

    @property
    def figures(self) -> list[str]:
        """All columns that can be summed or compared with a figure."""
        return [*self.money, *self.counts]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question that name something of the tables; what, the question decides."""

    start: int
    end: int
    tables: tuple[str, ...] = ()
    columns: tuple[Named, ...] = ()
    values: tuple[tuple[str, str, str], ...] = ()


class Schema:
    """All tables of a brief, how they hang together, and the words for them.

    Attributes:
        reported: stems of what the expert's monthly reports answer.
    """

    def __init__(self, tables: Sequence[Table], reported: frozenset[str] = frozenset()) -> None:
        """Find the references between the tables and compile the words."""
        self.tables = {one.name: one for one in tables}
        self.reported = reported
        self._parents = {one.name: dict(self._references(one)) for one in tables}
        self._words = [*self._table_words(), *self._column_words(), *self._value_words()]

    def _references(self, table: Table) -> Iterator[Named]:
        """The other tables a table refers to, with its column: customer_id, or a shared key."""
        for column in table.columns:
            for other in self.tables.values():
                one = other.name.removesuffix("s")
                shared = column == other.key != "id" and not column.endswith("_id")
                if other is not table and (column == f"{one}_{other.key}" or shared):
                    yield other.name, column

    def climb(self, table: str, ancestor: str) -> list[str] | None:
        """The tables from one to another that it refers to, nearest way; None if there is none."""
        ways = deque([[table]])
        while ways:
            way = ways.popleft()
            if way[-1] == ancestor:
                return way
            ways.extend([*way, one] for one in self._parents[way[-1]] if one not in way)
        return None

    def reference(self, table: str, parent: str) -> str:
        """The column by which a table refers to another one."""
        return self._parents[table][parent]

    def below(self, base: str, target: str) -> list[str] | None:
        """The way from the nearest table that belongs to `base` and leads to `target`, up to base.

        Customers and products meet in the order lines; None where nothing joins them.
        """
        found = [
            (len(up) + len(over), up)
            for one in self.tables
            if one != base and (up := self.climb(one, base)) and (over := self.climb(one, target))
        ]
        return min(found)[1] if found else None

    @property
    def party(self) -> str:
        """The table of whom "who" asks for: with names, and where they are; empty if none."""
        return next(
            (
                one.name
                for one in self.tables.values()
                if "name" in one.columns and {"email", "contact", "city"} & set(one.columns)
            ),
            "",
        )

    def mentions(self, text: str) -> list[Mention]:
        """What a text names, the longest words first, in the order of the text."""
        spans: dict[tuple[int, int], list[Mention]] = {}
        for pattern, what in self._words:
            for found in pattern.finditer(text):
                spans.setdefault(found.span(), []).append(what)
        kept: list[Mention] = []
        for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
            if all(end <= one.start or start >= one.end for one in kept):
                kept.append(_joined(start, end, spans[start, end]))
        return sorted(kept, key=lambda one: one.start)

    def _table_words(self) -> Iterator[tuple[re.Pattern[str], Mention]]:
        for name in self.tables:
            yield _words(table_said(name)), Mention(0, 0, tables=(name,))

    def _column_words(self) -> Iterator[tuple[re.Pattern[str], Mention]]:
        for table in self.tables.values():
            for column in table.columns:
                what = Mention(0, 0, columns=((table.name, column),))
                yield _words(said_for(column)), what

    def _value_words(self) -> Iterator[tuple[re.Pattern[str], Mention]]:
        for table in self.tables.values():
            for column, values in table.values.items():
                for value in values:
                    what = Mention(0, 0, values=((table.name, column, value),))
                    yield _words(_value_said(value, table.glosses)), what
            if "country" in table.columns:
                for code in sorted({*COUNTRIES.values()} - _WORDS):
                    what = Mention(0, 0, values=((table.name, "country", code),))
                    yield re.compile(rf"(?:[Tt]he )?\b{code}\b(?!-)"), what
                for name, code in COUNTRIES.items():
                    what = Mention(0, 0, values=((table.name, "country", code),))
                    yield _words(rf"(?:the )?{re.escape(name)}"), what


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-]*\w)", re.IGNORECASE)


def _joined(start: int, end: int, found: Sequence[Mention]) -> Mention:
    return Mention(
        start,
        end,
        tuple(dict.fromkeys(name for one in found for name in one.tables)),
        tuple(dict.fromkeys(name for one in found for name in one.columns)),
        tuple(dict.fromkeys(name for one in found for name in one.values)),
    )


def _value_said(value: str, glosses: Mapping[str, str]) -> str:
    own = VALUES.get(value, rf"{re.escape(value).replace(chr(92) + ' ', '[ -]')}s?")
    if value not in glosses:
        return own
    said = glosses[value].removesuffix("s")
    words = [one for one in said.split() if _is_telling(one, value, glosses)]
    return "|".join([own, rf"{re.escape(said)}s?", *(rf"{re.escape(one)}s?" for one in words)])


def _is_telling(word: str, value: str, glosses: Mapping[str, str]) -> bool:
    """Whether no other code's words have this one; not a word that describes: "data migration"."""
    others = " ".join(said for code, said in glosses.items() if code != value).split()
    alone = word.removesuffix("s")
    last = glosses[value].removesuffix("s").split()[-1] == word
    return last and alone not in {one.removesuffix("s") for one in others}


def read_tables(brief: str) -> tuple[Table, ...]:
    """The tables a brief lists: "orders(id, customer_id, …)", "orders.status is open or paid".

    A value may have a gloss: "products.sku is HW-GATE (edge gateway) or HW-KEY (security keys)".
    """
    plain = " ".join(brief.split())
    values: dict[str, dict[str, Sequence[str]]] = {}
    glosses: dict[str, dict[str, str]] = {}
    for found in _VALUES.finditer(plain):
        listed = [_GLOSS.match(one.strip()) for one in re.split(r", | or ", found[3])]
        own = [(one[1], one[2] or "") for one in listed if one]
        values.setdefault(found[1], {})[found[2]] = [value for value, _ in own]
        glosses.setdefault(found[1], {}).update({value: said for value, said in own if said})
    return tuple(
        Table(
            found[1],
            tuple(found[2].split(", ")),
            values.get(found[1], {}),
            glosses.get(found[1], {}),
        )
        for found in _TABLE.finditer(plain)
    )


def read_schema(expert: ExpertConfig) -> Schema:
    """The tables of an expert's brief, with what its monthly reports answer."""
    reports = [one for one in expert.tools if "in a month" in one.description]
    told = " ".join(f"{one.name.replace('_', ' ')} {one.description}" for one in reports)
    return Schema(read_tables(expert.brief), frozenset(stems(told)))


def query_tool(expert: ExpertConfig, scene: Scene) -> tuple[str, str] | None:
    """The expert's tool that takes a query, with the name of that argument."""
    for tool in expert.tools:
        for one in arguments_in(scene, tool.name):
            if one.kind == "sql" and tool.effect == "read_only":
                return tool.name, one.name
    return None
