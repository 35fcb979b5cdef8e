import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.artifacts import Artifacts
from memory.tool_log import ToolLog
from state import CallRecord
from tests.tools.parts import ADA, SITE, a_call
from tools.builtin import RECALL_ARTIFACT, recall_artifact_spec
from tools.executor import CheckedCall, Executor
from tools.ledger import Ledger
from tools.registry import Registry
from tools.spec import CallSite

TEXT = "".join(f"line {n} says 你好 and more\n" for n in range(400))


@pytest.fixture
async def executor(artifacts: Artifacts, ledger: Ledger, log: ToolLog, tmp_path: Path) -> Executor:
    place = {"thread": SITE.thread, "turn_id": "u0", "module": "billing", "kind": "tool_result"}
    await artifacts.put(ADA, id="art_long", text=TEXT, source="tool", **place)
    registry = Registry([recall_artifact_spec(artifacts, max_output_tokens=500)])
    return Executor(registry, artifacts, ledger, log, app_dir=tmp_path, data_dir=tmp_path)


async def recall(
    executor: Executor,
    ordinal: int,
    site: CallSite = SITE,
    **args: Any,  # noqa: ANN401 - JSON
) -> tuple[CallRecord, str]:
    checked = executor.check(a_call(RECALL_ARTIFACT, **args), site)
    assert isinstance(checked, CheckedCall), checked
    record = await executor.observe(checked, ordinal, site)
    return record, await executor.observation(record, site)


async def test_a_stored_result_is_read_to_its_end_page_by_page(executor: Executor) -> None:
    read, offset, pages = "", 0, 0
    while True:
        record, text = await recall(executor, pages, id="art_long", offset=offset)
        assert record["status"] == "ok"
        head, _, part = text.partition("\n")
        assert "tokens shown" not in text
        read, pages = read + part, pages + 1
        more = re.search(r"go on with offset=(\d+)", head)
        if more is None:
            break
        offset = int(more[1])
    assert read == TEXT
    assert pages > 3


async def test_a_stored_result_is_found_by_its_words(executor: Executor) -> None:
    _, text = await recall(executor, 0, query="line 17 says")
    assert text.startswith("art_long (billing, ")


async def test_nothing_of_another_user_or_tenant_is_read_or_found(executor: Executor) -> None:
    for site in (replace(SITE, user="ben"), replace(SITE, tenant="other")):
        record, _ = await recall(executor, 0, site, id="art_long")
        assert record["note"].startswith("not_found")
        _, text = await recall(executor, 1, site, query="line 17 says")
        assert text == "Nothing found."


async def test_what_was_recalled_is_marked_and_not_found_again(
    executor: Executor, artifacts: Artifacts
) -> None:
    record, _ = await recall(executor, 0, id="art_long")
    assert record["artifact"] is not None
    stored = await artifacts.get(ADA, record["artifact"])
    assert stored is not None
    assert stored.ref.source == "recalled"
    _, text = await recall(executor, 1, query="line 3 says")
    assert record["artifact"] not in text


@pytest.mark.parametrize(
    ("args", "note"),
    [
        ({}, "either an id or a query"),
        ({"id": "art_long", "query": "x"}, "either an id or a query"),
        ({"id": "art_none"}, "no stored result 'art_none'"),
    ],
)
async def test_a_recall_that_cannot_be_answered_says_why(
    executor: Executor, args: dict[str, Any], note: str
) -> None:
    record, _ = await recall(executor, 0, **args)
    assert note in record["note"]


async def test_an_offset_past_the_end_is_the_end(executor: Executor) -> None:
    _, text = await recall(executor, 0, id="art_long", offset=10_000_000)
    assert "the end" in text


def test_a_negative_offset_is_refused(executor: Executor) -> None:
    record = executor.check(a_call(RECALL_ARTIFACT, id="art_long", offset=-1), SITE)
    assert not isinstance(record, CheckedCall)
