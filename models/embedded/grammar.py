"""Words of English grammar: what denies, asks, points back, joins and corrects."""

import re
from typing import Final

from text.words import words

PRONOUN: Final = re.compile(
    r"\b(?:it|its|that|this|these|those|them|they|their|theirs|he|him|his|she|her|hers|one|ones"
    r"|same|both|there|then|the other|the former|the latter)\b",
    re.IGNORECASE,
)
PERSONAL: Final = re.compile(
    r"\b(?:they|them|their|theirs|he|him|his|she|her|hers|it|its|same|that \w+|this \w+)\b",
    re.IGNORECASE,
)
CONTINUES: Final = re.compile(
    r"^\W*(?:and|what about|how about|same|make (?:it|that)|also|or|no,?|not|only|just|but|then|now"
    r"|instead|rather|ok(?:ay)?,? and|for|in|with|without|until|from|on|at)\b",
    re.IGNORECASE,
)
DENIED: Final = re.compile(
    r"(?:(?:^|[,;:.!?\u2013\u2014-]|\b(?:please|but|so|and|or|ok|okay|no|then|just|rather|yet)\b)\s*"
    r"(?:do not|don't|dont|never)|\bnot yet|\bno need to|\bneedn't|\b(?:should|must) ?(?:not|n't)"
    r"|\brather not|\bhold off|\binstead of)\b[^.;!?]*$",
    re.IGNORECASE,
)
WITHDRAWN: Final = re.compile(
    r"^\W*(?:no,?\s+)?(?:never ?mind|forget (?:it|that)|leave it|drop it|not now|don't bother"
    r"|scrap that|stop)\b",
    re.IGNORECASE,
)
REFUSED: Final = re.compile(
    r"^\W*(?:no|nope|nah)\b[\s,.!]*(?:thanks|thank you|please|sorry)?[\s.!]*$", re.IGNORECASE
)
AFFIRMED: Final = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|ok(?:ay)?|sure|right|correct|exactly|please|go ahead|go on"
    r"|do (?:it|that|so)|fine|perfect|of course|confirmed?)\b(?:\W+\w+){0,3}\W*$",
    re.IGNORECASE,
)
SUPPOSED: Final = re.compile(
    r"\b(?:what (?:would|will|does|happens?)\b.*\bif|what if|suppose|supposing|hypothetical\w*"
    r"|would (?:it|there|that|we|i|they|he|she) (?:be|cost|lose|have to|get|still)|how much would"
    r"|is it (?:possible|allowed)|are (?:we|they) allowed|would have to)\b",
    re.IGNORECASE,
)
CORRECTED: Final = re.compile(
    r"[,.;\u2013\u2014-]*\s*\b(?:no,? wait|wait,? no|scratch that|correction|sorry,? no|no,? sorry"
    r"|actually,? no|or rather|i mean|i meant|make (?:that|it)|no,? make|oh no)\b[,:]?\s*",
    re.IGNORECASE,
)
ASKS: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|ok|okay|and|so|but|please|sorry|morning|well)\b[\s,!.]*)*(?:who|whom|whose|what"
    r"|which|when|where|why|how|is|are|was|were|did|does|do|has|have|had|am)\b",
    re.IGNORECASE,
)
PAST: Final = re.compile(
    r"\b(?:was|were|did|had|been|came|went|happened|gave|took|paid|sold|so far|ago|earlier"
    r"|previous(?:ly)?|history)\b",
    re.IGNORECASE,
)
FUTURE: Final = re.compile(
    r"\b(?:will|going to|due|upcoming|free|available|coming|planned|expir\w+|book\w*|soon|next)\b",
    re.IGNORECASE,
)
OTHER: Final = re.compile(
    r"\b(?:the other|other one|another|not (?:that|this) one)\b", re.IGNORECASE
)
JOINT: Final = re.compile(
    r"(?<=[.!?;])\s+|\n+|,?\s+(?:and then|and also|and|then|also|plus|as well as)\s+|,\s+(?=\w+)",
    re.IGNORECASE,
)
GREETING: Final = re.compile(
    r"^\W*(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening|day)|morning|greetings|howdy)"
    r"(?:\s+(?:there|all|again|everyone|team|desk|back))*[\s!.,]*$",
    re.IGNORECASE,
)
THANKS: Final = re.compile(
    r"\b(?:thanks|thank you|thx|cheers|much appreciated|ta)\b", re.IGNORECASE
)
FAREWELL: Final = re.compile(
    r"^\W*(?:bye|goodbye|see you|good night|have a (?:good|nice))\b", re.IGNORECASE
)
ABILITY: Final = re.compile(
    r"\bwhat (?:can|do|could) you (?:do|help|know|offer|cover)|\bhow can you help|\bwho are you\b"
    r"|^\W*(?:help|help me|\?+)\W*$|\bwhat (?:is|does) this (?:desk|assistant|bot)\b",
    re.IGNORECASE,
)
ABOUT_ME: Final = re.compile(
    r"\b(?:what do you (?:know|remember) about me|who am i|about me\b|where do i\b|where am i based"
    r"|what(?:'s| is| was) my|which \w+ (?:do|am) i|what \w+ (?:do|am) i"
    r"|do you (?:know|remember) (?:my|where i|who i|what i))",
    re.IGNORECASE,
)
LOOKS_BACK: Final = re.compile(
    r"\b(?:do|did|can|could) (?:you|i|we) (?:still )?(?:remember|recall)\b"
    r"|\bwhat (?:did|have|had) (?:we|i|you)\b.*\b(?:do|done|say|said|tell|told|ask|asked"
    r"|decide\w*|change\w*|talk\w*|discuss\w*|agree\w*)\b"
    r"|\b(?:last time (?:we|i)|in our last|previous (?:session|talk|conversation))\b"
    r"|\bremind me (?:what|of what|which|who|how)\b"
    r"|\bsum(?:marise|marize| up)\b.*\b(?:we|so far|conversation)\b",
    re.IGNORECASE,
)
FEW_MORE: Final = 2
"""Words after "never mind" that are no request of their own."""


def withdrawn(text: str) -> bool:
    """Whether a text takes a wish back and asks for nothing else."""
    found = WITHDRAWN.search(text)
    return found is not None and len(words(text[found.end() :])) <= FEW_MORE
