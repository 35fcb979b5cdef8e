"""Tokens of pictures, sound and files by rule, since no table holds them."""

import base64
import binascii
import struct
from collections.abc import Mapping
from math import ceil
from typing import Any, Final

LOW_DETAIL_TOKENS: Final = 85
TILE_TOKENS: Final = 170
TILE_PIXELS: Final = 512
LARGEST_PICTURE: Final = (2048, 768)
"""Assumed when the size is unknown: the most tiles a picture can have after scaling."""
AUDIO_TOKENS: Final = 1_000
FILE_TOKENS: Final = 2_000
_PICTURES: Final = {"image", "image_url", "input_image"}
_SOUNDS: Final = {"audio", "input_audio", "video", "video_url"}
_FILES: Final = {"file", "input_file", "document"}


def media_tokens(block: Mapping[str, Any]) -> int | None:
    """Tokens of a picture, sound or file block, never of its base64; None for other blocks.

    Pictures follow OpenAI's published tiles; sound and files, whose length is not visible, have a
    flat price.
    """
    kind = block.get("type")
    if kind in _PICTURES:
        return _picture_tokens(block)
    if kind in _SOUNDS:
        return AUDIO_TOKENS
    return FILE_TOKENS if kind in _FILES else None


def picture_tokens(width: int, height: int) -> int:
    """Tokens of a picture in high detail: scaled into 2048 x 2048, short side to 768, in tiles."""
    scale = min(1.0, 2048 / max(width, height))
    scale = min(scale, 768 / min(width, height))
    tiles = ceil(width * scale / TILE_PIXELS) * ceil(height * scale / TILE_PIXELS)
    return LOW_DETAIL_TOKENS + TILE_TOKENS * tiles


def _picture_tokens(block: Mapping[str, Any]) -> int:
    nested = block.get("image_url")
    source = nested if isinstance(nested, Mapping) else block
    if source.get("detail") == "low":
        return LOW_DETAIL_TOKENS
    width, height = block.get("width"), block.get("height")
    if isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0:
        return picture_tokens(width, height)
    return picture_tokens(*(_png_size(_base64_of(block)) or LARGEST_PICTURE))


def _base64_of(block: Mapping[str, Any]) -> str:
    nested = block.get("image_url")
    url = nested.get("url") if isinstance(nested, Mapping) else nested or block.get("url")
    if isinstance(url, str) and url.startswith("data:"):
        return url.partition(",")[2]
    source = block.get("source")
    nearer = source if isinstance(source, Mapping) else block
    return str(nearer.get("base64") or nearer.get("data") or "")


def _png_size(packed: str) -> tuple[int, int] | None:
    """Width and height from a PNG's first 24 bytes."""
    try:
        head = base64.b64decode(packed[:32], validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(head) < 24 or not head.startswith(b"\x89PNG\r\n\x1a\n"):
        return None
    width, height = struct.unpack(">II", head[16:24])
    return (width, height) if width and height else None
