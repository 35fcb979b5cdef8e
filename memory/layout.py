"""How a prompt begins, and what its module is told at the end: the two layouts.

`shared-prefix`: system text and tools are the same bytes for every module, all duties in them, so
that one cached prefix serves router, experts and synthesizer; who is asked stands at the end.
`per-module`: each module has its own system text and only its own tools. It is shorter, and warm
for one module only. `models.caching.choose_layout` says which one is cheaper for a provider.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Module = Literal["router", "expert", "synthesizer", "summarizer"]
Schema = Mapping[str, Any]

DUTIES: tuple[Module, ...] = ("router", "expert", "synthesizer")


class Layouts(Protocol):
    """The layout of each thread's open turn; tools may change between turns, never inside one."""

    def of(self, thread: str) -> "PromptLayout":
        """What the thread's modules are shown."""


@dataclass(frozen=True, slots=True)
class ExpertText:
    """What the router reads about an expert, and what the expert reads about itself."""

    description: str
    brief: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptLayout:
    """The texts of an application in one of the layouts.

    Attributes:
        charter: rules for every module.
        duties: what each module does.
        experts: by name, sorted.
        tools: all schemas, sorted by name.
        plan_tool: the one tool of the router.
    """

    charter: str
    duties: Mapping[str, str]
    experts: Mapping[str, ExpertText]
    tools: Sequence[Schema]
    plan_tool: str
    per_module: bool = False
    _shared: str = field(init=False, default="")

    def __post_init__(self) -> None:
        """Join the shared system text once."""
        duties = [self._duty(module) for module in DUTIES]
        object.__setattr__(self, "_shared", "\n\n".join([self.charter, *duties]))

    def of(self, thread: str) -> "PromptLayout":
        """The same for every thread."""
        return self

    def system(self, module: Module, expert: str = "") -> str:
        """The system text."""
        if not self.per_module:
            return self._shared
        parts = [self.charter, self._duty(module)]
        return "\n\n".join([*parts, self._brief(expert)] if expert else parts)

    def offered(self, module: Module, expert: str = "") -> Sequence[Schema]:
        """The tools array."""
        if not self.per_module:
            return self.tools
        names = self.allowed(module, expert)
        return [tool for tool in self.tools if tool["function"]["name"] in names]

    def allowed(self, module: Module, expert: str = "") -> tuple[str, ...]:
        """Names of the tools that the module may call."""
        if module == "router":
            return (self.plan_tool,)
        return self.experts[expert].tools if expert else ()

    def closing(self, module: Module, expert: str = "") -> str:
        """What the module's brief says about itself, beside the date and its question."""
        if self.per_module:
            return ""
        if module == "summarizer":
            return self._duty(module)
        return self._brief(expert) if expert else ""

    def _duty(self, module: Module) -> str:
        text = f"# {module.capitalize()}\n{self.duties[module].strip()}"
        if module != "router":
            return text
        listed = [f"- {name}: {expert.description}" for name, expert in self.experts.items()]
        return "\n".join([text, "Experts:", *listed])

    def _brief(self, name: str) -> str:
        expert = self.experts[name]
        return f"{expert.brief.strip()}\nYour tools: {', '.join(expert.tools)}."
