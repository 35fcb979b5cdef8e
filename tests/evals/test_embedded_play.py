from collections.abc import Mapping, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from rich.console import Console

from configs.sections import ROLES
from configs.settings import SHIPPED_APP, load_settings
from evals.embedded_names import Names
from evals.embedded_play import Performance, Played, perform, play, scorer_of, tool_defaults
from evals.embedded_set import Conversation, Labelled, Wanted, load_conversations
from evals.embedded_swap import renamed_conversation, renamed_same, write_company
from evals.scripted import ScriptedModel, last_steps
from graph.session import Desk, open_desk
from tests.graph.plays import block_of, call

FIRST = 3
Slips = Mapping[str, Sequence[Wanted]]


class Colleague:
    """Plays every role by the labels; `slips` replaces the calls it makes for a request."""

    def __init__(self, conversations: Sequence[Conversation], slips: Slips) -> None:
        self.labels = {label.text: label for one in conversations for label in one.requests}
        self.slips = slips

    def join(self, desk: Desk) -> None:
        self.takes = partial(tool_defaults, desk.services.registry)
        self.owner = {tool.name: tool.expert for tool in desk.services.registry}

    def __call__(self, role: str, messages: Sequence[BaseMessage]) -> AIMessage:
        label = self.labels[block_of(messages, "question")["text"]]
        calls = self.slips.get(label.id, label.calls)
        if role == "router":
            return self.route(label, calls)
        if role != "expert":
            return AIMessage("Done.")
        expert = block_of(messages, "brief")["expert"]
        own = [one for one in calls if self.owner[one.tool] == expert]
        if any(isinstance(message, ToolMessage) for message in last_steps(messages)) or not own:
            return AIMessage("Here it is.")
        made = [self.made(index, one, label) for index, one in enumerate(own)]
        return AIMessage("", tool_calls=made, additional_kwargs={"confidence": 0.9})

    def route(self, label: Labelled, calls: Sequence[Wanted]) -> AIMessage:
        names = sorted({self.owner[one.tool] for one in calls})
        plan: dict[str, Any] = {"experts": [{"name": name, "question": ""} for name in names]}
        if not names:
            plan["ask" if label.expect == "ask" else "answer"] = "Which one?"
        return AIMessage("", tool_calls=[call("submit_plan", **plan)])

    def made(self, index: int, wanted: Wanted, label: Labelled) -> dict[str, Any]:
        words = {
            name: " ".join(part.split("|")[0] for part in choices)
            for name, choices in label.free.items()
            if name in self.takes(wanted.tool)
        }
        return call(wanted.tool, f"call_{index}_{wanted.tool}", **{**wanted.args, **words})


def first(limit: int) -> list[Conversation]:
    return load_conversations(limit=limit)


def company(conversations: Sequence[Conversation]) -> Performance:
    return Performance(
        name="sample", app_dir=SHIPPED_APP, conversations=conversations, same=Names().same
    )


async def played(
    folder: Path, performance: Performance, slips: Slips | None = None
) -> list[Played]:
    colleague = Colleague(performance.conversations, slips or {})
    models = {role: ScriptedModel(role=role, policy=colleague) for role in ROLES}
    settings = load_settings(performance.app_dir, data_dir=folder / "data")
    async with open_desk(settings, models=models) as desk:
        colleague.join(desk)
        scorer = scorer_of(desk, performance)
        found = []
        for conversation in performance.conversations:
            found += await play(desk, scorer, conversation)
    return found


async def test_a_colleague_who_does_what_the_labels_say_is_right_everywhere(
    tmp_path: Path,
) -> None:
    found = await played(tmp_path, company(first(FIRST)))
    assert [one.label.id for one in found if not one.score.right] == []
    assert all(one.score.tool_right for one in found)
    asking = [one for one in found if one.label.expect == "ask"]
    assert all(one.score.asked for one in asking)


async def test_so_is_one_at_the_company_under_other_names(tmp_path: Path) -> None:
    performance = Performance(
        name="swapped",
        app_dir=write_company(tmp_path / "app"),
        conversations=[renamed_conversation(one) for one in first(FIRST)],
        same=renamed_same(Names().same),
    )
    found = await played(tmp_path, performance)
    assert [one.label.id for one in found if not one.score.right] == []
    assert "show_bill" in {made.tool for one in found for made in one.happened.calls}


async def test_an_effect_nobody_asked_for_is_rejected_and_counted(tmp_path: Path) -> None:
    slip = Wanted(tool="issue_refund", args={"invoice_id": "INV-1051", "amount": 32.4})
    found = await played(tmp_path, company(first(2)), {"c002.2": [slip]})
    wrong = next(one for one in found if one.label.id == "c002.2")
    assert not wrong.score.right
    assert [made.args["amount"] for made in wrong.score.wrong_effects] == [32.4]
    assert wrong.score.performed_unasked == 0
    assert all(one.score.right for one in found if one is not wrong)


async def test_one_that_needs_no_approval_is_performed_unasked(tmp_path: Path) -> None:
    label = Labelled(
        id="x.1", text="ORD-2077 went to 9 Lake Road, 33100 Tampere, I heard", expect="talk"
    )
    args = {"order_id": "ORD-2077", "address": "9 Lake Road, 33100 Tampere"}
    slip = Wanted(tool="change_address", args=args)
    conversation = Conversation("x", "tune", (label,))
    (one,) = await played(tmp_path, company([conversation]), {"x.1": [slip]})
    assert [made.tool for made in one.score.wrong_effects] == ["change_address"]
    assert one.score.performed_unasked == 1


async def test_a_request_to_a_desk_in_its_folder_is_played_on_the_embedded_model(
    tmp_path: Path,
) -> None:
    label = Labelled(
        id="x.1",
        text="show me BIL-1042",
        expect="call",
        calls=(Wanted(tool="show_bill", args={"bill_no": "bil-1042"}),),
    )
    performance = Performance(
        name="swapped",
        app_dir=write_company(tmp_path / "app"),
        conversations=[Conversation("x", "test", (label,))],
    )
    with StringIO() as told:
        (one,) = await perform(performance, tmp_path / "data", Console(file=told))
        assert "swapped: 1/1" in told.getvalue()
    assert one.score.right
