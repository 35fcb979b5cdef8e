"""Calls a tool's functions with its context, and keeps what came back in the artifact log."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from memory.artifacts import ArtifactRef, Artifacts
from state import Scope
from tools.effects import artifact_id
from tools.running import begin
from tools.signatures import call_arguments, takes_context
from tools.spec import CallSite, ToolContext, ToolFunction, ToolSpec

RESULT: Final = "tool_result"
FAULT: Final = "tool_error"


@dataclass(frozen=True, slots=True)
class Invoker:
    """What every call needs: the application's folders and the artifact log."""

    artifacts: Artifacts
    app_dir: Path
    data_dir: Path

    def begin(
        self,
        function: ToolFunction,
        values: BaseModel,
        site: CallSite,
        key: str,
        on_end: Callable[[], None] | None = None,
    ) -> asyncio.Future[Any]:
        """Start a tool's function (or its settle look-up) with validated arguments."""
        arguments = call_arguments(values)
        if takes_context(function):
            arguments["context"] = ToolContext(
                app_dir=self.app_dir,
                data_dir=self.data_dir,
                tenant=site.tenant,
                user=site.user,
                teams=site.teams,
                thread=site.thread,
                idempotency_key=key,
            )
        return begin(function, arguments, on_end)

    async def keep(
        self,
        spec: ToolSpec,
        args: Mapping[str, Any],
        ordinal: int,
        site: CallSite,
        *,
        text: str,
        kind: str = RESULT,
    ) -> ArtifactRef:
        """Store a call's outcome; a replayed call gives the reference that is there."""
        return await self.artifacts.put(
            scope_of(site),
            id=artifact_id(site, ordinal, spec.name, args),
            thread=site.thread,
            turn_id=site.turn_id,
            module=site.expert,
            kind=kind,
            text=text,
            source=spec.source,
        )


def scope_of(site: CallSite) -> Scope:
    """Who may read what a call left."""
    return Scope(tenant=site.tenant, user=site.user, teams=site.teams)
