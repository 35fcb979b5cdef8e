"""Waits until a key may be used: its own limits, and the pauses its provider has asked for."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from configs.sections import ModelProfile, RateSettings
from models.endpoints import place_of
from models.errors import RateLimited
from models.rates import Bucket, Grant, Wish, full, refilled, take

UNLIMITED = RateSettings()

Change = Callable[[Bucket | None], tuple[Bucket, Grant]]


class BucketStore(Protocol):
    """Where buckets are kept; a change of one is atomic for all who share it."""

    async def change(self, key: str, change: Change) -> Grant:
        """Replace a key's bucket by what `change` makes of it (None when there is none yet)."""


class MemoryBuckets:
    """Buckets of one process."""

    def __init__(self) -> None:
        """Start with none."""
        self._buckets: dict[str, Bucket] = {}

    async def change(self, key: str, change: Change) -> Grant:
        """Change a key's bucket; there is no await inside, so nothing comes between."""
        self._buckets[key], grant = change(self._buckets.get(key))
        return grant


@dataclass(frozen=True, slots=True)
class Ticket:
    """A booked call; hand it back with what was really used."""

    key: str
    rate: RateSettings
    tokens: int


class Limiter:
    """The rates of all keys; keys without one are only paused when their provider asks for it."""

    def __init__(
        self,
        rates: Mapping[str, RateSettings],
        store: BucketStore,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Bind the rates.

        Args:
            rates: by the name of the environment variable that holds the key.
            store: buckets of the keys that have a rate.
            sleep: waits.
            now: seconds since the epoch, the same clock for all who share the store.
        """
        self._rates = rates
        self._store = store
        self._pauses = MemoryBuckets()
        self._sleep = sleep
        self._now = now

    async def enter(
        self,
        profile: ModelProfile,
        tokens: int,
        *,
        patience_s: float,
        background: bool,
        again: bool = False,
    ) -> Ticket:
        """Wait until a call may be sent, and book it.

        Args:
            profile: who is asked.
            tokens: prompt and longest reply.
            patience_s: how long the caller can wait.
            background: users go first.
            again: the caller has waited already as its provider asked.

        Raises:
            RateLimited: it could not be sent within the caller's patience.
        """
        rate = self._rates.get(profile.api_key_env, UNLIMITED)
        key, ends = _key(profile), self._now() + patience_s
        while True:
            wish = Wish(tokens, max(0.0, ends - self._now()), background=background, again=again)
            grant = await self._store_of(rate).change(key, self._taking(rate, wish))
            if not grant.booked and self._now() + grant.wait_s > ends:
                raise _too_fast(profile, rate, grant.wait_s)
            if grant.wait_s:
                await self._sleep(grant.wait_s)
            if grant.booked:
                return Ticket(key, rate, tokens)

    async def settle(self, ticket: Ticket, used_tokens: int) -> None:
        """Correct a booking by what the call really used."""
        if ticket.rate.tokens_per_minute is None:
            return
        left = ticket.tokens - used_tokens

        def correct(bucket: Bucket | None) -> tuple[Bucket, Grant]:
            now = self._now()
            held = refilled(bucket or full(ticket.rate, now), ticket.rate, now)
            back = Bucket(held.requests, held.tokens + left, held.at, held.closed_until)
            return back, Grant(booked=True, wait_s=0.0)

        await self._store_of(ticket.rate).change(ticket.key, correct)

    async def pause(self, profile: ModelProfile, seconds: float) -> None:
        """Let nobody use a key for a while, since its provider has asked for that."""
        rate = self._rates.get(profile.api_key_env, UNLIMITED)

        def close(bucket: Bucket | None) -> tuple[Bucket, Grant]:
            now = self._now()
            held = refilled(bucket or full(rate, now), rate, now)
            until = max(held.closed_until, now + seconds)
            closed = Bucket(held.requests, held.tokens, held.at, until)
            return closed, Grant(booked=True, wait_s=seconds)

        await self._store_of(rate).change(_key(profile), close)

    def _taking(self, rate: RateSettings, wish: Wish) -> Change:
        def change(bucket: Bucket | None) -> tuple[Bucket, Grant]:
            now = self._now()
            return take(bucket or full(rate, now), rate, wish, now)

        return change

    def _store_of(self, rate: RateSettings) -> BucketStore:
        return self._pauses if rate == UNLIMITED else self._store


def _key(profile: ModelProfile) -> str:
    return f"{profile.api_key_env}@{place_of(profile)}"


def _too_fast(profile: ModelProfile, rate: RateSettings, wait_s: float) -> RateLimited:
    limits = [
        f"{limit:g} {name}"
        for name, limit in (
            ("requests", rate.requests_per_minute),
            ("tokens", rate.tokens_per_minute),
        )
        if limit is not None
    ]
    own = f" (rates.{profile.api_key_env}: {' and '.join(limits)} a minute)" if limits else ""
    return RateLimited(
        wanted=f"a free place for {profile.model!r} at {place_of(profile)}",
        came=f"a key that is busy for another {wait_s:.0f} s{own}",
        next_step=f"The provider is busy; ask again in {wait_s:.0f} s.",
        retry_after_s=wait_s,
    )
