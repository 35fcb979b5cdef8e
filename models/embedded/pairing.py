"""A look-up for two customers in one sentence, written out: "all bills of A, and all of B too"."""

import re
from collections.abc import Collection
from typing import Final

from models.embedded.names import names
from models.embedded.patterns import identifiers

_LINK: Final = re.compile(
    r"(?:\s*,\s*(?:(?:and|plus|also|as well as)\s+)?|\s+(?:and|plus|as well as)\s+)"
    r"(?:also |then )*"
    r"(?P<same>(?:all|everything|those|these|that|the ones?|the same|ditto)(?: things?)? )?"
    r"(?:also )?(?:(?:for|of|from|with|by|at) )?$",
    re.IGNORECASE,
)
_CORRECTED: Final = re.compile(
    r"\b(?P<lead>for|from|of|at|by|with|in) (?:the )?[\w&'. -]{2,30}?"
    r"(?:\.\.+|\u2026|,|;|\s[-\u2013])\s*"
    r"(?:oh )?(?:no,? )?(?:wait|sorry|i meant?|make that|rather|scratch that)(?:,? no)?"
    r"(?:,| -|\.\.+)? (?:i meant? )?(?:(?P=lead) )?(?=[A-Za-z])",
    re.IGNORECASE,
)
_AND_ALSO: Final = re.compile(
    r"^(?P<own>.+?\b)(?P<first>(?-i:[A-Z])[\w&]+(?: (?-i:[A-Z&])[\w&]*)*)(?P<of>['\u2019]s)?"
    r" (?P<thing>[a-z]+) (?:and|with|to|against|plus|vs\.?) (?P<second>(?-i:[A-Z])[^,.?!]{2,40}?)"
    r"['\u2019]s(?: (?:at|from|of) (?P<home>(?-i:[A-Z])[\w& ]+?))?"
    r"(?P<tail>(?: (?:for|in|of) [\w ]+?)?)(?:,? (?:too|as well|also|please|pls))*\W*$",
    re.IGNORECASE,
)
_END: Final = re.compile(
    r"(?:['\u2019]s)?(?: ones?)?(?:,? (?:too|as well|also|please|pls))*\W*$", re.IGNORECASE
)


def corrected(text: str) -> str:
    """The text with the name that replaces another: "orders from Cafe, no wait, from Aurora"."""
    if identifiers(text):
        return text
    return _CORRECTED.sub(r"\g<lead> ", text, count=1)


def written_out(text: str, known_words: Collection[str]) -> str:
    """The text as two sentences where it asks the same for a second customer; else as it is.

    Args:
        text: a message.
        known_words: the app's own vocabulary, which holds no names.
    """
    if found := _AND_ALSO.match(text):  # "compare Otava's usage with Sato's for June"
        owner = found["of"] or ""
        other = found["home"] or found["second"]
        both = (f"{found['own']}{found['first']}{owner}", f"{found['own']}{other}{owner}")
        return ". ".join(f"{one} {found['thing']}{found['tail']}" for one in both)
    placed = sorted(
        (text.find(name), name) for name in names(text, known_words) if name[0].isupper()
    )
    if len(placed) != 2:
        return text
    (at, first), (start, second) = placed
    link = _LINK.search(text[:start])
    if link is None or not _END.match(text[start + len(second) :]):
        return text
    own = text[: link.start()]
    beside = own.rstrip().endswith(first) and not link["same"]  # "of Otava and Sato"
    if beside or first not in own or len(own) < at + len(first):
        return text
    return f"{own}. {own[:at]}{second}{own[at + len(first) :]}"
