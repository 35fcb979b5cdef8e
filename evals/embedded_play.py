"""A conversation with the desk, a scripted person at the approvals, and what each turn did."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.embedded_scoring import Happened, Made, Scorer
from evals.embedded_set import Conversation, Half, Labelled
from graph.errors import DeskError
from graph.replies import PendingAction, Reply
from graph.session import Desk
from state import CallRecord, TurnRecord, thread_key

USER = "local"
TENANT = "default"
MOST_DECISIONS = 8
NOT_ASKED_FOR = "nobody asked for this"


@dataclass(frozen=True, slots=True)
class Played:
    """A request, its half, what happened, and how it is scored."""

    half: Half
    label: Labelled
    happened: Happened
    right: bool
    wrong_effects: tuple[Made, ...]


async def play(desk: Desk, scorer: Scorer, conversation: Conversation) -> list[Played]:
    """Hold a conversation in a thread of its own; a turn that cannot end is scored as wrong."""
    played = []
    for label in conversation.requests:
        happened = await _play_turn(desk, scorer, conversation.id, label)
        played.append(
            Played(
                conversation.half,
                label,
                happened,
                scorer.is_right(label, happened),
                scorer.wrong_effects(label, happened),
            )
        )
    return played


async def _play_turn(desk: Desk, scorer: Scorer, thread: str, label: Labelled) -> Happened:
    try:
        reply = await desk.ask(thread=thread, user=USER, text=label.text)
        for _ in range(MOST_DECISIONS):
            if not reply.pending:
                break
            decisions = [_decision(scorer, label, action) for action in reply.pending]
            reply = await desk.decide(thread, decisions, user=USER)
        return await _read_turn(desk, thread, reply)
    except DeskError as error:
        return Happened(failure=f"{type(error).__name__}: {error}")


def _decision(scorer: Scorer, label: Labelled, action: PendingAction) -> dict[str, str]:
    if action.kind == "settle":
        return {"id": action.id, "type": "respond", "message": "not_happened"}
    made = Made(tool=action.tool, args=action.args, effect=True, proposed=True)
    if scorer.is_wanted(label, made):
        return {"id": action.id, "type": "approve"}
    return {"id": action.id, "type": "reject", "message": NOT_ASKED_FOR}


async def _read_turn(desk: Desk, thread: str, reply: Reply) -> Happened:
    key = thread_key(TENANT, thread)
    records = await desk.show(thread, USER)
    rows = await desk.services.ledger.rows(key, turn_id=reply.turn_id)
    made = [Made(tool=row.tool, args=row.args, effect=True, proposed=True) for row in rows]
    own = (record for record in records if record["id"] == reply.turn_id)
    proposed = {row.tool_call_id for row in rows}
    made += [
        _made(call, records)
        for call in _calls(own)
        if call["effect"] == "read_only" or call["id"] not in proposed
    ]
    return Happened(
        calls=tuple(made),
        asked=await _asked(desk, key),
        text=reply.text,
        failure=_failure(reply, made),
    )


def _failure(reply: Reply, made: Sequence[Made]) -> str:
    """A turn whose calls are on record is scored by them, even if the tool refused."""
    if reply.status == "done" or (reply.status == "failed" and made):
        return ""
    return f"the turn ended as {reply.status!r}"


async def _asked(desk: Desk, key: str) -> bool:
    state = await desk.graph.aget_state({"configurable": {"thread_id": key}})
    found = [finding["status"] for finding in state.values.get("findings", [])]
    return bool(state.values.get("plan", {}).get("ask")) or "ask" in found


def _made(call: CallRecord, records: list[TurnRecord]) -> Made:
    """A call of the record; one that reads a stored result again is about that result's record."""
    args = call["args"]
    if call["name"] == "recall_artifact":
        args = next(
            (other["args"] for other in _calls(records) if other["artifact"] == args.get("id")),
            args,
        )
    return Made(tool=call["name"], args=args, effect=call["effect"] != "read_only")


def _calls(records: Iterable[TurnRecord]) -> list[CallRecord]:
    return [call for record in records for module in record["modules"] for call in module["calls"]]
