"""One row for each plan, month, or side of a comparison."""

import re
from typing import Final

from models.embedded.tables.composing import Composing
from models.embedded.tables.nesting import Clauses
from models.embedded.tables.phrasing import column_of, role
from models.embedded.tables.schema import Named

VERSUS: Final = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with))(?!\w)|\bhow (many|much)\b.*\bhow \1\b"
    r"|\beach\W*$|\brespectively\W*$",
    re.I,
)


class Grouping(Composing):
    """What the rows of a result are grouped by."""

    @property
    def sets_apart(self) -> bool:
        """Whether values get a row each: "card versus transfer", "split over card and transfer"."""
        values = [one for one in self.question.mentions if one.values]
        listed = any(role(self.question, one) == "group" for one in values)
        return listed or VERSUS.search(self.question.text) is not None

    def group_columns(self, base: str, clauses: Clauses) -> list[tuple[str, str]] | None:
        """What is shown and grouped by; None when a group is no part of the base."""
        found: list[tuple[str, str]] = []
        for mention in self.groups:
            named = column_of(mention, base, self.schema)
            table = next((one for one in mention.tables if self.schema.climb(base, one)), "")
            if table:
                clauses.joined |= {table} - {base}
                own = self.schema.tables[table]
                found.append((f"{table}.{own.label}", f"{table}.{own.key}"))
            elif named:
                clauses.joined |= {named[0]} - {base}
                found.append((f"{named[0]}.{named[1]}",) * 2)
            elif self.schema.tables[base].dates and self._text(mention).lower().startswith("da"):
                found.append((f"{base}.{self.schema.tables[base].dates[0]}",) * 2)
            else:
                return None
        if versus := self._versus(base):
            clauses.joined |= {versus[0]} - {base}
            found.append((f"{versus[0]}.{versus[1]}",) * 2)
        if self.question.every:
            day = self._day(base, clauses)
            if not day:
                return None
            length = 7 if self.question.every == "month" else 4
            found.append(
                (f"substr({day}, 1, {length}) AS {self.question.every}", self.question.every)
            )
        return found

    def _versus(self, base: str) -> Named | None:
        """The column whose values are set against each other: "Germany versus France"."""
        if not self.sets_apart:
            return None
        named = [one[:2] for mention in self.question.mentions for one in mention.values]
        several = [one for one in named if named.count(one) > 1 and self.schema.climb(base, one[0])]
        return next(iter(several), None)

    def _day(self, base: str, clauses: Clauses) -> str:
        ways = [
            (len(way), f"{one.name}.{one.dates[0]}", one.name)
            for one in self.schema.tables.values()
            if one.dates and (way := self.schema.climb(base, one.name))
        ]
        if not ways:
            return ""
        clauses.joined |= {min(ways)[2]} - {base}
        return min(ways)[1]
