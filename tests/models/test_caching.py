"""The cache simulator: each rule does what its provider says, and the sums are right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from models.caching import (
    RULES,
    Block,
    PromptCall,
    blocks_of,
    choose_layout,
    simulate,
)
from models.caching_blocks import outline
from models.prompts import count_blocks
from models.tokens import PRIMING_TOKENS

MESSAGES = [
    SystemMessage("You are brief."),
    HumanMessage([{"type": "text", "text": "what is "}, {"type": "text", "text": "on it?"}]),
    HumanMessage([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]),
    AIMessage("", tool_calls=[{"name": "look", "args": {"at": "A 1"}, "id": "c1"}]),
    ToolMessage("three boxes", tool_call_id="c1", name="look"),
    AIMessage("Three boxes."),
    HumanMessage("<|endoftext|> 发票 🙂", name="anna"),
]
TOOLS = [
    {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {}}}
]


def block(name: str, tokens: int, kind: str = "history") -> Block:
    return Block(kind, name, tokens, tuple(hash((name, n)) for n in range(tokens)))


def call(*blocks: Block, at: float = 0.0, marks: tuple[int, ...] = (), turn: int = 0) -> PromptCall:
    return PromptCall("router", at, blocks, marks, turn)


def test_blocks_have_the_tokens_that_the_gateway_counts() -> None:
    blocks = blocks_of(MESSAGES, TOOLS, "gpt-4o")
    counted = count_blocks(MESSAGES, TOOLS, "gpt-4o")
    assert sum(each.tokens for each in blocks) + PRIMING_TOKENS == sum(counted.values())
    assert all(len(each.ids) in (0, each.tokens) for each in blocks)


def test_an_outline_has_the_same_size_and_no_text() -> None:
    whole, kept = blocks_of(MESSAGES, TOOLS), outline(MESSAGES, TOOLS)
    assert sum(each.tokens for each in kept) == sum(each.tokens for each in whole)
    assert not any(each.ids for each in kept)


def test_openai_reads_the_longest_prefix_from_1024_tokens_in_steps_of_128() -> None:
    long, short = block("long", 1100), block("short", 900)
    assert [c.read for c in simulate([call(short), call(short)], RULES["openai"]).calls] == [0, 0]
    report = simulate([call(long, block("a", 200)), call(long, block("b", 200))], RULES["openai"])
    assert [c.read for c in report.calls] == [0, 1024]
    assert report.calls[1].cost == pytest.approx(1300 + PRIMING_TOKENS - 1024 + 102.4)


def test_a_common_beginning_inside_a_message_counts() -> None:
    first = Block("history", "one", 1200, tuple(range(1200)))
    second = Block("history", "two", 1200, (*range(1160), *range(5000, 5040)))
    assert simulate([call(first), call(second)], RULES["openai"]).calls[1].read == 1152


def test_an_idle_prefix_is_forgotten_and_a_used_one_is_not() -> None:
    prompt = block("p", 2048)
    idle = simulate([call(prompt), call(prompt, at=301.0)], RULES["openai"])
    used = simulate([call(prompt), call(prompt, at=200.0), call(prompt, at=400.0)], RULES["openai"])
    assert [c.read for c in idle.calls] == [0, 0]
    assert [c.read for c in used.calls] == [0, 2048, 2048]


def test_openai_from_5_6_finds_nothing_when_the_last_message_changes_without_a_mark() -> None:
    shared = block("shared", 4000, "charter")
    ends = [block(name, 50, "brief") for name in "ab"]
    plain = simulate([call(shared, end) for end in ends], RULES["openai-5.6"])
    marked = simulate([call(shared, end, marks=(0,)) for end in ends], RULES["openai-5.6"])
    assert plain.calls[1].read == 0
    assert (marked.calls[1].read, marked.calls[1].written) == (4000, 50)
    assert plain.calls[0].cost == pytest.approx(PRIMING_TOKENS + 1.25 * 4050)


def test_anthropic_writes_at_marks_only_and_looks_back_twenty_blocks() -> None:
    blocks = [block(str(n), 200) for n in range(40)]
    rule = RULES["anthropic"]
    none = simulate([call(*blocks[:10]), call(*blocks[:10])], rule)
    near = simulate([call(*blocks[:10], marks=(9,)), call(*blocks[:20], marks=(19,))], rule)
    far = simulate([call(*blocks[:10], marks=(9,)), call(*blocks[:40], marks=(39,))], rule)
    assert [c.read for c in none.calls] == [0, 0]
    assert (near.calls[1].read, near.calls[1].written) == (2000, 2000)
    assert far.calls[1].read == 0


def test_anthropic_keeps_nothing_below_its_minimum_and_renews_an_entry_by_a_hit() -> None:
    small, large = block("s", 900), block("l", 2000)
    rule = RULES["anthropic"]
    assert simulate([call(small, marks=(0,))] * 2, rule).read == 0
    times = (0.0, 290.0, 580.0)
    kept = simulate([call(large, marks=(0,), at=at) for at in times], rule)
    lost = simulate([call(large, marks=(0,), at=at) for at in (0.0, 310.0)], rule)
    assert [c.read for c in kept.calls] == [0, 2000, 2000]
    assert [c.read for c in lost.calls] == [0, 0]


def test_an_hour_costs_twice_to_write() -> None:
    large = block("l", 2000)
    hour = simulate([call(large, marks=(0,), at=at) for at in (0.0, 3000.0)], RULES["anthropic-1h"])
    assert hour.calls[0].cost == pytest.approx(PRIMING_TOKENS + 4000)
    assert hour.calls[1].read == 2000


def test_vllm_reads_whole_blocks_of_sixteen() -> None:
    report = simulate([call(block("p", 100)), call(block("p", 100))], RULES["vllm"])
    assert report.calls[1].read == 96


def test_llama_cpp_continues_its_slot_and_loses_it_to_another_prompt() -> None:
    one, two = block("one", 900), block("two", 900)
    report = simulate([call(one), call(one), call(two), call(one)], RULES["llama.cpp"])
    assert [c.read for c in report.calls] == [0, 900, 0, 0]


def test_random_misses_are_the_same_for_the_same_seed() -> None:
    calls = [call(block("p", 2048), at=float(n)) for n in range(200)]
    first, again = (simulate(calls, RULES["openai"], miss_share=0.2, seed=3) for _ in range(2))
    missed = sum(not c.read for c in first.calls)
    assert first == again
    assert 20 <= missed <= 60


def test_a_cold_turn_reads_only_what_it_has_sent_itself() -> None:
    calls = [call(block("p", 2048), turn=turn) for turn in (0, 0, 1, 1)]
    report = simulate(calls, RULES["openai"], cold_turns=True)
    assert [c.read for c in report.calls] == [0, 2048, 0, 2048]


def test_the_layout_is_chosen_by_cost_and_says_so() -> None:
    shared = [call(block("s", 3000), block(str(n), 10)) for n in range(9)]
    own = [call(block(str(n % 3), 2000), block(f"x{n}", 10)) for n in range(9)]
    choice = choose_layout({"shared-prefix": shared, "per-module": own}, RULES["openai"])
    assert choice.layout == min(choice.costs, key=lambda name: choice.costs[name])
    assert "openai" in choice.reason
    assert "per-module costs" in choice.reason


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=12),
    st.sampled_from(sorted(RULES)),
)
def test_read_written_and_uncached_always_add_up(prompts: list[list[int]], rule: str) -> None:
    calls = [
        call(*(block(str(n), 300 * (n + 1)) for n in names), at=float(at), marks=(len(names) - 1,))
        for at, names in enumerate(prompts)
    ]
    report = simulate(calls, RULES[rule])
    for cost, sent in zip(report.calls, calls, strict=True):
        assert cost.read + cost.written + cost.uncached == sent.tokens
        assert min(cost.read, cost.written, cost.uncached) >= 0
    assert sum(part.cost for part in report.by_module().values()) == pytest.approx(report.cost)
    assert sum(report.by_turn().values()) == pytest.approx(report.cost)
    assert 0.0 <= report.hit_ratio(0) <= 1.0


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_a_prompt_that_only_grows_is_read_up_to_the_last_one(sizes: list[int]) -> None:
    grown: list[Block] = [block("start", 1024)]
    calls = [call(*grown)]
    for number, size in enumerate(sizes):
        grown.append(block(f"part {number}", 128 * (size + 1)))
        calls.append(call(*grown, at=float(number)))
    report = simulate(calls, RULES["openai"])
    for before, after in zip(calls, report.calls[1:], strict=False):
        assert after.read == before.tokens - PRIMING_TOKENS
