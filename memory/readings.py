"""What one message shows of where topics begin and end, without looking at its neighbours."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from text.words import content_stems

EDGE_CHARS: Final = 2_000
"""Of a longer message so much of its beginning and of its end is read."""

_CLOSING: Final = re.compile(
    r"\b(?:anything else|any ?thing more|something else|else (?:can|may|could) i"
    r"|(?:you're |you are )?welcome|good ?bye|bye|enjoy|glad (?:i|to)|take care|thank(?:s| you)"
    r"|have a (?:\w+ )?(?:great|nice|good|wonderful|pleasant|lovely) (?:day|one|time|night|evening"
    r"|trip|stay|flight|ride|meal|weekend)|happy to help|no problem)\b",
    re.IGNORECASE,
)
_ADDING: Final = re.compile(
    r"\b(?:also|next|now|by the way|btw|another thing|one more thing|besides|anyways?|in addition"
    r"|as well|meanwhile|before i forget|speaking of)\b",
    re.IGNORECASE,
)
_FOLLOWING: Final = re.compile(
    r"^\W*(?:and |but |so |ok(?:ay)? |what about |how about )*"
    r"(?:it|that|this|they|them|those|these|he|she|there|the same)\b"
    r"|\b(?:that one|this one|the one|it|them)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """One message, read.

    Attributes:
        text: the message, a long one without its middle.
        stems: of its content words.
        entities: its names and ids in their normalised form.
        closes: whether it thanks, takes leave or offers further help.
        asks: whether it ends in a question that waits for an answer.
        adds: whether it says that something further comes: "also", "by the way".
        follows: whether it speaks of the thing at hand: "and that one?".
    """

    text: str
    stems: frozenset[str]
    entities: tuple[str, ...]
    closes: bool
    asks: bool
    adds: bool
    follows: bool


def clipped(text: str) -> str:
    """The text, a long one without its middle."""
    if len(text) <= 2 * EDGE_CHARS:
        return text
    return f"{text[:EDGE_CHARS]} {text[-EDGE_CHARS:]}"


def read_message(text: str, entities: Sequence[str] = ()) -> Reading:
    """Read a message whose entities have been found."""
    plain = clipped(text)
    closes = _CLOSING.search(plain) is not None
    return Reading(
        text=plain,
        stems=frozenset(content_stems(plain)),
        entities=tuple(dict.fromkeys(entities)),
        closes=closes,
        asks=plain.rstrip().endswith("?") and not closes,
        adds=_ADDING.search(plain) is not None,
        follows=_FOLLOWING.search(plain) is not None,
    )
