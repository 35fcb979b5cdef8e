"""What a segment is worth: actions with their ends, refusals, corrections, and nothing invented."""

from collections.abc import Sequence

import pytest

from memory.artifacts import Artifacts
from memory.consolidation import Draft, Drafted, Occasion
from memory.database import Database
from memory.drafting import Drafter, Wording
from memory.failing import EDITED
from memory.segment_shapes import SourceMessage
from memory.segmentation import Segmenter
from memory.validation import Sources, Validator
from state import CallRecord, Scope, TurnRecord
from tests.memory.remembered import LEARNABLE, messages_of
from tests.memory.samples import call, turn


async def drafts_of(
    database: Database, *records: TurnRecord, drafter: Drafter | None = None
) -> list[Drafted]:
    maker = drafter or Drafter(Artifacts(database), LEARNABLE)
    messages = messages_of(*records)
    scope = Scope(user="ana")
    return [
        await maker.draft(scope, "t", segment, messages, records)
        for segment in Segmenter().batch(messages)
    ]


async def only(database: Database, *records: TurnRecord) -> list[Draft]:
    (drafted,) = await drafts_of(database, *records)
    return drafted["drafts"]


def read(args: dict[str, object], artifact: str | None = None) -> CallRecord:
    return {**call("run_report", dict(args), effect="read_only"), "artifact": artifact}


async def test_what_was_done_is_one_positive_episode_and_what_failed_another(
    database: Database,
) -> None:
    made = await only(
        database,
        turn(1, "Refund INV-1", "Refused.", call("issue_refund", {"n": 1}, "rejected", "Too much")),
        turn(2, "Then refund less", "Done.", call("issue_refund", {"n": 2})),
    )
    assert [(one["result"], one["turn_id"]) for one in made] == [
        ("positive", "turn-2"),
        ("negative", "turn-1"),
    ]
    failed = made[1]["episode"]
    assert failed["avoid"] == 'A reviewer refused issue_refund with {"n":1} and said: Too much.'
    assert (failed["cause"], failed["alternative"]) == ("Too much", 'issue_refund with {"n":2}')
    assert set(failed["turns"]) == {"turn-1", "turn-2"}


async def test_a_failed_effect_is_a_failure_with_its_cause(database: Database) -> None:
    (made,) = await only(
        database, turn(1, "Refund it", "No.", call("issue_refund", {}, "error", "no such invoice"))
    )
    assert made["result"] == "negative"
    assert made["episode"]["cause"] == "no such invoice"
    assert made["episode"]["constraints"] == ()


async def test_what_a_confirmation_is_about_was_said_before_it(database: Database) -> None:
    (made,) = await only(
        database,
        turn(1, "Please cancel the order ORD-77 for me", "Shall I cancel ORD-77?"),
        turn(2, "Yes, go ahead", "Done.", call("cancel_order", {"id": "ORD-77"})),
    )
    assert made["episode"]["situation"] == "Please cancel the order ORD-77 for me\nYes, go ahead"
    assert "ORD-77" in made["episode"]["entities"]


async def test_a_reviewers_edit_teaches_the_value_that_nobody_had_said(database: Database) -> None:
    note = f'{EDITED} to {{"reason":"goodwill"}}'
    edited = call("issue_refund", {"amount": 5, "reason": "goodwill"}, "ok", note)
    done, lesson = await only(database, turn(1, "Refund 5", "Done.", edited))
    assert (done["result"], lesson["result"]) == ("positive", "mixed")
    assert lesson["episode"]["constraints"][0]["value"] == "goodwill"
    stated = await only(database, turn(1, "Refund 5 as goodwill", "Done.", edited))
    assert [one["result"] for one in stated] == ["positive"]


async def test_a_correction_is_a_failure_of_the_call_before_it(database: Database) -> None:
    made = await only(
        database,
        turn(1, "Usage report please", "Here.", read({"month": "2026-04"})),
        turn(
            2,
            "That report is wrong, the index hint must be idx_day",
            "Here.",
            read({"month": "2026-04", "index_hint": "idx_day"}),
        ),
    )
    (lesson,) = [one for one in made if one["result"] == "negative"]
    episode = lesson["episode"]
    assert [(rule["tool"], rule["value"]) for rule in episode["constraints"]] == [
        ("run_report", "idx_day")
    ]
    assert episode["situation"] == "Usage report please"
    assert "idx_day" in episode["alternative"]


@pytest.mark.parametrize(
    "said",
    ["No, I meant INV-2", "that's wrong", "This is not what I asked for", "You forgot the rest"],
)
async def test_that_something_is_wrong_is_remembered_without_a_rule_too(
    database: Database, said: str
) -> None:
    made = await only(
        database, turn(1, "Refund INV-1", "Done.", call("issue_refund", {})), turn(2, said, "Ok.")
    )
    assert [one["result"] for one in made] == ["positive", "negative"]


@pytest.mark.parametrize(
    "said", ["No problem, thanks", "Thank you", "What about INV-2?", "Is that right?"]
)
async def test_other_remarks_teach_nothing(database: Database, said: str) -> None:
    made = await only(
        database, turn(1, "Refund INV-1", "Done.", call("issue_refund", {})), turn(2, said, "Ok.")
    )
    assert [one["result"] for one in made] == ["positive"]


async def test_a_rule_announced_for_a_tool_by_its_words_is_remembered(database: Database) -> None:
    (made,) = await only(
        database, turn(1, "When you run a report always set index hint to idx_day", "Noted.")
    )
    assert made["episode"]["constraints"][0]["tool"] == "run_report"


async def test_chatter_yields_nothing_with_the_reason(database: Database) -> None:
    (drafted,) = await drafts_of(database, turn(1, "Good morning!", "Hello."))
    assert drafted["drafts"] == []
    assert drafted["nothing"].startswith("no action came to an end")


async def test_looking_up_counts_only_if_what_was_found_is_in_the_answer(
    database: Database,
) -> None:
    artifacts, scope = Artifacts(database), Scope(user="ana")
    await artifacts.put(
        scope, id="art_1", thread="t", turn_id="turn-1", module="m", kind="result",
        text='{"sum": "4,321.50", "of": "ORD-9"}', source="tool",
    )  # fmt: skip
    found = turn(1, "What is the sum?", "It is 4321.50 EUR.", read({}, "art_1"))
    (kept,) = await only(database, found)
    assert (kept["result"], kept["artifacts"]) == ("positive", ["art_1"])
    (drafted,) = await drafts_of(database, turn(1, "And?", "I cannot say.", read({}, "art_1")))
    assert drafted["drafts"] == []
    echoed = turn(1, "Is it 4321.50?", "You said 4321.50.", read({}, "art_1"))
    (drafted,) = await drafts_of(database, echoed)
    assert drafted["drafts"] == []


async def test_the_same_segment_gives_the_same_ids(database: Database) -> None:
    record = turn(1, "Refund INV-1", "Done.", call("issue_refund", {}))
    assert await drafts_of(database, record) == await drafts_of(database, record)


class BrokenWriter:
    async def word(
        self,
        messages: Sequence[SourceMessage],
        drafts: Sequence[Draft],
        feedback: str,
        occasion: Occasion,
    ) -> Wording:
        assert occasion == Occasion("t", 1)
        return Wording(fault="prose")


async def test_the_last_try_is_worded_by_rules_so_nothing_is_lost(database: Database) -> None:
    record = turn(1, "Refund INV-1", "Done.", call("issue_refund", {}))
    drafter = Drafter(Artifacts(database), LEARNABLE, BrokenWriter())
    (drafted,) = await drafts_of(database, record, drafter=drafter)
    assert (drafted["drafts"], drafted["fault"]) == ([], "prose")
    messages = messages_of(record)
    (segment,) = Segmenter().batch(messages)
    last = await drafter.draft(
        Scope(user="ana"), "t", segment, messages, [record], "prose", plain=True
    )
    assert [one["result"] for one in last["drafts"]] == ["positive"]


async def test_an_episode_names_its_topic_by_nothing_but_what_it_cites(database: Database) -> None:
    records = (
        turn(1, "Hello, I am emma_smith_9828 and have a question", "Which one?"),
        turn(2, "What may I bring on board in general?", "One bag."),
        turn(3, "Cancel reservation GV1N64 then", "Done.", call("cancel", {"id": "GV1N64"})),
    )
    messages = messages_of(*records)
    (segment,) = Segmenter().batch(messages)
    segment |= {"topic": "emma_smith_9828 cancel", "entities": ["emma_smith_9828", "GV1N64"]}
    maker = Drafter(Artifacts(database), LEARNABLE)
    drafted = await maker.draft(Scope(user="ana"), "t", segment, messages, records)
    verdict = await Validator().validate(drafted, sources_of(messages, records), Occasion("t", 0))
    assert verdict["verdict"] == "accept"
    assert "9828" not in drafted["drafts"][0]["episode"]["topic"]
    assert "GV1N64" in drafted["drafts"][0]["episode"]["topic"]


def sources_of(messages: Sequence[SourceMessage], records: Sequence[TurnRecord]) -> Sources:
    return Sources(
        messages={one["id"]: one for one in messages},
        turns={one["id"]: one for one in records},
        artifacts=set(),
    )
