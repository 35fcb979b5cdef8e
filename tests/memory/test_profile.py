"""The profile as a typed object, and slots that speak of a team or the organisation."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from memory.database import Database
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.profile import Stated, profile_type
from memory.slots import Slot
from state import Scope

SLOTS = (
    Slot(name="name", type="name", cardinality="single", description="the name"),
    Slot(name="care", type="name", cardinality="many", description="customers", modules=("crm",)),
    Slot(name="lead", type="name", cardinality="single", description="who leads", scope="team"),
    Slot(name="year", cardinality="single", description="its start", scope="organisation"),
)
ADA = Scope(user="ada", teams=("sales",))
BEN = Scope(user="ben", teams=("sales",))
EVE = Scope(user="eve", teams=("audit",))
AT = datetime(2026, 3, 1, tzinfo=UTC)


def said(slot: str, value: str, turn: str = "1", day: int = 1) -> FactDraft:
    return FactDraft(
        slot=slot,
        value=value,
        source="user",
        thread="default:t",
        turn_id=turn,
        quote=f"secret words about {value}",
        occurred_at=AT.replace(day=day),
    )


@pytest.fixture
def facts(database: Database) -> Facts:
    return Facts(database, SLOTS)


async def test_a_view_is_a_typed_object_with_a_field_a_slot(facts: Facts) -> None:
    await facts.add(ADA, [said("name", "Ada"), said("care", "Otava"), said("care", "Contoso")])
    profile = await facts.view(ADA)
    assert isinstance(profile, profile_type(SLOTS))
    assert profile.model_dump(exclude_defaults=True) == {
        "name": {"value": "Ada", "since": AT.date()},
        "care": (
            {"value": "Otava", "since": AT.date()},
            {"value": "Contoso", "since": AT.date()},
        ),
    }
    with pytest.raises(ValidationError):
        profile_type(SLOTS)(shoe_size=Stated(value="42", since=AT.date()))  # type: ignore[call-arg]  # that is the test


async def test_a_module_sees_its_own_slots_only(facts: Facts) -> None:
    await facts.add(ADA, [said("care", "Otava")])
    assert "care" not in type(await facts.view(ADA, "billing")).model_fields
    assert "care" in type(await facts.view(ADA, "crm")).model_fields


async def test_what_is_said_about_a_team_is_known_to_the_team_and_to_nobody_else(
    facts: Facts,
) -> None:
    await facts.add(ADA, [said("lead", "Kim"), said("name", "Ada")])
    assert await facts.profile(BEN) == {"lead": "Kim"}
    assert await facts.profile(EVE) == {}
    assert await facts.profile(Scope(tenant="other", user="ada", teams=("sales",))) == {}
    await facts.add(BEN, [said("lead", "Lea", "2", day=5)])
    assert (await facts.profile(ADA))["lead"] == "Lea"


async def test_what_is_said_about_the_organisation_is_known_to_all_of_it(facts: Facts) -> None:
    await facts.add(EVE, [said("year", "starts in April")])
    assert await facts.profile(BEN) == {"year": "starts in April"}


async def test_others_see_a_shared_fact_and_who_said_it_but_not_the_words(facts: Facts) -> None:
    await facts.add(ADA, [said("lead", "Kim")])
    (fact,) = await facts.current(BEN)
    (mention,) = await facts.why(BEN, fact.id)
    assert (mention.by, mention.quote, mention.thread) == ("ada", "Kim", "")


async def test_who_said_it_can_take_it_back_for_all_and_nobody_else_can(facts: Facts) -> None:
    await facts.add(ADA, [said("lead", "Kim")])
    assert await facts.forget_turn(BEN, "default:t", "1") == 0
    assert await facts.forget_turn(ADA, "default:t", "1") == 1
    assert await facts.profile(BEN) == {}


@pytest.mark.parametrize("teams", [(), ("sales", "audit")])
async def test_of_no_team_or_several_a_statement_about_the_team_is_refused(
    facts: Facts, teams: tuple[str, ...]
) -> None:
    (result,) = await facts.add(Scope(user="flo", teams=teams), [said("lead", "Kim")])
    assert (result.outcome, f"{len(teams)} teams" in result.reason) == ("refused", True)
