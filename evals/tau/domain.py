"""What both domains share: calling by name, failing without a trace, and three tools."""

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, get_origin, get_type_hints

from evals.tau.arithmetic import calculate
from evals.tau.errors import PartialChange, TauError
from evals.tau.records import Record, Records

HANDED_OVER = "The conversation was handed over to a human colleague."
FAULTS = (
    TypeError,
    LookupError,
    ValueError,
    AttributeError,
    ArithmeticError,
    StopIteration,
)


class Domain:
    """One conversation's tools over its records; every public name in `tools` is callable."""

    tools: ClassVar[tuple[str, ...]] = ("calculate", "think", "transfer_to_human_agents")
    writes: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, records: Records) -> None:
        """Work on `records`, which keep the changes."""
        self.records = records

    def run(self, name: str, arguments: Mapping[str, Any]) -> object:
        """Call a tool; either all of its changes are kept or none.

        Raises:
            TauError: the call cannot be carried out.
        """
        trial = type(self)(self.records.fork())
        tool = getattr(trial, name)
        _check(tool, arguments)
        try:
            result = tool(**arguments)
        except PartialChange:
            self.records.take(trial.records)
            raise
        except FAULTS as error:
            raise TauError(f"cannot carry out {name}: {error!r}") from error
        self.records.take(trial.records)
        return result

    def observe(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The observation text of a call, errors included; never raises for a tool's fault."""
        if name not in self.tools:
            return f"Unknown action {name!r}"
        try:
            result = self.run(name, arguments)
        except TauError as error:
            return f"Error: {error}"
        return result if isinstance(result, str) else json.dumps(result)

    def calculate(self, *, expression: str) -> str:
        """Work out an arithmetic expression, rounded to two digits."""
        return calculate(expression)

    def think(self, *, thought: str) -> str:
        """Note a thought; changes nothing and answers nothing."""
        return ""

    def transfer_to_human_agents(self, *, summary: str) -> str:
        """Hand the conversation over to a person with a summary."""
        return HANDED_OVER

    def _need(self, table: str, key: str, what: str) -> Record:
        record = self.records.find(table, key)
        if record is None:
            raise TauError(f"{what} {key!r} not found", kind="not_found")
        return record

    def _method(self, user_id: str, method_id: str) -> Record:
        methods: dict[str, Record] = self._need("users", user_id, "user")["payment_methods"]
        if method_id not in methods:
            raise TauError(f"payment method {method_id!r} not found", kind="not_found")
        return methods[method_id]


def _check(tool: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    try:
        inspect.signature(tool).bind(**arguments)
    except TypeError as error:
        raise TauError(f"wrong arguments: {error}", kind="invalid_arguments") from error
    hints = get_type_hints(tool)
    for name, value in arguments.items():
        hint = hints[name]
        wanted = list if get_origin(hint) is list else hint
        if not isinstance(value, wanted) or isinstance(value, bool):
            message = f"argument {name!r}: wanted {wanted}, got {value!r}"
            raise TauError(message, kind="invalid_arguments")
