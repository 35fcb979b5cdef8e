from collections.abc import Callable, Iterator

import pytest

from graph.cli_decisions import DecisionFlags, ask_each, check_flags, from_flags, show_action
from graph.cli_options import UsageError
from graph.cli_screen import Screen
from graph.replies import PendingAction
from tests.graph.fake_desk import action

REFUND = action()
VOID = action("void_invoice")
UNSETTLED = action("send_mail", kind="settle", allowed=["respond"])


def answers(*given: str) -> "Iterator[str]":
    return iter(given)


def ends_after(*given: str) -> Callable[[str], str]:
    """A prompt whose input ends, as `input` says it."""
    left = list(given)

    def ask(_question: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return ask


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (DecisionFlags(), "nothing is decided"),
        (DecisionFlags(cancel=True, approve=["all"]), "without other decisions"),
        (DecisionFlags(edit="x"), "go together"),
        (DecisionFlags(approve=["x"], arguments="{}"), "go together"),
        (DecisionFlags(respond=["x"]), "needs --message"),
        (DecisionFlags(approve=["x"], message="why"), "belongs to --reject or --respond"),
    ],
)
def test_flags_that_do_not_fit_together_are_refused(flags: DecisionFlags, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_flags(flags, "main")


def test_each_kind_of_flag_becomes_its_decision() -> None:
    flags = DecisionFlags(
        approve=[REFUND.id], reject=[VOID.id], respond=[UNSETTLED.id], message="happened"
    )
    check_flags(flags, "main")
    assert from_flags(flags, [REFUND, VOID, UNSETTLED]) == [
        {"id": REFUND.id, "type": "approve"},
        {"id": VOID.id, "type": "reject", "message": "happened"},
        {"id": UNSETTLED.id, "type": "respond", "message": "happened"},
    ]


def test_an_edit_keeps_the_arguments_that_do_not_change() -> None:
    flags = DecisionFlags(edit=REFUND.id, arguments='{"amount": "5.00"}')
    assert from_flags(flags, [REFUND]) == [
        {
            "id": REFUND.id,
            "type": "edit",
            "edited_action": {
                "name": "issue_refund",
                "args": {"invoice_id": "INV-1", "amount": "5.00"},
            },
        }
    ]


@pytest.mark.parametrize("text", ["{", "[1]", "5"])
def test_edited_arguments_have_to_be_a_json_object(text: str) -> None:
    with pytest.raises(UsageError, match="wanted the changed arguments as a JSON object"):
        from_flags(DecisionFlags(edit=REFUND.id, arguments=text), [REFUND])


def test_all_leaves_out_actions_whose_outcome_is_unknown() -> None:
    decisions = from_flags(DecisionFlags(approve=["all"]), [REFUND, UNSETTLED])
    assert [decision["id"] for decision in decisions] == [REFUND.id]


def test_all_can_be_rejected() -> None:
    flags = DecisionFlags(reject=["all"], message="not now")
    assert from_flags(flags, [REFUND, UNSETTLED]) == [
        {"id": REFUND.id, "type": "reject", "message": "not now"}
    ]


def test_all_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing on this thread waits"):
        from_flags(DecisionFlags(approve=["all"]), [UNSETTLED])


def test_deciding_an_action_twice_is_refused() -> None:
    flags = DecisionFlags(approve=["all"], reject=[REFUND.id])
    with pytest.raises(UsageError, match="decided twice"):
        from_flags(flags, [REFUND])


@pytest.mark.parametrize("given", [REFUND.id, "call_issue_refund", "eff_issu"])
def test_an_action_is_known_by_id_by_tool_call_or_by_a_beginning(given: str) -> None:
    assert from_flags(DecisionFlags(approve=[given]), [REFUND, VOID])[0]["id"] == REFUND.id


@pytest.mark.parametrize("given", ["eff_", "eff", "else"])
def test_a_beginning_that_fits_several_or_is_short_stays_as_it_is(given: str) -> None:
    assert from_flags(DecisionFlags(approve=[given]), [REFUND, VOID])[0]["id"] == given


@pytest.mark.parametrize("given", ["eff_iss", "eff_", "eff", "e", ""])
def test_a_beginning_without_four_characters_of_its_own_names_no_action(given: str) -> None:
    """All ids begin with `eff_`: it says nothing, even where a single action waits."""
    assert from_flags(DecisionFlags(approve=[given]), [REFUND])[0]["id"] == given


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        (["a"], {"type": "approve"}),
        (["?", "", "APPROVE"], {"type": "approve"}),
        (["r", "too much"], {"type": "reject", "message": "too much"}),
        (["s", "done by hand"], {"type": "respond", "message": "done by hand"}),
        (
            ["e", "nonsense", '{"amount": "5.00"}'],
            {
                "type": "edit",
                "edited_action": {
                    "name": "issue_refund",
                    "args": {"invoice_id": "INV-1", "amount": "5.00"},
                },
            },
        ),
    ],
)
def test_an_answer_at_the_prompt_becomes_its_decision(
    typed: list[str], decision: dict[str, object]
) -> None:
    given = answers(*typed)
    assert ask_each([REFUND], Screen(), lambda _: next(given)) == [{"id": REFUND.id} | decision]


def test_later_leaves_an_action_open() -> None:
    given = answers("l", "a")
    decided = ask_each([REFUND, VOID], Screen(), lambda _: next(given))
    assert [decision["id"] for decision in decided] == [VOID.id]


def test_a_kind_that_is_not_offered_is_asked_again() -> None:
    given = answers("e", "a")
    decided = ask_each([action(allowed=["approve"])], Screen(), lambda _: next(given))
    assert decided[0]["type"] == "approve"


@pytest.mark.parametrize(
    ("typed", "message"), [("y", "happened"), ("n", "not_happened"), ("no", "not_happened")]
)
def test_an_unknown_outcome_is_asked_as_a_question_of_fact(typed: str, message: str) -> None:
    decided = ask_each([UNSETTLED], Screen(), lambda _: typed)
    assert decided == [{"id": UNSETTLED.id, "type": "respond", "message": message}]


@pytest.mark.parametrize("typed", [[], ["?"], ["e"], ["e", "[1]"], ["r"], ["s"]])
@pytest.mark.parametrize("waiting", [REFUND, UNSETTLED])
def test_the_end_of_the_input_leaves_an_action_open(
    typed: list[str], waiting: PendingAction
) -> None:
    assert ask_each([waiting], Screen(), ends_after(*typed)) == []


def test_the_end_of_the_input_keeps_what_was_decided_before() -> None:
    decided = ask_each([REFUND, VOID], Screen(), ends_after("a"))
    assert decided == [{"id": REFUND.id, "type": "approve"}]


def test_an_unknown_outcome_can_be_left_open() -> None:
    assert ask_each([UNSETTLED], Screen(), lambda _: "l") == []


def test_an_action_cannot_draw_on_the_reviewers_screen(capsys: pytest.CaptureFixture[str]) -> None:
    tricky = action(args={"note": "\x1b[2Kpay \u202e00.02"}, reasons=["[bold]x[/bold]"])
    show_action(tricky, Screen())
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[bold]x[/bold]" in shown
