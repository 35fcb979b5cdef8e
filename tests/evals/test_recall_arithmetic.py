"""The arithmetic of the recall evaluations, and what their figures leave out."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from evals import beam_recall, bfcl_memory, locomo
from evals.beam import Probe
from evals.bfcl_memory import Asked, place_of, share_within
from evals.locomo_data import Conversation, load_conversations
from evals.plain_search import PlainBm25, nearest
from evals.remembered import mean, share, turn_item
from state import Scope


def test_a_share_is_of_what_is_wanted_and_a_mean_of_nothing_is_0() -> None:
    assert share(["a", "x", "a"], ["a", "b"]) == 0.5
    assert mean([]) == 0.0
    assert mean([1.0, 0.0, 0.5]) == 0.5


def test_a_message_becomes_a_turn_of_its_thread() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    made = turn_item(Scope(user="u"), "t", "7", "hi", actor="Ada", position=7, at=at)
    assert (made.kind, made.turn_id, made.actor, made.occurred_at) == ("turn", "7", "Ada", at)


def test_plain_bm25_prefers_rare_words_and_leaves_out_what_shares_none() -> None:
    texts = ["the invoice of Otava", "the invoice of Contoso", "nothing of it", "invoice invoice"]
    found = PlainBm25(texts)
    assert found.best("invoice Contoso", 2)[0] == 1
    assert found.best("zebra", 5) == []
    assert PlainBm25([]).best("x", 5) == []


def test_the_nearest_vectors_come_first() -> None:
    vectors = np.asarray([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], dtype=np.float32)
    assert nearest(vectors[0], vectors, 2) == [0, 2]


def test_locomo_leaves_the_adversarial_category_out_of_the_headline() -> None:
    tally = locomo.Tally()
    tally.by_category[1] += [1.0, 0.0]
    tally.by_category[5] += [1.0]
    tally.bm25_by_category[1] += [0.5]
    tally.bm25_by_category[5] += [0.0]
    tally.silent["named"] += [True, True, False, True]
    found = locomo.figures(tally, 0.0123)
    assert (found["recall_at_10"], found["bm25_at_10"]) == (0.5, 0.5)
    assert found["all_categories_at_10"] == round(2 / 3, 4)
    assert found["by_category"] == {"multi": 0.5, "adversarial": 1.0}
    assert (found["abstention"], found["abstention_masked"]) == (0.75, None)
    assert found["ms_per_query"] == 12.3


def test_masking_replaces_every_speaker_of_any_conversation() -> None:
    talks = [Conversation("1", ("Ada Byron", "Ben"), (), ()), Conversation("2", ("Cleo",), (), ())]
    masked = locomo.mask("Did Ada meet Ben and Cleo, or Benny?", talks)
    assert masked == "Did someone meet someone and someone, or Benny?"


def test_locomo_questions_keep_only_evidence_that_exists(tmp_path: Path) -> None:
    folder = tmp_path / "locomo"
    folder.mkdir()
    said = {"dia_id": "D1:1", "speaker": "Ada", "text": "Look", "blip_caption": "a red boat"}
    data = {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_1": [said],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "qa": [
            {"question": "a?", "category": 1, "evidence": ["D1:1; D9:9"]},
            {"question": "b?", "category": 2, "evidence": ["D9:9"]},
        ],
    }
    with gzip.open(folder / "1.json.gz", "wt", encoding="utf-8") as out:
        json.dump(data, out)
    (found,) = load_conversations(tmp_path)
    assert [(one.text, one.evidence) for one in found.asked] == [("a?", frozenset({"D1:1"}))]
    assert found.said[0].text == "Look [shares a red boat]"
    assert found.end == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("order", "newer_first"),
    [([9, 3], True), ([3, 9], False), ([9], True), ([3], False), ([], False)],
)
def test_an_update_counts_only_with_the_newer_statement_first(
    order: list[int], newer_first: bool
) -> None:
    probe = Probe("knowledge_update", "?", "", (3, 9), older=(3,), newer=(9,))
    assert beam_recall.is_newer_first(order, probe) is newer_first


def test_an_update_within_one_message_needs_no_order() -> None:
    probe = Probe("knowledge_update", "?", "", (3,), older=(3,), newer=(3,))
    assert beam_recall.is_newer_first([], probe)


def test_beam_counts_every_ability_alike_by_question() -> None:
    tally = beam_recall.Tally()
    tally.recall["contradiction_resolution"] += [1.0]
    tally.recall["knowledge_update"] += [0.0, 0.5]
    tally.bm25["knowledge_update"] += [0.25]
    tally.update += [0.0, 1.0]
    assert beam_recall.figures(tally) == {
        "recall_at_10": 0.5,
        "contradiction_at_10": 1.0,
        "update_at_10": 0.5,
        "bm25_at_10": 0.25,
    }


def test_an_answer_is_found_by_whole_words_without_case_and_marks() -> None:
    asked = Asked("when?", ("June 3rd", "3 June"))
    assert place_of(asked, ["in july", "It was on JUNE 3rd!"]) == 2
    assert place_of(Asked("how many?", ("3",)), ["13 of them"]) is None


def test_shares_within_the_first_places() -> None:
    assert share_within([1, 5, None, 2], 1) == 0.25
    assert bfcl_memory.figures([1, 5, None, 2], [None, 6, 5, 1]) == {
        "at_1": 0.25,
        "at_5": 0.75,
        "bm25_at_5": 0.5,
    }
