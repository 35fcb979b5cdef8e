"""What all queries of a question have in common, and whether a query is what it asks for."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.tables.nesting import Clauses, joins
from models.embedded.tables.phrasing import column_of, grouped, is_figure
from models.embedded.tables.questions import Question
from models.embedded.tables.schema import Mention, Schema, Table
from models.embedded.tables.selects import Select
from models.embedded.words import stems

_LISTING: Final = re.compile(
    r"^(?:(?:and|also|then|now|ok|the|a|an|just|only|all|full|complete|me|us|on|in|at|to|for|from"
    r"|i|we|i'd|need|want|like)\s+)*"
    r"(?:which|what(?:'?s)?(?! about)|who(?:'?s)?|whose|whom|list|show|give|names?|get"
    r"|display|print|pull"
    r"|fetch|tell|find|when|since when|where|are there|is there|do we have|any|every|all)\b",
    re.IGNORECASE,
)
DATE_NOUN: Final = re.compile(r".*\b(?:dates?|days?|daily|since(?: when)?)$", re.IGNORECASE)
_LIGHT: Final = re.compile(
    r"(?:made|issued|came in|received|arrived|reached|sent|raised|granted)", re.I
)


def is_listing(question: Question) -> bool:
    """Whether a question asks for rows by its first words."""
    return _LISTING.match(question.text) is not None


class Composing:
    """One question over the tables: small questions about it, and the guard of its result."""

    def __init__(self, question: Question, schema: Schema) -> None:
        """Find what the rows are grouped by."""
        self.question, self.schema = question, schema
        listed = self._listed_groups()
        self.groups = grouped(question, schema) or listed

    def _listed_groups(self) -> list[Mention]:
        """What is listed with a number for each: "list plans and number of customers"."""
        if self.question.measure != "COUNT" or not is_listing(self.question):
            return []
        before = [one for one in self.question.mentions if one.end <= self.question.head]
        after = [one for one in self.question.mentions if one.start >= self.question.head]
        nouns = [one.tables[0] for one in before if one.tables]
        named = column_of(after[0], nouns[0], self.schema) if nouns and after else None
        if named and named[0] == nouns[0]:  # "every customer with its plan and number of seats"
            self.question.measure = ""
            return []
        plain = [one for one in before if one.tables or (one.columns and not self._is_figure(one))]
        return plain[:1]

    def _text(self, mention: Mention) -> str:
        return self.question.text[mention.start : mention.end]

    def is_verb(self, mention: Mention) -> bool:
        """Whether a mention says that something happened, not when: "shipped"."""
        dated = any(column in self.schema.tables[table].dates for table, column in mention.columns)
        return dated and not DATE_NOUN.match(self._text(mention))

    def _is_figure(self, mention: Mention) -> bool:
        return is_figure(mention, self.schema)

    def _is_compared(self, mention: Mention) -> bool:
        return any(0 <= mention.start - one.end <= 2 for one in self.question.figures)

    def _lines(self, table: str) -> str:
        """The table that says how many of a table's rows were sold; empty if there is none."""
        return next(
            (
                one.name
                for one in self.schema.tables.values()
                if "quantity" in one.columns and self.schema.climb(one.name, table)
            ),
            "",
        )

    def _linked(self, base: str) -> bool:
        """Whether the rows have an owner, so that a tool lists them."""
        return base != self.schema.party and self.schema.climb(base, self.schema.party) is not None

    def _from(
        self,
        base: str,
        clauses: Clauses,
        what: Sequence[str],
        *,
        group: str = "",
        order: str = "",
        limit: int = 0,
    ) -> Select:
        source = joins(base, clauses.joined, self.schema)
        shown = [re.sub(rf"^{base}\.\*$", "*", one) if source == base else one for one in what]
        return Select(
            what=tuple(shown),
            source=source,
            where=tuple(clauses.where),
            group=group,
            order=order,
            limit=str(limit or ""),
        )

    def _is_ours(self, base: str, clauses: Clauses, what: str) -> bool:
        """Whether nothing is left over, and neither a report nor a look-up answers it."""
        open_ = [
            one
            for one in self.question.mentions
            if one not in clauses.taken and not self._is_idle(one, base)
        ]
        if clauses.failed or open_:
            return False
        table = self.schema.tables[base]
        if self.question.names and base != self.schema.party and not self._is_daily(table):
            linked = f"{self.schema.party.removesuffix('s')}_id"
            if linked in table.columns or not what:
                return False
        return not self._is_reported(table, clauses, what)

    def _is_idle(self, mention: Mention, base: str) -> bool:
        """A verb or a parent that adds nothing: "orders placed by customers in Germany"."""
        named = column_of(mention, base, self.schema)
        if named and named[1] in self.schema.tables[named[0]].dates:
            return True
        if self.is_verb(mention) and _LIGHT.match(self._text(mention)):
            return True
        return any(self.schema.climb(base, one) for one in mention.tables)

    def _is_daily(self, table: Table) -> bool:
        """Whether a table of days is asked for its days, or for a part of a month."""
        if table.dates[:1] != ["day"]:
            return False
        if self.question.measure == "AVG" and all(one.is_month for one in self.question.periods):
            return False
        days = any(
            ("day" in {column for _, column in one.columns}) for one in self.question.mentions
        )
        return (
            days
            or bool(self.question.every)
            or any(not one.is_month for one in self.question.periods)
        )

    def _is_reported(self, table: Table, clauses: Clauses, what: str) -> bool:
        """Whether a report of a month has it."""
        if table.dates[:1] == ["day"] and not self._is_daily(table):
            return True
        if not any(one.is_month for one in self.question.periods) or table.dates[:1] == ["day"]:
            return False
        told = set(self.schema.reported)
        dated = [one for one in clauses.columns if one in table.dates]
        verbs = {stem for one in dated for stem in stems(one.replace("_", " "))}
        verbs |= {
            stem
            for one in clauses.taken
            for stem in stems(self._text(one))
            if one.columns and any(named[1] in dated for named in one.columns)
        }
        own = set(stems(table.name)) & told
        if what.startswith("SUM") or (what == "COUNT(*)" and "total" in self.question.text.lower()):
            narrower = set(table.values) & set(clauses.columns)  # "by card" is in no report
            return bool(own or verbs & told) and not narrower
        late = dated and dated[0] != table.dates[0]
        return bool(late and verbs & told and table.name == self.schema.party)
