"""Let a model write the summary of folded turns, in the background; code decides if it is used."""

from dataclasses import replace
from datetime import datetime

from langchain_core.runnables import RunnableConfig
from typing_extensions import TypedDict

from configs.clock import ClockSettings
from memory.chunking import chunks
from memory.compaction import FoldPlan, Window
from memory.folding import Folding, SummaryJob
from memory.history import render
from memory.summary import Written, write
from memory.verification import objection
from memory.working import Brief, Shared, folded_text
from models.gateway import NOSTREAM
from models.tokens import count
from nodes.ask_module import AskModule
from nodes.hippocampus_state import RefinementState
from state import TurnRecord, empty_note


class SummarizeUpdate(TypedDict):
    """What the node writes."""

    outcome: str
    reason: str


async def summarize(
    state: RefinementState,
    *,
    folding: Folding,
    ask: AskModule,
    plan: FoldPlan,
    input_tokens: int,
    calendar: ClockSettings,
) -> SummarizeUpdate:
    """Ask for one summary job, which the job's row names as its turn; keep it or the reason."""
    job = await folding.job(state.get("turn_id", ""))
    if job is None:
        return {"outcome": "empty", "reason": "the summary is written or not wanted any more"}
    window, text = job.window, ""
    for part in _parts(job, input_tokens):
        window = replace(window, history=part)
        shared = _shared(window, job, plan.written_tokens)
        today = calendar.day_of(datetime.fromisoformat(part[-1]["at"])).isoformat()
        brief = Brief(module="summarizer", today=today)
        reply = await ask("summarizer", shared, brief, config=_unseen(state["thread_id"]))
        text = " ".join(reply.message.text.split())
        if refused := _objection(text, shared, plan.written_tokens):
            await folding.settle(job.id, text, refused)
            return {"outcome": "empty", "reason": f"summary refused, {refused}"}
        window = replace(window, summary=write(Written(part[-1]["index"], text), ()))
    await folding.settle(job.id, text)
    return {"outcome": "done", "reason": f"summary of {count(text)} tokens up to #{job.upto}"}


def _unseen(thread: str) -> RunnableConfig:
    """A call that no stream of the user's shows."""
    return {"configurable": {"thread_id": thread}, "tags": [NOSTREAM], "callbacks": []}


def _parts(job: SummaryJob, input_tokens: int) -> list[list[TurnRecord]]:
    """The whole window, whose prefix is still cached; the folded turns in chunks if it is large."""
    history = list(job.window.history)
    if count(render(history)) <= input_tokens:
        return [history]
    return chunks([one for one in history if one["id"] in job.folded], input_tokens)


def _shared(window: Window, job: SummaryJob, limit_tokens: int) -> Shared:
    last = window.history[-1]
    folded = [record["index"] for record in window.history if record["id"] in job.folded]
    request = (
        f"Fold turns {', '.join(f'#{index}' for index in folded)} and the earlier turns in short "
        f"into one new summary of at most {limit_tokens} tokens."
    )
    return {
        "summary": window.summary,
        "done_before": window.done_before,
        "done": list(window.done),
        "constraints": list(window.constraints),
        "history": list(window.history),
        "memory": empty_note("not looked up"),
        "turn": {"id": "", "index": last["index"] + 1, "at": last["at"], "text": request},
    }


def _objection(text: str, shared: Shared, limit_tokens: int) -> str:
    sources = folded_text(shared) + render(shared["history"])
    original = count(render(shared["history"])) + count(shared["summary"])
    return objection(text, sources, original_tokens=original, limit_tokens=limit_tokens)
