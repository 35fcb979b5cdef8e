"""Which day of a row a time in a question is about: of the order, of the payment, of the notice."""

import re
from typing import Final

from models.embedded.tables.nesting import Nesting
from models.embedded.tables.periods import Period
from models.embedded.tables.phrasing import DAILY, column_of, role
from models.embedded.tables.schema import Mention, Named

_OVERDUE: Final = re.compile(
    r"\b(?:past|beyond|over|after)(?: (?:the|its|their))?[ -](?:due|deadline)\b|\boverdue\b"
    r"|\b(?:is|are|was|were|pay|paid|payers?|days?|weeks?|months?) late\b|\bbehind (?:with|on)\b"
    r"|\blate(?= (?:invoices?|bills?|payments?|payers?|as of)\b|\s*(?:$|[?.,;!]))|\bin arrears\b"
    r"|\bas of\b.*\bdue\b|\bdue\b.*\bas of\b",
    re.IGNORECASE,
)


class Timing(Nesting):
    """Puts the times of a question on the columns that they are about."""

    def _times(self) -> None:
        if self._is_overdue(self.found.base):
            self.found.failed = True
        for period in self.question.periods:
            if self._is_now(period):
                continue
            named = self._dated(period)
            if named is None or self._is_overdue(named[0]):
                self.found.failed = True
                continue
            if named[1].startswith("due") and not re.search(r"20\d\d", self.question.text):
                period = period.ahead(self.question.today)
            self._put(*named, period.condition("{}"), wanted=not self._is_missing(named[0]))

    def _is_overdue(self, table: str) -> bool:
        """Whether rows past their due day are meant, which no day of the question bounds."""
        due = any(one.startswith("due") for one in self.schema.tables[table].columns)
        return due and _OVERDUE.search(self.question.text) is not None

    def _is_now(self, period: Period) -> bool:
        """Whether "today" says that a state is meant as it is: "how many are active today"."""
        said = self.question.text[period.start : period.end].lower().strip()
        stated = any(one.values for one in self.question.mentions)
        verbs = any(self._is_date(named) for one in self.question.mentions for named in one.columns)
        return said == "today" and stated and not verbs

    def _is_missing(self, table: str) -> bool:
        """Whether rows of another table are what is not there: "without orders this year"."""
        return not self.schema.climb(self.found.base, table) and any(
            role(self.question, one) in ("lacks", "not", "except")
            for one in self.question.mentions
            if table in one.tables or table in {named[0] for named in one.columns}
        )

    def _dated(self, period: Period) -> Named | None:
        """The column that a time is about: the verb next to it, else the base's own date."""
        near = [
            (min(abs(one.start - period.end), abs(period.start - one.end)), one)
            for one in self.question.mentions
            if any(self._is_date(column) for column in self._dates_of(one))
            and role(self.question, one) not in ("group", "lacks", "kept", "except")
            and not DAILY.fullmatch(self.question.text[one.start : one.end])
            and one not in self.found.taken
        ]
        for _, mention in sorted(near, key=lambda pair: pair[0]):
            dates = [one for one in self._dates_of(mention) if self._is_date(one)]
            own = column_of(Mention(0, 0, columns=tuple(dates)), self.found.base, self.schema)
            nested = next((one for one in dates if self._below(one[0])), None)
            if chosen := own or nested:
                self.found.taken.append(mention)
                return chosen
        return self._own_date()

    def _dates_of(self, mention: Mention) -> list[Named]:
        """The columns of a verb, and the day on which a state was reached: churned, churned_on."""
        reached = [
            (table, f"{value}_on")
            for table, _, value in mention.values
            if f"{value}_on" in self.schema.tables[table].columns
        ]
        return [*mention.columns, *reached]

    def _own_date(self) -> Named | None:
        if self.day:
            return self.found.base, self.day
        nested = [
            table
            for one in self.question.mentions
            for table in one.tables
            if table != self.found.base and self.schema.tables[table].dates and self._below(table)
        ]
        if nested:
            return nested[0], self.schema.tables[nested[0]].dates[0]
        ways = [
            (len(way), one.name, one.dates[0])
            for one in self.schema.tables.values()
            if one.dates and (way := self.schema.climb(self.found.base, one.name))
        ]
        return min(ways)[1:] if ways else None

    def _is_date(self, named: Named) -> bool:
        return named[1] in self.schema.tables[named[0]].dates
