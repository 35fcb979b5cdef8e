"""What is shared crosses users without private details; who may read it is checked as ever."""

import pytest

from memory.database import Database
from memory.entities import EntityFinder
from memory.episodes import Action, Episode, EpisodeItem
from memory.floor import BY_WORDS
from memory.recall import Recall, RecallOptions
from memory.sharing import PromotionRule, Redaction, Sharing
from memory.sql_episodes import SqlEpisodes
from memory.values import Values
from state import Scope
from tests.memory.samples import NOON, item

SENIOR = Scope(user="ada", teams=("finance",))
JUNIOR = Scope(user="ben", teams=("finance",))
STRANGER = Scope(user="cleo")
PRIVATE = {
    "email": "maria.lopez@home.example",
    "link": "https://home.example/maria",
    "account": "DE89 3704 0044 0532 0130 00",
    "card": "4111 1111 1111 1111",
    "phone": "+49 170 1234567",
    "name": "Maria Lopez",
    "own": "badge 4711",
}
TOLD = "Refund the chargeback of Maria Lopez on INV-1042; " + ", ".join(PRIVATE.values())


@pytest.fixture
def kept() -> EpisodeItem:
    said = "Maria Lopez said: " + ", ".join(PRIVATE.values())
    episode = Episode(
        agent=("billing",),
        situation=TOLD,
        actions=(Action("issue_refund", {"id": "INV-1042", "reason": said}, f"done: {said}"),),
        observation=f"Refunded to {said}",
        entities=("INV-1042", "Maria Lopez", PRIVATE["email"]),
        lesson="Chargebacks are refunded at once",
        constraints=(
            {
                "tool": "issue_refund", "argument": "reason", "rule": "value",
                "value": "chargeback", "situation": TOLD,
            },
        ),
        turns=("turn-1",),
        messages=("msg-1",),
    )  # fmt: skip
    return item(SENIOR, "turn-1", TOLD, kind="episode", episode=episode, result="positive")


def sharing(store: SqlEpisodes, rule: PromotionRule | None = None) -> Sharing:
    redaction = Redaction.of({"own": r"\bbadge \d+\b"}, ["PERSON"])
    return Sharing(store, EntityFinder(), redaction, rule)


async def test_a_shared_episode_holds_no_private_detail_and_still_its_lesson(
    store: SqlEpisodes, kept: EpisodeItem
) -> None:
    await store.scoped(SENIOR).add([kept])
    copy = await sharing(store).promote(SENIOR, kept.id, "team", "finance")
    assert copy is not None
    (seen,) = await store.scoped(JUNIOR).get([copy.id])
    for detail in PRIVATE.values():
        assert detail.casefold() not in repr(seen).casefold(), detail
    assert seen.episode is not None
    assert seen.episode.lesson == "Chargebacks are refunded at once"
    assert seen.episode.constraints[0]["value"] == "chargeback"
    assert "INV-1042" in seen.text
    assert (seen.episode.turns, seen.episode.messages) == ((), ())
    (original,) = await store.scoped(SENIOR).get([kept.id])
    assert original.text == TOLD


async def test_a_junior_recalls_what_a_senior_has_learned_and_a_stranger_does_not(
    store: SqlEpisodes, kept: EpisodeItem
) -> None:
    await store.scoped(SENIOR).add([kept])
    recall = Recall(episodes=store, options=RecallOptions(deadline_s=30.0, floor=BY_WORDS))
    question = "How did we refund the chargeback on INV-1042?"
    assert (await recall.recall(JUNIOR, question, thread="b"))["text"] == ""
    await sharing(store).promote(SENIOR, kept.id, "team", "finance")
    note = await recall.recall(JUNIOR, question, thread="b")
    assert "issue_refund" in note["text"]
    assert "Lopez" not in note["text"]
    assert (await recall.recall(STRANGER, question, thread="c"))["text"] == ""
    await recall.close()


async def test_by_rule_only_what_was_successful_enough_is_shared(
    database: Database, store: SqlEpisodes, kept: EpisodeItem
) -> None:
    await store.scoped(SENIOR).add([kept])
    ruled = sharing(store, PromotionRule("organisation", least_successes=2))
    values = Values(database, lambda: NOON)
    await values.credit(SENIOR, [kept.id])
    assert await ruled.by_rule(SENIOR, [kept.id]) == []
    await values.credit(SENIOR, [kept.id])
    assert await ruled.by_rule(SENIOR, [kept.id]) == [kept.id]
    assert await store.scoped(STRANGER).count() == 1


async def test_without_a_rule_or_outside_of_its_team_nothing_is_shared(
    store: SqlEpisodes, kept: EpisodeItem
) -> None:
    await store.scoped(STRANGER).add([kept])
    assert await sharing(store).by_rule(STRANGER, [kept.id]) == []
    ruled = sharing(store, PromotionRule("team", "finance", least_successes=0))
    assert await ruled.by_rule(STRANGER, [kept.id]) == []


async def test_what_others_wrote_cannot_be_shared(store: SqlEpisodes, kept: EpisodeItem) -> None:
    await store.scoped(SENIOR).add([kept])
    assert await sharing(store).promote(JUNIOR, kept.id, "organisation") is None
