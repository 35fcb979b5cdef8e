from collections.abc import Mapping
from typing import Any

import pytest

from evals.embedded_names import Names
from evals.embedded_scoring import Happened, Made, Scorer, same_value
from evals.embedded_set import Expect, Labelled, Wanted

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "issue_refund": {"invoice_id": None, "amount": None, "reason": ""},
    "list_invoices": {"customer": None, "status": "any", "limit": 20},
    "get_invoice": {"invoice_id": None},
    "get_order": {"order_id": None},
    "search_policies": {"query": None, "limit": 3},
    "get_policy": {"name": None},
}
READ = {"invoice_id": "INV-1042"}
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
    calls=(Wanted(tool="get_invoice", args=READ),),
)


@pytest.fixture(scope="module")
def names() -> Names:
    return Names()


@pytest.fixture(scope="module")
def scorer(names: Names) -> Scorer:
    return Scorer(lambda tool: DEFAULTS.get(tool, {}), frozenset({"reason", "query"}), names.same)


def is_right(scorer: Scorer, label: Labelled, *calls: Made) -> bool:
    return scorer.score(label, Happened(calls=calls)).right


def refund(**args: object) -> Made:
    given = {"invoice_id": "inv-1042", "amount": 620, "reason": "it Broke", **args}
    return Made(tool="issue_refund", args=given, effect=True, proposed=True)


def look_up(tool: str, **args: object) -> Made:
    return Made(tool=tool, args=args)


@pytest.mark.parametrize(
    ("wanted", "came", "same"),
    [
        ("Greta  Lind", "greta lind", True),
        ("Greta Lind", "Greta", False),
        (118.8, "118.80", True),
        (118.8, "118.81", False),
        (118.8, "about 118.8", False),
        (True, 1, False),
        (None, "", True),
        ("", "any", False),
        (0, "", False),
        (["AP-1", "AP-2"], ["ap-2", "ap-1"], True),
        (["AP-1", "AP-2"], ["AP-1"], False),
        (["AP-1"], ["AP-1", "AP-2"], False),
        ([], ["AP-1"], False),
        ({"sku": "A", "n": 2}, {"n": 2.0, "sku": "a"}, True),
        ({"sku": "A"}, {"sku": "A", "n": 2}, False),
    ],
)
def test_values_are_compared_by_what_they_are(wanted: object, came: object, same: bool) -> None:
    assert same_value(wanted, came) is same
    assert same_value(came, wanted) is same


@pytest.mark.parametrize(
    ("argument", "wanted", "came", "same"),
    [
        ("customer", "CUS-014", "blue harbor", True),
        ("customer", "CUS-002", "Brightwater", False),
        ("customer", "", None, True),
        ("name", "payment-terms", "Payment terms policy", True),
        ("name", "payment-terms", "terms and prices", False),
        ("address", "1 Main St, Cork", "1 main st cork", True),
        ("address", "1 Main St", "please to 1 Main St", False),
        ("month", "2026-03", "2026-04", False),
    ],
)
def test_the_company_s_names_are_compared_by_what_they_mean(
    names: Names, argument: str, wanted: object, came: object, same: bool
) -> None:
    assert names.same(argument, wanted, came) is same


def test_an_argument_not_in_the_label_has_its_default(scorer: Scorer) -> None:
    wanted = Wanted(tool="list_invoices", args={"customer": "CUS-014"})
    label = Labelled(id="x", text="", expect="call", calls=(wanted,))
    assert is_right(scorer, label, look_up("list_invoices", customer="CUS-014"))
    assert is_right(scorer, label, look_up("list_invoices", customer="CUS-014", status="any"))
    paid = look_up("list_invoices", customer="CUS-014", status="paid")
    assert not is_right(scorer, label, paid)
    score = scorer.score(label, Happened(calls=(paid,)))
    assert score.tool_right


def test_the_user_s_words_may_be_any_where_no_label_asks_for_some(scorer: Scorer) -> None:
    wanted = Wanted(tool="issue_refund", args={"invoice_id": "INV-1042", "amount": 620.0})
    label = Labelled(id="x", text="", expect="call", calls=(wanted,))
    assert is_right(scorer, label, refund(reason="whatever"))


def test_a_refund_without_its_reason_is_not_right_but_no_wrong_effect(scorer: Scorer) -> None:
    score = scorer.score(REFUND, Happened(calls=(refund(reason=""),)))
    assert (score.tool_right, score.right, score.wrong_effects) == (True, False, ())


def test_every_entry_of_the_free_words_must_occur(scorer: Scorer) -> None:
    both = Labelled(
        id="x", text="", expect="call", calls=REFUND.calls, free={"reason": ["broke", "late"]}
    )
    assert is_right(scorer, both, refund(reason="late and BROKEN"))
    assert not is_right(scorer, both, refund(reason="late"))


@pytest.mark.parametrize("args", [{"amount": 62}, {"invoice_id": "INV-1024"}])
def test_an_effect_with_other_arguments_is_wrong(scorer: Scorer, args: dict[str, Any]) -> None:
    made = refund(**args)
    score = scorer.score(REFUND, Happened(calls=(made,)))
    assert score.wrong_effects == (made,)
    assert not scorer.is_wanted(REFUND, made)
    assert (score.tool_right, score.right, score.performed_unasked) == (True, False, 0)


def test_the_same_effect_twice_is_wrong_once(scorer: Scorer) -> None:
    score = scorer.score(REFUND, Happened(calls=(refund(), refund())))
    assert not score.right
    assert len(score.wrong_effects) == 1


def test_a_wrong_effect_beside_the_right_one_is_not_right(scorer: Scorer) -> None:
    void = Made(tool="void_invoice", args={}, effect=True, proposed=True, unasked=True)
    score = scorer.score(LOOK_UP, Happened(calls=(look_up("get_invoice", **READ), void)))
    assert (score.tool_right, score.right, score.performed_unasked) == (True, False, 1)


def test_an_effect_refused_for_its_arguments_was_not_proposed(scorer: Scorer) -> None:
    made = Made(tool="issue_refund", args={"invoice_id": "?"}, effect=True)
    score = scorer.score(REFUND, Happened(calls=(made,)))
    assert (score.tool_right, score.right, score.wrong_effects) == (True, False, ())


def test_reads_beside_the_wanted_one_are_no_fault(scorer: Scorer) -> None:
    wanted, other = look_up("get_invoice", **READ), look_up("get_order", order_id="ORD-1")
    assert is_right(scorer, LOOK_UP, other, wanted, other)
    assert not is_right(scorer, LOOK_UP, other)


def test_two_in_one_is_right_when_both_are(scorer: Scorer) -> None:
    calls = (LOOK_UP.calls[0], Wanted(tool="get_invoice", args={"invoice_id": "INV-1043"}))
    label = Labelled(id="x", text="", expect="call", calls=calls, two_in_one=True)
    first, second = (look_up("get_invoice", invoice_id=f"INV-{n}") for n in (1042, 1043))
    assert is_right(scorer, label, second, first)
    assert not is_right(scorer, label, first, first)
    score = scorer.score(label, Happened(calls=(first,)))
    assert not score.tool_right


def test_a_call_that_answers_as_well_is_right(scorer: Scorer) -> None:
    instead = (Wanted(tool="get_policy", args={"name": "refunds"}),)
    label = Labelled(
        id="x",
        text="",
        expect="call",
        calls=(Wanted(tool="search_policies", args={}, instead=instead),),
        free={"query": ["money"]},
    )
    assert is_right(scorer, label, look_up("get_policy", name="Refunds"))
    assert is_right(scorer, label, look_up("search_policies", query="Money"))
    assert not is_right(scorer, label, look_up("search_policies", query="x"))


def test_a_call_named_first_is_not_used_up_by_one_it_would_answer_as_well(scorer: Scorer) -> None:
    order = Wanted(tool="get_order", args={"order_id": "ORD-1"})
    either = Wanted(tool="get_invoice", args=READ, instead=(order,))
    label = Labelled(id="x", text="", expect="call", calls=(either, order), two_in_one=True)
    invoice = look_up("get_invoice", **READ)
    assert is_right(scorer, label, look_up("get_order", order_id="ORD-1"), invoice)


def test_asking_back_may_look_but_not_act(scorer: Scorer) -> None:
    label = Labelled(id="x", text="refund it", expect="ask")
    looked = look_up("get_invoice", **READ)
    assert is_right(scorer, label, looked)
    assert not is_right(scorer, label, refund())
    assert len(scorer.wrong_effects(label, Happened(calls=(refund(),)))) == 1


@pytest.mark.parametrize("expect", ["off_topic", "talk"])
def test_what_needs_no_tool_is_right_without_a_call(scorer: Scorer, expect: Expect) -> None:
    label = Labelled(id="x", text="hello", expect=expect)
    assert is_right(scorer, label)
    assert not is_right(scorer, label, look_up("get_order"))


def test_a_turn_that_failed_is_never_right(scorer: Scorer) -> None:
    label = Labelled(id="x", text="hello", expect="talk")
    score = scorer.score(label, Happened(failure="the model could not be asked"))
    assert not (score.right or score.tool_right)
