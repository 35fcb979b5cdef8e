"""Threads fall into conversations and topics; nothing is lost, however they are read."""

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configs.segmenting import SegmentationSettings
from memory.segment_shapes import Role, Segment, SourceMessage
from memory.segmentation import Segmenter, SegmentStream, open_segmenter
from models.embedding import LocalEmbedder, open_embedder
from tests.memory.hashing import HashingEmbedder
from tests.memory.talks import message, talk

PLAIN = Segmenter()
HASHED = Segmenter(HashingEmbedder().encode)
AGENTS = ("", "billing", "orders", "billing orders")
TEXTS = (
    "Where is my parcel with the red shoes?",
    "I also need a taxi to Berlin",
    "Thanks, bye!",
    "And that one?",
    "Which city?",
    "Refund INV-1042, please",
    "",
    "ja, das passt 你好",
)


@st.composite
def threads(draw: st.DrawFn) -> list[SourceMessage]:
    """Turns of one to four messages of any role, served by anybody."""
    found: list[SourceMessage] = []
    for turn in range(draw(st.integers(0, 12))):
        agent = draw(st.sampled_from(AGENTS))
        for _ in range(draw(st.integers(1, 4))):
            role: Role = draw(st.sampled_from(("user", "assistant", "tool")))
            text = draw(st.sampled_from(TEXTS))
            found.append(message(len(found), text, role=role, agent=agent, turn=turn))
    return found


def ids(segments: Sequence[Segment]) -> list[str]:
    return [one for segment in segments for one in segment["message_ids"]]


def pieces(messages: Sequence[SourceMessage], cuts: Sequence[int]) -> Iterator[list[SourceMessage]]:
    places = [0, *sorted(cut % (len(messages) + 1) for cut in cuts), len(messages)]
    for first, end in pairwise(places):
        yield list(messages[first:end])


def streamed(stream: SegmentStream, parts: Iterator[list[SourceMessage]]) -> list[Segment]:
    found = [one for part in parts for one in stream.feed(part)]
    return [*found, *stream.close()]


@given(threads())
@settings(max_examples=150, deadline=None)
def test_every_message_is_in_exactly_one_segment_in_its_order(
    messages: list[SourceMessage],
) -> None:
    for segmenter in (PLAIN, HASHED):
        found = segmenter.batch(messages)
        assert ids(found) == [one["id"] for one in messages]
        assert all(one["message_ids"] for one in found)
        assert [each["message_id"] for one in found for each in one["classes"]] == ids(found)


@given(threads(), st.lists(st.integers(0, 60), max_size=12))
@settings(max_examples=150, deadline=None)
def test_a_stream_ends_with_the_segments_of_the_whole(
    messages: list[SourceMessage], cuts: list[int]
) -> None:
    for segmenter in (PLAIN, HASHED):
        whole = segmenter.batch(messages)
        assert streamed(segmenter.stream(), pieces(messages, cuts)) == whole
        assert segmenter.batch(messages) == whole


@given(threads(), st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_what_a_stream_has_given_out_and_what_it_would_give_are_all_messages(
    messages: list[SourceMessage], at: int
) -> None:
    stream = HASHED.stream()
    ended = stream.feed(messages[:at])
    ahead = stream.provisional()
    assert ids([*ended, *ahead]) == [one["id"] for one in messages[:at]]
    assert not any(one["final"] for one in ahead)
    rest = [*stream.feed(messages[at:]), *stream.close()]
    assert [*ended, *rest] == HASHED.batch(messages)


def test_a_long_thread_gives_its_segments_out_before_it_is_closed() -> None:
    stream = PLAIN.stream()
    turns = talk(*[("billing", f"What is INV-{n}?") for n in range(1000, 1005)])
    others = talk(*[("orders", f"Where is ORD-{n}?") for n in range(1000, 1006)], thread="o")
    assert stream.feed(turns) == []
    (first,) = stream.feed(others)
    assert first["message_ids"] == [one["id"] for one in turns]


def test_other_experts_begin_a_conversation() -> None:
    messages = talk(
        ("billing", "What is INV-1042 about?"),
        ("billing", "Refund 120 EUR on it please"),
        ("orders", "Where is ORD-2001?"),
        ("orders", "When does it arrive?"),
    )
    first, second = PLAIN.batch(messages)
    assert (first["agent"], second["agent"]) == (["billing"], ["orders"])
    assert first["conversation_id"] != second["conversation_id"]
    assert (first["cause"], second["cause"].split("+")[0]) == ("start", "agent")
    assert 0.5 < second["score"] < 1


def test_a_question_back_and_a_direct_answer_stay_with_who_served_before() -> None:
    messages = talk(
        ("billing", "Refund INV-1042"),
        ("", "Half of it"),
        ("billing", "Yes"),
        ("", "Thank you"),
    )
    (found,) = PLAIN.batch(messages)
    assert found["agent"] == ["billing"]


def test_a_greeting_belongs_to_the_conversation_it_opens() -> None:
    (found,) = PLAIN.batch(talk(("", "Hello"), ("billing", "What is INV-1042 about?")))
    assert found["agent"] == ["billing"]


def test_a_router_that_errs_once_does_not_cut_a_follow_up() -> None:
    messages = talk(
        ("billing", "List the invoices of Kestrel Freight"),
        ("orders", "The second one"),
        ("billing", "When is it due?"),
    )
    messages[1]["text"] = "There are INV-1042 and INV-1043. Which one do you mean?"
    assert len(PLAIN.batch(messages)) == 1


def test_a_turn_of_two_experts_is_served_by_both() -> None:
    messages = talk(
        ("billing", "What is INV-1042 about?"),
        ("billing", "Who pays it?"),
        ("billing orders", "Show the orders and invoices of Kestrel Freight"),
        ("billing orders", "And those of Otava Robotics in March"),
    )
    assert [one["agent"] for one in PLAIN.batch(messages)][-1] == ["billing", "orders"]


@pytest.mark.parametrize("role", ["tool", "assistant"])
def test_a_thread_without_a_user_is_cut_only_where_the_agent_changes(role: Role) -> None:
    agents = ["billing"] * 4 + ["orders"] * 4
    messages = [
        message(n, f"Result {n} about shoes and taxis", role=role, agent=agent)
        for n, agent in enumerate(agents)
    ]
    assert [len(one["message_ids"]) for one in PLAIN.batch(messages)] == [4, 4]
    assert [len(one["message_ids"]) for one in HASHED.batch(messages)] == [4, 4]


def test_no_messages_are_no_segments() -> None:
    assert PLAIN.batch([]) == []


def test_ten_thousand_messages_are_cut_in_seconds() -> None:
    messages = [
        message(n, TEXTS[n % len(TEXTS)], agent=AGENTS[n // 9 % 4], turn=n // 2)
        for n in range(10_000)
    ]
    started = time.monotonic()
    assert len(ids(PLAIN.batch(messages))) == 10_000
    assert time.monotonic() - started < 10


def test_a_huge_message_is_read_by_its_edges() -> None:
    messages = talk(("billing", "word " * 1_000_000), ("billing", "Where is ORD-2001?"))
    assert len(ids(open_segmenter(SegmentationSettings(), None).batch(messages))) == 4


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return open_embedder()


def test_topics_of_one_thread_are_told_apart_by_the_default_signals(
    embedder: LocalEmbedder,
) -> None:
    said = (
        "I am looking for a train from London Kings Cross to Cambridge on Saturday.",
        "I have 70 trains travelling that route. What time would you like to arrive?",
        "By 20:20, please.",
        "There is one at 19:17 that arrives at 20:08. Would that work for you?",
        "Yes, book it for seven people.",
        "Your reference number is QMD5P3EG. Anything else?",
        "I also need a place to eat in the centre that serves Indian food.",
        "There are nine Indian restaurants. Do you have a price range in mind?",
        "Something cheap.",
        "The Gandhi is cheap and in the centre.",
    )
    messages = [
        message(n, text, role="assistant" if n % 2 else "user", turn=n // 2)
        for n, text in enumerate(said)
    ]
    first, second = open_segmenter(SegmentationSettings(), embedder).batch(messages)
    assert (len(first["message_ids"]), len(second["message_ids"])) == (6, 4)
    assert first["conversation_id"] == second["conversation_id"]
    assert "depth" in second["cause"]
    assert "cambridge" in first["entities"]


def test_an_embedder_without_calibrated_weights_is_not_asked() -> None:
    other = HashingEmbedder()
    found = open_segmenter(SegmentationSettings(entities=False), other)
    assert len(found.batch(talk(("billing", "What is INV-1042 about?")))) == 1
    assert other.calls == 0
