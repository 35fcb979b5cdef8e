"""Whose records a request is about: names in it, the topic of its message, who was talked about."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.choices import EVERYBODY
from models.embedded.fields import Argument
from models.embedded.followup import asked_back
from models.embedded.names import PEOPLE, names
from models.embedded.patterns import identifiers
from models.embedded.reference import called
from models.embedded.requests import Request

_LED: Final = r"\b(?:with|from|at|for|about|to|of|on|regarding) "
_PRONOUN: Final = re.compile(
    r"\b(?:they|them|their|theirs|he|she|him|her|his|its|(?:this|that|the|same) (?:customer|client"
    r"|company|account)|those|these|there)\b",
    re.IGNORECASE,
)
_PART_OF: Final = re.compile(
    r"\b(?:which|what|any|some|how much|how many|none|all|one|much) of"
    r" (?:it|that|them|those|these)\b",
    re.IGNORECASE,
)
_TOPIC: Final = re.compile(
    r"^(?:(?:and|so|ok|hi|hello|please|now)[ ,]+)*(?:for|about|on|regarding|as for)? ?"
    r"(?P<name>(?-i:[A-Z])[^:,.?!]{2,40}?)"
    r"(?::| (?:i|we)(?:'d| would)? (?:need|want|like)\b| (?:show|list|give)\b)",
    re.IGNORECASE,
)


def read_parties(argument: Argument, request: Request) -> list[str]:
    """Ids and names of customers in a request; else those that it points to.

    What a message begins with, as in "Otava: their invoices, and which are overdue", holds for all
    its parts.
    """
    own = [found.text for found in identifiers(request.text, argument.id_kinds)]
    found = names(request.text, request.known_words)
    placed = sorted(_written(found), key=request.text.find)  # "Otava's usage and Torrente's"
    placed = [one for one in placed if not any(one in more for more in placed if more != one)]
    listed = placed if len(placed) > 1 else sorted(found, key=request.text.find)
    own += listed if len(listed) > 1 and enumerated(request, listed) else found
    whole = names(request.scene.user, request.known_words) if request.before else []
    if own and (_written(own) or not _written(whole)):
        return list(own)
    if EVERYBODY.search(request.text) and not argument.required:
        return []
    before = names(request.before, request.known_words)
    topic = _TOPIC.match(request.scene.user)
    about = _written(names(topic["name"], request.known_words)) if topic and before else []
    if about and not argument.required:
        return about[:1]
    if not before and argument.required:
        before = names(request.scene.user, request.known_words)
    pointed = _PRONOUN.search(request.text) or _PART_OF.search(request.text)
    if before and (argument.required or pointed):
        return list((_written(before) or before)[-1:])
    if argument.required or pointed:
        return list(_just_named(request) or request.scene.customers())
    return []


def _just_named(request: Request) -> list[str]:
    """The customer of a remark that asked for nothing: "quick one before my call with Solace"."""
    last = request.scene.last
    if last is None or called(last):
        return []
    named = _written(names(last["user"], request.known_words))
    led = [one for one in named if re.search(rf"{_LED}{re.escape(one)}", last["user"])]
    asked = named if asked_back(last) and len(named) == 1 else []
    return led[:1] or asked


def enumerated(request: Request, values: Sequence[str]) -> bool:
    """Whether all the names stand in the request, joined by "and" or a comma."""
    link = r"(?:['\u2019]s)?(?: in \w+)?\s*(?:,|and|&|,\s*and|plus)\s*(?:(?:also|of|for|by|the) )*"
    joined = link.join(re.escape(str(value)) for value in values)
    return re.search(joined, PEOPLE.sub("", request.text), re.IGNORECASE) is not None


def _written(found: Sequence[str]) -> list[str]:
    """The names that are written as names."""
    return [name for name in found if name[0].isupper()]
