"""Secrets are masked by their shapes and by their values; ordinary text stays as it is."""

import logging
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.environment import secrets_of_environment
from configs.masking import Masking, mask_logs

MASK = Masking.of(["canary-of-the-environment"])
LETTERS = "aB3dE5gH7jK9" * 4


@pytest.mark.parametrize(
    "secret",
    [
        f"sk-{LETTERS}",
        f"sk-ant-api03-{LETTERS}",
        f"sk_live_{LETTERS}",
        f"ghp_{LETTERS}",
        f"github_pat_{LETTERS}",
        f"glpat-{LETTERS}",
        f"xoxb-1234567890-{LETTERS}",
        "AKIAABCDEFGHIJKLMNOP",
        f"AIza{LETTERS}",
        f"hf_{LETTERS}",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "canary-of-the-environment",
    ],
)
@pytest.mark.parametrize("around", ["{}", "key is {}.", '{{"a": "{}"}}', "https://x.io/{}?y=1"])
def test_keys_and_tokens_are_masked_anywhere(secret: str, around: str) -> None:
    masked = MASK.masked(around.format(secret))
    assert secret not in masked.text
    assert masked.count == 1


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("postgres://ada:hunter2@db/x", "hunter2", "postgres://ada:"),
        ("Authorization: Bearer abc.DEF-1234567890xyz", "abc.DEF", "Authorization: Bearer "),
        ('{"password": "correct horse battery"}', "horse", '{"password": "'),
        ('"{\\"api_key\\": \\"zzz999yyy\\"}"', "zzz999", "api_key"),
        ("MY_API_KEY=zzz999yyy888", "zzz999", "MY_API_KEY="),
        ("x?token=abcd1234efgh5678&y=1", "abcd1234", "&y=1"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nend", "abc", "end"),
        ("-----BEGIN PRIVATE KEY-----\nabc", "abc", "[masked private key]"),
    ],
)
def test_only_the_secret_part_is_masked(text: str, gone: str, kept: str) -> None:
    masked = MASK(text)
    assert gone not in masked
    assert kept in masked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "INV-1047 is paid; the token is expired.",
        "max_tokens=20000000 next_token: page-two",
        "api_key: ${OPENAI_API_KEY}",
        "password reset required: visit the page",
        "https://example.org:8080/path?query=1",
        "sk-ating and ghp_ are no secrets",
        "the key: important",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert MASK(text) == text


@given(st.text(max_size=200))
def test_masking_twice_changes_nothing_more(text: str) -> None:
    assert MASK(MASK(text)) == MASK(text)


@pytest.mark.parametrize(
    "piece", ["a_", "://", "token=", "-----BEGIN PRIVATE KEY-----", "sk-", "x"]
)
def test_long_odd_texts_are_masked_in_a_moment(piece: str) -> None:
    began = time.perf_counter()
    MASK(piece * 200_000)
    assert time.perf_counter() - began < 3


def test_log_records_and_tracebacks_are_masked_until_told_to_stop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log, secret = logging.getLogger("here"), f"ghp_{LETTERS}"
    stop = mask_logs(MASK)
    log.warning("it said %s", secret)
    try:
        raise ValueError(secret)
    except ValueError:
        log.exception("failed with %(key)s", {"key": secret})
    assert secret not in caplog.text
    assert caplog.text.count("[masked token]") == 3
    stop()
    log.warning("it said %s", secret)
    assert secret in caplog.text


def test_maskings_begin_and_stop_in_any_order(caplog: pytest.LogCaptureFixture) -> None:
    log, known = logging.getLogger("here"), "value-of-the-token"
    before = logging.getLogRecordFactory()
    first, second = mask_logs(MASK), mask_logs(Masking.of([known]))
    first()
    log.warning("it said canary-of-the-environment and %s", known)
    assert "canary-of-the-environment" in caplog.text
    assert known not in caplog.text
    second()
    second()
    assert logging.getLogRecordFactory() is before


def test_values_of_secret_variables_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "value-of-the-token")
    monkeypatch.setenv("PLAIN", "value-that-is-plain")
    monkeypatch.setenv("NAMED", "value-that-was-named")
    monkeypatch.setenv("KEY_FILE", "/run/secrets/key")
    found = secrets_of_environment(["NAMED"])
    assert {"value-of-the-token", "value-that-was-named"} <= set(found)
    assert not {"value-that-is-plain", "/run/secrets/key"} & set(found)


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("password", "correct-h0rse", "[masked secret]"),
        ("said", "correct-h0rse", "correct-h0rse"),
        ("said", f"use sk-{LETTERS}", "use [masked token]"),
        ("", f"sk-{LETTERS}", "[masked token]"),
    ],
)
def test_a_named_value_is_a_secret_by_its_shape_or_by_its_name(
    name: str, text: str, shown: str
) -> None:
    assert MASK.named(name, text) == shown
