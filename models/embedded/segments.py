"""A message as separate requests: "refund half of it and tell me where ORD-2050 is" is two."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from models.embedded.patterns import ID, MONTH, identifiers
from models.embedded.speech import (
    COMMAND_VERBS,
    QUESTION_WORDS,
    core,
    is_request,
    only_opens,
    speech_act,
    states,
)
from models.embedded.things import names_record, names_thing, opening, other_id, other_noun
from models.embedded.words import STOP_WORDS, stem, stems, word_set, words

MAX_SEGMENTS: Final = 6
_SENTENCE: Final = re.compile(r"(?<=[.?!;])\s+(?=\S)|\n+")
_SMILE: Final = re.compile(r"\s*[;:]-?[)(](?=\s|$)")
_HEAD: Final = re.compile(r"^[^:?!]{3,40}:\s+(?=\S)")
_JOINT: Final = re.compile(
    r"\s*,?\s+(?:and also|and then|and after that|and|then|also|plus|as well as"
    r"|(?:along|together) with|but|\+)\s+"
    r"|\s*,\s+",
    re.IGNORECASE,
)
_ASKED_THING: Final = re.compile(
    r"^(?:a|the|an) (?:full |complete |quick |short )?(?:list|overview|summary|status|details?|copy"
    r"|rundown|breakdown|history|state|total|number|report)\b",
    re.IGNORECASE,
)
_COURTESY: Final = re.compile(
    r"^(?:and |so |ok |please )*(?:can|could|would|will) (?:you|we|i|someone)(?: please)?$", re.I
)
_RULE_ASKED: Final = re.compile(
    r"^(?:and )?what(?:'s| is|s) (?:the|our) (?:rule|policy)"
    r"(?: (?:on|for|about) (?:that|this|it))?\W*$"
    r"|^(?:and )?(?:is|would|was) (?:that|this|it)(?: be)?(?: still| even)?"
    r" (?:allowed|permitted|possible|ok(?:ay)?|fine)\W*$",
    re.IGNORECASE,
)
_ALL_OF: Final = re.compile(
    r"^(?:everything|all(?: that)?|whatever|anything|whoever|everyone who|those who)"
    r" (?!is\b|was\b)",
    re.IGNORECASE,
)
_SAME_ASKED: Final = re.compile(
    r"^(?:and )?(?:what|how much) (?:did|does|do|has|have|will|would) (?:it|that|this|they|those)"
    r" (?:all )?(?:cost|costs|lose|lost|mean|meant|come to|amount to|add up to)\b"
    r"|^(?:and )?(?:why|how come|what for|for what reasons?)\b[^?,]{0,25}\?*$",
    re.IGNORECASE,
)
_MEANS: Final = re.compile(
    r"^(?:use|using|via|with|take|try) (?:the |an? )?(?:index\b|\w+_\w+)", re.I
)
_OR_NOT: Final = re.compile(r",?\s*\b[\w-]+ or not\b(?! to)", re.IGNORECASE)
_INTRODUCED: Final = re.compile(
    r"^[^:?!]{3,50}:\s+"
    r"(?=(?:what|which|how|when|where|who|whose|is|are|has|have|did|does|show|list)\b)",
    re.IGNORECASE,
)
_SQL: Final = re.compile(r"\bselect\b.+\bfrom\b|\bwith\b.+\bas\s*\(", re.IGNORECASE | re.DOTALL)
_AFTER_SQL: Final = re.compile(
    r"(?:(?:;\s*|\s+)(?:and|then|also|plus)\s+|\s*\n\s*)"
    r"(?=(?:also |then |please )?(?:get|fetch|give|show|tell|list|report|pull|send|look|open|check"
    r"|find|what|how|who|where|which)\b)",
    re.IGNORECASE,
)
_LEAD_IN: Final = re.compile(
    r"^(?:(?:speaking|talking|apropos) of [^,.?!]{2,40},"
    r"|(?:two|three|2|3|a few) (?:things|questions|requests):"
    r"|(?:for|on|re) (?:the|my|our|this) [^:,.?!]{2,30}:)\s*",
    re.IGNORECASE,
)
_COMPLEMENT: Final = re.compile(r"^(?:the )?\w+( (?:of|in|for|during|from) .+)$", re.IGNORECASE)
_INTERJECTION: Final = re.compile(
    r"^(?:and |oh |so )?(?:by the way|btw|apropos|incidentally|one more thing|another thing|anyway"
    r"|while i have you|before i forget|nice|good|cool|great|ok(?:ay)?|perfect|lovely|thanks"
    r"|cheers|hm+|ah|oh"
    r"|(?:speaking|talking|apropos) of [^,.?!]{2,40}|back to (?:work|business)"
    r"|look|listen|right)[\s,.!:]*$",
    re.IGNORECASE,
)
_THINGS: Final = word_set("it them that this those these both all one ones")
_IT: Final = re.compile(r"\b(?:it|its|this|that one)\b", re.IGNORECASE)
_RELATIVE: Final = word_set(
    "is was were are has have had i we they he she it will would should can makes means also"
)
_ITS_ID: Final = re.compile(
    rf"^(?:it's|it is|that's|that is|this is|i mean|namely)(?: the)?(?: \w+)? {ID.pattern}\W*$",
    re.I,
)
_FIGURES_OF: Final = re.compile(
    rf"^(?:(?:i|we)(?:'d| would)? (?:like|want|need) |all of them |the |just |only |and )*"
    rf"(?:(?:numbers?|figures?|data|values?|stats|report) )?"
    rf"(?:(?:for|of|in|from) )?(?:{MONTH.pattern})"
    r"(?: (?:\w+ ){0,2}(?:numbers|figures|data|stats))?"
    rf"(?: please| pls)?\W*$",
    re.IGNORECASE,
)
_ABBREVIATION: Final = re.compile(
    r"\b(?:st|no|nr|str|mr|mrs|ms|dr|inc|ltd|co|e\.g|i\.e|vs)\.$", re.I
)


def split_requests(
    text: str,
    verbs: Collection[str] = (),
    nouns: Collection[str] = (),
    asks: Callable[[str], bool] = lambda _: False,
) -> list[str]:
    """The requests of a message, in order; remarks stay with the request they belong to.

    Args:
        text: the message.
        verbs: further words that commands begin with.
        nouns: stems of what the tools are about; "the invoices and the orders of …" is two.
        asks: whether a part asks for something although it looks like a remark.
    """
    if _SQL.search(text):
        return [part.strip() for part in _AFTER_SQL.split(text, maxsplit=1)]
    parts: list[str] = []
    for sentence in _sentences(text):
        parts.extend(_split_sentence(sentence, verbs, nouns))
    parts = _with_complements(parts, nouns)
    return _with_remarks(parts, nouns, asks)[:MAX_SEGMENTS] or [text.strip()]


def _with_complements(parts: Sequence[str], nouns: Collection[str]) -> list[str]:
    """The parts, a bare noun with what the noun after it is of: "churn and turnover of May"."""
    found = list(parts)
    for at in range(len(found) - 2, -1, -1):
        after = _COMPLEMENT.match(found[at + 1])
        last = stems(found[at])[-1:]
        following = set(opening(found[at + 1])) & set(nouns)
        if after and following and set(last) & set(nouns) and not MONTH.search(found[at]):
            found[at] = f"{found[at]}{after[1]}"
    return found


def bare_request(text: str, nouns: Collection[str] = ()) -> str:
    """The text without what stands before a colon, and without "overdue or not".

    What stands there stays where only it names one of the nouns.
    """
    plain = _OR_NOT.sub("", _LEAD_IN.sub("", text))
    bare = _INTRODUCED.sub("", plain)
    head = _HEAD.match(plain)
    if head and set(stems(plain)) & set(nouns) and not set(stems(head[0])) & set(nouns):
        plain = plain if re.search(r"\s[A-Z]|\d", head[0]) else plain[head.end() :]
    named = set(stems(plain)) & set(nouns)
    return plain if named and not set(stems(bare)) & set(nouns) else bare


def request_of(text: str) -> str:
    """The one sentence of several that is no remark; empty when there are more, or none."""
    parts = _sentences(text)
    if len(parts) == 1:  # "the parcel hasn't shown up, can you find it"
        before, _, last = text.rpartition(", ")
        parts = [before, last] if before and is_request(last) else parts
    asking = [part for part in parts if speech_act(part) != "comment"]
    return asking[0] if len(parts) > 1 and len(asking) == 1 else ""


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for part in _SENTENCE.split(_SMILE.sub(".", text.strip())):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        elif part.strip():
            found.append(part.strip())
    return found


def _split_sentence(sentence: str, verbs: Collection[str], nouns: Collection[str]) -> list[str]:
    parts: list[str] = []
    start = 0
    for joint in _JOINT.finditer(sentence):
        before, after = sentence[start : joint.start()], sentence[joint.end() :]
        request = _begins_request(after, verbs, joint.group().strip())
        request = request and len(words(before)) >= 2 and not _COURTESY.match(before)
        if (
            request
            or other_noun(before, after, nouns)
            or other_id(before, after, joint.group(), nouns)
        ):
            parts.append(before)
            start = joint.end()
    return [part for part in (*parts, sentence[start:]) if part.strip()]


def _begins_request(text: str, verbs: Collection[str], joint: str) -> bool:
    tokens = words(core(text))
    if len(tokens) < 2 or MONTH.match(text):
        return False
    first = tokens[0]
    if _MEANS.match(core(text)):
        return False
    if joint != "," and (_ASKED_THING.match(core(text)) or _ALL_OF.match(core(text))):
        return True
    if first == "whether" and joint != ",":
        return True
    if first == "which" and tokens[1] in _RELATIVE:
        return False
    if joint == ",":  # a comma joins commands, but also lists, addresses and remarks
        return first in COMMAND_VERBS or first in ("what", "where", "how", "which", "who", "when")
    return first in COMMAND_VERBS or first in QUESTION_WORDS or first in verbs


def _with_remarks(
    parts: list[str], nouns: Collection[str], asks: Callable[[str], bool]
) -> list[str]:
    """Put remarks ("they were charged twice") to the request before them, else to the next."""
    joined: list[str] = []
    waiting = ""
    for at, part in enumerate(parts):
        remark = speech_act(_INTRODUCED.sub("", part)) == "comment"
        remark = remark and not names_thing(part, nouns)
        remark = remark and not _both_asked(part, parts[at + 1 : at + 2], nouns)
        if joined and (_completes(part, joined[-1]) or _dates(part, joined[-1])):
            joined[-1] = _joined(joined[-1], part)
            continue
        if joined and any(one.match(part) for one in (_RULE_ASKED, _SAME_ASKED)):
            joined[-1] = _joined(joined[-1], part)
            continue
        if joined and _only_asks(part):
            joined[-1] = _joined(joined[-1], part)
            continue
        if _INTERJECTION.match(part) or only_opens(part):
            waiting = _joined(waiting, part)
            continue
        remark = remark and not names_record(part) and not asks(part) and not _is_asked(part)
        if remark and joined:
            at = _told_of(part, joined)
            joined[at] = _joined(joined[at], part)
        elif remark:
            waiting = _joined(waiting, part)
        else:
            joined.append(_joined(waiting, part))
            waiting = ""
    return [*joined, waiting] if waiting else joined


def _told_of(remark: str, joined: Sequence[str]) -> int:
    """Which part a remark is about: "void INV-1053 and show me the rest. It is wrong."."""
    named = [at for at, one in enumerate(joined) if identifiers(one)]
    about = named and _IT.search(remark)
    return named[-1] if about and not _IT.search(joined[-1]) else len(joined) - 1


def _is_asked(part: str) -> bool:
    """Whether a part is only a thing to be given: "the total income of that month"."""
    return bool(_ASKED_THING.match(core(part))) and not states(part)


def _only_asks(part: str) -> bool:
    """Whether a part is a command without its thing, such as "show me" or "list please"."""
    said = words(core(part))
    return said[:1] != [] and said[0] in COMMAND_VERBS and set(said[1:]) <= STOP_WORDS - _THINGS


def _both_asked(part: str, after: Sequence[str], nouns: Collection[str]) -> bool:
    """Whether a part names one of two things that are asked for: "I need the churn and …"."""
    following = after[0] if after else ""
    named = {stem(word) for word in words(MONTH.sub(" ", part))[-3:]} & set(nouns)
    other = names_thing(following, nouns) or names_record(following)
    return bool(named) and other and not identifiers(part)


def _completes(part: str, before: str) -> bool:
    """Whether a part only names the record that the request before it is about: "It's ORD-2089"."""
    found = _ITS_ID.match(part)
    kinds = {one.kind for one in identifiers(before)}
    return bool(found and not kinds)


def _dates(part: str, before: str) -> bool:
    """Whether a part only says of which month the request before it is: "numbers for June"."""
    return bool(_FIGURES_OF.match(part)) and not MONTH.search(before)


def _joined(first: str, second: str) -> str:
    if not first.strip():
        return second.strip()
    link = " " if first.rstrip()[-1] in ".,;:!?" else ", "
    return f"{first.rstrip()}{link}{second.strip()}"
