"""The probe tells a good cache from an inconsistent one, a marked one and none."""

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest

from configs.sections import ModelProfile
from evals.openai_server import Reply, Script, openai_server
from graph.cache_probe import ProbeResult, probe
from models.gateway import Gateway
from models.openai_chat import open_chat
from models.tokens import count as count_tokens


class Server:
    """Reads common prefixes of earlier prompts from its cache, unless `blind` says otherwise."""

    def __init__(self, *, minimum: int = 1024, every_fourth_blind: bool = False) -> None:
        self._minimum = minimum
        self._blind = every_fourth_blind
        self._seen: list[list[str]] = []
        self._calls = count(1)

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        parts = [json.dumps(message) for message in body["messages"]]
        total = sum(map(count_tokens, parts))
        read = max((self._common(parts, seen) for seen in self._seen), default=0)
        self._seen.append(parts)
        if read < self._minimum or (self._blind and not next(self._calls) % 4):
            read = 0
        return Reply("OK", usage=usage(total, read))

    @staticmethod
    def _common(parts: list[str], seen: list[str]) -> int:
        read = 0
        for a, b in zip(parts, seen, strict=False):
            if a != b:
                break
            read += count_tokens(a)
        return read


def usage(total: int, read: int) -> dict[str, Any]:
    return {
        "prompt_tokens": total,
        "completion_tokens": 1,
        "total_tokens": total + 1,
        "prompt_tokens_details": {"cached_tokens": read},
    }


async def probed(script: Script | Reply, rule: str = "openai") -> ProbeResult:
    async with openai_server(script) as server:
        profile = ModelProfile(provider="openai", model="gpt-4.1", base_url=server.base_url)
        gateway = Gateway({"expert": open_chat(profile, "k")}, {"expert": profile})
        return await probe(gateway, "expert", rule, 3)


async def test_a_working_cache_is_called_consistent() -> None:
    result = await probed(Server())
    text = " ".join(result.findings)
    assert "Consistent" in text
    assert "reads the shared part" in text
    assert [call.sent for call in result.calls[:3]] == ["grown", "again", "other ending"]
    assert not result.calls[0].reported
    assert all(call.reported for call in result.calls if call.sent == "again")


async def test_a_cache_that_forgets_now_and_then_is_called_inconsistent() -> None:
    result = await probed(Server(every_fourth_blind=True))
    assert any("Inconsistent" in finding for finding in result.findings)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply("OK", usage=usage(2000, 0)), "read nothing from a cache"),
        (Reply("OK", usage=None), "no token figures"),
    ],
)
async def test_an_endpoint_without_a_cache_or_figures_is_called_so(reply: Reply, said: str) -> None:
    assert any(said in finding for finding in (await probed(reply)).findings)
