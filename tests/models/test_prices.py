from datetime import UTC, datetime

import pytest

from configs.sections import ModelProfile, PriceSettings
from models.prices import cost_usd, is_local, load, published_window
from models.replies import Usage

AT = datetime(2026, 1, 1, tzinfo=UTC)
USED = Usage(input_tokens=1000, output_tokens=100, cache_read_tokens=500)


def real(model: str, base_url: str | None = None, **more: object) -> ModelProfile:
    values = {"provider": "openai", "model": model, "base_url": base_url, **more}
    return ModelProfile.model_validate(values)


def test_a_published_model_costs_what_is_published_and_less_for_cached_tokens() -> None:
    fresh = cost_usd(Usage(1000, 100), real("gpt-4o"), AT)
    cached = cost_usd(USED, real("gpt-4o"), AT)
    assert fresh is not None
    assert cached is not None
    assert 0 < cached < fresh < 0.01


def test_an_unknown_model_has_no_known_cost() -> None:
    assert cost_usd(USED, real("gpt-9-secret"), AT) is None
    assert cost_usd(USED, real("gpt-4o", "https://gateway.example.com/v1"), AT) is None


@pytest.mark.parametrize(
    ("base_url", "local"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost:11434/v1", True),
        ("http://192.168.1.4/v1", True),
        ("http://[::1]:80/v1", True),
        ("http://vllm:8000/v1", True),
        ("http://models.internal/v1", True),
        ("https://openrouter.ai/api/v1", False),
        (None, False),
    ],
)
def test_a_model_on_own_machines_costs_nothing(base_url: str | None, local: bool) -> None:
    profile = real("qwen-local", base_url)
    assert is_local(profile) is local
    assert (cost_usd(USED, profile, AT) == 0) is local


def test_the_embedded_model_costs_nothing() -> None:
    assert cost_usd(USED, ModelProfile(), AT) == 0


def test_own_prices_win_over_published_ones() -> None:
    price = PriceSettings(input=2, output=10, cached_input=1)
    assert cost_usd(USED, real("gpt-4o", price=price), AT) == pytest.approx(
        (500 * 2 + 500 * 1 + 100 * 10) / 1e6
    )
    plain = PriceSettings(input=2, output=10)
    assert cost_usd(USED, real("gpt-4o", price=plain), AT) == pytest.approx(0.003)


async def test_the_window_of_a_published_model_is_known() -> None:
    await load()
    assert published_window(real("gpt-4o"), AT) == 128_000
    assert published_window(real("gpt-9-secret"), AT) is None
    assert published_window(real("qwen", "http://127.0.0.1/v1"), AT) is None
