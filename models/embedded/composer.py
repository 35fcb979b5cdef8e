"""The embedded composer: answers and summaries that say no more than the findings say."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage

from models.embedded.chat import EmbeddedChat
from models.embedded.scene import Scene, read_scene
from state import Finding, TurnRecord

SUMMARY_CHARS: Final = 1000
LINE_CHARS: Final = 220
NOTHING: Final = "I found nothing to answer with."


class EmbeddedComposer(EmbeddedChat):
    """Joins findings into an answer, or turns into a summary; adds no word of its own."""

    @property
    def _llm_type(self) -> str:
        return "embedded-composer"

    def reply(
        self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]
    ) -> AIMessage:
        """The answer, or the summary when the brief is the summarizer's."""
        scene = read_scene(messages, tools)
        if scene.module == "summarizer":
            return AIMessage(summarise(scene))
        return AIMessage(compose(scene.findings))


def compose(findings: Sequence[Finding]) -> str:
    """The findings' texts: what was found first, what is asked for last."""
    known = [finding for finding in findings if finding["text"].strip()]
    ordered = sorted(known, key=lambda finding: finding["status"] == "ask")
    return "\n\n".join(finding["text"].strip() for finding in ordered) or NOTHING


def summarise(scene: Scene) -> str:
    """One line a turn, the latest kept first when they do not all fit, in the order of time."""
    lines = [scene.summary.strip()] if scene.summary.strip() else []
    lines += [_line(record) for record in scene.history]
    kept: list[str] = []
    room = SUMMARY_CHARS
    for line in reversed(lines):
        if len(line) > room:
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(reversed(kept)) or (lines[-1][:SUMMARY_CHARS] if lines else NOTHING)


def _line(record: TurnRecord) -> str:
    asked = " ".join(record["user"].split())[: LINE_CHARS // 2]
    answered = " ".join(record["answer"].split())[:LINE_CHARS]
    return f"User: {asked} -> {answered}"
