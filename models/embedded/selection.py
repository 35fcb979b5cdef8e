"""One of several records: "the smaller one", "the June one", "the first of those, from March".

The records stand in the stored result of an earlier call, which the expert reads again. All that
the phrase says of the record must hold; a rank or a place is taken among those that are left.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from models.embedded.choices import status_forms
from models.embedded.demand import clauses_of
from models.embedded.names import names
from models.embedded.patterns import MONTH, identifiers
from models.embedded.scene import Scene, record_ids
from models.embedded.sums import plain_numbers
from models.embedded.words import content_stems, stem_set, words
from state import ModuleRecord, TurnRecord

_NOUN: Final = r"(?:one|invoice|bill|order|parcel|purchase|shipment|package|entry|item)(?!s)\b"
_DET: Final = r"(?:the|that|their|this|its|his|her)"
OF: Final = (
    r"(?: (?:of|among|from|in|on) (?:those|these|them|all|both|(?:the|that|these|those)"
    r" (?:list|two|three|four|five|lot|open|paid)))"
)
_TAIL: Final = (
    r"(?:(?:,? (?:that(?:'s| is| was| has)|which (?:is|was|has))| that|,? (?:from|with|due|in|over"
    r"|worth|for|placed|issued|still|at))"
    r" (?!(?:full|details?|me|us|it|that|this|them|a (?:look|while))\b)"
    r"(?:(?! to (?-i:[A-Z0-9]))[^,;:.?!])*)"
)
RANKS: Final[Mapping[str, tuple[str, bool]]] = {
    "latest|newest|most recent|more recent|youngest|newer": ("date", True),
    "oldest|earliest|older|earlier": ("date", False),
    "biggest|largest|highest|bigger|larger|most expensive|dearest|priciest": ("amount", True),
    "smallest|lowest|smaller|lower|cheapest|cheaper": ("amount", False),
    "longest overdue|most overdue|latest due": ("days", True),
}
PLACES: Final = ("first", "second", "third", "fourth", "fifth")
SAME_PLACES: Final = {"former": "first", "latter": "last", "top": "first", "bottom": "last"}
_RANK_WORDS: Final = "|".join(RANKS)
_PLACE_WORDS: Final = "|".join([*PLACES, "last", "middle", *SAME_PLACES])
ORDER: Final = re.compile(rf"\b({_RANK_WORDS}|(?:{_PLACE_WORDS})(?! (?:month|week|year)))\b", re.I)
PARTLY: Final = re.compile(r"\b(?:partly|partially|half|part)[ -]?paid\b", re.IGNORECASE)
OTHER: Final = re.compile(r"\b(?:the|their|that) other (?:one|invoice|bill|order|purchase)\b", re.I)
_SAID: Final = re.compile(
    rf"\b{_DET} (?P<what>(?:(?!(?:and|or|of|to|in|for|is|was)\b)[\w'&-]+ ){{1,3}})"
    rf"{_NOUN}{OF}?{_TAIL}?",
    re.IGNORECASE,
)
_RANKED: Final = re.compile(
    rf"(?:\b(?:the|their|its) |^(?:and |ok |then )*)(?:very )?(?:{_RANK_WORDS}|{_PLACE_WORDS})"
    rf"(?: {_NOUN})?(?:{OF}{_TAIL}?|{_TAIL}"
    rf"|(?=\s*(?:$|[,.;:?!]|(?:to|too|please|as|is|was|has|should|must|can|needs)\b)))",
    re.IGNORECASE,
)
FIRST_EVER: Final = re.compile(
    rf"\bthe (?:very )?first (?:{_NOUN} )?(?:(?:that )?(?:they|he|she|it|we) )?ever(?: \w+)?\b",
    re.I,
)
DATED: Final = re.compile(
    rf"\b{_DET} (?:[\w'-]+ ){{1,3}}(?:in|from|of) (?:early |late |mid )?{MONTH.pattern}",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(rf"\bthe {_NOUN}{_TAIL}", re.IGNORECASE)
_OWNED: Final = re.compile(
    rf"\b[A-Z][\w&-]+(?: [A-Z][\w&-]+)*'s(?: (?:\w+ )?{_NOUN}|(?= (?:is|was|has|looks)\b))"
)
_NO_THING: Final = stem_set(
    "wrong right same other new old next previous current good bad original only whole correct real"
    " actual proper final single main better best worse worst second third different particular"
    " specific certain usual normal big small large long short"
)


@dataclass(frozen=True, slots=True)
class Look:
    """Stored results that an expert has to read before it knows what is meant.

    Attributes:
        artifacts: ids of the stored results.
        phrase: the words that stand for one of its records; empty for what undoes the call.
        kind: prefix of the ids of those records.
        besides: ids that were talked about since, which "the other one" is not.
    """

    artifacts: tuple[str, ...]
    phrase: str = ""
    kind: str = ""
    besides: tuple[str, ...] = ()


def selected(
    text: str, scene: Scene, kinds: Sequence[str], *, changing: bool = False
) -> Look | None:
    """The list and the words of the text that pick one of its records, if there are such.

    Args:
        text: one request.
        scene: the prompt.
        kinds: prefixes that the text names by a noun; empty allows any.
        changing: whether the text wants a change, so that "the scanners in April" are a record.
    """
    dated = DATED.search(text) if changing else None
    phrase = picking(text) or (dated[0] if dated else "")
    if not phrase or identifiers(text.replace(phrase, " ")):
        return None
    besides: list[str] = []
    for record in reversed(scene.history[-4:]):
        for module in record["modules"]:
            listed = [one for one in identifiers(module["output"]) if _heads(one.text, module)]
            stored = [one for one in module["calls"] if one["effect"] == "read_only"]
            stored.sort(key=lambda call: call["name"].startswith("list"))
            artifact = stored[-1]["artifact"] if stored else None
            if listed and artifact and (not kinds or listed[0].kind in kinds):
                return Look((artifact,), phrase, listed[0].kind, tuple(besides))
        if alone := _alone(record, kinds):
            kind, artifacts = alone
            return Look(artifacts, phrase, kind)
        besides += record_ids(record)
    return None


def _alone(record: TurnRecord, kinds: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """The kind and the stored results of a turn that had several records, one by one."""
    found: dict[str, list[str]] = {}
    for module in record["modules"]:
        for call in module["calls"]:
            for id_ in identifiers(" ".join(map(str, call["args"].values()))):
                if call["artifact"] and (not kinds or id_.kind in kinds):
                    found.setdefault(id_.kind, []).append(call["artifact"])
    several = [(kind, tuple(stored)) for kind, stored in found.items() if len(stored) > 1]
    return several[0] if several else None


def _heads(name: str, module: ModuleRecord) -> bool:
    """Whether an id begins a line of a list or of a table."""
    return re.search(rf"(?m)- {name}\b|^{name}(?: \||…?$)", module["output"]) is not None


def picking(text: str) -> str:
    """The words of a text that pick one of several records; empty if there are none."""
    if re.match(r"^(?:and |but )?(?:only|just)\b", text, re.IGNORECASE):
        return ""  # "only the unpaid one" narrows the list
    for pattern in (FIRST_EVER, OTHER, _SAID, _RANKED, _CLAUSE, _OWNED):
        for found in pattern.finditer(text):
            if pattern is not _SAID or _says_which(found):
                return found[0].strip()
    return ""


def named_in(text: str) -> str:
    """The text without what a picking phrase says of the record: "the one for that order"."""
    phrase = picking(text)
    if not re.search(r"\bone\b", phrase):
        return text
    return text.replace(phrase, "one", 1)


def named_beside(text: str, look: Look, known_words: Collection[str]) -> bool:
    """Whether a text names somebody beside the phrase that picks one: another's records."""
    clause = next((one for one in clauses_of(text) if look.phrase in one), text)
    rest = clause.replace(look.phrase, "it", 1)
    named = any(name[0].isupper() for name in names(rest, known_words))
    return named and " one" not in look.phrase


def _says_which(found: re.Match[str]) -> bool:
    """Whether words before the noun are a month, a rank, a state or a name."""
    said = found["what"]
    named = re.search(r"\b[A-Z][\w'&-]+", said) and re.search(r"\bone\b", found[0])
    states = bool(PARTLY.search(said)) or any(status_forms(word) for word in words(said))
    number = plain_numbers(said)
    thing = re.search(r"\bone\b", found[0]) and set(content_stems(said)) - _NO_THING
    return bool(MONTH.search(found[0]) or ORDER.search(said) or states or named or number or thing)
