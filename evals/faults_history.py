"""Cases of our own side of the wire: what histories hold, fold, lose and keep."""

import asyncio
import json
from contextlib import suppress
from typing import Any, Final

from evals.faults_app import FIGURE, HUGE, journal
from evals.faults_bench import USER, Bench, Catalogue, goes_on
from evals.faults_provider import FOUND, calls, plan, text_of
from evals.openai_server import Reply
from graph.errors import CannotRollBack
from state import Scope

catalogue: Final = Catalogue()
SMALL_MARKS: Final = {"high_water_tokens": 200, "low_water_tokens": 40}
KILLED_AFTER_S: Final = 0.8
WHERE: Final = Scope(user=USER)


def results(body: Any) -> list[str]:  # noqa: ANN401 - a request
    """Texts of the tool results in a request."""
    return [text_of(message) for message in body["messages"] if message["role"] == "tool"]


async def fold(bench: Bench, *first: str, turns: int = 7) -> None:
    """Enough turns that the first ones are folded; those that follow `first` are small talk."""
    for text in first or ("What is the total of A?",):
        await bench.ask(text)
    bench.play(router=plan(answer="Noted, and nothing is to be done about it for now."))
    for number in range(turns - len(first)):
        await bench.ask(f"Remark {number}: the weather is fine and the office is open today.")
    await folded(bench, turns)


async def folded(bench: Bench, turns: int) -> None:
    """Make sure that there was a fold."""
    state = await bench.desk.graph.aget_state({"configurable": {"thread_id": "default:t"}})
    bench.at_most("turns that are verbatim", len(state.values["history"]), turns - 2)


@catalogue.add("3.1", "turns with parallel calls are folded", most=20, history=SMALL_MARKS)
async def folded_calls(bench: Bench) -> None:
    """No request ever holds a result without its call, or a call without its result."""
    pair = calls(("look_up", {"item": "A"}), ("look_up", {"item": "B"}))
    bench.play(experts={"desk": (pair, FOUND)})
    for number in range(4):
        await bench.ask(f"Question {number}: what are the totals of A and B?")
    await folded(bench, 4)
    bench.expect("broken histories", bench.provider.violations, [])


@catalogue.add("3.2", "a long chain of calls in a small window", most=8,
               models={"context_tokens": 5000})  # fmt: skip
async def long_chain(bench: Bench) -> None:
    """Results shrink first; the question stays."""
    steps = [calls(("read_long", {"item": str(n)})) for n in range(5)]
    bench.play(experts={"desk": steps})
    reply = await bench.ask()
    last = bench.provider.bodies("expert")[-1]
    bench.expect("status", reply.status, "done")
    bench.holds("question", last, "What is the total of A?")
    bench.holds("shrunk", results(last), "Shortened to fit the window")


@catalogue.add("3.2", "a question too large for the window", most=0,
               models={"context_tokens": 3200})  # fmt: skip
async def large_question(bench: Bench) -> None:
    """It is refused with what is too large, and nothing is sent."""
    reply = await bench.ask("total of " * 1500)
    bench.expect("status", reply.status, "failed")
    bench.holds("why", reply.text, "biggest block is 'question'")


@catalogue.add("3.3", "the process ends while a tool runs", most=9, next_turn=False)
async def killed(bench: Bench) -> None:
    """Another process goes on with the thread, and every call has its result."""
    bench.play(experts={"desk": (calls(("read_hanging", {})), FOUND)})
    turn = asyncio.create_task(bench.ask())
    await asyncio.sleep(KILLED_AFTER_S)
    turn.cancel()
    with suppress(asyncio.CancelledError):
        await turn
    async with bench.opened():
        await goes_on(bench)
    record = (await bench.desk.show("t", USER))[0]
    bench.expect("kept", record["user"], "What is the total of A?")


@catalogue.add("3.4", "three calls are cancelled", most=5)
async def cancelled(bench: Bench) -> None:
    """Each call gets one result, and none is run."""
    three = [("charge", {"item": name}) for name in ("lamp", "desk", "chair")]
    bench.play(experts={"desk": (calls(*three), FOUND)})
    waiting = await bench.ask()
    reply = await bench.desk.cancel("t", user=USER)
    bench.expect("statuses", (waiting.status, reply.status), ("waiting", "done"))
    bench.expect("results", len(results(bench.provider.bodies("expert")[-1])), 3)
    bench.expect("charged", journal(bench.folder), [])


@catalogue.add("3.11", "a result of a megabyte", most=4)
async def huge_result(bench: Bench) -> None:
    """The model gets a part, the log keeps all."""
    bench.play(experts={"desk": (calls(("read_huge", {})), FOUND)})
    await bench.ask()
    bench.at_most("request", len(json.dumps(bench.provider.bodies("expert")[-1])), 60_000)
    record = (await bench.desk.show("t", USER))[0]
    name = record["modules"][0]["calls"][0]["artifact"]
    kept = await bench.desk.services.artifacts.get(WHERE, name or "")
    bench.expect("kept", kept is not None and kept.text.strip() == HUGE.strip(), True)


@catalogue.add("3.12", "a shortened result", most=5)
async def shortened(bench: Bench) -> None:
    """It says that the call ran, how much is shown and how to get the rest."""
    bench.play(experts={"desk": (calls(("read_huge", {})), FOUND)})
    await bench.ask()
    shown = results(bench.provider.bodies("expert")[-1])[0]
    for part in ("100", "250", "recall_artifact", "ran"):
        bench.holds("note", shown.replace(",", ""), part)


@catalogue.add("3.20", "a turn is taken back", most=12)
async def taken_back(bench: Bench) -> None:
    """Whole turns go; more than there are is refused and changes nothing."""
    await bench.ask("Tell me about the lamp.")
    await bench.ask("Tell me about the chair.")
    try:
        await bench.desk.rollback("t", 5, user=USER)
    except CannotRollBack:
        await bench.desk.rollback("t", 1, user=USER)
    await bench.ask("Go on.")
    last = str(bench.provider.bodies("synthesizer")[-1]["messages"])
    bench.holds("stays", last, "the lamp")
    bench.lacks("gone", last, "the chair")


@catalogue.add("3.23", "the exact figure after folding", most=16, history=SMALL_MARKS)
async def figure_after_folding(bench: Bench) -> None:
    """It is not in the folded text, and read again by its id."""
    await fold(bench)
    by_id = calls(("recall_artifact", {"id": "#0.1"}))
    bench.play(experts={"desk": (by_id, FOUND)})
    await bench.ask("What was the total?")
    last = bench.provider.bodies("expert")[-1]
    bench.holds("read again", results(last), FIGURE)
    bench.holds("by its id", last, "#0.1")


@catalogue.add("3.24", "a rule and a one-off after folding", most=16, history=SMALL_MARKS)
async def rules_after_folding(bench: Bench) -> None:
    """A standing rule is copied word for word; what was meant once does not become one."""
    rule, once = "Never charge the lamp.", "Please don't delete the script (this time)."
    await fold(bench, f"Hello. {rule}", once)
    last = str(bench.provider.bodies("router")[-1]["messages"])
    bench.holds("rule", last, rule)
    state = await bench.desk.graph.aget_state({"configurable": {"thread_id": "default:t"}})
    bench.expect("standing rules", state.values["constraints"], [rule])


SUMMARIES: Final = {
    "empty": Reply("  "),
    "longer than what it sums up": Reply("words and words " * 3000),
    "refused": Reply(refusal="I must not."),
    "of a provider that is down": Reply(status=500),
}


@catalogue.add("3.25", "a summary that is", most=24, variants=SUMMARIES,
               history={**SMALL_MARKS, "strategy": "summarise"})  # fmt: skip
async def bad_summary(bench: Bench) -> None:
    """The originals stay."""
    bench.provider.summarizer = bench.variant
    await fold(bench)
    await bench.desk.services.background.sweep()
    await bench.ask("Go on.")
    last = str(bench.provider.bodies("router")[-1]["messages"])
    bench.holds("kept", last, "#0")
    bench.lacks("not taken over", last, "words and words")


@catalogue.add("3.27", "a tool that raises", most=4)
async def raising_tool(bench: Bench) -> None:
    """Its error is what the model reads."""
    bench.play(experts={"desk": (calls(("read_broken", {})), FOUND)})
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    bench.holds("told", results(bench.provider.bodies("expert")[-1]), "the shelf fell down")


@catalogue.add("3.28", "an expert that never ends", most=6, limits={"max_steps": 3})
async def never_ends(bench: Bench) -> None:
    """It ends politely at its last step, with what was done and what next."""
    steps = [calls(("look_up", {"item": str(n)})) for n in range(40)]
    bench.play(experts={"desk": steps})
    reply = await bench.ask()
    bench.holds("why", reply.notes, "I stopped after 3 steps")
    bench.holds("what next", bench.provider.bodies("synthesizer"), "ask again to go on")


@catalogue.add("6.14", "two turns share their prefix", most=8)
async def shared_prefix(bench: Bench) -> None:
    """Nothing that changes stands before what is new, and all modules begin alike."""
    await bench.ask("First?")
    await bench.ask("Second?")
    heads = {json.dumps([body["tools"], body["messages"][0]]) for _, body in bench.provider.asked}
    bench.expect("beginnings", len(heads), 1)
    first, second = (json.dumps(body["messages"]) for body in bench.provider.bodies("router"))
    opening = first.index("First?") + len("First?")
    bench.expect("byte by byte", second[:opening], first[:opening])


@catalogue.add("6.15", "tools in one order", most=8)
async def one_order(bench: Bench) -> None:
    """Sorted by name, the same for every module and turn."""
    await bench.ask()
    await bench.ask()
    for _, body in bench.provider.asked:
        names = [entry["function"]["name"] for entry in body["tools"]]
        bench.expect("order", names, sorted(names))
