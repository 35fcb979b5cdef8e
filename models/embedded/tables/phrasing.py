"""What stands before a word of a question: "per", "without", "except", "not yet"."""

import re
from typing import Final

from models.embedded.tables.questions import Question
from models.embedded.tables.schema import Mention, Named, Schema

_GROUPED: Final = re.compile(
    r"\b(?:per|by|(?:for|in|of|on|from|with) (?:each|every)(?: of)?|each|every|across"
    r"|distribution of"
    r"|(?:broken|splits?|breaks?|divided?|divides|spread|distributed?|grouped?)(?: it| that| them|"
    r" this)?(?: down| up| out)?"
    r"(?: by| into| over| across| between)|split of|breakdown of)"
    r"(?: (?:the|our|all|different|various|single|individual|respective|delivery|each))*\s*$"
)
_EACH: Final = re.compile(r"\b(?:per|each|every)\s*$")
_APART: Final = re.compile(r"\b(?:over|into|across|between|among)(?: the)?\s*$")
_EVERY: Final = re.compile(r"(?<!for )(?<!in )\b(?:each|every)(?: \w+)?\s*$")
_LISTED: Final = re.compile(r"^\s*(?:,|and|or|nor|&|/|, and|, or|plus)\s*(?:the |in |from |for )?$")
_ANY: Final = re.compile(r"^\s*(?:any|an?|one|some)(?: of (?:our|the))?\s*$")
_NOT: Final = re.compile(
    r"\b(?:not|never|n't|haven't|hasn't|weren't|wasn't|aren't|isn't|didn't|don't|yet to"
    r" be|yet to|neither"
    r"|nobody|none)(?: (?:been|yet|being|be|currently|on|in|from|at|an?|the|ever|actually"
    r"|have|had|any))*\s*$"
)
_EXCEPT: Final = re.compile(
    r"\b(?:(?:except|excluding|without|other than|apart from|aside from|but not|no|minus"
    r"|besides|outside"
    r"|leaving out|ignoring|not counting|excl\.?)(?: (?:for|of|the|any|those|in|from|on"
    r"|all))*|non)[ -]*$"
)
_LACKS: Final = re.compile(
    r"\b(?:without|with no|no|lacks?|lacking|missing|have no|has no|don't have|doesn't"
    r" have|haven't got"
    r"|not have|never (?:had|made|placed|got|received)|have not (?:had|made|placed)|not"
    r" (?:made|placed))"
    r"(?: (?:an?|any|single|the|known|recorded))*\s*$"
)
_NEGATION: Final = re.compile(
    r"\b(?:outside|without|except|excluding|non|never|neither|apart|besides|minus|lack(?:s|ing)|missing)\b",
    re.IGNORECASE,
)
_KEPT: Final = re.compile(
    r"^\s*(?:ones? |customers? |orders? )?(?:or not|included|too\b|inclusive)"
)
_INCLUDED: Final = re.compile(r"\b(?:including|incl\.?|whether|inclusive of)(?: the)?\s*$")
_LEADS: Final = (("lacks", _LACKS), ("except", _EXCEPT), ("not", _NOT), ("group", _GROUPED))
DAILY: Final = re.compile(r"days?|daily|day[ -](?:by|to)[ -]day", re.IGNORECASE)


def role(question: Question, mention: Mention) -> str:
    """What stands before a mention: group, not, except, lacks, kept, or nothing.

    A mention after "and" or "or" has the role of the one before it.
    """
    before = question.before(mention)
    if _KEPT.match(question.after(mention)) or _INCLUDED.search(before):
        return "kept"
    if question.sort and question.sort[1] <= mention.start <= question.sort[1] + 8:
        return "order"
    for name, pattern in _LEADS:
        if pattern.search(before):
            every = name == "group" and not question.measure and _EVERY.search(before)
            one_value = name == "group" and mention.values and not _APART.search(before)
            return "" if every or one_value else name
    if question.every and re.search(r"(?:month|year)(?:,| and)(?: by| per)?\s*$", before):
        return "group"
    return _shared_role(question, mention, before)


def _shared_role(question: Question, mention: Mention, before: str) -> str:
    """The role of the mention before, where the two are one phrase or are listed."""
    at = question.mentions.index(mention)
    last = question.mentions[at - 1] if at else None
    if last and not before.strip() and mention.tables and last.values:
        found = role(question, last)
        if question.measure and _EACH.search(question.before(last)):  # "per active customer"
            return "group"
        return found if found in ("lacks", "not") else ""
    found = role(question, last) if last and (_LISTED.match(before) or _ANY.match(before)) else ""
    return found if _LISTED.match(before) or found in ("lacks", "not") else ""


def is_figure(mention: Mention, schema: Schema) -> bool:
    """Whether a mention names a column that can be summed."""
    return any(column in schema.tables[table].figures for table, column in mention.columns)


def negates(question: Question) -> bool:
    """Whether a "without" or "never" stands alone, so that nobody knows what is missing."""
    told = [
        range(one.start - len(question.before(one)), one.start)
        for one in question.mentions
        if role(question, one) in ("not", "except", "lacks")
    ]
    return any(
        not any(found.start() in place for place in told)
        for found in _NEGATION.finditer(question.text)
    )


def grouped(question: Question, schema: Schema) -> list[Mention]:
    """The mentions that the result has one row for each of."""
    found = [
        one
        for one in question.mentions
        if (one.tables or one.columns)
        and role(question, one) == "group"
        and not is_figure(one, schema)
    ]
    if question.measure == "AVG":  # "events per day on average" is one figure
        own = {
            table
            for one in question.mentions
            for table, _ in one.columns
            if is_figure(one, schema) and len(one.columns) == 1
        }
        found = [one for one in found if not DAILY.fullmatch(question.text[one.start : one.end])]
        found = [one for one in found if not own & set(one.tables)]  # "seats per customer"
    if not found and re.search(r"\beach\s*(?:[?.!]|$)", question.text.lower()):
        found = [one for one in question.mentions if one.columns][:1]
    return found


def column_of(mention: Mention, base: str, schema: Schema) -> Named | None:
    """The column that is meant: the base's own, else of the nearest table it refers to."""
    ways = [
        (len(way), at, one)
        for at, one in enumerate(mention.columns)
        if (way := schema.climb(base, one[0]))
    ]
    return min(ways)[2] if ways else None
