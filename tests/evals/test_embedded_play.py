from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from configs.sections import ROLES
from configs.settings import Settings, load_settings
from evals.embedded import by_kind, figures, tool_defaults
from evals.embedded_names import Names
from evals.embedded_play import Played, play
from evals.embedded_scoring import Happened, Scorer
from evals.embedded_set import Conversation, Labelled, Wanted, load_conversations
from evals.scripted import ScriptedModel, last_steps
from graph.session import open_desk
from tests.graph.plays import block_of, call

FIRST = 3


class Colleague:
    """Plays every role by the labels; `slips` replaces the calls it makes for a request."""

    def __init__(
        self,
        settings: Settings,
        conversations: Sequence[Conversation],
        slips: Mapping[str, Sequence[Wanted]],
    ) -> None:
        self.owner = {tool.name: one.name for one in settings.experts for tool in one.tools}
        self.labels = {label.text: label for one in conversations for label in one.requests}
        self.slips = slips

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
        return AIMessage("", tool_calls=[_made(index, one, label) for index, one in enumerate(own)])

    def route(self, label: Labelled, calls: Sequence[Wanted]) -> AIMessage:
        names = sorted({self.owner[one.tool] for one in calls})
        plan: dict[str, Any] = {"experts": [{"name": name, "question": ""} for name in names]}
        if not names:
            plan["ask" if label.expect == "ask" else "answer"] = "Which one?"
        return AIMessage("", tool_calls=[call("submit_plan", **plan)])


def _made(index: int, wanted: Wanted, label: Labelled) -> dict[str, Any]:
    words = {key: " ".join(part.split("|")[0] for part in said) for key, said in label.free.items()}
    takes = {"issue_refund": "reason", "cancel_order": "reason", "void_invoice": "reason"}
    takes |= {"reopen_invoice": "reason", "search_policies": "query"}
    own = {key: value for key, value in words.items() if takes.get(wanted.tool) == key}
    return call(wanted.tool, f"call_{index}_{wanted.tool}", **{**wanted.args, **own})


async def played(
    folder: Path, limit: int, slips: Mapping[str, Sequence[Wanted]] | None = None
) -> list[Played]:
    settings = load_settings(data_dir=folder)
    conversations = load_conversations(limit=limit)
    colleague = Colleague(settings, conversations, slips or {})
    models = {role: ScriptedModel(role=role, policy=colleague) for role in ROLES}
    async with open_desk(settings, models=models) as desk:
        scorer = Scorer(Names(), partial(tool_defaults, desk.services.registry))
        found = []
        for conversation in conversations:
            found += await play(desk, scorer, conversation)
    return found


async def test_a_colleague_who_does_what_the_labels_say_is_right_everywhere(
    tmp_path: Path,
) -> None:
    found = await played(tmp_path, FIRST)
    assert [one.label.id for one in found if not one.right] == []
    counts = figures(found, frozenset())
    assert counts["right"] == counts["total"] == sum(one.half == "test" for one in found)
    assert counts["wrong_effects"] == 0


async def test_an_effect_nobody_asked_for_is_rejected_and_counted(tmp_path: Path) -> None:
    slip = Wanted(tool="issue_refund", args={"invoice_id": "INV-1051", "amount": 32.4})
    found = await played(tmp_path, 2, {"c002.2": [slip]})
    wrong = next(one for one in found if one.label.id == "c002.2")
    assert not wrong.right
    assert [made.args["amount"] for made in wrong.wrong_effects] == [32.4]
    assert figures(found, frozenset(["c002.2"]), "tune")["wrong_effects"] == 1
    assert figures(found, frozenset())["wrong_effects"] == 0
    assert all(one.right for one in found if one is not wrong)


@pytest.mark.parametrize(
    ("excluded", "right", "total"), [([], 1, 2), (["a"], 0, 1), (["a", "b"], 0, 0)]
)
def test_excluded_requests_are_in_no_table(excluded: list[str], right: int, total: int) -> None:
    found = [
        Played("test", Labelled(id=name, text=name, expect="talk"), Happened(), name == "a", ())
        for name in ("a", "b")
    ]
    counts = figures(found, frozenset(excluded))
    assert (counts["right"], counts["total"]) == (right, total)
    table = by_kind(found, frozenset(excluded))
    assert table.get("talk", {"test": (0, 0)})["test"] == (right, total)


def test_off_topic_requests_have_figures_of_their_own() -> None:
    label = Labelled(id="a", text="poem", expect="off_topic")
    counts = figures([Played("test", label, Happened(), True, ())], frozenset())
    assert (counts["off_topic_ok"], counts["off_topic_total"], counts["total"]) == (1, 1, 0)
