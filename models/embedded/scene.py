"""What an embedded model knows when it is asked: the prompt's blocks, read as structure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from models.embedded.patterns import ISO_MONTH, identifiers
from models.quoting import unquoted
from state import Finding, LessonConstraint, MemoryNote, TurnRecord

_CUSTOMER: Final = re.compile(r"\bcustomer: ([^;,\n(]+)")
_OWNER: Final = re.compile(r'"customer": ?"([^"]+)"')
_COUNT: Final = re.compile(r"\bcount: (\d+)")
MORE: Final = "…"
PARTIES: Final = ("customer", "customer_id", "client", "company")
"""Names of arguments that take a customer."""
_ROW: Final = re.compile(r"(?m)^[A-Z]{2,6}-\d{3,8}(?: \||…?$)")


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
    def constraints(self) -> list[LessonConstraint]:
        """Typed lessons of the Memory Message."""
        return list(self.note["constraints"]) if self.note else []

    @property
    def last(self) -> TurnRecord | None:
        """The turn before this one."""
        return self.history[-1] if self.history else None

    @property
    def served(self) -> frozenset[str]:
        """The experts that were asked in the turns before."""
        return frozenset(name for record in self.history for name in record["route"])

    def said(self) -> list[str]:
        """All texts that a value may come from: user, history, results, recalled constraints."""
        return [self.user, self.question, *self.told()]

    def told(self) -> list[str]:
        """All that was said before this turn, recalled, or found in it."""
        texts = [self.summary]
        texts += [str(constraint["value"]) for constraint in self.constraints]
        texts += [f"{made.text} {' '.join(map(str, made.args.values()))}" for made in self.made]
        for record in self.history:
            texts += [record["user"], record["answer"], *outputs_of(record)]
            texts += [str(value) for call in _calls(record) for value in call.values()]
        return texts

    def ids(self, kinds: frozenset[str]) -> list[str]:
        """Ids that "it" may stand for: of the last turn that names any of the kinds.

        Ids that were called or asked about come before those that only occur in results.
        """
        for record in reversed(self.history):
            found = record_ids(record, kinds)
            if found:
                return found
            output = " ".join(outputs_of(record))
            found = [one.text for one in identifiers(output, kinds)]
            if found:
                cut = output.endswith(MORE) and _ROW.search(output)
                whole = len(found) >= _announced(output) and not cut
                return found if whole else [*found, MORE]
        return [one.text for one in identifiers(self.summary, kinds)][-1:]

    def months(self, most: int = 0) -> list[str]:
        """Months of the last turn that asked for one; of the last turns, where `most` is given."""
        every: list[str] = []
        for record in reversed(self.history[-(most or 2) :]):
            found = [
                value
                for call in _calls(record)
                for value in call.values()
                if isinstance(value, str) and ISO_MONTH.fullmatch(value)
            ]
            if found and not most:
                return found
            every += found
        return sorted(set(every))

    def other_ids(self, kinds: frozenset[str]) -> list[str]:
        """Ids of the last turns other than the one that "it" stands for: "the other one"."""
        current = set(self.ids(kinds))
        texts = [f"{record['user']} {' '.join(outputs_of(record))}" for record in self.history[-3:]]
        found = [one.text for text in texts for one in identifiers(text, kinds)]
        return [name for name in dict.fromkeys(found) if name not in current]

    def named(self) -> list[str]:
        """Names of customers that the answers so far have had, the longest first."""
        shown = [
            name.strip()
            for record in self.history
            for text in outputs_of(record)
            for name in _CUSTOMER.findall(text)
        ]
        return sorted(dict.fromkeys(shown), key=len, reverse=True)

    def customers(self) -> list[str]:
        """Customers of this turn's results, else of the last turn that names one."""
        if own := [name for made in self.made for name in _OWNER.findall(made.text)]:
            return list(dict.fromkeys(own))[-1:]
        for record in reversed(self.history):
            named = [
                str(call[name]) for call in _calls(record) for name in PARTIES if call.get(name)
            ]
            shown = [
                match.strip() for text in outputs_of(record) for match in _CUSTOMER.findall(text)
            ]
            if named or shown:
                return list(dict.fromkeys(named or shown))
        return []


def _announced(output: str) -> int:
    """How many records a result says it has; a kept output may show fewer."""
    found = _COUNT.search(output)
    return int(found[1]) if found else 1


def record_ids(record: TurnRecord, kinds: frozenset[str] | None = None) -> list[str]:
    """Ids that a turn has called with or that its user has named; None takes all kinds."""
    arguments = " ".join(str(value) for call in _calls(record) for value in call.values())
    return [one.text for one in identifiers(f"{arguments} {record['user']}", kinds)]


def _calls(record: TurnRecord) -> list[dict[str, Any]]:
    return [call["args"] for module in record["modules"] for call in module["calls"]]


def outputs_of(record: TurnRecord) -> list[str]:
    """What the modules of a turn said; the answer where no module worked."""
    return [module["output"] for module in record["modules"]] or [record["answer"]]


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
            found["summary"] = "\n".join(
                [block.get("text", ""), *done, *block.get("constraints", [])]
            )
        case "brief":
            found["module"] = block.get("module", "")
            found["expert"] = block.get("expert", "")
            found["question"] = block.get("question", "")
            found["findings"] = tuple(block.get("findings", ()))
            if block.get("today"):
                found["today"] = date.fromisoformat(block["today"])
