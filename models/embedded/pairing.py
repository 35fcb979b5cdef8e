"""A look-up for two customers in one sentence, written out: "all bills of A, and all of B too"."""

import re
from collections.abc import Collection
from typing import Final

from models.embedded.names import names

_LINK: Final = re.compile(
    r"(?:\s*,\s*(?:(?:and|plus|also|as well as)\s+)?|\s+(?:and|plus|as well as)\s+)"
    r"(?:also |then )*"
    r"(?P<same>(?:all|everything|those|these|that|the ones?|the same|ditto)(?: things?)? )?"
    r"(?:also )?(?:(?:for|of|from|with|by|at) )?$",
    re.IGNORECASE,
)
_END: Final = re.compile(
    r"(?:['\u2019]s)?(?: ones?)?(?:,? (?:too|as well|also|please|pls))*\W*$", re.IGNORECASE
)


def written_out(text: str, known_words: Collection[str]) -> str:
    """The text as two sentences where it asks the same for a second customer; else as it is.

    Args:
        text: a message.
        known_words: the app's own vocabulary, which holds no names.
    """
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
