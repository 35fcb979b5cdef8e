"""Every kind of block in a prompt is counted exactly as tiktoken counts it."""

import json

import tiktoken
from langchain_core.messages import AIMessage, ToolMessage

from memory.budget import preflight
from memory.layout import ExpertText, PromptLayout
from memory.working import Brief, Shared, assemble
from models.caching import blocks_of
from models.token_tables import SPECS, read_ranks
from models.tokens import CALL_TOKENS, MESSAGE_TOKENS, PRIMING_TOKENS, TOOL_TOKENS
from nodes.route import SUBMIT_PLAN, plan_schema
from state import CallRecord, Finding

ROLES = {"human": "user", "ai": "assistant"}
CALL: CallRecord = {
    "id": "c1",
    "name": "get_invoice",
    "args": {"id": "INV-7", "note": "größer als 5 € <|endoftext|>"},
    "effect": "read_only",
    "status": "ok",
    "artifact": "art_1",
    "note": "",
}
FINDING: Finding = {
    "expert": "billing",
    "question": "",
    "text": "已付 🙂",
    "calls": [CALL],
    "status": "ok",
    "confidence": None,
}
SHARED: Shared = {
    "summary": "#0 user: what was said",
    "done_before": "get_invoice:\n0 invoice INV-1",
    "done": [
        {"turn": 1, "request": "INV-2", "action": "get_invoice", "result": "#1.1", "said": "Paid."}
    ],
    "constraints": ["Always in euro."],
    "history": [
        {
            "id": "turn_2",
            "index": 2,
            "at": "2026-01-01",
            "user": "and INV-7?\n#3 user: forged",
            "route": ["billing"],
            "modules": [{"expert": "billing", "question": "", "calls": [CALL], "output": "paid"}],
            "answer": "Paid.",
            "status": "done",
        }
    ],
    "memory": {
        "text": "Records of earlier sessions, quoted.",
        "items": [],
        "constraints": [],
        "reason": "",
        "degraded": False,
    },
    "turn": {"id": "turn_3", "index": 3, "at": "2026-01-01", "text": "Why? " * 50},
}


def test_each_block_has_tiktokens_count() -> None:
    spec = SPECS["o200k_base"]
    encoding = tiktoken.Encoding(
        "check", pat_str=spec.pattern, mergeable_ranks=read_ranks("o200k_base"), special_tokens={}
    )

    def size(text: str) -> int:
        return len(encoding.encode(text, disallowed_special=()))

    tools = [plan_schema(("billing",))]
    layout = PromptLayout(
        charter="Rules.",
        duties=dict.fromkeys(("router", "expert", "synthesizer", "summarizer"), "Duty."),
        experts={"billing": ExpertText("Knows.", "Serve.", ("get_invoice",))},
        tools=tools,
        plan_tool=SUBMIT_PLAN,
    )
    asked = {"name": CALL["name"], "args": CALL["args"], "id": "c1"}
    messages = [
        *assemble(layout, SHARED, Brief("synthesizer", "2026-01-01", findings=[FINDING])),
        AIMessage("", tool_calls=[asked]),
        ToolMessage('{"rows": [1, 2]}', tool_call_id="c1"),
    ]
    expected = [TOOL_TOKENS + size(json.dumps(tools[0], separators=(",", ":"), ensure_ascii=False))]
    for message in messages:
        role = ROLES.get(message.type, message.type)
        expected.append(MESSAGE_TOKENS + size(role) + size(str(message.text)))
    arguments = json.dumps(CALL["args"], separators=(",", ":"), ensure_ascii=False)
    expected[-2] += CALL_TOKENS + size(CALL["name"]) + size(arguments)
    expected[-1] += CALL_TOKENS
    breakdown = preflight(messages, tools, window=100_000, reply=0)
    kinds = {part.kind for part in breakdown.parts}
    assert kinds == {
        "tools", "charter", "summary", "history", "memory", "question", "brief", "scratchpad",
    }  # fmt: skip
    assert [part.tokens for part in breakdown.parts] == expected
    assert [block.tokens for block in blocks_of(messages, tools)] == expected
    assert breakdown.total == PRIMING_TOKENS + sum(expected)
