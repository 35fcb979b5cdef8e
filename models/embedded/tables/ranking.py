"""What is ranked by what: "which customer has the most orders", "top 5 by seats"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from models.embedded.tables.phrasing import column_of, is_figure, role
from models.embedded.tables.questions import Question
from models.embedded.tables.ranks import Rank, Ranking
from models.embedded.tables.schema import Mention, Named, Schema

_WHICH: Final = re.compile(
    r"^(?:(?:and|on|in|at|for|from|to|with|of|now|so|tell|me|show|give)\s+)*"
    r"(?:which|what(?:'?s| is| are| was| were)?|whose)\s+(?:(?:of )?(?:our|the|\d+|are|is)\s+)*",
    re.IGNORECASE,
)
_WHO: Final = re.compile(r"^(?:(?:and|so|now)\s+)*who\b|^(?:and )?who's\b", re.IGNORECASE)
_WHEN: Final = re.compile(
    r"^(?:(?:and|so)\s+)*(?:when\b|what(?:'s| is| was)? the date)", re.IGNORECASE
)
_WITH: Final = re.compile(
    r"\s*(?:with|having|(?:who|that|which) (?:has|have|had|placed|made|got))\s*", re.IGNORECASE
)
_SIZE: Final = re.compile(r"biggest|largest|highest|greatest|smallest|lowest", re.IGNORECASE)
_OF: Final = re.compile(r"[\s-]*(?:of(?: our| the| all)?[\s-]*)?", re.IGNORECASE)
SEVERAL: Final = 5


def ranking(question: Question, schema: Schema) -> Ranking | None:
    """What a question ranks; None when it names only a figure, whose highest is asked for."""
    return _Reader(question, schema).read() if question.rank else None


class _Reader:
    def __init__(self, question: Question, schema: Schema) -> None:
        self.question, self.schema = question, schema
        self.rank = question.rank or Rank("", True, 1, False, 0, 0)

    def read(self) -> Ranking | None:
        head = self._head()
        if head is None:
            party = self.schema.party if _WHO.match(self.question.text) else ""
            head = Mention(-1, -1, tables=(party,)) if party else None
        if head is None:
            return None
        if head.tables:
            return self._of_table(head.tables[0], head)
        return self._of_column(head)

    def _head(self) -> Mention | None:
        """The thing that is ranked: after "which", else right after the rank, else before it."""
        mentions = [
            one for one in self.question.mentions if role(self.question, one) in ("", "group")
        ]
        if asked := _WHICH.match(self.question.text):
            first = [one for one in mentions if one.start == asked.end()]
            if first and not self._is_figure(first[0]):
                return first[0]
        if _WHO.match(self.question.text):
            return None
        behind = [one for one in mentions if one.start >= self.rank.end]
        if owner := self._owner(mentions):
            return owner
        if found := self._behind(behind):
            return found
        before = [one for one in mentions if one.end <= self.rank.start and one.tables]
        return before[0] if before else None

    def _owner(self, mentions: Sequence[Mention]) -> Mention | None:
        """What has most of something: "the customer with the most invoices"."""
        before = [one for one in mentions if one.end <= self.rank.start]
        if not before or self._is_figure(before[-1]):
            return None
        between = self.question.text[before[-1].end : self.rank.start]
        return before[-1] if _WITH.fullmatch(between) and not before[-1].values else None

    def _behind(self, behind: Sequence[Mention]) -> Mention | None:
        """The noun that the rank is said of: "the largest open invoices"."""
        for at, one in enumerate(behind):
            start = self.rank.end if at == 0 else behind[at - 1].end
            if not _OF.fullmatch(self.question.text[start : one.start]):
                break
            then = behind[at + 1] if at + 1 < len(behind) else None
            if one.tables and then and self._is_figure(then) and then.start == one.end + 1:
                break  # "the smallest invoice amount" is a figure
            if one.tables or (one.columns and not self._is_figure(one) and not self._is_date(one)):
                return one
            if one.values and at + 1 == len(behind):
                return Mention(one.start, one.start, tables=(one.values[0][0],))
            if self._is_figure(one):
                break
        return None

    def _is_figure(self, mention: Mention) -> bool:
        return is_figure(mention, self.schema)

    def _is_date(self, mention: Mention) -> bool:
        return any(column in self.schema.tables[table].dates for table, column in mention.columns)

    def _object(self, head: Mention) -> Mention | None:
        """What there is most of: the noun after the rank, else a figure anywhere."""
        others = [one for one in self.question.mentions if one != head]
        behind = [one for one in others if one.start >= self.rank.end]
        figures = [one for one in behind if self._is_figure(one)]
        nouns = [one for one in behind if one.tables and set(one.tables) - set(head.tables)]
        anywhere = [one for one in others if self._is_figure(one)]
        return next(iter([*figures, *nouns, *anywhere]), None)

    def _of_table(self, table: str, head: Mention) -> Ranking | None:
        own = self.schema.tables[table]
        if since := next((one for one in self.question.mentions if self._lasts(one, table)), None):
            self.rank = replace(self.rank, down=not self.rank.down)
            return self._own(table, f"{table}.{since.columns[0][1]}", [head, since])
        thing = self._object(head)
        used = [head, *([thing] if thing else [])]
        if thing is not None and thing.columns:
            named = column_of(thing, table, self.schema)
            if named and named[0] == table:
                return self._own(table, f"{table}.{named[1]}", used)
            return self._summed(table, self._below(thing, table), used)
        if thing is not None and self.schema.climb(thing.tables[0], table):
            base = thing.tables[0]
            sums = self.schema.tables[base].money
            if sums and _SIZE.search(self.question.text[self.rank.start : self.rank.end]):
                return self._one(table, base, f"{base}.{sums[0]}", used)
            money = sums if self.question.measure == "SUM" else []
            figure = f"SUM({base}.{money[0]})" if money else "COUNT(*)"
            return self._grouped(table, base, figure, used)
        lines = self._lines(table)
        if self.rank.kind == "figure" and lines and not own.counts and self._moved():
            return self._grouped(table, lines, f"SUM({lines}.quantity)", used)
        columns = {"money": own.money, "date": self._dates(table)}.get(self.rank.kind, own.figures)
        if not columns and lines and (money := self.schema.tables[lines].money):
            return self._grouped(table, lines, f"SUM({lines}.quantity * {lines}.{money[0]})", used)
        return self._own(table, f"{table}.{columns[0]}", used) if columns else None

    def _lasts(self, mention: Mention, table: str) -> bool:
        """Whether rows are ranked by how long they have been there."""
        said = self.question.text[mention.start : mention.end].lower()
        return said.startswith("how long") and [one[0] for one in mention.columns] == [table]

    def _moved(self) -> bool:
        words = self.question.text.lower()
        return bool(re.search(r"\b(?:sold|sell\w*|seller|ordered|bought|popular|often)\b", words))

    def _dates(self, table: str) -> list[str]:
        """Dates of a table, the one that a verb names first."""
        named = [
            column
            for one in self.question.mentions
            for name, column in one.columns
            if name == table and column in self.schema.tables[table].dates
        ]
        return [*named, *self.schema.tables[table].dates]

    def _lines(self, table: str) -> str:
        return next(
            (
                one.name
                for one in self.schema.tables.values()
                if "quantity" in one.columns and len(self.schema.climb(one.name, table) or []) == 2
            ),
            "",
        )

    def _below(self, thing: Mention, table: str) -> Named | None:
        spoken = [name for one in self.question.mentions for name in one.tables]
        found = [
            one
            for one in thing.columns
            if one[1] in self.schema.tables[one[0]].figures and self.schema.climb(one[0], table)
        ]
        found.sort(key=lambda one: one[0] not in spoken)
        return found[0] if found else None

    def _summed(self, table: str, named: Named | None, used: list[Mention]) -> Ranking | None:
        if named is None:
            return None
        also = [one for one in self.question.mentions if named[0] in one.tables]
        return self._grouped(table, named[0], f"SUM({named[0]}.{named[1]})", [*used, *also])

    def _limit(self, head: str) -> int:
        noun = re.search(
            rf"\bwhich (?:of our |of the )?(?:\w+ )?({head[:-1]}s|clients|accounts|companies)\b",
            self.question.text.lower(),
        )
        return self.rank.limit if self.rank.plural or not noun else SEVERAL

    def _own(self, table: str, column: str, used: list[Mention]) -> Ranking:
        """Rows of the table itself, first ones by one of its columns."""
        own = self.schema.tables[table]
        leaf = own.label != "name" and not any(
            len(self.schema.climb(one, table) or []) == 2 for one in self.schema.tables
        )
        label = "*" if leaf else f"{table}.{own.label}"
        if _WHEN.match(self.question.text) and column.split(".")[1] in own.dates:
            label = column
        shown = [
            f"{table}.{name}"
            for one in self.question.mentions
            if one not in used
            for owner, name in one.columns
            if owner == table
            and name not in own.dates
            and role(self.question, one) == ""
            and not one.values
        ]
        extra = [] if leaf or self.question.alone else [column]
        also = [
            one
            for one in self.question.mentions
            if one.columns
            and not one.values
            and any(f"{a}.{b}" in [*shown, column] for a, b in one.columns)
        ]
        return Ranking(
            base=table,
            by=column,
            what=list(dict.fromkeys([label, *shown, *extra])),
            group="",
            order=f"{column}{' DESC' if self.rank.down else ''}",
            limit=self._limit(table),
            used=[*used, *also],
        )

    def _grouped(self, table: str, base: str, figure: str, used: list[Mention]) -> Ranking:
        """Rows of one table, by a figure over rows that belong to it."""
        own = self.schema.tables[table]
        return Ranking(
            base=base,
            by=figure,
            what=[f"{table}.{own.label}", figure],
            group=f"{table}.{own.key}",
            order=f"{figure}{' DESC' if self.rank.down else ''}",
            limit=self._limit(table),
            used=used,
            joined=[table],
        )

    def _most_common(self, head: Mention) -> Ranking | None:
        """The value that most rows have: "which carrier do we use most"."""
        table, column = head.columns[0]
        if self.rank.kind != "figure" or len(head.columns) > 1 or self._is_date(head):
            return None
        key = f"{table}.{column}"
        down = " DESC" if self.rank.down else ""
        found = Ranking(
            table, "COUNT(*)", [key, "COUNT(*)"], key, f"COUNT(*){down}", self.rank.limit, [head]
        )
        found.where.append(f"{key} IS NOT NULL")
        return found

    def _one(self, table: str, base: str, column: str, used: list[Mention]) -> Ranking:
        """Whose the single largest row is: "which customer got the biggest refund"."""
        what = [f"{table}.{self.schema.tables[table].label}", column]
        order = f"{column}{' DESC' if self.rank.down else ''}"
        return Ranking(base, column, what, "", order, self._limit(table), used, [table])

    def _of_column(self, head: Mention) -> Ranking | None:
        """Values of a column, or days, by a figure."""
        thing = self._object(head)
        if thing is None:
            return self._most_common(head)
        tables = list(thing.tables)
        named = next(
            (one for one in thing.columns if one[1] in self.schema.tables[one[0]].figures), None
        )
        base = tables[0] if tables else named[0] if named else ""
        column = column_of(head, base, self.schema) if base else None
        if column is None:
            return None
        key = f"{column[0]}.{column[1]}"
        figure = f"SUM({named[0]}.{named[1]})" if named and not tables else "COUNT(*)"
        down = " DESC" if self.rank.down else ""
        joined = [column[0]] if column[0] != base else []
        if named and self.question.names and self._is_date(head):
            by = f"{named[0]}.{named[1]}"
            return Ranking(base, by, [key, by], "", f"{by}{down}", self.rank.limit, [head, thing])
        return Ranking(
            base,
            figure,
            [key, figure],
            key,
            f"{figure}{down}",
            self.rank.limit,
            [head, thing],
            joined,
        )
