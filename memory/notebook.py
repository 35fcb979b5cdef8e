"""What a user states in a turn: stored at once, and told from the store.

The store is asked afterwards what it has made of the turn, so that "noted" is never said of what
it has not kept. Storing the same turn twice is storing it once.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from memory.fact_history import Fact
from memory.facts import ExtractionFailed, FactExtractor, Facts, SourcedMessage
from memory.lessons import Learnable
from memory.teaching import teaches
from models.errors import ModelError
from state import KnownFact, Scope

MOST_FACTS: Final = 40
SHOWN_CHARS: Final = 200
"""Of one value."""
DEADLINE_S: Final = 20.0
"""For one message before its answer. It takes .05 s; a process's first reads the model."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Noted:
    """What the store says after a message.

    Attributes:
        said: What this message has added, changed or ended.
        facts: What holds now, the newest first.
        fault: Why the message could not be stored, or the store not be read.
    """

    said: Sequence[str] = ()
    facts: Sequence[KnownFact] = ()
    fault: str = ""


class Notebook:
    """Keeps the statements in users' messages."""

    def __init__(self, facts: Facts, extractor: FactExtractor, learnable: Learnable) -> None:
        """Bind the store and who reads statements.

        Args:
            facts: Where statements are kept.
            extractor: Reads them.
            learnable: By tool the arguments that people may teach: how one is to be set is a
                lesson for its situation, not a fact for every question.
        """
        self._facts = facts
        self._extractor = extractor
        self._learnable = learnable

    async def keep(
        self, scope: Scope, messages: Sequence[SourcedMessage]
    ) -> int | ExtractionFailed:
        """Store what messages state; the number of statements read, or why none could be."""
        stating = [one for one in messages if not teaches(one.text, self._learnable)]
        try:
            drafts = await self._extractor.extract(stating, self._facts.slots)
        except ModelError as error:
            return ExtractionFailed(f"statements cannot be read: {error}")
        if isinstance(drafts, ExtractionFailed):
            return drafts
        await self._facts.add(scope, drafts)
        return len(drafts)

    async def note(self, scope: Scope, message: SourcedMessage) -> Noted:
        """Store what one message states and read back what is known then; never raises."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                kept = await self.keep(scope, [message])
                facts = await self._facts.history(scope)
        except TimeoutError:
            return _failed(f"it took longer than {DEADLINE_S:g} s")
        except Exception as error:  # noqa: BLE001 - law 11: memory fails open, whatever fails
            return _failed(f"{type(error).__name__}: {error}")
        fault = kept.reason if isinstance(kept, ExtractionFailed) else ""
        return Noted(told(facts, message), known_of(facts, scope.user), fault)


def _failed(reason: str) -> Noted:
    fault = f"what was said was not noted: {reason}"
    logger.warning("%s", fault)
    return Noted(fault=fault)


def told(facts: Sequence[Fact], message: SourcedMessage) -> list[str]:
    """What a message has added, changed or ended, by the store's own account."""
    place = (message.thread, message.turn_id)
    said = []
    for fact in facts:
        mentions = [(one.thread, one.turn_id) for one in fact.mentions]
        if place in mentions:
            said.append(_added(fact, facts, is_first=mentions[0] == place))
        elif fact.valid_to == message.at.astimezone(UTC) and fact.superseded_by is None:
            said.append(f"no longer {_shown(fact)}")
    return said


def _added(fact: Fact, facts: Sequence[Fact], *, is_first: bool) -> str:
    if not is_first:
        return f"{_shown(fact)} (known already)"
    if not fact.is_current:
        return f"{_shown(fact)} (in the past)"
    # The former value is another turn's, which may be forgotten while this one stays.
    changed = any(one.superseded_by == fact.id for one in facts)
    return f"{_shown(fact)} (changed)" if changed else _shown(fact)


def known_of(facts: Sequence[Fact], user: str) -> list[KnownFact]:
    """The facts that hold, as they are handed to modules; the newest first."""
    current = [fact for fact in facts if fact.is_current]
    current.sort(key=_said_at, reverse=True)
    return [
        {
            "slot": fact.slot,
            "value": fact.value[:SHOWN_CHARS],
            "source": f"{_speaker(fact, user)} said so on {_said_at(fact).date()}",
        }
        for fact in current[:MOST_FACTS]
    ]


def _speaker(fact: Fact, user: str) -> str:
    return "you" if fact.mentions[-1].by == user else "a colleague"


def _said_at(fact: Fact) -> datetime:
    """When it was said last; what is told of an event has the event's own time besides."""
    last = fact.mentions[-1]
    return last.recorded_at if last.period else last.occurred_at


def _shown(fact: Fact) -> str:
    return f"{fact.slot.replace('_', ' ')}: {fact.value[:SHOWN_CHARS]}"
