"""Cases of budgets, and of a spare model: what stops a turn before a provider is asked."""

from typing import Final

from evals.faults_bench import USER, Bench, Catalogue
from evals.faults_provider import LOOK_UP, calls, plan
from evals.openai_server import Reply
from models.errors import BadOutput, Overloaded

catalogue: Final = Catalogue()
PRICE: Final = {"input": 1000.0, "output": 1000.0}


@catalogue.add("6.1", "a turn's budget of tokens is used up", most=6,
               spending={"turn": {"tokens": 6000}})  # fmt: skip
async def turn_budget(bench: Bench) -> None:
    """The turn ends with what was done, and says which budget it was and what next."""
    steps = [calls(("read_long", {"item": str(n)})) for n in range(9)]
    bench.play(experts={"desk": steps})
    reply = await bench.ask()
    bench.holds("why", f"{reply.text} {reply.notes}", "spending.turn.tokens")
    bench.holds(
        "what was done", bench.provider.bodies("synthesizer"), "Done before that: read_long"
    )
    bench.expect("status", reply.status, "done")


@catalogue.add("6.3", "a thread's budget of money is used up", most=4, next_turn=False,
               spending={"thread": {"usd": 0.5}}, models={"price": PRICE})  # fmt: skip
async def thread_budget(bench: Bench) -> None:
    """Nothing more is sent on this thread; another one goes on."""
    await bench.ask()
    second = await bench.ask()
    bench.expect("status", second.status, "failed")
    bench.holds("why", second.text, "spending.thread.usd")
    bench.holds("what next", second.text, "Go on in a new thread")
    bench.expect("requests", len(bench.provider.asked), 4)
    bench.provider.asked.clear()
    bench.server.requests.clear()
    third = await bench.ask(thread="another")
    bench.expect("another thread", third.status, "done")


@catalogue.add("6.3", "a day's budget comes to its end", most=4,
               spending={"user": {"tokens": 1_000_000}, "warn_at": 0.0001})  # fmt: skip
async def warning(bench: Bench) -> None:
    """The user is warned before it stops."""
    reply = await bench.ask()
    bench.holds("warning", reply.notes, "of 1000000 tokens (spending.user)")


@catalogue.add("6.9", "a cheap model whose plans are no good", most=5,
               models={"model": "cheap", "fallbacks": [{"model": "strong"}]})  # fmt: skip
async def cheap_then_strong(bench: Bench) -> None:
    """What the cheap one cannot do is done by the strong one."""
    cut = Reply("", finish="length")
    bench.play(router=[cut, plan("desk")])
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    bench.holds("who stepped in", reply.notes, "strong stepped in for the router (bad_output)")
    models = [body["model"] for body in bench.provider.bodies("router")]
    bench.expect("asked", models, ["cheap", "strong"])
    bench.typed()


@catalogue.add("6.1", "the spare model is down as well", most=5,
               models={"fallbacks": [{"model": "spare"}]})  # fmt: skip
async def all_fail(bench: Bench) -> None:
    """The first model's error is told, and requests stay bounded."""
    bench.play(every=Reply(status=500))
    reply = await bench.ask()
    bench.typed(Overloaded)
    bench.expect("status", reply.status, "failed")


@catalogue.add("3.3", "the model fails after a call", most=6)
async def model_fails_midway(bench: Bench) -> None:
    """What was done is told and kept; the next turn goes on from a whole history."""
    bench.play(experts={"desk": (LOOK_UP, Reply(""))})
    reply = await bench.ask()
    bench.typed(BadOutput)
    bench.expect("status", reply.status, "done")
    record = (await bench.desk.show("t", USER))[0]
    bench.expect(
        "kept calls", [call["name"] for call in record["modules"][0]["calls"]], ["look_up"]
    )
    bench.holds("told", bench.provider.bodies("synthesizer"), "Done before that: look_up: ok")
