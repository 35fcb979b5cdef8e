"""Demands that come without a verb of their own: money that is to go back, a new destination."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.patterns import amounts
from models.embedded.readers import read_address
from models.embedded.speech import core, is_request
from models.embedded.words import word_set, words

_ID: Final = r"\b[A-Z]{2,6}-\d{3,8}\b"
_MOVED: Final = re.compile(
    rf"{_ID}(?:'s)?(?:\s*(?:->|=>|\u2192|:)\s*"
    r"|,? (?:now )?(?:(?:goes|should go|moves|go) )?to )"
    r"(?:the )?(?:new )?(?:drop-off |address |destination )?:? ?(?=\S*.*\d)",
)
_UNWANTED: Final = re.compile(
    rf"\b(?:no longer|(?:don't|doesn't|do not|does not)) (?:want|need)s?\b[^.;?]*{_ID}"
    rf"|{_ID} (?:is|are) (?:no longer|not) (?:wanted|needed)\b"
)
_DISMISSED: Final = re.compile(
    r"\b(?:has to|have to|needs? to|must|should|can)(?: also)? (?:go|disappear|vanish)"
    r"(?: away| too| as well| now| please)*\s*(?:$|[.,;!])",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[;:!?]+(?=\s|$)|[,.](?=\s|$)|\s[-\u2013\u2014]+\s")
_SUM: Final = re.compile(
    r"(?:€|\$|£|eur) ?\d[\d.,]*|\d[\d.,]* ?(?:€|\$|£|eur(?:os?)?|usd|gbp|dollars?|pounds?)(?!\w)"
    r"|(?<![\w-])\d[\d.,]*(?= (?:(?:from|on|of|for) [A-Z]{2,6}-\d{3,8} )?(?:back|off)\b)"
    r"|\b(?:half|a (?:third|quarter|fifth|tenth)|\d+ ?(?:%|percent))\b",
    re.IGNORECASE,
)
_BACK: Final = re.compile(
    r"\bback\b(?! (?:in|then|when)\b)|\b(?:knocked|taken) off\b"
    r"|\boff (?=[A-Za-z]{2,6}-\d|the|their|that|it)\b"
    r"|\breturned\b|\bcredited\b",
    re.IGNORECASE,
)
DO_SO: Final = re.compile(
    r"(?:^|[.,;!]\s+|\band )(?:please |so |then |just )*do (?:that|so|it|this)"
    r"(?: please| pls|,? thanks| for (?:him|her|them|me|us))*\s*[.!]*$",
    re.IGNORECASE,
)
"""A demand for what was just told: "we promised him a third of it back. do that"."""
_NOT_BACK: Final = word_set("not no never don't didn't won't can't cannot without if whether")
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")
_CLOSED: Final = re.compile(r"(?<=\w{3}[.?!])\s+(?=[A-Za-z])")
_POSTAL: Final = re.compile(r"^(?=.*[A-Z])(?=.*\d)[^,]{5,},\s*\S.*[A-Z]")
_HANDED: Final = re.compile(
    r"^(?:return|hand|wire|credit|remit|transfer|pay out) (?:\S+ with |them |him |her |\w+ )?"
    rf"(?:{_SUM.pattern})"
    rf"|^(?:\w+ ){{1,3}}(?:gets?|receives?) (?:the |a )?(?:whole |full )?(?:{_SUM.pattern}|\d+$)",
    re.IGNORECASE,
)
DOUBTED: Final = word_set(
    "got gave was were did already had received came been not don't dont never without no cannot"
    " can't won't shouldn't didn't nothing would could might think guess maybe perhaps if whether"
    " normal usually ever wanted will promised expect expects expected hope hopes went"
)
_FORETOLD: Final = word_set("will would could might may")
_WEIGHED: Final = word_set(
    "would could might normal ok okay allowed possible no not never don't didn't refused"
)
_BECAUSE: Final = re.compile(r"\b(?:because|since|as|for)\b")
_MISTAKEN: Final = re.compile(
    r"\b(?:\w+ed|made) (?:\w+ )?by (?:mistake|accident|error)\b|\b(?:wrongly|mistakenly) \w+ed\b"
    r"|\b(?:must|should|shall|(?:has|have|needs?) to) be opened again\b"
    r"|\bshould(?:n't| not| never) (?:be|have been) (?:void\w*|cancel\w*|clos\w*)\b",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"\b(?:would|should)(?: very much| really)? (?:appreciate|like|love|be \w+)(?: it)?(?: if)?\b"
    r"|\bcould be\b|\bif possible\b",
    re.IGNORECASE,
)
LOOKING: Final = word_set("show find list tell search look check get see which what who")
_STANDS: Final = re.compile(
    rf"{_ID} (?:is|are|was|were)(?: (?:now|still|currently))?(?: (?:at|in|with))?\s*$",
    re.IGNORECASE,
)
_PLACED: Final = re.compile(
    r"\b(?:destination|address|place)\b.*\b(?:should be|must be|is now|needs to be"
    r"|has to be|shall be)\b"
    r"|^to (?:the )?\S.*\b(?:instead|please|now)\W*$"
    r"|\bgo(?:es)? to\b.*\b(?:instead|now|please|from now on)\b"
    r"|^(?:put|set|enter|note|take) .*\bas (?:the |its )?(?:new )?(?:delivery |shipping )?"
    r"(?:address|destination)\b|^have\b.*\b(?:delivered|sent|shipped|brought) to\b",
    re.IGNORECASE | re.DOTALL,
)


def with_assent(parts: Sequence[str]) -> list[str]:
    """The parts of a message, a last "do that" with what it is to be done of."""
    if len(parts) < 2 or DO_SO.fullmatch(parts[-1]) is None:
        return list(parts)
    return [*parts[:-2], f"{parts[-2]} {parts[-1]}"]


def money_back(text: str) -> bool:
    """Whether a sum is to go back: "90 euros back on …", "she wants 120 knocked off"."""
    clauses = _CLAUSE.split(text)
    told = [_BECAUSE.split(one, maxsplit=1)[0] for one in clauses if DO_SO.search(text)]
    told = [one for one in told if not set(words(one)) & _NOT_BACK]
    return any(map(_goes_back, clauses)) or any(
        _SUM.search(one) and _BACK.search(one) for one in told
    )


def _goes_back(clause: str) -> bool:
    """Whether a clause has a sum and says that it goes back, and no word that doubts it."""
    found, back = _SUM.search(clause), _BACK.search(clause)
    handed = _HANDED.match(core(clause).rstrip(" .")) is not None
    handed = handed and not set(words(core(clause))[:3]) & _FORETOLD
    if found is None or back is None:
        return handed
    if handed:
        return True
    end = max(found.end(), back.end())
    after = _BECAUSE.split(clause[end:], maxsplit=1)[0]
    return not (set(words(clause[:end])) & DOUBTED or set(words(after)) & _WEIGHED)


def readdressed(text: str) -> bool:
    """Whether something is to go to another address: one is given, and nothing asks or doubts.

    An address without street and place needs words that send something there.
    """
    address = read_address(text)
    parts = [*_CLOSED.split(text), *_SENTENCE.split(text)]
    sentence = next((one for one in parts if address and address in one), "")
    before = _POLITE.sub(" ", sentence.partition(address)[0]) if sentence else ""
    lead = words(core(before))
    if not sentence or set(lead[:1]) & LOOKING or set(lead) & DOUBTED or _STANDS.search(before):
        return False
    if sentence.rstrip().endswith("?") and not is_request(sentence):
        return False
    return bool(_POSTAL.search(address) or _PLACED.search(core(text)) or _MOVED.search(text))


def mistaken(text: str) -> bool:
    """Whether something was done by mistake or should not be so: it is to be undone, opened again.

    With a sum the mistake is the reason of a payment: "648 euro back, two were ordered by mistake".
    """
    return bool(_MISTAKEN.search(text)) and not (text.rstrip().endswith("?") or amounts(text))


def unwanted(text: str) -> bool:
    """Whether somebody does not want a named record any more: "no longer want ORD-2084"."""
    return bool(_UNWANTED.search(text)) and not text.rstrip().endswith("?")


def dismissed(text: str) -> bool:
    """Whether something is to go: "INV-1046 has to disappear", "the bill should go as well"."""
    return bool(_DISMISSED.search(text)) and not text.rstrip().endswith("?")
