"""How long exact token counts take: a megabyte of mixed text, and the prompt of a long thread."""

import json
import random
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

from evals.registry import Outcome, Request
from evals.workload import EXPERTS, WorkTurn, expert_prompt, work_turns
from memory.budget import preflight
from memory.history import make_record
from memory.layout import ExpertText, PromptLayout
from memory.working import Brief, Shared, assemble
from models.tokens import count, load
from nodes.route import SUBMIT_PLAN, plan_schema
from state import CallRecord, TurnRecord, empty_note

T = TypeVar("T")

MEGABYTE = 1_000_000
TURNS = 100
REPEATS = 15
SEED = 11
SCRIPTS = (
    "The invoice was paid on 3 May, but the ledger still shows it as open. ",
    "Die Rechnung über 1.250,00 € ist überfällig; bitte prüfen Sie den Beleg. ",
    "Счёт оплачен, но в журнале он всё ещё открыт. ",
    "发票已经支付但账本仍显示未结清。",
    "請求書は支払われましたが、台帳では未処理です。",
    "تم دفع الفاتورة لكن الدفتر لا يزال يظهرها مفتوحة. ",
    "चालान का भुगतान हो गया है। ",
    "🙂👩‍👩‍👧‍👦🚀 ",
    "def total(rows):\n    return sum(row['amount'] for row in rows if row['open'])\n",
    '{"id": "INV-1042", "amount": 1250.0, "paid": false, "lines": [1, 2, 3]}\n',
    "QWxsIG9mIHRoaXMgaXMgYmFzZTY0IGVuY29kZWQgdGV4dC4= 9f86d081884c7d659a2feaa0c55ad015 ",
)


async def evaluate(request: Request) -> Outcome:
    """Time both; tables are loaded before."""
    await load()
    text = mixed_text(MEGABYTE)
    layout, shared = long_thread(request.limit or TURNS)
    brief = Brief(module="router", today="2026-01-01")
    seconds, tokens = _timed(lambda: count(text), 3)
    started = time.perf_counter()
    preflight(assemble(layout, shared, brief), layout.tools, window=128_000, reply=1024)
    cold = time.perf_counter() - started
    assembly, breakdown = _timed(
        lambda: preflight(
            assemble(layout, shared, brief), layout.tools, window=128_000, reply=1024
        ),
        REPEATS,
    )
    return Outcome(
        figures={"mb_seconds": round(seconds, 4), "assemble_ms": round(1000 * assembly, 3)},
        notes=(
            f"1 MB of {len(SCRIPTS)} scripts is {tokens:,} tokens",
            f"assembled and counted: {len(shared['history'])} verbatim turns,"
            f" {breakdown.total:,} tokens; the first time, with no text counted before,"
            f" it takes {1000 * cold:.2f} ms",
        ),
    )


def mixed_text(size: int) -> str:
    """Text of all scripts in random order, `size` bytes long or a little less."""
    source, length = random.Random(SEED), 0
    parts: list[str] = []
    while True:
        part = source.choice(SCRIPTS)
        length += len(part.encode())
        if length > size:
            return "".join(parts)
        parts.append(part)


def long_thread(turns: int) -> tuple[PromptLayout, Shared]:
    """The workload's thread with every turn verbatim."""
    lookups = {name: f"look_up_{name}" for name in EXPERTS}
    layout = PromptLayout(
        charter="Rules. " * 60,
        duties=dict.fromkeys(("router", "expert", "synthesizer"), "Do your duty. " * 20),
        experts={
            name: ExpertText(f"Answers {name} questions.", expert_prompt(name), (tool,))
            for name, tool in lookups.items()
        },
        tools=[plan_schema(EXPERTS)],
        plan_tool=SUBMIT_PLAN,
    )
    history = [_record(index, turn) for index, turn in enumerate(work_turns(turns))]
    shared: Shared = {
        "summary": "",
        "done_before": "",
        "done": [],
        "constraints": [],
        "history": history,
        "memory": empty_note("not looked up"),
        "turn": {"id": "t", "index": turns, "at": "2026-01-01", "text": "What is still open?"},
    }
    return layout, shared


def _record(index: int, turn: WorkTurn) -> TurnRecord:
    calls: list[CallRecord] = [
        {
            "id": f"call_{index}_{number}",
            "name": f"look_up_{turn.expert}",
            "args": {"query": f"{turn.question[:58]} {number}"},
            "effect": "read_only",
            "status": "ok",
            "artifact": "art_0",
            "note": "",
        }
        for number in range(turn.lookups)
    ]
    return make_record(
        {"id": f"turn_{index}", "index": index, "at": "2026-01-01", "text": turn.question},
        [turn.expert],
        [
            {
                "expert": turn.expert,
                "question": json.dumps(turn.question),
                "text": turn.finding,
                "calls": calls,
                "status": "ok",
                "confidence": None,
            }
        ],
        turn.answer,
        60,
    )


def _timed(work: Callable[[], T], repeats: int) -> tuple[float, T]:
    """Median seconds of a call, and what it returned last."""
    result, spent = work(), []
    for _ in range(repeats):
        started = time.perf_counter()
        result = work()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent), result
