"""Whether a sentence demands a deed: what must be clear before an effect is proposed.

An effect is proposed only for an explicit verb of that effect. Questions about a deed, reports
that it was done, conditions and negations demand nothing.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from models.embedded.choices import status_forms
from models.embedded.doubting import narrows, only_asked, retracted
from models.embedded.speech import QUESTION_WORDS, core, is_request, speech_act
from models.embedded.unspoken import dismissed, mistaken, money_back, readdressed, unwanted
from models.embedded.words import STOP_WORDS, stem, stem_set, word_set, words

_SYNONYMS: Final[Mapping[str, str]] = {
    "refund": "refund reimburse repay pay-back money-back give-back send-back transfer-back"
    " return-money return-to credit-back compensate get-back gets-back have-back hand-back"
    " wire-back knock-off take-off let-have remit rebate return-euro return-amount return-rest",
    "cancel": "cancel call-off scrap abort stop withdraw drop kill revoke halt axe bin ditch"
    " get-rid pull-plug nuke throw-out annul storno rescind discontinue recall",
    "void": "void annul invalidate nullify scrap drop strike kill write-off declare-void make-void"
    " mark-void set-void cross-out take-books take-off-books make-invalid bin axe ditch cancel"
    " get-rid delete remove erase nuke strike-out write-off throw-out throw-away toss storno",
    "delete": "delete remove erase",
    "reopen": "reopen re-open reinstate unvoid un-void revive restore reactivate bring-back"
    " make-valid make-payable set-open be-valid be-payable be-force put-force"
    " make-open take-void reverse-void undo-void put-back undo revert reverse activate resurrect"
    " revalidate be-live live-again set-live set-valid set-payable back-payable going-again",
    "change": "change update correct amend modify switch",
    "address": "redirect reroute re-route deliver ship send forward go-to new-address drop-at"
    " divert route bring-to take-to send-elsewhere",
    "create": "create make open add set-up",
    "update": "update change correct amend",
    "send": "send mail forward",
    "close": "close",
    "book": "book reserve",
}
_TOO_GENERAL: Final = word_set(
    "give make bring set put use take write get do have send run new wrong open show move keep"
    " transfer return credit"
)
_NO_DEEDS: Final = STOP_WORDS | QUESTION_WORDS | _TOO_GENERAL
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:what (?:happens|would happen|if)|how (?:do|does|can|would|could|to|long|much|many|often"
    r"|late|soon|come)|whether|(?:is|was|be) (?:it |that |this )?(?:still )?(?:possible|allowed)"
    r"|allowed to|suppos(?:e|ing)|hypothetically|in case|thinking (?:about|of)|considering"
    r"|might want|not sure|wondering|maybe|perhaps|i hear(?:d)?|can be \w+(?=\?)|in theory"
    r"|theoretically|why (?:was|were|did|is|are|has|have)|would it|explain"
    r"|polic(?:y|ies)|rules?)\b",
    re.IGNORECASE,
)
_TOPIC: Final = re.compile(
    r"^(?:the |order |invoice |bill )*[A-Z]{2,6}-\d{3,8}[\s:,\u2013-]+(\w+)"
    r"(?= (pls|please)\b|\W*$| (?:it|now|because|as|since|\d|half)\b)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"[,;:.!?]+(?=\s|$)|\s[-\u2013\u2014]+\s")
_SO: Final = re.compile(
    r"\bso (?:please )?(?=(?:cancel|void|refund|drop|stop|scrap|send|pay|give|reopen|redirect|kill"
    r"|write|change|strike|delete|take|bring)\b)"
)
_NEGATIONS: Final = word_set(
    "not don't dont never without no cannot can't won't shouldn't neither nor avoid instead rather"
    " unless refuse didn't hold nothing nobody"
)
_GIVING: Final = stem_set(
    "give issue process make do send want need like request get take arrange start initiate trigger"
    " put run grant have approve order sort add organise organize handle book push see"
)
_PAST: Final = word_set("was were been already had did got received")
_DOERS: Final = word_set("they we he she i who")
_MODAL: Final = word_set("would could might will")
_DOINGS: Final = word_set("the it that this a an one so another")
_HAVING: Final = word_set("have has just i've we've they've he's she's")
_IRREGULAR: Final = {
    "sent": "send",
    "gone": "go",
    "taken": "take",
    "given": "give",
    "brought": "bring",
    "struck": "strike",
    "written": "write",
    "withdrawn": "withdraw",
    "undone": "undo",
}
_HELD_BACK: Final = re.compile(
    r"^(?:do not|don't|dont) (?:ship|send|deliver|dispatch)\b(?!.*\b(?:yet|until|before|till|to)\b)"
    r"|^(?:[A-Z]{2,6}-\d+|it|this|that|the order) (?:must|should|may|shall) (?:not|never)"
    r" (?:ship|leave|go out|be (?:sent|shipped|delivered))\b(?!.*\b(?:yet|until|before|till)\b)",
    re.IGNORECASE,
)
_UNTIL: Final = word_set("before until till unless whether if once when")
_UNDOING: Final = word_set("undo reverse revert back take cancel")
_NARROWING: Final = word_set("drop kill scrap strike withdraw stop ditch bin")
_NO_THING: Final = word_set("me us was asking what wait by")
_QUANTIFIED: Final = word_set("everything anything all those ones whatever anyone everyone")
_LINKS: Final = word_set("and then please just also must or should you kindly now")
_AFTER_THING: Final = word_set(
    "of on for to in from at now today please because and as back it with again"
)
_DETERMINERS: Final = word_set("the that this those these a an")
_ENDS: Final = _AFTER_THING | {"."}
_WISH: Final = re.compile(r"\b(?:wants?|needs?|asked|asks|requested|like|has|have|us|you|me)\b")
_PASSIVE_WISH: Final = re.compile(
    r"\b(?:needs?|should|must|has|have|ought|wants?|supposed|like|(?:is|are)(?= to))\b"
    r"(?: \S+){0,4}? be$"
    r"|^(?:it|that|this|(?:the|this|that) \w+(?: [a-z]{2,6} \d+)?|[a-z]{2,6} \d+) (?:can|may|to)"
    r" (?:now |just |safely )?be$"
)
_OBJECT_WISH: Final = re.compile(r"\b(?:wants?|needs?|like|get|have)\b")


def deeds_of(
    tool: str, examples: Sequence[str], others: Collection[str], names: Sequence[str]
) -> frozenset[str]:
    """Stems that name a tool's deed, read off its name and what people say to it.

    Args:
        tool: the tool's name, verb_noun.
        examples: what people say to get it.
        others: verbs that open what people say to get tools that only read.
        names: all tools' names; a word in several of them names a thing, not a deed.
    """
    own = _own_parts(tool, names)
    deeds = {stem(part) for part in own}
    for part in own:
        phrases = _SYNONYMS.get(part, "").split()
        deeds |= {" ".join(stem(word) for word in phrase.split("-")) for phrase in phrases}
    return frozenset(deeds | {stem(word) for word in opening_verbs(examples).difference(others)})


def opening_verbs(texts: Iterable[str]) -> frozenset[str]:
    """The verbs that commands among the texts begin with."""
    return frozenset(map(_opening, texts)) - {""}


def own_words(tool: str, names: Sequence[str]) -> frozenset[str]:
    """Stems of the words of a tool's name that no other tool's name has."""
    return frozenset(stem(part) for part in _own_parts(tool, names))


def _own_parts(tool: str, names: Sequence[str]) -> list[str]:
    shared = Counter(stem(part) for name in names for part in set(name.split("_")))
    return [part for part in tool.split("_") if shared[stem(part)] == 1]


def _opening(text: str) -> str:
    """The verb that a command begins with."""
    first = next(iter(words(core(text))), "")
    if first in _NO_DEEDS or not first.isalpha() or len(first) < 3:
        return ""
    return first if speech_act(text) == "command" else ""


def demands(text: str, deeds: Collection[str]) -> bool:
    """Whether the text clearly tells the listener to do one of the deeds now.

    Args:
        text: one sentence.
        deeds: stems that name the deed; the words of a two-word deed stand within seven words.
    """
    if not deeds or speculates(text) or retracted(text) or only_asked(text) or narrows(text):
        return False
    if "reopen" in deeds and "address" in words(text):
        return False  # "put the old address back"
    if _unspoken(text, deeds):
        return True
    return any(
        _demanded(tokens, at)
        for tokens in map(words, map(_without_topic, map(core, _told(text))))
        for at in range(len(tokens))
        if _names(tokens, at, deeds)
    )


def speculates(text: str) -> bool:
    """Whether a text asks, or speaks of what might be, so that it demands nothing."""
    return bool(_HYPOTHETICAL.search(text)) or _asks(text)


def names_deed(text: str, deeds: Collection[str]) -> bool:
    """Whether a text has a verb or a noun of the deed, in whatever form."""
    tokens = words(core(text))
    return any(_names(tokens, at, deeds) for at in range(len(tokens)))


def _without_topic(clause: str) -> str:
    """The clause without the record it begins with: "ORD-2087 cancel please"."""
    found = _TOPIC.match(clause)
    if found is None or (status_forms(found[1]) and not found[2]):
        return clause  # "INV-1050 void" may tell a state
    return clause[found.start(1) :]


def _unspoken(text: str, deeds: Collection[str]) -> bool:
    """Whether a deed is demanded without its verb."""
    signs = (
        ("refund" in deeds, money_back),
        ("redirect" in deeds, readdressed),
        ("call off" in deeds, lambda said: bool(_HELD_BACK.search(core(said))) or unwanted(said)),
        ("annul" in deeds, dismissed),
        ("undo" in deeds, mistaken),
    )
    return any(meant and sign(text) for meant, sign in signs)


def _asks(text: str) -> bool:
    tokens = words(core(text))
    if not tokens or tokens[0] in ("if", "when", "before", "after", "unless"):
        return True
    if tokens[0] == "do" and set(tokens[1:2]) & _DOINGS:
        return text.rstrip().endswith("?")
    if tokens[0] == "have" and not text.rstrip().endswith("?"):
        return tokens[1:2] in (["you"], ["we"], ["they"], ["i"])
    return tokens[0] in QUESTION_WORDS and not (is_request(text) and tokens[0] == "have")


def _told(text: str) -> list[str]:
    """The clauses, and what follows from one: "they never got it so drop it"."""
    clauses = clauses_of(text)
    return [*clauses, *(_SO.split(one)[-1] for one in clauses if _SO.search(one))]


def clauses_of(text: str) -> list[str]:
    """Parts between commas and other marks; "don't, ever, do it" stays together."""
    parts = [part for part in _MARKS.split(text) if part.strip()]
    for at, part in enumerate(parts):
        said = words(core(part))
        if 0 < len(said) <= 2 and set(said) & {"don't", "dont", "not", "never"}:
            return [*parts[:at], " ".join(parts[at:])]
    return parts


def _names(tokens: list[str], at: int, deeds: Collection[str]) -> bool:
    if tokens[at] == "revert" and tokens[at + 1 : at + 2] in (["with"], ["on"], ["to"], ["back"]):
        return False  # "kindly revert with the status" asks for a reply
    if tokens[at] == "let" and tokens[at + 1 : at + 2] in (["me"], ["us"]):
        return False
    one = stem(_IRREGULAR.get(tokens[at], tokens[at]))
    near = [stem(t) for t in takewhile(lambda t: t not in _NEGATIONS, tokens[at + 1 : at + 8])]
    return one in deeds or any(f"{one} {other}" in deeds for other in near)


def _demanded(tokens: list[str], at: int) -> bool:
    before = tokens[:at]
    if _withheld(before):
        return False
    if _is_property(tokens, at):
        return False
    if at == 0:  # "shipped ones" is a property, "voiding it would …" a subject
        gerund = tokens[at].endswith("ing") and bool(_MODAL & set(tokens[at + 1 :]))
        return not gerund and not tokens[at].endswith("ed")
    if tokens[at].endswith("ed") or tokens[at] in _IRREGULAR or before[-1] == "be":
        return _wished_passive(before)
    if before[-1] in _LINKS:
        return not set(before[-3:]) & _PAST
    if before[-1] == "to":
        return at <= 2 or _WISH.search(" ".join(before)) is not None
    return _asked_for(tokens, at)


def _is_property(tokens: list[str], at: int) -> bool:
    """Whether a deed tells which record is meant: "wants that voided invoice live again"."""
    after = tokens[at + 1 : at + 2]
    if tokens[at] in _NARROWING and _QUANTIFIED & set(after):
        return True  # "drop everything under 50" narrows a list
    if tokens[at] in _NARROWING | {"cancel"} and _NO_THING & set(after):
        return True  # "drop me a line", "stop asking"
    done = tokens[at].endswith("ed") or tokens[at] in _IRREGULAR
    return done and at > 0 and tokens[at - 1] in _DETERMINERS and not set(after or ["."]) <= _ENDS


def _withheld(before: list[str]) -> bool:
    """Not, not before something, or itself to be undone: "take back the voiding"."""
    if any(token in _NEGATIONS for token in before[-6:]) or set(before[-3:]) & _UNTIL:
        return True
    return "the" in before[-1:] and bool(set(before[-4:]) & _UNDOING)


def _asked_for(tokens: list[str], at: int) -> bool:
    """Whether the deed is a thing to be given: "issue a refund of", but not "the refund total"."""
    before, after = tokens[max(0, at - 5) : at], tokens[at + 1 : at + 2]
    if tokens[at].endswith("s") or set(before) & (_PAST | {"me", "us"}):
        return False
    if "see" in before and "to" not in before[before.index("see") :]:
        return False  # "I need to see the refund of 250"
    if after and after[0] not in _AFTER_THING and not after[0][0].isdigit():
        return False
    return bool({stem(token) for token in before} & _GIVING)


def _wished_passive(before: list[str]) -> bool:
    """Whether the deed is wished, not done: "needs to be cancelled", "wants it refunded"."""
    if set(before) & (_PAST - {"got"}) or before[-1] in _DOERS:
        return False
    if before[-1] in _HAVING:
        return False  # "I have just voided it"
    said = " ".join(before)
    if before[-1] == "be":
        return _PASSIVE_WISH.search(said) is not None
    return before[-1] not in QUESTION_WORDS and _OBJECT_WISH.search(said) is not None
