"""A cue: what in a clause says that a slot's value follows, or stands before."""

import re
from dataclasses import dataclass
from typing import Final

from models.embedded.stating.values import Find

NAME: Final = "preferred_name"
PLACE: Final = "location"
ROLE: Final = "role"
TEAM: Final = "team"
FIRM: Final = "employer"
CARE: Final = "responsible_for"
ME: Final = r"\b(?:I|we)"
AM: Final = r"\b(?:I am|I'm|Im|we are|we're|I've been|I have been)"
ADV: Final = (
    r"(?: (?:no longer|now|currently|still|also|just|only|recently|actually|again|mostly|already|both|officially"
    r"|finally|since|always|usually|normally|mainly|presently|back|permanently|happily|proudly"
    r"|technically|personally|even|these days|at the moment|together|once more|once again|all))*"
)
HAVE: Final = rf"{ME}(?:'ve| have)?{ADV}"
_LETTER: Final = "[A-Za-z\u00c0-\u024f]"
_WHOLE_WORD: Final = rf"(?!(?<={_LETTER}){_LETTER})"  # "source" is not "sou", I am


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern, and how to find the value in what follows it.

    Attributes:
        pattern: A group `v`, where there is one, is what the value is looked for in.
        small: The same for a text that is written without capitals.
        find: Finds the values at the beginning of a text.
        ended: The clause says by this that the value holds no more.
        past: It says that the value held once.
    """

    slot: str
    pattern: re.Pattern[str]
    small: re.Pattern[str]
    find: Find
    ended: bool = False
    past: bool = False


def cue(slot: str, pattern: str, find: Find, *, ended: bool = False, past: bool = False) -> Cue:
    """A cue; the pattern is read in any case but for its capitals."""
    if "(?P<v>" not in pattern:
        pattern = f"(?:{pattern}){_WHOLE_WORD}"
    capitals = pattern.replace("[A-Z]", "(?-i:[A-ZÀ-Þ])")
    # A usual word in small letters is no name.
    small = capitals if slot == NAME else pattern.replace("[A-Z]", r"[^\W\d_]")
    large, small_one = (re.compile(one, re.IGNORECASE) for one in (capitals, small))
    return Cue(slot, large, small_one, find, ended, past)
