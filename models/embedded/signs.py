"""What the structure of a text says for or against a class of requests, beside its likeness."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from models.embedded.classes import RequestClass, asks_for_rules, names_month
from models.embedded.demand import demands
from models.embedded.likeness import Scores
from models.embedded.patterns import AMOUNT, identifiers
from models.embedded.readers import read_address, read_sql
from models.embedded.sums import sums_of
from models.embedded.words import stem, stem_set, stems

PREVIOUS_EXPERT: Final = 0.06
SERVED: Final = 0.1
KNOWN_ID: Final = 0.12
FOREIGN_ID: Final = -0.3
FOREIGN_NOUN: Final = -0.25
NO_ID: Final = -0.08
RULES_ASKED: Final = 0.3
MONTH_NAMED: Final = 0.1
PRICE_NAMED: Final = 0.1
DEMANDED: Final = 0.3
OWN_DEED: Final = 0.1  # "cancel it" is cancel_order rather than another tool that cancels
NOT_DEMANDED: Final = -0.5
WITHOUT_TOOL: Final = -0.08
NAMED: Final = 0.15
NO_QUERY: Final = -0.2
NOBODY_MEANT: Final = -0.15  # a report that is never of one customer, where one is named
ADDRESS_NAMED: Final = 0.2
ID_EVIDENCE: Final = 0.5
WORD_EVIDENCE: Final = 0.12
MONTH_EVIDENCE: Final = 0.1
ASIDE_EVIDENCE: Final = 0.06
ONGOING_EVIDENCE: Final = 0.08
DEMAND_EVIDENCE: Final = 0.3
NOUN_EVIDENCE: Final = 0.1
STRANGE_EVIDENCE: Final = -0.05
BACK_EVIDENCE: Final = 0.08
TITLE_EVIDENCE: Final = 0.1
PERSONAL_EVIDENCE: Final = -0.6
SHORT_WORDS: Final = 4
FREELY: Final = 0.2  # nearer to a look-up without an id than to all about a record
_REFERENCE: Final = re.compile(
    r"\b(?:(?:this|that|the same|the|their|its) (?:one|invoice|bill|order|parcel|purchase|case"
    r"|record|document|customer|client|company)"
    r"|(?<!time is )it(?! going to)|the whole thing|the details|full details"
    r"|(?<!apart from )(?<!other than )(?<!besides )(?<!except )"
    r"(?:that|this)(?! (?:year|month|quarter|week|day|time|morning|way|customer|client|company)))"
    r"\b(?!'s)",
    re.IGNORECASE,
)
_PARTY: Final = re.compile(r"\b(?:customer|client|company)$", re.IGNORECASE)
_BACK: Final = re.compile(
    r"\b(?:that one|this one|the one|those|these|them|they|their|theirs|its|the same|the other"
    r"|the latter|the former|as well|too|instead|again)\b",
    re.IGNORECASE,
)
_MY: Final = re.compile(r"\bmy (?:own |new |old )?(\w+)", re.IGNORECASE)
_ABSTRACT: Final = stem_set(
    "mistake bad fault screen boss list desk question colleague notes records team side end part"
    " report request opinion view mind apologies customer client account"
)


@dataclass(frozen=True, slots=True)
class Place:
    """What stands before a text.

    Attributes:
        previous: the expert of the last turn, which a follow-up is likelier for.
        served: the experts of all earlier turns, to whom people come back.
        focus: ids that "it" may stand for, the likeliest first.
        kin: the record of another kind that belongs to the one in focus, by its kind.
        at_hand: ids that the last turn was about, not only showed.
        continued: whether an earlier part of the same message is for the app.
        ongoing: whether the last turn was for the app.
        kinds: prefixes of the records that the text names by a noun.
        titled: whether the text names a document of the app by its title.
        nameless: the text with its names replaced; empty where it has none.
        pointing: whether the text has a word for the record at hand, such as "it".
        strange: whether the text is about things that nobody asks the app for.
        familiar: whether most of its content words are the app's.
        earlier: the request that the text answers a question about.
        said: what was said before the text, in its message or the turn before.
        done: name of the tool that was called there, or `ASKED`.
        own_words: the app's vocabulary.
        records: for each noun for records, the prefix of their ids.
    """

    previous: str | None = None
    served: Collection[str] = ()
    focus: Sequence[str] = ()
    kin: Mapping[str, str] = field(default_factory=dict)
    at_hand: Collection[str] = ()
    continued: bool = False
    ongoing: bool = False
    kinds: Sequence[str] = ()
    titled: bool = False
    nameless: str = ""
    pointing: bool = False
    strange: bool = False
    familiar: bool = False
    earlier: str = ""
    said: str = ""
    done: str = ""
    own_words: Collection[str] = ()
    records: Mapping[str, Collection[str]] = field(default_factory=dict)


def shift(
    one: RequestClass, text: str, place: Place, kinds: frozenset[str], *, read: bool = False
) -> float:
    """What the structure of a text adds to the score of a class.

    Args:
        one: the class.
        text: one request, as it is meant there.
        place: what stands before it.
        kinds: prefixes of all ids the app knows.
        read: whether it is read what the text does, so that words for rules are no sign.
    """
    found = _id_shift(one, text, place, kinds)
    signs = (
        (PREVIOUS_EXPERT, one.expert == place.previous),
        (SERVED, one.expert in place.served),
        (NAMED, not one.effect and bool(one.words & set(stems(text)))),
        (MONTH_NAMED, one.monthly and names_month(text)),
        (PRICE_NAMED, one.priced and AMOUNT.search(text) is not None),
        (RULES_ASKED, one.normative and not read and asks_for_rules(text)),
        (ADDRESS_NAMED, one.addressed and bool(read_address(text))),
        (WITHOUT_TOOL, one.tool is None),
        (NOBODY_MEANT, one.monthly and not one.named and bool(place.nameless)),
        (NO_QUERY, one.coded and not read_sql(text)),
    )
    return found + sum(weight for weight, holds in signs if holds)


def deed_shift(one: RequestClass, text: str, *, demanded: bool) -> float:
    """What a demand for the deed of an effect adds to its class; it tells tools apart."""
    if not one.effect:
        return 0.0
    own = OWN_DEED if one.words & set(stems(text)) else 0.0
    return DEMANDED + own if demanded else NOT_DEMANDED


def complete(one: RequestClass, text: str) -> bool:
    """Whether a text names the record of an effect that pays, and a sum."""
    own = {found.kind for found in identifiers(text)} & one.kinds
    return one.effect and one.priced and bool(own) and bool(sums_of(text))


def _id_shift(one: RequestClass, text: str, place: Place, kinds: frozenset[str]) -> float:
    named = {found.kind for found in identifiers(text, kinds)}
    if named:
        return KNOWN_ID if named & one.kinds else FOREIGN_ID
    found = NO_ID if one.anchored and not place.focus else 0.0
    about = one.kinds if one.anchored else place.records.get(stem((one.tool or "").split("_")[-1]))
    foreign = bool(place.kinds) and about is not None and not set(place.kinds) & set(about)
    return found + (FOREIGN_NOUN if foreign else 0.0)


def sure_signs(
    best: RequestClass,
    text: str,
    place: Place,
    kinds: frozenset[str],
    classes: Sequence[RequestClass],
    breadth: float = 1.0,
) -> float:
    """What is seldom off topic: ids, tool names, months of reports, asides in a conversation.

    Words that no example has say the less the broader the app is.
    """
    named = set(stems(text))
    own = any(one.words & named for one in classes if one.tool and not one.effect)
    aside = place.previous is not None and len(text.split()) <= SHORT_WORDS
    ids = bool(identifiers(text, kinds))
    reported = best.monthly and names_month(text)
    signs = (
        (ID_EVIDENCE, ids),
        (WORD_EVIDENCE, own),
        (MONTH_EVIDENCE, reported),
        (ASIDE_EVIDENCE, aside),
        (ONGOING_EVIDENCE, place.ongoing and not place.strange),
        (DEMAND_EVIDENCE, place.ongoing and place.pointing and demands(text, best.deeds)),
        (STRANGE_EVIDENCE / breadth, place.strange and not ids),
        (BACK_EVIDENCE, place.ongoing and not place.strange and _BACK.search(text) is not None),
        (NOUN_EVIDENCE, bool(place.kinds)),
        (TITLE_EVIDENCE, place.titled),
        (PERSONAL_EVIDENCE, not (ids or reported) and personal(text, place.own_words)),
    )
    return sum(weight for weight, holds in signs if holds)


def needs_no_record(classes: Sequence[RequestClass], scores: Scores) -> bool:
    """Whether a look-up without an id is clearly nearer than all that needs a record."""
    free = [at for at, one in enumerate(classes) if one.tool and not one.anchored]
    free = [at for at in free if not classes[at].effect]
    others = [at for at, one in enumerate(classes) if one.anchored or one.effect]
    return bool(free and others) and bool(scores[free].max() - scores[others].max() > FREELY)


def personal(text: str, own_words: Collection[str]) -> bool:
    """Whether a text is about a thing of the speaker's own that no desk knows: "my dentist"."""
    found = _MY.search(text)
    if found is None or not own_words:
        return False
    return found[1].lower() not in own_words and stem(found[1].lower()) not in _ABSTRACT


def referred(text: str, focus: Sequence[str], kinds: frozenset[str]) -> str:
    """The text with the id that "it" or "that invoice" stands for, if it names none itself."""
    if not focus or identifiers(text, kinds):
        return text
    reference = _REFERENCE.search(text)
    if reference is None or _PARTY.search(reference[0]):
        return text
    return f"{text[: reference.start()]}{focus[0]}{text[reference.end() :]}"
