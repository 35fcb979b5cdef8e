"""The done-list: every folded turn has its line, and what stands in it only grows."""

from hypothesis import given
from hypothesis import strategies as st

from memory.done_list import (
    BATCH,
    KEPT_LINES,
    MOST_TOKENS,
    batch_text,
    done_item,
    done_line,
    gist,
    settle,
)
from memory.history import read_handle
from models.tokens import count
from state import CallRecord, CallStatus, DoneItem, Effect, TurnRecord


def made(name: str, status: CallStatus = "ok", effect: Effect = "read_only") -> CallRecord:
    return {
        "id": f"call_{name}",
        "name": name,
        "args": {"invoice": "INV-7"},
        "effect": effect,
        "status": status,
        "artifact": "art_1",
        "note": "",
    }


def turn(index: int, *calls: CallRecord, user: str = "", answer: str = "It is paid.") -> TurnRecord:
    return {
        "id": f"turn_{index}",
        "index": index,
        "at": "2026-01-01T00:00:00+00:00",
        "user": user or f"please look at invoice INV-{index} for me",
        "route": ["billing"],
        "modules": [{"expert": "billing", "question": "", "calls": list(calls), "output": "paid"}],
        "answer": answer,
        "status": "done",
    }


def test_a_line_says_request_action_result_and_how_the_answer_began() -> None:
    record = turn(7, made("get_invoice"), made("get_invoice"))
    assert done_line(done_item(record)) == (
        "#7 look invoice INV-7 -> get_invoice -> #7.1-2: It is paid."
    )


def test_an_effect_keeps_its_arguments_and_a_failure_its_status() -> None:
    calls = made("get_invoice"), made("issue_refund", "rejected", "irreversible")
    item = done_item(turn(3, *calls))
    assert item["action"] == 'get_invoice, issue_refund {"invoice":"INV-7"}'
    assert item["result"] == "#3.1 #3.2 rejected"
    assert "3 look invoice INV-3 (#3.1 #3.2 rejected)" in batch_text([item])


def test_a_turn_without_a_call_has_a_line_too() -> None:
    item = done_item(turn(2, user="hello there"))
    assert done_line(item) == "#2 hello there -> answered: It is paid."
    assert batch_text([item]) == "answered:\n2 hello there"


def test_the_gist_keeps_content_words_in_order_and_later_ids() -> None:
    text = "Could you please check whether the refund of INV-42 went to customer C-9 in May?"
    assert gist(text, 4) == "check whether refund INV-42 C-9"
    assert gist("你好", 4)
    assert gist("the of and", 4) == "the of and"


def test_handles_are_read_back() -> None:
    assert read_handle("#12.3") == (12, 3)
    assert read_handle("12") == (12, None)
    assert read_handle("art_12") is None


@given(st.integers(0, 80), st.integers(1, 9))
def test_every_turn_is_in_the_list_and_both_levels_only_grow(count: int, step: int) -> None:
    items = [done_item(turn(n, made(f"tool_{n % 3}"))) for n in range(count)]
    before, lines = "", list[DoneItem]()
    for start in range(0, count, step):
        earlier, old = before, lines
        before, lines = settle(before, [*lines, *items[start : start + step]])
        assert before.startswith(earlier)
        if before == earlier:
            assert lines[: len(old)] == old
        assert len(lines) < KEPT_LINES + BATCH
    numbers = [int(line.split()[0]) for line in before.splitlines() if line[:1].isdigit()]
    assert sorted(numbers) + [item["turn"] for item in lines] == list(range(count))


def test_after_some_hundred_turns_the_oldest_become_a_tally_and_nothing_is_lost() -> None:
    before, lines = "", list[DoneItem]()
    sizes = []
    for n in range(900):
        user = f"look at invoice number INV-{n} of customer C-{n}"
        before, lines = settle(
            before, [*lines, done_item(turn(n, made(f"tool_{n % 3}"), user=user))]
        )
        sizes.append(count(before))
    assert max(sizes) <= MOST_TOKENS
    first, *rest = before.splitlines()
    upto = int(first.split("#")[1].split()[0])
    told = sum(int(part.split(" x ")[0]) for part in first.split("): ")[1].split("; "))
    numbers = [int(line.split()[0]) for line in rest if line[0].isdigit()]
    assert told + len(numbers) + len(lines) == 900
    assert sorted(numbers)[-1] + 1 + len(lines) == 900
    assert upto < 900 - len(lines)


@given(st.integers(1, 30), st.integers(1, 30))
def test_the_list_does_not_depend_on_how_many_turns_are_folded_at_once(a: int, b: int) -> None:
    items = [done_item(turn(n, made("look"))) for n in range(60)]

    def folded(step: int) -> tuple[str, list[DoneItem]]:
        before, lines = "", list[DoneItem]()
        for start in range(0, len(items), step):
            before, lines = settle(before, [*lines, *items[start : start + step]])
        return before, lines

    assert folded(a) == folded(b)
