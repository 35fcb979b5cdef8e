"""Links that decide one action in one person's name: signed, bound to the action, with an end."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from configs.environment import read_secret
from configs.notify import HttpSettings
from state import canonical_json
from tools.effects import EffectRow

LINK_PATH: Final = "/approvals/link"
SHORTEST_SECRET: Final = 16


@dataclass(frozen=True, slots=True)
class Link:
    """What a link stands for; rights and state are checked when it is used."""

    effect: str
    digest: str
    tenant: str
    reviewer: str


class Links:
    """Makes and reads links; without a secret there are none."""

    def __init__(self, settings: HttpSettings) -> None:
        """Read the secret, which has to be of some length."""
        name = settings.link_secret_env
        secret = read_secret(name) if name else None
        value = secret.get_secret_value() if secret is not None else ""
        self._secret = value.encode() if len(value) >= SHORTEST_SECRET else b""
        self._base = (settings.base_url or "").rstrip("/")

    def of(self, row: EffectRow, reviewer: str | None) -> str:
        """The page that decides the row as this reviewer; empty where there can be none."""
        if not (self._secret and self._base and reviewer):
            return ""
        said = {
            "effect": row.id,
            "digest": row.digest,
            "tenant": row.tenant,
            "reviewer": reviewer,
            "until": int(row.expires_at.timestamp()),
        }
        body = _text(canonical_json(said).encode())
        return f"{self._base}{LINK_PATH}?token={body}.{self._sign(body)}"

    def read(self, token: str, now: datetime) -> Link | None:
        """What a token stands for; None when it is not ours, was changed, or is too old."""
        body, _, mark = token.partition(".")
        if not self._secret or not hmac.compare_digest(self._sign(body), mark):
            return None
        said = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if now.timestamp() >= said["until"]:
            return None
        return Link(said["effect"], said["digest"], said["tenant"], said["reviewer"])

    def _sign(self, body: str) -> str:
        return _text(hmac.new(self._secret, body.encode(), hashlib.sha256).digest())


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
