from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from langchain_core import exceptions as langchain
from langchain_core.messages import AIMessage, HumanMessage

from configs.sections import ModelProfile
from models import token_tables
from models.endpoints import is_compatible, is_public, place_of
from models.errors import (
    AuthFailed,
    BadOutput,
    ConnectionFailed,
    ContextOverflow,
    InvalidRequest,
    MissingPackage,
    ModelError,
    ModelTimeout,
    Overloaded,
    RateLimited,
    Refused,
)
from models.faults import Asked, retry_after_s, translated
from models.gateway import Gateway
from models.token_tables import linear_tokenizer, table_file
from tests.fakes.scripted import scripted

ASKED = Asked(role="expert", model="m", where="here", key_env="MY_KEY", timeout_s=5)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Answered(Exception):
    """An error that carries a provider's headers."""

    def __init__(self, value: str | None) -> None:
        super().__init__("busy")
        self.response = SimpleNamespace(headers={} if value is None else {"retry-after": value})


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("Thu, 01 Jan 2026 00:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 00:00:30 -0000", 30.0),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        (None, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(Answered(value), NOW) == seconds


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (langchain.ModelRateLimitError("x"), RateLimited),
        (langchain.ModelAuthenticationError("x"), AuthFailed),
        (langchain.ModelPermissionDeniedError("x"), AuthFailed),
        (langchain.ModelNotFoundError("x"), InvalidRequest),
        (langchain.ModelInvalidRequestError("x"), InvalidRequest),
        (langchain.ModelAPIError("x"), Overloaded),
        (langchain.ModelConnectionError("x"), ConnectionFailed),
        (langchain.ModelTimeoutError("x"), ModelTimeout),
        (langchain.ContextOverflowError("x"), ContextOverflow),
        (langchain.ModelRefusalError("x"), Refused),
        (langchain.OutputParserException("x"), BadOutput),
        (TimeoutError(), ModelTimeout),
        (ConnectionResetError("x"), ConnectionFailed),
    ],
)
async def test_any_providers_failure_is_typed_by_its_class(
    error: Exception, wanted: type[ModelError]
) -> None:
    assert type(translated(error, ASKED)) is wanted
    with pytest.raises(wanted):
        await Gateway(scripted(lambda *_: error), {}, sleep=_no_sleep).call(
            "expert", [HumanMessage("hi")]
        )


async def _no_sleep(_: float) -> None:
    return


def test_a_long_message_is_shown_shortened() -> None:
    error = translated(langchain.ModelAPIError("busy " * 500), ASKED)
    assert len(str(error)) < 600


async def test_content_blocks_are_kept() -> None:
    blocks: list[str | dict[str, object]] = [{"type": "text", "text": "It is paid."}]
    reply = await Gateway(scripted(lambda *_: AIMessage(blocks)), {}).call(
        "expert", [HumanMessage("hi")]
    )
    assert reply.text == "It is paid."


async def test_content_blocks_without_text_are_an_empty_turn() -> None:
    blocks: list[str | dict[str, object]] = [{"type": "reasoning", "reasoning": "hm"}]
    with pytest.raises(BadOutput):
        await Gateway(scripted(lambda *_: AIMessage(blocks)), {}, sleep=_no_sleep).call(
            "expert", [HumanMessage("hi")]
        )


@pytest.mark.parametrize(
    ("base_url", "public"),
    [
        (None, True),
        ("https://api.openai.com/v1", True),
        ("http://localhost:8000/v1", False),
        ("https://api.openai.com.evil.example/v1", False),
    ],
)
def test_only_openais_own_host_is_public(base_url: str | None, public: bool) -> None:
    profile = ModelProfile(provider="openai", model="m", base_url=base_url)
    assert is_public(profile) is public
    assert is_compatible(profile) is not public
    assert place_of(profile).startswith("http")


def test_the_embedded_profile_is_neither() -> None:
    profile = ModelProfile()
    assert not is_public(profile)
    assert not is_compatible(profile)
    assert place_of(profile) == "this process"


def test_missing_token_tables_name_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_tables, "_PACKAGE", "no_such_package")
    linear_tokenizer.cache_clear()
    with pytest.raises(MissingPackage, match="bpe-openai"):
        table_file("o200k_base")
    with pytest.raises(MissingPackage, match="bpe-openai"):
        linear_tokenizer("o200k_base")
