"""Wishes and events as they were said in whole, where the tagger left a word of them out.

Both are clauses, and the tagger decides word by word: it stops at the job in "was made head of
claims", skips a word between two parts, or ends a wish on "before".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from models.embedded.stating.tagging import EVENT, INSIDE, Stretch
from models.embedded.words import STOP_WORDS, word_set

WISH: Final = "preference"
_PROPER: Final = ("employer", "team")
NEAREST_CHARS: Final = 16
"""Between two parts of one wish or event."""
LONGEST_CHARS: Final = 160
_OPEN_ABROAD: Final = word_set(
    "der die das den dem des und mit vor von le la les du des et avec avant el los del las y con sin"
    " antes il lo gli della e prima het een en van met voor do da os com antes na w i z"
)
"""Words of other languages that end no clause."""
_OPEN: Final = _OPEN_ABROAD | word_set("of for in at to with from")
"""Words that end no name either."""
_ONE_OF_ANOTHER: Final = (("role", "team"), ("responsible_for", "responsible_for"))
_OF: Final = re.compile(r" (?:of|for) (?:the |our )?")
_APART: Final = re.compile(
    r"[.;!?\n。！？]|\b(?:and|then|und|dann|et|puis|y|luego|e|en|dan|och|og|i)\b|\d"
)
"""Between two events."""
_ENDED: Final = re.compile(r"[.;!?\n。！？]")
_POINTS_BACK: Final = re.compile(
    r"\b(?:send|start|do|show|put|give|bring|keep|have|make) (?:\w+ )?(?:it|them|that|those)\b"
)
"""A wish that says of what only with what stands before it: "I miss the summary, send it again"."""
_SWAPPED: Final = re.compile(
    r"\b(?:from|von|van|från|fra)(?: (?:the|my|our|der|dem))? $", re.IGNORECASE
)
_FOR: Final = re.compile(r" (?:to|auf|zu|naar|till|til) (?:the |our |die |der )?")
"""Between what is left and what comes instead: "switch from French to German"."""
_LEAVING: Final = re.compile(
    r"\b(?:left|leave|leaving|swap|swapped|traded|exchanged|quit|given up) (?:the |my |our )?$"
)
_LEFT_FOR: Final = re.compile(r" for (?:the |our )?([A-Z][\w'&-]*(?: [A-Z][\w'&-]*)*)")
NEAREST_EVENT_CHARS: Final = 24
"""Between two parts of one event: "the exam is behind me, I passed it in May"."""
_CLAUSE_END: Final = re.compile(r"[.,;:!?\n。，！？]|\s[-\u2013\u2014]\s|$")


def completed(found: Sequence[Stretch], text: str) -> list[Stretch]:
    """The stretches of a text, wishes, events and jobs in whole."""
    ordered = sorted(found, key=lambda one: (one.start, -one.stop))
    ordered = _with_ends(list(_in_one_piece(ordered, text)), text)
    ordered = [*ordered, *_left_for(ordered, text)]
    ordered.sort(key=lambda one: (one.start, -one.stop))
    return [_to_the_end(one, text) if one.slot == WISH else one for one in _joined(ordered, text)]


def _with_ends(found: Sequence[Stretch], text: str) -> list[Stretch]:
    """Of "from French to German" the first as what holds no more, the second as what holds."""
    mended = list(found)
    for at, (last, one) in enumerate(pairwise(found)):
        swapped = last.slot == one.slot and _FOR.fullmatch(text[last.stop : one.start])
        if swapped and one.slot != EVENT and _SWAPPED.search(text[: last.start]):
            mended[at : at + 2] = [replace(last, ended=True), replace(one, ended=False)]
    return mended


def _left_for(found: Sequence[Stretch], text: str) -> Iterator[Stretch]:
    """What somebody left something for, where the tagger saw only what was left."""
    for one in found:
        named = _LEFT_FOR.match(text, one.stop) if one.ended and one.slot in INSIDE else None
        if named is None or not _LEAVING.search(text[: one.start]):
            continue
        start, stop = named.span(1)
        if not any(other.start < stop and start < other.stop for other in found):
            yield replace(one, start=start, stop=stop, ended=False, also=())


def _in_one_piece(ordered: Sequence[Stretch], text: str) -> Iterator[Stretch]:
    """Names whose words follow each other, and a job with what it is of.

    "Manager of the warehouse" is no manager in a team.
    """
    last: Stretch | None = None
    for one in ordered:
        if last is not None and _is_one_name(last, one, text):
            last = replace(last, stop=one.stop)
            continue
        if last is not None and _is_named_by(last, one, text):
            last = one
            continue
        if last is not None and _is_within(last, one, text):
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _is_named_by(last: Stretch, one: Stretch, text: str) -> bool:
    """Whether a name follows on what it is the name of: "at the glassworks, Sklárna Benešov"."""
    return (
        (last.slot, last.ended) == (one.slot, one.ended)
        and last.slot in _PROPER
        and text[last.stop : one.start] == ", "
        and text[last.start : last.stop].islower()
        and text[one.start].isupper()
    )


def _is_within(last: Stretch, one: Stretch, text: str) -> bool:
    """Whether a place only says where the one before it is: "Dunedin, New Zealand"."""
    places = last.slot == one.slot == "location" and last.ended == one.ended
    return places and text[last.stop : one.start] == ", "


def _is_one_name(last: Stretch, one: Stretch, text: str) -> bool:
    between = text[last.stop : one.start]
    if (last.slot, one.slot) in _ONE_OF_ANOTHER and _OF.fullmatch(between):
        return True
    is_open = text[last.start : last.stop].split()[-1].lower() in _OPEN
    if one.slot in INSIDE and last.slot in ("responsible_for", "team") and between == " ":
        return is_open or one.slot == last.slot
    beside = (", ", " - ", " with ") if one.slot == "report_format" else ()
    return between in (" ", *beside) and (last.slot, last.ended) == (one.slot, one.ended)


def _joined(ordered: Sequence[Stretch], text: str) -> Iterator[Stretch]:
    """Parts of one clause as one; an event goes on over what is named inside it."""
    last: Stretch | None = None
    for one in ordered:
        goes_on = last is not None and _goes_on(last, one) and _is_near(last, one, text)
        if goes_on and last is not None:
            last = replace(last, stop=max(last.stop, one.stop))
            if one.slot != last.slot:
                yield one
            continue
        if one.slot not in (WISH, EVENT):
            yield one
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _goes_on(last: Stretch, one: Stretch) -> bool:
    if last.slot == one.slot:
        return last.ended == one.ended
    return last.slot == EVENT and one.slot in INSIDE


def _is_near(last: Stretch, one: Stretch, text: str) -> bool:
    between = text[last.stop : one.start]
    if last.slot == one.slot == EVENT:
        leads = set(text[last.start : last.stop].lower().split()) <= STOP_WORDS | _OPEN
        apart = _ENDED if leads else _APART
        return len(between) <= NEAREST_EVENT_CHARS and not apart.search(between)
    if last.slot == one.slot == WISH and _POINTS_BACK.search(text[one.start : one.stop]):
        return len(between) <= NEAREST_CHARS and not _ENDED.search(between)
    end = _CLAUSE_END.search(text, last.stop)
    return one.start - last.stop <= NEAREST_CHARS and end is not None and end.start() >= one.start


def _to_the_end(wish: Stretch, text: str) -> Stretch:
    """Of a wish that is cut off, all up to the end of its clause."""
    words = text[wish.start : wish.stop].lower().split()
    if len(words) > 1 and words[-1] not in STOP_WORDS | _OPEN_ABROAD:
        return wish
    end = _CLAUSE_END.search(text, wish.stop)
    stop = min(end.start() if end else len(text), wish.start + LONGEST_CHARS)
    return replace(wish, stop=wish.start + len(text[wish.start : stop].rstrip()))
