"""A provider that misbehaves on command, and refuses what strict providers refuse.

It plays all modules: who asks is read from the prompt. What each module is answered is a `Play`;
a reply may differ from request to request, so that a fault can pass.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from evals.openai_server import Call, Reply

_WHO: Final = re.compile(r"You are the (router|expert|synthesizer|summarizer)(?: (\w+))? now\.")

Replies: TypeAlias = Reply | Sequence[Reply]
"""One reply for all requests, or one for each, the last of them for all that follow."""


def plan(*experts: str, **fields: object) -> Reply:
    """The router's reply: consult these experts."""
    chosen = [{"name": name, "question": "What is the total of A?"} for name in experts]
    return Reply(calls=(Call("submit_plan", {"experts": chosen, "confidence": 0.9, **fields}),))


def calls(*made: Call | tuple[str, Mapping[str, Any]]) -> Reply:
    """An expert's reply that asks for calls."""
    return Reply(
        calls=tuple(
            call if isinstance(call, Call) else Call(call[0], call[1], f"call_{number}_{call[0]}")
            for number, call in enumerate(made)
        )
    )


GOOD_PLAN: Final = plan("desk")
LOOK_UP: Final = calls(("look_up", {"item": "A"}))
FOUND: Final = Reply("The total of A is known.")
ANSWER: Final = Reply("All done.")


@dataclass(slots=True)
class Play:
    """What each module is answered; `experts` step by step, each step as often as it is asked."""

    router: Replies = GOOD_PLAN
    experts: Mapping[str, Sequence[Replies]] = field(default_factory=dict)
    synthesizer: Replies = ANSWER
    every: Replies | None = None


class Provider:
    """Answers by a play and keeps what was wrong with the requests it got."""

    def __init__(self) -> None:
        """Start with a play in which all goes well."""
        self.play = Play()
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.violations: list[str] = []
        self.refuses: Mapping[str, str] = {}
        self.most_chars: int | None = None
        self.summarizer: Replies = Reply("Folded turns, in short.")
        self._given: dict[int, int] = {}

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """The reply to a request; a broken history and what it does not know are refused first."""
        module, expert = who_asks(body)
        self.asked.append((module, body))
        problems = broken_rules(body["messages"])
        self.violations.extend(problems)
        if problems:
            return Reply(status=400, error={"message": "; ".join(problems)})
        for key, said in self.refuses.items():
            if key in body:
                return Reply(status=400, error={"message": said})
        if self.most_chars is not None and len(json.dumps(body)) > self.most_chars:
            limit = self.most_chars // 4
            return Reply(status=400, error=_overflow(limit))
        return self._next(self._replies(module, expert, body))

    def bodies(self, module: str) -> list[Mapping[str, Any]]:
        """The requests of one module, in order."""
        return [body for name, body in self.asked if name == module]

    def _replies(self, module: str, expert: str, body: Mapping[str, Any]) -> Replies:
        if self.play.every is not None:
            return self.play.every
        if module == "router":
            return self.play.router
        if module == "synthesizer":
            return self.play.synthesizer
        if module == "summarizer":
            return self.summarizer
        steps = self.play.experts.get(expert, (LOOK_UP, FOUND))
        made = steps_made(body["messages"])
        return steps[made] if made < len(steps) else FOUND

    def _next(self, replies: Replies) -> Reply:
        if isinstance(replies, Reply):
            return replies
        number = self._given.get(id(replies), 0)
        self._given[id(replies)] = number + 1
        return replies[min(number, len(replies) - 1)]


def _overflow(limit: int) -> Mapping[str, Any]:
    message = f"This model's maximum context length is {limit} tokens. Please reduce the length."
    return {"message": message, "code": "context_length_exceeded"}


def who_asks(body: Mapping[str, Any]) -> tuple[str, str]:
    """The module that a prompt says it is, and the expert's name."""
    for message in reversed(body["messages"]):
        found = _WHO.search(text_of(message)) if message["role"] == "user" else None
        if found:
            return found[1], found[2] or ""
    return "nobody", ""


def steps_made(messages: Sequence[Mapping[str, Any]]) -> int:
    """How many replies of its own the asking module has before it."""
    return sum(message["role"] == "assistant" for message in messages)


def text_of(message: Mapping[str, Any]) -> str:
    """A message's text, also where it comes in blocks."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(str(block.get("text", "")) for block in content)


def broken_rules(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a strict provider finds wrong with a history."""
    found, waiting = list[str](), list[str]()
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                found.append(f"#{place}: a tool message must be a response to a call before it")
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            found.append(f"#{place}: no result for {waiting}")
        waiting = []
        if message["role"] == "assistant":
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
            found.extend(_broken_assistant(place, message))
    return found + ([f"no result for {waiting}"] if waiting else [])


def _broken_assistant(place: int, message: Mapping[str, Any]) -> list[str]:
    made = message.get("tool_calls") or ()
    found = []
    if not made and not text_of(message):
        found.append(f"#{place}: an assistant message without text and calls")
    if len({call["id"] for call in made}) < len(made):
        found.append(f"#{place}: two calls with one id")
    for call in made:
        try:
            whole = isinstance(json.loads(call["function"]["arguments"]), dict)
        except ValueError:
            whole = False
        if not whole:
            found.append(f"#{place}: arguments that are no JSON object")
    return found
