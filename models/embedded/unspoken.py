"""Demands that come without a verb of their own: money that is to go back, a new destination."""

import re
from typing import Final

from models.embedded.readers import read_address
from models.embedded.speech import core
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
_CLAUSE: Final = re.compile(r"[;:!?]+(?=\s|$)|[,.](?=\s|$)")
_SUM: Final = re.compile(
    r"(?:€|\$|£|eur) ?\d[\d.,]*|\d[\d.,]* ?(?:€|\$|£|eur(?:os?)?|usd|gbp|dollars?|pounds?)(?!\w)"
    r"|(?<![\w-])\d[\d.,]*(?= (?:back|off)\b)"
    r"|\b(?:half|a (?:third|quarter|fifth|tenth)|\d+ ?(?:%|percent))\b",
    re.IGNORECASE,
)
_BACK: Final = re.compile(
    r"\bback\b|\b(?:knocked|taken) off\b|\boff (?=[A-Za-z]{2,6}-\d|the|their|that|it)\b"
    r"|\breturned\b|\bcredited\b",
    re.IGNORECASE,
)
_HANDING: Final = word_set("send put transfer wire pay give credit return let hand book take issue")
_HANDED: Final = re.compile(
    r"^(?:return|hand|wire|credit|remit|transfer|pay out) (?:\S+ with |them |him |her |\w+ )?"
    rf"(?:{_SUM.pattern})",
    re.IGNORECASE,
)
_DUE: Final = word_set(
    "get gets give wants want should deserve deserves needs need owe owed due please let another"
    " and then also just a have with"
)
_GONE: Final = word_set(
    "got gave was were did already had received came sent paid been not don't dont never without"
    " no cannot can't won't shouldn't didn't nothing"
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


def money_back(text: str) -> bool:
    """Whether a sum is to go back: "90 euros back on …", "she wants 120 knocked off"."""
    return any(_goes_back(clause) for clause in _CLAUSE.split(text))


def _goes_back(clause: str) -> bool:
    found, back = _SUM.search(clause), _BACK.search(clause)
    plain = core(clause)
    if found and _HANDED.match(plain):
        return True
    if found is None or back is None or set(words(clause[: back.start()])[-10:]) & _GONE:
        return False
    lead = words(core(clause[: found.start()]))
    if not clause[: found.start()].strip() or not lead:
        return True
    return lead[0] in _HANDING or bool(set(lead[-4:]) & _DUE)


def readdressed(text: str) -> bool:
    """Whether something is to go to another address: "the destination should be …"."""
    return bool(
        read_address(text)
        and not text.rstrip().endswith("?")
        and (_PLACED.search(core(text)) or _MOVED.search(text))
    )


def unwanted(text: str) -> bool:
    """Whether somebody does not want a named record any more: "no longer want ORD-2084"."""
    return bool(_UNWANTED.search(text)) and not text.rstrip().endswith("?")


def dismissed(text: str) -> bool:
    """Whether something is to go: "INV-1046 has to disappear", "the bill should go as well"."""
    return bool(_DISMISSED.search(text)) and not text.rstrip().endswith("?")
