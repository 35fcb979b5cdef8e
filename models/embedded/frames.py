"""The last look-ups as frames: what a short message fills in anew.

"What about Otava?" and "hmm, and february" ask again what was asked, with another value; "just the
open ones" narrows it, "everyone" takes a value away, and "both for May" asks two things again.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from models.embedded.choices import EVERYBODY, choice_forms, phrase_of
from models.embedded.fields import Argument, arguments_of
from models.embedded.followup import asks_on
from models.embedded.patterns import ID, ISO_MONTH, MONTH, identifiers
from models.embedded.readers import LENGTH
from models.embedded.scene import Scene
from models.embedded.speech import core
from models.embedded.sums import plain_numbers
from models.embedded.words import STOP_WORDS, stem, stem_set, words
from state import CallRecord

_OPENED: Final = re.compile(
    r"^(?:(?:and|also|or|but|then|so|ok|hm+|now|well)[ ,]+)*(?:vs|versus|rather|what about"
    r"|compared to"
    r"|how about|(?:the )?same|i meant|i mean"
    r"|ditto|likewise|and|for|in|now|on|how is it (?:for|in)|what's with|as for|only|just|both"
    r"|again|repeat|drop|skip|leave out|without|filter|make (?:it|that)|do (?:the|it|that|both)"
    r"|(?:break|cut|limit|restrict|narrow) (?:it|that|this|them)(?: down)?(?: to)?)\b"
    r"|\b(?:too|as well|instead|only|please|either|(?:the )?same way|ditto)(?=[ .?!]*$|,)"
    r"|\balso\b|\bsame\b",
    re.IGNORECASE,
)
_EMPTY_WORDS: Final = stem_set(
    "month same question thing again one ones instead too either please then much many per by only"
    " just split each broken grouped exactly precisely worse better higher lower different similar"
    " bigger smaller busier quieter show list rise risen fall fallen drop dropped grow grown"
    " increase decrease change improve give both two three again later earlier before after prior"
    " following next previous last break down limit restrict cut drop everything less than over"
    " under ones after all late old skip leave filter narrow above below figure number"
    " see else go on next there hm hmm hmmm ah oh yes no pls thx way everyone everybody anyone"
    " total together across overall whole make do back ditto likewise plus alone customer client"
    " company other need want year right mean sorry actually wait oops mixed up pair meant"
    " comparison compare repeat check whatever still former latter"
)
_PURPOSE: Final = re.compile(
    r", (?:they|they're|i|i'm|i've|we|he|she|it's|that's|because|since)\b.*$"
    r"|,? (?:so (?:that )?(?:i|we) (?:can|could|may)\b|to (?:compare|see)\b|for (?:my|the|our|a)"
    r" (?:comparison|trend|slides?|deck|report|records?|file)\b).*$",
    re.IGNORECASE,
)
_THAT_MONTH: Final = re.compile(
    r"\b(?:this|last|previous|current|past) month\b|\bmonth before last\b", re.IGNORECASE
)
_COMPARED: Final = re.compile(
    r"^(?:and )?(?:was|is|were|how was|how is)\b.*\b(?:worse|better|higher|lower|different|similar"
    r"|the same|bigger|smaller|busier|quieter)\b"
    r"|^(?:and )?(?:did|has|have) (?:it|they|that|this)\b.*\b(?:go|gone|rise|risen|fall|fallen|drop"
    r"|dropped|grow|grown|increased?|decreased?|changed?|improved?)\b",
    re.IGNORECASE,
)
_BOTH: Final = re.compile(
    r"\b(?:both|all (?:of them|three)|the (?:same )?(?:two|three|pair)|each of them"
    r"|same (?:pair|two|for|in|again|thing|with))\b"
    r"(?! (?:months|customers|orders|invoices))",
    re.IGNORECASE,
)
_SAME: Final = re.compile(r"\bsame\b", re.IGNORECASE)
_PLACE: Final = re.compile(
    r"\bthe (first|second|third|last|former|latter)(?: (?:one|company|customer|client))?\b"
    r"(?! (?:month|week|quarter|half|day|three|two|year))",
    re.IGNORECASE,
)
_ANYHOW: Final = re.compile(
    r"\bno matter (?:how|what|which)\b(?: \w+)?|\bregardless\b|\bany (?:age|delay)\b"
)
MAX_WORDS: Final = 9
MAX_BARE_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """What a message says beside the values of an earlier call.

    Attributes:
        opened: whether it begins or ends as people go on: "and …", "… too".
        values: whether it has a value, or takes one away.
        rest: content words that no value explains.
        plain: whether one of its values is a month, a length, a state or "everyone", not a name.
        foreign: whether it has the id of a record that the call does not take.
    """

    opened: bool
    values: bool
    rest: tuple[str, ...]
    foreign: bool = False
    plain: bool = False


def asked(text: str, arguments: Sequence[Argument], named: Collection[str]) -> Asked:
    """Read a message against a call's arguments.

    Args:
        text: one request.
        arguments: what the earlier call takes.
        named: names in the text, and titles, which are values.
    """
    plain = _PURPOSE.sub("", core(text))
    openings = (_OPENED.search(text), _OPENED.search(plain), _COMPARED.search(plain))
    opened = any((*openings, EVERYBODY.search(plain), _ANYHOW.search(plain)))
    left = plain
    for pattern in (
        ID,
        LENGTH,
        ISO_MONTH,
        MONTH,
        _THAT_MONTH,
        EVERYBODY,
        _ANYHOW,
        *map(phrase_of, arguments),
    ):
        left = pattern.sub(" ", left) if pattern else left
    kinds = {kind for one in arguments for kind in one.id_kinds}
    foreign = [one for one in identifiers(text.upper()) if one.kind not in kinds]
    forms = {form for one in arguments for form in choice_forms(one)}
    nameable = any(one.kind in ("party", "title", "query") for one in arguments)
    written = [name if opened else _capitals(name) for name in named if nameable]
    known = {word for name in written for word in words(name)}
    said = words(left)
    own = [one for one in said if one in known or one in forms or one.removesuffix("s") in forms]
    rest = [one for one in said if one not in own and one not in STOP_WORDS and one.isalpha()]
    return Asked(
        opened=opened,
        values=left != plain or bool(own or plain_numbers(plain)),
        plain=left != plain,
        rest=tuple(one for one in rest if stem(one) not in _EMPTY_WORDS),
        foreign=bool(foreign),
    )


def _capitals(name: str) -> str:
    """The words of a name that are written as one; "Mozart born" holds another."""
    return " ".join(word for word in name.split() if not word.islower())


def cleared(text: str, arguments: Sequence[Argument]) -> set[str]:
    """Names of the arguments that a text takes back: "everyone", "no matter how late"."""
    found = set()
    for one in arguments:
        if one.required:
            continue
        if one.kind == "party" and EVERYBODY.search(text):
            found.add(one.name)
        if one.kind == "count" and "limit" not in one.name and _ANYHOW.search(text):
            found.add(one.name)
    return found


def repeatable(scene: Scene) -> list[CallRecord]:
    """Look-ups of the last two turns, latest first."""
    return [
        call
        for record in reversed(scene.history[-2:])
        for module in reversed(record["modules"])
        for call in reversed(module["calls"])
        if call["effect"] == "read_only"
    ]


def asked_together(text: str, scene: Scene, named: Collection[str] = ()) -> list[CallRecord]:
    """The look-ups that "both" stands for: of the last turn, else of the last two.

    Args:
        text: one request.
        scene: the prompt.
        named: names in the text.
    """
    found = repeatable(scene)
    if not _BOTH.search(text):
        return _of_one_value(text, scene, named)
    last = [call for module in scene.history[-1]["modules"] for call in module["calls"]]
    own = [call for call in found if call in last]
    if len(own) > 1:
        return list(reversed(own))
    return [] if _SAME.search(text) else list(reversed(found))


def placed(text: str, scene: Scene) -> list[CallRecord]:
    """The look-up of the last turn that a text names by its place: "the first one for June"."""
    found = _PLACE.search(text)
    calls = [call for module in scene.history[-1]["modules"] for call in module["calls"]]
    if found is None or len(calls) < 2 or len({call["name"] for call in calls}) > 1:
        return []
    at = {"first": 0, "former": 0, "second": 1, "third": 2}.get(found[1].lower(), -1)
    read = all(call["effect"] == "read_only" for call in calls)
    return [calls[at]] if read and at < len(calls) else []


def _of_one_value(text: str, scene: Scene, named: Collection[str]) -> list[CallRecord]:
    """Look-ups that one message has asked for of one month or one customer, for another one."""
    calls = [call for module in scene.history[-1]["modules"] for call in module["calls"]]
    several = len({call["name"] for call in calls}) > 1
    if not several or any(call["effect"] != "read_only" for call in calls):
        return []
    if MONTH.search(text):
        return calls if all("month" in call["args"] for call in calls) else []
    parties = {_party(call, scene) for call in calls}
    other = any(name[0].isupper() for name in named)
    return calls if other and len(parties) == 1 and parties != {""} else []


def _party(call: CallRecord, scene: Scene) -> str:
    """The customer that a call was about; empty if it was about nobody or all."""
    names = [one.name for one in arguments_in(scene, call["name"]) if one.kind == "party"]
    return next((str(call["args"][name]) for name in names if call["args"].get(name)), "")


def arguments_in(scene: Scene, tool: str) -> list[Argument]:
    """The arguments of a tool, none when the model was not given it."""
    schema = scene.tools.get(tool)
    return arguments_of(schema["parameters"]) if schema else []


def goes_on(text: str, said: Asked, spoken: Collection[str]) -> bool:
    """Whether a message asks an earlier look-up again.

    Args:
        text: one request.
        said: the message read against the look-up's arguments.
        spoken: stems that people use for other tools; words of nobody's are let pass once.
    """
    if asks_on(text):
        return True
    if said.foreign or not (said.values or said.opened):
        return False
    length = len(words(_PURPOSE.sub("", core(text))))
    explained = said.opened or (said.values and not said.rest)
    if length > (MAX_WORDS if explained else MAX_BARE_WORDS):
        return False
    foreign = [one for one in said.rest if stem(one) in spoken]
    unknown = len(said.rest) - len(foreign)
    return not foreign and unknown <= (1 if said.opened and said.plain and length <= 6 else 0)
