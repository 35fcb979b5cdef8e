import pytest

from graph import cli_run
from graph.errors import EmptyText, NotYourThread, UnknownThread
from graph.replies import Event, Reply
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk, action


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> FakeDesk:
    fake = FakeDesk()
    monkeypatch.setattr(cli_run, "open_app_desk", fake.open)
    return fake


@pytest.fixture
def shell(desk: FakeDesk) -> Shell:
    return Shell(desk)


def test_a_turn_shows_who_is_asked_which_tools_run_and_the_answer(
    shell: Shell, desk: FakeDesk
) -> None:
    plan = {"experts": [{"name": "orders", "question": "where is it"}], "reason": "an order"}
    desk.events = [
        Event("plan", {"plan": plan}),
        Event("consult", {"name": "orders", "question": "where is it"}),
        Event("tool", {"name": "get_order", "args": {"order_id": "ORD-1"}, "status": "ok"}),
        Event("note", {"text": "memory is off"}),
    ]
    desk.replies = [Reply("done", "It is on its way.", "t1")]
    assert shell("chat", "--thread", "t1", typed="where is it\n") == 0
    for line in (
        "· an order",
        "· asking orders: where is it",
        '  → get_order {"order_id": "ORD-1"} ok',
        "· memory is off",
        "It is on its way.",
    ):
        assert line in shell.out


def test_streamed_words_are_not_printed_twice(shell: Shell, desk: FakeDesk) -> None:
    desk.events = [Event("token", {"text": "It is "}), Event("token", {"text": "here."})]
    desk.replies = [Reply("done", "It is here.", "main")]
    shell("chat", typed="where\n")
    assert shell.out.count("It is here.") == 1


def test_empty_lines_are_not_sent_and_exit_ends(shell: Shell, desk: FakeDesk) -> None:
    assert shell("chat", typed="\n   \n/exit\nlost\n") == 0
    assert desk.called("stream") == []
    assert desk.closed == 1


def test_an_approval_is_asked_in_line_and_the_turn_goes_on(shell: Shell, desk: FakeDesk) -> None:
    desk.replies = [
        Reply("waiting", "", "main", pending=[action()]),
        Reply("done", "Refunded 20.00.", "main"),
    ]
    assert shell("chat", typed="refund it\na\n") == 0
    assert "Approval needed: issue_refund" in shell.out
    assert "Refunded 20.00." in shell.out
    assert desk.called("decide")[0]["decisions"] == [{"id": action().id, "type": "approve"}]


def test_an_approval_that_is_put_off_stays_open_and_gives_three(
    shell: Shell, desk: FakeDesk
) -> None:
    desk.replies = [Reply("waiting", "", "main", pending=[action()])]
    assert shell("chat", "--user", "ada", typed="refund it\nl\n") == 3
    assert "`hippograph pending main --user ada`" in shell.err


def test_what_is_open_from_before_is_asked_first(shell: Shell, desk: FakeDesk) -> None:
    desk.waiting = [action()]
    desk.replies = [Reply("done", "Not refunded.", "main")]
    assert shell("chat", typed="r\ntoo much\n") == 0
    assert desk.called("decide")[0]["decisions"][0]["message"] == "too much"


def test_a_message_that_cannot_be_taken_does_not_end_the_conversation(
    shell: Shell, desk: FakeDesk
) -> None:
    desk.replies = [EmptyText(), Reply("done", "Hello.", "main")]
    assert shell("chat", typed="x\nhello\n") == 0
    assert "came an empty text" in shell.err
    assert "Hello." in shell.out


def test_a_desk_that_does_not_open_ends_the_chat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(door: object) -> object:
        raise NotYourThread("main")

    monkeypatch.setattr(cli_run, "open_app_desk", refuse)
    assert Shell(FakeDesk())("chat", typed="hello\n") == 2


def test_the_end_of_the_input_at_an_approval_leaves_it_open_and_gives_three(
    shell: Shell, desk: FakeDesk
) -> None:
    desk.replies = [Reply("waiting", "", "t1", pending=[action()])]
    assert shell("chat", "--thread", "t1", typed="refund it\n") == 3
    assert "Nothing was run. The question stays open." in shell.out
    assert "`hippograph decide t1 --approve ID|all`" in shell.err
    assert desk.called("decide") == []


def test_a_new_name_begins_a_conversation(
    shell: Shell, desk: FakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unknown(thread: str, **_given: object) -> None:
        raise UnknownThread(thread)

    monkeypatch.setattr(desk, "pending", unknown)
    desk.replies = [Reply("done", "Hello.", "new")]
    assert shell("chat", "--thread", "new", typed="hello\n") == 0
    assert "Hello." in shell.out
    assert shell.err == ""
