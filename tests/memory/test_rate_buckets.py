import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from configs.sections import ModelProfile, RateSettings
from memory.database import Database
from memory.rate_buckets import SqlBuckets
from models.errors import RateLimited
from models.limiter import BucketStore, Limiter, MemoryBuckets

RATE = RateSettings(requests_per_minute=10)
PROFILE = ModelProfile(provider="openai", model="m", base_url="http://h/v1", api_key_env="KEY")


@pytest.fixture(params=["sql", "memory"])
async def stores(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[tuple[BucketStore, BucketStore]]:
    """Two views of one store, as two processes have them."""
    if request.param == "memory":
        store = MemoryBuckets()
        yield store, store
        return
    databases = [await Database.open(f"sqlite:///{tmp_path}/h.db") for _ in range(2)]
    yield SqlBuckets(databases[0]), SqlBuckets(databases[1])
    for database in databases:
        await database.close()


def limiter(store: BucketStore) -> Limiter:
    return Limiter({"KEY": RATE}, store, now=lambda: 1000.0)


async def booked(limits: Limiter) -> bool:
    try:
        await limits.enter(PROFILE, 1, patience_s=0, background=False)
    except RateLimited:
        return False
    return True


async def test_all_who_use_a_key_share_its_rate(stores: tuple[BucketStore, BucketStore]) -> None:
    one, two = map(limiter, stores)
    done = await asyncio.gather(*(booked(limits) for limits in [one, two] * 8))
    assert sum(done) == 10


async def test_a_pause_holds_for_all_who_use_a_key(
    stores: tuple[BucketStore, BucketStore],
) -> None:
    one, two = map(limiter, stores)
    await one.pause(PROFILE, 30)
    with pytest.raises(RateLimited, match="30 s"):
        await two.enter(PROFILE, 1, patience_s=5, background=False)
