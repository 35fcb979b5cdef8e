import pytest

from evals.tau.arithmetic import calculate
from evals.tau.errors import TauError


@pytest.mark.parametrize(
    ("expression", "value"),
    [("2 + 2", "4.0"), (" (1.5 - 3) * -2", "3.0"), ("7 // 2", "3.0"), ("2 ** 10 / 3", "341.33")],
)
def test_an_expression_is_worked_out_to_two_digits(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    ["", "1 +", "1 / 0", "x + 1", "(1)(2)", "9 ** 9 ** 9 ** 9", "(-1) ** .5", "...", "10 ** 400"],
)
def test_what_has_no_finite_value_is_an_error(expression: str) -> None:
    with pytest.raises(TauError):
        calculate(expression)
