"""Facts follow event time, keep what they replaced, and rest on what the user said."""

import asyncio
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configs.errors import ConfigError
from memory.database import Database
from memory.errors import UnknownSlot
from memory.fact_history import Mention, derive
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.near_values import NearValues
from memory.normalising import normalise
from memory.same_values import may_mean_the_same, value_key
from memory.slots import Slot, load_slots
from models.embedding import Form, Vectors
from state import Scope

SLOTS = (
    Slot(name="name", cardinality="single", description="the user's name"),
    Slot(name="drink", cardinality="single", description="favourite drink"),
    Slot(name="team", cardinality="many", description="teams"),
    Slot(name="trip", cardinality="event", description="trips"),
)


def day(number: int, year: int = 2026) -> datetime:
    return datetime(year, 1 + number // 28, 1 + number % 28, tzinfo=UTC)


def said(slot: str, value: str, at: datetime, turn: str, **more: object) -> FactDraft:
    values: dict[str, object] = {"source": "user", "thread": "t", "quote": value} | more
    return FactDraft(slot=slot, value=value, occurred_at=at, turn_id=turn, **values)  # type: ignore[arg-type]  # test data


@pytest.fixture
def facts(database: Database) -> Facts:
    return Facts(database, SLOTS)


async def test_a_correction_supersedes_and_links_the_old_value(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("name", "Li Guoyu", day(1), "1")])
    (result,) = await facts.add(ana, [said("name", "Li Guosong", day(2), "2")])
    assert result.outcome == "supersedes"
    old, new = await facts.history(ana, "name")
    assert (old.valid_to, old.superseded_by, new.is_current) == (day(2), new.id, True)
    assert await facts.profile(ana) == {"name": "Li Guosong"}


async def test_additive_statements_retire_nothing(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("team", "Payments", day(1), "1"), said("team", "Core", day(2), "2")])
    assert await facts.profile(ana) == {"team": ["Payments", "Core"]}


async def test_a_statement_goes_where_its_value_is_known(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("team", "Dock Two", day(1), "1")])
    maybe = (("no", 0.5), ("team", 0.06))
    (result,) = await facts.add(ana, [said("trip", "dock two", day(2), "2", also=maybe)])
    assert (result.draft.slot, result.outcome) == ("team", "duplicate")
    (result,) = await facts.add(ana, [said("trip", "Oslo", day(3), "3", also=maybe)])
    assert (result.draft.slot, result.outcome) == ("trip", "new")


async def test_a_doubtful_statement_goes_where_something_is_known(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("name", "Props", day(1), "1")])
    likely = (("name", 0.4),)
    (result,) = await facts.add(ana, [said("drink", "Costume", day(2), "2", also=likely)])
    assert (result.draft.slot, result.outcome) == ("name", "supersedes")
    await facts.add(ana, [said("drink", "tea", day(3), "3")])
    (result,) = await facts.add(ana, [said("drink", "Lights", day(4), "4", also=likely)])
    assert result.draft.slot == "drink"


async def test_a_returning_value_is_a_new_interval(facts: Facts, ana: Scope) -> None:
    await facts.add(
        ana,
        [
            said("team", "Payments", day(1), "1"),
            said("team", "Payments", day(60), "2", polarity="ended"),
            said("team", "Payments", day(200), "3"),
        ],
    )
    first, second = await facts.history(ana, "team")
    assert (first.valid_from, first.valid_to) == (day(1), day(60))
    assert (second.valid_from, second.is_current) == (day(200), True)
    assert first.id != second.id


async def test_an_imported_old_note_does_not_override(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("drink", "coffee", day(1), "1")])
    (result,) = await facts.add(ana, [said("drink", "tea", day(1, 2023), "2")])
    assert result.outcome == "past"
    assert await facts.profile(ana) == {"drink": "coffee"}


async def test_forgetting_a_source_restores_what_it_had_superseded(
    facts: Facts, ana: Scope
) -> None:
    await facts.add(ana, [said("drink", "tea", day(1), "1"), said("drink", "coffee", day(2), "2")])
    assert await facts.forget_turn(ana, "t", "2") == 1
    (fact,) = await facts.history(ana, "drink")
    assert (fact.value, fact.is_current, fact.superseded_by) == ("tea", True, None)


async def test_the_same_value_is_one_fact_with_more_mentions(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("drink", "Green tea", day(1), "1")])
    (again,) = await facts.add(ana, [said("drink", "green  tea.", day(2), "2")])
    assert again.outcome == "duplicate"
    (fact,) = await facts.current(ana)
    assert len(fact.mentions) == 2
    assert [mention.turn_id for mention in await facts.why(ana, fact.id)] == ["1", "2"]


async def test_events_on_different_days_are_different(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("trip", "Rome", day(1), "1"), said("trip", "Rome", day(9), "2")])
    assert await facts.profile(ana) == {"trip": ["Rome", "Rome"]}


@pytest.mark.parametrize("source", ["agent", "tool", "document", "recalled"])
async def test_only_the_user_makes_facts(facts: Facts, ana: Scope, source: str) -> None:
    (result,) = await facts.add(ana, [said("drink", "jazz", day(1), "1", source=source)])
    assert (result.outcome, await facts.history(ana)) == ("refused", [])


async def test_one_statement_from_many_workers_is_one_mention(facts: Facts, ana: Scope) -> None:
    draft = said("drink", "tea", day(1), "1")
    await asyncio.gather(*(facts.add(ana, [draft]) for _ in range(8)))
    (fact,) = await facts.current(ana)
    assert len(fact.mentions) == 1


async def test_another_user_sees_and_changes_nothing(facts: Facts, ana: Scope, bob: Scope) -> None:
    await facts.add(ana, [said("drink", "tea", day(1), "1")])
    (fact,) = await facts.current(ana)
    assert await facts.current(bob) == []
    assert await facts.why(bob, fact.id) == ()
    assert await facts.forget_turn(bob, "t", "1") == 0
    assert await facts.profile(ana) == {"drink": "tea"}


async def test_an_unknown_slot_stores_nothing_of_the_batch(facts: Facts, ana: Scope) -> None:
    with pytest.raises(UnknownSlot, match="'shoe_size'"):
        await facts.add(
            ana, [said("drink", "tea", day(1), "1"), said("shoe_size", "42", day(1), "1")]
        )
    assert await facts.history(ana) == []


@pytest.mark.parametrize("value", ["", "  ", "\x00"])
async def test_a_statement_without_a_value_is_refused_or_cleaned(
    facts: Facts, ana: Scope, value: str
) -> None:
    await facts.add(ana, [said("drink", value, day(1), "1")])
    assert all("\x00" not in fact.value for fact in await facts.current(ana))


mentions = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 20), st.sampled_from(["holds", "ended"])),
    max_size=12,
).map(
    lambda drawn: [
        Mention(f"m{at}", "s", value, value, polarity, "t", str(at), value, day(when), day(when))  # type: ignore[arg-type]  # drawn from the literals
        for at, (value, when, polarity) in enumerate(drawn)
    ]
)


@given(mentions, st.randoms(use_true_random=False))
def test_facts_do_not_depend_on_the_order_of_import(
    drawn: list[Mention], random: st.DataObject
) -> None:
    shuffled = list(drawn)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands in a Random
    assert derive("aud", SLOTS[0], shuffled) == derive("aud", SLOTS[0], drawn)


@given(mentions)
def test_a_single_slot_has_at_most_one_current_value(drawn: list[Mention]) -> None:
    assert sum(fact.is_current for fact in derive("aud", SLOTS[0], drawn)) <= 1


@given(mentions)
def test_every_holding_mention_rests_under_exactly_one_fact(drawn: list[Mention]) -> None:
    for slot in SLOTS:
        under = [one.id for fact in derive("aud", slot, drawn) for one in fact.mentions]
        assert sorted(under) == sorted(one.id for one in drawn if one.polarity == "holds")


@given(mentions)
def test_ids_of_facts_are_distinct(drawn: list[Mention]) -> None:
    for slot in SLOTS:
        facts = derive("aud", slot, drawn)
        assert len({fact.id for fact in facts}) == len(facts)


def test_values_are_compared_without_case_accents_and_articles() -> None:
    assert normalise("The Café  Zürich!") == normalise("cafe zurich")
    assert normalise("我住在上海") == normalise("我住在上海。")
    assert normalise("C++") != normalise("C#")
    assert normalise("Tromsø") == normalise("tromso")
    assert normalise("rooms 1 to 6") == normalise("rooms 1-6") != normalise("rooms 16")
    assert normalise("(Berlin)") == normalise("Berlin, ") != normalise("Bern")


def test_the_shipped_profile_loads() -> None:
    slots = load_slots(Path(__file__).parents[2] / "configs" / "profile.yaml")
    assert {"preferred_name", "location"} <= {slot.name for slot in slots}


def test_a_wrong_profile_names_file_key_wanted_and_came(tmp_path: Path) -> None:
    file = tmp_path / "profile.yaml"
    file.write_text("slots: [{name: x, cardinality: some, description: y}]", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"profile\.yaml.*slots\[0\]\.cardinality.*some"):
        load_slots(file)


def test_no_profile_means_no_slots(tmp_path: Path) -> None:
    assert load_slots(tmp_path / "profile.yaml") == ()


WISH = Slot(name="wish", cardinality="many", description="wishes")
KINDS = (
    Slot(name="town", type="place", cardinality="single", description="where"),
    Slot(name="firm", type="name", cardinality="single", description="for whom"),
    Slot(name="tongue", type="language", cardinality="single", description="answers"),
    Slot(name="shape", type="format", cardinality="single", description="reports"),
    Slot(name="post", type="job", cardinality="single", description="job"),
    Slot(name="mail", type="email", cardinality="single", description="address"),
)


@pytest.mark.parametrize(
    ("slot", "one", "other", "same"),
    [
        ("town", "Lyon", "London", False),
        ("town", "Bern", "Berlin", False),
        ("firm", "Otava", "Otava Ltd.", True),
        ("firm", "Otava", "Ottawa", False),
        ("shape", "tables", "a table", True),
        ("shape", "bar chart", "pie chart", False),
        ("shape", "CSV", "PDF", False),
        ("post", "manager of the warehouse", "warehouse manager", True),
        ("post", "payroll clerk", "payroll manager", False),
        ("mail", "Bo@otava.example", "bo@otava.example", True),
    ],
)
def test_a_value_is_compared_as_its_kind_is(slot: str, one: str, other: str, same: bool) -> None:
    kind = next(kind for kind in KINDS if kind.name == slot)
    assert (value_key(kind, one) == value_key(kind, other)) is same


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("Never call me before ten", "Do not phone me earlier than 10", True),
        ("Never call me before ten", "Never call me after ten", False),
        ("Round to two decimals", "Round to three decimals", False),
        ("Send a summary on Mondays", "Send a summary on Fridays", False),
        ("Show prices with VAT", "Show prices without VAT", False),
    ],
)
def test_near_wishes_are_told_apart_by_what_turns_them(one: str, other: str, may: bool) -> None:
    assert may_mean_the_same(one, other) is may


class Wordings:
    """An embedder to which all wordings of a subject are the same."""

    name = "wordings"
    dimension = 2

    def encode(self, texts: Sequence[str], form: Form = "query") -> Vectors:
        found = [[1.0, 0.0] if "short" in one or "brief" in one else [0.0, 1.0] for one in texts]
        return np.asarray(found, dtype=np.float32)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self.encode(texts)


@settings(max_examples=8, deadline=None)
@given(st.permutations(["keep it short", "please be brief", "your answers short", "ask me first"]))
async def test_wordings_are_one_fact_in_whatever_order_they_come(order: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = await Database.open(f"sqlite:///{folder}/facts.db")
        facts = Facts(database, (WISH,), near=NearValues(Wordings(), 0.9))
        for number, value in enumerate(order):
            await facts.add(Scope(user="ana"), [said("wish", value, day(1), str(number))])
        found = await facts.current(Scope(user="ana"))
        await database.close()
    assert sorted(len(fact.mentions) for fact in found) == [1, 3]


async def test_a_wish_that_turns_another_takes_it_back(database: Database, ana: Scope) -> None:
    facts = Facts(database, (WISH,))
    await facts.add(ana, [said("wish", "Give me short answers", day(1), "1")])
    await facts.add(ana, [said("wish", "Copy my assistant", day(2), "2")])
    await facts.add(ana, [said("wish", "Give me long answers", day(3), "3")])
    past, *current = await facts.history(ana, "wish")
    assert (past.value, past.valid_to, past.superseded_by) == (
        "Give me short answers",
        day(3),
        current[1].id,
    )
    taken = said("wish", "no need to copy my assistant", day(4), "4", polarity="ended")
    await facts.add(ana, [taken])
    assert [fact.value for fact in await facts.current(ana)] == ["Give me long answers"]


async def test_an_event_is_one_whether_its_day_is_told_or_not(facts: Facts, ana: Scope) -> None:
    told = said("trip", "Rome", day(1), "1", period="2026-01-02")
    vague = said("trip", "Rome", day(40), "2", period="2026-01")
    untold = said("trip", "Rome", day(50), "3", period="?")
    await facts.add(ana, [untold, vague, told])
    (fact,) = await facts.current(ana)
    assert len(fact.mentions) == 3
    again = said("trip", "Rome", day(60), "4", period="2025-03")
    await facts.add(ana, [again])
    assert len(await facts.current(ana)) == 2


async def test_a_state_begins_when_it_was_said_to_have_begun(facts: Facts, ana: Scope) -> None:
    await facts.add(ana, [said("name", "Ada", day(1), "1")])
    await facts.add(ana, [said("name", "Ida", day(90), "2", period="2026-02")])
    old, new = await facts.history(ana, "name")
    assert new.valid_from == old.valid_to == datetime(2026, 2, 1, tzinfo=UTC)
