import base64
import gzip
import hashlib
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from tiktoken_ext import openai_public  # type: ignore[import-untyped]  # no stubs

from models.errors import DamagedTables
from models.media import picture_tokens
from models.token_tables import SPECS, EncodingName, read_ranks, table_file
from models.tokens import (
    CALL_TOKENS,
    MESSAGE_TOKENS,
    count,
    count_message,
    count_messages,
    count_tools,
    encoding_of,
    load,
    register,
    token_ids,
    truncate,
)

MODELS = {"o200k_base": "gpt-4o", "cl100k_base": "gpt-4"}
PLAIN = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
NAMES: list[EncodingName] = ["o200k_base", "cl100k_base"]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What tiktoken itself defines, its cache filled from the installed tables."""
    cache = tmp_path_factory.mktemp("tiktoken")
    for name in NAMES:
        address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        key = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
        (cache / key).write_bytes(gzip.decompress(table_file(name).read_bytes()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
        return {name: getattr(openai_public, name)() for name in NAMES}


@pytest.fixture(scope="module")
def tokenizers(published: dict[str, dict[str, Any]]) -> dict[str, tiktoken.Encoding]:
    return {name: tiktoken.Encoding(**definition) for name, definition in published.items()}


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_those_of_tiktoken(
    name: EncodingName, published: dict[str, dict[str, Any]]
) -> None:
    theirs = published[name]
    assert SPECS[name].pattern == theirs["pat_str"]
    assert dict(SPECS[name].special_tokens) == theirs["special_tokens"]
    assert read_ranks(name) == theirs["mergeable_ranks"]


@pytest.mark.parametrize("name", NAMES)
def test_counts_equal_tiktokens_on_diverse_texts(
    name: EncodingName, tokenizers: dict[str, tiktoken.Encoding]
) -> None:
    theirs = tokenizers[name]
    texts = [
        "",
        "Refund invoice INV-1042, please.",
        "退款发票 谢谢 " * 40,
        '{"rows": [[1, 2.5, null], ["a", true]]}' * 20,
        "🙂🙃 çà ñ \u0301",
        "\r\n\t  x\n\n\n",
        base64.b64encode(bytes(range(256))).decode(),
        "def f(x):\n    return x  # <|endoftext|>",
        "\x00\ud800",
    ]
    for text in texts:
        assert count(text, MODELS[name]) == len(theirs.encode(text, disallowed_special=()))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("ft:gpt-4o:acme", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
        ("azure-gpt4", "o200k_base"),
        ("qwen2.5-7b", "o200k_base"),
        ("", "o200k_base"),
    ],
)
def test_every_model_name_has_a_table(model: str, name: str) -> None:
    assert encoding_of(model) == name


def test_special_tokens_are_counted_as_text() -> None:
    assert count("what does <|endoftext|> mean?") > 5


@pytest.mark.parametrize("model", MODELS.values())
@pytest.mark.parametrize("text", ["A", " ", "\t", "\n", "=", "中", "1", "🙂", " \n"])
def test_a_megabyte_of_one_character_is_counted_fast(text: str, model: str) -> None:
    count("warm", model)
    started = time.perf_counter()
    assert count(text * (1_000_000 // len(text)), model) > 7_000
    assert time.perf_counter() - started < 3


@pytest.mark.parametrize("model", MODELS.values())
@pytest.mark.parametrize("text", ["A", " ", "é", "ab", "7", "\n", "!?"])
@pytest.mark.parametrize("tail", ["", "x", " x\n"])
def test_long_runs_have_the_same_count_from_both_tokenizers(
    text: str, tail: str, model: str, tokenizers: dict[str, tiktoken.Encoding]
) -> None:
    run = text * (60_000 // len(text)) + tail
    theirs = tokenizers[encoding_of(model)]
    assert count(run, model) == len(theirs.encode_ordinary(run))


@settings(max_examples=60, deadline=None)
@given(text=PLAIN, budget=st.integers(0, 40), model=st.sampled_from(list(MODELS.values())))
def test_a_truncated_text_is_an_opening_within_its_budget(
    text: str, budget: int, model: str
) -> None:
    opening = truncate(text, budget, model)
    assert text.startswith(opening)
    assert count(opening, model) <= budget


def test_truncation_uses_the_budget() -> None:
    text = "The invoice is overdue. " * 2000
    assert count(truncate(text, 500)) == 500
    assert truncate("short", 500) == "short"
    assert truncate("no room", 0) == ""


def test_a_megabyte_is_truncated_without_encoding_it_all() -> None:
    for text in (" " * 1_000_000, "A" * 1_000_000, "x y\n" * 250_000):
        assert 90 <= count(truncate(text, 100)) <= 100


@settings(max_examples=25, deadline=None)
@given(parts=st.lists(PLAIN, max_size=4))
def test_messages_are_additive(parts: list[str]) -> None:
    messages = [HumanMessage(part) for part in parts]
    expected = sum(MESSAGE_TOKENS + count("user") + count(part) for part in parts)
    assert count_messages(messages) == expected


def test_tool_calls_and_results_are_counted() -> None:
    call = {"name": "find_invoice", "args": {"id": "INV-1"}, "id": "c1"}
    message = AIMessage("", tool_calls=[call])
    frame = MESSAGE_TOKENS + count("assistant")
    expected = frame + CALL_TOKENS + count("find_invoice") + count('{"id":"INV-1"}')
    assert count_message(message) == expected
    result = ToolMessage("paid", tool_call_id="c1")
    assert count_message(result) == MESSAGE_TOKENS + count("tool") + count("paid") + CALL_TOKENS


def test_unreadable_tool_calls_are_counted() -> None:
    broken = {"name": "find", "args": '{"id": ', "id": "c1", "error": None}
    message = AIMessage("", invalid_tool_calls=[broken])
    assert count_message(message) > count_message(AIMessage("")) + CALL_TOKENS


def test_tools_are_counted_with_their_descriptions() -> None:
    tool = {"type": "function", "function": {"name": "find", "description": "d " * 50}}
    assert count_tools([tool]) > 50
    assert count_tools([]) == 0


def _png(width: int, height: int) -> str:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(head + bytes(400_000)).decode()


@pytest.mark.parametrize(
    ("block", "tokens"),
    [
        ({"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}}, 85),
        ({"type": "image_url", "image_url": {"url": "https://x/y.png"}}, 85 + 170 * 8),
        ({"type": "image_url", "image_url": "data:image/png;base64," + _png(512, 512)}, 255),
        ({"type": "image", "base64": _png(1024, 1024), "mime_type": "image/png"}, 765),
        ({"type": "image", "source": {"type": "base64", "data": _png(100, 100)}}, 255),
        ({"type": "image", "base64": "A" * 400_000}, 85 + 170 * 8),
        ({"type": "image", "base64": "not base64!", "width": 512, "height": 512}, 255),
        ({"type": "input_audio", "input_audio": {"data": "A" * 400_000}}, 1_000),
        ({"type": "file", "base64": "A" * 400_000}, 2_000),
    ],
)
def test_media_is_counted_by_rule_and_never_as_text(block: dict[str, Any], tokens: int) -> None:
    empty = count_message(HumanMessage([]))
    assert count_message(HumanMessage([block])) - empty == tokens


def test_text_and_reasoning_blocks_are_counted_as_text() -> None:
    empty = count_message(AIMessage([]))
    blocks: list[str | dict[str, Any]] = [
        {"type": "text", "text": "one two three"},
        "four",
        {"type": "thinking", "thinking": "five six"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "seven"}]},
        {"type": "reasoning", "summary": "eight"},
        {"type": "tool_use", "name": "find", "input": {}, "id": "c1"},
    ]
    words = ("one two three", "four", "five six", "seven", "eight")
    assert count_message(AIMessage(blocks)) - empty == sum(map(count, words))


def test_unknown_blocks_are_counted_as_json() -> None:
    assert count_message(HumanMessage([{"type": "novel", "x": "y"}])) > 8


def test_a_name_costs_tokens() -> None:
    assert count_message(SystemMessage("x", name="me")) > count_message(SystemMessage("x"))


@pytest.mark.parametrize(("size", "tokens"), [((1, 1), 255), ((2048, 4096), 1105), ((512, 8), 255)])
def test_picture_tiles_follow_the_published_rule(size: tuple[int, int], tokens: int) -> None:
    assert picture_tokens(*size) == tokens


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gz"
    wrong.write_bytes(gzip.compress(b"AA== 0\n"))
    with pytest.raises(DamagedTables, match="sha256"):
        read_ranks("o200k_base", wrong)
    wrong.write_bytes(b"not packed")
    with pytest.raises(DamagedTables, match="reinstall"):
        read_ranks("o200k_base", wrong)


async def test_load_prepares_the_table_off_the_loop() -> None:
    await load("gpt-4")
    assert count("x", "gpt-4") == 1


def test_the_table_is_loaded_at_the_first_count_and_by_several_threads_once() -> None:
    script = (
        "import sys, models.tokens as t\n"
        "assert not {'tiktoken', 'bpe_openai'} & set(sys.modules)\n"
        "from concurrent.futures import ThreadPoolExecutor as P\n"
        "assert set(P(8).map(t.count, ['hello world'] * 16)) == {2}\n"
        "assert 'bpe_openai' not in sys.modules and len(t._tables) == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_threads_agree() -> None:
    texts = [f"text number {index} " * 20 for index in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count, texts)) == [count(text) for text in texts]


class ByLetter:
    """A tokenizer with a token for each byte."""

    def encode_ordinary(self, text: str) -> list[int]:
        return list(text.encode())

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        return bytes(tokens)


def test_another_tokenizer_counts_the_models_it_is_registered_for() -> None:
    model = "by-letter-7b"
    published = count("one two", model)
    register("by-letter", ByLetter())
    assert (published, count("one two", model), count("one two", "gpt-4o")) == (2, 7, 2)
    assert count("a" * 100_000, model) == 100_000
    assert token_ids("ab", model) == [97, 98]
    assert truncate("one two " * 5_000, 11, model) == "one two one"
    assert count_message(HumanMessage("one two"), model) == MESSAGE_TOKENS + len("user") + 7
