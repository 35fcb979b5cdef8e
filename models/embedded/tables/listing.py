"""Rows that a question asks for, with the columns it names and in the order it says."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.tables.clauses import ClauseReader
from models.embedded.tables.composing import DATE_NOUN, is_listing
from models.embedded.tables.measuring import Measuring
from models.embedded.tables.nesting import Clauses
from models.embedded.tables.phrasing import column_of, role
from models.embedded.tables.schema import Mention
from models.embedded.tables.selects import Select

_WHO: Final = re.compile(r"^(?:and |now |so )*who(?:'?s|m)?\b", re.IGNORECASE)
_WHEN: Final = re.compile(r"\b(?:when|what date|what day)\b", re.IGNORECASE)
_DATED: Final = re.compile(
    r"(?:\bwith|\band|,)(?: (?:the|their|its))? (dates?)(?=\s*(?:,|\band\b|[.?!]|$))", re.IGNORECASE
)
_ADDRESS: Final[Sequence[str]] = ("street", "postal_code", "city", "country")
_LISTED: Final = re.compile(r"\b(?:list|overview|table|every|all)\b", re.IGNORECASE)
_ASKED: Final = re.compile(
    r"^(?:(?:and|so|now|on|in|to)\s+)*(?:which|what|who|whose|any|are there|is there|do we have)\b",
    re.I,
)


class Listing(Measuring):
    """Reads which rows are asked for, and what of them."""

    def _rows(self) -> Select | None:
        base = self.base()
        if not base:
            return None
        used = [one for one in self.question.mentions if base in one.tables]
        clauses = ClauseReader(self.question, base, self.schema).read(used)
        shown = self.columns(base, clauses)
        if not self._is_list(base, clauses, shown):
            return None
        if not self._is_ours(base, clauses, ""):
            return None
        what = self.shown(base, shown)
        if not self.question.names and all(map(self._is_state, what)):
            what[0] = f"DISTINCT {what[0]}"
        return self._from(base, clauses, what, order=self.order(base))

    def _is_state(self, name: str) -> bool:
        """Whether many rows share the values of a column."""
        table, _, column = name.partition(".")
        states = {*self.schema.tables[table].values, "country", "city"}
        return column in states and column != self.schema.tables[table].key

    def _is_list(self, base: str, clauses: Clauses, shown: Sequence[tuple[int, str]]) -> bool:
        """Whether rows are asked for, and which; all of them only where nobody lists them."""
        noun = [self._text(one).lower() for one in self.question.mentions if base in one.tables]
        several = any(one.endswith(("s", "base")) for one in noun)
        lists = is_listing(self.question) or _LISTED.search(self.question.text) is not None
        lists = lists or bool(self.question.sort or self.question.rank)
        narrowed = [
            one for one in clauses.columns if not self.question.names or one not in ("name", "id")
        ]
        if self.question.names and not shown:
            return bool(narrowed) and several
        if not clauses.where:
            linked = self._linked(base)
            new = not self.question.goes_on
            return lists and new and (several or bool(shown)) and not (linked and not shown)
        asked = _ASKED.match(self.question.text) is not None
        return asked or several or bool(shown)

    def base(self) -> str:
        """The table whose rows are asked for; empty if it is not clear."""
        tables = [
            one for one in self.question.mentions if one.tables and role(self.question, one) == ""
        ]
        if tables:
            return self._detailed(tables[0].tables[0])
        if _WHO.match(self.question.text):
            return self.schema.party
        keyed = [one[0] for mention in self.question.mentions for one in mention.values]
        asked = _WHEN.search(self.question.text) is not None
        homes = [
            {self.schema.party} if self._is_postal(one) else {table for table, _ in one.columns}
            for one in self.question.mentions
            if one.columns and not one.values and (asked or not self.is_verb(one))
        ]
        if not homes:
            alone = keyed and is_listing(self.question) and not self._linked(keyed[0])
            return keyed[0] if alone else ""
        party = {self.schema.party} if self.question.names else set()
        common = set.intersection(*homes)
        wanted = [one for one in [*keyed, *sorted(party)] if one in common]
        return next(iter([*wanted, *(sorted(common) if len(common) == 1 else [])]), "")

    def _is_postal(self, mention: Mention) -> bool:
        """Whether an address is that of a customer who is named, not that of an order."""
        said = self._text(mention).lower()
        tables = [one for one in self.question.mentions if one.tables]
        return bool(self.question.names) and said.startswith("address") and not tables

    def _is_of_contact(self, column: str) -> bool:
        """Whether "name" is that of a person: "who is our contact there, name and mail"."""
        named = {one[1] for mention in self.question.mentions for one in mention.columns}
        return bool(self.question.names) and column == "name" and "contact" in named

    def _postal(self, base: str) -> list[str]:
        """The columns of an address, those that are named for themselves left out."""
        own = self.schema.tables[base].columns
        named = {one[1] for mention in self.question.mentions for one in mention.columns}
        parts = [one for one in _ADDRESS if one in own]
        return [] if named & set(parts) else parts

    def _detailed(self, base: str) -> str:
        """The table of the figures that are asked for of the base's rows, day by day."""
        for one in self.question.mentions:
            if (
                self._is_figure(one)
                and not self._is_compared(one)
                and not column_of(one, base, self.schema)
            ):
                return next(
                    (table for table, _ in one.columns if self.schema.climb(table, base)), base
                )
        return base

    def columns(self, base: str, clauses: Clauses) -> list[tuple[int, str]]:
        """The columns that are to be shown, with the places of their words."""
        found: list[tuple[int, str]] = []
        for mention in self.question.mentions:
            if mention not in clauses.taken and self._is_postal(mention):
                clauses.taken.append(mention)
                found += [(mention.start, f"{base}.{one}") for one in self._postal(base)]
                continue
            named = column_of(mention, base, self.schema)
            if mention in clauses.taken or named is None or mention.values:
                continue
            dated = named[1] in self.schema.tables[named[0]].dates
            clauses.taken.append(mention)
            if self._is_of_contact(named[1]):
                continue
            if self._text(mention).lower() == "new":
                clauses.failed = True  # how new, nobody said
            if (
                dated
                and not DATE_NOUN.match(self._text(mention))
                and not _WHEN.search(self.question.text)
            ):
                if (
                    named[0] == base
                    and named[1] != self.schema.tables[base].dates[0]
                    and not clauses.where
                ):
                    clauses.add(named[1], f"{base}.{named[1]} IS NOT NULL")
                continue
            clauses.joined |= {named[0]} - {base}
            found.append((mention.start, f"{named[0]}.{named[1]}"))
        return sorted([*found, *self._date_shown(base)], key=lambda one: one[0])

    def _date_shown(self, base: str) -> list[tuple[int, str]]:
        """The date that is asked for by that word only: "with id and date"."""
        said = _DATED.search(self.question.text)
        dates = self.schema.tables[base].dates
        if said is None or not dates:
            return []
        stated = [one for one in self.question.mentions if role(self.question, one) == ""]
        states = [one[2] for mention in stated for one in mention.values]
        reached = [f"{state}_on" for state in states if f"{state}_on" in dates]
        return [(said.start(1), f"{base}.{next(iter(reached), dates[0])}")]

    def shown(self, base: str, columns: Sequence[tuple[int, str]]) -> list[str]:
        """The columns of the result: those named, a row's label before them where it is one."""
        table = self.schema.tables[base]
        label = f"{base}.{table.label}"
        if self.question.alone:
            start, end = self.question.alone
            wanted = [name for place, name in columns if start <= place < end]
            if wanted:
                return list(dict.fromkeys(wanted))
        names = list(dict.fromkeys(name for _, name in columns))
        if not names:
            return self._row(base)
        if not (self.question.names or all(map(self._is_state, names))):
            names = [label, *self._owner(base), *names, *self._conditional(base)]
        names = [*self._person(base, names), *names]
        day = [one for one in names if one.endswith(".day")]
        return list(dict.fromkeys([*day, *names]))

    def _owner(self, base: str) -> list[str]:
        """Whose the rows are, as the table says it."""
        way = self.schema.climb(base, self.schema.party) if self.schema.party else None
        direct = way is not None and len(way) == 2
        return [f"{base}.{self.schema.reference(base, self.schema.party)}"] if direct else []

    def _person(self, base: str, names: Sequence[str]) -> list[str]:
        """Who reads the mail that is asked for."""
        own = base == self.schema.party and "contact" in self.schema.tables[base].columns
        return [f"{base}.contact"] if own and f"{base}.email" in names else []

    def _row(self, base: str) -> list[str]:
        """What is shown of rows of which nobody says what: all, or who, where and how much."""
        table = self.schema.tables[base]
        if table.label != "name":
            return [f"{base}.*"]
        return [f"{base}.{one}" for one in (table.key, "name")] + self._conditional(base)

    def _conditional(self, base: str) -> list[str]:
        """The figures, days and towns of rows that are chosen by them."""
        said = {name for one in self.question.mentions for name in self._said_of(one, base)}
        towns = ["city"] if "country" in said else []
        table = self.schema.tables[base]
        shown = [one for one in (*table.dates, *table.figures, *towns) if one in {*said, *towns}]
        return [f"{base}.{one}" for one in shown if one in table.columns]

    def _said_of(self, mention: Mention, base: str) -> set[str]:
        """The columns of a table that a mention names itself or by a value."""
        values = {(table, column) for table, column, _ in mention.values}
        return {column for table, column in {*mention.columns, *values} if table == base}

    def order(self, base: str) -> str:
        """The order of the rows as asked for; empty if it is not."""
        rank, sort = self.question.rank, self.question.sort
        table = self.schema.tables[base]
        by = self._sorted_by(base)
        if by:
            down = rank.down if rank else bool(sort and sort[2])
            return f"{by}{' DESC' if down else ''}"
        if rank:
            figures = [named for one in self.question.mentions for named in one.columns]
            own = [f"{base}.{name}" for owner, name in figures if owner == base]
            own = [one for one in own if one.split(".")[1] in table.figures]
            columns = {"money": table.money, "date": table.dates}.get(rank.kind, table.figures)
            named = self._near(base, rank.start)
            said = own[0] if own and rank.kind == "figure" else ""
            by = named or said or (f"{base}.{columns[0]}" if columns else "")
            return f"{by}{' DESC' if rank.down else ''}" if by else ""
        if sort:
            by = self._near(base, sort[1]) or f"{base}.{table.label}"
            return f"{by}{' DESC' if sort[2] else ''}"
        return ""

    def sorts_by(self, mention: Mention) -> bool:
        """Whether rows are put in the order of a column: "sorted by seats", "by seats"."""
        before = self.question.before(mention)
        said = re.search(r"\bby (?:the |their )?$", before) is not None
        return (said and self._is_figure(mention)) or role(self.question, mention) == "order"

    def _sorted_by(self, base: str) -> str:
        for one in self.question.mentions:
            named = column_of(one, base, self.schema) if self.sorts_by(one) else None
            if named:
                return f"{named[0]}.{named[1]}"
        return ""

    def _near(self, base: str, place: int) -> str:
        after = [one for one in self.question.mentions if one.start >= place]
        for one in after[:1]:
            if named := column_of(one, base, self.schema):
                return f"{named[0]}.{named[1]}"
        return ""
