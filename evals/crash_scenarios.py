"""The turns that are killed, and how the person answers who is asked about them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from configs.settings import Settings, load_settings
from evals.tau.app import write_app
from evals.tau.replay import DONE, Turn
from evals.tau.tasks import DOMAINS, Action, load_tasks

Answer: TypeAlias = Literal["approve", "edit", "reject", "respond", "wait", "take_back"]
Name: TypeAlias = Literal[
    "approve",
    "edit",
    "reject",
    "respond",
    "wait",
    "take_back",
    "tau",
    "looked_up",
    "asked_about",
    "tool_gone",
    "too_late",
]

EARLIER_DEATHS: Final[dict[str, str]] = {
    "looked_up": "before finish",
    "asked_about": "before finish",
    "tool_gone": "after decide",
    "too_late": "after decide",
}
"""Where a process is killed before the one that comes back is killed at each of its points.

The keys are scenarios.
"""

FOUR_WRITES = 104
ONE_WRITE = 73
REFUND = Turn(
    "Refund 75.50 EUR on INV-1002, they were billed one seat too many.",
    (
        Action("get_invoice", {"invoice_id": "INV-1002"}),
        Action(
            "issue_refund",
            {"invoice_id": "INV-1002", "amount": 75.5, "reason": "billed one seat too many"},
        ),
    ),
    "The refund is on its way.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One turn with effects, in a thread that has had another turn before.

    Attributes:
        before: the earlier turn, which is not disturbed.
        effects: the tool functions that are effects, as `module:function`.
        app_dir: the app folder; None is the shipped one.
        answer: what the person does who is asked; who waits lets the approval's time pass, who
            takes the turn back sends its message again later.
        gone: the tool that the app has lost when the person comes back; empty is none.
        late: whether the time of what was approved has passed when the person comes back.
    """

    expert: str
    user: str
    before: Turn
    turn: Turn
    effects: tuple[str, ...]
    app_dir: Path | None
    answer: Answer = "approve"
    gone: str = ""
    late: bool = False

    def settings(self, data_dir: Path) -> Settings:
        """Settings over a data folder of its own, without memory."""
        return load_settings(self.app_dir, data_dir=data_dir, recall={"enabled": False})

    def later_settings(self, data_dir: Path) -> Settings:
        """Those that the person finds who comes back."""
        settings = self.settings(data_dir)
        experts = tuple(
            expert.model_copy(
                update={"tools": tuple(tool for tool in expert.tools if tool.name != self.gone)}
            )
            for expert in settings.experts
        )
        return settings.model_copy(update={"experts": experts})


def scenario_of(name: Name, folder: Path, data: Path) -> Scenario:
    """The scenario of this name.

    Args:
        name: the scenario's.
        folder: where an app folder may be written.
        data: the evaluation data.
    """
    match name:
        case "tau":
            return tau_retail(folder, data, FOUR_WRITES)
        case "asked_about":
            return tau_retail(folder, data, ONE_WRITE)
        case "looked_up":
            return desk_refund()
        case "tool_gone":
            return desk_refund(gone="issue_refund")
        case "too_late":
            return desk_refund(late=True)
    return desk_refund(name)


def desk_refund(answer: Answer = "approve", gone: str = "", *, late: bool = False) -> Scenario:
    """The sample company's refund: the tool can look up whether it happened."""
    return Scenario(
        expert="billing",
        user="local",
        before=Turn("What was INV-1002 for?", REFUND.actions[:1], "A team plan of six seats."),
        turn=REFUND,
        effects=("tools.desk.billing:issue_refund",),
        app_dir=None,
        answer=answer,
        gone=gone,
        late=late,
    )


def tau_retail(folder: Path, data: Path, index: int) -> Scenario:
    """A retail task whose writes cannot be looked up, so a person is asked."""
    task = next(task for task in load_tasks(data, "retail") if task.index == index)
    writes = sorted({a.name for a in task.actions if a.name in DOMAINS["retail"].writes})
    return Scenario(
        expert="retail",
        user="customer",
        before=Turn("Hello, I need some help with my orders.", (), "Gladly. What is it?"),
        turn=Turn(task.instruction, task.actions, DONE),
        effects=tuple(f"evals.tau.app:retail_{name}" for name in writes),
        app_dir=write_app(folder, "retail", data, settle=False),
    )
