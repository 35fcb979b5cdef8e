"""How every node asks a model: one block order, one tools array."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig

from memory.working import Brief, Shared, assemble
from models.gateway import Gateway, ModelReply

log = logging.getLogger(__name__)


class AskModule:
    """Assemble the shared prompt, call the role's model."""

    def __init__(self, gateway: Gateway, charter: str, tools: Sequence[Mapping[str, Any]]) -> None:
        """Bind what is the same for all modules.

        Args:
            gateway: where models are called.
            charter: the system text.
            tools: schemas in sorted order, the same array for every module.
        """
        self._gateway = gateway
        self._charter = charter
        self._tools = tools

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
            ModelError: the prompt does not fit, the model cannot be asked, or its reply cannot be
                used.
        """
        messages = [*assemble(self._charter, shared, brief), *scratchpad]
        reply = await self._gateway.call(role, messages, tools=self._tools, config=config)
        log.info("%s read %s tokens by block", role, dict(reply.tokens_by_block))
        return reply
