"""What a part of a message names: a record, a thing of the tools', another one than before."""

import re
from collections.abc import Collection
from typing import Final

from models.embedded.patterns import ID, identifiers
from models.embedded.speech import COMMAND_VERBS, core, states
from models.embedded.words import STOP_WORDS, stem, stems, words

MAX_THING_WORDS: Final = 8
MIN_OWN_WORDS: Final = 2
_APPOSED: Final = re.compile(rf"^[^,;.?!]{{3,40}},? (?:which|that) (?:is|was) {ID.pattern}")
_ASIDE: Final = re.compile(r"[,;:.?!]\s")
_RECORD: Final = re.compile(
    rf"(?:the |our |also )*(?:\w+ )?{ID.pattern}(?:,? (?:too|as well))?, \w"
)
_OWNED: Final = re.compile(r"\W*[A-Z][\w& -]*['\u2019]s\b")


def other_id(before: str, after: str, joint: str, nouns: Collection[str]) -> bool:
    """Whether the second part begins with an id of another kind: "INV-1022 and also ORD-2061".

    The first may have no id but name a thing: "the whole discounts policy plus ORD-2061".
    """
    if joint.strip() == "," or "but" in joint:
        return False
    first = re.match(rf"\W*(?:[\w']+ ){{0,2}}{ID.pattern}", after)
    kinds = {one.kind for one in identifiers(before)}
    apposed = _APPOSED.match(after)  # "the order behind it, which is ORD-2075"
    if apposed and kinds and set(opening(after)) & set(nouns):
        return {one.kind for one in identifiers(apposed[0])}.isdisjoint(kinds)
    named = [one.kind for one in identifiers(first[0])] if first else []
    if not named or (not kinds and _leads_to_id(before)):
        return False
    return named[0] not in kinds if kinds else bool(set(stems(before)) & set(nouns))


def _leads_to_id(before: str) -> bool:
    """Whether a part without an id is only a verb and its thing: "cancel the order and …"."""
    return next(iter(words(core(before))), "") in COMMAND_VERBS and len(words(before)) <= 3


def other_noun(before: str, after: str, nouns: Collection[str]) -> bool:
    """Whether the second part begins with another thing of the tools' than the first has."""
    named = set(stems(before)) & set(nouns)
    other = bool(named - set(opening(after))) or bool(identifiers(before))
    owned = _OWNED.match(after) is not None and len(words(before)) > MIN_OWN_WORDS
    return names_thing(after, nouns) and (other or owned)


def names_record(text: str) -> bool:
    """Whether a text is an id and little else, not a statement about it."""
    plain = core(text)
    if _RECORD.match(plain):  # "invoice INV-1012, I have them on the line"
        return True
    return bool(ID.match(plain)) and len(words(plain)) <= MAX_THING_WORDS and not states(plain)


def names_thing(text: str, nouns: Collection[str]) -> bool:
    """Whether a text is a thing of the tools' and little else, such as "their orders too"."""
    own = _ASIDE.split(text, maxsplit=1)[0]  # "…, need both for the slide"
    short = len(words(own)) <= (4 if states(own) else MAX_THING_WORDS)
    return (short or bool(_APPOSED.match(text))) and bool(set(opening(text)) & set(nouns))


def opening(text: str) -> list[str]:
    """Stems of the first words of a text that carry content and are no verb forms."""
    said = [word for word in words(text)[:3] if word not in STOP_WORDS]
    return [stem(word) for word in said if not word.endswith(("ed", "ing"))][:2]
