"""When two values of a slot say the same: by spelling, by another name, or by meaning.

Meaning is judged by the embedder, and its cosines lie close together: "before ten" is nearer to
"after ten" than to "not earlier than 10". So what two wordings of one wish share is checked first:
numbers, days, names, denial, and words that turn a wish into its opposite.
"""

import re
from collections.abc import Iterable
from typing import Final

from memory.normalising import normalise
from memory.slots import Slot
from text.spelling import one_slip
from text.words import STOP_WORDS, stem, with_hours, word_set

_LEGAL: Final = word_set(
    "gmbh ag inc ltd llc plc ab bv nv sa sas sarl srl spa oy as aps kg co corp corporation company"
    " limited"
)
_GENERIC: Final = word_set(
    "team department dept group squad unit division account accounts customer customers client"
    " clients region regions market markets area territory territories products product line"
    " abteilung equipe equipo desk crew folks people"
)
_BEFORE: Final = word_set(
    "account customer client company firm region our my la le les el los il lo gli die der das den"
    " het os kunde kunden cuenta cliente compte"
)
_NUMBERS: Final = {
    word: str(number)
    for number, words in enumerate(
        (
            "zero null", "one ein eine un une uno una", "two zwei deux dos due twee dois duas",
            "three drei trois tres tre drie", "four vier quatre cuatro quattro quatro",
            "five funf cinq cinco cinque vijf", "six sechs seis sei zes", "seven sieben sept siete sette zeven sete",
            "eight acht huit ocho otto oito", "nine neun neuf nueve nove negen", "ten zehn dix diez dieci tien dez",
            "eleven elf onze once undici", "twelve zwolf douze doce dodici twaalf noon midday", "thirteen", "fourteen", "fifteen",
            "sixteen", "seventeen", "eighteen", "nineteen", "twenty zwanzig vingt veinte venti",
        )
    )
    for word in words.split()
}  # fmt: skip
# In "one by one" and "eine Tabelle" the word counts nothing.
_ARTICLES: Final = word_set("ein eine un une uno una one sei once")
_DAYS: Final = (
    "monday|mondays|montag|montags|lundi|lunes|lunedi|maandag", "tuesday|tuesdays|dienstag|dienstags|mardi|martes|martedi",
    "wednesday|wednesdays|mittwoch|mittwochs|mercredi|miercoles|mercoledi", "thursday|thursdays|donnerstag|donnerstags|jeudi|jueves|giovedi",
    "friday|fridays|freitag|freitags|vendredi|viernes|venerdi", "saturday|saturdays|samstag|samedi|sabado|sabato",
    "sunday|sundays|sonntag|dimanche|domingo|domenica", "weekend|weekends",
    "daily|day|taglich|quotidien|diario", "weekly|week|wochentlich|hebdomadaire|semanal", "monthly|month|monatlich|mensuel|mensual",
    "quarterly|quarter", "yearly|annual|annually|year", "morning|mornings|am", "evening|evenings|night|nights", "afternoon|afternoons|pm",
    "january|january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MANNERS: Final = (
    ("short brief briefly concise concisely terse succinct kurz knapp court bref breve corto", "long detailed detail details thorough verbose elaborate full longer lang ausfuhrlich largo lungo"),
    ("with including include includes inclusive gross brutto", "without excluding exclude excludes exclusive net netto"),
    ("formal formally polite", "informal informally casual casually"),
    ("ascending oldest", "descending newest latest"), ("metric", "imperial"), ("first top beginning", "last bottom end"),
    ("dollars dollar usd", "euros euro eur pounds gbp"), ("pounds gbp", "euros euro eur"),
    ("daily", "weekly monthly"), ("weekly", "monthly quarterly"), ("day", "month"),
)  # fmt: skip
_COUNTED: Final = word_set("decimal decimals digit digits places lines sentences words items rows")
_DENYING: Final = word_set(
    "never not no don't dont avoid without stop nothing skip omit hate dislike needn't nie nicht"
)
_FILLING: Final = frozenset(
    stem(word)
    for word in [
        "need",
        "needs",
        "longer",
        "more",
        "any",
        "want",
        "use",
        "keep",
        "show",
        "give",
        "send",
        "make",
        "me",
        "my",
        "you",
        "your",
        "mine",
        "okay",
        "fine",
        "ok",
    ]
)
SAME_MATTER: Final = 0.6
_LEAST_SLIPPED: Final = 7
"""Letters of a word in which one wrong letter hardly makes another word."""
_LEAST_TRADE: Final = 5
"""Letters of a word without "-er" or "-or"."""
_SMALL_WORDS: Final = {
    "de": word_set("ich und der die das ist nicht bitte auf immer mich mir mein meine den wurde bin im ein eine nie mit vor zu keine"),
    "fr": word_set("je et le la les est pas toujours moi mes ma mon des du été suis en jamais avec avant dans vos tes plus une"),
    "es": word_set("yo y el los las es siempre nunca me mis mi de del antes con por favor en una sin tus más"),
    "it": word_set("io e il gli sono sempre mai mi mia mio di del della con prima per non una senza più"),
    "nl": word_set("ik en het een niet altijd nooit mij mijn van met voor graag geen de"),
    "pt": word_set("eu e o os sempre nunca meu minha de do da com antes não uma sem por favor em"),
    "en": word_set("i and the is not always never me my a an of with before for please in to without your was on"),
}  # fmt: skip
_OPPOSITES: Final = (
    ("before earlier until prior vor avant antes prima ahead", "after later past following nach apres despues dopo since"),
    ("more longer above over exceeding mehr plus mas piu", "less fewer shorter below under weniger moins menos meno"),
    ("short brief briefly concise concisely terse succinct kurz knapp court bref breve corto", "long detailed detail details thorough verbose elaborate full lang ausfuhrlich largo lungo"),
    ("with including include includes inclusive gross brutto", "without excluding exclude excludes exclusive net netto"),
    ("first start begin beginning lead top beforehand", "last end ending finally bottom"),
    ("formal formally polite sie vous", "informal informally casual casually du tu"),
    ("ascending oldest", "descending newest latest"), ("metric", "imperial"), ("dark", "light"), ("24 24h", "12 12h"),
    ("phone call ring telephone anrufen appelez", "email mail write text message"),
    ("dollars dollar usd", "euros euro eur"), ("pounds gbp", "euros euro eur dollars"),
)  # fmt: skip
_DENIAL: Final = re.compile(
    r"\b(?:never|not|no|n't|don't|avoid|without|stop|nothing|none|nobody|skip|omit|refrain|hate|dislike|leave out|nie|niemals|nicht|kein\w*"
    r"|jamais|pas|nunca|jamas|mai|geen|niet|nooit|aldrig|inte|nao|sans|sin|senza|ohne)\b",
)
_POLITE: Final = word_set(
    "please kindly always now also remember that from on actually again still just really as rule make"
    " sure future going forward by default every time each wish id bitte immer toujours siempre sempre"
    " ask want would like prefer need"
)


def value_key(slot: Slot, value: str) -> str:
    """A value as it is compared by spelling: two with one key are the same."""
    plain = normalise(value)
    if slot.type in _BY_TYPE:
        return _BY_TYPE[slot.type](plain) or plain
    return plain


def may_mean_the_same(one: str, other: str) -> bool:
    """Whether nothing that two wishes or events say sets them apart."""
    first, second = _words(one), _words(other)
    return (
        _numbers(first) == _numbers(second)
        and _days(first) == _days(second)
        and bool(_DENIAL.search(normalise(one))) == bool(_DENIAL.search(normalise(other)))
        and not any(_opposed(first, second, *pair) for pair in _OPPOSITES)
    )


def says_the_same(one: str, other: str) -> bool:
    """Whether two wishes or events have the same words but for those that say nothing."""
    return may_mean_the_same(one, other) and (
        _content(one) == _content(other) or spelled_alike(one, other)
    )


def has_the_same_letters(one: str, other: str) -> bool:
    """Whether two values differ in spaces, hyphens and capitals at most."""
    first, second = (re.sub(r"[\W_]", "", normalise(value)) for value in (one, other))
    return first == second != ""


def spelled_alike(one: str, other: str) -> bool:
    """Whether two texts are the same words but for a slip of the pen in longer ones."""
    first, second = _words(one), _words(other)
    return len(first) == len(second) and all(map(_is_slip, first, second))


def _is_slip(word: str, other: str) -> bool:
    shortest = min(len(word), len(other))
    return word == other or (shortest >= _LEAST_SLIPPED and one_slip(word, other))


def other_numbers(one: str, other: str, *, partly: bool = False) -> bool:
    """Whether two values name numbers, and not the same ones; "6 pm" is 18.

    Args:
        one: A value.
        other: Another.
        partly: Whether one may name some of the other's only, in whatever spelling.
    """
    first, second = _numbers(_words(one)), _numbers(_words(other))
    if partly:
        few, many = sorted(({int(word) for word in words} for words in (first, second)), key=len)
        return not few <= many
    return bool(first and second) and first != second


def contradicts(newer: str, older: str) -> bool:
    """Whether a newer wish takes back an older one: the same matter, the other way round."""
    first, second = _words(newer), _words(older)
    if not _same_matter(newer, older):
        return False
    denied = bool(_DENIAL.search(normalise(newer))) != bool(_DENIAL.search(normalise(older)))
    turned = any(_opposed(first, second, *pair) for pair in _MANNERS)
    counted = _numbers(first) != _numbers(second) and bool(_COUNTED & {*first, *second})
    return denied or turned or counted


def takes_back(ended: str, stated: str) -> bool:
    """Whether what is said to hold no more is about a stated wish."""
    return _same_matter(ended, stated)


def language_of(value: str) -> str:
    """The language of a short text by its small words; English where none tells."""
    words = set(re.findall(r"[^\W\d_]+", value.casefold()))
    counts = {name: len(words & small) for name, small in _SMALL_WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else "en"


def _same_matter(one: str, other: str) -> bool:
    turning = {word for pair in _MANNERS for words in pair for word in words.split()}
    first, second = (
        {
            stem(word)
            for word in _words(text)
            if word not in turning | _POLITE | STOP_WORDS | _DENYING
        }
        - _FILLING
        for text in (one, other)
    )
    numbers = {word for word in first | second if word.isdecimal()}
    first, second = first - numbers, second - numbers
    if not first or not second:
        return False
    return len(first & second) / min(len(first), len(second)) >= SAME_MATTER


def shared_words(one: str, other: str) -> float:
    """Share of the content words of the shorter text that the other has too, 0 to 1."""
    first, second = _content(one), _content(other)
    return len(first & second) / max(1, min(len(first), len(second)))


def _words(value: str) -> list[str]:
    found = re.findall(r"[^\W_]+", with_hours(normalise(value)))
    return [_NUMBERS.get(word, word) if word not in _ARTICLES else word for word in found]


def _content(value: str) -> frozenset[str]:
    return frozenset(
        stem(word) for word in _words(value) if word not in STOP_WORDS and word not in _POLITE
    )


def _numbers(words: Iterable[str]) -> list[str]:
    return sorted(word for word in words if word.isdecimal())


def _days(words: Iterable[str]) -> set[int]:
    return {at for word in words for at, names in enumerate(_DAYS) if word in names.split("|")}


def _opposed(first: Iterable[str], second: Iterable[str], left: str, right: str) -> bool:
    """Whether one says the left and the other the right, and neither says both."""
    lefts, rights = set(left.split()), set(right.split())
    one = bool(lefts & set(first)), bool(rights & set(first))
    two = bool(lefts & set(second)), bool(rights & set(second))
    return one != two and any(one) and any(two)


def _name(plain: str) -> str:
    """A name without what firms, teams and accounts are called besides."""
    words = plain.split()
    while len(words) > 1 and words[-1] in _LEGAL | _GENERIC:
        words.pop()
    while len(words) > 1 and words[0] in _BEFORE:
        words.pop(0)
    return " ".join(words)


def _job(plain: str) -> str:
    """The words of a job in any order: "manager of the warehouse" is its manager."""
    return " ".join(sorted(_trade(word) for word in plain.split() if word not in STOP_WORDS))


def _trade(word: str) -> str:
    found = stem(word)
    short = re.sub(r"[eo]r$", "", found)
    return short if len(short) >= _LEAST_TRADE else found


def _format(plain: str) -> str:
    return " ".join(stem(word) for word in plain.split())


_BY_TYPE: Final = {"name": _name, "job": _job, "format": _format}
