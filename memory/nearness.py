"""How near old turns are to the present question, for selective retention."""

import logging
from collections.abc import Sequence

from models.embedding import Embedder
from models.errors import ModelError
from state import TurnRecord

log = logging.getLogger(__name__)


class Nearness:
    """Cosines of turns to the newest one; without an embedder that works, none are near."""

    def __init__(self, embedder: Embedder) -> None:
        """Use the embedder that memory uses."""
        self._embedder = embedder

    async def of(self, history: Sequence[TurnRecord]) -> dict[str, float]:
        """Cosine of each turn's request to the newest request, by turn id."""
        if not history:
            return {}
        try:
            question = await self._embedder.embed_queries([history[-1]["user"]])
            passages = await self._embedder.embed_passages([one["user"] for one in history])
        except ModelError as error:
            log.warning("turns are kept by recency alone: %s", error)
            return {}
        near = passages @ question[0]
        return {one["id"]: float(value) for one, value in zip(history, near, strict=True)}
