"""Calls a tool's functions with its context."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from configs.sandbox import SANDBOX, SandboxSettings
from state import Scope
from tools.running import begin
from tools.signatures import call_arguments, takes_context
from tools.spec import CallSite, ToolContext, ToolFunction


@dataclass(frozen=True, slots=True)
class Invoker:
    """What every call needs: the application's folders and its day."""

    app_dir: Path
    data_dir: Path
    sandbox: SandboxSettings = SANDBOX
    today: Callable[[], date] = date.today

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
                sandbox=self.sandbox,
                expert=site.expert,
                today=self.today(),
            )
        return begin(function, arguments, on_end)


def scope_of(site: CallSite) -> Scope:
    """Who may read what a call left."""
    return Scope(tenant=site.tenant, user=site.user, teams=site.teams)
