"""The one place where chat models are called: limits, retries, fallbacks, typed errors, replies."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig

from configs.sections import ModelProfile, RetrySettings
from models import prices
from models.asking import NOSTREAM, Order, Seat, ask
from models.breaker import Breakers
from models.calls import RawCall
from models.capabilities import Capabilities
from models.errors import ContextOverflow, EndpointDown, ModelError, RateLimited, UnknownRole
from models.limiter import Limiter, MemoryBuckets
from models.prompts import check_history, count_blocks
from models.replies import InvalidCall, ModelReply, Reading, Usage, read_reply, read_usage
from models.retrying import Retries
from models.tokens import load

__all__ = ["NOSTREAM", "Gateway", "InvalidCall", "ModelReply", "Retries", "Usage"]

FALLBACK_PATIENCE_S: Final = 5.0
"""A longer pause is not waited for while another model is left to ask."""
SHRINK: Final = 0.75
"""What is tried after a provider has refused a prompt as too large without saying its limit."""
MARGIN: Final = 0.95
"""Share of a limit the provider has named; its tokenizer may count more than ours."""

log = logging.getLogger(__name__)


class Gateway:
    """Calls the model of a role; another one of its chain when that cannot answer."""

    def __init__(
        self,
        models: Mapping[str, BaseChatModel],
        profiles: Mapping[Any, ModelProfile],
        *,
        fallbacks: Mapping[str, Sequence[BaseChatModel]] | None = None,
        retries: Retries | None = None,
        limiter: Limiter | None = None,
        breakers: Breakers | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """Bind models by role.

        Args:
            models: who plays which role.
            profiles: limits by role; a role without one has the defaults.
            fallbacks: by role, who steps in, in the order of its profile's fallbacks.
            retries: the policy for retryable faults.
            limiter: how fast keys may be used; default: as fast as their providers let them.
            breakers: which endpoints are left alone.
            sleep: waits between tries.
            jitter: a number in [0, 1) that spreads the tries of parallel calls.
        """
        self._models = models
        self._profiles = profiles
        self._fallbacks = fallbacks or {}
        self._retries = retries or Retries()
        self._limiter = limiter or Limiter({}, MemoryBuckets(), sleep=sleep)
        self._breakers = breakers or Breakers.of(RetrySettings(), _now)
        self._capabilities = Capabilities()
        self._sleep = sleep
        self._jitter = jitter

    async def window_of(self, role: str) -> int | None:
        """Tokens, as counted here, that the role's model holds; None when nobody knows.

        As configured or published, less if its provider said so or was seen to count higher.
        """
        profile = self._profiles.get(role) or ModelProfile()
        window = profile.context_tokens
        if window is None and not prices.is_local(profile):
            await prices.load()
            window = prices.published_window(profile, datetime.now(UTC))
        learned = self._capabilities.of(profile).window_tokens
        least = min((known for known in (window, learned) if known is not None), default=None)
        return None if least is None else int(least / self._capabilities.token_factor(profile))

    async def call(
        self,
        role: str,
        messages: Sequence[BaseMessage],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        config: RunnableConfig | None = None,
        tool_choice: str | None = None,
        background: bool = False,
        cache_key: str = "",
        allowed: Sequence[str] = (),
    ) -> ModelReply:
        """Ask the role's model, then its fallbacks, and check the reply.

        Args:
            role: who is asked.
            messages: the prompt; every tool call in it has its result.
            tools: OpenAI schemas of the tools it may call, always in the same order.
            config: the node's config, so that LangGraph streams the tokens.
            tool_choice: a tool's name, `required`, `auto` or `none`, for providers that know it.
            background: keep the reply out of the user's stream, and let users go first.
            cache_key: the same for prompts that share a prefix, for providers that route by it.
            allowed: names of the tools it may call, for providers that can narrow the catalogue.

        Raises:
            ModelError: no model could be asked, or no reply can be used; the first model's error
                where several have failed.
        """
        seats = self._seats(role)
        check_history(messages)
        order = Order(messages, tools, config, tool_choice, background, cache_key, allowed)
        started, failed = _now(), list[ModelError]()
        ends = started + self._retries.deadline_s
        for place, seat in enumerate(seats):
            share_s = (ends - _now()) / (len(seats) - place)
            try:
                reply = await self._ask_seat(seat, order, share_s, last=seat is seats[-1])
            except ModelError as error:
                if not error.elsewhere or len(seats) == 1:
                    raise
                log.warning("%s for the role %s: %s", seat.profile.model, role, error)
                failed.append(error)
                continue
            notes = tuple(_stepped_in(seat, error) for error in failed[:1])
            return replace(reply, seconds=_now() - started, notes=notes)
        raise failed[0] from failed[-1]

    async def _ask_seat(self, seat: Seat, order: Order, left_s: float, *, last: bool) -> ModelReply:
        """Ask one model until its reply can be used, or it has had its tries or its time."""
        model, ends, attempt = seat.profile.model, _now() + left_s, 0
        await load(model)
        blocks = count_blocks(order.messages, order.tools, model)
        _check_window(blocks, seat.profile)
        tokens = sum(blocks.values())
        while True:
            try:
                reading = await self._try(seat, order, tokens, ends, again=attempt > 0)
                break
            except ModelError as error:
                if self._capabilities.learn(seat.profile, error):
                    continue
                if window := _fit_to(error, tokens, seat):
                    self._capabilities.learn_window(seat.profile, window)
                await self._before_retry(seat, error, attempt, ends, last=last)
            attempt += 1
        usage = read_usage(reading.message, tokens, model)
        self._capabilities.learn_limit(seat.profile, usage.output_tokens)
        if not usage.counted:
            self._capabilities.learn_count(seat.profile, tokens, usage.input_tokens)
        return ModelReply(
            message=reading.message,
            usage=usage,
            model=model,
            cost_usd=await _cost_usd(usage, seat.profile),
            finish_reason=reading.finish_reason,
            invalid_calls=reading.invalid_calls,
            tokens_by_block=blocks,
            tries=attempt + 1,
        )

    async def _try(
        self, seat: Seat, order: Order, tokens: int, ends: float, *, again: bool
    ) -> Reading:
        """Send the order once, when key and endpoint are free."""
        if not seat.remote:
            message, streamed = await self._send(seat, order, ends)
            return read_reply(message, streamed, order.question(seat))
        ticket = await self._limiter.enter(
            seat.profile,
            tokens + seat.profile.max_output_tokens,
            patience_s=ends - _now(),
            background=order.background,
            again=again,
        )
        try:
            with self._breakers.watch(seat.asked.where, background=order.background):
                message, streamed = await self._send(seat, order, ends)
        except EndpointDown:
            await self._limiter.settle(ticket, 0)
            raise
        used = read_usage(message, tokens, seat.profile.model)
        await self._limiter.settle(ticket, used.input_tokens + used.output_tokens)
        return read_reply(message, streamed, order.question(seat))

    async def _send(
        self, seat: Seat, order: Order, ends: float
    ) -> tuple[AIMessage, list[RawCall] | None]:
        return await ask(seat, order, self._capabilities.of(seat.profile), ends - _now())

    async def _before_retry(
        self, seat: Seat, error: ModelError, attempt: int, ends: float, *, last: bool
    ) -> None:
        """Wait as the provider asks, or by back-off; raise when another try makes no sense."""
        if isinstance(error, RateLimited) and error.retry_after_s and seat.remote:
            await self._limiter.pause(seat.profile, error.retry_after_s)
        left_s = ends - _now() if last else min(ends - _now(), FALLBACK_PATIENCE_S)
        pause_s = self._retries.pause_after(error, attempt, self._jitter(), left_s)
        if pause_s is None:
            raise error
        log.info("%s; trying again in %.1f s", error, pause_s)
        await self._sleep(pause_s)

    def _seats(self, role: str) -> list[Seat]:
        if role not in self._models:
            raise UnknownRole(
                wanted=f"a model for the role {role!r}",
                came=f"models for {sorted(self._models)}",
                next_step=f"Set models.{role} in app.yaml.",
            )
        profile = self._profiles.get(role) or ModelProfile()
        others = zip(self._fallbacks.get(role, ()), profile.fallbacks, strict=False)
        return [
            Seat(role, self._models[role], profile),
            *(Seat(role, model, other) for model, other in others),
        ]


async def _cost_usd(usage: Usage, profile: ModelProfile) -> float | None:
    if not prices.is_local(profile):
        await prices.load()
    return prices.cost_usd(usage, profile, datetime.now(UTC))


def _now() -> float:
    return asyncio.get_running_loop().time()


def _stepped_in(seat: Seat, error: ModelError) -> str:
    return f"{seat.profile.model} stepped in for the {seat.role} ({error.kind}): {error}"


def _fit_to(error: ModelError, tokens: int, seat: Seat) -> int | None:
    """Give an overflow that the provider found a window to fit the prompt to, once.

    Returns:
        The window where the provider has named it; a guess is not worth remembering.
    """
    if not isinstance(error, ContextOverflow):
        return None
    total, named = tokens + seat.profile.max_output_tokens, error.window_tokens
    if named is None or named >= total:
        error.window_tokens = int(SHRINK * total)
        return None
    error.window_tokens = int(MARGIN * named)
    return error.window_tokens


def _check_window(blocks: Mapping[str, int], profile: ModelProfile) -> None:
    total = sum(blocks.values()) + profile.max_output_tokens
    if profile.context_tokens is None or total <= profile.context_tokens:
        return
    kind, size = max(blocks.items(), key=lambda item: item[1])
    raise ContextOverflow(
        wanted=f"at most {profile.context_tokens} tokens for {profile.model!r}",
        came=f"{total}, {profile.max_output_tokens} of them kept for the reply",
        next_step=f"The biggest part is {kind!r} with {size}; shorten it, or raise context_tokens.",
        window_tokens=profile.context_tokens,
    )
