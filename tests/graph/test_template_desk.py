"""A new app's own expert works with the embedded default, in words that are not its examples."""

import json
from pathlib import Path
from typing import Any

import pytest

from configs.settings import load_settings
from graph.cli_init import make_app
from graph.session import open_desk
from models.embedded.gate import OFFER

EXAMPLES = [
    ("remind me to call the accountant", "add_reminder", "call the accountant", ""),
    ("what are my reminders", "list_reminders", "", ""),
]
FRESH = [
    ("add a reminder to send the offer tomorrow", "add_reminder", "send the offer", "2026-07-01"),
    ("could you remind me on 3 July to pay the rent?", "add_reminder", "rent", "2026-07-03"),
    ("do I still have any reminders open?", "list_reminders", "", ""),
    ("show me everything I wanted to remember", "list_reminders", "", ""),
]


@pytest.fixture
def app(tmp_path: Path) -> Path:
    make_app(tmp_path)
    return tmp_path


def noted(app: Path) -> list[dict[str, Any]]:
    file = load_settings(app).data_dir / "reminders.jsonl"
    return (
        [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    )


@pytest.mark.parametrize("requests", [EXAMPLES, FRESH], ids=["examples", "fresh"])
async def test_requests_for_reminders_are_done(
    requests: list[tuple[str, str, str, str]], app: Path
) -> None:
    wrong = []
    async with open_desk(load_settings(app)) as desk:
        for said, tool, text, day in requests:
            before = noted(app)
            reply = await desk.ask(thread=said[:20], user="local", text=said)
            if reply.pending:  # in words like no example a person is asked
                decisions = [{"id": one.id, "type": "approve"} for one in reply.pending]
                reply = await desk.decide(said[:20], decisions, user="local")
            if reply.text.startswith(OFFER):  # what it is not sure of it offers first
                reply = await desk.ask(thread=said[:20], user="local", text="yes please")
            turns = await desk.show(said[:20], "local")
            modules = [one for turn in turns for one in turn["modules"]]
            calls = [call["name"] for one in modules for call in one["calls"]]
            new = noted(app)[len(before) :]
            kept = [(text in one["text"], one["day"]) for one in new]
            if calls != [tool] or kept != ([(True, day)] if text else []):
                wrong.append((said, calls, new, reply.text))
    assert wrong == []


async def test_what_was_noted_is_told_when_it_is_asked_for(app: Path) -> None:
    async with open_desk(load_settings(app)) as desk:
        for text in ("remind me to renew the certificate", "what are my reminders?"):
            reply = await desk.ask(thread="told", user="local", text=text)
    assert "renew the certificate" in reply.text
