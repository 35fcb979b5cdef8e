"""The kinds of requests an app knows: one class per tool, read off the experts' examples."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from configs.expert import ExpertConfig, ToolConfig
from models.embedded.demand import deeds_of, opening_verbs, own_words
from models.embedded.patterns import AMOUNT, ISO_MONTH, MONTH, QUARTER, identifiers
from models.embedded.readers import read_address, read_sql
from models.embedded.words import stem

FEW_EXAMPLES: Final = 3
ANCHOR_SHARE: Final = 0.6
NORMATIVE_SHARE: Final = 0.2
FAIR_SHARE: Final = 0.4
_OTHER_NOUNS: Final[Mapping[str, str]] = {
    "revenue": "turnover income sales",
    "usage": "activity",
    "churn": "attrition",
    "invoice": "bill",
}
_NAME: Final = re.compile(r"(?<=[a-z] )[A-Z][a-z]{2,}")
_RULES: Final = re.compile(
    r"\b(?:polic(?:y|ies)|rules?|terms|guidelines?|allowed|permitted|entitled|promised?|procedures?"
    r"|according to|handbook|regulations?|may (?:we|i|an?|the|customers?|clients?|they)|who may"
    r"|how (?:can|do|does|should) (?:i|we|one|customers?|clients?)"
    r"|by the book|our rule|do we (?:ever|have to|need to|require|promise|guarantee))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RequestClass:
    """What people say to get one tool, or to talk about an intent without a tool.

    Attributes:
        key: the tool's name, or `expert/intent` where there is no tool.
        tool: None for an intent without a tool.
        deeds: stems that name the effect; empty for a read-only tool.
        kinds: prefixes of the ids in the examples.
        anchored: whether nearly every example names an id.
        monthly: whether nearly every example names a month.
        addressed: whether many examples name a postal address.
        priced: whether the examples name sums of money.
        coded: whether most of the examples hold a query.
        normative: whether a fair share of the examples asks for rules.
        named: whether examples name somebody, so that the tool may be about one customer.
        words: stems of the tool's name that no other tool has, such as `overdue`, and other words
            for them.
    """

    key: str
    expert: str
    tool: str | None
    examples: tuple[str, ...]
    effect: bool
    deeds: frozenset[str]
    kinds: frozenset[str]
    anchored: bool
    monthly: bool
    priced: bool
    normative: bool
    addressed: bool = False
    coded: bool = False
    words: frozenset[str] = frozenset()
    named: bool = True


def request_classes(experts: Sequence[ExpertConfig]) -> tuple[RequestClass, ...]:
    """One class per tool and per intent without a tool, in the order of the configuration."""
    said = {
        (expert.name, tool.name): _examples(expert, tool)
        for expert in experts
        for tool in expert.tools
    }
    reading = opening_verbs(
        text
        for expert in experts
        for tool in expert.tools
        if tool.effect == "read_only"
        for text in said[expert.name, tool.name]
    )
    names = [tool for _, tool in said]
    classes: list[RequestClass] = []
    for expert in experts:
        for tool in expert.tools:
            examples = said[expert.name, tool.name]
            effect = tool.effect != "read_only"
            deeds = deeds_of(tool.name, examples, reading, names) if effect else frozenset[str]()
            found = _described(tool.name, expert.name, tool.name, examples, deeds)
            own = own_words(tool.name, names)
            classes.append(replace(found, words=own | synonyms(own)))
        classes.extend(
            _described(f"{expert.name}/{one.name}", expert.name, None, one.examples, frozenset())
            for one in expert.intents
            if one.tool is None and one.examples
        )
    return tuple(_apart(classes))


def synonyms(nouns: Collection[str]) -> frozenset[str]:
    """Stems of other words for nouns that are given as stems."""
    known = [others for noun, others in _OTHER_NOUNS.items() if stem(noun) in nouns]
    return frozenset(stem(other) for others in known for other in others.split())


def _apart(classes: Sequence[RequestClass]) -> Iterator[RequestClass]:
    """The classes; asking for rules is a sign only where it tells one expert from the others."""
    asked = {one.expert for one in classes if one.normative}
    for one in classes:
        yield replace(one, normative=one.normative and len(asked) == 1)


def _examples(expert: ExpertConfig, tool: ToolConfig) -> tuple[str, ...]:
    """What people say to get the tool; its own description where there are too few examples."""
    own = [*tool.examples]
    for intent in expert.intents:
        if intent.tool == tool.name:
            own.extend(intent.examples)
    if len(own) < FEW_EXAMPLES:
        own.extend((tool.description, re.sub(r"^The user (?:asks|wants|gives)\s*", "", tool.when)))
    return tuple(dict.fromkeys(own))


def _described(
    key: str, expert: str, tool: str | None, examples: Sequence[str], deeds: frozenset[str]
) -> RequestClass:
    ids = [frozenset(found.kind for found in identifiers(text)) for text in examples]
    argued = tool is not None  # talk takes no arguments, so a month or a sum is no sign of it
    return RequestClass(
        key=key,
        expert=expert,
        tool=tool,
        examples=tuple(examples),
        effect=bool(deeds),
        deeds=deeds,
        kinds=frozenset(kind for kinds in ids for kind in kinds),
        anchored=_share(map(bool, ids), len(ids)) >= ANCHOR_SHARE,
        monthly=argued and _share(map(names_month, examples), len(ids)) >= ANCHOR_SHARE,
        normative=_share(map(asks_for_rules, examples), len(ids)) >= NORMATIVE_SHARE,
        addressed=argued and _share(map(_has_address, examples), len(ids)) >= FAIR_SHARE,
        named=any(_NAME.search(MONTH.sub(" ", text)) for text in examples),
        coded=argued and _share(map(_has_sql, examples), len(ids)) >= FAIR_SHARE,
        priced=argued and any(AMOUNT.search(text) for text in examples),
    )


def asks_for_rules(text: str) -> bool:
    """Whether a text asks what is allowed, promised or required."""
    return _RULES.search(text) is not None


def names_month(text: str) -> bool:
    """Whether a text names a month or a quarter."""
    return bool(
        MONTH.search(text)
        or ISO_MONTH.search(text)
        or QUARTER.search(text)
        or re.search(r"\bmonth\b", text)
    )


def _has_address(text: str) -> bool:
    return bool(read_address(text))


def _has_sql(text: str) -> bool:
    return bool(read_sql(text))


def _share(found: Iterable[bool], total: int) -> float:
    return sum(found) / total if total else 0.0
