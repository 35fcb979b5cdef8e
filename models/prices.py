"""What a call costs and what a model holds, from published tables; the only user of genai-prices.

The tables come with the package, so nothing is looked up over the network. Importing them takes a
quarter of a second: `await load()` before an event loop is busy.
"""

import asyncio
import ipaddress
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from configs.sections import ModelProfile
from models.endpoints import is_public, place_of
from models.replies import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

_MILLION = 1_000_000


async def load() -> None:
    """Import the tables in a thread, so that later look-ups do not block the loop."""
    await asyncio.to_thread(_import)


def is_local(profile: ModelProfile) -> bool:
    """Whether the model runs in this process, on this machine or in a private network."""
    if profile.provider != "openai":
        return True
    host = urlsplit(place_of(profile)).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))


def cost_usd(usage: Usage, profile: ModelProfile, at: datetime) -> float | None:
    """US dollars of a call: by the profile's own prices, 0 for a local model, else as published.

    None when nobody has published a price for the model at that endpoint.
    """
    own = profile.price
    if own is not None:
        cached = own.input if own.cached_input is None else own.cached_input
        fresh = usage.input_tokens - usage.cache_read_tokens
        total = fresh * own.input + usage.cache_read_tokens * cached
        return (total + usage.output_tokens * own.output) / _MILLION
    if is_local(profile):
        return 0.0
    price = _published(usage, profile, at)
    return None if price is None else float(price.total_price)


def published_window(profile: ModelProfile, at: datetime) -> int | None:
    """Tokens the model holds, where that is published for its endpoint."""
    price = None if is_local(profile) else _published(Usage(0, 0), profile, at)
    return None if price is None else price.model.context_window


def _published(usage: Usage, profile: ModelProfile, at: datetime) -> "PriceCalculation | None":
    from genai_prices import Usage as Used  # noqa: PLC0415 - imported with the first real call
    from genai_prices import calc_price  # noqa: PLC0415 - as above

    used = Used(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        if is_public(profile):
            name = profile.model
            return calc_price(used, name, provider_id="openai", genai_request_timestamp=at)
        url = profile.base_url
        return calc_price(used, profile.model, provider_api_url=url, genai_request_timestamp=at)
    except (LookupError, ValueError):
        return None


def _import() -> None:
    import genai_prices.data  # noqa: F401, PLC0415 - the tables
