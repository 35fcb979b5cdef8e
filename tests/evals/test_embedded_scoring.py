from collections.abc import Mapping
from typing import Any

import pytest

from evals.embedded_names import Names
from evals.embedded_scoring import Happened, Made, Scorer
from evals.embedded_set import Expect, Labelled, Wanted

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "issue_refund": {"invoice_id": "", "amount": "", "reason": ""},
    "list_invoices": {"customer": "", "status": "any", "limit": 20},
    "get_invoice": {"invoice_id": ""},
    "get_order": {"order_id": ""},
    "search_policies": {"query": "", "limit": 3},
    "get_policy": {"name": ""},
}
REFUND = Labelled(
    id="r",
    text="half of it, it broke",
    expect="call",
    calls=(Wanted(tool="issue_refund", args={"invoice_id": "INV-1042", "amount": 620.0}),),
    free={"reason": ["broke|broken"]},
)
LOOK_UP = Labelled(
    id="l",
    text="INV-1042",
    expect="call",
    calls=(Wanted(tool="get_invoice", args={"invoice_id": "INV-1042"}),),
)


@pytest.fixture(scope="module")
def names() -> Names:
    return Names()


@pytest.fixture(scope="module")
def scorer(names: Names) -> Scorer:
    return Scorer(names, lambda tool: DEFAULTS.get(tool, {}))


def refund(**args: object) -> Made:
    given = {"invoice_id": "inv-1042", "amount": 620, "reason": "it Broke", **args}
    return Made(tool="issue_refund", args=given, effect=True, proposed=True)


def look_up(tool: str, **args: object) -> Made:
    return Made(tool=tool, args=args)


@pytest.mark.parametrize(
    ("argument", "wanted", "came", "same"),
    [
        ("customer", "CUS-014", "blue harbor", True),
        ("customer", "CUS-002", "Brightwater", False),
        ("customer", "", "", True),
        ("name", "payment-terms", "Payment terms policy", True),
        ("name", "payment-terms", "terms and prices", False),
        ("amount", 118.8, "118.80", True),
        ("amount", 100, "one hundred", False),
        ("sql", "SELECT  1 FROM orders", "select 1 from orders;", True),
        ("address", "1 Main St, 1000 Town, GB", "1 main st 1000 Town GB.", True),
        ("address", "1 Main St", "please to 1 Main St", False),
        ("month", "2026-03", "2026-04", False),
    ],
)
def test_values_are_compared_by_what_they_mean(
    names: Names, argument: str, wanted: object, came: object, same: bool
) -> None:
    assert names.same(argument, wanted, came) is same


def test_an_argument_that_is_not_given_has_its_default(scorer: Scorer) -> None:
    wanted = Wanted(tool="list_invoices", args={"customer": "CUS-014", "status": "any"})
    label = Labelled(id="x", text="", expect="call", calls=(wanted,))
    whole = look_up("list_invoices", customer="CUS-014")
    paid = look_up("list_invoices", customer="CUS-014", status="paid")
    assert scorer.is_right(label, Happened(calls=(whole,)))
    assert not scorer.is_right(label, Happened(calls=(paid,)))


def test_a_refund_without_its_reason_is_not_right_but_no_wrong_effect(scorer: Scorer) -> None:
    happened = Happened(calls=(refund(reason=""),))
    assert not scorer.is_right(REFUND, happened)
    assert scorer.wrong_effects(REFUND, happened) == ()


@pytest.mark.parametrize("args", [{"amount": 62}, {"invoice_id": "INV-1024"}])
def test_an_effect_with_other_arguments_is_wrong(scorer: Scorer, args: dict[str, Any]) -> None:
    made = refund(**args)
    assert scorer.wrong_effects(REFUND, Happened(calls=(made,))) == (made,)


def test_the_same_effect_twice_is_wrong_once(scorer: Scorer) -> None:
    happened = Happened(calls=(refund(), refund()))
    assert not scorer.is_right(REFUND, happened)
    assert len(scorer.wrong_effects(REFUND, happened)) == 1


def test_an_effect_refused_for_its_arguments_was_not_proposed(scorer: Scorer) -> None:
    made = Made(tool="issue_refund", args={"invoice_id": "?"}, effect=True)
    assert scorer.wrong_effects(REFUND, Happened(calls=(made,))) == ()
    assert not scorer.is_right(REFUND, Happened(calls=(made, refund())))


@pytest.mark.parametrize(
    ("extra", "right"),
    [
        ((look_up("get_order", order_id="ORD-2070"),), True),
        ((look_up("list_invoices", customer="Blue Harbor"),), True),
        ((look_up("get_order", order_id="ORD-2071"),), False),
        ((look_up("get_order", order_id="ORD-2070"),) * 2, False),
    ],
)
def test_one_more_look_at_the_same_record_is_allowed(
    scorer: Scorer, extra: tuple[Made, ...], right: bool
) -> None:
    wanted = look_up("get_invoice", invoice_id="INV-1042")
    assert scorer.is_right(LOOK_UP, Happened(calls=(wanted, *extra))) is right


def test_reading_a_stored_result_again_is_no_other_look(scorer: Scorer) -> None:
    wanted = look_up("get_invoice", invoice_id="INV-1042")
    again = look_up("recall_artifact", min_days=30)
    assert scorer.is_right(LOOK_UP, Happened(calls=(again, wanted)))


def test_another_tool_that_answers_as_well_is_right(scorer: Scorer) -> None:
    instead = (Wanted(tool="get_policy", args={"name": "refunds"}),)
    label = Labelled(
        id="x",
        text="",
        expect="call",
        calls=(Wanted(tool="search_policies", args={}, instead=instead),),
        free={"query": ["money"]},
    )
    assert scorer.is_right(label, Happened(calls=(look_up("get_policy", name="Refunds"),)))
    assert scorer.is_right(label, Happened(calls=(look_up("search_policies", query="Money"),)))
    assert not scorer.is_right(label, Happened(calls=(look_up("search_policies", query="x"),)))


def test_asking_back_may_look_but_not_act(scorer: Scorer) -> None:
    label = Labelled(id="x", text="refund it", expect="ask")
    looked = look_up("get_invoice", invoice_id="INV-1042")
    assert scorer.is_right(label, Happened(calls=(looked,), asked=True))
    assert not scorer.is_right(label, Happened(calls=(looked,)))
    assert not scorer.is_right(label, Happened(calls=(refund(),), asked=True))
    assert len(scorer.wrong_effects(label, Happened(calls=(refund(),)))) == 1


@pytest.mark.parametrize("expect", ["off_topic", "talk"])
def test_what_needs_no_tool_is_right_without_a_call(scorer: Scorer, expect: Expect) -> None:
    label = Labelled(id="x", text="hello", expect=expect)
    assert scorer.is_right(label, Happened(text="Hello."))
    assert not scorer.is_right(label, Happened(calls=(look_up("get_order"),)))


def test_a_turn_that_failed_is_never_right(scorer: Scorer) -> None:
    label = Labelled(id="x", text="hello", expect="talk")
    assert not scorer.is_right(label, Happened(failure="the model could not be asked"))


def test_queries_are_the_same_when_they_answer_alike(names: Names) -> None:
    wanted = "SELECT count(*) FROM orders WHERE status = 'packed'"
    assert names.same("sql", wanted, "SELECT COUNT(id) FROM orders WHERE status IN ('packed')")
    assert not names.same("sql", wanted, "SELECT COUNT(*) FROM customers")
    assert not names.same("sql", wanted, "SELECT count(* FROM orders")
