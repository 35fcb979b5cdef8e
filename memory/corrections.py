"""What a user's message says about earlier work: that it was wrong, and how it should be done.

By rule, not by model: only the user's own words are read, never what a tool or a record says.
"""

import re
from typing import Final, Literal

_THING: Final = (
    r"(?:that|this|it|which|those|these|your (?:\w+ )?\w+"
    r"|(?:the|that|this) (?:\w+ ){0,3}(?:report|figures?|answer|results?|numbers?|list|query|sum"
    r"|amount|call|refund|search|total|overview|one|invoice|order|customer|address))"
)
_WRONG: Final = re.compile(
    rf"\b{_THING}(?:'s|'re| is| was| were| are| looks?| looked)?"
    r" (?:all |quite |completely |just |plain(?:ly)? |still |simply |definitely )?"
    r"(?:wrong|incorrect|not (?:right|correct|what i|how (?:we|i)|ok(?:ay)?|good enough)|false"
    r"|no good|useless|mistaken|a mistake|too (?:slow|short|few|little|long|broad|narrow))\b"
    r"|\b(?:isn't|wasn't|aren't|weren't) (?:right|correct|what (?:i|we)|how (?:we|i))\b"
    r"|^(?:no|nope|wrong|stop)\b[\s,.!:;-]*(?!problem|worries|thanks|thank you|need)(?=\S)"
    r"|\bnot what (?:i|we) (?:asked|meant|wanted|need)\b"
    r"|\b(?:i|we) (?:meant|didn't (?:ask|mean|want))\b"
    r"|\byou (?:forgot|missed|left out|ignored|omitted|should(?:n't| not)? have|got \w+ wrong)\b",
    re.IGNORECASE,
)
_STANDING: Final = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|next time|every time|each time"
    r"|whenever|you (?:must|need to|have to|should)|make sure|remember to"
    r"|don't (?:ever )?forget)\b",
    re.IGNORECASE,
)

_AGREES: Final = re.compile(
    r"\s*(?:yes|yep|yeah|sure|ok(?:ay)?|correct|right|exactly|please (?:do|proceed|go ahead)"
    r"|go ahead|do (?:it|that|so)|that(?:'s| is| works| sounds)|sounds good|perfect|great"
    r"|thanks?|thank you|proceed|confirmed?|i (?:confirm|agree)|fine)\b",
    re.IGNORECASE,
)
READ_CHARS: Final = 4_000
"""What a correction says is said early; the rest of a long message is what it is about."""
CONFIRMATION_WORDS: Final = 25
ANSWER_WORDS: Final = 14

Word = Literal["wrong", "standing", ""]


def said_of_before(text: str) -> Word:
    """Whether a message calls earlier work wrong, or says how work is to be done from now on."""
    opening = text[:READ_CHARS]
    if _WRONG.search(opening):
        return "wrong"
    return "standing" if _STANDING.search(opening) else ""


def only_answers(text: str, before: str) -> bool:
    """Whether a message only agrees, or answers the question that stands before it."""
    words = len(text.split())
    if _AGREES.match(text) and words <= CONFIRMATION_WORDS:
        return True
    return before.rstrip().endswith("?") and words <= ANSWER_WORDS
