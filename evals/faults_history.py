"""Cases of our own side of the wire: histories, windows, results, counts, tables."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from evals.faults_app import FIGURE, HUGE, journal, tool
from evals.faults_bench import USER, Bench, Catalogue, goes_on
from evals.faults_provider import ANSWER, FOUND, LOOK_UP, calls, plan, text_of
from evals.openai_server import Reply
from graph.errors import CannotRollBack, TextTooLong
from models import tokens
from models.errors import ContextOverflow
from state import Scope

catalogue: Final = Catalogue()
SMALL_MARKS: Final = {"high_water_tokens": 200, "low_water_tokens": 40}
KILLED_AFTER_S: Final = 0.8
BOX: Final = "A" * 400_000
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
    for number in range(5):
        await bench.ask(f"Question {number}: what are the totals of A and B?")
    await folded(bench, 5)
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


FORTY: Final = [
    tool("look_up"),
    tool("read_long"),
    *(tool(f"tool_{n}", function="look_up") for n in range(40)),
]


@catalogue.add("3.13", "forty tools near the window's limit", most=7, desk_tools=FORTY,
               models={"context_tokens": 7500})  # fmt: skip
async def forty_tools(bench: Bench) -> None:
    """Schemas count: no request and its reply are ever larger than the window."""
    steps = [calls(("read_long", {"item": str(n)})) for n in range(4)]
    bench.play(experts={"desk": steps})
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    for made in bench.replies:
        bench.at_most("window", sum(made.tokens_by_block.values()) + 400, 7500)
        bench.at_most("tools are counted", 2000, made.tokens_by_block["tools"])


BLOCKS: Final = {
    "a picture": {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{BOX}"}},
    "sound": {"type": "input_audio", "input_audio": {"data": BOX, "format": "wav"}},
    "a file": {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{BOX}"}},
}


@catalogue.add("3.14", "400 kB of base64 in", most=1, variants=BLOCKS)
async def base64_block(bench: Bench) -> None:
    """Data are not counted as text."""
    content = [{"type": "text", "text": "What is this?"}, bench.variant]
    bench.play(every=ANSWER)
    gateway = bench.desk.services.gateway
    reply = await gateway.call("synthesizer", [SystemMessage("You see."), HumanMessage(content)])
    bench.expect("answer", reply.text, "All done.")
    bench.at_most("tokens", sum(reply.tokens_by_block.values()), 20_000)


@catalogue.add("3.19", "a history with reasoning and a file", most=1)
async def reasoning_block(bench: Bench) -> None:
    """Blocks of other kinds are counted by rule."""
    thought = {"type": "reasoning", "reasoning": "It is in the file. " * 20}
    said: list[str | dict[str, Any]] = [thought, {"type": "text", "text": "I see."}]
    asked: list[str | dict[str, Any]] = [{"type": "text", "text": "And?"}, BLOCKS["a file"]]
    bench.play(every=ANSWER)
    prompt = [HumanMessage("Look."), AIMessage(said), HumanMessage(asked)]
    reply = await bench.desk.services.gateway.call("synthesizer", prompt)
    bench.expect("answer", reply.text, "All done.")
    bench.at_most("reasoning is counted", 100, sum(reply.tokens_by_block.values()))


TEXTS: Final = {
    "Chinese": "我住在上海每天坐地铁上班。",
    "emoji": "🙂🚀",
    "JSON": '{"a":[1,2,{"b":null}]} ',
    "base64": "QUJDREVGR0g+/xyz9",
}


@catalogue.add("3.15", "exact counts of", most=8, variants=TEXTS,
               limits={"max_question_tokens": 300})  # fmt: skip
async def exact_count(bench: Bench) -> None:
    """A question of exactly the limit is taken, one more piece is refused."""
    piece, text = bench.variant, "Say: "
    while tokens.count((text + piece).strip()) <= 300:
        text += piece
    reply = await bench.ask(text.strip())
    bench.expect("within", reply.status, "done")
    try:
        await bench.ask(f"{text}{piece * 3}".strip())
    except TextTooLong:
        return
    bench.expect("beyond", "taken", "refused")


@catalogue.add("3.16", "special tokens in a question", most=4)
async def special_tokens(bench: Bench) -> None:
    """They are text."""
    reply = await bench.ask("What does <|endoftext|> mean, and <|im_start|>?")
    bench.expect("status", reply.status, "done")
    bench.holds("sent", bench.provider.bodies("router")[0], "<|endoftext|>")


async def unknown_model(bench: Bench) -> None:
    """Any name is counted by some table."""
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    bench.expect("counted", all(made.tokens_by_block["frame"] for made in bench.replies), True)


for _name in ("qwen2.5-7b", "azure-gpt4", "openai/gpt-4o", "my model", "ft:gpt-4o:me"):
    catalogue.add("3.17", f"a model named {_name}", most=4, models={"model": _name})(unknown_model)


@contextmanager
def no_network() -> Iterator[list[object]]:
    """Connections to other machines fail, and are noted."""
    noted, connect = list[object](), socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:  # noqa: ANN401 - any family's
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1"):
            noted.append(address)
            message = "no network"
            raise OSError(message)
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[assignment,method-assign]  # put back below
    try:
        yield noted
    finally:
        socket.socket.connect = connect  # type: ignore[method-assign]  # as it was


@catalogue.add("3.18", "the first count without a network", most=4)
async def no_tables(bench: Bench) -> None:
    """The tables are part of the installation."""
    tokens._tables.clear()
    with no_network() as noted:
        reply = await bench.ask()
    bench.expect("status", (reply.status, noted), ("done", []))


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


@catalogue.add("3.13", "a catalogue larger than the window", most=0, desk_tools=FORTY,
               models={"context_tokens": 2000}, next_turn=False)  # fmt: skip
async def no_room_for_tools(bench: Bench) -> None:
    """It is refused before it is sent, with the block that is too large."""
    reply = await bench.ask()
    bench.expect("status", reply.status, "failed")
    bench.holds("why", reply.text, "biggest block is 'tools'")
    bench.expect("typed", {type(error) for error in bench.errors} <= {ContextOverflow}, True)
    bench.overrides = {}
    async with bench.opened():
        bench.provider.asked.clear()
        bench.server.requests.clear()
        bench.play(experts={"desk": (LOOK_UP, FOUND)})
        bench.expect("with a larger window", (await bench.ask()).status, "done")
    bench.server.requests.clear()
