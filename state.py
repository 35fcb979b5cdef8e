"""What a run carries: Context (who asks), State (what is checkpointed) and its JSON-shaped values.

State is plain by law: TypedDicts of JSON values and messages, so that a checkpoint can be read by
any later version and by strict deserializers. Heavy payloads never enter it, only artifact ids.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias
from urllib.parse import quote, unquote

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

SCHEMA_VERSION: Final = 1

Status = Literal["PLANNING", "EXECUTING", "WAITING_FOR_HUMAN", "DONE", "FAILED"]
Effect = Literal["read_only", "idempotent", "irreversible"]
CallStatus = Literal["ok", "error", "rejected", "expired", "unsettled", "responded"]
FindingStatus = Literal["ok", "partial", "failed", "ask"]
TurnStatus = Literal["done", "partial", "failed"]
Rule = Literal["require", "forbid", "value"]

TRANSITIONS: Final[dict[Status, frozenset[Status]]] = {
    "PLANNING": frozenset({"EXECUTING", "DONE", "FAILED"}),
    "EXECUTING": frozenset({"EXECUTING", "WAITING_FOR_HUMAN", "DONE", "FAILED"}),
    "WAITING_FOR_HUMAN": frozenset({"WAITING_FOR_HUMAN", "EXECUTING", "DONE", "FAILED"}),
    "DONE": frozenset({"PLANNING"}),
    "FAILED": frozenset({"PLANNING", "FAILED"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Who may read a memory: the key every memory object is opened with."""

    tenant: str = "default"
    user: str
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Context:
    """Per-run choices, handed to nodes as `runtime.context`; never checkpointed."""

    user: str = "local"
    tenant: str = "default"
    teams: tuple[str, ...] = ()
    max_steps: int = 50

    @property
    def scope(self) -> Scope:
        """The memory scope of this run."""
        return Scope(tenant=self.tenant, user=self.user, teams=tuple(self.teams))


class ToolCall(TypedDict):
    """What a model asked for; `id` is the provider's tool-call id."""

    id: str
    name: str
    args: dict[str, Any]


class CallRecord(TypedDict):
    """A tool call as the shared history keeps it: no payload, only the artifact's id."""

    id: str
    name: str
    args: dict[str, Any]
    effect: Effect
    status: CallStatus
    artifact: str | None
    note: str


class Finding(TypedDict):
    """What one expert found for its sub-question."""

    expert: str
    question: str
    text: str
    calls: list[CallRecord]
    status: FindingStatus
    confidence: float | None


class ModuleRecord(TypedDict):
    """One expert's part in a closed turn."""

    expert: str
    question: str
    calls: list[CallRecord]
    output: str


class TurnRecord(TypedDict):
    """The lean record of a closed turn; `at` is ISO 8601 UTC and is never rendered."""

    id: str
    index: int
    at: str
    user: str
    route: list[str]
    modules: list[ModuleRecord]
    answer: str
    status: TurnStatus


class Consultation(TypedDict):
    """One expert to ask, with its sub-question."""

    name: str
    question: str


class Plan(TypedDict):
    """The router's decision: experts to consult, or a direct answer, or a question back."""

    experts: list[Consultation]
    answer: str
    ask: str
    confidence: float | None
    reason: str


class LessonConstraint(TypedDict):
    """A typed lesson: what an argument of a tool must, must not, or should be."""

    tool: str
    argument: str
    rule: Rule
    value: str
    situation: str


class MemoryItem(TypedDict):
    """One recalled item, by id; its text is in the note."""

    id: str
    kind: str
    score: float


class KnownFact(TypedDict):
    """What holds of the user now; `source` says in words who said it and when."""

    slot: str
    value: str
    source: str


class MemoryNote(TypedDict):
    """The Memory Message and how it came about; `text` is empty when nothing was relevant.

    `noted` is what the store has kept, changed or ended by this turn's message ("employer:
    Bosch"), `facts` what it holds of the user after that, whether the text quotes it or not, the
    newest first and 40 at most, while the turn lasts: what other threads have said is to be
    forgotten there. Checkpoints from before they were written lack both.
    """

    text: str
    items: list[MemoryItem]
    constraints: list[LessonConstraint]
    reason: str
    degraded: bool
    noted: NotRequired[list[str]]
    facts: NotRequired[list[KnownFact]]


class OpenTurn(TypedDict):
    """The turn in progress: id, position in the thread, question and its date (ISO 8601 UTC)."""

    id: str
    index: int
    at: str
    text: str


class DoneItem(TypedDict):
    """One line of the done-list, copied by code when a turn is folded; `said` opens the answer."""

    turn: int
    request: str
    action: str
    result: str
    said: str


class Undo(TypedDict):
    """A declared compensation that a rollback wants approved: an expert's tool with arguments."""

    expert: str
    name: str
    args: dict[str, Any]


def merge_findings(left: list[Finding], right: list[Finding]) -> list[Finding]:
    """Join parallel experts' findings; the same expert's later finding replaces its earlier one.

    Sorted by expert, so the result does not depend on which branch ended first.
    """
    by_expert = {finding["expert"]: finding for finding in [*left, *right]}
    return [by_expert[name] for name in sorted(by_expert)]


def merge_notes(left: list[str], right: list[str]) -> list[str]:
    """Join what modules noted, parallel experts included; each note once."""
    return list(dict.fromkeys([*left, *right]))


class State(TypedDict):
    """The main graph's checkpointed state. The comment names the one node that writes each key."""

    messages: Annotated[list[AnyMessage], add_messages]  # input, synthesize, compact
    schema_version: int  # open_turn
    fingerprint: str  # open_turn
    status: Status  # every node that changes it, by the table TRANSITIONS
    turn: OpenTurn  # open_turn
    undo: list[Undo]  # rollback input, cleared by open_turn
    memory: MemoryNote  # recall; close_turn takes the facts out
    plan: Plan  # route
    findings: Annotated[list[Finding], merge_findings]  # route, expert; reset by open_turn
    answer: str  # synthesize
    notes: Annotated[list[str], merge_notes]  # what degraded, for the reply; reset by open_turn
    history: list[TurnRecord]  # close_turn appends, compact folds
    summary: str  # compact
    done_before: str  # compact: the older part of the done-list, as paragraphs
    done: list[DoneItem]  # compact
    constraints: list[str]  # compact


def thread_key(tenant: str, thread: str) -> str:
    """LangGraph's thread_id for a tenant's thread; encoded, so separators cannot be forged."""
    return f"{quote(tenant, safe='')}:{quote(thread, safe='')}"


def thread_name(key: str) -> str:
    """The name a user gave the thread, from its key."""
    return unquote(key.partition(":")[2] or key)


def canonical_json(value: object) -> str:
    """One text for one value: sorted keys, no spaces, no NaN.

    Raises:
        ValueError: the value holds NaN or an infinity.
        TypeError: the value is not JSON.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def derived_id(prefix: str, *parts: object) -> str:
    """A deterministic id: the same parts give the same id in every process."""
    text = canonical_json([str(part) for part in parts])
    return f"{prefix}_{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> str:
    """The text with NUL and lone surrogates replaced by U+FFFD, so every store can keep it."""
    return _UNSTORABLE.sub("\ufffd", text)


def may_move(before: Status, after: Status) -> bool:
    """Whether the status machine allows the step."""
    return after in TRANSITIONS[before]


def empty_note(reason: str, *, degraded: bool = False) -> MemoryNote:
    """A Memory Message that says nothing, with the reason."""
    return {"text": "", "items": [], "constraints": [], "reason": reason, "degraded": degraded}
