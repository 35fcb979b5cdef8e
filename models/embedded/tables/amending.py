"""The last query with what a short text changes: "and in Sweden", "per plan", "just the count"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from models.embedded.tables.clauses import ClauseReader
from models.embedded.tables.composing import is_listing
from models.embedded.tables.nesting import Clauses, joins
from models.embedded.tables.outputs import in_euros
from models.embedded.tables.phrasing import column_of, role
from models.embedded.tables.querying import Composer
from models.embedded.tables.questions import Question, read_question
from models.embedded.tables.schema import Mention, Schema
from models.embedded.tables.selects import Select, parsed
from models.embedded.tables.shifting import dated, span_of
from models.embedded.words import words

_LIMIT: Final = re.compile(
    r"\b(?:with )?(?:a )?(?:limit|only|just|the first)(?: of| to)? (\d{1,3})\b(?: (?:rows"
    r"|lines|of them))?",
    re.I,
)
_ADDED: Final = re.compile(
    r"\b(?:with|plus|add|adding|include|including|also|too|as well|and)\b", re.IGNORECASE
)
_SWAPPED: Final = re.compile(r"\b(?:instead|same|rather|what about|how about)\b", re.IGNORECASE)
_WHO: Final = re.compile(r"^(?:(?:and|so|now)\s+)*who\b(?! are)", re.IGNORECASE)
MOST_WORDS: Final = 8
_ONLY: Final = re.compile(r"\b(?:just|only)\b", re.IGNORECASE)
_OF_EACH: Final = re.compile(
    r"\b(?:for|of|in|by|per) each(?: (?:of )?(?:those|these|them|one))?\b", re.I
)
_SUMMED_UP: Final = re.compile(
    r"\b(?:add(?:ed)? up|sum(?:med)? up|in total|altogether|all together|overall|in all)\b", re.I
)
_EUROS: Final = re.compile(r"_cents\b.*/ ?100")
_STRANGE: Final = re.compile(
    r"\b(?:he|she|him|his|her|my|your|yours|you|it|its|this|(?:first|last|second|third)"
    r" one|that (?:one|customer|company"
    r"|order|invoice|bill|refund))\b",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(
    r"\b(COUNT|SUM|AVG|MIN|MAX)\s*\((?:DISTINCT\s+)?([\w.*]+)\)", re.IGNORECASE
)


def amended(text: str, sql: str, schema: Schema, today: date) -> str:
    """The last query as a short text changes it; empty when the text says more or nothing.

    Args:
        text: the new request.
        sql: the query that was run before.
        schema: what may be read.
        today: what "since April" counts from.
    """
    last = parsed(sql)
    if last is None or last.base not in schema.tables or _STRANGE.search(text):
        return ""
    limit = _LIMIT.search(text)
    text = _LIMIT.sub(" ", text) if limit else text
    text = dated(_OF_EACH.sub(" ", text), span_of(_dates_in(last, schema)))
    named = bool(last.on("name") or last.on("customer_id")) and len(words(text)) <= MOST_WORDS
    question = read_question(text, schema, today, named=named)
    articled = any(name.islower() and lead == "the" for name, lead in question.names)
    if question.left or articled or _WHO.match(question.text):
        return ""
    found = _Amender(question, last, schema).select()
    if found and limit:
        found = replace(found, limit=limit[1])
    if found and (question.euros or any(_EUROS.search(one) for one in last.what)):
        found = in_euros(found)
    return found.sql if found and found != last else ""


def _dates_in(last: Select, schema: Schema) -> list[str]:
    """The conditions of a query on the dates of its tables."""
    tables = [schema.tables[one] for one in last.tables if one in schema.tables]
    return [one for table in tables for name in table.dates for one in last.on(name)]


@dataclass(slots=True)
class _Amender:
    question: Question
    last: Select
    schema: Schema

    def select(self) -> Select | None:
        """The new query; None when the text is about something else."""
        base = self.last.base
        composer = Composer(self.question, self.schema)
        own = [one for one in self.question.mentions if base in one.tables]
        own += [one for one in self.question.mentions if self._is_owner(one)]
        if any(
            self._is_foreign(one) for one in self.question.mentions if one not in composer.groups
        ):
            return None
        clauses = ClauseReader(self.question, base, self.schema, self._day(), self._size()).read(
            [*own, *composer.groups]
        )
        shown = self._shown(clauses, composer)
        keys = composer.group_columns(base, clauses)
        told = [*clauses.taken, *shown]
        if clauses.failed or keys is None or any(one not in told for one in self.question.mentions):
            return None
        if owner := self._owner():
            clauses.joined.add(owner)
        found = self._measured(self._narrowed(clauses), shown)
        if keys:
            found = self._grouped(found, keys)
        found = self._ordered(found, composer, shown)
        return self._named(self._joined(found, clauses))

    def _is_owner(self, mention: Mention) -> bool:
        """Whether it is a table that the rows refer to: "only German customers"."""
        return any(self.schema.climb(self.last.base, one) for one in mention.tables)

    def _is_foreign(self, mention: Mention) -> bool:
        """Whether it is about rows of another table."""
        return (
            bool(mention.tables)
            and not self._is_owner(mention)
            and role(self.question, mention) == ""
        )

    def _day(self) -> str:
        """The date that the last query has a condition on."""
        dates = self.schema.tables[self.last.base].dates
        return next((one for one in dates if self.last.on(one)), "")

    def _size(self) -> str:
        """The figure that the last query compares."""
        figures = self.schema.tables[self.last.base].figures
        return next((one for one in figures if self.last.on(one)), "")

    def _shown(self, clauses: Clauses, composer: Composer) -> dict[Mention, str]:
        """Columns that are spoken of without a condition, by their mention."""
        found: dict[Mention, str] = {}
        for mention in self.question.mentions:
            named = column_of(mention, self.last.base, self.schema)
            if mention in clauses.taken or named is None or mention.values:
                continue
            if composer.is_verb(mention) or composer.sorts_by(mention):
                clauses.taken.append(mention)
                continue
            clauses.joined |= {named[0]} - {self.last.base}
            found[mention] = f"{named[0]}.{named[1]}"
        return found

    def _narrowed(self, clauses: Clauses) -> Select:
        columns = list(clauses.columns)
        if self.question.names:
            own = ["id"] if self.last.base == self.schema.party else []
            columns += ["customer_id", "name", *own]
        return self.last.narrowed(columns, clauses.where)

    def _joined(self, found: Select, clauses: Clauses) -> Select:
        missing = {one for one in clauses.joined if one not in found.tables}
        if not missing:
            return found
        if len(found.tables) == 1:
            found = found.qualified(self.schema.tables[found.base].columns)
        more = joins(found.base, missing, self.schema).removeprefix(found.base)
        return replace(found, source=found.source + more)

    def _named(self, found: Select) -> Select:
        """The clauses with the names that the last query has for its tables."""

        def own(text: str) -> str:
            for table, alias in found.tables.items():
                if alias != table and len(found.source.split()) > 1:
                    text = re.sub(rf"\b{table}\.", f"{alias}.", text)
            return text

        return replace(
            found,
            what=tuple(map(own, found.what)),
            where=tuple(map(own, found.where)),
            group=own(found.group),
            order=own(found.order),
        )

    def _measured(self, found: Select, shown: dict[Mention, str]) -> Select:
        """Another figure, other columns, or rows in the place of figures."""
        measure, rank = self.question.measure, self.question.rank
        figures = [name for name in shown.values() if self._is_figure(name)]
        if rank and rank.limit and found.aggregate and not (found.group or measure):
            return self._single(found, figures)
        if measure == "COUNT" and not figures:
            return replace(found, what=("COUNT(*)",), group="", order="", limit="", having="")
        if measure or (figures and found.aggregate and not is_listing(self.question)):
            return self._refigured(found, measure, figures)
        asks = is_listing(self.question) and not self.question.rank
        if owner := self._owner():
            name = f"{owner}.{self.schema.tables[owner].label}"
            added = not found.aggregate and _ADDED.search(self.question.text)
            what = (*found.what, name) if added else (f"DISTINCT {name}",)
            return replace(found, what=what, group="", order="" if not added else found.order)
        if found.aggregate and (asks or (shown and not figures)):
            label = f"{found.base}.{self.schema.tables[found.base].label}"
            what = tuple(shown.values()) or (label,)
            return replace(found, what=what, group="", order="", limit="", having="")
        return (
            self._columns(found, list(shown.values())) if shown and not found.aggregate else found
        )

    def _single(self, found: Select, figures: Sequence[str]) -> Select:
        """The largest row in the place of a sum: "and the biggest one"."""
        table = self.schema.tables[found.base]
        old = next((match[2] for one in found.what if (match := _FIGURE.search(one))), "*")
        column = next(iter([*figures, *([old] if old != "*" else []), *table.figures]), "")
        label = table.label if table.label == "name" else "*"
        return replace(found, what=(f"{found.base}.{label}",), order=column)

    def _owner(self) -> str:
        """Another table whose rows are asked for instead: "which customers?" after orders."""
        if not is_listing(self.question) or self.question.measure:
            return ""
        adjectives = [one.end for one in self.question.mentions if one.values]
        return next(
            (
                name
                for one in self.question.mentions
                for name in one.tables
                if name != self.last.base and one.start - 1 not in adjectives
            ),
            "",
        )

    def _refigured(self, found: Select, measure: str, figures: Sequence[str]) -> Select:
        """SUM(seats) as AVG(monthly_cents), in the result and in the order."""
        old = next((match for one in found.what if (match := _FIGURE.search(one))), None)
        column = figures[0] if figures else (old[2] if old and old[2] != "*" else "")
        if not column:
            table = self.schema.tables[found.base]
            column = next((f"{found.base}.{one}" for one in table.figures), "")
        measure = measure or (old[1].upper() if old else "SUM")
        measure = "SUM" if measure == "COUNT" and column else measure
        new = f"{measure}({column})" if column else "COUNT(*)"
        if figures and _SUMMED_UP.search(self.question.text):  # one sum over all groups
            return replace(found, what=(new,), group="", order="", limit="", having="")
        kept = [one for one in found.what if not _FIGURE.search(one)] if found.group else []
        order = _FIGURE.sub(new, found.order)
        return replace(found, what=(*kept, new), order=order)

    def _columns(self, found: Select, columns: Sequence[str]) -> Select:
        """Other columns of the same rows: swapped for their like, added, or alone."""
        bare = [one.split(".")[-1] for one in found.what]
        if _SWAPPED.search(self.question.text) and any(map(self._is_figure, found.what)):
            kept = [one for one in found.what if not self._is_figure(one)]
            order = (
                found.order
                if not any(map(self._is_figure, found.order.split()[:1]))
                else columns[0]
            )
            return replace(found, what=(*kept, *columns), order=order)
        new = [one for one in columns if one.split(".")[-1] not in bare]
        added = self.question.goes_on or _ADDED.search(self.question.text)
        if added and not _ONLY.search(self.question.text):
            return replace(found, what=(*found.what, *new))
        return replace(found, what=tuple(columns))

    def _is_figure(self, name: str) -> bool:
        column = name.split(".")[-1]
        return any(
            column in self.schema.tables[one].figures
            for one in self.last.tables
            if one in self.schema.tables
        )

    def _grouped(self, found: Select, keys: Sequence[tuple[str, str]]) -> Select:
        figures = [one for one in found.what if _FIGURE.search(one)] or ["COUNT(*)"]
        shown = [one for one, _ in keys]
        group = ", ".join(by for _, by in keys)
        return replace(found, what=(*shown, *figures), group=group, order="", limit="")

    def _ordered(self, found: Select, composer: Composer, shown: dict[Mention, str]) -> Select:
        rank, sort = self.question.rank, self.question.sort
        if not rank and not sort:
            return found
        order = composer.order(found.base)
        if rank and self.last.aggregate and not found.aggregate and found.order:
            down = " DESC" if rank.down else ""
            return replace(found, order=f"{found.order}{down}", limit=str(rank.limit or ""))
        figure = next((match[0] for one in found.what if (match := _FIGURE.search(one))), "")
        down = " DESC" if (rank.down if rank else bool(sort and sort[2])) else ""
        if figure and (rank or not shown or order.split()[0] in figure):
            order = f"{figure}{down}"
        if rank and found.order and not shown and rank.kind in ("figure", ""):
            order = re.sub(r" DESC$", "", found.order, flags=re.IGNORECASE) + down
        several = found.limit not in ("", "1") and rank and not rank.plural
        limit = str(rank.limit) if rank and rank.limit and not several else found.limit
        return replace(found, order=order or found.order, limit=limit)
