"""A question for figures or rows that no report has, as one SELECT.

A query is written only when every content word of the question is explained by the tables; what
holds one word more is another tool's, or nobody's.
"""

import re
from datetime import date
from typing import Final

from models.embedded.tables.clauses import ClauseReader
from models.embedded.tables.durations import Durations
from models.embedded.tables.listing import Listing
from models.embedded.tables.outputs import in_euros
from models.embedded.tables.phrasing import negates
from models.embedded.tables.questions import Question, read_question
from models.embedded.tables.ranking import ranking
from models.embedded.tables.ranks import Ranking
from models.embedded.tables.schema import Named, Schema
from models.embedded.tables.selects import Select

MOST_LEFT: Final = 3
_POINTING: Final = re.compile(
    r"\b(?:they|them|theirs?|it|its|he|she|him|his|her|this(?! (?:year|month|week|quarter))|these"
    r"|those(?! (?:with|without|in|on|who|that|which|from|above|below|over|under|at))"
    r"|my|your|yours|you"
    r"|that (?:one|customer|client|company|order|invoice|bill|month|day|refund))\b",
    re.IGNORECASE,
)
_SUCH: Final = re.compile(r"\b(?:one|some|any|many) of $", re.IGNORECASE)
_OWN: Final = re.compile(r"^(?:they|them|theirs?|its?)$", re.IGNORECASE)
_PRICED: Final = re.compile(
    r"\bwhat do (they) cost\b|\bhow much (?:do|are) (they)(?: cost)?\W*$", re.I
)
_OWNED: Final = re.compile(r"^(?:their|its)$", re.IGNORECASE)
_LEADS: Final = frozenset({"for", "of", "at", "has", "does", "is", "with", "from"})
_DETERMINED: Final = re.compile(r"^ (?:all|the|every|any|an?|my|our|this|that|those|these)\b")


def compose(text: str, schema: Schema, today: date, *, loosely: bool = False) -> str:
    """A SELECT for a question; empty when the tables do not explain all of it.

    Args:
        text: one request.
        schema: what may be read.
        today: what "since April" counts from.
        loosely: whether a few words may stay unexplained where enough is explained.
    """
    question = read_question(text, schema, today)
    if loosely and len(question.left) <= min(MOST_LEFT, _told(question)):
        question.left = []
    if question.left:
        question = read_question(text, schema, today, named=True)
        if not _asks_of_one(question, schema):
            return ""
    if question.left or not question.mentions or points(question, schema):
        return ""
    if negates(question) or _orders(question):
        return ""
    found = Composer(question, schema).select()
    if found and question.euros:
        found = in_euros(found)
    return found.sql if found else ""


def _told(question: Question) -> int:
    """How much of a question is explained, in words and phrases."""
    figures = [*question.periods, *question.figures, *question.names]
    signs = (question.measure, question.rank, question.every)
    return len(question.mentions) + len(figures) + sum(map(bool, signs)) - 1


def _asks_of_one(question: Question, schema: Schema) -> bool:
    """Whether all is told but a name in lower case: "email address for lindqvist vard"."""
    own = [one.columns[0][0] == schema.party for one in question.mentions if one.columns]
    other = any(one.tables and schema.party not in one.tables for one in question.mentions)
    lead = question.names[0][1] if question.names else ""
    return bool(own) and all(own) and not other and not question.left and lead in _LEADS


def _orders(question: Question) -> bool:
    """Whether a text tells to do something: "void all open invoices"."""
    first = question.mentions[0]
    after = question.text[first.end :].lower()
    return first.start == 0 and bool(
        (first.values or first.tables or first.columns) and _DETERMINED.match(after)
    )


def points(question: Question, schema: Schema) -> bool:
    """Whether a question is about something said before: "how much did we refund them"."""
    nouns = [one.start for one in question.mentions if one.tables or one.values]
    parties = [one.start for one in question.mentions if schema.party in one.tables]
    parties += [question.text.find(name) for name, _ in question.names]
    if _PRICED.search(question.text):  # "what are our services and what do they cost"
        parties += nouns
    return any(
        not (_OWN.match(found[0]) and any(at < found.start() for at in parties))
        and not (
            (_OWNED.match(found[0]) or question.text[: found.start()].endswith("of "))
            and any(at < found.start() for at in nouns)
        )
        for found in _POINTING.finditer(question.text)
        if not _SUCH.search(question.text[: found.start()])  # "one of those badge scanners"
        if not any(one.start <= found.start() < one.end for one in question.mentions)
    )


class Composer(Listing, Durations):
    """Turns one read question into a query."""

    def select(self) -> Select | None:
        """The query; None when the question is no query's."""
        if self.question.measure == "SHARE":
            return self._share()
        if lasting := self.elapsed():
            return self._lasting(*lasting)
        rank = self.question.rank
        behind = rank and self.groups and all(one.end <= rank.start for one in self.groups)
        each = bool(self.question.every or (behind and self.question.measure))
        if rank and rank.limit and not each:
            found = ranking(self.question, self.schema)
            if found:
                return self._ranked(found)
            self.question.measure = "MAX" if rank.down else "MIN"
            self.question.head = rank.end
        if self.question.measure or self.groups or self.question.every or self.sets_apart:
            return self._of_one() or self._measured()
        return self._rows()

    def _lasting(self, base: str, days: str) -> Select | None:
        """How many days something takes on average, or at least or most."""
        measure = self.question.measure if self.question.measure in ("MAX", "MIN") else "AVG"
        dated = [one for one in self.question.mentions if any(map(self._is_day, one.columns))]
        nouns = [one for one in self.question.mentions if base in one.tables]
        clauses = ClauseReader(self.question, base, self.schema).read([*dated, *nouns])
        if clauses.failed:
            return None
        return self._from(base, clauses, [f"{measure}({days}) AS days"])

    def _is_day(self, named: Named) -> bool:
        return named[1] in self.schema.tables[named[0]].dates

    def _of_one(self) -> Select | None:
        """What is known of one customer, where a figure of it is asked for: "seats of Solace"."""
        asked = self.question.measure
        if asked not in ("COUNT", "SUM") or len(self.question.names) != 1 or self.groups:
            return None
        figures = [one for one in self.question.mentions if self._is_figure(one)]
        own = [table for one in figures for table, _ in one.columns]
        other = any(set(one.tables) - {self.schema.party} for one in self.question.mentions)
        if other or not own or set(own) != {self.schema.party}:
            return None
        self.question.measure = ""
        found = self._rows()
        self.question.measure = asked
        return found

    def _ranked(self, found: Ranking) -> Select | None:
        clauses = ClauseReader(self.question, found.base, self.schema).read(found.used)
        if not self._is_ours(found.base, clauses, found.by):
            return None
        clauses.joined |= set(found.joined)
        clauses.where += found.where
        return self._from(
            found.base, clauses, found.what, group=found.group, order=found.order, limit=found.limit
        )
