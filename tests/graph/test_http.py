"""Approvals over HTTP, in a server that was not there when the actions began to wait."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from configs.settings import load_settings
from graph.approval_links import Links
from graph.session import open_desk
from state import thread_key
from tests.tools.mcp_parts import free_port
from tools.effects import EffectRow

ROOT: Final = Path(__file__).parents[2]
REFUND: Final = "Refund 75.50 EUR on INV-1002, they were billed one seat too many."
TOKENS: Final = {user: f"token-of-{user}-0815-4711" for user in ("local", "ben", "cleo")}
START_S, STOP_S = 60.0, 20.0

request = partial(httpx.request, verify=False, timeout=60)
"""Every call would read the machine's certificates, and none needs them."""


@dataclass(slots=True)
class Routes:
    """The running server, and the actions that waited before it was started, by thread."""

    url: str
    waiting: dict[str, str]
    links: dict[str, str]
    log: Path

    def send(self, method: str, path: str, user: str = "", **more: Any) -> httpx.Response:  # noqa: ANN401
        headers = {"Authorization": f"Bearer {TOKENS[user]}"} if user else {}
        return request(method, f"{self.url}{path}", headers=headers, **more)

    def decide(self, user: str, thread: str, kind: str = "approve") -> httpx.Response:
        decision = {"id": self.waiting[thread], "type": kind}
        given = {"thread": thread, "decisions": [decision]}
        return self.send("POST", "/approvals/decide", user, json=given)


def environment(data_dir: Path, port: int) -> dict[str, str]:
    reviewers = [{"user": user, "token_env": f"TOKEN_{user.upper()}"} for user in TOKENS]
    http = {
        "base_url": f"http://127.0.0.1:{port}",
        "link_secret_env": "LINK_SECRET",
        "reviewers": reviewers,
    }
    return {
        "HIPPOGRAPH_DATA_DIR": str(data_dir),
        "HIPPOGRAPH_HTTP": json.dumps(http),
        "LINK_SECRET": "a-secret-that-signs-links",
        "LANGSMITH_TRACING": "false",
        **{f"TOKEN_{user.upper()}": token for user, token in TOKENS.items()},
    }


async def let_wait(*threads: str, hours: float = 72) -> list[EffectRow]:
    """Ask for a refund in each thread, in a process that then closes its desk."""
    async with open_desk(load_settings(approvals={"ttl_hours": hours})) as desk:
        for thread in threads:
            reply = await desk.ask(thread=thread, user="local", text=REFUND)
            assert reply.status == "waiting"
        ledger = desk.services.ledger
        return [row for one in threads for row in await ledger.rows(thread_key("default", one))]


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Routes]:
    import asyncio  # noqa: PLC0415 - a fixture of a whole module has no loop of its own

    folder, port = tmp_path_factory.mktemp("http"), free_port()
    values = environment(folder / "data", port)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setenv(name, value)
        rows = asyncio.run(let_wait("one", "two", "three", "four"))
        rows += asyncio.run(let_wait("late", hours=0.0002))
        links = {row.thread: Links(load_settings().http).of(row, "local") for row in rows}
    command = ["-m", "uvicorn", "graph.http:app", "--port", str(port), "--log-level", "warning"]
    log = folder / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **values},
            stdout=errors,
            stderr=errors,
        )
    found = Routes(
        f"http://127.0.0.1:{port}",
        {row.thread.partition(":")[2]: row.id for row in rows},
        {key.partition(":")[2]: link for key, link in links.items()},
        log,
    )
    try:
        _wait_for(found, process)
        yield found
    finally:
        process.terminate()
        process.wait(STOP_S)


def _wait_for(found: Routes, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + START_S
    while time.monotonic() < ends and process.poll() is None:
        try:
            if request("GET", f"{found.url}/approvals/health").json() == {"ok": True}:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(found.log.read_text(encoding="utf-8")[-3000:])


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/approvals"), ("POST", "/approvals/decide"), ("POST", "/approvals/resume")],
)
def test_nobody_comes_in_without_a_token(method: str, path: str, routes: Routes) -> None:
    assert routes.send(method, path).status_code == 401
    wrong = request(method, f"{routes.url}{path}", headers={"Authorization": "Bearer x"})
    assert (wrong.status_code, wrong.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_a_reviewer_sees_what_waits_for_him(routes: Routes) -> None:
    mine = routes.send("GET", "/approvals?thread=one", "local").json()["pending"]
    assert [(action["id"], action["tool"]) for action in mine] == [
        (routes.waiting["one"], "issue_refund")
    ]
    assert routes.send("GET", "/approvals", "cleo").json() == {"pending": []}


@pytest.mark.parametrize(("thread", "user"), [("nowhere", "local"), ("one", "cleo")])
def test_a_thread_that_does_not_concern_the_reviewer_is_unknown(
    thread: str, user: str, routes: Routes
) -> None:
    refused = routes.send("GET", f"/approvals?thread={thread}", user)
    assert (refused.status_code, refused.json()["kind"]) == (404, "UnknownThread")


def test_a_decision_counts_once_and_the_thread_goes_on(routes: Routes) -> None:
    refused = routes.decide("cleo", "one")
    assert (refused.status_code, refused.json()["kind"]) == (403, "NotAllowed")
    done = routes.decide("local", "one").json()
    assert done["status"] == "done"
    assert "75.50" in done["text"]
    again = routes.decide("local", "one")
    assert (again.status_code, again.json()["kind"]) == (409, "RepeatedDecision")
    assert routes.send("POST", "/approvals/resume", "local", json={"thread": "one"}).is_success


def test_a_late_decision_is_told_that_nothing_was_run(routes: Routes) -> None:
    answer = routes.decide("local", "late")
    assert (answer.status_code, answer.json()["kind"]) == (410, "ExpiredDecision")
    assert "it was not run" in answer.json()["error"]
    assert request("GET", routes.links["late"]).status_code == 403


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("{half", 400),
        ("[]", 400),
        ("{}", 400),
        ('{"thread": "two"}', 422),
        ('{"thread": "two", "decisions": ["yes"]}', 422),
        ('{"thread": "two", "decisions": [{"id": "eff_0", "type": "approve"}]}', 404),
        ('{"thread": "nowhere", "decisions": [{"id": "eff_0", "type": "approve"}]}', 404),
        ("x" * 300_000, 400),
    ],
)
def test_what_is_no_decision_is_refused_and_changes_nothing(
    given: str, status: int, routes: Routes
) -> None:
    answer = routes.send("POST", "/approvals/decide", "local", content=given)
    assert (answer.status_code, bool(answer.json()["error"])) == (status, True)
    assert len(routes.send("GET", "/approvals?thread=two", "local").json()["pending"]) == 1


def test_a_link_shows_the_action_and_decides_nothing_by_being_opened(routes: Routes) -> None:
    """Mail scanners open links."""
    for _ in range(2):
        page = request("GET", routes.links["two"])
    text = unescape(re.sub(r"<[^>]+>", " ", page.text))
    assert page.status_code == 200
    assert "Approval needed: issue_refund" in text
    assert "75.5" in text
    assert "You decide as local" in text
    assert page.headers["Cache-Control"] == "no-store"
    assert len(routes.send("GET", "/approvals?thread=two", "local").json()["pending"]) == 1


def test_a_links_form_decides_once(routes: Routes) -> None:
    form = {"decision": "reject", "message": "not this month"}
    first = request("POST", routes.links["three"], data=form)
    assert (first.status_code, "issue_refund is rejected" in first.text) == (200, True)
    again = request("POST", routes.links["three"], data={"decision": "approve"})
    assert (again.status_code, "already rejected" in again.text) == (409, True)


@pytest.mark.parametrize("change", ["changed", "cut", "unsigned", "none"])
def test_a_link_that_was_tampered_with_is_not_valid(change: str, routes: Routes) -> None:
    link = routes.links["four"]
    wrong = {
        "changed": link.replace("token=", "token=A"),
        "cut": link[:-3],
        "unsigned": link.rpartition(".")[0],
        "none": link.partition("?")[0],
    }[change]
    for answer in (request("GET", wrong), request("POST", wrong, data={"decision": "approve"})):
        assert (answer.status_code, "not valid" in answer.text) == (403, True)
