"""No effect without a wish: none follows from a denial, a question or a supposition."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.embedded import gate
from models.embedded.scene import Scene
from models.embedded.slots import Filling
from state import CallRecord, TurnRecord
from tests.models.embedded.readings import choice, filled, parameters

CRATE = {"type": "string", "pattern": r"^CRT-\d{4}$"}
PRICE = {"type": "number"}
OWN = parameters("crate price", crate=CRATE, price=PRICE)
DEEDS = st.sampled_from(
    ["send CRT-0001 back", "pay 40 euros on CRT-0001", "close it", "cancel the second one"]
)
DENIALS = st.sampled_from(
    ["don't {}", "do not {} yet", "please never {}", "we should not {}", "no need to {}",
     "I would rather not {}", "hold off, don't {}", "you mustn't {}", "instead of that: don't {}"]
)  # fmt: skip
SUPPOSITIONS = st.sampled_from(
    ["what happens if we {}?", "what if I {}", "suppose we {}", "what would it cost if we {}?",
     "is it possible to {}?", "are we allowed to {}?"]
)  # fmt: skip
WISHES = st.sampled_from(["{}", "please {}", "can you {}?", "could you please {}", "I want to {}"])
KINDS = st.sampled_from(["records", "rules", "talk", "unrelated"])


def turn(user: str, answer: str, *calls: tuple[str, dict[str, Any]]) -> TurnRecord:
    made: list[CallRecord] = [
        {
            "id": f"call_{at}",
            "name": name,
            "args": args,
            "effect": "irreversible",
            "status": "ok",
            "artifact": None,
            "note": "",
        }
        for at, (name, args) in enumerate(calls)
    ]
    return {
        "id": "turn_1",
        "index": 0,
        "at": "2026-06-30T09:00:00+00:00",
        "user": user,
        "route": ["yard"],
        "modules": [{"name": "yard", "question": user, "calls": made, "output": answer}],
        "answer": answer,
    }  # type: ignore[typeddict-item]  # what the gate does not look at is left out


@given(DEEDS, WISHES)
def test_a_wish_opens(deed: str, form: str) -> None:
    assert gate.intent(form.format(deed), choice(), Scene()).open


@given(DEEDS, DENIALS | SUPPOSITIONS, st.floats(0, 1), st.floats(0, 1))
def test_no_effect_follows_from_a_denial_or_a_supposition(
    deed: str, form: str, change: float, same: float
) -> None:
    """Whatever the reader of acts makes of it, and also as an answer to a question."""
    asked = Scene(history=(turn("send something back", "Which crate?"),))
    for scene in (Scene(), asked):
        for amends in (True, False):
            found = choice(change=change, records=1 - change, same=same)
            verdict = gate.intent(form.format(deed), found, scene, amends=amends)
            assert not verdict.open, (scene.asked, amends)


@given(DEEDS, KINDS, st.floats(0, 1))
def test_no_effect_follows_from_what_is_read_as_no_change(
    deed: str, kind: str, sure: float
) -> None:
    acts: dict[str, Any] = {kind: 0.9, "change": 0.1}
    found = choice(sure=sure, **acts)
    assert not gate.intent(f"about this: {deed}", found, Scene()).open


@pytest.mark.parametrize(
    "text", ["was CRT-0001 sent back?", "who sent CRT-0001 back?", "is it closed?", "did we pay?"]
)
def test_a_question_needs_more_than_a_likely_change(text: str) -> None:
    assert not gate.intent(text, choice(change=0.6, records=0.4), Scene()).open


@pytest.mark.parametrize("text", ["never mind", "no, forget it", "leave it", "stop", "not now"])
def test_what_is_withdrawn_is_left_without_a_question(text: str) -> None:
    verdict = gate.intent(text, choice(), Scene())
    assert (verdict.open, verdict.asks) == (False, False)


@pytest.mark.parametrize("text", ["why not send it back today", "send it back, it does not fit"])
def test_a_denial_in_the_reason_is_no_denial_of_the_deed(text: str) -> None:
    assert gate.intent(text, choice(), Scene()).open


@given(
    said=st.decimals(min_value="0.01", max_value=9_999, places=2),
    other=st.decimals(min_value="0.01", max_value=9_999, places=2),
    number=st.integers(1000, 9999),
)
def test_a_sum_that_nobody_said_is_never_proposed(said: object, other: object, number: int) -> None:
    text = f"pay {said} EUR on CRT-{number}"
    found = filled(text, OWN)
    assert gate.unfounded(OWN, found, [text], {}) is None
    invented = found.with_value("price", float(str(other)), "said")
    doubt = gate.unfounded(OWN, invented, [text], {})
    assert (doubt is None) == (float(str(said)) == float(str(other)) or str(other) == str(number))
    earlier = gate.unfounded(OWN, invented, ["pay for it", f"{other} euros", text], {})
    assert earlier is None


@given(st.integers(1000, 9999), st.integers(1000, 9999))
def test_an_id_that_nobody_said_is_never_proposed(said: int, other: int) -> None:
    text = f"pay 40 EUR on CRT-{said}"
    invented = filled(text, OWN).with_value("crate", f"CRT-{other}", "said")
    doubt = gate.unfounded(OWN, invented, [text], {})
    assert (doubt.name if doubt else "") == ("" if said == other else "crate")


def test_a_part_of_another_number_is_no_id_that_was_said() -> None:
    text = "pay 40 EUR for order 910012"
    invented = Filling({"crate": "CRT-1001"}, {"crate": "said"})
    doubt = gate.unfounded(OWN, invented, [text], {})
    assert doubt is not None
    assert doubt.name == "crate"


def test_a_part_that_was_named_founds_only_the_sum_worked_out_of_it() -> None:
    texts = ["pay half of it on CRT-0001"]
    worked_out = Filling({"crate": "CRT-0001", "price": 20.0}, {"crate": "said", "price": "picked"})
    assert gate.unfounded(OWN, worked_out, texts, {"price": 20.0}) is None
    invented = Filling({"crate": "CRT-0001", "price": 77.0}, {"crate": "said", "price": "said"})
    doubt = gate.unfounded(OWN, invented, texts, {})
    assert doubt is not None
    assert doubt.name == "price"


def test_the_same_deed_twice_is_told_and_a_deed_in_between_allows_it_again() -> None:
    args = {"crate": "CRT-0001", "reason": ""}
    done = turn("send CRT-0001 back", "Done.", ("send_back", args))
    other = turn("open it again", "Done.", ("open_again", {"crate": "CRT-0001"}))
    again = {"crate": "CRT-0001", "reason": "it leaks"}
    assert gate.done_before("send_back", again, Scene(history=(done,)))
    assert not gate.done_before("send_back", {"crate": "CRT-0002"}, Scene(history=(done,)))
    assert not gate.done_before("send_back", again, Scene(history=(done, other)))
    assert not gate.done_before("send_back", again, Scene())
