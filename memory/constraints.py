"""Rules that the user has stated for the rest of the thread, copied word for word.

A rule is an order, a wish or a "must" without an end. What is said for one occasion ("this time",
"for now", "not yet") is none, nor is a report ("it always crashes", "I never ordered that"), a
question, or what stands in a quotation or a block of code. The patterns are English.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

MAX_RULE_CHARS: Final = 400
MIN_WORDS: Final = 3

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s*(?:>|\|).*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_LIST_MARK = re.compile(r"^(?:[-*•]|\d+[.)])\s+")

_ONE_OFF = re.compile(
    r"\b(?:this|just this|only this|for the) (?:time|once|moment|session)\b|\bjust (?:once|now)\b"
    r"|\b(?:for|right|until) now\b|\bthis (?:one )?(?:once|occasion)\b|\bas an exception\b"
    r"|\b(?:for )?(?:today|tonight|tomorrow)\b|\bat the moment\b|\byet\b|\bfor this (?:one|case)\b",
    re.IGNORECASE,
)
_NOT_ONLY_NOW = re.compile(
    r"\bnot (?:just|only) (?:for )?(?:this(?: time)?|today|now)\b|\bevery time\b", re.IGNORECASE
)

# What may stand before an order: a name, a connective, a condition.
_LEAD = (
    r"^(?:(?:and|but|also|so|ok(?:ay)?|well|yes|no|then|thanks|thank you|great|important|note|rule|"
    r"reminder|oh|hey|plus|btw|by the way)\b[\s,:.!-]*)*"
    r"(?:(?:if|when(?:ever)?|while|before|after|unless|for|in|with|on|as)\b[^.!?]{0,160}?[,:]\s+)?"
    r"(?:(?:and|also|so|then|just|kindly|please|you|the team|everyone)\b[\s,]*)*"
)
_ORDER = re.compile(
    _LEAD + r"(?:always|never|don'?t|do not|only (?:ever )?(?!the|a|one|two|I|you|he|she|it|they|"
    r"if|when|because)\w+|from now on|going forward|from here on|in (?:the )?future|by default|"
    r"whenever|every time|each time|make sure|be sure|ensure|avoid|refrain|stick to|under no "
    r"circumstances|at no time|no matter|remember to|remember not to)\b",
    re.IGNORECASE,
)
_REPORT_AFTER_ORDER = re.compile(
    _LEAD + r"(?:whenever|every time|each time)\b[^,]*$|"
    + _LEAD + r"(?:don'?t (?:know|think|worry|bother|mind|remember|understand)|never ?mind)\b",
    re.IGNORECASE,
)  # fmt: skip
_WISH = re.compile(
    r"\bI(?:'d| would| do)?(?: really| strongly| generally| usually| always| much)* "
    r"(?:prefer|rather)\b"
    r"|\bmy preference is\b"
    r"|\bI(?:'d| would)? (?:want|need|expect|like|ask|require|insist)(?: that)? (?:you|it|them|all|"
    r"every|each|any|no|answers?|replies|the)\b[^.!?]*\b(?:always|never|every|each|from now on|by "
    r"default|whenever|going forward|in (?:the )?future)\b"
    r"|\b(?:from now on|going forward|in (?:the )?future|as a rule|in general|by default),? "
    r"(?:please|you|we|I|all|every|always|never|do|use|answer|write|send|keep|ask)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"(?<!\bI )(?<!\bhe )\b(?:must|shall|may|should|can|are to|is to)"
    r"(?:n'?t| not| never| always| only)\b"
    r"|(?<!\bI )(?<!\bwe )(?<!\bwho )\bmust (?!have\b|'ve\b|say\b|admit\b)\w+"
    r"|\b(?:is|are) (?:not allowed|forbidden|off limits|required|mandatory)\b"
    r"|\bno (?!one\b|way\b|idea\b|problem\b|need\b|doubt\b|matter\b|longer\b)\w+(?: \w+){0,4} "
    r"(?:over|above|without|unless|before|after)\b",
    re.IGNORECASE,
)
# A wish inside a question: the clause alone is the rule.
_ASIDE = re.compile(
    r"(?<!\bdo )(?<!\bshould )\bI(?:'d)?(?: really| strongly| generally| usually| much)* prefer\b"
    r"[^?]*?(?=,? (?:so )?(?:how|can|could|what|should|would|is|are|but|which|considering|do|does)"
    r"\b|[.!?;]|$)",
    re.IGNORECASE,
)
_ASKED_RULE = re.compile(
    r"^(?:\w+[\s,]+){0,3}(?:can|could|would|will) you (?:please )?"
    r"(?:always|never|from now on|make sure|only)\b",
    re.IGNORECASE,
)
_UNABLE = re.compile(r"\b(?:can|may)n'?t\b|\bcan not\b", re.IGNORECASE)


def stated_constraints(text: str) -> list[str]:
    """The sentences in which the user states a standing rule, verbatim and in order."""
    plain = _QUOTED_LINE.sub("", _CODE.sub("\n", text))
    parts = (_LIST_MARK.sub("", part.strip()) for part in _SENTENCE_END.split(plain))
    return [rule for rule in map(_rule_in, parts) if rule]


def merge(known: Sequence[str], said: Iterable[str]) -> list[str]:
    """Rules in the order in which they were first stated, each once."""
    by_key: dict[str, str] = {}
    for rule in [*known, *said]:
        by_key.setdefault(_key(rule), rule)
    return list(by_key.values())


def _rule_in(sentence: str) -> str:
    """The rule that a sentence states; empty when it states none."""
    lasting = _NOT_ONLY_NOW.sub("", sentence).lstrip(" :,")
    if len(sentence.split()) < MIN_WORDS or _ONE_OFF.search(lasting):
        return ""
    if sentence.rstrip("\"')] ").endswith("?"):
        aside = _ASIDE.search(sentence)
        rule = sentence if _ASKED_RULE.search(sentence) else aside.group() if aside else ""
    else:
        rule = sentence if _is_rule(lasting) else ""
    return rule if len(rule) <= MAX_RULE_CHARS else ""


def _is_rule(sentence: str) -> bool:
    if _REPORT_AFTER_ORDER.search(sentence):
        return False
    must = _MUST.search(sentence)
    meant = bool(must) and not _UNABLE.fullmatch(must.group() if must else "")
    return meant or bool(_ORDER.search(sentence) or _WISH.search(sentence))


def _key(rule: str) -> str:
    return " ".join(rule.casefold().split()).rstrip(".!")
