"""The embedded router: one `submit_plan` call, by examples and what the act reader says."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage

from models.embedded.chat import EmbeddedChat, tool_call
from models.embedded.planner import Planner, Step
from models.embedded.scene import Scene, read_scene
from models.embedded.talk import aside, off_topic
from text.words import words

PLAN: Final = "submit_plan"
EMPTY: Final = "I cannot read a request in that. What would you like to know or have done?"


class EmbeddedRouter(EmbeddedChat):
    """Chooses the experts for a question, answers what needs none, or asks back."""

    planner: Any

    @property
    def _llm_type(self) -> str:
        return "embedded-router"

    def reply(
        self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]
    ) -> AIMessage:
        """The plan."""
        scene = read_scene(messages, tools)
        return AIMessage("", tool_calls=[tool_call(PLAN, self._plan(scene), 0)])

    def _plan(self, scene: Scene) -> dict[str, Any]:
        planner: Planner = self.planner
        text = scene.user.strip()
        if not words(text):
            return _plan(ask=EMPTY)
        if said := aside(text, scene, planner):
            return _plan(answer=said)
        steps = planner.steps(text, scene)
        wanted = [step for step in steps if step.in_scope or scene.asked]
        if not wanted:
            return _plan(answer=off_topic(text, scene, planner))
        return _consult(wanted, text)


def _consult(steps: Sequence[Step], text: str) -> dict[str, Any]:
    parts = [(step.tool.expert, step.text if len(steps) > 1 else text) for step in steps]
    sure = round(min(step.choice.sure * step.choice.in_scope for step in steps), 3)
    experts = [{"name": name, "question": part} for name, part in parts]
    return {"experts": experts, "answer": "", "ask": "", "confidence": sure}


def _plan(answer: str = "", ask: str = "") -> dict[str, Any]:
    return {"experts": [], "answer": answer, "ask": ask, "confidence": 0.9 if answer else 0.0}
