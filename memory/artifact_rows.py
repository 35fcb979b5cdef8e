"""Artifacts as rows: packed when they are long, and checked against their digest when read."""

import hashlib
import zlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row

from memory.errors import DamagedArtifact
from models.tokens import count

COMPRESS_OVER_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """What is known of an artifact without its text; `tokens` are exact."""

    id: str
    thread: str
    turn_id: str
    module: str
    kind: str
    source: str
    sha256: str
    tokens: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact with its text."""

    ref: ArtifactRef
    text: str


def body_of(text: str) -> dict[str, Any]:
    """The columns that hold a text."""
    raw = text.encode("utf-8")
    digest = hashlib.sha256(raw).hexdigest()
    packed = zlib.compress(raw, 6) if len(raw) > COMPRESS_OVER_BYTES else raw
    smaller = len(packed) < len(raw)
    return {
        "sha256": digest,
        "tokens": count(text),
        "encoding": "zlib" if smaller else "plain",
        "body": packed if smaller else raw,
    }


def text_of(row: Row[Any]) -> str:
    """A row's text.

    Raises:
        DamagedArtifact: it is not what was stored.
    """
    try:
        raw = zlib.decompress(row.body) if row.encoding == "zlib" else bytes(row.body)
    except zlib.error as error:
        raise DamagedArtifact(row.id, str(error)) from error
    if hashlib.sha256(raw).hexdigest() != row.sha256:
        raise DamagedArtifact(row.id, "its sha256 is another one")
    return raw.decode("utf-8")


def ref_of(row: Row[Any]) -> ArtifactRef:
    """What is known of a row without its text."""
    return ArtifactRef(
        row.id,
        row.thread,
        row.turn_id,
        row.module,
        row.kind,
        row.source,
        row.sha256,
        row.tokens,
        datetime.fromisoformat(row.created_at),
    )
