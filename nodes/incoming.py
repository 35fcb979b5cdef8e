"""What a run brings into the messages, as it may be kept: without secrets."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AnyMessage

from configs.masking import Masking

MASKED_KEY: Final = "masked"
"""Under it a message says, in `additional_kwargs`, how many secrets the door took out of it."""
SMALL_CHARS: Final = 20_000


async def masked_messages(
    messages: Sequence[AnyMessage], masking: Masking
) -> dict[str, AnyMessage]:
    """The messages that hold secrets, masked, by their ids; large ones are read in a thread."""
    if sum(len(message.text) for message in messages) <= SMALL_CHARS:
        return _masked(messages, masking)
    return await asyncio.to_thread(_masked, messages, masking)


def _masked(messages: Sequence[AnyMessage], masking: Masking) -> dict[str, AnyMessage]:
    found = {str(message.id): without_secrets(message, masking) for message in messages}
    return {key: message for key, message in found.items() if message is not None}


def without_secrets(message: AnyMessage, masking: Masking) -> AnyMessage | None:
    """A message with the secrets of its text and fields masked; None if it has none.

    A secret that is only seen whole when the parts of a text are joined leaves the joined text.
    """
    fields = message.model_dump()
    changed: dict[str, Any] = {
        name: masked
        for name, value in fields.items()
        if name not in ("id", "type") and (masked := masking.within(value)) != value
    }
    after: AnyMessage = message.model_copy(update=changed)
    text = masking(message.text)
    if text != after.text:
        return after.model_copy(update={"content": text})
    return after if changed else None
