"""Follow-ups: messages that say only what differs from the turn before.

"What about ORD-2003?" repeats the last look-up, "and in April?" the last report, "40 euros" answers
a question that the desk has asked, and "I meant INV-1043" corrects an id.
"""

import re
from collections.abc import Collection
from typing import Final

from models.embedded.choices import choice_forms
from models.embedded.fields import arguments_of
from models.embedded.patterns import ID, MONTH, amounts, identifiers, plain_numbers
from models.embedded.readers import LENGTH, read_address
from models.embedded.scene import Scene
from models.embedded.speech import core
from models.embedded.words import STOP_WORDS, stem, stem_set, word_set, words
from state import CallRecord, TurnRecord

_CORRECTION: Final = re.compile(
    r"\b(?:i mean(?:t)?|i wanted to say|correction|wrong (?:id|number|one)|should be|typo)\b"
    r"|^sorry\b",
    re.IGNORECASE,
)
_REPEAT: Final = re.compile(
    r"^(?:and |also |or |but |then |so )*(?:what about|how about|(?:the )?same (?:for|with|in)"
    r"|same (?:question|thing) for|ditto|likewise|and for|and in|and on|for|in|now|and"
    r"|how is it (?:for|in)|what's with|as for|only|just|both|again|drop|skip"
    r"|leave out|without|filter|narrow (?:it|that) down to"
    r"|(?:break|cut|limit|restrict) (?:it|that|this|them)(?: down)?(?: to)?)\b",
    re.IGNORECASE,
)
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
_COMPARED: Final = re.compile(
    r"^(?:and )?(?:was|is|were|how was|how is)\b.*\b(?:worse|better|higher|lower|different|similar"
    r"|the same|bigger|smaller|busier|quieter)\b"
    r"|^(?:and )?(?:did|has|have) (?:it|they|that|this)\b.*\b(?:go|gone|rise|risen|fall|fallen|drop"
    r"|dropped|grow|grown|increased?|decreased?|changed?|improved?)\b",
    re.IGNORECASE,
)
MAX_ANSWER_WORDS: Final = 14
MAX_BARE_WORDS: Final = 4


def asked_back(record: TurnRecord | None) -> bool:
    """Whether a turn ended with a question to the user."""
    return record is not None and record["answer"].rstrip().endswith("?")


def corrected(text: str, scene: Scene) -> str:
    """The last request with its id exchanged, when the text only corrects an id; else empty."""
    found = identifiers(text)
    if scene.last is None or not found or not _CORRECTION.search(text):
        return ""
    if len(_substance(text)) > 1:
        return ""
    right = found[-1]
    earlier = scene.last["user"]
    wrong = [one for one in identifiers(earlier) if one.kind == right.kind]
    if len(wrong) != 1:
        return ""
    at = wrong[0].start
    end = ID.match(earlier, at)
    return f"{earlier[:at]}{right.text}{earlier[end.end() if end else at :]}"


def is_bare_answer(text: str) -> bool:
    """Whether the text gives values and remarks but no request of its own."""
    plain = core(text)
    if len(words(plain)) > MAX_ANSWER_WORDS:
        return False
    has_value = bool(
        identifiers(plain) or amounts(plain) or plain_numbers(plain) or MONTH.search(plain)
    )
    return has_value or len(words(plain)) <= 6 or bool(read_address(plain))


def repeatable(text: str, scene: Scene, named: Collection[str] = ()) -> list[CallRecord]:
    """Look-ups of the last two turns that the text may repeat with other values, latest first.

    Empty when the text says more than such values.

    Args:
        text: one request.
        scene: the prompt.
        named: names in the text, which are values too.
    """
    plain = core(text)
    opened = _REPEAT.search(text) or _REPEAT.search(plain) or _COMPARED.search(plain)
    if not opened and len(words(text)) > MAX_BARE_WORDS:
        return []
    values = {
        word
        for name in named
        if opened or name[0].isupper()
        for word in (words(name) if opened else words(_capitals(name)))
    }
    if any(word not in values for word in _substance(text)):
        return []
    return [
        call
        for record in reversed(scene.history[-2:])
        for module in reversed(record["modules"])
        for call in reversed(module["calls"])
        if call["effect"] == "read_only"
    ]


def _capitals(name: str) -> str:
    """The words of a name that are written as one; "Mozart born" holds another."""
    return " ".join(word for word in name.split() if not word.islower())


def repeats_all(text: str) -> bool:
    """Whether a text repeats all that was asked for together: "and both again for May"."""
    return (
        re.search(r"\b(?:both|all (?:of them|three)|the (?:same )?two|each of them)\b", text, re.I)
        is not None
    )


def asks_on(text: str) -> bool:
    """Whether the text only asks on about the last result: "when exactly?", "why?"."""
    tokens = words(text)
    rest = set(tokens) - STOP_WORDS - {"exactly", "precisely", "though"}
    return 0 < len(tokens) <= MAX_BARE_WORDS and tokens[0] in _ASKING_ON and not rest


def choice_words(scene: Scene) -> list[str]:
    """Words for the allowed values of the tools in the last turn: "only the paid ones"."""
    last = scene.last["modules"] if scene.last else []
    schemas = [scene.tools.get(call["name"]) for part in last for call in part["calls"]]
    arguments = [one for schema in schemas if schema for one in arguments_of(schema["parameters"])]
    return [form.capitalize() for one in arguments for form in choice_forms(one)]


def _substance(text: str) -> list[str]:
    """Content words that are no values."""
    plain = MONTH.sub(" ", ID.sub(" ", LENGTH.sub(" ", text)))
    return [
        word
        for word in words(plain)
        if word not in STOP_WORDS and word.isalpha() and stem(word) not in _EMPTY_WORDS
    ]
