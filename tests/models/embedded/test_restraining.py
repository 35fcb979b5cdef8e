"""Effects that are held back, and what answers, numbers and names are read as."""

import pytest

from models.embedded.answering import with_other
from models.embedded.choices import read_choice
from models.embedded.expert import EmbeddedExpert
from models.embedded.explaining import read_reason
from models.embedded.fields import arguments_of
from models.embedded.guarding import torn
from models.embedded.planning import Planner
from models.statements.readers import read_address, read_count
from models.embedded.scene import read_scene
from state import TurnRecord
from tests.models.embedded.rooms import SPECS, TOOLS, Prompt, calls, consult, turn

ORDER = "ORD-2077: invoices: INV-1049 (open); customer: Otava Robotics Oy; status: cancelled"
CANCELLED = turn(
    "cancel ORD-2077, wrong model", "orders", [("cancel_order", {"order_id": "ORD-2077"})], ORDER
)
VOIDED = turn(
    "void INV-1044, wrong price", "billing", [("void_invoice", {"invoice_id": "INV-1044"})], "void"
)
REFUNDED = turn(
    "refund 40 on INV-1047",
    "billing",
    [("issue_refund", {"invoice_id": "INV-1047", "amount": 40})],
    "INV-1047: amount: 40.00 EUR",
)


@pytest.mark.parametrize(
    "text",
    [
        "the invoice can be dropped as well",
        "and the bill too",
        "drop the bill as well please",
        "cancel the invoice as well",
        "its invoice has to be voided",
    ],
)
def test_the_record_beside_a_changed_one_is_meant(
    planner: Planner, expert: EmbeddedExpert, text: str
) -> None:
    scene = read_scene(Prompt(text, [CANCELLED]).of("router"), TOOLS)
    (step,) = planner.steps(text, scene)
    assert step.tool == "void_invoice"
    reply = consult(expert, Prompt(text, [CANCELLED]), "billing", step.text)
    assert [(name, args["invoice_id"]) for name, args in calls(reply)] == [
        ("void_invoice", "INV-1049")
    ]
    others = calls(consult(expert, Prompt(text, [CANCELLED]), "orders", text))
    assert "cancel_order" not in [name for name, _ in others]


@pytest.mark.parametrize(
    ("text", "expert_name", "shown"),
    [
        ("please cancel ORD-2077", "orders", CANCELLED),
        ("void it", "billing", VOIDED),
        ("refund 40 on INV-1047", "billing", REFUNDED),
    ],
)
def test_what_was_done_is_not_done_again(
    expert: EmbeddedExpert, text: str, expert_name: str, shown: TurnRecord
) -> None:
    reply = consult(expert, Prompt(text, [shown]), expert_name)
    assert calls(reply) == []
    assert str(reply.text).startswith("That was done before")


def test_a_further_sum_is_no_repetition(expert: EmbeddedExpert) -> None:
    reply = consult(expert, Prompt("refund another 40 on INV-1047", [REFUNDED]), "billing")
    assert [name for name, _ in calls(reply)] == ["issue_refund"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("stop ORD-2087, it's already packed but don't send it", ""),
        ("stop ORD-2087, it is packed already", ""),
        ("give back 540 as those seats never got activated", "those seats never got activated"),
        ("Sato should get some money back for a seat they never used: 135 EUR on INV-1027",
         "seat they never used"),
        ("cancel the order: ORD-2086, Brightwater Logistics", ""),
        ("write INV-1009 off, uncollectable", "uncollectable"),
    ],
)  # fmt: skip
def test_a_reason_says_why_and_not_how_things_stand(text: str, wanted: str) -> None:
    deeds = {"cancel", "stop", "refund", "give back", "get back", "writ off"}
    assert read_reason(text, deeds) == wanted


def test_an_id_beside_what_picks_a_record_is_that_record() -> None:
    text = "she wants 540 back on the newest, INV-1047: one seat too many"
    assert not torn(text, {"refund"})


@pytest.mark.parametrize(
    "text",
    [
        "she wants her gateway ORD-2086 in 12 Penrose Quay, T23 V2H7 Cork, IE",
        "ORD-2086 should go to 12 Penrose Quay, T23 V2H7 Cork, IE, Jana wrote this morning.",
        "ORD-2086 to 12 Penrose Quay, T23 V2H7 Cork, IE - she moved",
    ],
)
def test_an_address_may_follow_in_and_ends_at_its_country(text: str) -> None:
    assert read_address(text) == "12 Penrose Quay, T23 V2H7 Cork, IE"


def test_a_record_that_another_was_confused_with_is_not_meant(expert: EmbeddedExpert) -> None:
    text = "the voiding of INV-1033 was my mistake, I confused it with INV-1044. Undo please"
    made = calls(consult(expert, Prompt(text), "billing"))
    assert [args["invoice_id"] for _, args in made] == ["INV-1033"]


@pytest.mark.parametrize(
    "text", ["and February, I have a feeling they dropped", "and february so I can see the trend"]
)
def test_a_remark_after_a_new_value_changes_no_look_up(planner: Planner, text: str) -> None:
    asked = {"customer": "Maple Ridge", "month": "2026-05"}
    shown = turn("usage of Maple Ridge in May", "analytics", [("report_usage", asked)], "-")
    scene = read_scene(Prompt(text, [shown]).of("router"), TOOLS)
    (step,) = planner.steps(text, scene)
    assert step.tool == "report_usage"
    assert planner.fill(step, scene).calls == ({**asked, "month": "2026-02"},)


@pytest.mark.parametrize(
    ("text", "wanted"), [("and from 60 on?", 60), ("overdue from 20 days upwards", 20)]
)
def test_a_length_may_be_open_upwards(text: str, wanted: int) -> None:
    schema = SPECS["list_overdue"].openai_schema()["function"]["parameters"]
    days = next(one for one in arguments_of(schema) if one.name == "min_days")
    assert read_count(text, days) == wanted


@pytest.mark.parametrize(
    ("tool", "text", "wanted"),
    [
        ("list_invoices", "and the ones they did pay", "paid"),
        ("list_invoices", "what's open from Mosaik", "open"),
        ("list_invoices", "every invoice Kestrel still has open", "open"),
        ("list_orders", "has anything of Otava's shipped but not arrived yet?", "shipped"),
        ("list_orders", "what have they had delivered?", "delivered"),
        ("list_orders", "anything delivered to Otava yet", "delivered"),
        ("report_revenue", "Who brought us the most money in February", "customer"),
    ],
)
def test_a_state_or_a_group_is_said_in_other_words(tool: str, text: str, wanted: str) -> None:
    schema = SPECS[tool].openai_schema()["function"]["parameters"]
    choice = next(one for one in arguments_of(schema) if one.kind == "choice")
    assert read_choice(text, choice) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Everything Maple Ridge Clinics has ordered so far?", "Maple Ridge Clinics"),
        ("is there anything void in Zielona Dolina's account", "Zielona Dolina"),
    ],
)
def test_a_name_begins_after_words_for_all(planner: Planner, text: str, wanted: str) -> None:
    (step,) = planner.steps(text, read_scene(Prompt(text).of("router"), TOOLS))
    scene = read_scene(Prompt(text).of("expert", expert=step.expert), TOOLS)
    assert planner.fill(step, scene).calls[0]["customer"] == wanted


def test_the_other_one_is_the_choice_that_is_left() -> None:
    which = (
        "Which one do you mean: CUS-002 Brightwater Labs Ltd (Conor Quinn, Dublin),"
        " CUS-003 Brightwater Logistics Ltd (Aoife Brennan, Cork)?"
    )
    asked = turn("list Brightwater's invoices", "billing", [], which)
    taken = turn(
        "Logistics", "billing", [("list_invoices", {"customer": "Brightwater Logistics Ltd"})], "-"
    )
    assert with_other("now the other Brightwater", [asked, taken]) == "now Brightwater Labs Ltd"
    assert with_other("now the other order", [asked, taken]) == "now the other order"


def test_they_are_the_customer_of_the_remark_before(expert: EmbeddedExpert) -> None:
    said = turn("Good morning, quick one before my call with Solace", "", [], "Good morning.")
    prompt = Prompt("how many API calls did they have in June?", [said])
    made = calls(consult(expert, prompt, "analytics"))
    assert made == [("report_usage", {"customer": "Solace", "month": "2026-06"})]


def test_a_month_in_capitals_is_mended(planner: Planner) -> None:
    assert planner.lexicon.mended("and in Janaury?") == "and in January?"
