"""What a sentence does: question, command or comment, by its first words."""

import re
from typing import Final, Literal

from models.embedded.words import word_set, words

SpeechAct = Literal["question", "command", "comment"]

_OPENING: Final = re.compile(
    r"^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|ok(?:ay)?|alright"
    r"|by the way|btw|right|great|perfect|fine|nice|cool|lovely|hm+|good(?=[.,!])"
    r"|(?:please|pls|kindly) do(?! (?:not|you|we|they|i|so|that|it|this)\b)|ah|aha"
    r"|well|so|and|also|then|now|next|finally|first"
    r"|second(?:ly)?|please"
    r"|pls|kindly|just|actually|sure|yes|yep|yeah|no|sorry|oh|but|plus|after that|in addition"
    r"|besides(?: that)?|apart from that|on top of that|while you(?:'re| are) at it"
    r"|afterwards|there|team|everyone|if (?:you can|possible|you could))\b[\s,.!:;-]*)+",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"^(?:would you mind|(?:can|could|would|will|won't|can't) (?:you|somebody|someone)"
    r"(?: (?:please|kindly|also|then|just|quickly))*"
    r"|(?:i|we)(?:'d| would)? (?:(?:also|really|just) )?(?:like|love|want|need|wish|have)"
    r" (?:you )?to(?: (?:please|also))?"
    r"|(?:i|we)(?:'d| would) appreciate it if you(?: could| would)?"
    r"|would you mind|do me a favou?r and|go ahead and|let's|let us|make sure (?:to|you|that you)"
    r"|be so kind (?:as )?to|feel free to|you (?:can|should|must|need to|have to)(?: please)?"
    r"|it(?:'s| is) time to|time to)\s+",
    re.IGNORECASE,
)
QUESTION_WORDS: Final = word_set(
    "what what's whats which who who's whom whose when where where's why how how's is isn't are"
    " aren't was wasn't were do does doesn't did didn't has hasn't have haven't had can can't could"
    " should shall may might must will won't would am any"
)
COMMAND_VERBS: Final = word_set(
    "tell show list find give get check look pull open read print search explain run report cancel"
    " refund void reopen change send ship deliver update move redirect stop pay return issue"
    " reimburse summarise summarize compare see let i'd i'll what's where's who's please can could"
    " would fetch display credit annul track"
)
_SUBJECTS: Final = word_set(
    "i i'm i've i'll i'd we we're we've we'll you he she they it it's this that that's there"
    " there's the a an my our their his her these those nobody everyone someone some all no not for"
    " in because since as if on at about one two three four five some most several none"
)
_BUSY: Final = word_set(
    "putting preparing working doing making writing finishing closing building drafting reviewing"
    " planning sitting"
)
"""What one is doing while one asks: "putting the board pack together"."""
_ASKED_THING: Final = re.compile(
    r"^(?:a|the|an) (?:\w+ )?(?:list|overview|summary|breakdown) of\b", re.I
)
_ABOUT: Final = re.compile(
    r"^(?:for|on|re|about) (?:the|my|our|this) [^:,.?!]{2,30}:\s*", re.IGNORECASE
)
_NEEDED: Final = re.compile(
    r"^(?:i|we)(?:'d| would|'ll)?(?: also| just| really| only)? (?:like|want|need)"
    r" (?:to (?:see|know|have|get|look)\b|the\b|an?\b|all\b|that\b|this\b|your\b"
    r"|(?-i:[A-Z]{2,6}-\d)|\w+'s\b)",
    re.IGNORECASE,
)
_EXCLAIMED: Final = re.compile(
    r"^(?:(?:oh|ah|hm+|ugh|argh|well|ok)[\s,.!]+)*(?:(?:so |very )?sorry to"
    r"|(?:glad|good|nice|great|happy) to|too bad|what a|pity|shame|my (?:mistake|bad|fault)"
    r"|(?:i(?:'ve| have)? )?(?:got|have) [^,.?!]{2,40} on (?:the )?(?:phone|line|hold|call|chat)"
    r"|i (?:need|want|have) to (?:read|see|check|understand|know) (?:it|this|that)(?= \w+ly|\W*$)"
    r"|fair enough|makes sense|i see|need(?:ed)? (?:it|them|this|that|these|both) (?:for|to))\b",
    re.IGNORECASE,
)
_STATEMENT: Final = re.compile(
    r"^\S+(?:\s+\S+){0,8}?\s+(?:is|are|was|were|has|have|had|wants?|needs?|asked|says?|said|will"
    r"|would|should|must|paid|told|called|wrote|complain(?:s|ed)?|got|did|does|can|never|claims?"
    r"|wish(?:es)?|came|went|sent|found|bought|broke|thinks?|no longer)\b"
    r"|^(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z&])[\w-]*)* (?:say|\w+ed)\b",
    re.IGNORECASE,
)


_LETTING: Final = re.compile(r"(?:and )?let (?:me|us) (?:know|see|have)\b", re.IGNORECASE)
_LOOKING: Final = word_set("tell show find list give get check look pull open read explain display")


def core(text: str) -> str:
    """The sentence without greetings and courtesy: what is asked for comes first."""
    plain = " ".join(text.replace("\u2019", "'").split())
    before = None
    while plain != before:
        before = plain
        plain = _ABOUT.sub("", _REQUEST.sub("", _OPENING.sub("", plain)))
    return plain or text.strip()


def opens_request(text: str) -> bool:
    """Whether a text begins as a request to look something up: "let me know what is in it"."""
    plain = core(text)
    first = next(iter(words(plain)), "")
    return first in QUESTION_WORDS | _LOOKING or _LETTING.match(text.strip()) is not None


def only_opens(text: str) -> bool:
    """Whether a text is only a greeting or another opening: "Good evening."."""
    return not _OPENING.sub("", text).strip(" .,!")


def states(text: str) -> bool:
    """Whether a text says something of somebody or something: "ORD-2086 is not needed"."""
    return _STATEMENT.match(text) is not None


def is_request(text: str) -> bool:
    """Whether courtesy says that the listener shall act: "could you …", "I'd like you to …"."""
    return _REQUEST.match(_OPENING.sub("", text.replace("\u2019", "'"))) is not None


def speech_act(text: str) -> SpeechAct:
    """Question, command or comment."""
    plain = core(text)
    first = next(iter(words(plain)), "")
    if first in _BUSY:
        return "comment"
    if is_request(text) or _ASKED_THING.match(plain) or _NEEDED.match(plain):
        return "command"
    if first in QUESTION_WORDS | {"whether"} or text.rstrip().endswith("?"):
        return "question"
    if first in ("don't", "dont", "never", "reason") or _EXCLAIMED.match(text):
        return "comment"
    if first in COMMAND_VERBS:
        return "command"
    if not first or first in _SUBJECTS or first[0].isdigit() or _STATEMENT.match(plain):
        return "comment"
    return "command"
