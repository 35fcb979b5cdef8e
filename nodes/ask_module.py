"""How every node asks a model: one block order, one tools array."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig

from configs.sections import BudgetSettings, ModelProfile, Role
from memory.budget import Fitted, fit
from memory.layout import PromptLayout
from memory.working import Brief, Shared, assemble
from models.gateway import Gateway, ModelReply
from models.tokens import load

log = logging.getLogger(__name__)


class AskModule:
    """Assemble the shared prompt, call the role's model."""

    def __init__(
        self,
        gateway: Gateway,
        layout: PromptLayout,
        budget: BudgetSettings,
        profiles: Mapping[Role, ModelProfile],
    ) -> None:
        """Bind what is the same for all modules.

        Args:
            gateway: where models are called.
            layout: system texts and tools by module.
            budget: how a window is shared, and what is reduced first.
            profiles: each role's model and window.
        """
        self._gateway = gateway
        self._layout = layout
        self._budget = budget
        self._profiles = profiles

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

        Raises:
            ModelError: the prompt does not fit, the model cannot be asked, or its reply cannot be
                used.
        """
        messages = [*assemble(self._layout, shared, brief), *scratchpad]
        tools = self._layout.offered(brief.module, brief.expert)
        fitted = await self._fit(role, messages, tools)
        reply = await self._gateway.call(role, fitted.messages, tools=tools, config=config)
        budget = fitted.breakdown
        log.info("%s: %s of %d tokens", role, budget.by_component, budget.window)
        for reduction in fitted.reductions:
            log.warning("%s: prompt reduced, %s", role, reduction)
        return reply

    async def _fit(
        self, role: Role, messages: Sequence[AnyMessage], tools: Sequence[Mapping[str, Any]]
    ) -> Fitted:
        profile = self._profiles[role]
        await load(profile.model)
        return fit(
            messages,
            tools,
            self._budget,
            window=profile.context_tokens or self._budget.default_window_tokens,
            reply=profile.max_output_tokens,
            model=profile.model,
        )
