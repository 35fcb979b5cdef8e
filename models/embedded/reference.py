"""What a message points to without naming it: numbers without their prefix, "the bill for it".

An app's nouns for records are read off its tools: `get_invoice` takes INV-…, so "the bill 1042" is
INV-1042, and "the invoice for that" is an INV id that stands in what was said about "that".
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from models.embedded.classes import RequestClass
from models.embedded.demand import clauses_of, demands
from models.embedded.patterns import CURRENCY, ID, MONTH, amounts, identifiers
from models.embedded.scene import Scene, outputs_of, record_ids
from models.embedded.words import WORD, stem, stems, words
from state import TurnRecord

_OTHER_NOUNS: Final[Mapping[str, str]] = {
    "invoice": "bill",
    "order": "parcel purchase shipment package consignment",
}
_NUMBER: Final = re.compile(
    rf"(?<![\w.,/#-])(?:#|no\.? |nr\.? |number )?(\d{{4}})"
    rf"(?![\w%/]|[.,-]\d|-\w|\s*(?:{CURRENCY}|back|off)(?!\w))",
    re.IGNORECASE,
)
_HANDLED: Final = re.compile(r"(?<![\w.,/#-])\d{4}(?= (?:back|off)\b)")
_ORDERING: Final = re.compile(
    r"(?:^|\b(?:you|to|please) )(?:order|purchase|ship|bill) (?:me|us|an?|some)\b", re.IGNORECASE
)
_POINTING: Final = re.compile(
    r"\b(?:it|them|they|their|theirs|him|her|this one|that one|the (?:one|same)|both|those|half"
    r"|rest|again|record)\b|\b(?:that|this)\b(?=\s*(?:$|[,.;:!?]|too|as|also|please|and|because|since"
    r"|in|back|for|now|then|sent|shipped|delivered|cancell?ed|refunded|voided|gone|redirected))",
    re.IGNORECASE,
)
_OWN_THING: Final = re.compile(
    r"\b(?:the|my|an?|his|our|this|that) (?!customer|client|company|reason|same|delivery"
    r"|destination|shipping|address|paid|part)[a-z]{3,}",
    re.I,
)
_PREFIX: Final = re.compile(r"\b([A-Za-z]{2,6})[-_ ]?$")
_NOUN_OF: Final = re.compile(r"\b(\w+) of (?:\u20ac ?)?$")
_LOOSE: Final = re.compile(r"\b([A-Za-z]{2,6})[-_ ]?(\d{3,8})\b")
_VERB_ENDINGS: Final = ("ed", "ing")
_YEARS: Final = range(1900, 2030)
_MONEY_LEADS: Final = frozenset({"refund", "pay", "of", "give", "return", "reimburse", "by"})
_TIED: Final = re.compile(
    r"\b(?:its|related|belonging|corresponding|matching|respective)\b|\bgo(?:es)? with\b"
    r"|\bbelongs?\b"
    r"|\b(?:for|of|(?<!apart )from|on|to|behind) (?:it|that|this|that one)\b(?! (?:month|customer))"
    r"|\bwas (?:it|that) (?:for|from|on)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Nouns:
    """Stems of the words for records, with the prefix of their ids."""

    kinds: Mapping[str, str]
    numbered: Mapping[str, str] = field(default_factory=dict)

    def of(self, text: str) -> list[str]:
        """The kinds of records that a text names by a noun, in its order."""
        plain = _ORDERING.sub(" ", ID.sub(" ", text))
        named = (self.kinds.get(one) for one in stems(plain))
        return list(dict.fromkeys(kind for kind in named if kind))


def nouns_of(classes: Sequence[RequestClass]) -> Nouns:
    """The nouns of an app: the last word of a tool's name, where the tool takes one kind of id."""
    counts: dict[str, Counter[str]] = {}
    for one in classes:
        if one.tool and len(one.kinds) == 1 and one.anchored and "_" in one.tool:
            noun = stem(one.tool.split("_")[-1])
            counts.setdefault(noun, Counter()).update(one.kinds)
    kinds = {
        noun: found.most_common(1)[0][0] for noun, found in counts.items() if found.total() > 1
    }
    for noun, others in _OTHER_NOUNS.items():
        if kind := kinds.get(stem(noun)):
            kinds |= {stem(other): kind for other in others.split()}
    return Nouns(kinds, _numbered(classes, frozenset(kinds.values())))


def _numbered(classes: Sequence[RequestClass], kinds: frozenset[str]) -> dict[str, str]:
    """The prefix that ids with these two first digits have in the examples, if only one has."""
    found: dict[str, set[str]] = {}
    for text in (example for one in classes for example in one.examples):
        for id_ in identifiers(text, kinds):
            found.setdefault(id_.text.partition("-")[2][:2], set()).add(id_.kind)
    return {digits: next(iter(own)) for digits, own in found.items() if len(own) == 1}


def with_prefixes(text: str, scene: Scene, nouns: Nouns) -> str:
    """The text with ids written out: "and 2081?" after ORD-2076 is ORD-2081."""
    kinds = frozenset(nouns.kinds.values())
    text = _LOOSE.sub(
        lambda one: f"{one[1].upper()}-{one[2]}" if one[1].upper() in kinds else one[0], text
    )
    text = _HANDLED.sub(lambda one: _with_kind(one, scene, kinds), text)
    for match in reversed(list(_NUMBER.finditer(text))):
        before = text[: match.start()]
        prefix = _PREFIX.search(before)
        if _is_year(match[1], before) or (prefix and prefix[1].upper() in kinds):
            continue
        noun = _NOUN_OF.search(before)
        if noun and stem(noun[1].lower()) in nouns.kinds and identifiers(text, kinds):
            continue  # "that invoice of 2430, INV-1031"
        if kind := _kind_of(match[1], before, text[match.end() :], scene, nouns):
            text = f"{before}{kind}-{match[1]}{text[match.end() :]}"
    return text


def _with_kind(number: re.Match[str], scene: Scene, kinds: frozenset[str]) -> str:
    """A number before "back" as the id of the last turns that it ends: "bring 1009 back"."""
    near = [name for record in scene.history[-3:] for name in record_ids(record, kinds)]
    return next((name for name in near if name.endswith(f"-{number[0]}")), number[0])


def _is_year(number: str, before: str) -> bool:
    return int(number) in _YEARS or MONTH.search(before[-12:].rstrip() + " ") is not None


def _kind_of(number: str, before: str, after: str, scene: Scene, nouns: Nouns) -> str:
    """The prefix a number lacks: by the noun or id beside it, or the ids of the last turns."""
    beside = re.match(r"\W*(?:the |it's the |an? )?(\w+)\W*$", after)
    if beside and stem(beside[1].lower()) in nouns.kinds:
        return nouns.kinds[stem(beside[1].lower())]  # "state of 2087? the order"
    said = [stem(word) for word in words(before)]
    kinds = frozenset(nouns.kinds.values())
    named = [nouns.kinds[one] for one in said[-3:] if one in nouns.kinds]
    named += [one.kind for one in identifiers(before[-16:], kinds)]
    if named or _leads_money(said):
        return named[-1] if named else ""
    near = [name for record in scene.history[-3:] for name in record_ids(record, kinds)]
    alike = [name for name in near if name.partition("-")[2][:1] == number[0]]
    return alike[-1].partition("-")[0] if alike else nouns.numbered.get(number[:2], "")


def _leads_money(said: Sequence[str]) -> bool:
    """Whether a number after these stems is a sum: "refund 1080", but not "did they pay 1022"."""
    asked = said[:1] in (["did"], ["ha"], ["has"], ["have"], ["is"], ["was"])
    paid = said[-1:] != ["of"] or bool(set(said[-3:-1]) & (_MONEY_LEADS | {"back"}))
    return bool(said) and said[-1] in _MONEY_LEADS and paid and not asked


def tied(text: str) -> bool:
    """Whether a noun of the text belongs to something before: "the bill for it", "its invoice"."""
    return _TIED.search(text) is not None


def linked(text: str, scene: Scene, nouns: Nouns, changed: Sequence[str] = ()) -> str:
    """The text with the id of a record that it names as belonging to the last one.

    "Kill the bill that goes with it" after ORD-2077 was cancelled: the INV id of those turns.
    The text stays as it is when there is none, or more than one.

    Args:
        text: one request.
        scene: the prompt.
        nouns: words for records with ids.
        changed: ids of the last change; another kind's record beside it needs no "its".
    """
    kinds = nouns.of(text)
    beside = bool(changed and kinds) and not any(one.startswith(kinds[0]) for one in changed)
    if not kinds or not (tied(text) or beside) or identifiers(text):
        return text
    ids = dict.fromkeys(_beside(scene, frozenset(kinds[:1]), nouns))
    noun = next(
        (
            one
            for one in WORD.finditer(text)
            if nouns.kinds.get(stem(one[0].lower())) == kinds[0]
            and not one[0].lower().endswith(_VERB_ENDINGS)  # "they were billed twice"
        ),
        None,
    )
    if len(ids) != 1 or noun is None:
        return text
    return f"{text[: noun.end()]} {next(iter(ids))}{text[noun.end() :]}"


def kin(name: str, scene: Scene, nouns: Nouns) -> dict[str, str]:
    """The records of other kinds that belong to a record at hand, where there is just one."""
    own = name.partition("-")[0]
    kinds = frozenset(nouns.kinds.values())
    found = {
        kind: list(dict.fromkeys(_beside(scene, frozenset({kind}), nouns)))
        for kind in sorted(kinds - {own})
        if own in kinds
    }
    return {kind: ids[0] for kind, ids in found.items() if len(ids) == 1}


def _beside(scene: Scene, kind: frozenset[str], nouns: Nouns) -> list[str]:
    """Ids of a kind in the turns about the record that the last call was about."""
    others = frozenset(nouns.kinds.values()) - kind
    focus: set[str] = set()
    for record in reversed(scene.history):
        about = {*record_ids(record, others), *_shown(record, others)}
        if not called(record) or (focus and not focus & about):
            continue
        if found := record_ids(record, kind) or _shown(record, kind):
            return found
        focus = focus or set(record_ids(record, others))
        if not focus:
            return []
    return []


def _shown(record: TurnRecord, kinds: frozenset[str]) -> list[str]:
    return [one.text for text in outputs_of(record) for one in identifiers(text, kinds)]


def pointing(text: str, nouns: Nouns) -> bool:
    """Whether a text has a word that can stand for the record at hand."""
    return bool(_POINTING.search(text) or nouns.of(text))


def points(text: str, nouns: Nouns, deeds: Collection[str] = ()) -> bool:
    """Whether a text without an id is about the record at hand: "cancel it", "refund half".

    "Cancel the meeting" is about a thing of its own, and so is no demand on a record. What stands
    beside the demand may be about anything: "cancel, the clinics found another vendor".
    """
    if pointing(text, nouns) or amounts(text):
        return True
    demanding = [one for one in clauses_of(text) if demands(one, deeds)] or [text]
    return not any(_OWN_THING.search(one) for one in demanding)


def called(record: TurnRecord) -> bool:
    """Whether a turn has made any call."""
    return any(module["calls"] for module in record["modules"])
