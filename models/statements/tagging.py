"""Turns log probabilities of tags, a row a token, into the stretches of text that are stated.

Tags are those of named-entity recognition: `B-` opens a stretch, `I-` goes on with it, `O` is
neither. A slot has two kinds of stretches, of what holds and of what holds no more (`slot!`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from models.embedding import Vectors
from models.tokenizing import Token
from text.patterns import EMAIL

SLOTS: Final = (
    "preferred_name", "role", "team", "employer", "location", "email", "language",
    "report_format", "preference", "responsible_for", "milestone",
)  # fmt: skip
NO_MORE: Final = "!"
KINDS: Final = (*SLOTS, *(slot + NO_MORE for slot in SLOTS))
TAGS: Final = ("O", *(f"{part}-{kind}" for kind in KINDS for part in "BI"))
NUMBER: Final = {tag: number for number, tag in enumerate(TAGS)}
EVENT: Final = "milestone"
INSIDE: Final = frozenset({"preferred_name", "role", "team", "employer", "location"})
"""What may be said inside an event."""
NAMED: Final = ("role", "team", "employer", "location", "responsible_for")
"""Slots of names, which one phrase can be taken for: "I work in dry dock two"."""
WHOLE: Final = frozenset({"preference", EVENT})  # slots of clauses, not of names
NEAREST_CHARS: Final = 16  # between two parts of one clause
_APART: Final = re.compile(r"[.,;:!?\n。，！？]|\s[-\u2013\u2014]\s")
LESS_NOTHING: Final = 2.0
"""How much less likely `O` is taken to be there, as a log: the tagger sees the whole event."""
_WHOLE_TAGS: Final = [
    number for tag, number in NUMBER.items() if EVENT in tag or "preference" in tag
]
_NEVER: Final = -1e9
# two characters of one word, in writing that has spaces between words
_WITHIN_WORD: Final = re.compile(r"(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[^\W_]){2}")
_WITHIN_COMPOUND: Final = re.compile(rf"{_WITHIN_WORD.pattern}|-(?=[^\W\d_])")
"""What follows a hyphen too, if the hyphen is of the stretch: "comma-separated"."""
_AT: Final = "在"  # stands in one token with the place it is about
LEAST_SURE_OF_ANOTHER: Final = -3.0
"""Mean log probability of another slot's tags from which a stretch may be of that slot."""
_EDGES: Final = ' \t\n,.;:!?"“”„«»()'


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text that says something of its writer.

    Attributes:
        ended: It holds no more.
        sure: Mean log probability of its tags, 0 at most.
        also: Slots that it may be of instead, the likeliest first, with how likely, 0 to 1.
    """

    slot: str
    start: int
    stop: int
    ended: bool
    sure: float
    also: tuple[tuple[str, float], ...] = ()


def tags_of(tokens: Sequence[Token], stretches: Sequence[Stretch]) -> list[int]:
    """The number of each token's tag, as the text is labelled."""
    found, before = [], None
    for token in tokens:
        at = next(
            (one for one in stretches if token.start < one.stop and one.start < token.stop), None
        )
        if at is None:
            found.append(0)
        else:
            kind = at.slot + (NO_MORE if at.ended else "")
            found.append(NUMBER[f"{'I' if at is before else 'B'}-{kind}"])
        before = at
    return found


def stretches_of(likely: Vectors, tokens: Sequence[Token], text: str) -> list[Stretch]:
    """The likeliest stretches of a text, whole words each, with those inside an event.

    "I was made head of claims" tells an event and, inside it, a job.

    Args:
        likely: log probabilities, (tokens, tags).
        tokens: where each row stands in the text.
        text: what was cut into tokens.
    """
    found = _apart(likely, tokens, text)
    inside = [one for at in found if at.slot == EVENT for one in _inside(at, likely, tokens, text)]
    return [*found, *inside]


def in_whole(found: Sequence[Stretch], text: str) -> list[Stretch]:
    """The stretches in order, parts of one put together.

    The tagger decides word by word: it skips one inside a wish, or stops an event at a name in it.
    """
    whole: list[Stretch] = []
    for one in sorted(found, key=lambda at: (at.start, -at.stop)):
        at = next((n for n in reversed(range(len(whole))) if _goes_on(whole[n], one, text)), None)
        if at is not None:
            whole[at] = replace(whole[at], stop=max(whole[at].stop, one.stop))
        if at is None or one.slot != whole[at].slot:
            whole.append(one)
    return whole


def _goes_on(last: Stretch, one: Stretch, text: str) -> bool:
    """Whether a stretch goes on with an earlier one: the same wish, or what an event names."""
    between = text[last.stop : one.start]
    if last.slot == EVENT and one.slot in INSIDE:
        return len(between) <= NEAREST_CHARS and not _APART.search(between)
    if (last.slot, last.ended) != (one.slot, one.ended):
        return False
    if one.slot in WHOLE:
        return len(between) <= NEAREST_CHARS and not _APART.search(between)
    return between == " "


def _inside(event: Stretch, likely: Vectors, tokens: Sequence[Token], text: str) -> list[Stretch]:
    """What an event says beside itself: the likeliest, were its tokens not tagged as the event."""
    rows = [
        at
        for at, token in enumerate(tokens)
        if token.start < event.stop and event.start < token.stop
    ]
    other = likely[rows]
    other[:, _WHOLE_TAGS] = _NEVER
    other[:, 0] -= LESS_NOTHING
    other -= np.log(np.exp(other).sum(-1, keepdims=True))
    return [
        one
        for one in _apart(other, [tokens[at] for at in rows], text)
        if one.slot in INSIDE and (one.start, one.stop) != (event.start, event.stop)
    ]


def _apart(likely: Vectors, tokens: Sequence[Token], text: str) -> list[Stretch]:
    shut = likely.copy()
    shut[[not token.stop for token in tokens], 1:] = _NEVER
    path = _path(shut)
    found: list[Stretch] = []
    for first, last in _runs(path):
        start, stop = _whole(text, tokens[first].start, tokens[last].stop)
        if start >= stop or (found and start < found[-1].stop):
            continue
        kind = TAGS[path[first]][2:]
        if kind.startswith("email") and not EMAIL.search(text[start:stop]):
            continue
        sure = float(np.mean([likely[at, path[at]] for at in range(first, last + 1)]))
        also = _other_slots(likely[first : last + 1], kind)
        ended = kind.endswith(NO_MORE)
        found.append(Stretch(kind.rstrip(NO_MORE), start, stop, ended, sure, also))
    return found


def _other_slots(likely: Vectors, kind: str) -> tuple[tuple[str, float], ...]:
    """Of the rows of one stretch the slots of names that are likely too."""
    ended = NO_MORE if kind.endswith(NO_MORE) else ""
    if kind.rstrip(NO_MORE) not in NAMED:
        return ()
    others = [slot for slot in NAMED if slot + ended != kind]
    columns = [[NUMBER[f"{part}-{slot}{ended}"] for part in "BI"] for slot in others]
    sure = [float(np.logaddexp(*likely[:, pair].T).mean()) for pair in columns]
    ranked = sorted(zip(sure, others, strict=True), reverse=True)
    return tuple(
        (slot, float(np.exp(score))) for score, slot in ranked if score >= LEAST_SURE_OF_ANOTHER
    )


def _path(likely: Vectors) -> list[int]:
    """The likeliest tags in which `I-` only follows its own `B-` or `I-`; Viterbi."""
    inside = [number for number, tag in enumerate(TAGS) if tag.startswith("I")]
    best = likely[0].astype(np.float64)
    best[inside] = _NEVER
    came = []
    for row in likely[1:]:
        before = np.full(len(TAGS), int(best.argmax()))
        for number in inside:
            before[number] = number if best[number] > best[number - 1] else number - 1
        came.append(before)
        best = best[before] + row
    path = [int(best.argmax())]
    for before in reversed(came):
        path.append(int(before[path[-1]]))
    return path[::-1]


def _runs(path: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last place of each run of a `B-` and its `I-`."""
    first: int | None = None
    for at, number in enumerate([*path, 0]):
        if first is not None and not TAGS[number].startswith("I"):
            yield first, at - 1
            first = None
        if TAGS[number].startswith("B"):
            first = at


def _whole(text: str, start: int, stop: int) -> tuple[int, int]:
    """The words that a stretch touches, an address as a whole, without marks at its edges."""
    while start > 0 and _WITHIN_WORD.match(text, start - 1):
        start -= 1
    while 0 < stop < len(text) and _WITHIN_COMPOUND.match(text, stop - 1):
        stop += 1
    for found in EMAIL.finditer(text):
        if found.start() < stop and start < found.end():
            start, stop = min(start, found.start()), max(stop, found.end())
    if stop - start > 1 and text[start] in _AT:
        start += 1
    while start < stop and text[start] in _EDGES:
        start += 1
    while start < stop and text[stop - 1] in _EDGES:
        stop -= 1
    return start, stop
