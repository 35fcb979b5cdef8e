"""Readers of free-text arguments: reasons, addresses, SQL, search words, titles, choices, counts.

Each returns the user's own words or nothing; none invents.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from models.embedded.fields import Argument
from models.embedded.patterns import ID
from models.embedded.speech import COMMAND_VERBS, core
from models.embedded.sums import plain_numbers
from models.embedded.words import STOP_WORDS, WORD, stem, stems, words

_ADDRESS_LEAD: Final = re.compile(
    r":\s+|->\s*|\baddress,\s+|\b(?:now|instead|please|there),\s+(?=[A-Z0-9][^,]*\d)"
    r"|\b(?:to|is|be|it's|at|use|put|enter|set|into)\s+(?=[^\s])"
    r"|\bin\s+(?=\d{1,4}[a-z]? [A-Z]\w+[^,]*,)",
    re.IGNORECASE,
)
_AFTER_COUNTRY: Final = re.compile(
    r"(?<=, [A-Z]{2})(?:[.,;:!]|\s[-\u2013\u2014])?\s+(?!\w*\d).*", re.DOTALL
)
_REMARK: Final = re.compile(
    r"(?<=\d)([^-\u2013\u2014\d]*\w)\s[-\u2013\u2014]+\s(?!\w*\d).*", re.DOTALL
)
_PLACED: Final = re.compile(
    r"\s*(?:is|are|was|were|has been|stays?|went)\b(?! to (?:go|be)\b)", re.I
)
_UNSENT: Final = re.compile(r"^\s*(?:->|=>|:)?\s*(?=[A-Z0-9][^,]*,)")
_ADDRESS_END: Final = re.compile(
    r"(?:(?<=\w)\. (?-i:It|They|He|She|We|That|This|The|And|Please|Can|Could|Order|Our)"
    r"|(?:[\s,;.]+|\s[-\u2013\u2014(]+\s*)(?:instead|please|pls|now|thanks|thank you|asap|today"
    r"|rather|then|from now on|if possible|because|since|so that"
    r"|(?-i:they|he|she|we|it|their|this|that)"
    r"|the (?:customer|client|company|old|other)"
    r"|as (?:delivery|shipping|new|the|its|an?|their|they|he|she|it|we)"
    r"|for (?:order )?[A-Z]{2,6}-\d+"
    r"|and (?:then|also|tell|show|what|how|when|let|give|check|is|has|did)"
    r"|not (?:the|to|at|\w+ \d)"
    r"|(?:not|rather than) (?-i:[A-Z])\w+(?: \w+){0,3}$))"
    r"\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_EXCLAIMED: Final = re.compile(
    r"^(?:(?:oh|ah|ok(?:ay)?|right|sorry|sure|yes|yep|well|so|fine|thanks|here(?: it is| you go)?"
    r"|of course|my bad|good point|true|got it|hm+|true)[\s,]*)+[.,!:;]+\s+(?=\S)",
    re.IGNORECASE,
)
_SQL: Final = re.compile(r"\b(?:select\b.+|with\s+\w+\s+as\s*\(.+)", re.IGNORECASE | re.DOTALL)
_SQL_END: Final = re.compile(
    r"\s*(?:<-+|->|\u2190).*$|\s+(?:for me|please|on our tables|on the database)?[\s?.;]*$", re.I
)
_NUMBER_WORDS: Final[Mapping[str, int]] = {
    word: at
    for at, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
}
_LENGTHS: Final[Mapping[str, int]] = {"day": 1, "week": 7, "month": 30, "year": 365}
LENGTH: Final = re.compile(
    r"\b(\d{1,4}|an?|" + "|".join(_NUMBER_WORDS) + r")[\s-]+(day|week|month|year)s?\b",
    re.IGNORECASE,
)
_BARE_DAYS: Final = re.compile(
    r"^\W*(?:(?:make|do|try) (?:it|that) |and |now |only |then )*(?:over |above |more than )?"
    r"(\d{1,4})\W*$|\b(\d{1,4})(?:\+| (?:or|and) (?:more|longer|above|over|worse|up))"
    r"|\bday (\d{1,4})\b|\bfrom (?:day )?(\d{1,4}) (?:on|up|onwards?|upwards?|and up)\b"
    r"|(?<![\w-])(\d{1,4}) upwards?\b",
    re.IGNORECASE,
)
_ABOVE: Final = re.compile(
    r"\b(?:over|above|beyond|(?:more|longer|later|older) than)\W+(?:\d+\W*)?$", re.I
)
_LIMIT: Final = re.compile(
    r"\b(?:last|latest|newest|top|first|recent|most recent|up to|at most|only|limit|best|biggest"
    r"|largest)\s+(?:of\s+)?(\d{1,4}|" + "|".join(_NUMBER_WORDS) + r")\b"
    r"|\b(\d{1,4}|" + "|".join(_NUMBER_WORDS) + r")\s+(?:most recent|latest|newest|last)\b",
    re.IGNORECASE,
)
_NEWEST: Final = re.compile(
    r"\bsingle\b"
    r"|\b(?:latest|newest|last|most recent)\s+(?:one\b|\w+\b(?<!s)(?<!month)(?<!year)(?<!week))",
    re.I,
)


def read_address(text: str) -> str:
    """A new address, as one line of the user's words."""
    digit = re.search(r"\d", ID.sub(_blank, text))
    last = digit.start() if digit else 0
    leads = [lead for lead in _ADDRESS_LEAD.finditer(text) if lead.end() <= last]
    for lead in reversed(leads):
        rest = _EXCLAIMED.sub("", text[lead.end() :].strip())
        rest = _REMARK.sub(r"\1", _AFTER_COUNTRY.sub("", rest))
        rest = _ADDRESS_END.sub("", rest.rstrip(" .!?")).rstrip(" .,;!?")
        rest = re.sub(
            r"^(?:our|the|their|its|his|her|another|an?)\b[^,\d]*,\s*(?=[^,]*\d)", "", rest
        )
        rest = re.sub(
            r"^(?:the )?(?:new )?(?:delivery )?(?:address|drop-off|destination)(?: is|:)?\s+",
            "",
            rest,
        )
        if len(rest) >= 8 and re.search(r"\d", ID.sub("", rest)) and not ID.search(rest):
            return " ".join(rest.split())
    return ""


def read_addresses(text: str, ids: Sequence[str]) -> list[str]:
    """One address for each of several ids, or one for all of them; empty if neither is clear."""
    at = [text.find(name) for name in ids]
    if len(ids) < 2 or -1 in at or at != sorted(at):
        return [alone] if (alone := read_address(text)) else []
    parts = [text[start:end] for start, end in zip(at, [*at[1:], len(text)], strict=True)]
    parts = [re.sub(r"[\s,;.]+(?:and|und|&)?\s*$", "", part) for part in parts]
    if any(_PLACED.match(ID.sub("", part)) for part in parts):
        return []  # "ORD-2083 is at …, send ORD-2086 to …"
    found = [read_address(f"{_UNSENT.sub('to ', ID.sub(' ', part))}") for part in parts]
    if all(found):
        return found
    return found[-1:] if not any(found[:-1]) and found[-1] else []


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group(0))


def read_code(text: str) -> str:
    """A technical name such as usage_by_day, written with underscores."""
    found = re.search(r"(?<![\w.])[a-z]+(?:_[a-z]+)+(?![\w.])", text)
    return found[0] if found and not _SQL.search(text) else ""


def read_sql(text: str) -> str:
    """A SELECT that the user wrote out."""
    found = _SQL.search(text)
    if not found or " from " not in f" {' '.join(found[0].lower().split())} ":
        return ""
    sql = _SQL_END.sub("", found[0]).strip()
    return sql[:-1] if sql[-1:] in "\"'`" and sql.count(sql[-1]) % 2 else sql


def read_query(text: str) -> str:
    """The words that carry the subject of a question, in its order."""
    plain = core(text).replace("\u2019", "'")
    kept = [word for word in WORD.findall(plain) if word.lower() not in STOP_WORDS]
    kept = kept or [word for word in WORD.findall(text)[1:] if word[0].isupper()]  # "and Team?"
    return " ".join(kept[:16])


def read_titles(text: str, known: Sequence[str]) -> list[str]:
    """The known titles of which the text has all words, where there are several."""
    said = set(stems(text))
    fitting = [title for title in known if set(stems(title.replace("-", " "))) <= said]
    return fitting if len(fitting) > 1 else []


def read_title(text: str, noun: str, known: Sequence[str]) -> str:
    """The title of a document: one of the known ones whose words the text has, else as said."""
    said = set(stems(text))
    fitting = [title for title in known if set(stems(title.replace("-", " "))) <= said]
    if len(fitting) == 1:
        return fitting[0]
    loose = [title for title in known if set(stems(title.replace("-", " "))) & said]
    if not fitting and len(loose) == 1:
        return loose[0]
    return "" if known or not noun else _before(text, noun)


def _before(text: str, noun: str) -> str:
    found = re.search(rf"((?:[\w-]+\s+){{1,3}}){noun}\b", text, re.IGNORECASE)
    if not found:
        return ""
    kept = [word for word in found[1].split() if word.lower() not in STOP_WORDS | COMMAND_VERBS]
    return " ".join(word for word in kept if word.lower() not in ("whole", "full", "complete"))


def read_count(text: str, argument: Argument) -> int | None:
    """A whole number: a limit, a length of time in days, or a number beside its own word."""
    parts = argument.name.split("_")
    if {"day", "days"} & set(parts):
        return _days(text)
    if "limit" in parts:
        return _limit(text)
    unit = {stem(part) for part in parts} - {"min", "max"}
    for value, start in plain_numbers(text):
        near = words(text[max(0, start - 30) : start + 40])
        if value == value.to_integral_value() and unit & {stem(word) for word in near}:
            return int(value)
    return None


def _days(text: str) -> int | None:
    lengths = list(LENGTH.finditer(text))
    exact = [one for one in lengths if one[2].lower() == "day"]  # "over a month, say 45 days"
    found = next(iter(exact or lengths), None)
    bare = _BARE_DAYS.search(text)
    above = 1 if _ABOVE.search(text[: found.start()] if found else text) else 0
    if bare:
        return int(next(filter(None, bare.groups()))) + (above if bare[1] else 0)
    return _whole(found[1]) * _LENGTHS[found[2].lower()] + above if found else None


def _limit(text: str) -> int | None:
    found = _LIMIT.search(text)
    if found and not re.match(r"\s*(?:days?|weeks?|months?|years?)\b", text[found.end() :]):
        return _whole(found[1] or found[2])
    return 1 if _NEWEST.search(text) else None


def _whole(text: str) -> int:
    lowered = text.lower()
    return int(Decimal(lowered)) if lowered.isdigit() else _NUMBER_WORDS.get(lowered, 1)
