"""What a tool is: its five parts, its effect class, its arguments; and how one is loaded.

A tool function is a plain typed function, sync or async. Its optional first parameter `context`
is injected; every other parameter is an argument, described by `Annotated[T, Field(...)]`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel

from configs.errors import InvalidConfig
from configs.expert import CHANGES_RECORDS, NamesConfig
from configs.sandbox import SANDBOX, SandboxSettings
from configs.settings import ToolConfig
from state import Effect
from tools.errors import ToolError
from tools.signatures import Place, argument_model, import_function, json_schema

__all__ = ["EVERY_EXPERT", "CallSite", "ToolContext", "ToolError", "ToolSpec", "load_tool"]

ToolFunction: TypeAlias = Callable[..., Any]

EVERY_EXPERT: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a tool may know about the run that calls it; `today` is the app's day."""

    app_dir: Path
    data_dir: Path
    tenant: str
    user: str
    teams: tuple[str, ...]
    thread: str
    idempotency_key: str
    sandbox: SandboxSettings = SANDBOX
    expert: str = ""
    today: date = field(default_factory=date.today)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSite:
    """Where a call comes from: who asked, in which thread and turn, through which expert."""

    tenant: str
    user: str
    teams: tuple[str, ...]
    thread: str
    turn_id: str
    expert: str


@dataclass(frozen=True, kw_only=True)
class ToolSpec:
    """One tool as experts see it and the executor runs it.

    Attributes:
        title: the name that configuration and people use, where it is not `name`.
        shared_with: experts beside `expert` that may call it.
        approval: whether a person must agree before the tool runs.
        learnable: arguments that a recalled lesson may set.
        settle: looks up whether an effect found started has happened; None when there is no way.
        compensation: the tool that undoes this one.
        source: where the results come from, for the taint of what is stored.
        allowed_teams: only their members may use it; empty for everybody.
        tries: how often a read is tried while its errors say that it may work later.
        max_calls: how often it may be called in one turn; None for any number.
        cost_usd: of one call.
        cache_s: how long a read's result is used again for the same scope; 0 for never.
        trusted: whether nobody from outside writes into its results.
        names: by parameter, where the names come from that it takes.
    """

    name: str
    title: str = ""
    expert: str
    shared_with: tuple[str, ...] = ()
    description: str
    when: str = ""
    when_not: str = ""
    returns: str = ""
    constraints: str = ""
    effect: Effect = "read_only"
    approval: bool = False
    approver_teams: tuple[str, ...] = ()
    learnable: tuple[str, ...] = ()
    timeout_s: float = 30.0
    max_output_tokens: int = 2000
    arguments: type[BaseModel]
    function: ToolFunction
    settle: ToolFunction | None = None
    compensation: str | None = None
    examples: tuple[str, ...] = ()
    source: Literal["tool", "recalled"] = "tool"
    allowed_teams: tuple[str, ...] = ()
    tries: int = 1
    max_calls: int | None = None
    cost_usd: float = 0.0
    cache_s: float = 0.0
    trusted: bool = False
    names: Mapping[str, NamesConfig] = field(default_factory=dict)

    def serves(self, expert: str) -> bool:
        """Whether the expert may call the tool."""
        return expert in (self.expert, *self.shared_with) or self.expert == EVERY_EXPERT

    @cached_property
    def full_description(self) -> str:
        """The five parts as the text a model reads."""
        labelled = (
            ("Use when", self.when),
            ("Do not use when", self.when_not),
            ("Returns", self.returns),
            ("Constraints", self._all_constraints()),
        )
        lines = [self.description.strip()]
        lines += [f"{label}: {text.strip()}" for label, text in labelled if text.strip()]
        return "\n".join(lines)

    def _all_constraints(self) -> str:
        said = [self.constraints.strip()] if self.constraints.strip() else []
        if self.effect != "read_only":
            said.append(CHANGES_RECORDS)
        if self.approval:
            said.append("Runs only after a person has approved it.")
        return " ".join(said)

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        return json_schema(self.arguments)

    def openai_schema(self) -> dict[str, Any]:
        """The tool as an entry of an OpenAI-style `tools` array."""
        function = {
            "name": self.name,
            "description": self.full_description,
            "parameters": self._parameters,
        }
        return {"type": "function", "function": function}

    def anthropic_schema(self) -> dict[str, Any]:
        """The tool as an entry of an Anthropic-style `tools` array."""
        return {
            "name": self.name,
            "description": self.full_description,
            "input_schema": self._parameters,
        }


@lru_cache(maxsize=1024)
def _arguments(function: ToolFunction, name: str, at: Place) -> type[BaseModel]:
    """The model of an imported function, which stays; it is made once for all desks."""
    return argument_model(function, name, at)


def load_tool(
    config: ToolConfig,
    app_dir: Path,
    expert: str,
    *,
    timeout_s: float = 30.0,
    max_output_tokens: int = 2000,
    tries: int = 3,
) -> ToolSpec:
    """Import a configured tool's function and describe it.

    Args:
        config: the tool's entry in its expert's file.
        app_dir: folder that `file.py:function` references are relative to.
        expert: the expert that holds the tool.
        timeout_s: for a tool that sets none.
        max_output_tokens: for a tool that sets none.
        tries: for a read that sets none.

    Raises:
        ConfigError: a reference cannot be imported, or its signature cannot be described.
    """
    at = Place(str(app_dir / "experts" / f"{expert}.yaml"), f"tools.{config.name}")
    function = import_function(config.function, app_dir, at.key("function"))
    settle = config.settle and import_function(config.settle, app_dir, at.key("settle"))
    arguments = _arguments(function, config.name, at.key("function"))
    known = [found.alias or name for name, found in arguments.model_fields.items()]
    for name in config.learnable:
        if name not in known:
            raise InvalidConfig(
                *at.key("learnable"), wanted=f"an argument ({', '.join(known)})", came=repr(name)
            )
    for name in config.parameters:
        if name not in known:
            raise InvalidConfig(
                *at.key("parameters"), wanted=f"an argument ({', '.join(known)})", came=repr(name)
            )
    return ToolSpec(
        name=config.name,
        expert=expert,
        description=config.description,
        when=config.when,
        when_not=config.when_not,
        returns=config.returns,
        constraints=config.constraints,
        effect=config.effect,
        approval=config.approval,
        approver_teams=config.approver_teams,
        learnable=config.learnable,
        timeout_s=config.timeout_s or timeout_s,
        max_output_tokens=config.max_output_tokens or max_output_tokens,
        arguments=arguments,
        function=function,
        settle=settle or None,
        compensation=config.compensation,
        examples=config.examples,
        allowed_teams=config.allowed_teams,
        tries=1 if config.effect != "read_only" else config.tries or tries,
        max_calls=config.max_calls,
        cost_usd=config.cost_usd,
        cache_s=config.cache_s,
        trusted=config.trusted,
        names={name: one.names for name, one in config.parameters.items() if one.names},
    )
