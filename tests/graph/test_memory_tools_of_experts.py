"""Which experts may ask memory themselves: those whose file names the tool."""

from pathlib import Path
from typing import Any

import pytest

from configs.settings import load_settings
from graph.session import open_desk
from tests.graph.workshop import workshop


async def served(folder: Path, **tools: Any) -> dict[str, set[str]]:  # noqa: ANN401 - config
    """Memory tools by expert."""
    settings = workshop(folder, recall={"enabled": tools.pop("enabled", True)})
    experts = tuple(
        one.model_copy(update={"memory_tools": tools.get(one.name, ())}) for one in settings.experts
    )
    async with open_desk(settings.model_copy(update={"experts": experts})) as desk:
        registry = desk.services.registry
        return {
            one.name: {spec.name for spec in registry.for_expert(one.name)}
            & {"read_profile", "recall_memory"}
            for one in experts
        }


@pytest.mark.parametrize(
    ("tools", "wanted"),
    [
        ({}, {"eyes": set(), "hands": set()}),
        ({"eyes": ("read_profile",)}, {"eyes": {"read_profile"}, "hands": set()}),
        (
            {"eyes": ("recall_memory",), "hands": ("recall_memory", "read_profile")},
            {"eyes": {"recall_memory"}, "hands": {"recall_memory", "read_profile"}},
        ),
        ({"eyes": ("read_profile",), "enabled": False}, {"eyes": set(), "hands": set()}),
    ],
)
async def test_a_memory_tool_is_for_the_experts_that_name_it(
    tmp_path: Path, tools: dict[str, Any], wanted: dict[str, set[str]]
) -> None:
    assert await served(tmp_path, **tools) == wanted


def test_the_sample_companys_experts_may_ask_memory() -> None:
    named = {one.name: set(one.memory_tools) for one in load_settings().experts}
    assert set(named) == {"analytics", "billing", "knowledge", "orders"}
    assert all(tools == {"read_profile", "recall_memory"} for tools in named.values())
