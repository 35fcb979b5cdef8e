"""The Python door to feedback: a thumb on a turn, and what it teaches."""

from dataclasses import dataclass

from graph.admission import Admission, check
from graph.errors import UnknownTurn
from graph.services import Services
from memory.drafts import item_of_finding
from memory.teaching import said_in_feedback
from state import Scope, TurnRecord, derived_id


@dataclass(frozen=True, slots=True)
class FeedbackGiven:
    """What a word on a turn has changed.

    Attributes:
        turn_id: the turn it is on.
        good: the word.
        recalled: how many remembered items that stood before the turn were credited or debited.
        made: how many episodes that were made of the turn were.
        lesson: id of the lesson that the note taught; empty if it taught none.
        shared: ids of what is now shared by rule.
    """

    turn_id: str
    good: bool
    recalled: int
    made: int
    lesson: str = ""
    shared: tuple[str, ...] = ()


class FeedbackDoor:
    """What a desk offers about feedback; needs the desk's services and admission."""

    services: Services
    _admission: Admission

    async def feedback(
        self,
        thread: str,
        turn: int | str | None = None,
        *,
        good: bool,
        note: str = "",
        user: str,
        tenant: str = "default",
    ) -> FeedbackGiven:
        """Say whether a turn was good; a second word on it takes the place of the first.

        Args:
            thread: the thread's name.
            turn: a turn's number or id; None for the last one.
            good: thumbs up or down.
            note: what was wrong, in your words; it is remembered as a lesson.
            user: the thread's owner.
            tenant: the thread's tenant.

        Raises:
            UnknownThread: there is none, or it is somebody else's.
            UnknownTurn: the thread has no such turn.
        """
        check(isinstance(good, bool), "True or False in good", good, "True is a thumb up.")
        check(isinstance(note, str), "the note as text", note, "Leave it out to say no more.")
        key, owner = await self._admission.owner(thread, tenant, user)
        note = self.services.masking(note)
        scope, opened = owner.scope, self.services.opened
        record = _chosen(await self.services.transcript.records(key), turn, thread)
        valued = await opened.values.give(scope, key, record["id"], good=good, note=note)
        if valued.note_before and valued.note_before != note:
            before = _lesson_id(scope, key, record, valued.note_before)
            await opened.episodes.scoped(scope).forget([before])
        lesson = "" if good else await self._learn(scope, key, record, note.strip())
        shared = await opened.sharing.by_rule(scope, [*valued.recalled, *valued.made])
        return FeedbackGiven(
            record["id"], good, len(valued.recalled), len(valued.made), lesson, tuple(shared)
        )

    async def _learn(self, scope: Scope, key: str, record: TurnRecord, note: str) -> str:
        learnable = {spec.name: spec.learnable for spec in self.services.registry}
        found = said_in_feedback(record, note, learnable) if note else None
        if found is None:
            return ""
        lesson = _lesson_id(scope, key, record, note)
        item = item_of_finding(scope, key, lesson, found, self.services.clock())
        await self.services.opened.episodes.scoped(scope).add([item])
        return lesson


def _lesson_id(scope: Scope, key: str, record: TurnRecord, note: str) -> str:
    return derived_id("epi", scope.tenant, key, record["id"], "feedback", note.strip())


def _chosen(records: list[TurnRecord], turn: int | str | None, thread: str) -> TurnRecord:
    if turn is None and records:
        return records[-1]
    wanted = str(turn)
    for record in records:
        if wanted in (record["id"], str(record["index"])):
            return record
    known = f"turns {records[0]['index']} to {records[-1]['index']}" if records else "no turn"
    raise UnknownTurn(thread, wanted, known)
