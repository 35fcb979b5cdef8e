from dataclasses import replace
from pathlib import Path

import pytest

from tools.desk.knowledge import get_policy, search_policies
from tools.errors import ToolError
from tools.spec import ToolContext


@pytest.mark.parametrize(
    ("query", "policy", "heading"),
    [
        ("how long do we keep backups?", "data-retention", "Backups"),
        ("Can a shipped order still be cancelled", "cancellations", "Orders"),
        ("discount for charities", "discounts", "Schools and charities"),
        ("phone support on weekends", "support-hours", "Emergencies at night and on weekends"),
        ("two-factor authentication", "security", "Signing in"),
        ("late fee for unpaid invoices", "payment-terms", "Reminders and late fees"),
        ("availability promise for enterprise", "service-levels", "Availability"),
        ("changing the delivery address", "address-changes", "Delivery address of an order"),
        ("time allowed to ask for a refund after the payment", "refunds", "Who can get a refund"),
    ],
)
def test_the_fitting_section_comes_first(
    context: ToolContext, query: str, policy: str, heading: str
) -> None:
    best = search_policies(context, query=query)["sections"][0]

    assert (best["policy"], best["heading"]) == (policy, heading)


def test_nothing_fitting_is_an_empty_answer(context: ToolContext) -> None:
    assert search_policies(context, query="zeppelin")["sections"] == []


def test_the_limit_holds(context: ToolContext) -> None:
    assert len(search_policies(context, query="invoice", limit=2)["sections"]) == 2


@pytest.mark.parametrize("query", ['refund" OR (', "refund*", "NEAR(refund) -x", "refunds:refund"])
def test_search_syntax_is_only_words(context: ToolContext, query: str) -> None:
    assert search_policies(context, query=query)["sections"][0]["policy"] == "refunds"


@pytest.mark.parametrize("query", ["what is the", "?!"])
def test_a_query_without_a_subject_asks_for_one(context: ToolContext, query: str) -> None:
    with pytest.raises(ToolError, match="words to search for"):
        search_policies(context, query=query)


@pytest.mark.parametrize(
    "name", ["data-retention", "Data retention", "the data retention policy", "RETENTION"]
)
def test_a_policy_is_known_by_name_and_title(context: ToolContext, name: str) -> None:
    found = get_policy(context, name=name)

    assert found["policy"] == "data-retention"
    assert found["sections"][0]["heading"] == "Summary"
    assert len(found["sections"]) == 6


def test_an_unknown_policy_lists_those_there_are(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="no policy") as caught:
        get_policy(context, name="holidays")

    assert "refunds" in caught.value.hint
    assert len(caught.value.hint.split(",")) == 9


def test_an_ambiguous_policy_lists_the_candidates(context: ToolContext, tmp_path: Path) -> None:
    policies = tmp_path / "app" / "desk" / "policies"
    policies.mkdir(parents=True)
    (policies / "travel-air.md").write_text("# Travel by air\n\nEconomy.\n")
    (policies / "travel-rail.md").write_text("# Travel by rail\n\nSecond class.\n")

    with pytest.raises(ToolError, match="2 policies") as caught:
        get_policy(replace(context, app_dir=tmp_path / "app"), name="travel")

    assert caught.value.hint == "policies: travel-air, travel-rail"


def test_an_edited_policy_is_found_at_once(context: ToolContext, tmp_path: Path) -> None:
    policies = tmp_path / "app" / "desk" / "policies"
    policies.mkdir(parents=True)
    own = replace(context, app_dir=tmp_path / "app")
    (policies / "pets.md").write_text("# Pets\n\n## Dogs\n\nOn Fridays.\n")
    assert search_policies(own, query="dogs")["sections"][0]["text"] == "On Fridays."

    (policies / "pets.md").write_text("# Pets\n\n## Dogs\n\nNever.\n")

    assert search_policies(own, query="dogs")["sections"][0]["text"] == "Never."


def test_a_folder_without_policies_says_so(context: ToolContext, tmp_path: Path) -> None:
    (tmp_path / "app" / "desk").mkdir(parents=True)

    with pytest.raises(ToolError, match="no policies"):
        search_policies(replace(context, app_dir=tmp_path / "app"), query="refund")
