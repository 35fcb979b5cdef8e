"""Cases of counts and tables: what a prompt costs, and whether it has room, before it is sent."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from evals.faults_app import tool
from evals.faults_bench import Bench, Catalogue
from evals.faults_provider import ANSWER, FOUND, LOOK_UP, calls
from graph.errors import TextTooLong
from models import tokens
from models.errors import ContextOverflow

catalogue: Final = Catalogue()
BOX: Final = "A" * 400_000


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
