"""How every node asks a model: one block order, one tools array, one pre-flight count."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig

from memory.working import Brief, PromptTooLarge, Shared, assemble, preflight
from models.gateway import Gateway, ModelReply

log = logging.getLogger(__name__)


class AskModule:
    """Assemble the shared prompt, check the budget, call the role's model."""

    def __init__(
        self,
        gateway: Gateway,
        charter: str,
        tools: Sequence[Mapping[str, Any]],
        windows: Mapping[str, tuple[int, int, str]],
    ) -> None:
        """Bind what is the same for all modules.

        Args:
            gateway: where models are called.
            charter: the system text.
            tools: schemas in sorted order, the same array for every module.
            windows: per role the context window, the reserved reply (tokens) and the model name.
        """
        self._gateway = gateway
        self._charter = charter
        self._tools = tools
        self._windows = windows

    async def __call__(
        self,
        role: str,
        shared: Shared,
        brief: Brief,
        *,
        scratchpad: Sequence[AnyMessage] = (),
        config: RunnableConfig | None = None,
    ) -> ModelReply:
        """Ask the role's model.

        Raises:
            PromptTooLarge: the prompt does not fit the window.
            ModelError: the model cannot be asked or its reply cannot be used.
        """
        messages = [*assemble(self._charter, shared, brief), *scratchpad]
        window, reserved, model = self._windows[role]
        budget = preflight(messages, self._tools, window=window, reserved=reserved, model=model)
        log.debug("prompt of %s: %s of %d tokens", role, dict(budget.by_component), window)
        if not budget.fits:
            raise PromptTooLarge(budget)
        return await self._gateway.call(role, messages, tools=self._tools, config=config)
