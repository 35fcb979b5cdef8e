"""Models that keep every prompt they are sent, so that it can be counted when the run is over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from typing_extensions import override

from evals.scripted import ScriptedModel
from models.caching import PromptCall, blocks_of, mark_points

TURN_GAP_S = 30.0
CALL_GAP_S = 2.0


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """One prompt as a model got it, and the turn it belongs to."""

    turn: int
    module: str
    messages: Sequence[BaseMessage]
    tools: Sequence[Mapping[str, Any]]

    @property
    def text(self) -> str:
        """All message texts, one after the other."""
        return "\n".join(str(message.text) for message in self.messages)


@dataclass(slots=True)
class Recording:
    """All prompts of a run in order; `turn` is the one being played, None keeps nothing."""

    turn: int | None = None
    prompts: list[SentPrompt] = field(default_factory=list)

    def calls(self, model: str = "") -> list[PromptCall]:
        """The prompts as calls in time: a turn every half minute, a call every other second."""
        turn, place, found = None, 0, []
        for prompt in self.prompts:
            place = place + 1 if prompt.turn == turn else 0
            turn = prompt.turn
            blocks = blocks_of(prompt.messages, prompt.tools, model)
            at_s = prompt.turn * TURN_GAP_S + place * CALL_GAP_S
            marks = mark_points(blocks)
            found.append(PromptCall(prompt.module, at_s, blocks, marks, prompt.turn))
        return found


class RecordingModel(ScriptedModel):
    """A scripted model that keeps what it is asked."""

    recording: Any

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        recording: Recording = self.recording
        if recording.turn is not None:
            tools = kwargs.get("tools") or ()
            sent = SentPrompt(recording.turn, self.role, tuple(messages), tools)
            recording.prompts.append(sent)
        return super()._generate(messages, stop, run_manager, **kwargs)
