"""The two layouts: one prefix for all modules, or one for each."""

from memory.layout import ExpertText, PromptLayout
from memory.working import Brief, Shared, assemble
from nodes.route import SUBMIT_PLAN, plan_schema
from state import empty_note


def schema(name: str) -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "description": "", "parameters": {}}}


def layout(*, per_module: bool = False) -> PromptLayout:
    experts = {
        name: ExpertText(f"Knows {name}.", f"Serve {name}.", (f"get_{name}", "recall_artifact"))
        for name in ("billing", "orders")
    }
    names = ("get_billing", "get_orders", "recall_artifact")
    return PromptLayout(
        charter="Rules.",
        duties={"router": "Route.", "expert": "Work.", "synthesizer": "Answer.", "summarizer": "S"},
        experts=experts,
        tools=[*(schema(name) for name in names), plan_schema(("billing", "orders"))],
        plan_tool=SUBMIT_PLAN,
        per_module=per_module,
    )


SHARED: Shared = {
    "summary": "",
    "done_before": "look:\n0 first",
    "done": [],
    "constraints": ["Never call me."],
    "history": [],
    "memory": empty_note("none"),
    "turn": {"id": "t", "index": 4, "at": "2026-01-01", "text": "What now?"},
}
BRIEFS = [
    Brief("router", "2026-01-01"),
    Brief("expert", "2026-01-01", "billing", "What now?"),
    Brief("expert", "2026-01-01", "orders", "Where is it?"),
    Brief("synthesizer", "2026-01-01"),
]


def test_all_modules_share_every_message_but_the_last_and_the_tools() -> None:
    prompts = [assemble(layout(), SHARED, brief) for brief in BRIEFS]
    assert len({str([m.text for m in prompt[:-1]]) for prompt in prompts}) == 1
    assert len({str(layout().offered(brief.module, brief.expert)) for brief in BRIEFS}) == 1


def test_the_shared_text_holds_all_duties_and_experts() -> None:
    text = layout().system("router")
    parts = ("Rules.", "Route.", "Work.", "Answer.", "- billing: Knows billing.", "- orders")
    assert all(part in text for part in parts)
    assert "Serve billing." not in text


def test_the_last_message_says_who_is_asked_and_what() -> None:
    same, other = (str(assemble(layout(), SHARED, brief)[-1].text) for brief in BRIEFS[1:3])
    assert same.startswith("You are the expert billing now. Today is 2026-01-01.")
    assert "Your question" not in same  # it is the user's, which stands right before
    assert "Your question: Where is it?" in other
    assert "Your tools: get_orders, recall_artifact." in other


def test_per_module_gives_each_its_own_text_and_tools() -> None:
    own = layout(per_module=True)
    offered = {
        brief.expert or brief.module: [
            tool["function"]["name"] for tool in own.offered(brief.module, brief.expert)
        ]
        for brief in BRIEFS
    }
    assert offered == {
        "router": [SUBMIT_PLAN],
        "billing": ["get_billing", "recall_artifact"],
        "orders": ["get_orders", "recall_artifact"],
        "synthesizer": [],
    }
    text = own.system("expert", "billing")
    assert "Serve billing." in text
    assert "Route." not in text


def test_rules_of_the_user_stand_before_what_was_done() -> None:
    folded = str(assemble(layout(), SHARED, BRIEFS[0])[1].text)
    assert folded.index("Never call me.") < folded.index("0 first")
