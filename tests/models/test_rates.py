import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.sections import ModelProfile, RateSettings
from models.errors import RateLimited
from models.limiter import Limiter, MemoryBuckets
from models.rates import Bucket, Wish, full, take

RATE = RateSettings(requests_per_minute=60, tokens_per_minute=6000)
PROFILE = ModelProfile(provider="openai", model="m", base_url="http://h/v1", api_key_env="KEY")


@dataclass
class Time:
    """A clock that sleeping moves on."""

    now: float = 1000.0
    sleeps: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def limiter(time: Time, rate: RateSettings | None = RATE) -> Limiter:
    rates = {} if rate is None else {"KEY": rate}
    return Limiter(rates, MemoryBuckets(), sleep=time.sleep, now=time)


@given(
    wishes=st.lists(
        st.tuples(st.integers(1, 9000), st.floats(0, 120), st.booleans()), min_size=1, max_size=40
    ),
    gaps=st.lists(st.floats(0, 30), min_size=40, max_size=40),
)
def test_no_minute_sends_more_than_a_full_bucket_and_its_refill(
    wishes: list[tuple[int, float, bool]], gaps: list[float]
) -> None:
    now, bucket, sent = 0.0, full(RATE, 0.0), list[tuple[float, int]]()
    for (tokens, patience, background), gap in zip(wishes, gaps, strict=False):
        now += gap
        wish = Wish(min(tokens, 6000), patience, background=background)
        bucket, grant = take(bucket, RATE, wish, now)
        if grant.booked:
            assert grant.wait_s <= patience
            sent.append((now + grant.wait_s, wish.tokens))
    for start, _ in sent:
        within = sum(tokens for at, tokens in sent if start <= at <= start + 60)
        assert within <= 2 * 6000 + 1


def test_a_wish_that_is_not_booked_takes_nothing() -> None:
    bucket = Bucket(requests=60, tokens=0, at=0)
    after, grant = take(bucket, RATE, Wish(600, patience_s=1), 0)
    assert (grant.booked, after.tokens, after.requests) == (False, 0, 60)
    assert grant.wait_s == pytest.approx(6)


def test_background_work_leaves_a_quarter_to_users() -> None:
    bucket = Bucket(requests=60, tokens=2000, at=0)
    assert take(bucket, RATE, Wish(400, 0, background=True), 0)[1].booked
    assert not take(bucket, RATE, Wish(600, 99, background=True), 0)[1].booked
    assert take(bucket, RATE, Wish(600, 0), 0)[1].booked


async def test_calls_beyond_the_rate_wait_their_turn() -> None:
    time = Time()
    rates = limiter(time)
    for _ in range(3):
        await rates.enter(PROFILE, 3000, patience_s=60, background=False)
    assert time.sleeps == [pytest.approx(30)]


async def test_who_cannot_wait_is_told_when_to_come_again_and_which_rate_it_was() -> None:
    time = Time()
    rates = limiter(time)
    await rates.enter(PROFILE, 6000, patience_s=1, background=False)
    with pytest.raises(RateLimited, match=r"rates\.KEY: 60 requests and 6000 tokens") as caught:
        await rates.enter(PROFILE, 6000, patience_s=10, background=False)
    assert caught.value.retry_after_s == pytest.approx(60)
    assert time.sleeps == []


async def test_a_user_goes_before_background_work_that_came_first() -> None:
    time, order = Time(), list[str]()
    rates = limiter(time)
    await rates.enter(PROFILE, 6000, patience_s=1, background=False)

    async def call(name: str, *, background: bool) -> None:
        await rates.enter(PROFILE, 3000, patience_s=600, background=background)
        order.append(name)

    await asyncio.gather(call("background", background=True), call("user", background=False))
    assert order == ["user", "background"]


async def test_what_a_call_did_not_use_goes_back() -> None:
    time = Time()
    rates = limiter(time)
    ticket = await rates.enter(PROFILE, 6000, patience_s=1, background=False)
    await rates.settle(ticket, 1000)
    await rates.enter(PROFILE, 5000, patience_s=0, background=False)
    assert time.sleeps == []


@pytest.mark.parametrize("rate", [None, RATE])
async def test_a_pause_the_provider_asked_for_holds_for_all_users_of_the_key(
    rate: RateSettings | None,
) -> None:
    time = Time()
    rates = limiter(time, rate)
    await rates.pause(PROFILE, 20)
    with pytest.raises(RateLimited, match="20 s"):
        await rates.enter(PROFILE, 10, patience_s=5, background=False)
    await rates.enter(PROFILE, 10, patience_s=60, background=False)
    assert time.sleeps == [pytest.approx(20)]


async def test_another_key_is_not_paused() -> None:
    time = Time()
    rates = limiter(time, None)
    await rates.pause(PROFILE, 20)
    other = PROFILE.model_copy(update={"api_key_env": "OTHER"})
    await rates.enter(other, 10, patience_s=0, background=False)
