"""Effects that are held back: on another kind of record than the text names, or done already."""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from models.embedded.demand import clauses_of, demands
from models.embedded.patterns import identifiers
from models.embedded.reference import Nouns
from models.embedded.rendering import spoken
from models.embedded.scene import Scene
from state import CallRecord

_BESIDE: Final = re.compile(
    r"\b(?:because|since|as|for|with|from|of|on|and|that|which|but|so|after|when)\b", re.IGNORECASE
)
_AGAIN: Final = re.compile(
    r"\b(?:another|again|more|once more|second|extra|additional(?:ly)?|on top|further)\b",
    re.IGNORECASE,
)
_CORRECTING: Final = re.compile(
    r"\b(?:make (?:it|that)|i mean|i meant|meant|rather|should (?:be|have been)|instead|actually"
    r"|correction|sorry|not \d+)\b",
    re.IGNORECASE,
)
_REASON: Final = "reason"


def held_back(
    text: str,
    call: tuple[str, Mapping[str, Any]],
    scene: Scene,
    deeds: Collection[str],
    nouns: Nouns,
) -> str:
    """A question where an effect is not to be proposed; empty where nothing holds it back.

    Args:
        text: one request.
        call: the effect's tool and arguments.
        scene: the prompt.
        deeds: stems that name the deed.
        nouns: words for records with ids.
    """
    name, args = call
    if _other_kind(text, args, deeds, nouns):
        return f"Please give me the id: which record shall I {spoken(name)}?"
    if _done(name, args, scene) and not (_AGAIN.search(text) and _paid(args)):
        return f"That was done before: {spoken(name)} ({_ids_in(args)}). What else shall I do?"
    if _paid(args) and _CORRECTING.search(text) and _paid_before(name, args, scene):
        return f"{spoken(name).capitalize()} ({_ids_in(args)}) was done before. What shall I add?"
    return ""


def _paid_before(name: str, args: Mapping[str, Any], scene: Scene) -> bool:
    """Whether the last change of the record was a payment too, which nothing can correct."""
    last = _last_change(args, scene)
    return last is not None and last["name"] == name


def _other_kind(text: str, args: Mapping[str, Any], deeds: Collection[str], nouns: Nouns) -> bool:
    """Whether the demand names only records of other kinds: "drop the bill", for an order."""
    own = {one.kind for one in identifiers(" ".join(map(str, args.values())))}
    if {one.kind for one in identifiers(text)} & own:
        return False
    clauses = [one for one in clauses_of(text) if demands(one, deeds)] or [text]
    named = {kind for one in clauses for kind in nouns.of(_BESIDE.split(one, maxsplit=1)[0])}
    return bool(named and own) and named.isdisjoint(own)


def _done(name: str, args: Mapping[str, Any], scene: Scene) -> bool:
    """Whether the last change of the same record was the same, its reason left aside."""
    last = _last_change(args, scene)
    if last is None or last["name"] != name:
        return False
    return _plain(last["args"]) == _plain(args)


def _last_change(args: Mapping[str, Any], scene: Scene) -> CallRecord | None:
    ids = {one.text for one in identifiers(" ".join(map(str, args.values())))}
    call: CallRecord
    for record in reversed(scene.history):
        for module in reversed(record["modules"]):
            for call in reversed(module["calls"]):
                about = {one.text for one in identifiers(" ".join(map(str, call["args"].values())))}
                if call["effect"] != "read_only" and call["status"] == "ok" and about & ids:
                    return call
    return None


def _plain(args: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if name != _REASON and value}


def _paid(args: Mapping[str, Any]) -> bool:
    return any(isinstance(value, int | float) for value in args.values())


def _ids_in(args: Mapping[str, Any]) -> str:
    return ", ".join(one.text for one in identifiers(" ".join(map(str, args.values()))))
