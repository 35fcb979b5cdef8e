"""What a text asks of the tables: SQL it brings, the last query changed, or a new one."""

import itertools
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from models.embedded.choices import EVERYBODY
from models.embedded.patterns import identifiers
from models.embedded.readers import read_sql
from models.embedded.scene import Scene
from models.embedded.speech import core
from models.embedded.tables.amending import amended
from models.embedded.tables.querying import compose
from models.embedded.tables.questions import read_question
from models.embedded.tables.schema import Schema
from models.embedded.tables.selects import parsed
from models.embedded.tables.trimming import without_remarks

_GOES_ON: Final = re.compile(
    r"^(?:and|or|now|only|just|but|then|also|same|the same|what about|how about|instead"
    r"|with|without|by|per|sort"
    r"|order(?:ed)? by|in|for|since|from|of those|which ones|who are)\b|\b(?:ones|those"
    r"|them|they|their|same|of these|instead)\b",
    re.IGNORECASE,
)
_SQL_END: Final = re.compile(
    r"`|;\s*(?=\n|[a-z]+ [a-z]+|$)|\n\s*\n"
    r"|\n(?=(?:what|can|could|please|thanks|thank|how|tell|give|i|does|is|run|that)\b)",
    re.IGNORECASE,
)
_THE_CUSTOMER: Final = re.compile(
    r"\b(?P<lead>for|from|of|at) (?:the|this|that) (?:customer|client|company)\b(?!['\u2019])", re.I
)
_THEM: Final = re.compile(r"\b(?:they|them|there)\b(?! (?:are|is|were|was)\b)", re.IGNORECASE)
_PLACE: Final = r"\b(?:where|countr(?:y|ies)|cit(?:y|ies))\b"
_DATA: Final = r"\b(?:our|customer|the|their) data\b"
_ROW: Final = re.compile(
    r"\b(?:WHERE|AND) (?:\w+\.)?(?!status)\w+ = '[A-Z]{2,6}-[A-Z0-9]+'|julianday"
)
_RULES: Final = re.compile(
    r"^(?:and |so |but )*(?:can|may|must|should|could|shall)\b"
    r"|\b(?:can|may|must) (?:be \w+ed|an?|the|our|customers?|clients?)\b"
    rf"|{_PLACE}.*\bdo we (?:ship|deliver|send|operate|work)\b|{_PLACE}.*{_DATA}"
    rf"|{_DATA}.*\b(?:sits?|stored|kept|hosted|lives?)\b",
    re.IGNORECASE,
)
_OTHERS: Final = re.compile(
    r"\b(?:cancel|refund|void|ship|change|report|policy|then (?:tell|show|list))\b", re.I
)
_ALSO: Final = re.compile(
    r"\band (?:then |also |please )*(?:show|tell|give|list|what|how|which|send|check|open)\b", re.I
)


def queried(text: str, last: str, schema: Schema, today: date, scene: Scene) -> str:
    """The query that a text asks for, new or as a change to the last one; empty if none.

    Args:
        text: one request.
        last: the query that was run just before; empty if another tool was.
        schema: what may be read.
        today: what "since April" counts from.
        scene: whom and which month the conversation is about.
    """
    if written := read_sql(text):
        sql = _SQL_END.split(written, maxsplit=1)[0].strip(" \n;`")
        rest = text.replace(sql, " ")
        bare = re.sub(r"'[^']*'", " ", sql)  # "SELECT … and show me INV-1042" asks two things
        two = identifiers(f"{rest} {bare}") or _OTHERS.search(rest) or _ALSO.search(bare)
        return "" if two else sql
    if _RULES.search(core(text)):
        return ""
    if last and goes_on(text) and (sql := amended(text, last, schema, today)):
        return sql
    new = _of_them(text, schema, today, scene) or _composed(_about(text, scene), schema, today)
    if new and _is_of_one(new, text, last, schema, today, scene):
        new = ""
    return new or (amended(text, last, schema, today) if last else "")


def guessed(text: str, schema: Schema, today: date) -> str:
    """The query for a question of which the tables explain all but a few words; empty if none.

    For where nothing else serves: "what is it that people on trial run up in seats".
    """
    if _RULES.search(core(text)):
        return ""
    said = itertools.chain([text], without_remarks(text, schema, today))
    found = (compose(one, schema, today, loosely=True) for one in said)
    return next(filter(None, found), "")


def asks_of_row(arguments: Mapping[str, Any] | None) -> bool:
    """Whether a query is for a row by its code, or for how long rows take: no rule says it."""
    return any(_ROW.search(str(one)) for one in (arguments or {}).values())


def _composed(text: str, schema: Schema, today: date) -> str:
    """The query for a question, with its remarks or without them."""
    said = itertools.chain([text], without_remarks(text, schema, today))
    return next(filter(None, (compose(one, schema, today) for one in said)), "")


def _is_of_one(new: str, text: str, last: str, schema: Schema, today: date, scene: Scene) -> bool:
    """Whether rows are meant of a customer that the text leaves out.

    "Which orders are shipped" goes on about the customer of the turn before; "Lumen Orchard: open
    invoices" is taken apart before it is read.
    """
    select = parsed(new)
    if select is None or select.aggregate or EVERYBODY.search(text):
        return False
    owned = f"{schema.party.removesuffix('s')}_id"
    if owned not in schema.tables[select.base].columns or "LIKE" in new or f"{owned} =" in new:
        return False
    if scene.customers() and not last:
        return True
    return text != scene.user and bool(read_question(scene.user, schema, today).names)


def _about(text: str, scene: Scene) -> str:
    """The text with the customer and the month that "their" and "that month" stand for."""
    customers, months = scene.customers(), scene.months()
    if len(customers) == 1:
        text = re.sub(r"\btheir\b", f"{customers[0]}'s", text, count=1)
        text = _THE_CUSTOMER.sub(rf"\g<lead> {customers[0]}", text, count=1)
    return re.sub(r"\b(?:that|the same) month\b", months[0], text) if months else text


def _of_them(text: str, schema: Schema, today: date, scene: Scene) -> str:
    """A query for what is known of the customer that was talked about: "what plan are they on"."""
    customers = scene.customers()
    if len(customers) != 1 or not _THEM.search(text):
        return ""
    sql = compose(_THEM.sub(customers[0], text, count=1), schema, today)
    select = parsed(sql) if sql else None
    return sql if select and select.base == schema.party and select.on("name") else ""


def goes_on(text: str) -> bool:
    """Whether a text sounds like a change to what was asked before."""
    return _GOES_ON.search(text.strip()) is not None
