"""Documents become memories by section; loading again replaces, removing removes."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.database import Database
from memory.documents import SECTION_CHARS, Documents, Section, sections_of
from memory.floor import BY_WORDS
from memory.recall import Recall, RecallOptions
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.memory.samples import NOON

GUIDE = """---
owner: finance
---
Read this first.

# Refunds
Within 90 days.

## Reason
Say why.

```
# not a heading
```
# Cancellations
Before shipping.
"""


@pytest.fixture
def documents(database: Database) -> Documents:
    return Documents(database, lambda: NOON)


async def load(documents: Documents, scope: Scope, text: str) -> tuple[int, int, int]:
    done = await documents.load(scope, "guide.md", sections_of("guide.md", text), at=NOON)
    return done.new, done.unchanged, done.removed


def test_markdown_is_cut_at_headings_and_code_is_left_alone() -> None:
    assert sections_of("guide.md", GUIDE) == [
        Section("guide.md", "Read this first."),
        Section("Refunds", "Within 90 days."),
        Section("Refunds > Reason", "Say why.\n\n```\n# not a heading\n```"),
        Section("Cancellations", "Before shipping."),
    ]


def test_plain_text_is_cut_between_paragraphs() -> None:
    text = "\n\n".join(f"{at} " + "word " * 150 for at in range(8))
    pieces = sections_of("notes.txt", text)
    assert len(pieces) > 2
    assert all(len(one.text) <= SECTION_CHARS for one in pieces)


@given(st.text(max_size=6_000), st.sampled_from(["a.md", "a.txt"]))
def test_no_word_of_a_document_is_lost(text: str, name: str) -> None:
    pieces = sections_of(name, text)
    assert all(0 < len(one.text) <= SECTION_CHARS for one in pieces)
    if name == "a.txt":
        kept = "".join("".join(one.text.split()) for one in pieces)
        plain = text.replace("\x00", "\ufffd")
        assert kept == "".join(plain.encode("utf-8", "replace").decode().split())


async def test_loading_again_replaces_what_changed_and_keeps_the_rest(
    documents: Documents, store: SqlEpisodes, ana: Scope
) -> None:
    assert await load(documents, ana, GUIDE) == (4, 0, 0)
    assert await load(documents, ana, GUIDE) == (0, 4, 0)
    assert await load(documents, ana, GUIDE.replace("90", "60")) == (1, 3, 1)
    said = " ".join(one.text for one in await store.scoped(ana).recent(20))
    assert "60 days" in said
    assert "90 days" not in said


async def test_what_was_removed_can_be_loaded_anew(
    documents: Documents, store: SqlEpisodes, ana: Scope
) -> None:
    for _ in range(3):
        await load(documents, ana, GUIDE)
        gone = await documents.load(ana, "guide.md", [], at=NOON)
        assert gone.removed == 4
        assert await store.scoped(ana).count() == 0
    assert await documents.names(ana) == []


async def test_a_loaded_document_is_recalled_as_one_and_only_by_its_readers(
    documents: Documents, store: SqlEpisodes, ana: Scope, bob: Scope
) -> None:
    await load(documents, ana, GUIDE)
    recall = Recall(
        episodes=store, options=RecallOptions(deadline_s=30.0, floor=BY_WORDS),
        clock=lambda: NOON + timedelta(days=1),
    )  # fmt: skip
    note = await recall.recall(ana, "Refunds: within how many days?", thread="t")
    assert "document from document" in note["text"]
    assert "90 days" in note["text"]
    assert (await recall.recall(bob, "Refunds: within how many days?", thread="t"))["text"] == ""
    shared = await documents.load(
        ana, "guide.md", sections_of("guide.md", GUIDE), at=NOON, visibility="organisation"
    )
    assert shared.new == 4
    assert "90 days" in (await recall.recall(bob, "Refunds: how many days?", thread="t"))["text"]
    await recall.close()
