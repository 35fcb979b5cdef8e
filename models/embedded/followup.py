"""Follow-ups: messages that say only what differs from the turn before.

"What about ORD-2003?" repeats the last look-up, "and in April?" the last report, "40 euros" answers
a question that the desk has asked, and "I meant INV-1043" corrects an id.
"""

import re
from typing import Final

from models.embedded.patterns import ID, MONTH, amounts, identifiers
from models.embedded.readers import LENGTH, read_address
from models.embedded.scene import Scene
from models.embedded.speech import COMMAND_VERBS, QUESTION_WORDS, core
from models.embedded.sums import plain_numbers
from models.embedded.words import STOP_WORDS, stem, stem_set, word_set, words
from state import TurnRecord

_CORRECTION: Final = re.compile(
    r"\b(?:i (?:actually )?mean(?:t)?(?! to\b)|i wanted to say|correction|typo"
    r"|should (?:be|have been|read)|wrong (?:id|number|one|invoice|order|bill))\b",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(r"^(?:sorry|no|oops)\b", re.IGNORECASE)
_EMPTY_WORDS: Final = stem_set(
    "month same question thing again one ones instead too either please invoice order bill customer"
    " client company other then much many per by only just split each broken grouped exactly"
    " precisely worse better higher lower different similar bigger smaller busier quieter show list"
    " rise risen fall fallen drop dropped grow grown increase decrease change improve"
    " give both two again later earlier before after prior following next previous last break"
    " down limit restrict cut drop everything less than over under ones after all late old"
    " skip leave filter narrow above below figures number numbers"
    " need want see else go on next one's there"
)
_ASKING_ON: Final = word_set("when where why who which how what since")
MAX_REMARK_WORDS: Final = 3
MAX_ANSWER_WORDS: Final = 14
MAX_BARE_WORDS: Final = 4


def asked_back(record: TurnRecord | None) -> bool:
    """Whether a turn ended with a question to the user."""
    return record is not None and record["answer"].rstrip().endswith("?")


def corrected(text: str, scene: Scene) -> str:
    """An earlier request with its id exchanged, when the text only corrects an id; else empty.

    The request may stand before a turn that took its change back: "no, wrong one", "1043, sorry".
    """
    found = identifiers(text)
    strong = _CORRECTION.search(text)
    if not found or not (strong or _WEAK.search(text)) or text.rstrip().endswith("?"):
        return ""
    if len(_substance(text)) > (MAX_REMARK_WORDS if strong else 1):
        return ""
    right = found[-1]
    for record in reversed(scene.history[-3:]):
        earlier = record["user"]
        wrong = [one for one in identifiers(earlier.upper()) if one.kind == right.kind]
        if len(wrong) == 1 and wrong[0].text != right.text:
            at = wrong[0].start
            end = ID.match(earlier, at)
            return f"{earlier[:at]}{right.text}{earlier[end.end() if end else at :]}"
        if wrong:
            return ""
    return ""


def is_bare_answer(text: str) -> bool:
    """Whether the text gives values and remarks but no request of its own."""
    plain = core(text)
    if len(words(plain)) > MAX_ANSWER_WORDS:
        return False
    has_value = bool(
        identifiers(plain) or amounts(plain) or plain_numbers(plain) or MONTH.search(plain)
    )
    return has_value or len(words(plain)) <= 6 or bool(read_address(plain))


def asks_on(text: str) -> bool:
    """Whether the text only asks on about the last result: "when exactly?", "why?"."""
    tokens = words(text)
    rest = set(tokens) - STOP_WORDS - {"exactly", "precisely", "though"}
    return 0 < len(tokens) <= MAX_BARE_WORDS and tokens[0] in _ASKING_ON and not rest


def only_subject(text: str) -> bool:
    """Whether a text has only a new subject, no verb: "and resellers?", "PO boxes?"."""
    tokens = words(core(text))
    opened = re.match(r"(?:and|what about|how about)\b", text, re.IGNORECASE)
    if not 0 < len(tokens) <= MAX_BARE_WORDS or not (opened or text.rstrip().endswith("?")):
        return False
    return tokens[0] not in QUESTION_WORDS | COMMAND_VERBS or bool(opened and tokens[0] == "what")


def _substance(text: str) -> list[str]:
    """Content words that are no values."""
    plain = MONTH.sub(" ", ID.sub(" ", LENGTH.sub(" ", text)))
    return [
        word
        for word in words(plain)
        if word not in STOP_WORDS and word.isalpha() and stem(word) not in _EMPTY_WORDS
    ]
