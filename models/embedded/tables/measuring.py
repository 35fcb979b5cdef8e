"""Figures that a question asks for: how many, how much, the average of."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.tables.clauses import ClauseReader
from models.embedded.tables.composing import DATE_NOUN
from models.embedded.tables.grouping import Grouping
from models.embedded.tables.phrasing import role
from models.embedded.tables.schema import Mention, Named
from models.embedded.tables.selects import Select

_AND_TOTAL: Final = re.compile(
    r"\band (?:what is |what's )?(?:the |their |its )?(?:total|sum)\b", re.I
)
_SOLD: Final = re.compile(
    r"\b(?:sold|sell|sales|selling|order(?:ed|s)?|bought|buy|gone out|went out|sent out"
    r"|purchased|shipped|delivered|sold)\b",
    re.IGNORECASE,
)
_BETWEEN_NOUNS: Final = re.compile(
    r"^[\s-]*(?:(?:the|our|all|different|distinct|unique|of|more|an?|such|these)\s+)*$"
)

Measured = tuple[str, str, list[Mention]]  # the base table, the figure, the words for it


class Measuring(Grouping):
    """Reads what is counted, summed or averaged."""

    def _measured(self) -> Select | None:
        measured = self.measured()
        if measured is None:
            return None
        base, what, used = measured
        clauses = ClauseReader(self.question, base, self.schema).read([*used, *self.groups])
        keys = self.group_columns(base, clauses)
        if keys is None or not self._is_ours(base, clauses, what):
            return None
        if not what.startswith(("COUNT", "SUM", "AVG", "MAX", "MIN")):
            return self._from(base, clauses, [what])
        shown = [one for one, _ in keys]
        group = ", ".join(by for _, by in keys)
        rank, sort = self.question.rank, self.question.sort
        down = " DESC" if (rank.down if rank else bool(sort and sort[2])) else ""
        order = f"{what}{down}" if keys and (rank or sort) else ""
        limit = rank.limit if rank and keys else 0
        figures = [what, *self._also(base, what)]
        return self._from(base, clauses, [*shown, *figures], group=group, order=order, limit=limit)

    def _also(self, base: str, what: str) -> list[str]:
        """The sum beside the number: "how many refunds, and their total"."""
        money = self.schema.tables[base].money
        asked = what == "COUNT(*)" and _AND_TOTAL.search(self.question.text)
        return [f"SUM({base}.{money[0]})"] if asked and money else []

    def measured(self) -> Measured | None:
        """The base table, the figure, and the mentions that say so."""
        thing = self._thing()
        measure = self.question.measure or "COUNT"
        if thing is None:
            return None
        if measure != "COUNT" and self.is_verb(thing):
            return self._measured_column(thing, measure)
        if thing.values and not thing.tables:
            return self._measured_value(thing, measure)
        if self._is_figure(thing) and (value := self._order_value(thing, measure)):
            return value
        if figure := self._figure(thing, measure):
            return figure[0], self._aggregate(measure, *figure), [thing]
        if thing.columns and not thing.tables:
            return self._measured_column(thing, measure)
        return self._measured_rows(thing, measure)

    def _measured_rows(self, thing: Mention, measure: str) -> Measured | None:
        """How many rows of a table there are, or the sum of what they are about."""
        base = thing.tables[0]
        found = self.schema.tables[base]
        if measure == "COUNT":
            what = "COUNT(*)"
        elif column := next(iter([*found.money, *found.counts]), ""):
            what = self._aggregate(measure, base, column)
        else:
            what = "COUNT(*)" if measure == "SUM" and "much" not in self.question.text else ""
        return (base, what, [thing]) if what else None

    def _order_value(self, thing: Mention, measure: str) -> Measured | None:
        """What rows are worth that have no sum of their own, by their lines."""
        nouns = [one for one in self.question.mentions if one.tables and one not in self.groups]
        own = {table for table, _ in thing.columns}
        if not nouns or nouns[0].tables[0] in own or self.schema.tables[nouns[0].tables[0]].figures:
            return None
        table = nouns[0].tables[0]
        lines = self._lines(table)
        money = self.schema.tables[lines].money if lines else []
        if not money or measure not in ("SUM", "AVG") or lines in own:
            return None
        what = f"SUM({lines}.quantity * {lines}.{money[0]})"
        if measure == "AVG":
            what += f" * 1.0 / COUNT(DISTINCT {lines}.{self.schema.reference(lines, table)})"
        return lines, what, [thing]

    def _measured_value(self, thing: Mention, measure: str) -> Measured | None:
        """Pieces of a thing that was sold, or rows that are in a state."""
        table, column, _ = thing.values[0]
        lines = self._lines(table)
        keyed = column == self.schema.tables[table].key or bool(
            lines and not any(one.tables for one in self.question.mentions)
        )
        own = self.schema.tables[table]
        if measure == "SUM" and own.money and "how much" in self.question.text.lower():
            return (table, f"{table}.{own.money[0]}", []) if column == own.key else None
        if keyed and lines and (_SOLD.search(self.question.text) or measure == "SUM"):
            return lines, f"SUM({lines}.quantity)", []
        if column == self.schema.tables[table].key:
            return None
        return (table, "COUNT(*)", []) if measure == "COUNT" else None

    def _measured_column(self, thing: Mention, measure: str) -> Measured | None:
        named = self._home(thing)
        if named is None:
            return None
        if named[1] in self.schema.tables[named[0]].dates and not DATE_NOUN.match(
            self._text(thing)
        ):
            table = self.schema.tables[named[0]]
            if measure == "COUNT" or not table.figures:
                return table.name, "COUNT(*)", []
            return table.name, self._aggregate(measure, table.name, table.figures[0]), []
        if measure != "COUNT":
            return None
        if named[1] in self.schema.tables[named[0]].dates:
            return None
        return named[0], f"COUNT(DISTINCT {named[0]}.{named[1]})", [thing]

    def _aggregate(self, measure: str, table: str, column: str) -> str:
        if measure == "SUM" and re.match(r"price|unit", column):
            return f"{table}.{column}"
        return f"{'SUM' if measure == 'COUNT' else measure}({table}.{column})"

    def _thing(self) -> Mention | None:
        """What is counted or measured: the noun after the words for the measure."""
        free = [
            one
            for one in self.question.mentions
            if role(self.question, one) in ("", "kept", "not", "except") and one not in self.groups
        ]
        after = [one for one in free if one.start >= self.question.head]
        measured = [one for one in free if self._is_figure(one) and not self._is_compared(one)]
        if self.question.measure not in ("", "COUNT"):
            later = [one for one in measured if one.start >= self.question.head]
            if later or measured:
                return (later or measured)[0]
            nouns = [one for one in free if one.tables]
            verbs = [one for one in free if self.is_verb(one)]
            if verbs and "how much" in self.question.text.lower():
                return verbs[0]
            return next(
                iter([*[one for one in nouns if one in after], *nouns, *verbs, *free]), None
            )
        return (
            self._noun(after)
            or next((one for one in free if one.tables), None)
            or next(iter(free), None)
        )

    def _noun(self, after: Sequence[Mention]) -> Mention | None:
        """The last of the words that stand together, such as "active customers"."""
        phrase: list[Mention] = []
        at = self.question.head
        for one in after:
            if not _BETWEEN_NOUNS.match(self.question.text[at : one.start].lower()):
                break
            if self.is_verb(one) and not one.values:
                break
            phrase.append(one)
            at = one.end
            if one.tables or (one.columns and not one.values):
                break
        return phrase[-1] if phrase and not phrase[-1].values else next(iter(phrase), None)

    def _figure(self, thing: Mention, measure: str) -> Named | None:
        named = [one for one in thing.columns if one[1] in self.schema.tables[one[0]].figures]
        return self._home(Mention(thing.start, thing.end, columns=tuple(named))) if named else None

    def _home(self, mention: Mention) -> Named | None:
        """The column of the table that is spoken of, where several have one of this name."""
        spoken = [
            name for one in self.question.mentions for name in one.tables if one not in self.groups
        ]
        spoken += [one[0] for other in self.question.mentions for one in other.values]
        spoken += [
            named[0]
            for one in self.question.mentions
            for named in one.columns
            if named[1] in self.schema.tables[named[0]].dates
        ]
        for table in spoken:
            if found := next((one for one in mention.columns if one[0] == table), None):
                return found
        nouns = [name for one in self.question.mentions for name in one.tables]
        fits = [
            one
            for one in mention.columns
            if all(
                self.schema.climb(one[0], name) or self.schema.below(one[0], name) for name in nouns
            )
        ]
        return next(iter(fits), None)

    def _share(self) -> Select | None:
        thing = next((one for one in self.question.mentions if one.tables), None)
        if thing is None or self.groups:
            return None
        base = thing.tables[0]
        clauses = ClauseReader(self.question, base, self.schema).read([thing])
        if not clauses.where or not self._is_ours(base, clauses, "COUNT(*)"):
            return None
        what = f"ROUND(100.0 * SUM({' AND '.join(clauses.where)}) / COUNT(*), 1) AS percent"
        clauses.where = []
        return self._from(base, clauses, [what])
