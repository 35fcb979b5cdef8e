"""Tools that every expert has, whatever the application."""

from typing import Annotated, Final

from pydantic import Field

from configs.clock import REAL_CLOCK, ClockSettings
from memory.artifacts import Artifacts
from state import Scope
from tools.errors import ToolError
from tools.observations import page
from tools.registry import EVERY_EXPERT
from tools.signatures import Place, argument_model
from tools.spec import ToolContext, ToolSpec

RECALL_ARTIFACT: Final = "recall_artifact"
HEADER_TOKENS: Final = 120
MOST_HITS: Final = 5


def recall_artifact_spec(
    artifacts: Artifacts,
    *,
    max_output_tokens: int = 2000,
    token_model: str = "",
    calendar: ClockSettings = REAL_CLOCK,
) -> ToolSpec:
    """The tool that reads stored results, by id a page at a time, or finds them by their words.

    Args:
        artifacts: the log it reads; only what the asking user's own turns have left.
        max_output_tokens: cap of one answer.
        token_model: whose tokens are counted.
        calendar: dates results.
    """

    async def recall_artifact(
        context: ToolContext,
        *,
        id: Annotated[str, Field(description="#12.2, #12, or art_…")] = "",
        query: Annotated[str, Field(description="words, with no id")] = "",
        offset: Annotated[int, Field(description="as a page said", ge=0)] = 0,
    ) -> str:
        scope = Scope(tenant=context.tenant, user=context.user, teams=context.teams)
        budget = max(max_output_tokens - HEADER_TOKENS, 1)
        if bool(id) == bool(query):
            message = "wanted either an id or a query"
            raise ToolError(message, kind="invalid_arguments")
        if query:
            return await _search(artifacts, scope, query, budget, token_model, calendar)
        text = await _stored(artifacts, scope, context.thread, id)
        if text is None:
            message = f"there is no stored result {id!r}"
            raise ToolError(message, kind="not_found", hint="search for it by query")
        part = page(text, offset, budget, token_model)
        end = offset + len(part.text)
        more = "the end" if part.next_offset is None else f"go on with offset={part.next_offset}"
        head = f"[{id}, characters {offset}-{end} of {len(text)}; {more}]"
        return f"{head}\n{part.text}"

    return ToolSpec(
        name=RECALL_ARTIFACT,
        expert=EVERY_EXPERT,
        description="Read an earlier result by its id, or search all by words.",
        when="A result was cut or an old one is needed; figures that change come from their tool.",
        max_output_tokens=max_output_tokens,
        arguments=argument_model(recall_artifact, RECALL_ARTIFACT, Place("built in", "")),
        function=recall_artifact,
        source="recalled",
    )


async def _stored(artifacts: Artifacts, scope: Scope, thread: str, id: str) -> str | None:
    """The text of an artifact's id or of a turn's handle in this thread."""
    if found := await artifacts.get(scope, id):
        return found.text
    return await artifacts.of_handle(scope, thread, id)


async def _search(
    artifacts: Artifacts,
    scope: Scope,
    query: str,
    budget: int,
    token_model: str,
    calendar: ClockSettings,
) -> str:
    hits = await artifacts.search(scope, query, MOST_HITS)
    lines = [
        f"{hit.ref.id} ({hit.ref.module}, {calendar.date_of(hit.ref.created_at)}, "
        f"{hit.ref.tokens} tokens): {' '.join(hit.excerpt.split())}"
        for hit in hits
        if hit.ref.source != "recalled"
    ]
    return page("\n".join(lines), 0, budget, token_model).text if lines else "Nothing found."
