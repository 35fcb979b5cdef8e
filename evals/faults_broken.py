"""Cases of replies that are broken: arguments that cannot be read, cut streams, empty messages."""

import json
from typing import Final

from evals.faults_bench import Bench, Catalogue
from evals.faults_provider import ANSWER, FOUND, LOOK_UP
from evals.openai_server import Call, Reply
from models.errors import BadOutput, ConnectionFailed

catalogue: Final = Catalogue()
BOTH_WAYS: Final = (False, True)


BROKEN: Final = {
    "cut": '{"item": ',
    "a list": "[1]",
    "no JSON": "item A",
    "two objects": '{"item": "A"}{"item": "B"}',
}


@catalogue.add("3.5", "arguments that are", most=4, variants=BROKEN, streams=BOTH_WAYS)
async def broken_arguments(bench: Bench) -> None:
    """The model is told what was wanted and tries again; nothing is run."""
    broken = Reply(calls=(Call("look_up", bench.variant),))
    bench.play(experts={"desk": (broken, FOUND)})
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    bench.holds("told", bench.provider.bodies("expert")[-1], "wanted")


@catalogue.add("3.5", "arguments that are never right", most=6)
async def never_right(bench: Bench) -> None:
    """It is bounded and ends with what was tried."""
    bench.play(experts={"desk": [Reply(calls=(Call("look_up", '{"item": '),))] * 40})
    reply = await bench.ask()
    bench.holds("why", reply.notes, "desk ended partial")


@catalogue.add("3.6", "a broken call is sent back", most=4)
async def sent_back(bench: Bench) -> None:
    """It goes back as a valid call with an error as its result."""
    bench.play(experts={"desk": (Reply(calls=(Call("look_up", '{"item": ', None),)), FOUND)})
    await bench.ask()
    message = bench.provider.bodies("expert")[-1]["messages"][-2]
    bench.expect("arguments", message["tool_calls"][0]["function"]["arguments"], "{}")


@catalogue.add("6.18", "two calls' arguments in one", most=4, streams=BOTH_WAYS)
async def joined_arguments(bench: Bench) -> None:
    """Neither is run; the model is told to make two calls."""
    joined = Reply(calls=(Call("charge", '{"item": "lamp"}{"item": "desk"}'),))
    bench.play(experts={"desk": (joined, FOUND)})
    reply = await bench.ask()
    bench.expect("reply", (reply.status, reply.pending), ("done", []))
    bench.holds("told", bench.provider.bodies("expert")[-1], "one call for each")


CUTS: Final = {
    "by a broken connection": Reply("All of this is known", cut_after=3),
    "by a clean end": Reply("All of this is known", cut_after=3, chunked=False),
    "without a finish reason": Reply("All of this is known", finish=None),
}


@catalogue.add("3.8", "a stream cut once", most=5, streams=(True,), variants=CUTS)
async def cut_once(bench: Bench) -> None:
    """A part is never taken for the whole; the next try is."""
    bench.play(synthesizer=[bench.variant, ANSWER])
    reply = await bench.ask()
    bench.expect("reply", (reply.status, reply.text, reply.notes), ("done", "All done.", []))


@catalogue.add("3.8", "streams that are always cut", most=7, streams=(True,), variants=CUTS)
async def always_cut(bench: Bench) -> None:
    """It ends with a typed error, and the findings as the answer."""
    bench.play(synthesizer=bench.variant)
    reply = await bench.ask()
    cut = [isinstance(error, BadOutput | ConnectionFailed) for error in bench.errors]
    bench.expect("typed", cut, [True])
    bench.expect("answer", reply.text, "desk: The total of A is known.")


EMPTY: Final = {
    "null content": Reply(""),
    "blanks": Reply("  \n"),
    "thoughts alone": Reply("<think>hm</think>"),
    "no choices": Reply(body=json.dumps({"id": "1", "object": "chat.completion", "choices": []})),
}


@catalogue.add("3.21", "an assistant message with nothing in it", most=5, variants=EMPTY)
async def empty_once(bench: Bench) -> None:
    """It is asked again, and never kept."""
    bench.play(experts={"desk": ([bench.variant, LOOK_UP], FOUND)})
    reply = await bench.ask()
    bench.expect("status", (reply.status, reply.notes), ("done", []))


@catalogue.add("3.21", "nothing but empty messages", most=5)
async def always_empty(bench: Bench) -> None:
    """It ends with a typed error after the usual tries."""
    bench.play(experts={"desk": (Reply(""),)})
    reply = await bench.ask()
    bench.typed(BadOutput)
    bench.expect("status", reply.status, "failed")
