"""How every node asks a model: one block order, one tools array."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig

from configs.sections import BudgetSettings, ModelProfile, Role
from memory.budget import Fitted, fit
from memory.call_log import CallLog
from memory.layout import Layouts, PromptLayout
from memory.spending import Spending
from memory.working import Brief, Shared, assemble
from models.caching_marks import cache_key
from models.errors import ContextOverflow
from models.gateway import NOSTREAM, Gateway, ModelReply
from models.tokens import load

log = logging.getLogger(__name__)


class AskModule:
    """Assemble the shared prompt, call the role's model."""

    def __init__(
        self,
        gateway: Gateway,
        layouts: Layouts,
        budget: BudgetSettings,
        profiles: Mapping[Role, ModelProfile],
        calls: CallLog | None = None,
        spending: Spending | None = None,
    ) -> None:
        """Bind what is the same for all modules.

        Args:
            gateway: where models are called.
            layouts: system texts and tools by module.
            budget: how a window is shared, and what is reduced first.
            profiles: each role's model and window.
            calls: keeps what every call has read and written.
            spending: refuses a call that a budget has no room for.
        """
        self._gateway = gateway
        self._layouts = layouts
        self._budget = budget
        self._profiles = profiles
        self._calls = calls
        self._spending = spending

    async def __call__(
        self,
        role: Role,
        shared: Shared,
        brief: Brief,
        *,
        scratchpad: Sequence[AnyMessage] = (),
        config: RunnableConfig | None = None,
    ) -> ModelReply:
        """Ask the role's model.

        A provider may hold less than was thought: then the prompt is fitted once more, to what it
        said, and asked once more.

        Raises:
            ModelError: the prompt does not fit, the model cannot be asked, or its reply cannot be
                used.
        """
        layout = self._layouts.of(_thread_of(config))
        messages = [*assemble(layout, shared, brief), *scratchpad]
        tools = layout.offered(brief.module, brief.expert)
        window = await self._gateway.window_of(role) or self._budget.default_window_tokens
        prompt = _Prompt(role, brief, shared["turn"]["index"], layout, messages, tools, config)
        try:
            return await self._ask(prompt, window)
        except ContextOverflow as error:
            if error.window_tokens is None:
                raise
            log.warning("%s: %s", role, error)
            return await self._ask(prompt, min(window, error.window_tokens))

    async def _ask(self, prompt: "_Prompt", window: int) -> ModelReply:
        fitted = await self._fit(prompt, window)
        warnings = await self._check_budgets(prompt, fitted)
        reply = await self._gateway.call(
            prompt.role,
            fitted.messages,
            tools=prompt.tools,
            config=prompt.config,
            background=NOSTREAM in ((prompt.config or {}).get("tags") or ()),
            **self._hints(prompt),
        )
        budget = fitted.breakdown
        log.info("%s: %s of %d tokens", prompt.role, budget.by_component, budget.window)
        name = prompt.brief.expert or prompt.brief.module
        reduced = [f"the prompt of {name} was reduced, {taken}" for taken in fitted.reductions]
        for note in reduced:
            log.warning("%s", note)
        self._keep(prompt, fitted, reply)
        return replace(reply, notes=(*reply.notes, *warnings, *reduced))

    async def _check_budgets(self, prompt: "_Prompt", fitted: Fitted) -> tuple[str, ...]:
        if self._spending is None:
            return ()
        read = fitted.breakdown.total - fitted.breakdown.reply
        return await self._spending.check(prompt.thread, prompt.turn, read)

    def _keep(self, prompt: "_Prompt", fitted: Fitted, reply: ModelReply) -> None:
        if self._calls is not None:
            self._calls.add(
                prompt.thread,
                prompt.turn,
                prompt.brief.expert or prompt.brief.module,
                messages=fitted.messages,
                tools=prompt.tools,
                reply=reply,
            )

    def _hints(self, prompt: "_Prompt") -> dict[str, Any]:
        """What providers may know: who shares a prefix, and which tools this module may call."""
        brief, thread = prompt.brief, prompt.thread
        if prompt.layout.per_module:
            return {"cache_key": cache_key(thread, brief.module, brief.expert)}
        allowed = prompt.layout.allowed(brief.module, brief.expert)
        return {"cache_key": cache_key(thread), "allowed": allowed}

    async def _fit(self, prompt: "_Prompt", window: int) -> Fitted:
        profile = self._profiles[prompt.role]
        await load(profile.model)
        return fit(
            prompt.messages,
            prompt.tools,
            self._budget,
            window=window,
            reply=profile.max_output_tokens,
            model=profile.model,
        )


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What a module wants to ask, before it is fitted to a window."""

    role: Role
    brief: Brief
    turn: int
    layout: PromptLayout
    messages: Sequence[AnyMessage]
    tools: Sequence[Mapping[str, Any]]
    config: RunnableConfig | None

    @property
    def thread(self) -> str:
        """LangGraph's key of the thread; empty outside a run."""
        return _thread_of(self.config)


def _thread_of(config: RunnableConfig | None) -> str:
    return str((config or {}).get("configurable", {}).get("thread_id", ""))
