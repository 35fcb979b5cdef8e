"""How consolidated runs are compared with what was recorded."""

from dataclasses import replace

from evals.hippocampus import kept_right, lost, successes
from evals.tau.tasks import Action, Exchange, Run
from memory.episodes import Action as Done
from memory.episodes import Episode, EpisodeItem
from memory.segments import SegmentRow
from state import Scope
from tests.memory.samples import item

WRITE = Action("cancel_reservation", {"reservation_id": "ABC"})
READ = Action("get_user_details", {"user_id": "mia"})
ROW = SegmentRow(
    id="s", conversation_id="c", message_ids=("m1", "m2"), turn_ids=("t",), agent=(), cause="start",
    score=1.0, final=True, domain="", operation="", entities=(), topic="", state="episode",
    episode_ids=("e",), reason="",
)  # fmt: skip


def kept(*actions: Done, result: str = "positive") -> EpisodeItem:
    episode = Episode(agent=(), situation="s", actions=actions, observation="")
    return item(Scope(user="u"), "t", "x", kind="episode", episode=episode, result=result)


def test_only_writes_without_an_error_are_expected() -> None:
    exchange = Exchange("hi", (READ, WRITE, WRITE), ("{}", "Error: no", "{}"), "done")
    assert successes(Run(1, 0, 1.0, (exchange,), ended=True)) == [WRITE]


def test_a_write_is_right_with_its_arguments_its_end_and_its_sign_and_counts_once() -> None:
    done = Done(WRITE.name, dict(WRITE.arguments), "done")
    assert kept_right([WRITE], [kept(done)]) == 1
    assert kept_right([WRITE, WRITE], [kept(done)]) == 1
    assert kept_right([WRITE, WRITE], [kept(done, done)]) == 2
    assert kept_right([WRITE], [kept(done, result="negative")]) == 0
    assert kept_right([WRITE], [kept(replace(done, outcome="failed: no"))]) == 0
    assert kept_right([WRITE], [kept(replace(done, arguments={}))]) == 0


def test_a_message_is_lost_unless_it_is_in_one_segment_that_has_ended_as_it_should() -> None:
    assert lost(["m1", "m2"], [ROW]) == 0
    assert lost(["m1", "m2", "m3"], [ROW]) == 1
    assert lost(["m1"], [ROW, replace(ROW, id="other")]) == 1
    assert lost(["m1", "m2"], [replace(ROW, state="open")]) == 2
    assert lost(["m1", "m2"], [replace(ROW, state="discarded", reason="")]) == 2
