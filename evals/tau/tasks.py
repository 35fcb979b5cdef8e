"""The public tasks, the recorded runs, and the rule that rewards a run."""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.tau.airline import Airline
from evals.tau.domain import Domain
from evals.tau.records import Changes, Records, load_tables
from evals.tau.retail import Retail

DOMAINS: Mapping[str, type[Domain]] = {"retail": Retail, "airline": Airline}
TASKS_FILE = "tasks_with_expected_state.json"
RUNS_FILE = "gpt-4o-trajectories.jsonl.gz"
TRANSFER = "transfer_to_human_agents"
STOP_WORD = "###STOP###"


@dataclass(frozen=True, slots=True)
class Action:
    """One call as a task or a recorded run names it."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """A task with the records that must differ at its end."""

    index: int
    instruction: str
    actions: tuple[Action, ...]
    outputs: tuple[str, ...]
    expected: Changes
    errors: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One user message, the calls it led to and the reply, None where the record ends before."""

    text: str
    actions: tuple[Action, ...]
    observed: tuple[str, ...]
    reply: str | None


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded conversation; `ended` is false when it was cut off."""

    task: int
    trial: int
    reward: float
    exchanges: tuple[Exchange, ...]
    ended: bool

    @property
    def actions(self) -> tuple[Action, ...]:
        """All calls of the run in order."""
        return tuple(action for exchange in self.exchanges for action in exchange.actions)


def load_domain(data: Path, name: str) -> Domain:
    """A fresh conversation over the tables of a domain."""
    return DOMAINS[name](Records(load_tables(data / "tau_bench" / name)))


def load_tasks(data: Path, name: str) -> list[Task]:
    """The tasks of a domain in file order."""
    path = data / "tau_bench" / name / TASKS_FILE
    return [_task(raw) for raw in json.loads(path.read_text(encoding="utf-8"))]


def load_runs(data: Path) -> list[Run]:
    """The recorded airline runs in file order."""
    with gzip.open(data / "tau_bench" / "airline" / RUNS_FILE, "rt", encoding="utf-8") as lines:
        return [_run(json.loads(line)) for line in lines]


def goal(domain: Domain, task: Task) -> Records:
    """The records after the task's own actions, the reference of the reward."""
    for action in task.actions:
        if action.name not in (TRANSFER, "respond"):
            domain.observe(action.name, action.arguments)
    return domain.records


def reward(run: Run, task: Task, *, after: Records, wanted: Records, replies: Iterable[str]) -> int:
    """1 when a finished run left the wanted records and said every wanted output, else 0."""
    said = [reply.replace(",", "").lower() for reply in replies]
    told = all(any(output.lower() in reply for reply in said) for output in task.outputs)
    return int(run.ended and told and after.same_text(wanted))


def same_observation(recorded: str, ours: str) -> bool:
    """Whether two observations say the same: error wording and the renamed state field aside."""
    if recorded.startswith("Error"):
        return ours.startswith("Error")
    if recorded == ours:
        return True
    known = _parsed(recorded.replace('"province":', '"state":'))
    return known is not None and known == _parsed(ours)


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _task(raw: dict[str, Any]) -> Task:
    return Task(
        index=raw["task_index"],
        instruction=raw["instruction"],
        actions=tuple(Action(action["name"], action["kwargs"]) for action in raw["actions"]),
        outputs=tuple(raw["outputs"]),
        expected=raw["expected_db_diff"],
        errors=tuple(raw["observations_are_errors"]),
    )


def _run(raw: dict[str, Any]) -> Run:
    messages = raw["traj"]
    starts = [i for i, message in enumerate(messages) if message["role"] == "user"]
    parts = zip(starts, [*starts[1:], len(messages)], strict=True)
    exchanges = tuple(_exchange(messages[start:end]) for start, end in parts)
    stopped = STOP_WORD in exchanges[-1].text
    handed_over = any(action.name == TRANSFER for action in exchanges[-1].actions)
    return Run(raw["task_id"], raw["trial"], raw["reward"], exchanges, stopped or handed_over)


def _exchange(messages: Sequence[dict[str, Any]]) -> Exchange:
    calls = [call["function"] for message in messages for call in message.get("tool_calls") or ()]
    observed = [message["content"] for message in messages if message["role"] == "tool"]
    said = [m["content"] for m in messages if m["role"] == "assistant" and m["content"]]
    return Exchange(
        text=messages[0]["content"],
        actions=tuple(Action(call["name"], json.loads(call["arguments"])) for call in calls),
        observed=tuple(observed),
        reply=said[-1] if said else None,
    )
