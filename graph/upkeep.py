"""Keeps the stores in order beside the turns: retention, and bytes that wait to be erased."""

import logging
from dataclasses import dataclass
from typing import Final

from graph.services import Services
from memory.audit import last_act, note_down
from memory.erasing import erase_database, erase_file
from memory.errors import IndexNotOwned, IndexUnavailable
from memory.receipts import Erased
from memory.retention import ACT, NOBODY, Evicted, Retention

CHECKPOINTS: Final = "checkpoints.db"

_ON_SERVER: Final = (
    "deleted from the Chroma server; its files lose them when it compacts (`chroma vacuum` there)"
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What the background does now and then; every part may be stopped and done again."""

    services: Services

    async def run_if_due(self) -> Evicted | None:
        """Evict when it is time, and erase what a stopped forgetting has left."""
        database = self.services.database
        retention = Retention(database, self.services.settings.retention, self.services.clock)
        if await last_act(database, "forget") > await last_act(database, "erase"):
            await erase_everywhere(self.services)
        if not await retention.is_due():
            return None
        evicted = await retention.run()
        indexer = self.services.opened.indexer
        if indexer is not None and indexer.started:
            await erase_vectors(self.services)
        logger.info("%s: %s", ACT, evicted)
        return evicted


async def erase_everywhere(services: Services) -> list[Erased]:
    """Take the bytes of what was forgotten off the disk, as far as this process may."""
    stores = [await erase_vectors(services), *await erase_database(services.database)]
    file = services.settings.data_dir / CHECKPOINTS
    if services.database.file is not None and file.exists():
        note = await erase_file(file)
        stores.append(Erased("checkpoint file", 0, note or "rewritten", done=not note))
    if all(store.done for store in stores):
        await services.database.write(lambda conn: note_down(conn, NOBODY, "erase", ""))
    return stores


async def erase_vectors(services: Services) -> Erased:
    """Take forgotten items out of the index, and their vectors out of its files."""
    indexer = services.opened.indexer
    if indexer is None or not await indexer.holds_any():
        return Erased("vectors", 0, "none are kept")
    try:
        removed = await indexer.erase()
        return Erased(
            "vectors", removed, _ON_SERVER if _has_server(services) else "index rewritten"
        )
    except IndexNotOwned as error:
        return Erased("vectors", 0, f"{error}; it erases them at its next upkeep", done=False)
    except IndexUnavailable as error:
        note = f"{error}; `hippograph memory reindex` makes the index anew"
        return Erased("vectors", 0, note, done=False)


def _has_server(services: Services) -> bool:
    return services.settings.index.server_url is not None
