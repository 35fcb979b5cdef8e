"""Whether a call may run: a known tool, this expert's, arguments as the tool takes them."""

from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from state import ToolCall, canonical_json
from tools.decisions import shown
from tools.effects import plain_args
from tools.errors import ToolError
from tools.registry import Registry
from tools.spec import CallSite, ToolSpec

ARGUMENT_CHARS: Final = 20_000
SHOWN_FAULTS: Final = 3


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """A call that may run.

    Attributes:
        spec: its tool.
        id: the model's tool-call id.
        args: plain JSON; for an effect with the defaults filled in, as a person sees them.
        values: the validated arguments.
    """

    spec: ToolSpec
    id: str
    args: dict[str, Any]
    values: BaseModel

    @property
    def call(self) -> ToolCall:
        """The call with its checked arguments."""
        return {"id": self.id, "name": self.spec.name, "args": self.args}


def check_call(registry: Registry, call: ToolCall, site: CallSite) -> CheckedCall:
    """Check a call of an expert for the person it works for.

    Raises:
        ToolError: unknown_tool, not_permitted or invalid_arguments: what was wanted, what came.
    """
    name, expert = call["name"], site.expert
    spec = registry.get(name)
    if spec is None:
        known = ", ".join(found.name for found in registry.for_expert(expert))
        message = f"wanted one of {known or 'no tool at all'}, came {shown(name)}"
        raise ToolError(message, kind="unknown_tool")
    if not spec.serves(expert):
        message = f"{name} belongs to {spec.expert}, not to {expert}"
        raise ToolError(message, kind="not_permitted", hint=f"leave it to {spec.expert}")
    check_teams(spec, site)
    return checked_args(spec, call["id"], call["args"])


def check_teams(spec: ToolSpec, site: CallSite) -> None:
    """Make sure that the person may use the tool.

    Raises:
        ToolError: not_permitted, with the teams that may.
    """
    if spec.allowed_teams and set(spec.allowed_teams).isdisjoint(site.teams):
        teams = ", ".join(spec.allowed_teams)
        message = f"{spec.name} is for members of {teams}, and {site.user} is in none of them"
        raise ToolError(message, kind="not_permitted", hint="tell the user who may do this")


def checked_args(spec: ToolSpec, call_id: str, args: object) -> CheckedCall:
    """Check arguments against the tool's signature; JSON types are not coerced.

    Raises:
        ToolError: invalid_arguments, with what was wanted and what came for each.
    """
    try:
        text = canonical_json(plain_args(args))
        if len(text) > ARGUMENT_CHARS:
            message = f"at most {ARGUMENT_CHARS} characters of arguments, came {len(text)}"
            raise ValueError(message)
        values = spec.arguments.model_validate_json(text)
        given = values.model_dump(
            mode="json", by_alias=True, exclude_unset=spec.effect == "read_only"
        )
        return CheckedCall(spec, call_id, plain_args(given), values)
    except ValidationError as error:
        message = f"{spec.name}: {_faults(error)}"
        raise ToolError(message, kind="invalid_arguments") from error
    except (TypeError, ValueError) as error:
        message = f"{spec.name}: {error}"
        raise ToolError(message, kind="invalid_arguments") from error


def _faults(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False)
    parts = []
    for fault in found[:SHOWN_FAULTS]:
        place = ".".join(str(part) for part in fault["loc"]) or "arguments"
        came = "" if fault["type"] == "missing" else f", came {shown(fault['input'])}"
        parts.append(f"{place}: {fault['msg']}{came}")
    if len(found) > SHOWN_FAULTS:
        parts.append(f"and {len(found) - SHOWN_FAULTS} more")
    return "; ".join(parts)
