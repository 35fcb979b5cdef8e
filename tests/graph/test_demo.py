"""What the demo takes for a failure; `make demo` itself runs its steps for real."""

from graph.cli_options import OK, WAITING
from graph.demo import REFUND, STEPS, Step


def test_a_step_that_ends_otherwise_than_it_should_is_a_fault() -> None:
    step = Step("a refund pauses", ("ask",), WAITING)
    assert step.fault(OK, "") == "wanted exit code 3, came 0"
    assert step.fault(WAITING, "") == ""


def test_a_later_session_that_recalls_nothing_is_a_fault() -> None:
    (step,) = [step for step in STEPS if "friday" in step.arguments]
    said = step.fault(OK, "I remember nothing about that.")
    assert said == f"wanted {REFUND} in what the command says, came nothing of it"
    assert step.fault(OK, f"refund id: {REFUND}") == ""
