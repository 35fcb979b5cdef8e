"""What an MCP server offers, in plain values: tools, resources, prompts, always in sorted order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool as its server describes it; the hints are the server's own word, None when unsaid."""

    name: str
    description: str
    schema: Mapping[str, Any]
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None


@dataclass(frozen=True, slots=True)
class RemoteResource:
    """A resource by its URI; with `template` the URI has places to fill in, such as `{id}`."""

    uri: str
    name: str = ""
    description: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True)
class RemotePrompt:
    """A prompt that a person may pick, and its arguments; required ones end in no `?`."""

    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """Everything that a server offers at one moment."""

    tools: tuple[RemoteTool, ...] = ()
    resources: tuple[RemoteResource, ...] = ()
    prompts: tuple[RemotePrompt, ...] = ()


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended: its value, or with `failed` what the tool said went wrong."""

    value: Any
    failed: bool = False


@dataclass(slots=True)
class KeptOffer:
    """A server's last offer in a file, so that its tools are known while it cannot be reached."""

    file: Path
    _adapter: TypeAdapter[Offer] = field(default_factory=lambda: TypeAdapter(Offer))

    def load(self) -> Offer:
        """The kept offer; empty when there is none that can be read."""
        try:
            return self._adapter.validate_json(self.file.read_bytes())
        except (OSError, ValidationError):
            return Offer()

    def save(self, offer: Offer) -> None:
        """Keep an offer; a reader sees the old one or the new one, never half of it.

        Raises:
            OSError: the folder cannot be written to.
        """
        self.file.parent.mkdir(parents=True, exist_ok=True)
        new = self.file.with_suffix(".new")
        new.write_bytes(self._adapter.dump_json(offer))
        new.replace(self.file)
