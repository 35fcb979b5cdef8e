"""Demands with a reserve: for later, on a condition, for a part only, or of a neighbour.

What is asked for is not the plain deed on the record that the text names, so it is asked about.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from models.embedded.bases import RECORD
from models.embedded.demand import clauses_of, demands, names_deed
from models.embedded.patterns import CURRENCY, ID, NUMBER, identifiers
from models.embedded.reference import Nouns
from models.embedded.speech import QUESTION_WORDS, core, is_request
from models.embedded.words import words

_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_ID: Final = r"[A-Z]{2,6}-\d{3,8}"
_LATER: Final = re.compile(
    rf"\b(?:tomorrow|tonight|(?:on|next|by|this coming) {_WEEKDAY}|next (?:week|month|quarter|year)"
    r"|in (?:a|one|two|three|\d+) (?:days?|weeks?|hours?|months?)|later(?: today| on| this \w+)?"
    r"|at the end of (?:the|this|next) \w+)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:once|as soon as|unless|until|provided(?: that)?|assuming|in case|only (?:if|when|after)"
    r"|(?<!me )(?<!us )(?<!see )(?<!check )(?<!know )(?<!it )(?<!say )if)"
    r" (?!(?:you\b|possible|that's (?:ok|fine|possible)|that works|need(?:ed)?|necessary|all"
    r"|not too|it's (?:ok|fine|not too|possible|no trouble))\b)"
    rf"(?:he|she|they|it|we|i|nobody|no one|the|that|this|our|their|{_ID}|(?-i:[A-Z][a-z]+))"
    r"(?=['\u2019\s])"
    r"|\b(?:when|after) (?:he|she|they|we|it|(?-i:[A-Z][a-z]+))"
    r" (?:has |have |is )?(?:confirm|agree|answer|pay|repl|sa[iy]|sign|approve|return|come|send)"
    r"\w*",
    re.IGNORECASE,
)
_REASON: Final = re.compile(r"\b(?:because|since|(?<!soon )as(?! soon)|so that)\b", re.IGNORECASE)
_SUBJECT: Final = re.compile(
    r"\b(?:he|she|they|we|it|i)(?:['\u2019]ll|['\u2019]d| will| would| only| wants?| needs?|\b)",
    re.IGNORECASE,
)
_WEIGHING: Final = re.compile(
    r"\b(?:what|how much|how|which|who) (?:\w+ )?(?:would|could|might|will) (?:that|it|this)\b"
    r"|\b(?:is|was) (?:that|this|it) (?:right|correct|allowed|possible|true)\?"
    r"|\b(?:what do you think|should (?:we|i)|can we even|are we allowed)\b",
    re.IGNORECASE,
)
_QUERIED: Final = re.compile(r"(?:^|(?<=[.?!] ))[^.?!]*[^.?!,]\?")
_COURTEOUS: Final = re.compile(r"\b(?:for (?:me|us)|please|pls|ok(?:ay)?|will you)\W*$", re.I)
_TWIN: Final = (
    r"(?:duplicate|copy|double|twin|replacement|successor|predecessor|counterpart|repeat|clone"
    r"|reissue|correction)"
)
_NEIGHBOUR: Final = re.compile(
    rf"\b(?:{_TWIN}s? (?:of|to|for)|before|after|following|preceding|prior to|next to|besides?"
    r"|replac(?:es|ed|ing)(?: by)?|than|(?:one|just|exactly) like|similar to|same as|except"
    r"(?: for)?|apart from|other than|supersed\w+(?: by)?|not)"
    rf" (?:the )?(?:\w+ )?(?P<id>{_ID})",
    re.IGNORECASE,
)
_TWIN_OF: Final = re.compile(rf"\b{_TWIN} of (?:the )?(?:\w+ )?(?P<id>{_ID})", re.IGNORECASE)
_PART: Final = re.compile(
    r"\b(?:keep|leave) (?:the (?:rest|others?|remaining)|everything else)\b"
    r"|\b(?:the rest|everything else) (?:stays?|remains?|goes|is)\b"
    rf"|\b(?:half|part|some|one|two|three|\d+)(?: \w+){{0,2}} of (?:the )?{_ID}"
    r"|\bone of the (?:\w+ )?\w+ (?:in|on|of|from)\b|\b(?:partly|partially)\b",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(
    rf"\b(?:whichever|whatever|either)\b|\b(?:void|cancel|drop|remove|delete|scrap)"
    rf"(?: just| only)? one(?: of them)?\W*$"
    rf"|{_ID}(?:,| and| &|/)? \d{{2,4}}\b(?=\W*(?:$|(?:and|or|too)\b|\d))",
    re.IGNORECASE,
)
_HOUSE_ONLY: Final = re.compile(r"(?:house |street )?(?:number|no\.?|nr\.?) ?\d+\w?", re.IGNORECASE)
_NO_RECORD: Final = re.compile(
    r"\b(?:the|a|an|this|that|any|our|their|all|last|first|second|next) (?:\w+ )?"
    r"(?:reminder|dunning|cancell?ation|void(?:ing)?|refund|payment|meeting|appointment|call|note"
    r"|comment|line|item|position|discount|draft|request|ticket|e?-?mail|letter|fee|surcharge"
    r"|interest|vat|tax|pdf|tracking|alert|notification|hold|dispute|instal?lment|due date)s?"
    rf" (?:for|of|on|in|about|to|from|with) (?:the )?(?:\w+ )?{_ID}"
    r"|\b(?:in|from|on) (?:the|my|your|our) (?:draft|list|calendar|notes?|table|sheet|view|report"
    r"|template|text|message|agenda)\b",
    re.IGNORECASE,
)
_OTHER_DEED: Final = re.compile(
    r"^(?:please |kindly |can you |could you )*(?:reduce|lower|decrease|correct|adjust|amend|split"
    r"|extend|postpone|delay|raise|increase|edit|rename|merge|discount|resend|forward|print)\b",
    re.IGNORECASE,
)
_UNDECIDED: Final = re.compile(
    r"\b(?:i|we) (?:(?:still )?(?:say|said) no|don't agree|do not agree|disagree|refused?"
    r"|declined?|(?:am|are|'m) (?:not sure|against|undecided)|don't want (?:that|to)"
    r"|won't (?:void|cancel|refund|pay|do))\b"
    r"|\bi (?:think|guess|suppose|believe)\W*$|\bnot yet\W*$"
    r"|\bstill (?:checking|thinking|deciding)\b|\bhasn't (?:decided|confirmed|agreed)\b"
    r"|\b(?:void|cancel|refund|reopen|change) (?:nothing|none|neither)\b"
    r"|\bor rather\b|\bno,? (?:only|just)\b|\bon second thoughts?\b|\bbut (?:first|before that)\b"
    r"|(?-i:[A-Z])\w+ (?:thinks|believes|reckons|wonders|guesses)\b(?! (?:it|he|she|they) )",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(
    r"\b(?:wrote|writes|says|said|mailed|messaged|asks|asked|quote|mail|message|note)\b[^'\"]{0,20}"
    r"['\"\u201c\u2018](?P<said>[^\"\u201d\u2019]{8,}?)(?:['\"\u201d\u2019](?!\w)|$)",
    re.IGNORECASE,
)
_MONEY: Final = rf"(?:€|\$|£|eur )? ?(?:{NUMBER})(?: ?(?:{CURRENCY}))?(?!\w)"
_ARTICLE: Final = r"(?:the |a |an |our |their |his |her |another |extra |further )*"
_RECKONED: Final = re.compile(
    rf"\b(?:minus|less|plus|deduct\w*|without|except(?:ing)?(?: for)?|excluding|including"
    rf"|keep(?:ing)?|withhold(?:ing)?|retain(?:ing)?|holding back|net of|but for|subtract\w*"
    rf"|twice|double|triple|half(?: of)?|times|all but|apart from) {_ARTICLE}{_MONEY}"
    rf"|\b\d+ ?(?:x|\u00d7|\*|times) ?{_MONEY}"
    rf"|\b\d+ [a-z]+ (?:at|@|\u00e0) {_MONEY}"
    rf"|{_MONEY} (?:(?:a|an|per) [a-z]+ (?:for|times|x)\b|for (?:each|every)\b|now\b)"
    rf"|(?:\bper ?cent|%) of {_ARTICLE}{_MONEY}",
    re.IGNORECASE,
)
_BILLING: Final = re.compile(
    r"\b(?:billing|invoicing|invoice|postal|mailing|company|registered|head office) address\b",
    re.IGNORECASE,
)


def deferred(text: str, deeds: Collection[str]) -> bool:
    """Whether a deed is for another day or hangs on something: "void it once Marco confirms"."""
    clauses = clauses_of(text)
    for at, clause in enumerate(clauses):
        if not demands(clause, deeds):
            continue
        told = _REASON.split(clause, maxsplit=1)[0]
        after = clauses[at + 1] if at + 1 < len(clauses) else ""
        day = _LATER.search(told)
        own = day is not None and not _SUBJECT.search(told[: day.start()])
        if own or _CONDITION.search(told) or _CONDITION.match(core(after)):
            return True
    return False


def neighbours(text: str) -> set[str]:
    """Ids that a text names only to tell another record: "the duplicate of INV-1056"."""
    return {found["id"].upper() for found in _NEIGHBOUR.finditer(text)}


def told_from(text: str, ids: Sequence[str]) -> list[str]:
    """The ids without those that another is only told from: "7 is a duplicate of 8, void it"."""
    twins = {found["id"].upper() for found in _TWIN_OF.finditer(text)}
    return [one for one in ids if one not in twins] or list(ids)


def of_other_thing(text: str, deeds: Collection[str], nouns: Nouns) -> bool:
    """Whether a demand is for something else than the record whose id it has.

    "Cancel the order behind INV-1059"; "cancel the reminder for INV-1056".
    """
    named = {one.kind for one in identifiers(text)}
    for clause in clauses_of(text):
        ids = list(ID.finditer(clause)) if demands(clause, deeds) else []
        if ids and "undo" not in deeds and _NO_RECORD.search(clause):
            return True
        things = nouns.of(_REASON.split(clause[: ids[0].start()])[0]) if ids else []
        if things and things[0] not in named:
            return True
    return _OTHER_DEED.search(text) is not None and not names_deed(text, deeds)


def in_part(text: str, deeds: Collection[str]) -> bool:
    """Whether a deed is for a part of a record: "cancel one of the gateways in ORD-2088"."""
    clauses = clauses_of(text)
    asked = [at for at, one in enumerate(clauses) if demands(one, deeds)]
    return any(_PART.search(" ".join(clauses[at : at + 2])) for at in asked)


def quoted(text: str, deeds: Collection[str]) -> bool:
    """Whether the demand stands in what somebody else said, in quotes."""
    return any(demands(found["said"], deeds) for found in _QUOTED.finditer(text))


def weighed(message: str, deeds: Collection[str]) -> bool:
    """Whether a message asks what a deed would bring, or says that it is not decided."""
    return any(_only_asked(one, deeds) for one in _QUERIED.findall(message)) or bool(
        _WEIGHING.search(message) or _UNDECIDED.search(message)
    )


def _only_asked(question: str, deeds: Collection[str]) -> bool:
    """Whether a demand has a question mark and no courtesy: "refund 200 on INV-1012?"."""
    last = clauses_of(question)[-1]
    first = next(iter(words(core(last))), "")
    courteous = is_request(last) or first in QUESTION_WORDS or _COURTEOUS.search(last)
    return demands(last, deeds) and bool(ID.search(last)) and not courteous


def reckoned(message: str) -> bool:
    """Whether a sum is still to be worked out: "2 x 45", "keep 50 as a fee, refund the rest"."""
    return _RECKONED.search(RECORD.sub(" ", message)) is not None


def reserved(
    text: str,
    message: str,
    calls: Sequence[Mapping[str, Any]],
    deeds: Collection[str],
    nouns: Nouns,
    *,
    priced: bool,
) -> str:
    """What an effect is doubted for; empty where a text demands it without any reserve.

    Args:
        text: one request.
        message: the whole message.
        calls: the effect's arguments, once for each record.
        deeds: stems that name the deed.
        nouns: words for records with ids.
        priced: whether the effect takes a sum, which may be a part.
    """
    values = [str(value) for call in calls for name, value in call.items() if name != "reason"]
    ids = {one.text for one in identifiers(" ".join(values))}
    if deferred(text, deeds) or weighed(message, deeds) or quoted(message, deeds):
        return "now"
    pointed = ids - {one.text for one in identifiers(text)}
    if (
        ids & neighbours(text)
        or pointed & neighbours(message)
        or (not priced and _not_the_record(text, deeds, nouns))
    ):
        return "record"
    return "address" if wrong_place(text, values) else ""


def _not_the_record(text: str, deeds: Collection[str], nouns: Nouns) -> bool:
    one_of = any(_ONE_OF.search(one) for one in clauses_of(text) if demands(one, deeds))
    return one_of or of_other_thing(text, deeds, nouns) or in_part(text, deeds)


def wrong_place(text: str, addresses: Sequence[str]) -> bool:
    """Whether an address is another one than a delivery's, or one of two."""
    if _BILLING.search(text) or any(map(_HOUSE_ONLY.fullmatch, addresses)):
        return True
    rests = [text.partition(one)[2] for one in addresses if one in text and not ID.fullmatch(one)]
    return any(re.match(r",? or\b", one) or _CONDITION.match(one.lstrip(" ,")) for one in rests)
