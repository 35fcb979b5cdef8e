"""Cases of replies that are no good: calls as text, plans that are none, cut, empty, refused."""

from typing import Final

from evals.faults_bench import Bench, Catalogue
from evals.faults_provider import FOUND, LOOK_UP, calls, plan
from evals.openai_server import Call, Reply
from models.errors import BadOutput, Refused

catalogue: Final = Catalogue()
BOTH_WAYS: Final = (False, True)
ASKED_BACK: Final = "I am not sure what you need"
PLAN: Final = (
    '{"name": "submit_plan", "arguments": {"experts": [{"name": "desk", "question": "?"}]}}'
)
LOOK: Final = '{"name": "look_up", "arguments": {"item": "A"}}'


@catalogue.add("6.5", "a stream with the provider's usage", most=4, streams=BOTH_WAYS)
async def usage_given(bench: Bench) -> None:
    """The provider's figures are taken, cached tokens and all."""
    await bench.ask()
    read = {(reply.usage.cache_read_tokens, reply.usage.counted) for reply in bench.replies}
    bench.expect("usage", read, {(64, False)})


@catalogue.add("6.5", "no usage at all", most=4, streams=BOTH_WAYS)
async def usage_counted(bench: Bench) -> None:
    """Without the provider's figures tokens are counted."""
    bench.play(every=None, synthesizer=Reply("All done.", usage=None))
    await bench.ask()
    last = bench.replies[-1].usage
    bench.expect("counted", (last.counted, last.input_tokens > 200), (True, True))


@catalogue.add("6.5", "stream_options are not known", most=5, streams=(True,))
async def no_stream_options(bench: Bench) -> None:
    """They are left out for good after one refusal."""
    bench.provider.refuses = {"stream_options": "Unrecognized request argument: stream_options"}
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")


NO_TOOLS: Final = {
    "vLLM": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
    "Ollama": "registry.example/gemma does not support tools",
    "llama.cpp": "tools param requires --jinja flag",
}


@catalogue.add("6.6", "tools are refused", most=5, variants=NO_TOOLS, streams=BOTH_WAYS)
async def tools_refused(bench: Bench) -> None:
    """The turn is done with tools as text, and tools are sent once only."""
    bench.provider.refuses = {"tools": bench.variant}
    bench.play(
        router=Reply(f"<tool_call>{PLAN}</tool_call>"),
        experts={"desk": (Reply(f"<tool_call>{LOOK}</tool_call>"), FOUND)},
    )
    reply = await bench.ask()
    bench.expect("reply", (reply.status, reply.text), ("done", "All done."))
    sent = ["tools" in body for _, body in bench.provider.asked]
    bench.expect("tools sent", sent, [True, False, False, False, False])
    bench.holds("result", bench.provider.bodies("expert")[-1], "Result of look_up")


WRITTEN: Final = {
    "tagged": f"<tool_call>{LOOK}</tool_call>",
    "bare": LOOK,
    "fenced in a sentence": f"I will look it up:\n```json\n{LOOK}\n```",
    "Mistral's mark": f"[TOOL_CALLS][{LOOK}]",
    "Llama's tag": '<function=look_up>{"item": "A"}</function>',
    "after thoughts": f"<think>look it up</think>\n<tool_call>{LOOK}</tool_call>",
}


@catalogue.add("6.7", "a call written as text", most=4, variants=WRITTEN)
async def written_call(bench: Bench) -> None:
    """A call in the text is made, and never shown."""
    bench.play(experts={"desk": (Reply(bench.variant), FOUND)})
    reply = await bench.ask()
    record = (await bench.desk.show("t", "local"))[0]
    made = [call["name"] for call in record["modules"][0]["calls"]]
    bench.expect("calls", made, ["look_up"])
    bench.lacks("shown", f"{reply.text}{record['answer']}", "look_up")


@catalogue.add("6.7", "a broken call written as text", most=4)
async def broken_written_call(bench: Bench) -> None:
    """What cannot be read is told to the model, and not to the user."""
    bench.play(experts={"desk": (Reply('{"name": "look_up", "arguments": {"it'), FOUND)})
    reply = await bench.ask()
    bench.holds("told", bench.provider.bodies("expert")[-1], "invalid_arguments")
    bench.lacks("shown", reply.text, "arguments")


@catalogue.add("6.8", "the router answers in text", most=1, streams=BOTH_WAYS)
async def no_plan(bench: Bench) -> None:
    """A text is no plan: the default branch asks back."""
    bench.play(router=Reply("I would ask the desk."))
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    bench.holds("answer", reply.text, ASKED_BACK)


@catalogue.add("6.8", "the router answers in text, an expert is the default", most=4,
               router={"default": "desk"})  # fmt: skip
async def no_plan_default(bench: Bench) -> None:
    """The default branch can be an expert."""
    bench.play(router=Reply("I would ask the desk."))
    reply = await bench.ask()
    bench.expect("consulted", (reply.status, reply.consulted), ("done", ["desk"]))


REFUSALS: Final = {
    "a refusal": Reply(refusal="I must not."),
    "a content filter": Reply("", finish="content_filter"),
}
CUT: Final = {
    "cut by length": Reply("", finish="length"),
    "cut in a call": Reply(calls=(Call("submit_plan", '{"experts": ['),), finish="length"),
}


@catalogue.add("6.9", "the router", most=1, variants={**REFUSALS, **CUT}, streams=BOTH_WAYS)
async def router_declines(bench: Bench) -> None:
    """Whatever the router's reply lacks, the turn takes the default branch with the reason."""
    bench.play(router=bench.variant)
    reply = await bench.ask()
    refused = bench.variant.finish_reason != "length"
    bench.typed(Refused if refused else BadOutput)
    bench.expect("status", reply.status, "done")
    bench.holds("answer", reply.text, ASKED_BACK)
    bench.holds("reason", reply.notes, "refusal" if refused else "max_output_tokens")


@catalogue.add("6.9", "one of two experts", most=6, variants=REFUSALS)
async def expert_declines(bench: Bench) -> None:
    """The other expert is still heard."""
    bench.play(router=plan("desk", "stock"), experts={"stock": (bench.variant,)})
    reply = await bench.ask()
    bench.typed(Refused)
    bench.expect("status", reply.status, "done")
    bench.holds("notes", reply.notes, "stock ended failed")


@catalogue.add("6.9", "the synthesizer", most=4, variants={**REFUSALS, "cut": CUT["cut by length"]})
async def synthesizer_declines(bench: Bench) -> None:
    """The findings themselves are the answer."""
    bench.play(synthesizer=bench.variant)
    reply = await bench.ask()
    bench.expect("reply", (reply.status, reply.text), ("done", "desk: The total of A is known."))
    bench.holds("notes", reply.notes, "not written by the synthesizer")


PLANS: Final = {
    "an unknown name": (plan("plumbing"), []),
    "another case and a blank": (plan("Desk "), ["desk"]),
    "an unknown name beside a known one": (plan("plumbing", "desk"), ["desk"]),
    "no name": (Reply(calls=(Call("submit_plan", {"experts": [{"name": None}]}),)), []),
    "a list of texts": (Reply(calls=(Call("submit_plan", {"experts": ["desk"]}),)), []),
}


@catalogue.add("6.11", "a plan with", most=4, variants=PLANS)
async def odd_plan(bench: Bench) -> None:
    """Names are normalised; what is left unknown takes the default branch."""
    router, consulted = bench.variant
    bench.play(router=router)
    reply = await bench.ask()
    bench.expect("consulted", (reply.status, reply.consulted), ("done", consulted))
    if not consulted:
        bench.holds("answer", reply.text, ASKED_BACK)


@catalogue.add("6.16", "the same call for ever", most=6)
async def same_call(bench: Bench) -> None:
    """Told once, then stopped, with what was done."""
    bench.play(experts={"desk": [LOOK_UP] * 40})
    reply = await bench.ask()
    bench.holds("hint", bench.provider.bodies("expert")[-1], "going round in circles")
    bench.expect("status", reply.status, "done")
    bench.holds("why", reply.notes, "the same call came again and again")
    bench.holds("done", bench.provider.bodies("synthesizer"), "Done before that: look_up: ok")


@catalogue.add("6.16", "two calls in turn for ever", most=7)
async def two_calls(bench: Bench) -> None:
    """A-B-A-B is a circle too."""
    other = calls(("look_up", {"item": "B"}))
    bench.play(experts={"desk": [LOOK_UP, other] * 20})
    reply = await bench.ask()
    bench.holds("hint", bench.provider.bodies("expert")[-1], "the same two calls came in turn")
    bench.holds("why", reply.notes, "desk ended partial")


@catalogue.add("6.16", "near-repeats that bring nothing", most=8)
async def no_progress(bench: Bench) -> None:
    """Arguments that differ a little do not hide that nothing comes of it."""
    tries = [calls(("look_up", {"item": "A", "try": n})) for n in range(40)]
    bench.play(experts={"desk": tries})
    reply = await bench.ask()
    bench.holds("why", reply.notes, "brought nothing new")


@catalogue.add("6.17", "max_completion_tokens is not known", most=5, streams=BOTH_WAYS)
async def older_limit(bench: Bench) -> None:
    """The limit is sent by its older name from then on."""
    bench.provider.refuses = {"max_completion_tokens": "Unknown field: max_completion_tokens"}
    reply = await bench.ask()
    bench.expect("status", reply.status, "done")
    limits = [body.get("max_tokens") for _, body in bench.provider.asked]
    bench.expect("limits", limits, [None, 400, 400, 400, 400])


@catalogue.add("6.17", "the limit is ignored", most=8)
async def ignored_limit(bench: Bench) -> None:
    """A reply far over its limit shows it, and the older name is tried."""
    usage = {"prompt_tokens": 100, "completion_tokens": 900, "total_tokens": 1000}
    bench.play(synthesizer=Reply("All done.", usage=usage))
    await bench.ask()
    await bench.desk.ask(thread="u", user="local", text="hi")
    bench.expect("limit", bench.provider.asked[4][1].get("max_tokens"), 400)
