"""Names of companies and people in a request, as the user wrote them."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from models.embedded.patterns import EMAIL, ID, ISO_DATE, ISO_MONTH, MONTH, QUOTED
from models.embedded.speech import COMMAND_VERBS, QUESTION_WORDS
from models.embedded.words import STOP_WORDS, word_set

_LEADS: Final = word_set(
    "of for from by with to at about against has have is are does do did was were on customer"
    " client company account and charge charged bill billed"
)
_PLACES: Final = word_set("in near")
_CONNECTORS: Final = word_set("& de von van la le el")
_NEVER: Final = word_set(
    "eur usd gbp sql api apis q1 q2 q3 q4 id ids ok pdf csv invoice invoices order orders bill"
    " bills refund refunds policy policies monday tuesday wednesday thursday friday saturday sunday"
    " euro euros i customer customers company client clients hi hello hey thanks today yesterday"
    " across together everyone everybody anyone anybody someone somebody nobody all them"
    " least most more less than past due likewise ditto longer later older worse"
    " parties party firm firms debtors everything anything something nothing whatever"
    " currently latest newest recent unpaid paid overdue regarding concerning next fine good great"
    " enough"
    " possible wrong right done ready gone sure clear missing urgent hm hmm ah oh well so um"
    " overall combined total altogether eu usa uk europe"
)
_COMMON: Final = STOP_WORDS | QUESTION_WORDS | COMMAND_VERBS | _NEVER
_OWNER: Final = re.compile(r"(?<![\w'-])([a-z]\w{2,})['\u2019]s\b")
_OWNING_PLACE: Final = re.compile(r"\bin (?=[A-Z][\w&]*(?: [A-Z&][\w&]*)*['\u2019]s )")
PEOPLE: Final = re.compile(r"(?<=['\u2019]s) (?:lot|people|ppl|folks|guys|team|company)\b", re.I)
"""Words for those whose name stands before them: "Ingrid's lot"."""
_CONTRACTED: Final = re.compile(r"\b(\w+)['\u2019](?:d|ll|re|ve|m)\b", re.I)
_INTERRUPTED: Final = re.compile(r"[,:;!?()|]|\.(?=\s|$)|\s[-\u2013]\s")
_OWNED: Final = re.compile(r"['\u2019]s?$")
_TOKEN: Final = re.compile(r"[^\W_][\w.'\u2019-]*|&|\|")
_TITLES: Final = word_set("mr mrs ms dr the a an our my")


def names(text: str, known_words: Collection[str]) -> list[str]:
    """Likely names, the likeliest first.

    Args:
        text: the request.
        known_words: lower-case words of the app's own language, which are no names unless
            capitalised inside a sentence.
    """
    plain = _OWNING_PLACE.sub("of ", PEOPLE.sub("", EMAIL.sub(" ", text)))
    for pattern in (ID, ISO_DATE, ISO_MONTH, MONTH):
        plain = pattern.sub(" | ", plain)
    quoted = [match[1] or match[2] for match in QUOTED.finditer(plain)]
    owners = [one for one in _OWNER.findall(plain) if _foreign(one, known_words)]
    written = _capitalised(plain, known_words)
    owning = [name for name in written if re.search(rf"{re.escape(name)}['\u2019]s? \w", plain)]
    of = r"{} (?:from|at|of|over at) {}\b"  # "Karin from Otava" is about Otava
    people = {
        one
        for one in written
        for other in written
        if one != other and re.search(of.format(re.escape(one), re.escape(other)), plain)
    }
    written = [*(name for name in written if name not in people), *sorted(people)]
    first = [name for name in written[:1] if plain.startswith(name) and " " not in name]
    written = [*(name for name in written if name not in first), *first]  # "Zoom in on Otava"
    led = [_placed(one, plain) for one in _led(plain, known_words)]
    found = [*quoted, *owning, *written, *led, *owners]
    return list(dict.fromkeys(name for name in found if len(name) >= 2))


def _placed(name: str, text: str) -> str:
    """A trade with the place it is in: "the lawyers in London"."""
    found = re.search(rf"\b{re.escape(name)} (?:in|from|of) (?-i:[A-Z][a-z]\w+)", text)
    return found[0] if found and name.islower() else name


def _tokens(text: str) -> list[str]:
    """Words, and a bar wherever the sentence is interrupted."""
    marked = _INTERRUPTED.sub(" | ", _CONTRACTED.sub(r"\1", text))
    return [_OWNED.sub("", token) if token != "|" else token for token in _TOKEN.findall(marked)]


def _capitalised(text: str, known_words: Collection[str]) -> list[str]:
    found: list[list[str]] = []
    current: list[str] = []
    fresh = True
    before = ""
    tokens = [*_tokens(text), "|"]
    for token, after in zip(tokens, [*tokens[1:], "|"], strict=True):
        linked = bool(current) and token.lower() in _CONNECTORS
        placed = before in _PLACES and not current  # "in Tokyo" is no party
        opening = fresh and not after[0].isupper()  # "Blue Harbor" opens with a name
        if linked or (not placed and _is_name(token, known_words, opening=opening)):
            current.append(token)
        else:
            found.append(current)
            current = []
        fresh = token == "|"
        before = token.lower()
    return [" ".join(name) for tokens in found if (name := _trimmed(tokens))]


def _is_name(token: str, known_words: Collection[str], *, opening: bool) -> bool:
    lowered = token.lower()
    if not token[0].isupper() or lowered in _COMMON:
        return False
    return not (opening and lowered in known_words)


def _trimmed(tokens: Sequence[str]) -> list[str]:
    kept = list(tokens)
    while kept and kept[-1].lower() in _CONNECTORS:
        kept.pop()
    while kept and kept[0].lower() in _TITLES:
        kept.pop(0)
    return kept


def _led(text: str, known_words: Collection[str]) -> list[str]:
    """Unknown words after "of", "for", "does" …, for names written in lower case."""
    found: list[list[str]] = []
    current: list[str] = []
    open_for_name = False
    before_named = True  # "and Otava"
    for token in [*_tokens(text), "|"]:
        lowered = token.lower()
        foreign = _foreign(lowered, known_words)
        if foreign and current and current[-1][0].isupper() and token.islower():
            foreign = False  # "Vard rang"
        if (foreign and open_for_name) or (current and (foreign or lowered in _CONNECTORS)):
            current.append(token)
        else:
            found.append(current)
            current = []
        listed = lowered != "and" or before_named
        before_named = bool(current)
        open_for_name = (lowered in _LEADS and listed) or (
            open_for_name and not foreign and lowered == "the"
        )
    return [" ".join(name) for tokens in found if (name := _trimmed(tokens))]


def _foreign(word: str, known_words: Collection[str]) -> bool:
    return (
        word.isalpha()
        and len(word) > 2
        and not word.endswith(("ed", "ing", "ly"))
        and word not in known_words
        and word not in _COMMON
    )
