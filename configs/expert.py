"""An expert as one YAML file: what it is for, what people say to it, which tools it holds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from configs.errors import InvalidConfig
from configs.sections import Section

NAME = r"^[a-z][a-z0-9_]{0,63}$"
REFERENCE = r"^[^:\s]+:[A-Za-z_][A-Za-z0-9_]*$"
RESERVED_TOOLS = frozenset({"submit_plan", "recall_artifact", "recall_memory", "read_profile"})

Effect = Literal["read_only", "idempotent", "irreversible"]
CHANGES_RECORDS: Final = "Changes records."
"""Stands in what models are told of every tool with an effect, and of no other of the app's."""


class IntentConfig(Section):
    """One thing people want from an expert, with about ten ways to say it."""

    name: str = Field(pattern=NAME)
    tool: str | None = None
    examples: tuple[str, ...] = ()


class NamesConfig(Section):
    """Where the names come from that a parameter takes: rows of a tool that lists them all."""

    tool: str = Field(pattern=NAME, description="a read_only tool of the app")
    args: dict[str, Any] = Field(default_factory=dict, description="that it is called with")
    field: str = Field(min_length=1, description="key of its rows that holds the name")
    also: tuple[str, ...] = Field(default=(), description="keys that hold other names of the same")
    id: str | None = Field(
        default=None, min_length=1, description="key of what the parameter takes; None: the name"
    )
    strict: bool = Field(
        default=True,
        description="whether what names no entry is refused; false: the tool reads more than names",
    )


class ParameterConfig(Section):
    """What is known of a tool's parameter beside its type."""

    names: NamesConfig | None = None


class ToolConfig(Section):
    """A tool: the function behind it and the five parts of its signature."""

    name: str = Field(pattern=NAME, description="verb_noun")
    function: str = Field(pattern=REFERENCE, description="module:function or file.py:function")
    effect: Effect
    approval: bool = Field(default=False, description="default: true for irreversible effects")
    approver_teams: tuple[str, ...] = ()
    description: str = Field(min_length=1)
    when: str = Field(min_length=1)
    when_not: str = ""
    returns: str = Field(min_length=1)
    constraints: str = ""
    learnable: tuple[str, ...] = ()
    settle: str | None = Field(default=None, pattern=REFERENCE)
    compensation: str | None = Field(default=None, pattern=NAME)
    timeout_s: float | None = Field(default=None, gt=0, description="None: limits.tool_timeout_s")
    max_output_tokens: int | None = Field(
        default=None, gt=0, description="None: limits.observation_tokens"
    )
    examples: tuple[str, ...] = ()
    parameters: dict[str, ParameterConfig] = Field(default_factory=dict)
    allowed_teams: tuple[str, ...] = Field(
        default=(), description="only members of one may use it; empty: everybody"
    )
    tries: int | None = Field(
        default=None, gt=0, le=10, description="of a read; None: limits.tool_tries"
    )
    max_calls: int | None = Field(default=None, gt=0, description="in one turn")
    cost_usd: float = Field(default=0, ge=0, description="of one call")
    cache_s: float = Field(
        default=0, ge=0, description="seconds for which a read's result is used again; 0: never"
    )
    trusted: bool = Field(
        default=False,
        description="its results are the app's own records, in which no outsider writes",
    )

    @model_validator(mode="before")
    @classmethod
    def _ask_before_what_cannot_be_undone(cls, value: object) -> object:
        if isinstance(value, dict) and value.get("approval") is None:
            return {**value, "approval": value.get("effect") == "irreversible"}
        return value

    @model_validator(mode="after")
    def _only_effects_need_people(self) -> Self:
        if self.effect == "read_only" and (self.approval or self.settle or self.compensation):
            message = "approval, settle and compensation only where effect is not read_only"
            raise ValueError(message)
        if self.effect != "read_only" and (self.tries or self.cache_s):
            message = "tries and cache_s only where effect is read_only; effects run once"
            raise ValueError(message)
        return self


class ExpertConfig(Section):
    """A domain expert and its tools."""

    name: str = Field(pattern=NAME)
    title: str = Field(min_length=1)
    description: str = Field(min_length=1)
    brief: str = Field(min_length=1)
    intents: tuple[IntentConfig, ...] = ()
    tools: tuple[ToolConfig, ...] = ()
    memory_tools: tuple[Literal["read_profile", "recall_memory"], ...] = Field(
        default=(), description="built-in tools by which the expert asks memory itself"
    )


def check_experts(experts: Mapping[Path, ExpertConfig]) -> None:
    """Refuse names that point nowhere or are taken twice.

    Args:
        experts: each expert under the file it came from.

    Raises:
        InvalidConfig: names the file, the key and the names that would be right.
    """
    _check_expert_names(experts)
    owners = _tool_owners(experts)
    effects = {tool.name: tool.effect for one in experts.values() for tool in one.tools}
    for file, expert in experts.items():
        own = [tool.name for tool in expert.tools]
        for index, intent in enumerate(expert.intents):
            if intent.tool is not None and intent.tool not in own:
                raise _unknown(file, f"intents[{index}].tool", own, intent.tool)
        for index, tool in enumerate(expert.tools):
            if tool.compensation is not None and tool.compensation not in owners:
                key = f"tools[{index}].compensation"
                raise _unknown(file, key, sorted(owners), tool.compensation)
            _check_names(file, f"tools[{index}]", tool, effects)


def _check_names(file: Path, place: str, tool: ToolConfig, effects: Mapping[str, Effect]) -> None:
    for name, parameter in tool.parameters.items():
        if parameter.names is None:
            continue
        key, source = f"{place}.parameters.{name}.names.tool", parameter.names.tool
        if source not in effects:
            raise _unknown(file, key, sorted(effects), source)
        if effects[source] != "read_only":
            came = f"{source!r}, which is {effects[source]}"
            raise InvalidConfig(file, key, wanted="a read_only tool", came=came)


def _check_expert_names(experts: Mapping[Path, ExpertConfig]) -> None:
    for file, expert in experts.items():
        if expert.name != file.stem:
            wanted = f"the file's own name, {file.stem!r}"
            raise InvalidConfig(file, "name", wanted=wanted, came=repr(expert.name))


def _tool_owners(experts: Mapping[Path, ExpertConfig]) -> dict[str, Path]:
    owners: dict[str, Path] = {}
    for file, expert in experts.items():
        for index, tool in enumerate(expert.tools):
            key = f"tools[{index}].name"
            if tool.name in RESERVED_TOOLS:
                wanted = f"a name that is not built in ({', '.join(sorted(RESERVED_TOOLS))})"
                raise InvalidConfig(file, key, wanted=wanted, came=repr(tool.name))
            if tool.name in owners:
                wanted = "a tool name used once in the whole app"
                came = f"{tool.name!r}, which {owners[tool.name].name} has already"
                raise InvalidConfig(file, key, wanted=wanted, came=came)
            owners[tool.name] = file
    return owners


def _unknown(file: Path, key: str, known: list[str], came: str) -> InvalidConfig:
    wanted = f"a tool of this app ({', '.join(known) or 'there are none'})"
    return InvalidConfig(file, key, wanted=wanted, came=repr(came))
