"""Slips of the pen in the words that matter: "cancle", "refnd", "wich", "adress".

Only words that nothing else knows are mended, and only into key words of the app that are one slip
away: a letter left out, doubled, exchanged with its neighbour or, in longer words, a wrong one.
"""

import re
from collections.abc import Collection
from functools import cache
from typing import Final

from models.embedded.background import BACKGROUND
from models.embedded.patterns import MONTHS
from models.embedded.speech import COMMAND_VERBS, QUESTION_WORDS
from models.embedded.words import STOP_WORDS, stem, word_set, words

SHORTEST: Final = 4
LONG: Final = 6
_WORD: Final = re.compile(r"(?<![\w@./-])[a-z]{3,}(?![\w@/-])")
_CAPITAL: Final = re.compile(r"(?<![\w@./-])[A-Z][a-z]{5,}(?![\w@/-])")
_LOWER: Final = re.compile(r"(?<![\w'])[a-z][\w']*")
_CODE: Final = re.compile(r"\bselect\b.+\bfrom\b", re.IGNORECASE | re.DOTALL)
_SLANG: Final = {
    "gimme": "give me",
    "lemme": "let me",
    "wanna": "want to",
    "gonna": "going to",
    "gotta": "have to",
    "rfnd": "refund",
    "whats": "what's",
    "wheres": "where's",
    "thats": "that's",
    "hes": "he's",
    "shes": "she's",
    "theyre": "they're",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
    "addr": "address",
    "inv": "invoice",
    "cust": "customer",
}
_TURNED: Final = re.compile(r"(?<=\bwe )(?:turn|turned) over\b", re.IGNORECASE)
_PAST_DUE: Final = re.compile(r"\bpast(?: (?:the|its|their))?[ -]due(?: dates?)?\b", re.IGNORECASE)
_SLANG_WORD: Final = re.compile(
    rf"(?<![\w-])(?!(?:inv|whats)[ _]?\d)(?:{'|'.join(_SLANG)})(?![\w-])", re.IGNORECASE
)
_COMMON: Final = word_set(
    "which what where when still please status order orders invoice invoices refund cancel address"
    " customer customers overdue revenue usage policy policies payment payments delivered shipped"
    " tracking change deliver send reopen void report month because money back list bills unpaid"
    " paid discount support client clients parcel parcels purchase amount return returned reimburse"
    " processing packed cancelled voided churn latest details product business"
)
_REAL: Final = word_set(
    "picked here there near were wear than then thing think quit quiet quite form from your hour"
    " tour picks"
    " four pour loan lost list last least lust must mist past post cost coast boast beck pack"
    " lack sack rack hack tack cold bold gold mold told hold sold fold paint pain pair laid aid"
    " said raid maid mind wind find kind send sand seed seat seal sealed ship shop chip chap stop"
    " step stay story store stored stare stars start state stated stats sale sales bill ball bell"
    " bull mill will pill till hill fill kill ill wile while whole hole holes order older border"
    " voice voices noise choice office device novice chance change charge charged changes range"
    " orange arrange strange angel clean client clint police polite month mouth moth moths math"
    " south booth both bath path patch batch match catch watch reset rest test text next best beast"
    " feast east chest cheat heat heap hear year years near dear bear tear fear gear wear pear"
    " lot lots spend annual annually resort stroke latte cancer content black red lit pad pea"
    " produce"
)


@cache
def ordinary_words() -> frozenset[str]:
    """Words in lower case of the background utterances."""
    texts = " ".join(text for texts in BACKGROUND.values() for text in texts)
    return frozenset(word for plain in _LOWER.findall(texts) for word in words(plain))


class Speller:
    """Mends words of an app's language."""

    def __init__(self, app_words: Collection[str], verbs: Collection[str]) -> None:
        """Know the app's words.

        Args:
            app_words: all words of the app's own texts.
            verbs: words that its commands begin with.
        """
        self._known = frozenset(
            {
                *app_words,
                *ordinary_words(),
                *STOP_WORDS,
                *COMMAND_VERBS,
                *QUESTION_WORDS,
                *_REAL,
                *MONTHS,
            }
        )
        self._stems = frozenset(map(stem, self._known))
        targets = {*_COMMON, *verbs, *MONTHS}
        self._targets = sorted(word for word in targets if len(word) >= SHORTEST)

    def mended(self, text: str) -> str:
        """The text with slips mended; names, ids and words of other languages stay."""
        if _CODE.search(text):
            return text
        plain = _SLANG_WORD.sub(lambda match: _SLANG[match[0].lower()], text)
        plain = _PAST_DUE.sub("overdue", _TURNED.sub("turnover", plain))
        plain = _CAPITAL.sub(lambda match: _month(match[0]), plain)
        return _WORD.sub(lambda match: self._word(match[0]), plain)

    def _word(self, word: str) -> str:
        if word in self._known:
            return word
        found = [one for one in self._targets if one_slip(word, one)]
        if stem(word) in self._stems:
            found = [one for one in found if stem(one) == stem(word)]
        return found[0] if len({stem(one) for one in found}) == 1 else word


def _month(word: str) -> str:
    """A month that is written in capitals with a slip: "Janaury"."""
    found = [one for one in MONTHS if len(one) >= LONG and one_slip(word.lower(), one)]
    return found[0].capitalize() if len(found) == 1 else word


def one_slip(wrong: str, right: str) -> bool:
    """Whether one slip lies between the words; the first letter is seldom wrong."""
    if wrong[0] != right[0] or abs(len(wrong) - len(right)) > 1:
        return False
    if wrong.startswith(right):
        return False  # later is another word than late
    if len(wrong) != len(right):
        return _one_missing(*sorted((wrong, right), key=len))
    apart = [at for at, (a, b) in enumerate(zip(wrong, right, strict=True)) if a != b]
    if len(apart) == 1:
        return len(right) >= LONG
    swapped = len(apart) == 2 and apart[1] == apart[0] + 1
    return swapped and wrong[apart[0]] == right[apart[1]] and wrong[apart[1]] == right[apart[0]]


def _one_missing(short: str, long: str) -> bool:
    at = next((n for n, letter in enumerate(short) if letter != long[n]), len(short))
    return short[at:] == long[at + 1 :]
