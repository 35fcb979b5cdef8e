"""Questions about what was said or done before, answered from memory and the shared history."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.patterns import identifiers
from models.embedded.scene import Scene
from models.embedded.words import content_stems, overlap

_DEEDS: Final = (
    "do|done|did|say|said|tell|told|ask|asked|decide|decided|change|changed|talk(?:ed)?"
    "|discuss(?:ed)?|agree|agreed|refund(?:ed)?|cancel(?:led)?"
)
_ABOUT_PAST: Final = re.compile(
    r"\b(?:do|did|can|could) (?:you|i|we) (?:still )?(?:remember|recall)\b"
    rf"|\bwhat (?:did|have|had) (?:we|i|you)\b.*\b(?:{_DEEDS})\b"
    r"|\bwhat (?:happened|was (?:done|said|decided|agreed)|came out)\b"
    r".*\b(?:last|earlier|before|ago|previous|yesterday|with|to)\b"
    r"|\b(?:last time|in our last|previous(?:ly)? (?:session|talk|conversation)"
    r"|earlier (?:session|conversation|today))\b"
    r"|\bremind me\b|\bsum(?:marise|marize| up)\b.*\b(?:we|so far|this|conversation)\b"
    r"|\bwhat do you know about me\b|\bwho am i\b|\bhow do i (?:like|want|prefer) my\b"
    r"|\bwhat(?:'s| is| was) my (?:name|role|team|job|e-?mail|preference|department|employer)\b",
    re.IGNORECASE,
)
_HERE: Final = re.compile(
    r"\b(?:just now|so far|this (?:conversation|thread|session)|today|a moment ago|right before)\b",
    re.IGNORECASE,
)
MAX_LINES: Final = 6
CLOSE: Final = 0.2


def recollect(text: str, scene: Scene) -> str:
    """What memory and history hold on a question about the past; empty for any other question."""
    found = _ABOUT_PAST.search(text)
    if found is None or re.match(r"what happened (?:to|with)\b", found[0], re.IGNORECASE):
        return ""  # of a record
    remembered = [] if _HERE.search(text) else _remembered(text, scene)
    here = _here(text, scene)
    parts = []
    if remembered:
        parts.append("\n".join(["From earlier sessions:", *remembered[:MAX_LINES]]))
    if here:
        parts.append("\n".join(["In this conversation:", *here[-MAX_LINES:]]))
    return "\n".join(parts) or "I remember nothing about that."


def _remembered(text: str, scene: Scene) -> list[str]:
    """Lines of the Memory Message; those that name the question's record where any does."""
    note = scene.note["text"] if scene.note else ""
    lines = [line for line in note.splitlines() if line.startswith("- ")]
    return _naming(text, lines) or lines


def _naming(text: str, lines: Sequence[str]) -> list[str]:
    ids = {found.text for found in identifiers(text)}
    return [line for line in lines if ids & {one.text for one in identifiers(line)}]


def _here(text: str, scene: Scene) -> list[str]:
    """Turns of this thread, one line each; those close to the question where it names a subject."""
    lines = [
        f"- You: {_short(record['user'], 160)} -> {_short(record['answer'], 240)}"
        for record in scene.history
    ]
    if identifiers(text):
        return _naming(text, lines)
    wanted = content_stems(text)
    close = [line for line in lines if overlap(wanted, content_stems(line)) >= CLOSE]
    return close or lines


def _short(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 2].rsplit(' ', 1)[0]} …"
