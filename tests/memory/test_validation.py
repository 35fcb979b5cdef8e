"""A draft is checked against what was said and done before it may become an episode."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memory.artifacts import Artifacts
from memory.consolidation import Draft, Occasion, drafted
from memory.database import Database
from memory.drafting import Drafter
from memory.segment_shapes import Segment, SourceMessage
from memory.segmentation import Segmenter
from memory.validation import Opinion, Sources, Validator, fault_of
from state import Scope
from tests.memory.remembered import LEARNABLE, messages_of
from tests.memory.samples import call, turn

RECORD = turn(1, "Refund 20 EUR on INV-1", "Done: 20 EUR.", call("issue_refund", {"amount": 20}))
MESSAGES = messages_of(RECORD)
PLACE = Occasion("default:t", 1)
SOURCES = Sources(
    messages={one["id"]: one for one in MESSAGES}, turns={RECORD["id"]: RECORD}, artifacts=()
)


@pytest.fixture
def segment() -> Segment:
    (made,) = Segmenter().batch(MESSAGES)
    return made


@pytest.fixture
async def draft(database: Database, segment: Segment) -> Draft:
    drafter = Drafter(Artifacts(database), LEARNABLE)
    made = await drafter.draft(Scope(user="ana"), "t", segment, MESSAGES, [RECORD])
    return made["drafts"][0]


def changed(draft: Draft, **episode: Any) -> Draft:  # noqa: ANN401 - JSON
    return {**draft, "episode": {**draft["episode"], **episode}}


def test_a_true_draft_has_no_fault(draft: Draft) -> None:
    assert fault_of(draft, SOURCES) == ""


def test_an_id_is_the_same_without_its_separator(draft: Draft) -> None:
    assert fault_of(changed(draft, topic="refund inv1, 20 eur"), SOURCES) == ""


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda d: changed(d, messages=("msg_invented",)), "cites the message"),
        (lambda d: changed(d, turns=("turn-9",)), "cites the turn"),
        (lambda d: {**d, "artifacts": ["art_invented"]}, "cites the artifact"),
        (
            lambda d: changed(d, actions=({"tool": "wipe", "arguments": {}, "outcome": "done"},)),
            "nobody called wipe",
        ),
        (
            lambda d: changed(
                d,
                actions=({"tool": "issue_refund", "arguments": {"amount": 21}, "outcome": "done"},),
            ),
            "nobody called issue_refund",
        ),
        (lambda d: changed(d, actions=()), "has no action"),
        (
            lambda d: changed(
                d, actions=({"tool": "issue_refund", "arguments": {"amount": 20}, "outcome": ""},)
            ),
            "has no outcome",
        ),
        (lambda d: changed(d, situation=" "), "does not say what was wanted"),
        (lambda d: {**d, "result": "negative"}, "has to say what to avoid"),
        (lambda d: changed(d, observation="Refunded 2,000 EUR"), "2000"),
        (lambda d: changed(d, lesson="Like with INV-77"), "inv77"),
    ],
)
def test_what_no_source_says_is_sent_back(
    draft: Draft, change: Callable[[Draft], Draft], fault: str
) -> None:
    assert fault in fault_of(change(draft), SOURCES)


class SetJudge:
    def __init__(self, opinion: Opinion) -> None:
        self.opinion = opinion

    async def judge(
        self, messages: Sequence[SourceMessage], draft: Draft, occasion: Occasion
    ) -> Opinion:
        assert occasion == PLACE
        assert [one["role"] for one in messages] == ["user", "assistant"]
        return self.opinion


@pytest.mark.parametrize(
    ("opinion", "verdict"),
    [
        (Opinion("accept"), "accept"),
        (Opinion("discard", "chatter"), "discard"),
        (Opinion("feedback", "say more"), "feedback"),
        (Opinion("failed", "400"), "failed"),
        (Opinion("waits", "503"), "waits"),
    ],
)
async def test_a_judge_has_the_last_word_and_one_that_is_down_is_no_discard(
    draft: Draft, segment: Segment, opinion: Opinion, verdict: str
) -> None:
    found = await Validator(SetJudge(opinion)).validate(drafted(segment, [draft]), SOURCES, PLACE)
    assert found["verdict"] == verdict
    assert opinion.reason in found["reason"]


async def test_a_failed_extractor_is_never_nothing_to_remember(segment: Segment) -> None:
    validator = Validator()
    failed = await validator.validate(drafted(segment, failed="timeout"), SOURCES, PLACE)
    nothing = await validator.validate(drafted(segment, nothing="chatter"), SOURCES, PLACE)
    prose = await validator.validate(drafted(segment, fault="prose"), SOURCES, PLACE)
    waits = await validator.validate(drafted(segment, waits="503"), SOURCES, PLACE)
    verdicts = [one["verdict"] for one in (failed, nothing, prose, waits)]
    assert verdicts == ["failed", "discard", "feedback", "waits"]
