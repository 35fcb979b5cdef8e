"""Tools by which an expert asks memory of its own accord: the user's profile, past records."""

import json
from typing import Annotated, Final, Literal

from pydantic import Field

from configs.clock import ClockSettings
from memory.facts import Facts
from memory.quoting import fact_line, item_line, memory_text
from memory.recall import Recall, Recalled
from memory.searching import Filter
from state import Scope
from tools.errors import ToolError
from tools.observations import page
from tools.registry import EVERY_EXPERT
from tools.signatures import Place, argument_model
from tools.spec import ToolContext, ToolSpec

READ_PROFILE: Final = "read_profile"
RECALL_MEMORY: Final = "recall_memory"
MOST_RECORDS: Final = 6
NOTHING_KNOWN: Final = "Nothing is known of that."


def read_profile_spec(facts: Facts, *, max_output_tokens: int = 2000) -> ToolSpec:
    """The tool that reads what the user has stated about themselves, all or some slots.

    Args:
        facts: whose slots are shown, those that are for the asking expert.
        max_output_tokens: cap of one answer.
    """

    async def read_profile(
        context: ToolContext,
        *,
        slots: Annotated[tuple[str, ...], Field(description="some only")] = (),
    ) -> str:
        profile = await facts.view(_scope(context), context.expert)
        known = set(type(profile).model_fields)
        if unknown := sorted(set(slots) - known):
            message = f"there is no slot {', '.join(unknown)}"
            hint = f"the slots are {', '.join(sorted(known))}"
            raise ToolError(message, kind="invalid_arguments", hint=hint)
        values = profile.model_dump(mode="json", include=set(slots) or None, exclude_defaults=True)
        text = json.dumps(values, ensure_ascii=False) if values else NOTHING_KNOWN
        return page(text, 0, max_output_tokens).text

    return ToolSpec(
        name=READ_PROFILE,
        expert=EVERY_EXPERT,
        description="Read what the user stated about themselves.",
        max_output_tokens=max_output_tokens,
        arguments=argument_model(read_profile, READ_PROFILE, Place("built in", "")),
        function=read_profile,
        source="recalled",
    )


def recall_memory_spec(recall: Recall, *, max_output_tokens: int = 2000) -> ToolSpec:
    """The tool that searches records of earlier sessions; only it narrows a search.

    Args:
        recall: the read path.
        max_output_tokens: cap of one answer.
    """

    async def recall_memory(
        context: ToolContext,
        *,
        query: str,
        domain: Annotated[str, Field(description="an expert")] = "",
        operation: Annotated[str, Field(description="a tool")] = "",
        kind: Literal["", "turn", "episode", "document"] = "",
    ) -> str:
        kinds = frozenset({kind} if kind else ())
        only = Filter(domain=domain, operation=operation, kinds=kinds)
        found = await recall.search(_scope(context), query, only=only)
        shown = [entry.candidate.id for entry in found.ranked[:MOST_RECORDS]]
        recall.count_uses(_scope(context), [key for key in shown if key in found.found.items])
        text = _records(found, query, recall.calendar) or found.reason or NOTHING_KNOWN
        return page(text, 0, max_output_tokens).text

    return ToolSpec(
        name=RECALL_MEMORY,
        expert=EVERY_EXPERT,
        description="Search records of earlier sessions by words.",
        max_output_tokens=max_output_tokens,
        arguments=argument_model(recall_memory, RECALL_MEMORY, Place("built in", "")),
        function=recall_memory,
        source="recalled",
    )


def _records(recalled: Recalled, query: str, calendar: ClockSettings) -> str:
    """What was found as quoted records, like the Memory Message."""
    found = recalled.found
    lines = []
    for entry in recalled.ranked[:MOST_RECORDS]:
        key = entry.candidate.id
        if key in found.facts:
            lines.append(fact_line(found.facts[key], calendar))
        else:
            lines.append(item_line(found.items[key], query, entry.twins, calendar))
    return memory_text(lines)


def _scope(context: ToolContext) -> Scope:
    return Scope(tenant=context.tenant, user=context.user, teams=context.teams)
