from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from configs.sections import ModelProfile
from configs.settings import load_settings
from evals.openai_server import Call, OpenAIServer, Reply, openai_server
from models.errors import ContextOverflow, ModelError, Overloaded, Refused
from models.gateway import Gateway, Retries
from models.openai_chat import open_chat
from models.providers import build_fallbacks, build_models
from tests.models.test_gateway import ASK, TOOL, Sleeper

GOOD = Reply("It is paid.")


@dataclass
class Pair:
    """A gateway whose expert has one fallback."""

    gateway: Gateway
    first: OpenAIServer
    second: OpenAIServer
    sleeper: Sleeper


@asynccontextmanager
async def pair(
    first: Reply | list[Reply], second: Reply | list[Reply], retries: Retries | None = None
) -> AsyncIterator[Pair]:
    async with openai_server(first) as one, openai_server(second) as two:
        step = {"provider": "openai", "model": "strong", "base_url": two.base_url}
        values = {"provider": "openai", "model": "cheap", "base_url": one.base_url}
        profile = ModelProfile.model_validate({**values, "timeout_s": 5, "fallbacks": [step]})
        models = [open_chat(each, "key") for each in (profile, *profile.fallbacks)]
        sleeper = Sleeper()
        gateway = Gateway(
            {"expert": models[0]},
            {"expert": profile},
            fallbacks={"expert": models[1:]},
            retries=retries,
            sleep=sleeper,
            jitter=lambda: 0.0,
        )
        yield Pair(gateway, one, two, sleeper)
        for model in models:
            await model.aclose()


@pytest.mark.parametrize(
    ("broken", "requests"),
    [
        (Reply(status=500), 3),
        (Reply(status=401), 1),
        (Reply(status=404), 1),
        (Reply(status=429, error={"message": "q", "code": "insufficient_quota"}), 1),
        (Reply(drop=True), 3),
        (Reply(""), 3),
        (Reply(calls=(Call("find_invoice", "{"),), finish="length"), 1),
    ],
)
async def test_another_model_steps_in_and_the_reply_says_so(broken: Reply, requests: int) -> None:
    async with pair(broken, GOOD) as desk:
        reply = await desk.gateway.call("expert", ASK, tools=[TOOL])
    assert (reply.text, reply.model) == ("It is paid.", "strong")
    assert reply.notes[0].startswith("strong stepped in for the expert")
    assert (len(desk.first.requests), len(desk.second.requests)) == (requests, 1)


async def test_a_refusal_is_not_taken_elsewhere() -> None:
    async with pair(Reply(refusal="I must not."), GOOD) as desk:
        with pytest.raises(Refused):
            await desk.gateway.call("expert", ASK)
    assert desk.second.requests == []


async def test_when_all_fail_the_first_models_error_is_told() -> None:
    async with pair(Reply(status=500), Reply(status=401)) as desk:
        with pytest.raises(Overloaded, match="cheap"):
            await desk.gateway.call("expert", ASK)


async def test_a_long_pause_is_not_waited_for_while_another_model_is_free() -> None:
    busy = Reply(status=429, headers={"retry-after": "20"}, error={"message": "slow down"})
    async with pair(busy, GOOD) as desk:
        reply = await desk.gateway.call("expert", ASK)
    assert reply.model == "strong"
    assert len(desk.first.requests) == 1
    assert desk.sleeper.pauses == []


async def test_a_hanging_model_leaves_time_for_the_next_one() -> None:
    async with pair(Reply("late", hang_s=30), GOOD, Retries(deadline_s=1.0)) as desk:
        reply = await desk.gateway.call("expert", ASK)
    assert reply.model == "strong"
    assert reply.seconds < 2


async def test_an_endpoint_that_is_down_costs_no_more_requests_once_that_is_known() -> None:
    async with pair(Reply(status=503), GOOD) as desk:
        replies = [await desk.gateway.call("expert", ASK) for _ in range(5)]
    assert {reply.model for reply in replies} == {"strong"}
    assert len(desk.first.requests) == 5


async def test_a_smaller_window_of_the_fallback_is_told_with_its_size() -> None:
    async with pair(Reply(status=500), GOOD) as desk:
        small = {"context_tokens": 1100}
        profile = desk.gateway._profiles["expert"]
        fallback = profile.fallbacks[0].model_copy(update=small)
        desk.gateway._profiles = {"expert": profile.model_copy(update={"fallbacks": (fallback,)})}
        with pytest.raises(ContextOverflow) as caught:
            await desk.gateway.call("expert", [*ASK, *ASK * 20])
    assert caught.value.window_tokens == 1100


def test_named_profiles_and_fallbacks_become_clients(tmp_path: object) -> None:
    settings = load_settings(
        data_dir=str(tmp_path),
        profiles={"cheap": {"model": "nano"}, "strong": {"model": "big"}},
        models={
            "default": {"provider": "openai", "model": "mid", "base_url": "http://h:1/v1"},
            "router": "cheap",
            "expert": {"fallbacks": ["strong", {"provider": "embedded"}]},
        },
    )
    models, fallbacks = build_models(settings), build_fallbacks(settings)
    assert sorted(fallbacks) == ["expert"]
    first, second = (type(model).__name__ for model in fallbacks["expert"])
    assert first == "CompatibleChat" != second
    assert models["router"] is not models["expert"]
    assert settings.models["router"].base_url == "http://h:1/v1"


def test_errors_that_no_other_model_can_mend_stay() -> None:
    assert not any(kind.elsewhere for kind in (ModelError, Refused, ContextOverflow))
