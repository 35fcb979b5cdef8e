"""Two requests in one sentence: two months, two customers, two reports, one reason for both."""

import pytest

from models.embedded.expert import EmbeddedExpert
from models.embedded.explaining import reason_of
from models.embedded.pairing import corrected, written_out
from models.embedded.planning import Planner
from models.embedded.scene import Scene, read_scene
from tests.models.embedded.rooms import TOOLS, Prompt, calls, consult, turn

MAY = {"month": "2026-05"}
JUNE_AND_OPEN = [
    turn(
        "how is Lindqvist doing - june usage plus their open invoices",
        "analytics",
        [
            ("report_usage", {"customer": "Lindqvist", "month": "2026-06"}),
            ("list_invoices", {"customer": "Lindqvist", "status": "open"}),
        ],
        "customer: Lindqvist Vard AB",
    )
]


def scene_of(text: str) -> Scene:
    return read_scene(Prompt(text).of("router"), TOOLS)


def tools(planner: Planner, text: str) -> list[str | None]:
    return [step.tool for step in planner.steps(text, scene_of(text))]


@pytest.mark.parametrize(
    "text",
    [
        "I need the revenue figures of April and May for the board deck.",
        "income in April and May for my slides please",
        "Compare April and May revenue, I need both reports",
    ],
)
def test_words_after_two_months_hide_none_of_them(expert: EmbeddedExpert, text: str) -> None:
    made = calls(consult(expert, Prompt(text), "analytics"))
    assert sorted(args["month"] for _, args in made) == ["2026-04", "2026-05"]
    assert {name for name, _ in made} == {"report_revenue"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("For the deck: churn and turnover of May", ["report_churn", "report_revenue"]),
        ("turnover and churn in april", ["report_revenue", "report_churn"]),
        ("orders and invoices of Otava", ["list_orders", "list_invoices"]),
        ("list everything over 30 days late, and Solace's invoices",
         ["list_overdue", "list_invoices"]),
        ("Show me INV-1047 and the order behind it, which is ORD-2075",
         ["get_invoice", "get_order"]),
        ("turnover of march plus the churn of the same month, need both for the slide",
         ["report_revenue", "report_churn"]),
        ("For the letter: June turnover, and whoever walked away from us in June.",
         ["report_revenue", "report_churn"]),
        ("Which customers did we lose in March, and what did it cost us?", ["report_churn"]),
        ("who uses the product the most? I'd like all of them for June", ["report_usage"]),
        ("Pull up the refund rules in full please, and invoice INV-1012, I have Conor on the line",
         ["get_policy", "get_invoice"]),
        ("Void INV-1053 and show me the rest of what Veldkamp was invoiced. The amount on it is"
         " wrong.", ["void_invoice", "list_invoices"]),
        ("Is Tidepool already using the product? numbers for june", ["report_usage"]),
        ("got Granite Peak on the line, where is their parcel ORD-2076", ["get_order"]),
        ("What are our opening hours for support, and do we speak French?", ["search_policies"]),
        ("how long do refunds take and who approves them?", ["search_policies"]),
    ],
)  # fmt: skip
def test_a_sentence_has_as_many_requests_as_it_names(
    planner: Planner, text: str, wanted: list[str]
) -> None:
    assert tools(planner, text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("All invoices for Castell Vins, and all for Quarry Lane too",
         "All invoices for Castell Vins. All invoices for Quarry Lane"),
        ("orders of Otava and also those of Sato", "orders of Otava. orders of Sato"),
        ("Show me Otava's orders and also Sato's ones", "Show me Otava's orders. Show me"
         " Sato's orders"),
        ("invoices of Otava and Sato", "invoices of Otava and Sato"),
        ("what did Otava order in May", "what did Otava order in May"),
    ],
)  # fmt: skip
def test_what_is_asked_for_a_second_customer_is_written_out(
    planner: Planner, text: str, wanted: str
) -> None:
    assert written_out(text, planner.lexicon.common) == wanted


def test_whom_a_message_begins_with_holds_for_all_it_asks(expert: EmbeddedExpert) -> None:
    prompt = Prompt("Granite Peak: list all their invoices please, and which of it is overdue?")
    made = calls(consult(expert, prompt, "billing"))
    assert made == [
        ("list_invoices", {"customer": "Granite Peak"}),
        ("list_overdue", {"customer": "Granite Peak"}),
    ]


@pytest.mark.parametrize("text", ["and Sato the same way", "for Sato too"])
def test_two_look_ups_of_one_customer_are_made_for_another(planner: Planner, text: str) -> None:
    scene = read_scene(Prompt(text, JUNE_AND_OPEN).of("router"), TOOLS)
    assert [step.tool for step in planner.steps(text, scene)] == ["report_usage", "list_invoices"]


@pytest.mark.parametrize(
    ("text", "message", "wanted"),
    [
        ("make INV-1057 void", "Aoife ordered it by accident, so cancel ORD-2086 and make INV-1057"
         " void", "Aoife ordered it by accident"),
        ("drop INV-1058 as well", "Cancel ORD-2087, reason renovation stopped, and drop INV-1058"
         " as well", "renovation stopped"),
        ("void INV-1057", "Show me ORD-2086 and void INV-1057", ""),
    ],
)  # fmt: skip
def test_one_reason_is_given_to_both_effects(text: str, message: str, wanted: str) -> None:
    assert reason_of(text, message, {"void", "drop"}) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "compare Otava's activity with Sato's for June, please",
            "compare Otava's activity for June. compare Sato's activity for June",
        ),
        (
            "show the Kestrel orders and Sindre's at Fjordline as well",
            "show the Kestrel orders. show the Fjordline orders",
        ),
    ],
)
def test_an_owner_without_its_thing_has_the_thing_of_the_first(text: str, wanted: str) -> None:
    assert written_out(text, set()) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("latest two orders from Cafe... no wait, from Aurora", "latest two orders from Aurora"),
        ("bills of Otava, sorry, Sato", "bills of Sato"),
        ("orders from Otava, please", "orders from Otava, please"),
    ],
)
def test_a_name_that_is_taken_back_gives_way(text: str, wanted: str) -> None:
    assert corrected(text) == wanted
