"""Experts ask memory themselves: the profile of the user, and past records, narrowed."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.artifacts import Artifacts
from memory.database import Database
from memory.episodes import EpisodeItem
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.recall import Recall
from memory.slots import Slot
from memory.sql_episodes import SqlEpisodes
from memory.tool_log import ToolLog
from models.tokens import count
from state import CallRecord
from tests.tools.parts import ADA, SITE, a_call
from tools.executor import CheckedCall, Executor
from tools.ledger import Ledger
from tools.memory_tools import READ_PROFILE, RECALL_MEMORY, read_profile_spec, recall_memory_spec
from tools.registry import Registry
from tools.spec import CallSite, ToolContext

AT = datetime(2026, 3, 1, tzinfo=UTC)
SLOTS = (
    Slot(name="role", type="job", cardinality="single", description="the job"),
    Slot(name="secret", cardinality="single", description="not for billing", modules=("hr",)),
)


@pytest.fixture
async def executor(
    database: Database, artifacts: Artifacts, ledger: Ledger, log: ToolLog, tmp_path: Path
) -> AsyncIterator[Executor]:
    facts, store = Facts(database, SLOTS), SqlEpisodes(database)
    drafts = [stated("role", "controller"), stated("secret", "pregnant")]
    await facts.add(ADA, drafts)
    await store.scoped(ADA).add(
        [
            record("1", "Refunded invoice INV-1042 of Otava", kind="turn", domain="billing"),
            record("2", "Shipped order of Otava", kind="episode", domain="orders"),
        ]
    )
    recall = Recall(episodes=store, facts=facts)
    registry = Registry([read_profile_spec(facts), recall_memory_spec(recall)])
    yield Executor(registry, artifacts, ledger, log, app_dir=tmp_path, data_dir=tmp_path)
    await recall.close()


def stated(slot: str, value: str) -> FactDraft:
    return FactDraft(
        slot=slot,
        value=value,
        source="user",
        thread="t",
        turn_id=slot,
        quote=value,
        occurred_at=AT,
    )


def record(turn: str, text: str, **more: Any) -> EpisodeItem:  # noqa: ANN401 - item fields
    return EpisodeItem(
        id=f"epi_{turn}", text=text, thread="t", turn_id=turn, occurred_at=AT, **more
    )


async def asked(
    executor: Executor,
    tool: str,
    site: CallSite = SITE,
    **args: Any,  # noqa: ANN401 - JSON
) -> tuple[CallRecord, str]:
    checked = executor.check(a_call(tool, **args), site)
    assert isinstance(checked, CheckedCall), checked
    found = await executor.observe(checked, 0, site)
    return found, await executor.observation(found, site)


async def test_the_profile_is_read_without_what_is_not_for_the_expert(executor: Executor) -> None:
    _, text = await asked(executor, READ_PROFILE)
    assert '{"role": {"value": "controller", "since": "2026-03-01"}}' in text
    assert "pregnant" not in text


async def test_a_slot_that_is_not_there_is_answered_with_those_that_are(
    executor: Executor,
) -> None:
    found, text = await asked(executor, READ_PROFILE, slots=["secret"])
    assert found["status"] == "error"
    assert "role" in text
    _, text = await asked(executor, READ_PROFILE, slots=["role"])
    assert "controller" in text


async def test_memory_is_searched_and_narrowed(executor: Executor) -> None:
    _, text = await asked(executor, RECALL_MEMORY, query="Otava")
    assert "INV-1042" in text
    assert "Shipped" in text
    _, text = await asked(executor, RECALL_MEMORY, query="Otava", domain="orders")
    assert "INV-1042" not in text
    _, text = await asked(executor, RECALL_MEMORY, query="Otava", kind="turn")
    assert "Shipped" not in text
    _, text = await asked(executor, RECALL_MEMORY, query="Otava", operation="refund")
    assert "Otava" not in text


async def test_what_an_expert_was_shown_counts_as_used(database: Database) -> None:
    store = SqlEpisodes(database)
    await store.scoped(ADA).add([record("1", "Otava paid", kind="turn")])
    recall = Recall(episodes=store)
    context = ToolContext(
        app_dir=Path(),
        data_dir=Path(),
        tenant=ADA.tenant,
        user=ADA.user,
        teams=ADA.teams,
        thread="t",
        idempotency_key="k",
        expert="billing",
    )
    for query in ("Otava", "zebra"):
        await recall_memory_spec(recall).function(context, query=query)
    await recall.close()
    assert [item.uses for item in await store.scoped(ADA).recent(5)] == [1]


async def test_nobody_elses_memory_is_read(executor: Executor) -> None:
    site = CallSite(
        tenant=SITE.tenant,
        user="eve",
        teams=(),
        thread="t",
        turn_id="u",
        expert=SITE.expert,
    )
    for tool, args in ((READ_PROFILE, {}), (RECALL_MEMORY, {"query": "Otava"})):
        _, text = await asked(executor, tool, site, **args)
        assert "Otava" not in text
        assert "controller" not in text


async def test_what_they_read_is_marked_as_recalled(executor: Executor) -> None:
    for spec in (executor.registry.get(READ_PROFILE), executor.registry.get(RECALL_MEMORY)):
        assert spec is not None
        assert (spec.source, spec.effect) == ("recalled", "read_only")


def test_both_cost_few_tokens_of_the_shared_prefix(database: Database) -> None:
    facts, recall = Facts(database, SLOTS), Recall(episodes=SqlEpisodes(database))
    specs = (read_profile_spec(facts), recall_memory_spec(recall))
    assert sum(count(str(spec.openai_schema())) for spec in specs) < 260
