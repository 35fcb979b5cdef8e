"""Messages that go on with a change of the turn before: undo it, do it again, correct its address.

What is demanded here was demanded before, so no verb is needed: "another 45 on top", "same for
ORD-2083", "number 79, the rest stays as it is", "on reflection keep it".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from models.embedded.patterns import AMOUNT, amounts, identifiers
from models.embedded.scene import Scene
from models.embedded.selection import Look
from models.embedded.speech import COMMAND_VERBS, QUESTION_WORDS, core, speech_act
from models.embedded.sums import plain_numbers
from models.embedded.unspoken import LOOKING
from models.embedded.words import content_stems, words
from state import CallRecord

_UNDO: Final = re.compile(
    r"\b(?:undo|un-do|revert|reverse|roll(?:ing)? (?:it |that |this )?back|restore)\b"
    r"|\b(?:put|set|change|bring|take|switch|get|turn)"
    r" (?:it|that|this|them|everything|[A-Z]{2,6}-\d{3,8})(?: all)?"
    r" back\b(?! to \S*\d)"
    r"|\b(?:put|set|change|bring|take|switch) the (?:old|previous|former|original|first) \w+ back\b"
    r"|\bback (?:to|as) (?:the (?:old|previous|former|original)|how|what|where|it was|before)\b"
    r"|\b(?:as|like|how|the way) it was\b|\bscratch that\b|\bforget (?:that|it|about it)\b"
    r"|\bleave (?:it|things|everything) (?:as|like) (?:it|they)\b"
    r"|\b(?:keep|leave) (?:it|that one|the (?:old|previous|first|former)(?: \w+)?)(?: after all)?"
    r"(?=\s*(?:$|[.,;!]|valid|open|please|then))"
    r"|\b(?:was|that's|it's) a mistake\b|\bshould(?:n't| not) have (?:done|been|gone)\b"
    r"|\bmy (?:mistake|bad|fault)\b|\bwrong one\b|\bon reflection\b|\bafter all\b",
    re.IGNORECASE,
)
_MEANT: Final = re.compile(
    r"\b(?:i )?meant\b|\bshould have been\b|\b(?:was|is) the (?:right|correct) one\b", re.IGNORECASE
)
_TAKING: Final = re.compile(
    r"\b(?:reopen|re-open|undo|revert|restore|reinstate|revive|back)\b", re.IGNORECASE
)
_RIGHT_ONE: Final = re.compile(r"\bthe (?:right|correct|other|proper) one\b|\binstead\b", re.I)
_WEAK: Final = re.compile(
    r"\b(?:mistake|bad|fault|wrong one|reflection|after all|should(?:n't| not) have)\b", re.I
)
_AGAIN: Final = re.compile(
    r"\b(?:another|more|again|on top|extra|additional(?:ly)?|same|likewise|ditto|too|as well|also"
    r"|and)\b",
    re.IGNORECASE,
)
_SAME: Final = re.compile(
    r"\b(?:the )?same (?:for|with|thing|again|to|goes|on|here|address|place|refund|amount)\b"
    r"|\bditto\b|\blikewise\b|\bdo (?:it|that) (?:for|with|to)\b",
    re.IGNORECASE,
)
_SAME_SUM: Final = re.compile(r"\b(?:the )?same (?:amount|sum|money|refund)\b", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"\?\s*$|^(?:and |so |but )*(?:what|when|where|why|how|who|which|is|are|was|were|did|does"
    r"|do(?! (?:the same|it|that|this|so)\b)"
    r"|has|have|can i|may|could (?:it|that|this|we)|would)\b",
    re.IGNORECASE,
)
_HOUSE: Final = re.compile(
    r"\b(?:(?:house |street )?(?:number|no\.?|nr\.?)|it's|its|is|be|at|make (?:it|that))"
    r"(?: is| should be| to)?(?: house)?(?: number| no\.?)? #?(\d{1,4}[a-z]?)\b(?! ?[\w,]+ \w*\d)",
    re.IGNORECASE,
)
_NOT: Final = re.compile(r"\bnot (?:number |no\.? )?\d{1,4}[a-z]?\b|\binstead of \d{1,4}\b", re.I)
_CODE: Final = re.compile(
    r"\b(?:post ?(?:al )?code|postcode|zip(?: code)?)(?: is| should be| to|:)?(?: actually| now)?"
    r" ([A-Z0-9][A-Z0-9 -]{2,8}\d[A-Z0-9]*|\d[\d -]{2,8})\b",
    re.IGNORECASE,
)
_DO_SO: Final = re.compile(r"^do (?=(?:the same|it|that|this|so)\b)", re.IGNORECASE)
_TOO: Final = re.compile(
    r"\b(?:too(?! \w)|as well|also|likewise|ditto|same (?:with|for|goes for))\b", re.IGNORECASE
)
_LINK: Final = re.compile(
    r"^(?:and |also |the |ditto |likewise |same (?:with|for|goes for) )+", re.IGNORECASE
)
TOLD: Final = re.compile(
    r"\b(?:says?|said|thinks?|claims?|reckons?|guess|missing|wonders?|expects?)\b", re.IGNORECASE
)
_DONE: Final = re.compile(
    r"\b(?:already|yesterday|earlier|ago|too (?:much|many|little|late|high)"
    r"|(?:would|could|might) be)\b",
    re.IGNORECASE,
)
MAX_CARRIED_WORDS: Final = 10
MAX_AGAIN_WORDS: Final = 16
MAX_UNDO_WORDS: Final = 18


@dataclass(frozen=True, slots=True)
class Again:
    """A call that goes on with an earlier change.

    Attributes:
        args: arguments taken over; the text's own values replace them.
        look: the result that holds the arguments, when they are not known yet.
        fixed: whether the text's own values count for nothing, as for an address worked out.
    """

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    look: Look | None = None
    fixed: bool = False


def last_change(scene: Scene) -> CallRecord | None:
    """The last effect of the last two turns, if it was done."""
    for record in reversed(scene.history[-2:]):
        for module in reversed(record["modules"]):
            for call in reversed(module["calls"]):
                if call["effect"] != "read_only":
                    return call if call["status"] == "ok" else None
    return None


def _change_of(text: str, scene: Scene) -> CallRecord | None:
    """The change of the last turn that was about the one record a text names."""
    ids = {one.text for one in identifiers(text)}
    modules = scene.last["modules"] if scene.last else []
    calls = [call for module in modules for call in module["calls"]]
    found = [
        call
        for call in calls
        if call["effect"] != "read_only"
        and call["status"] == "ok"
        and ids & set(map(str, call["args"].values()))
    ]
    return found[0] if len(found) == 1 and len(ids) == 1 else None


def changed_ids(scene: Scene) -> list[str]:
    """Ids of the record that the turn before this one has changed."""
    last = scene.last
    call = last_change(replace(scene, history=(last,))) if last else None
    return [str(value) for value in call["args"].values() if _is_id(value)] if call else []


def undone(text: str, scene: Scene, compensations: Mapping[str, str]) -> Again | None:
    """What undoes the last change, when the text tells to: by its tool's compensation.

    Args:
        text: one request.
        scene: the prompt.
        compensations: for each tool that can be undone, the tool that does it.
    """
    call = _change_of(text, scene) or last_change(scene)
    if call is None or call["name"] not in compensations:
        return None
    if not (_says_undo(text) or (_TAKING.search(text) and redone(text, scene))):
        return None
    ids = {one.text for one in identifiers(text)}
    other = ids - {str(value) for value in call["args"].values()}
    if ids == other and ids and not _MEANT.search(text):
        return None
    tool = compensations[call["name"]]
    if tool == call["name"]:
        return Again(tool, look=Look((call["artifact"],))) if call["artifact"] else None
    own = {name: value for name, value in call["args"].items() if name.endswith("id")}
    return Again(tool, own, fixed=bool(other))


def redone(text: str, scene: Scene) -> Again | None:
    """The change that is taken back, for the one record that a text names as the right one.

    "It was INV-1050 I meant. Put INV-1053 back and void the right one."
    """
    call = last_change(scene)
    if call is None or not (_RIGHT_ONE.search(text) and _MEANT.search(text)):
        return None
    own = {str(value): name for name, value in call["args"].items() if name.endswith("id")}
    kinds = {value.partition("-")[0] for value in own}
    others = {one.text for one in identifiers(text) if one.kind in kinds} - set(own)
    if len(own) != 1 or len(others) != 1:
        return None
    return Again(call["name"], {name: next(iter(others)) for name in own.values()}, fixed=True)


def _says_undo(text: str) -> bool:
    found = list(_UNDO.finditer(text))
    if not found or _ASKS.search(text) or len(words(text)) > MAX_UNDO_WORDS:
        return False
    strong = [one for one in found if not _WEAK.search(one[0])]
    return bool(strong)


def repeated(text: str, scene: Scene) -> Again | None:
    """The last change once more, with another record or sum: "same for ORD-2083", "30 more"."""
    call = last_change(scene)
    if call is None or not _says_again(text):
        return None
    plain = _DO_SO.sub("", core(text))
    if set(words(plain)[:1]) & (LOOKING | QUESTION_WORDS) or TOLD.search(text):
        return None
    kinds = {str(value).partition("-")[0] for value in call["args"].values() if _is_id(value)}
    ids = [one.text for one in identifiers(text) if one.kind in kinds]
    other = [name for name in ids if name not in call["args"].values()]
    if other and (_SAME.search(text) or not content_stems(_without(text, ids))):
        kept = {name: value for name, value in call["args"].items() if name != "address"}
        return Again(call["name"], call["args"] if _SAME.search(text) else kept)
    if other and "amount" in call["args"] and _more_money(text):
        return Again(
            call["name"], {k: v for k, v in call["args"].items() if k not in ("amount", "reason")}
        )
    if not ids and "amount" in call["args"] and _SAME_SUM.search(text):
        return Again(
            call["name"], {key: value for key, value in call["args"].items() if key != "reason"}
        )
    if not ids and "amount" in call["args"] and _more_money(text):
        kept = {
            key: value for key, value in call["args"].items() if key not in ("amount", "reason")
        }
        return Again(call["name"], kept)
    return None


def _says_again(text: str) -> bool:
    """Whether a text has words for once more and none that ask or tell what was done."""
    if _ASKS.search(text) or not _AGAIN.search(text):
        return False
    short = len(words(text)) <= MAX_AGAIN_WORDS and not _DONE.search(text)
    return short or _SAME_SUM.search(text) is not None


def carried_on(text: str, scene: Scene) -> str:
    """The text with the verb it leaves out: "and the bill too" after "cancel the order"."""
    call = last_change(scene)
    plain = words(text)
    if call is None or scene.last is None or _ASKS.search(text) or len(plain) > MAX_CARRIED_WORDS:
        return text
    own = next(iter(words(core(text))), "") in COMMAND_VERBS
    if not _TOO.search(text) or _DONE.search(text) or own or speech_act(text) == "question":
        return text
    asked = " ".join(module["question"] for module in scene.last["modules"])
    verb = next((word for word in words(core(asked)) if word in COMMAND_VERBS), "")
    return f"{verb} {_LINK.sub('', text)}" if verb else text


def _is_id(value: object) -> bool:
    return bool(identifiers(str(value)))


def _without(text: str, ids: list[str]) -> str:
    for name in ids:
        text = text.replace(name, " ")
    return text


def _more_money(text: str) -> bool:
    """Whether the text names a further sum: "another 45 on top", "30 more for the delay"."""
    further = re.search(r"\b(?:another|more|on top|extra|additional(?:ly)?|again)\b", text, re.I)
    return bool(further and (amounts(text) or AMOUNT.search(text) or plain_numbers(text)))


def patched(text: str, scene: Scene) -> Again | None:
    """The last change with another house number or postal code in its address."""
    call = last_change(scene)
    if call is None or "address" not in call["args"] or _ASKS.search(text):
        return None
    address = str(call["args"]["address"])
    street, comma, rest = address.partition(", ")
    said = _NOT.sub(" ", text)
    if code := _CODE.search(said):
        city = re.sub(r"^(?:[A-Z]{0,2}\d\S*\s+)+", "", rest)
        address = f"{street}{comma}{code[1].strip()} {city}"
    elif (number := _HOUSE.search(said)) and re.search(r"\d+[a-zA-Z]?\b", street):
        address = re.sub(r"\b\d+[a-zA-Z]?\b", number[1], street, count=1) + comma + rest
    else:
        return None
    return Again(call["name"], {**call["args"], "address": address}, fixed=True)
