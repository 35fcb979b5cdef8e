"""A message cut into clauses, each with whether it holds, has ended, or only might be."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_ABBREVIATED: Final = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|e\.g|i\.e|etc|approx|No|Inc|Ltd|Co)\.$"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+|;\s*")
_RUNS: Final = re.compile(r"([^\w\n.])\1+")
_UNFOLD: Final = re.compile(r"\s*[()]+\s*(?=[\w])|(?<=\w)\s*[()]+\s*")
_FROM_TO: Final = re.compile(
    r"(?<=\w )from (?:the |an? )?[\w &'-]{2,30}? (?=(?:in)?to (?!friday|monday|[0-9]))",
    re.IGNORECASE,
)
_LEFT_FOR: Final = re.compile(
    r"\b(?:left|swapped|traded|exchanged|gave up) (?:the )?[\w &'-]{2,30}? for (?!a (?:while|week|few|month|year)|good|now|ever|the (?:day|week|time))",
    re.IGNORECASE,
)
_MOVED_ME: Final = re.compile(
    r"\b(?:they|we|my (?:company|boss|employer|firm|manager)|HR|management|the company)(?:'ve| have| has)?(?: just| now)? (moved|transferred|relocated|reassigned|promoted|switched) me (?=(?:over |up )?(?:in)?to\b)",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"(?:(?:please|so|and|also),? )*(?:(?:can|could|would|will) you (?:please |always |just |kindly |maybe )*|(?:can|could|may) (?:I|we) (?:please )?(?=have|get|see)|would you mind "
    r"|is it possible to |would it be possible to |kannst du |können Sie |peux-tu |pouvez-vous |puedes |puoi |kun je )",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|can|could|did|does|do|has|have|will|would|should|may|if)\b",
    re.IGNORECASE,
)
_IS_MISSING: Final = re.compile(
    r"(?:(?:now|currently|still|back|again|these days|nowadays|mostly|already|officially) )*(?:(?:living|working|based|staying|employed|sitting|settled|located|responsible for|in charge of|looking after)\b|(?<=still )(?:in|at|with|on|an?|the)\b|(?<=back )(?:in|at|with|on|as)\b|(?<=now )(?:in|at|with|on|an?)\b)",
    re.IGNORECASE,
)
_I_MISSING: Final = re.compile(
    r"(?:(?:just|recently|finally|now|also|since then|already) )*(?:moved|joined|became|got (?!to\b)|started|switched|relocated|left|passed|finished|transferred|changed (?:jobs|teams)|went back|returned to|took over|live in|work (?:for|at|in|as)|have (?:moved|joined|become|switched|left)|was promoted|been promoted)\b",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(
    r"(?:and |so |then |but |ok |also |just )*(?!what I\b|what my\b|where I\b|where my\b|how I\b|when I\b|when you\b|when my\b|what you)"
    r"(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|can|could|did|does|do you|has|have (?:you|we|they|I)|will|would|should)\b",
    re.IGNORECASE,
)
_STATE: Final = re.compile(r"(?:an?|the|in|at|with|on) ", re.IGNORECASE)
_NO_MORE: Final = re.compile(
    r"(?:no more|no longer|forget|stop|scrap|drop|enough|not|enough of)\b", re.IGNORECASE
)
_ORDINAL: Final = re.compile(r"(?:^|\s)\d\d?\.$")
_SUBJECTS: Final = (
    r"I|I'm|I've|I'd|I'll|my|we|we're|we've|our|please|ich|mein\w*|je|j'\w+|mon|ma|mes|yo|mi|io|mio"
    r"|eu|meu|minha|ik|mijn|jag|now I|so I|then I|now my|btw|what|which|who|when|where|how|why|is|are|can|could|do|did|does|will|would|should|any|anything|remember|right|ok|okay|you know|isn't|as you"
    r"|show|list|it's|it is|that's|they've|they|still|back|moved|joined|now|give me|make it|always|never|from now on"
)
_JOIN: Final = re.compile(
    rf"\s*(?:,\s*(?:and|but|so|then|while|because|since|y|und|et|e|en|aber|mais|pero|ma)?|\s[-\u2013\u2014](?=\s)|\s(?:and|but|so|while"
    rf"|und|et|y|aber|mais|pero))\s+(?=(?:{_SUBJECTS})\b)",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r",\s+(?:so|because|but|which|hence|therefore|that's why|that is why|meaning|and (?=the|our|it|that|they|you))\b\s*|\s(?:because|which is why|which means|so that|so (?=please|the|you|don't|no|only|it))\b\s*",
    re.IGNORECASE,
)
_SAME_SUBJECT: Final = re.compile(
    r"(?<!live)(?<!living)\s*,?\s+(?:and|then|but)\s+(?:then\s+|have\s+|now\s+|also\s+)*"
    r"(?=(?:joined|moved|started|work|working|became|switched|live|living|transferred|relocated"
    r"|took|went|settled|am|look|handle|manage)\b)",
    re.IGNORECASE,
)
_OPENER: Final = re.compile(
    r"^(?:(?:hi|hello|hey|sorry|actually|well|oh|ok|okay|so|and|but|also|yes|no(?=[,.!])|right|thanks|by the"
    r" way|btw|fyi|quick (?:thing|one|note|question)|morning|good morning|evening|hi there|new job|as of today|don't forget|one thing|small thing|just saying|psst|listen|look|ah|oh and|also|for the record|for your information|just so you know|on top of that|one more thing|scrap that|forget that|I've changed my mind|I changed my mind|that's out of date|since the wedding|quick update|update|note"
    r"|remember|please note|as I said|as you know|like I said|as mentioned|again|correction"
    r"|in fact|to be clear|one more thing|good news|news|heads up|reminder|just a reminder"
    r"|I should mention|I should say|I forgot to (?:say|mention)|let me correct that)"
    r"(?:\s+that)?\b[,:;.!\u2013\u2014-]*\s*)+",
    re.IGNORECASE,
)
ENDED: Final = re.compile(
    r"\b(?:no longer|not\b[^,;]{0,60}\bany ?(?:more|longer)|n't\b[^,;]{0,60}\bany ?(?:more|longer)"
    r"|any ?more|any ?longer|used to|stopped|quit|have left|'ve left|left|resigned|handed (?:over|off)"
    r"|gave up|given up|passed on|handed [\w ]+ (?:over|to)|nicht mehr|nicht länger|ya no|non [\w ]+ più|niet (?:meer|langer)"
    r"|não [\w ]+ mais|inte längre|ne [\w' ]+ plus|n'[\w ]+ plus)\b",
    re.IGNORECASE,
)
_MAYBE: Final = re.compile(
    r"^(?:and |but )?if\b|\bif I\b|\b(?:might|may (?:move|join|be|become|switch)|maybe|perhaps|could(?! we| you)|would (?:like|love|be)|I'd"
    r" (?:like|love) to (?:live|move|work|be a|join|become)|thinking (?:of|about)|considering|hope to"
    r"|hoping to|want to (?:move|live|join|become|work)|plan(?:ning)? to|going to (?:move|join|be)"
    r"|dream of|wish I|almost|nearly|was offered|interview\w*|apply(?:ing)?|applied|imagine|suppose"
    r"|pretend|will (?:move|be|join|become|start)|'ll (?:move|be|join|become|start))\b",
    re.IGNORECASE,
)
_WISH: Final = re.compile(r"\bwould (?:like|love)|could you|would be (?:nice|great|better)")
_SAID: Final = re.compile(
    r"^(?:(?i:my|our|the|a|his|her|their) (?!name|role|title|job)[\w' ]{2,30}?|he|she|they|somebody|someone|everybody"
    r"|(?!I\b|We\b|Always\b|Never\b|Please\b|Just\b|Also\b|Then\b|Now\b|Nobody\b)[A-Z][\w']+(?: [A-Z]\w+)?) (?:always |never |now |also |just )?"
    r"(?:says?|said|told|asks|asked|writes|wrote|thinks|claims|mentioned|believes|wants|prefers|likes)\b"
)


LONGEST_CHARS: Final = 400
SHORT: Final = 3
"""Such clauses name only what is no more: "no more CSV"."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with one finite verb, more or less.

    Attributes:
        text: Without greetings and other openers.
        sentence: The whole sentence.
        ended: It says that something holds no more.
        maybe: It only might hold, or somebody else says so.
        asked: It was a question that asks for something: "could you reply in French?"
    """

    text: str
    sentence: str
    ended: bool
    maybe: bool
    asked: bool = False


def clauses(text: str) -> Iterator[Clause]:
    """The statements of a text, in order; questions are left out."""
    for sentence in sentences(_UNFOLD.sub(", ", _RUNS.sub(r"\1", text))):
        whole = _straight(_opened(sentence))
        said = _SAID.match(whole) is not None
        parts = [part for part in _parts(whole) if part]
        if sentence.rstrip(" )\"'").endswith(("?", "？")):
            *before, last = parts
            parts = [part for part in before if not _ASKS.match(part) or _ASKED.match(part)]
            parts += [last] if _ASKED.match(last) else []
        for part in _told_apart(parts):
            told = _with_subject(_ASKED.sub("please ", _OPENER.sub("", part) or part).strip(" ?"))
            if _NO_MORE.match(told) and ", " not in told and len(told.split()) <= SHORT:
                continue
            if _QUESTION.match(told):
                continue
            maybe = _MAYBE.search(told) is not None and _WISH.search(told) is None
            asked = _ASKED.match(part) is not None
            ended = ENDED.search(told) is not None
            yield Clause(told, sentence.strip(), ended, said or maybe, asked)


def _told_apart(parts: Sequence[str]) -> Iterator[str]:
    """A part that takes something back, without what comes after a comma."""
    for part in parts:
        parted = ENDED.search(part) or _NO_MORE.match(part)
        first, *others = re.split(r", (?:but |and )?| but ", part) if parted else [part]
        yield first
        yield from (f"I'm {one}" if _STATE.match(one) else one for one in others)


def _with_subject(part: str) -> str:
    """Add who it is about: "still in Tampere" and "just became team lead" lack it."""
    if found := _IS_MISSING.match(part):
        return f"I'm {part[found.start() :]}"
    return f"I {part}" if _I_MISSING.match(part) else part


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; abbreviations and dates end none."""
    held = ""
    for whole in _SENTENCE_END.split(text):
        # Nobody states something about themselves in a longer one.
        part = (whole or "")[:LONGEST_CHARS]
        if not part.strip():
            continue
        held = f"{held} {part}".strip()[:LONGEST_CHARS]
        if _ABBREVIATED.search(held) or _ORDINAL.search(held):
            continue
        yield held
        held = ""
    if held:
        yield held


def _straight(sentence: str) -> str:
    """From where to where, and who has moved somebody, told as where they are now."""
    told = _LEFT_FOR.sub("moved to ", _FROM_TO.sub("", sentence))
    return _MOVED_ME.sub(r"I was \1 ", told)


def _opened(sentence: str) -> str:
    return _OPENER.sub("", sentence) or sentence


def _parts(sentence: str) -> Iterator[str]:
    joined = (part for whole in _REASON.split(sentence) for part in _JOIN.split(whole))
    for part in joined:
        first, *others = _SAME_SUBJECT.split(part)
        yield first.strip()
        subject = re.match(r"\s*(?:I|we)\b", first)
        for other in others:
            yield f"I {other}".strip() if subject else other.strip()
