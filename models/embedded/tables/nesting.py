"""Conditions of a query on its own rows, on rows they refer to, and on rows that belong to them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from models.embedded.tables.questions import Question
from models.embedded.tables.schema import Mention, Schema


@dataclass(slots=True)
class Clauses:
    """Conditions of a query over a base table, with the tables they need.

    Attributes:
        taken: mentions that are used up.
        joined: other tables that the query reads besides the base.
        columns: the columns that have a condition.
    """

    base: str
    where: list[str] = field(default_factory=list)
    joined: set[str] = field(default_factory=set)
    columns: list[str] = field(default_factory=list)
    taken: list[Mention] = field(default_factory=list)
    inner: dict[tuple[str, bool], list[str]] = field(default_factory=dict)
    failed: bool = False

    def add(self, column: str, condition: str) -> None:
        """A condition on a column of the base or of a table it refers to."""
        self.columns.append(column)
        self.where.append(condition)


def joins(base: str, tables: Sequence[str] | set[str], schema: Schema) -> str:
    """The base with the tables on the way to others, as the text after FROM."""
    text, seen = base, {base}
    for target in sorted(tables):
        way = schema.climb(base, target) or [base]
        for child, parent in pairwise(way):
            if parent not in seen:
                seen.add(parent)
                key = schema.tables[parent].key
                reference = schema.reference(child, parent)
                text += f" JOIN {parent} ON {parent}.{key} = {child}.{reference}"
    return text


def quoted(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


class Nesting:
    """Puts conditions where they belong: joined to the base, or in a query of their own."""

    def __init__(
        self, question: Question, base: str, schema: Schema, day: str = "", size: str = ""
    ) -> None:
        """Start with no conditions.

        Args:
            question: what was asked.
            base: the table whose rows are meant.
            schema: all tables.
            day: the date column that times are about where no verb says otherwise.
            size: the column that a number without a noun is compared with.
        """
        self.question, self.schema = question, schema
        self.day, self.size = day, size
        self.found = Clauses(base)

    def _reach(self, table: str) -> bool:
        """Whether a table's columns can be used in the base's own conditions."""
        way = self.schema.climb(self.found.base, table)
        if way and len(way) > 1:
            self.found.joined.add(table)
        return bool(way)

    def _put(self, table: str, column: str, condition: str, *, wanted: bool = True) -> None:
        """A condition with `{}` for the qualified column, joined or nested."""
        way = self.schema.climb(self.found.base, table) or []
        if len(way) > 1 and column == self.schema.tables[table].key:
            table, column = way[-2], self.schema.reference(way[-2], table)
        text = condition.format(f"{table}.{column}")
        if self._reach(table):
            self.found.add(column, text)
        else:
            self.found.inner.setdefault((table, wanted), []).append(text)

    def _below(self, table: str) -> bool:
        """Whether rows of another table belong to a row of the base."""
        base = self.found.base
        return not self.schema.climb(base, table) and bool(self.schema.below(base, table))

    def _name(self, name: str, lead: str) -> None:
        party = self.schema.party
        if re.fullmatch(r"[A-Z]{2,6}-\d{3,8}", name):
            prefix = name.split("-")[0].lower()
            fits = [one for one in self.schema.tables.values() if one.name.startswith(prefix)]
            if not fits or fits[0].name != party or not self._identified(fits[0].name, name):
                self.found.failed = True
            return
        column = (
            "city"
            if lead in ("in", "near", "around")
            and party
            and "city" in self.schema.tables[party].columns
            else "name"
        )
        vague = column == "city" and name.isupper()  # "in DACH" is no town
        if vague or not party or not self._reach(party):
            self.found.failed = True
            return
        like = f"LIKE '%{name.replace(chr(39), chr(39) * 2)}%'"
        person = column == "name" and "contact" in self.schema.tables[party].columns
        if person and party == self.found.base:
            self.found.add(column, f"({party}.name {like} OR {party}.contact {like})")
        else:
            self._put(party, column, f"{{}} {like}")

    def _identified(self, table: str, key: str) -> bool:
        base = self.found.base
        if table == base:
            self.found.add("id", f"{base}.{self.schema.tables[base].key} = {quoted(key)}")
            return True
        way = self.schema.climb(base, table)
        if not way:
            return False
        reference = self.schema.reference(way[-2], table)
        self._put(way[-2], reference, f"{{}} = {quoted(key)}")
        return True

    def _nest(self) -> None:
        """Conditions of rows that belong to the base, as IN over those rows."""
        inner = dict(self.found.inner)
        for wanted in (True, False):
            targets = [table for table, is_wanted in inner if is_wanted is wanted]
            low = [one for one in targets if all(self._covers(one, other) for other in targets)]
            groups = [targets] if low else [[one] for one in targets]
            for group in groups:
                if group:
                    text = [one for table in group for one in inner[table, wanted]]
                    self._nested(group, text, wanted)

    def _covers(self, table: str, other: str) -> bool:
        way = self.schema.below(self.found.base, table)
        return bool(way and self.schema.climb(way[0], other))

    def _nested(self, targets: Sequence[str], conditions: Sequence[str], wanted: bool) -> None:
        ways = [way for one in targets if (way := self.schema.below(self.found.base, one))]
        if not ways:
            self.found.failed = True
            return
        way = max(ways, key=len)
        start, holder = way[0], way[-2]
        base = self.found.base
        column = self.schema.reference(holder, base)
        where = [one for one in conditions if not one.startswith("HAVING")]
        having = [one for one in conditions if one.startswith("HAVING")]
        if not wanted:
            where.append(f"{holder}.{column} IS NOT NULL")
        source = joins(start, {holder, *targets} - {start}, self.schema)
        text = f"SELECT {holder}.{column} FROM {source}"
        text += f" WHERE {' AND '.join(where)}" if where else ""
        text += f" GROUP BY {holder}.{column} {having[0]}" if having else ""
        if " JOIN " not in source:
            text = re.sub(rf"\b{start}\.(?=[a-z_])", "", text)
        key = self.schema.tables[base].key
        self.found.add(key, f"{base}.{key} {'IN' if wanted else 'NOT IN'} ({text})")
