"""The product's own design for a dialogue: TurnRecords, folded as the product folds by default."""

from dataclasses import dataclass, field

from langchain_core.messages import HumanMessage

from configs.sections import HistorySettings
from evals.dialogue_designs import Sizes
from evals.dialogue_turns import DialogueTurn
from memory.compaction import FoldPlan, Window, fold, fold_plan, history_tokens
from memory.history import make_record, render_turn
from memory.working import Shared, folded_text
from models.tokens import count_message
from state import CallRecord, TurnRecord, empty_note

SETTINGS = HistorySettings()


@dataclass(slots=True)
class SharedHistory:
    """Every module reads the same window: recent turns verbatim, older ones folded."""

    sees_calls: bool = False
    window: Window = field(default_factory=lambda: Window([]))
    turns: int = 0
    plan: FoldPlan = field(default_factory=lambda: fold_plan(SETTINGS))
    _tokens: int = 0

    def before(self, module: str) -> int:
        """The same for all modules."""
        return self._tokens

    def close(self, turn: DialogueTurn, sizes: Sizes) -> None:
        """Keep the turn's record and fold when the history is long."""
        history = [*self.window.history, record_of(self.turns, turn)]
        self.turns += 1
        window = Window(
            history,
            self.window.summary,
            self.window.done_before,
            self.window.done,
            self.window.constraints,
        )
        if history_tokens(history) > self.plan.high_water_tokens:
            folded = fold(window, self.plan)
            window = Window(
                folded.history,
                folded.summary,
                folded.done_before,
                folded.done,
                folded.constraints,
            )
        self.window = window
        self._tokens = window_tokens(window)


def window_tokens(window: Window) -> int:
    """Exact tokens of a window's messages."""
    shared: Shared = {
        "summary": window.summary,
        "done_before": window.done_before,
        "done": list(window.done),
        "constraints": list(window.constraints),
        "history": list(window.history),
        "memory": empty_note("not looked up"),
        "turn": {"id": "", "index": 0, "at": "", "text": ""},
    }
    texts = [folded_text(shared), *map(render_turn, window.history)]
    return sum(count_message(HumanMessage(text)) for text in texts if text)


def record_of(index: int, turn: DialogueTurn) -> TurnRecord:
    """The record the product would keep of a turn."""
    calls: list[CallRecord] = [
        {
            "id": f"call_{number}",
            "name": call.name,
            "args": call.args,
            "effect": "read_only",
            "status": "ok",
            "artifact": f"art_{number}",
            "note": "",
        }
        for number, call in enumerate(turn.calls)
    ]
    return make_record(
        {"id": f"turn_{index}", "index": index, "at": "", "text": turn.user},
        [turn.expert],
        [
            {
                "expert": turn.expert,
                "question": turn.user,
                "text": turn.answer,
                "calls": calls,
                "status": "ok",
                "confidence": None,
            }
        ],
        turn.answer,
        SETTINGS.output_cap_tokens,
    )
