"""Whatever a provider's class raises, as an error of this room."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite, nan
from typing import Final

from langchain_core import exceptions as langchain

from models.errors import (
    AuthFailed,
    BadOutput,
    ConnectionFailed,
    ContextOverflow,
    InvalidRequest,
    ModelError,
    ModelTimeout,
    Overloaded,
    QuotaExceeded,
    RateLimited,
    Refused,
)

_STATUS: Final[Mapping[type[Exception], int]] = {
    langchain.ModelRateLimitError: 429,
    langchain.ModelAuthenticationError: 401,
    langchain.ModelPermissionDeniedError: 403,
    langchain.ModelNotFoundError: 404,
    langchain.ModelInvalidRequestError: 400,
    langchain.ModelAPIError: 500,
}
_AUTH: Final = {401, 403}
_SIZE: Final = 413
_PAYMENT: Final = 402
_TOO_MANY: Final = 429
_AGAIN_LATER: Final = {408, 409, 425}
_QUOTA: Final = re.compile(r"quota|billing|credit|payment", re.IGNORECASE)
# OpenAI gives a code, vLLM and llama.cpp only a sentence
_OVERFLOW: Final = re.compile(
    r"context[ _](?:length|size|window)|(?:prompt|input) is too long|too many (?:input )?tokens",
    re.IGNORECASE,
)
_WINDOW: Final = re.compile(
    r"(?:context[ _](?:length|size|window)|maximum|limit)\D{0,20}?(\d[\d,]{2,})", re.IGNORECASE
)
_SECRET: Final = re.compile(r"\b(sk|key|bearer)([-_ ])[\w.*-]{6,}", re.IGNORECASE)
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked, for the texts of errors."""

    role: str
    model: str
    where: str
    key_env: str
    timeout_s: float

    @property
    def wanted(self) -> str:
        """What was wanted, as a noun phrase."""
        return f"a reply of {self.model!r} at {self.where} for the role {self.role!r}"


def translated(error: Exception, asked: Asked) -> ModelError:
    """The typed error for what LangChain, a socket or a time-out raised."""
    if isinstance(error, TimeoutError | langchain.ModelTimeoutError):
        return _timeout(asked)
    if isinstance(error, langchain.ModelConnectionError | OSError):
        return _connection(error, asked)
    if isinstance(error, langchain.ModelRefusalError):
        came = f"a refusal: {said_by(error)}"
        return Refused(wanted=asked.wanted, came=came, next_step="Ask in other words.")
    if isinstance(error, langchain.ContextOverflowError):
        return _overflow(error, asked)
    if isinstance(error, langchain.ModelError):
        return _by_status(error, status_of(error), asked)
    return BadOutput(
        wanted=asked.wanted,
        came=f"something that is no chat completion: {said_by(error)}",
        next_step="Check that base_url names an OpenAI-compatible endpoint.",
    )


def status_of(error: Exception) -> int:
    """The HTTP status; from the class where a provider's error carries none, else 500."""
    given = getattr(error, "status_code", None)
    if isinstance(given, int):
        return given
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)


def said_by(error: Exception) -> str:
    """The provider's own words, short and without anything that looks like a key."""
    text = _SECRET.sub(r"\1\2***", str(getattr(error, "message", None) or error))
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def retry_after_s(error: Exception, now: datetime | None = None) -> float | None:
    """Seconds to wait by the header Retry-After: a number, or a date."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value, now or datetime.now(UTC))
    return max(0.0, seconds) if isfinite(seconds) else None


def _seconds_until(date: str, now: datetime) -> float:
    """Seconds until an HTTP date; NaN when it is none."""
    try:
        at = parsedate_to_datetime(date)
    except ValueError:
        return nan
    return (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds()


def _by_status(error: Exception, status: int, asked: Asked) -> ModelError:
    words = f"{status} {said_by(error)}"
    if status in _AUTH:
        step = f"Check the API key in the environment variable {asked.key_env}."
        return AuthFailed(wanted=asked.wanted, came=words, next_step=step)
    if status == _PAYMENT or (status == _TOO_MANY and _QUOTA.search(_marks(error))):
        step = "Waiting does not help: check the plan and the credit of the account."
        return QuotaExceeded(wanted=asked.wanted, came=words, next_step=step)
    if status == _TOO_MANY:
        return _rate_limited(error, words, asked)
    if status >= 500 or status in _AGAIN_LATER:
        return _overloaded(error, words, asked)
    if status == _SIZE or _OVERFLOW.search(f"{_marks(error)} {error}"):
        return _overflow(error, asked)
    step = "Check the model's name and settings in app.yaml."
    return InvalidRequest(wanted=asked.wanted, came=words, next_step=step)


def _marks(error: Exception) -> str:
    """The machine-readable code and type of a provider's error."""
    return f"{getattr(error, 'code', None)} {getattr(error, 'type', None)}"


def _rate_limited(error: Exception, words: str, asked: Asked) -> RateLimited:
    wait = retry_after_s(error)
    when = "in a moment" if wait is None else f"in {wait:g} s"
    step = f"The provider is busy; ask again {when}."
    return RateLimited(wanted=asked.wanted, came=words, next_step=step, retry_after_s=wait)


def _overloaded(error: Exception, words: str, asked: Asked) -> Overloaded:
    wait = retry_after_s(error)
    step = "Ask again in a moment, or use another model for this role."
    return Overloaded(wanted=asked.wanted, came=words, next_step=step, retry_after_s=wait)


def _overflow(error: Exception, asked: Asked) -> ContextOverflow:
    step = "Ask a shorter question, or set context_tokens to what the model can hold."
    found = _WINDOW.search(str(getattr(error, "message", None) or error))
    window = int(found.group(1).replace(",", "")) if found else None
    came = said_by(error)
    return ContextOverflow(wanted=asked.wanted, came=came, next_step=step, window_tokens=window)


def _timeout(asked: Asked) -> ModelTimeout:
    came = f"none within {asked.timeout_s:g} s"
    step = "Ask again, or set a larger timeout_s for this model."
    return ModelTimeout(wanted=asked.wanted, came=came, next_step=step)


def _connection(error: Exception, asked: Asked) -> ConnectionFailed:
    came = f"no connection, or a broken one ({said_by(error)})"
    step = f"Check that {asked.where} can be reached."
    return ConnectionFailed(wanted=asked.wanted, came=came, next_step=step)
