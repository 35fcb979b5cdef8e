"""What a sentence does: question, command or comment, by its first words."""

import re
from typing import Final, Literal

from text.words import word_set, words

SpeechAct = Literal["question", "command", "comment"]

_OPENING: Final = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|ok(?:ay)?|alright"
    r"|right|great|perfect|fine|by the way|well|so|and|but|also|then|now|next|first|finally"
    r"|please|kindly|just|actually|sure|yes|no|sorry|oh)\b[\s,.!:;-]*)+",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"^(?:(?:can|could|would|will) you(?: (?:please|kindly|also|just))*|would you mind"
    r"|(?:i|we)(?:'d| would)? (?:also )?(?:like|love|want|need|wish) (?:you )?to"
    r"|let's|go ahead and|make sure (?:to|you|that you)|feel free to)\s+",
    re.IGNORECASE,
)
_NEEDED: Final = re.compile(
    r"^(?:i|we)(?:'d| would)? (?:also |just )?(?:like|want|need)"
    r" (?:to|the|an?|all|that|this|your)\b",
    re.IGNORECASE,
)
_STATEMENT: Final = re.compile(
    r"^\S+(?:\s+\S+){0,8}?\s+(?:is|are|was|were|has|have|had|wants?|needs?|asked|says?|said|will"
    r"|would|should|must|did|does|can|never|no longer)\b",
    re.IGNORECASE,
)
_QUESTION_WORDS: Final = word_set(
    "what what's which who who's whom whose when where where's why how how's is isn't are aren't"
    " was wasn't were do does doesn't did didn't has hasn't have haven't had can can't could should"
    " shall may might must will won't would am any whether"
)
_SUBJECTS: Final = word_set(
    "i i'm i've i'll i'd we we're we've we'll you he she they it it's this that that's there"
    " there's the a an my our their his her these those nobody everyone someone some all no not"
    " never don't for in because since as if on at about one two three several none"
)


def core(text: str) -> str:
    """The sentence without greetings and courtesy: what is asked for comes first."""
    plain = " ".join(text.replace("\u2019", "'").split())
    before = None
    while plain != before:
        before = plain
        plain = _REQUEST.sub("", _OPENING.sub("", plain))
    return plain or text.strip()


def speech_act(text: str) -> SpeechAct:
    """Question, command or comment."""
    opened = _OPENING.sub("", " ".join(text.replace("\u2019", "'").split()))
    if _REQUEST.match(opened) or _NEEDED.match(opened):
        return "command"
    first = next(iter(words(core(text))), "")
    if first in _QUESTION_WORDS or text.rstrip().endswith("?"):
        return "question"
    if not first or first in _SUBJECTS or first[0].isdigit() or _STATEMENT.match(core(text)):
        return "comment"
    return "command"
