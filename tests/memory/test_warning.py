"""Failures are looked up by what is going to be tried, and stay out of everything else."""

import pytest

from memory.database import Database
from memory.episodes import EpisodeItem
from memory.floor import BY_WORDS
from memory.recall import Recall, RecallOptions
from memory.remembering import Memory
from memory.segments import Segments
from memory.situations import Attempt, Traits
from memory.sql_episodes import SqlEpisodes
from memory.values import Values
from memory.warning import Foresee, Warner
from state import MemoryNote, Scope
from tests.memory.remembered import remember
from tests.memory.samples import NOON, call, turn

TRAITS = {"issue_refund": Traits(learnable=("reason",), defaults={"reason": ""})}
REFUSED = turn(
    1, "Refund 20 EUR on INV-1", "It was refused.",
    call("issue_refund", {"id": "INV-1", "amount": 20}, "rejected", "Please give a reason"),
)  # fmt: skip


@pytest.fixture
def memory(database: Database, store: SqlEpisodes, segments: Segments) -> Memory:
    values = Values(database, lambda: NOON)
    return Memory(episodes=store, segments=segments, values=values, traits=TRAITS)


@pytest.fixture
def recall(store: SqlEpisodes) -> Recall:
    options = RecallOptions(deadline_s=30.0, floor=BY_WORDS)
    return Recall(episodes=store, options=options, warner=Warner(store, None, TRAITS))


def foreseeing(*attempts: Attempt) -> Foresee:
    async def foresee() -> list[Attempt]:
        return list(attempts)

    return foresee


async def ask(recall: Recall, scope: Scope, text: str, *attempts: Attempt) -> MemoryNote:
    return await recall.recall(scope, text, thread="t2", foresee=foreseeing(*attempts))


async def failure(store: SqlEpisodes, scope: Scope) -> EpisodeItem:
    (found,) = [one for one in await store.scoped(scope).recent(9) if one.result == "negative"]
    return found


async def test_the_same_attempt_is_warned_of_in_quite_other_words(
    database: Database, memory: Memory, recall: Recall, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUSED)
    attempt = ("issue_refund", {"id": "INV-9", "amount": 7})
    note = await ask(recall, ana, "Money back for Otava, please", attempt)
    assert [one["rule"] for one in note["constraints"]] == ["require"]
    assert "avoid repeating" in note["text"]


@pytest.mark.parametrize(
    "attempt",
    [
        ("list_invoices", {"customer": "Otava"}),
        ("issue_refund", {"id": "INV-9", "amount": 20, "reason": "broken"}),
    ],
)
async def test_nothing_of_it_comes_back_before_something_else(
    database: Database, memory: Memory, recall: Recall, ana: Scope, attempt: Attempt
) -> None:
    await remember(database, memory, ana, "t", REFUSED)
    note = await ask(recall, ana, "Refund 20 EUR on INV-9", attempt)
    assert (note["text"], note["constraints"]) == ("", [])


async def test_asked_about_the_past_it_is_a_record_and_no_warning(
    database: Database, memory: Memory, recall: Recall, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUSED)
    note = await ask(recall, ana, "What happened to the refund on INV-1?")
    assert "rejected: Please give a reason" in note["text"]
    assert "avoid repeating" not in note["text"]
    assert note["constraints"] == []


async def test_a_slow_search_does_not_cost_the_warning(
    database: Database, memory: Memory, recall: Recall, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUSED)
    note = await recall.recall(
        ana, "Money back", thread="t2", deadline_s=1e-6,
        foresee=foreseeing(("issue_refund", {"id": "INV-9", "amount": 7})),
    )  # fmt: skip
    assert note["degraded"]
    assert note["constraints"]


async def test_another_user_is_not_warned(
    database: Database, memory: Memory, recall: Recall, ana: Scope, bob: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUSED)
    note = await ask(recall, bob, "Refund", ("issue_refund", {"id": "INV-9", "amount": 7}))
    assert note["constraints"] == []


async def test_a_success_that_keeps_the_lesson_credits_it(
    database: Database, memory: Memory, store: SqlEpisodes, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUSED)
    kept = call("issue_refund", {"id": "INV-2", "amount": 20, "reason": "broken"})
    await remember(database, memory, ana, "t3", turn(2, "Refund INV-2", "Done.", kept))
    lesson = await failure(store, ana)
    assert lesson.episode is not None
    assert (lesson.successes, lesson.episode.retired_by) == (1, "")


async def test_a_success_without_it_retires_it_and_it_warns_no_more(
    database: Database, memory: Memory, recall: Recall, store: SqlEpisodes, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", REFUSED)
    broken = call("issue_refund", {"id": "INV-2", "amount": 20})
    await remember(database, memory, ana, "t3", turn(2, "Refund INV-2", "Done.", broken))
    lesson = await failure(store, ana)
    assert lesson.episode is not None
    assert lesson.episode.retired_by.startswith("epi_")
    note = await ask(recall, ana, "Refund", ("issue_refund", {"id": "INV-9", "amount": 7}))
    assert note["constraints"] == []


async def test_an_earlier_success_says_nothing_about_a_later_failure(
    database: Database, memory: Memory, store: SqlEpisodes, ana: Scope
) -> None:
    await remember(database, memory, ana, "t", {**REFUSED, "index": 5, "at": NOON.isoformat()})
    lesson = await failure(store, ana)
    done = call("issue_refund", {"id": "INV-2", "amount": 20})
    await remember(database, memory, ana, "t3", turn(-3, "Refund INV-2", "Done.", done))
    assert lesson.episode is not None
    assert (await failure(store, ana)).episode == lesson.episode
