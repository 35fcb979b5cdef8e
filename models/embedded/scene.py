"""What an embedded model knows when it is asked: the prompt's blocks, read as structure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from models.quoting import unquoted
from state import CallRecord, Finding, LessonConstraint, MemoryNote, TurnRecord

MEMORY_TOOLS: Final = frozenset({"recall_artifact", "recall_memory", "read_profile"})
ASKED: Final = "asked back"
MOST_UNANSWERED: Final = 3


@dataclass(frozen=True, slots=True)
class Made:
    """A call of this turn with what came back."""

    name: str
    args: Mapping[str, Any]
    text: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """One module's prompt.

    Attributes:
        module: router, expert, synthesizer or summarizer; empty without a brief.
        question: what this module is to work on.
        user: the user's own words of this turn.
        made: calls of this turn, in order.
        tools: function schemas by name, as far as the model was given them.
    """

    module: str = ""
    expert: str = ""
    question: str = ""
    user: str = ""
    today: date = field(default_factory=lambda: datetime.now(UTC).date())
    history: tuple[TurnRecord, ...] = ()
    note: MemoryNote | None = None
    summary: str = ""
    findings: tuple[Finding, ...] = ()
    made: tuple[Made, ...] = ()
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def lessons(self) -> list[LessonConstraint]:
        """Typed lessons of the Memory Message."""
        return list(self.note["constraints"]) if self.note else []

    @property
    def before(self) -> str:
        """The user's message of the turn before."""
        return self.history[-1]["user"] if self.history else ""

    @property
    def asked(self) -> bool:
        """Whether the turn before ended with a question to the user."""
        last = self.history[-1] if self.history else None
        return last is not None and last["answer"].rstrip().endswith("?")

    @property
    def unanswered(self) -> list[str]:
        """The user's last messages that only led to questions, the oldest first."""
        found: list[str] = []
        for record in reversed(self.history[-MOST_UNANSWERED:]):
            if not record["answer"].rstrip().endswith("?"):
                break
            found.insert(0, record["user"])
        return found

    @property
    def done(self) -> str:
        """The tool that the turn before called last; `ASKED` where it asked back instead."""
        if not self.history:
            return ""
        calls = list(calls_of(self.history[-1]))
        return (
            ASKED
            if self.asked and not any(map(is_effect, calls))
            else (calls[-1]["name"] if calls else "")
        )

    def calls(self) -> Iterator[CallRecord]:
        """The calls of the turns before, the latest first."""
        for record in reversed(self.history):
            yield from reversed(list(calls_of(record)))


def calls_of(record: TurnRecord) -> Iterator[CallRecord]:
    """The calls of a turn, in order; what was asked of memory is none."""
    for module in record["modules"]:
        yield from (call for call in module["calls"] if call["name"] not in MEMORY_TOOLS)


def is_effect(call: CallRecord) -> bool:
    """Whether a call changed something, or was to."""
    return call["effect"] != "read_only"


def read_scene(messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]] = ()) -> Scene:
    """The structured side of a prompt; plain messages count as the user's words.

    Args:
        messages: the prompt.
        tools: entries of an OpenAI-style tools array.
    """
    functions = [tool.get("function", tool) for tool in tools]
    found: dict[str, Any] = {"history": [], "made": []}
    found["tools"] = {str(one["name"]): one for one in functions if "name" in one}
    calls: dict[str, tuple[str, dict[str, Any]]] = {}
    for message in messages:
        block = message.additional_kwargs.get("block")
        if isinstance(block, Mapping):
            _read_block(block, found)
        elif isinstance(message, AIMessage):
            calls |= {str(call["id"]): (call["name"], call["args"]) for call in message.tool_calls}
        elif isinstance(message, ToolMessage):
            name, args = calls.get(message.tool_call_id, (message.name or "", {}))
            ok = message.status != "error"
            found["made"].append(Made(name, args, unquoted(str(message.text)), ok))
        elif message.type == "human":
            found["user"] = str(message.text)
    found["question"] = found.get("question") or found.get("user", "")
    found |= {"history": tuple(found["history"]), "made": tuple(found["made"])}
    return Scene(**found)


def _read_block(block: Mapping[str, Any], found: dict[str, Any]) -> None:
    match block.get("kind"):
        case "history":
            found["history"].append(block["turn"])
        case "memory":
            found["note"] = block["note"]
        case "question":
            found["user"] = block["text"]
            found["note"] = block.get("note") or found.get("note")
        case "summary":
            done = [str(value) for item in block.get("done", []) for value in item.values()]
            parts = [block.get("text", ""), *done, *block.get("constraints", [])]
            found["summary"] = "\n".join(parts)
        case "brief":
            found["module"] = block.get("module", "")
            found["expert"] = block.get("expert", "")
            found["question"] = block.get("question", "")
            found["findings"] = tuple(block.get("findings", ()))
            if block.get("today"):
                found["today"] = date.fromisoformat(block["today"])
