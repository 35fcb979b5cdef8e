"""Whether a statement that a model has read was made: its words, its value and its time."""

import re
from datetime import UTC, datetime
from typing import Final, Literal

from pydantic import BaseModel

from memory.fact_history import TIMELESS
from memory.fact_rows import FactDraft
from memory.facts import SourcedMessage
from memory.fulltext import is_unspaced
from memory.normalising import normalise
from memory.slots import Slot

MASKED: Final = "[masked "


class ReadFact(BaseModel):
    """One statement in the model's reply."""

    message: int
    slot: str
    value: str
    quote: str
    polarity: Literal["holds", "ended"] = "holds"
    when: str = ""


def unsaid(fact: ReadFact, text: str) -> str:
    """What the message does not have: the value, or the quotation; empty when it has both."""
    if MASKED in fact.value:
        return f"the value of {fact.slot} is a secret, which is not to be kept"
    if not occurs(fact.quote, text):
        return f"message {fact.message} does not say {fact.quote!r}"
    if not fact.value.strip() and fact.polarity == "ended":
        return ""
    if not occurs(fact.value, text):
        return f"message {fact.message} does not have the value {fact.value!r} of {fact.slot}"
    return ""


def occurs(part: str, text: str) -> bool:
    """Whether a text has these words, however they are spelled; whole words where words end."""
    wanted, said = _folded(part), _folded(text)
    if not wanted:
        return False
    if is_unspaced(wanted):
        return wanted in said
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said) is not None


def _folded(text: str) -> str:
    return normalise(text.replace("\u2019", "'"))


def untimely(fact: ReadFact, at: datetime) -> str:
    """What is wrong with a time that is none, or is yet to come; empty when nothing is."""
    if not fact.when:
        return ""
    try:
        start = _start_of(fact.when)
    except ValueError:
        return f"{fact.when!r} is no YYYY, YYYY-MM or YYYY-MM-DD"
    return f"{fact.when} is later than the message" if start > at else ""


def _start_of(when: str) -> datetime:
    """The first moment of a day, month or year.

    Raises:
        ValueError: it is not written as one, or no calendar has it.
    """
    if not re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", when):
        message = f"a day, month or year, not {when!r}"
        raise ValueError(message)
    year, month, day = (*map(int, when.split("-")), 1, 1)[:3]
    return datetime(year, month, day, tzinfo=UTC)


def draft_of(fact: ReadFact, message: SourcedMessage, slot: Slot) -> FactDraft:
    """A statement as it is stored; an event is dated by its time, all else by its mention."""
    at, period = message.at, fact.when
    if fact.polarity == "ended":
        period = ""
    elif slot.cardinality == "event":
        at, period = (min(_start_of(period), at), period) if period else (at, TIMELESS)
    return FactDraft(
        slot=fact.slot,
        value=" ".join(fact.value.split()),
        source=message.source,
        thread=message.thread,
        turn_id=message.turn_id,
        quote=fact.quote,
        occurred_at=at,
        polarity=fact.polarity,
        period=period,
    )
