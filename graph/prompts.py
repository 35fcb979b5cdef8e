"""The application's prompt layout, made from its settings and tools."""

from typing import Any

from configs.settings import Settings
from memory.layout import ExpertText, PromptLayout
from nodes.route import SUBMIT_PLAN, plan_schema
from tools.registry import Registry


def prompt_layout(settings: Settings, registry: Registry) -> PromptLayout:
    """System texts and tools of every module, in the order of their names."""
    prompts = settings.prompts
    experts = {
        expert.name: ExpertText(
            description=expert.description.strip(),
            brief=expert.brief.strip(),
            tools=tuple(spec.name for spec in registry.for_expert(expert.name)),
        )
        for expert in settings.experts
    }
    return PromptLayout(
        charter=settings.charter,
        duties={name: text for name, text in prompts.items() if name != "charter"},
        experts=experts,
        tools=tool_schemas(registry, tuple(experts)),
        plan_tool=SUBMIT_PLAN,
        per_module=settings.layout.kind == "per-module",
    )


def tool_schemas(registry: Registry, experts: tuple[str, ...]) -> list[dict[str, Any]]:
    """The one tools array of every module: all tools and `submit_plan`, sorted by name."""
    schemas = [*(spec.openai_schema() for spec in registry), plan_schema(experts)]
    return sorted(schemas, key=lambda schema: str(schema["function"]["name"]))
