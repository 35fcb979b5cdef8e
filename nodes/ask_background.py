"""How background nodes ask a model: one forced call, within the budgets, kept in the call log."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from configs.masking import NO_MASKING, Masking
from configs.sections import ModelProfile, Role
from memory.call_log import CallLog
from memory.consolidation import Occasion
from memory.spending import Spending
from memory.working import block
from models.errors import BadOutput
from models.gateway import NOSTREAM, Gateway, ModelReply
from models.prompts import count_blocks
from models.tokens import load

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked for: one call of `tool` with the fields of `shape`.

    Attributes:
        role: Whose model is asked.
        module: Under which name the call is kept.
    """

    role: Role
    module: str
    tool: str
    shape: type[BaseModel]

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The one tool, as models are told of it."""
        schema = {
            "name": self.tool,
            "description": f"The {self.role}'s reply.",
            "parameters": self.shape.model_json_schema(),
        }
        return [{"type": "function", "function": schema}]

    def args_of(self, reply: ModelReply) -> dict[str, Any]:
        """The arguments of the call that was asked for.

        Raises:
            BadOutput: the reply has no such call.
        """
        for call in reply.calls:
            if call["name"] == self.tool:
                return call["args"]
        raise BadOutput(
            wanted=f"a call of {self.tool}",
            came=repr(reply.text[:200]),
            next_step=f"Ask again, or use another model for the role {self.role}.",
        )


class AskBackground:
    """Asks a role for one call of one tool; what it costs is counted like a user's call."""

    def __init__(
        self,
        gateway: Gateway,
        profiles: Mapping[Any, ModelProfile],
        calls: CallLog | None = None,
        spending: Spending | None = None,
        masking: Masking = NO_MASKING,
    ) -> None:
        """Bind what all background nodes share.

        Args:
            gateway: where models are called.
            profiles: each role's model, for counting.
            calls: keeps what every call has read and written.
            spending: refuses a call that a budget has no room for.
            masking: takes secrets out of what is shown.
        """
        self._gateway = gateway
        self._profiles = profiles
        self._calls = calls
        self._spending = spending
        self.masking = masking

    async def __call__(self, form: Form, prompt: str, asked: str, occasion: Occasion) -> ModelReply:
        """Ask once; the reply may hold anything, `form.args_of` reads it.

        Args:
            form: what is asked for.
            prompt: what the role is told.
            asked: what it is shown, without secrets.
            occasion: the turn that the call is counted for.

        Raises:
            BudgetExceeded: a budget has no room for it; nothing was sent.
            ModelError: the model could not be asked.
        """
        told = SystemMessage(prompt, additional_kwargs=block("charter"))
        messages: list[BaseMessage] = [told, HumanMessage(asked)]
        await self._check_budgets(form, messages, occasion)
        reply = await self._gateway.call(
            form.role,
            messages,
            tools=form.schemas,
            tool_choice=form.tool,
            config={"tags": [NOSTREAM], "callbacks": []},
            background=True,
        )
        if self._calls is not None:
            self._calls.add(
                occasion.thread,
                occasion.turn,
                form.module,
                messages=messages,
                tools=form.schemas,
                reply=reply,
            )
        return reply

    async def _check_budgets(
        self, form: Form, messages: Sequence[BaseMessage], occasion: Occasion
    ) -> None:
        if self._spending is None:
            return
        profile = self._profiles.get(form.role) or ModelProfile()
        await load(profile.model)
        tokens = sum(count_blocks(messages, form.schemas, profile.model).values())
        thread, turn = occasion.thread, occasion.turn
        for warning in await self._spending.check(thread, turn, tokens, afterwards=True):
            log.info("%s: %s", form.module, warning)

    def shown(self, asked: Mapping[str, Any]) -> str:
        """Values as JSON, each text in them without its secrets."""
        return json.dumps(self._masked("", asked), ensure_ascii=False, default=str)

    def _masked(self, name: str, value: Any) -> Any:  # noqa: ANN401 - JSON
        if isinstance(value, str):
            return self.masking.named(name, value)
        if isinstance(value, Mapping):
            return {key: self._masked(str(key), one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._masked(name, one) for one in value]
        return value
