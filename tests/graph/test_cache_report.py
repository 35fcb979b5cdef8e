"""The report sets the prediction beside what the provider has said."""

from datetime import UTC, datetime, timedelta

from configs.sections import ModelProfile
from graph.cache_report import compare, rule_of
from memory.call_log import LoggedCall
from models.caching import Block

START = datetime(2026, 1, 1, tzinfo=UTC)
SHARED = Block("charter", "shared", 2048)


def logged(number: int, module: str, read: int, *, counted: bool = False) -> LoggedCall:
    return LoggedCall(
        turn=number // 3,
        module=module,
        model="gpt-4.1",
        at=START + timedelta(seconds=10 * number),
        blocks=(SHARED, Block("brief", f"own {number}", 100)),
        input_tokens=2151,
        output_tokens=10,
        read=read,
        written=0,
        counted=counted,
    )


def test_figures_that_agree_are_said_to_agree() -> None:
    calls = [logged(n, "router" if n % 3 == 0 else "expert", 2048 if n else 0) for n in range(6)]
    found = compare(calls, "openai")
    assert [row.module for row in found.rows] == ["expert", "router", "all"]
    assert found.rows[-1].predicted == found.rows[-1].reported == 5 * 2048
    assert any("agree" in note for note in found.notes)


def test_a_provider_that_serves_less_is_named() -> None:
    found = compare([logged(n, "expert", 0) for n in range(6)], "openai")
    assert any("served less than predicted" in note for note in found.notes)


def test_counted_tokens_are_no_figures_of_the_provider() -> None:
    found = compare([logged(n, "expert", 0, counted=True) for n in range(3)], "openai")
    assert found.rows[-1].reported is None
    assert found.rows[-1].cells[4] == "-"


def test_the_rule_follows_the_profile() -> None:
    assert rule_of(ModelProfile()) == "openai"
    assert rule_of(ModelProfile(provider="openai", model="gpt-5.6")) == "openai-5.6"
    local = ModelProfile(provider="openai", model="qwen", base_url="http://localhost:8000/v1")
    assert rule_of(local) == "vllm"
