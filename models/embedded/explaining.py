"""Why something is to be done, in the user's own words."""

import re
from collections.abc import Collection
from typing import Final

from models.embedded.choices import status_forms
from models.embedded.demand import demands
from models.embedded.patterns import AMOUNT, ID, MONTH
from models.embedded.speech import COMMAND_VERBS, core, speech_act, states
from models.embedded.unspoken import DO_SO
from models.embedded.words import STOP_WORDS, stem, stems, word_set, words

_BECAUSE: Final = re.compile(
    r"\b(?:because of|because|due to|owing to|on account of|on the grounds that|given that"
    r"|the reason (?:is|being)|reason(?: is|:| being)?"
    r"|since (?=(?:they|the|it|he|she|we|this|that|their|his|her|i|nobody|no)\b"
    r"|(?-i:[A-Z])\w+ (?!20\d\d))"
    r"|as (?=(?:they|the|it|he|she|we|this|that|these|those|there|their|his|her|i|nothing|nobody"
    r"|no|only|one|two|three|half|some)\b))"
    r"\s*[:,]?\s*(?P<why>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FOR: Final = re.compile(
    r"(?<!\bthanks )\b(?:for|as(?= an? (?:apolog|goodwill|compens)))"
    r" (?:(?=being\b|not\b|having\b|(?-i:[a-z]+) (?:\w+ )?\w+s\W*$)"
    r"|(?:the|an?|one|two|three|their|his|her|all the) (?!euros?\b))"
    r"(?!(?:customer|client|company|invoice|bill|order|rest|full|total|moment|time|sake|whole|same"
    r"|now|me|us|him|her|them|it|this|that)\b)"
    r"(?P<why>[^,.;?!]{4,80})[.!]*$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\breason(?: is|:| being)?\s+(?:that )?(?P<why>[^,.;?!]{3,80})"
    r"|\s[-\u2013\u2014]\s(?P<aside>[^-\u2013\u2014]{5,80})\s[-\u2013\u2014]\s(?=and\b|then\b)",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r"[,:;.!]\s+|\s[-\u2013\u2014]+\s|\bso\s+")
MAX_REASON: Final = 120
_DESCRIBED: Final = frozenset({"a", "an", "been", "not", "the"})
_PIECE: Final = re.compile(r",|\b(?:and|but|so)\b")
_CLAUSE: Final = re.compile(r"[,;:.!?](?:\s+|$)|\s[-\u2013\u2014]+\s|[()]\s*")
_STATE: Final = re.compile(
    r"^(?:it|this|that|which|(?:the )?(?:order|invoice|bill|parcel))"
    r"(?:['\u2019]s| is| was| has been)"
    r"(?: (?:already|still|only|just|yet|now|not))* (\w+)"
    r"(?:\s+(?:already|now|yet|though))*(?:\s*$|,? (?:but|and|so) (?:do not|don't|please)\b)",
    re.IGNORECASE,
)
_ONE_WORD: Final = re.compile(
    r"un\w+able|duplicates?|insolven(?:t|cy)|bankrupt(?:cy)?|obsolete|fraud|goodwill|damaged"
    r"|defective|faulty|broken",
    re.IGNORECASE,
)
_ADDRESSED: Final = word_set("colleague colleagues team sir madam all friend friends needful")
_MISTAKE: Final = re.compile(
    r"\b(?:was|were|got|has been|have been) [^,.;]*"
    r"\b(?:by (?:mistake|accident|error)|in error|(?:in|on|for) the wrong)\b",
    re.IGNORECASE,
)
_COURTESY: Final = re.compile(
    r"[\s,.!?]*\b(?:please|pls|thanks|thank you|asap|right away|immediately|now|today|ok|okay)"
    r"[\s,.!?]*$",
    re.IGNORECASE,
)


def reason_of(text: str, message: str, deeds: Collection[str]) -> str:
    """Why, for one request of a message; else what the message says of all its requests.

    "Void the invoice and cancel the order, the customer is bankrupt" has one reason for both, and
    so has "she ordered it by accident, so cancel the order and void the invoice".
    """
    text = DO_SO.sub("", text)
    own = read_reason(text, deeds)
    others, _, last = message.rpartition(", ")
    if own:
        return own
    mistakes = [one for one in _CLAUSE.split(message) if "undo" in deeds and _MISTAKE.search(one)]
    if told := _told_last(text, message, deeds) or _tidy(", ".join(mistakes)):
        return told
    if speech_act(last) == "question":
        return ""
    if others and not (last in text or ID.search(last) or AMOUNT.search(last)):
        return read_reason(f"{text}, {last}", deeds)
    return _shared(text, message, deeds)


def _told_last(text: str, message: str, deeds: Collection[str]) -> str:
    """The remark that a message ends with after its requests: "do both - they have no budget"."""
    last = re.split(r"\s[-\u2013\u2014]+\s|[.!]\s+(?=[A-Z])", message.strip())[-1].rstrip(" .!")
    own = last == message or last in text or ID.search(last) or AMOUNT.search(last)
    return "" if own or not _explains(last, deeds) else read_reason(f"{text}, {last}", deeds)


def _shared(text: str, message: str, deeds: Collection[str]) -> str:
    """The reason that a message names as one, or the statement that it begins with."""
    if named := _NAMED.search(message):
        return _tidy(named["why"] or named["aside"])
    first = _LEAD.split(message, maxsplit=1)[0]
    tells = speech_act(first) == "comment" and states(first)
    if (
        first in text
        or len(first) == len(message)
        or not tells
        or ID.search(first)
        or AMOUNT.search(first)
    ):
        return ""
    return read_reason(f"{text}, {first}", deeds)


def read_reason(text: str, deeds: Collection[str]) -> str:
    """Why, in the user's words; empty when no reason is given."""
    found = _BECAUSE.search(text)
    if found:
        return _nearest(_tidy(found["why"]), deeds)
    clauses = [
        piece.strip()
        for part in _CLAUSE.split(text)
        for piece in (_PIECE.split(part) if len(part) > MAX_REASON else [part])
        if piece.strip()
    ]
    if mistakes := [one for one in clauses if _MISTAKE.search(one) and states(one)]:
        return _nearest(_tidy(", ".join(mistakes)), deeds)
    several = len(clauses) > 1
    remarks = [part for part in clauses if several and _explains(part, deeds)]
    if several and not remarks:  # "they no longer need it, cancel it please"
        told = [part for part in clauses if speech_act(part) == "comment" and states(part)]
        told = [part for part in told if not (AMOUNT.search(part) or _tells_state(part))]
        asked = [part for part in clauses if demands(part, deeds)]
        remarks = [part for part in told if asked and asked != [part]]
    named = [one["why"] for part in (text, *clauses) if (one := _FOR.search(part))]
    named = [one for one in named if not ID.search(one)]
    if named and not remarks:
        return _tidy(named[0])
    return _nearest(_tidy(", ".join(remarks)), deeds)


def _nearest(reason: str, deeds: Collection[str]) -> str:
    """A long story's last words that explain; a reason is short."""
    if len(reason) <= MAX_REASON:
        return reason
    pieces = [one.strip() for one in _PIECE.split(reason) if len(words(one)) > 2]
    fitting = [
        one
        for one in pieces
        if not set(stems(one)) & set(deeds) and not (AMOUNT.search(one) or ID.search(one))
    ]
    return fitting[-1][:MAX_REASON].strip() if fitting else ""


def _explains(clause: str, deeds: Collection[str]) -> bool:
    plain = core(clause)
    plain = clause if re.match(r"no \w", clause, re.IGNORECASE) else plain
    if set(words(clause)[-1:]) & _ADDRESSED:
        return False  # "respected colleague"
    tokens = words(MONTH.sub(" ", AMOUNT.sub(" ", ID.sub(" ", plain))))
    if _ONE_WORD.fullmatch(clause):
        return True
    if len(tokens) < 2 or {stem(token) for token in tokens} & set(deeds):
        return False
    if demands(clause, deeds) or _tells_state(clause) or clause.istitle():
        return False
    if AMOUNT.search(clause) and (ID.search(clause) or "back" in tokens):
        return False
    if tokens[0] == "it's" and (tokens[1] in _DESCRIBED or "but" in tokens):
        return not (AMOUNT.search(clause) or ID.search(clause))
    if tokens[0] in ("which", "and", "to", "on", "instead", "for", "about", "in", "that", "it's"):
        return False
    return tokens[0] not in COMMAND_VERBS and any(token not in STOP_WORDS for token in tokens)


def _tells_state(clause: str) -> bool:
    """Whether a clause only says how the record stands: "it's already packed but don't send it"."""
    found = _STATE.match(clause)
    return found is not None and bool(status_forms(found[1]))


def _tidy(text: str) -> str:
    plain = " ".join(text.split())
    before = None
    while plain != before:
        before = plain
        plain = _COURTESY.sub("", plain).rstrip(" .,;!?-\u2013")
    return plain
