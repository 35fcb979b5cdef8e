"""An application that looks again at what recall has ranked."""

from pathlib import Path

import pytest

from configs.errors import InvalidConfig
from configs.safety import SafetySettings
from configs.sections import RecallSettings
from configs.settings import Settings
from graph.second_look import open_reranker, open_scan
from memory.database import Database
from memory.opening import open_memory
from state import Scope
from tests.graph.workshop import workshop
from tests.memory.samples import NOON, item

LOOK = """
class Longest:
    async def scores(self, query, texts):
        return [float(len(text)) for text in texts]

def look():
    return Longest()

def nothing():
    return None

def wary():
    return lambda passages: [0.8 if "lullaby" in one else 0.0 for one in passages]
"""
ANA = Scope(user="ana")


def looking(folder: Path, reference: str | None) -> Settings:
    (folder / "look.py").write_text(LOOK, encoding="utf-8")
    recall = RecallSettings(reranker=reference)
    return workshop(folder / "data").model_copy(update={"app_dir": folder, "recall": recall})


@pytest.mark.parametrize(("reference", "first"), [(None, "1"), ("look.py:look", "2")])
async def test_the_named_function_orders_the_best(
    tmp_path: Path, reference: str | None, first: str
) -> None:
    settings = looking(tmp_path, reference)
    database = await Database.open(f"sqlite:///{tmp_path}/memory.db")
    opened = open_memory(
        database,
        settings,
        embedder=None,
        reranker=open_reranker(settings),
        clock=lambda: NOON,
    )
    short, long = "refund invoice", "refund of an invoice of many and very long words in between"
    items = [item(ANA, key, text, thread=key) for key, text in (("1", short), ("2", long))]
    await opened.episodes.scoped(ANA).add(items)
    found = await opened.recall.search(ANA, "refund invoice")
    await opened.close()
    await database.close()
    assert found.found.items[found.ranked[0].candidate.id].turn_id == first


@pytest.mark.parametrize("reference", ["look.py:nothing", "look.py:other", "nowhere.py:look"])
def test_a_function_that_gives_no_second_look_is_refused(tmp_path: Path, reference: str) -> None:
    with pytest.raises(InvalidConfig, match=r"recall\.reranker"):
        open_reranker(looking(tmp_path, reference))


@pytest.mark.parametrize(
    ("safety", "score"),
    [
        (SafetySettings(), 0.0),
        (SafetySettings(scanner="look.py:wary"), 0.8),
        (SafetySettings(scanner="look.py:wary", scan_results=False), 0.0),
    ],
)
def test_the_named_model_judges_text_from_outside(
    tmp_path: Path, safety: SafetySettings, score: float
) -> None:
    settings = looking(tmp_path, None).model_copy(update={"safety": safety})
    assert open_scan(settings)("The song is a lullaby that we all hum.").score == score


def test_a_function_that_gives_no_judge_is_refused(tmp_path: Path) -> None:
    safety = SafetySettings(scanner="look.py:nothing")
    with pytest.raises(InvalidConfig, match=r"safety\.scanner"):
        open_scan(looking(tmp_path, None).model_copy(update={"safety": safety}))
