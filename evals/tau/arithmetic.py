"""A pocket calculator that cannot run code and cannot hang."""

import ast
import math
import operator
from collections.abc import Callable

from evals.tau.errors import TauError

Number = int | float | complex
ALLOWED = frozenset("0123456789+-*/(). ")
MAX_BITS = 100_000
MAX_CHARS = 2_000


def _power(base: Number, exponent: Number) -> Number:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and abs(base) > 1 and exponent * math.log2(abs(base)) > MAX_BITS:  # type: ignore[operator]  # both are int
        raise OverflowError
    return operator.pow(base, exponent)  # type: ignore[no-any-return]  # overloads lose the type


BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: _power,
}


def calculate(expression: str) -> str:
    """The value rounded to two digits as Python prints a float.

    Raises:
        TauError: a character outside digits, operators and brackets, or no finite result.
    """
    if not set(expression) <= ALLOWED or len(expression) > MAX_CHARS:
        raise TauError("invalid characters in expression", kind="invalid_arguments")
    try:
        tree = ast.parse(expression.lstrip(" "), mode="eval")
        return str(round(float(_value(tree.body)), 2))  # type: ignore[arg-type]  # complex: TypeError
    except (SyntaxError, ArithmeticError, TypeError, ValueError, RecursionError, MemoryError) as e:
        raise TauError(f"cannot evaluate {expression!r}", kind="invalid_arguments") from e


def _value(node: ast.expr) -> Number:
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return BINARY[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    raise TypeError(ast.dump(node))
