"""Cases of providers that are busy, slow, down, unpaid, or hold less than was thought."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Final

from evals.faults_app import journal
from evals.faults_bench import USER, Bench, Catalogue, goes_on
from evals.faults_provider import ANSWER, FOUND, LOOK_UP, calls, plan
from evals.openai_server import Reply
from models.errors import (
    AuthFailed,
    ContextOverflow,
    EndpointDown,
    ModelTimeout,
    Overloaded,
    QuotaExceeded,
    RateLimited,
)

catalogue: Final = Catalogue()
BOTH_WAYS: Final = (False, True)
DOWN: Final = Reply(status=503, error={"message": "overloaded"})


def busy(retry_after: str | None = None) -> Reply:
    """A 429, with or without a word on when to come again."""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    error = {"message": "Rate limit reached", "code": "rate_limit_exceeded"}
    return Reply(status=429, headers=headers, error=error)


@catalogue.add("6.1", "a burst of 503 while two experts work", most=8, streams=BOTH_WAYS)
async def burst(bench: Bench) -> None:
    """The first requests of both experts fail, then all goes well."""
    steps = ([DOWN, LOOK_UP], [DOWN, FOUND])
    bench.play(router=plan("desk", "stock"), experts={"desk": steps, "stock": ([DOWN, FOUND],)})
    reply = await bench.ask()
    bench.expect("reply", (reply.status, reply.text, reply.notes), ("done", "All done.", []))
    bench.typed()


@catalogue.add("6.1", "one expert's calls are refused, the other's work is kept", most=7)
async def partial(bench: Bench) -> None:
    """A failing expert costs its own tries and nobody else's work."""
    bench.play(router=plan("desk", "stock"), experts={"stock": (busy(),)})
    reply = await bench.ask()
    bench.typed(RateLimited)
    bench.expect("status", reply.status, "done")
    bench.holds("notes", reply.notes, "stock ended failed")
    bench.holds("finding", bench.provider.bodies("synthesizer"), "The total of A is known.")


@catalogue.add("6.1", "all is down", most=5, streams=BOTH_WAYS)
async def all_down(bench: Bench) -> None:
    """A dead endpoint is left alone after a few requests, in this turn and the next."""
    bench.play(every=DOWN)
    first, second = await bench.ask(), await bench.ask()
    bench.typed(Overloaded, EndpointDown)
    bench.expect("statuses", (first.status, second.status), ("failed", "failed"))
    bench.holds("what next", first.text, "send it again")


@catalogue.add("6.1", "two turns at once under a rate of their key", most=6, rates={
    "OPENAI_API_KEY": {"requests_per_minute": 600}
})  # fmt: skip
async def shared_rate(bench: Bench) -> None:
    """Parallel turns share one key's rate and both end well."""
    bench.play(router=plan(answer="Hello."))
    replies = await asyncio.gather(*(bench.ask(thread=f"t{n}") for n in range(6)))
    bench.expect("replies", {reply.text for reply in replies}, {"Hello."})


@catalogue.add("6.1", "more calls than the key's rate allows", most=4, next_turn=False, rates={
    "OPENAI_API_KEY": {"requests_per_minute": 4}
}, retries={"deadline_s": 1})  # fmt: skip
async def over_rate(bench: Bench) -> None:
    """The own rate is kept, and who cannot wait is told when to come again."""
    first = await bench.ask()
    second = await bench.ask()
    bench.typed(RateLimited)
    bench.expect("statuses", (first.status, second.status), ("done", "failed"))
    bench.holds("when", second.text, "ask again in")
    bench.holds("whose rate", second.text, "rates.OPENAI_API_KEY")


@catalogue.add("6.2", "Retry-After in seconds is honoured", most=5, streams=BOTH_WAYS)
async def retry_after(bench: Bench) -> None:
    """The next try comes when the provider has asked for it."""
    bench.play(router=[busy("0.4"), plan("desk")])
    started = time.monotonic()
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    bench.at_most("not before 0.4 s", 0.4, time.monotonic() - started)


@catalogue.add("6.2", "Retry-After as a date", most=5)
async def retry_date(bench: Bench) -> None:
    """A date says the same as seconds."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    bench.play(router=[busy(date), plan("desk")])
    bench.expect("status", (await bench.ask()).status, "done")


@catalogue.add("6.2", "Retry-After beyond the deadline", most=1, next_turn=False)
async def retry_late(bench: Bench) -> None:
    """Nobody waits for minutes; all who use the key are told when to come again."""
    bench.play(router=busy("120"))
    started = time.monotonic()
    first, second = await bench.ask(), await bench.ask(thread="u")
    bench.typed(RateLimited, RateLimited)
    bench.at_most("seconds", time.monotonic() - started, 4)
    bench.holds("when", first.text, "ask again in 120 s")
    bench.holds("when", second.text, "ask again in 1")


@catalogue.add("6.3", "no credit left", most=1, streams=BOTH_WAYS, variants={
    "429 with its code": Reply(status=429, error={"message": "q", "code": "insufficient_quota"}),
    "402": Reply(status=402, error={"message": "pay first"}),
})  # fmt: skip
async def no_credit(bench: Bench) -> None:
    """Waiting does not help, so it is said at once."""
    bench.play(every=bench.variant)
    reply = await bench.ask()
    bench.typed(QuotaExceeded)
    bench.expect("status", reply.status, "failed")
    bench.holds("what next", reply.notes, "check the plan and the credit")


@catalogue.add("6.3", "a wrong key", most=1)
async def wrong_key(bench: Bench) -> None:
    """A key that is refused is not tried again, and not shown."""
    bench.play(every=Reply(status=401, error={"message": "Incorrect API key: sk-canary12345"}))
    reply = await bench.ask()
    bench.typed(AuthFailed)
    bench.holds("which variable", reply.notes, "OPENAI_API_KEY")
    bench.lacks("no secret", f"{reply.notes} {reply.text}", "sk-canary")


@catalogue.add("6.3", "no credit, but another model", most=5, models={
    "fallbacks": [{"model": "spare"}]
})  # fmt: skip
async def fallback(bench: Bench) -> None:
    """Another model steps in and the user is told."""
    unpaid = Reply(status=402, error={"message": "pay first"})
    bench.play(router=[unpaid, plan("desk")])
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    bench.holds("who stepped in", reply.notes, "spare stepped in for the router (quota)")


@catalogue.add("6.4", "a server that hangs", most=2, streams=BOTH_WAYS, models={"timeout_s": 0.3})
async def hanging(bench: Bench) -> None:
    """Every request has a time-out, and a generation is paid twice at most."""
    bench.play(router=Reply("late", hang_s=20))
    started = time.monotonic()
    reply = await bench.ask()
    bench.typed(ModelTimeout)
    bench.expect("status", reply.status, "failed")
    bench.at_most("seconds", time.monotonic() - started, 4)


@catalogue.add("6.4", "a server that hangs after an effect", most=6, models={"timeout_s": 0.3})
async def hanging_after_effect(bench: Bench) -> None:
    """The effect has happened once, and the finding says what was done."""
    charge = calls(("charge", {"item": "lamp"}))
    bench.play(experts={"desk": (charge, Reply("late", hang_s=20))})
    waiting = await bench.ask()
    decision = {"id": waiting.pending[0].id, "type": "approve"}
    reply = await bench.desk.decide("t", [decision], user=USER)
    bench.typed(ModelTimeout)
    bench.expect("charged", journal(bench.folder), ["lamp"])
    bench.holds("what was done", bench.provider.bodies("synthesizer"), "charge: ok")
    bench.expect("status", reply.status, "done")


@catalogue.add("7.11", "an effect that happened and then raised", most=5)
async def effect_then_error(bench: Bench) -> None:
    """An effect is never repeated by the machinery; its failure is told as unclear or failed."""
    bench.play(experts={"desk": (calls(("charge_and_break", {"item": "lamp"})), FOUND)})
    waiting = await bench.ask()
    decision = {"id": waiting.pending[0].id, "type": "approve"}
    await bench.desk.decide("t", [decision], user=USER)
    bench.expect("charged", journal(bench.folder), ["lamp"])
    for action in await bench.desk.pending("t", user=USER):
        told = {"id": action.id, "type": "respond", "message": "happened"}
        await bench.desk.decide("t", [told], user=USER)


@catalogue.add("6.13", "a prompt larger than the provider holds", most=6, streams=BOTH_WAYS)
async def overflow(bench: Bench) -> None:
    """The prompt is compacted once and sent once more."""
    bench.play(experts={"desk": (calls(("read_long", {})), FOUND)})
    bench.provider.most_chars = 12_000
    reply = await bench.ask()
    bench.expect("reply", reply.status, "done")
    bench.holds("what was reduced", reply.notes, "shrink_results")
    bench.typed(ContextOverflow)
    sizes = [len(str(body)) for body in bench.provider.bodies("expert")]
    bench.at_most("the second try is smaller", sizes[2], sizes[1] - 1)


TOO_LONG: Final = {
    "OpenAI's code": {"message": "too long", "code": "context_length_exceeded"},
    "vLLM's sentence": {"message": "This model's maximum context length is 4096 tokens."},
    "llama.cpp's sentence": {"message": "the request exceeds the available context size"},
}


@catalogue.add("6.13", "a provider that never has room", most=2, streams=BOTH_WAYS,
               variants=TOO_LONG)  # fmt: skip
async def never_room(bench: Bench) -> None:
    """Once compacted and refused again, it ends with a clear error."""
    bench.play(router=Reply(status=400, error=bench.variant))
    reply = await bench.ask()
    bench.expect("kinds", {type(error) for error in bench.errors}, {ContextOverflow})
    bench.expect("status", reply.status, "failed")


@catalogue.add("6.13", "a known smaller window is not met twice", most=9)
async def window_learned(bench: Bench) -> None:
    """What the provider has said holds for the turns that follow."""
    bench.play(experts={"desk": (calls(("read_long", {})), FOUND)})
    bench.provider.most_chars = 12_000
    await bench.ask()
    await bench.ask()
    bench.typed(ContextOverflow)


@catalogue.add("6.2", "a paused key is free again", most=5, next_turn=False)
async def pause_ends(bench: Bench) -> None:
    """The pause that a provider has asked for ends by itself."""
    bench.play(router=[busy("6"), plan("desk")], synthesizer=ANSWER)
    first = await bench.ask()
    bench.expect("status", first.status, "failed")
    await asyncio.sleep(6)
    bench.provider.asked.clear()
    await goes_on(bench)
