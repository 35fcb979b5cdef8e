"""One workload for all harnesses: three experts, one or two look-ups a turn, long results.

Lengths and seed are fixed, so figures of different harnesses and days can be compared.
"""

import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from evals.app_folder import write_folder
from evals.scripted import call, last_steps, results_so_far

EXPERTS = ("finance", "infra", "legal")
SEED = 7
QUESTION_CHARS, FINDING_CHARS, ANSWER_CHARS, RESULT_CHARS = 180, 600, 420, 2048
QUERY_CHARS = 60
MAX_TURNS = 500
WORDS = (
    "account asset audit balance batch branch budget bundle cache claim cluster contract copy"
    " court credit deadline debit delay deploy disk draft error event fee filter gateway grant"
    " group hearing host income index interest invoice job key lease licence limit log loss"
    " market memory merge notice object offer order owner packet party patch payment plan port"
    " price profit proof queue rate record region release report request risk route rule scope"
    " server share signal source stamp state storage switch tax term ticket title trade trial"
    " value vendor version volume vote waiver window and for from of on the to under with"
)
VOCABULARY = WORDS.split()


@dataclass(frozen=True, slots=True)
class WorkTurn:
    """What one turn asks, which expert serves it, and every text that it produces."""

    question: str
    expert: str
    lookups: int
    finding: str
    answer: str
    results: tuple[str, str]


def _text(source: random.Random, chars: int) -> str:
    words: list[str] = []
    length = 0
    while length <= chars:
        words.append(source.choice(VOCABULARY))
        length += len(words[-1]) + 1
    return " ".join(words)[:chars]


@functools.cache
def work_turns(count: int) -> tuple[WorkTurn, ...]:
    """The first `count` turns; a longer run starts with the same ones."""
    source = random.Random(SEED)
    return tuple(
        WorkTurn(
            question=f"[turn {index}] {_text(source, QUESTION_CHARS)}",
            expert=EXPERTS[index % len(EXPERTS)],
            lookups=1 + index % 2,
            finding=_text(source, FINDING_CHARS),
            answer=_text(source, ANSWER_CHARS),
            results=(_text(source, RESULT_CHARS), _text(source, RESULT_CHARS)),
        )
        for index in range(count)
    )


def look_up(source: str, query: str) -> dict[str, str]:
    """The result a query stands for: its turn in brackets first, its number in the turn last."""
    index = int(query[len("[turn ") : query.index("]")])
    return {"source": source, "rows": work_turns(MAX_TURNS)[index].results[int(query[-1])]}


def look_up_finance(query: str) -> dict[str, str]:
    """Look up finance data for a query."""
    return look_up("finance", query)


def look_up_infra(query: str) -> dict[str, str]:
    """Look up infra data for a query."""
    return look_up("infra", query)


def look_up_legal(query: str) -> dict[str, str]:
    """Look up legal data for a query."""
    return look_up("legal", query)


LOOKUPS = {"finance": look_up_finance, "infra": look_up_infra, "legal": look_up_legal}


class WorkScript:
    """Replies of every role in the turn that `turn` names, for a plan or for hand-over tools."""

    def __init__(self, *, handover: bool) -> None:
        """Route by `transfer_to_EXPERT` calls when `handover`, else by a submitted plan."""
        self._handover = handover
        self.turn = work_turns(1)[0]

    def __call__(self, role: str, messages: Sequence[BaseMessage]) -> AIMessage:
        """The next reply: experts look up and then find, the others route and then answer."""
        if role == self.turn.expert or role == "expert":
            return self._expert(messages)
        if role == "router":
            plan = [{"name": self.turn.expert, "question": self.turn.question}]
            return call("submit_plan", {"experts": plan, "confidence": 1.0}, "plan")
        if role == "supervisor" and not _handed_over(messages):
            return call(f"transfer_to_{self.turn.expert}", {}, f"to {self.turn.question[:12]}")
        return AIMessage(self.turn.answer)

    def _expert(self, messages: Sequence[BaseMessage]) -> AIMessage:
        name = f"look_up_{self.turn.expert}"
        made = _lookups(messages, name) if self._handover else results_so_far(messages)
        if made == self.turn.lookups:
            return AIMessage(self.turn.finding)
        query = f"{self.turn.question[: QUERY_CHARS - 2]} {made}"
        return call(name, {"query": query}, f"{name} {self.turn.question[:12]} {made}")


def _handed_over(messages: Sequence[BaseMessage]) -> bool:
    return any(
        isinstance(step, ToolMessage) and (step.name or "").startswith("transfer_to_")
        for step in last_steps(messages)
    )


def _lookups(messages: Sequence[BaseMessage], name: str) -> int:
    steps = last_steps(messages)
    return sum(isinstance(step, ToolMessage) and step.name == name for step in steps)


def expert_prompt(name: str) -> str:
    """The instructions of an expert, the same in every harness."""
    return f"You serve {name} questions. Get facts with look_up_{name}, then write one paragraph."


def write_work_app(folder: Path) -> Path:
    """An app folder with the workload's experts; memory is off."""
    return write_folder(folder, {"recall": {"enabled": False}}, map(_work_expert, EXPERTS))


def _work_expert(name: str) -> dict[str, object]:
    tool = {
        "name": f"look_up_{name}",
        "function": f"{__name__}:look_up_{name}",
        "effect": "read_only",
        "description": f"Look up {name} data for a query.",
        "when": f"A {name} question needs facts.",
        "returns": "The source and its rows.",
    }
    return {
        "name": name,
        "title": name.capitalize(),
        "description": f"Answers {name} questions from its records; changes nothing.",
        "brief": expert_prompt(name),
        "tools": [tool],
    }
