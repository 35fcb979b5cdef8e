"""All tools by name and by expert, always in sorted order so that prompts stay byte-equal."""

from collections.abc import Iterable, Iterator

from tools.spec import EVERY_EXPERT, ToolSpec

__all__ = ["EVERY_EXPERT", "Registry"]


class Registry:
    """The tools of an application; only a server's own tools change, all at once."""

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        """Index the specs.

        Raises:
            ValueError: two tools have the same name.
        """
        self._by_name: dict[str, ToolSpec] = {}
        self.replace(specs)

    def replace(self, specs: Iterable[ToolSpec]) -> None:
        """Hold these tools from now on.

        Raises:
            ValueError: two tools have the same name; nothing has changed.
        """
        by_name: dict[str, ToolSpec] = {}
        for spec in sorted(specs, key=lambda spec: spec.name):
            if spec.name in by_name:
                message = f"two tools are called {spec.name!r}"
                raise ValueError(message)
            by_name[spec.name] = spec
        self._by_name = by_name

    def get(self, name: str) -> ToolSpec | None:
        """The tool of this name, or None."""
        return self._by_name.get(name)

    def for_expert(self, name: str) -> list[ToolSpec]:
        """The tools an expert may call, sorted by name; built-in ones included."""
        return [spec for spec in self if spec.serves(name)]

    def title_of(self, name: str) -> str:
        """The tool's name as people know it; a tool that is gone keeps its own."""
        spec = self._by_name.get(name)
        return (spec.title if spec is not None else "") or name

    def all(self) -> list[ToolSpec]:
        """Every tool, sorted by name."""
        return list(self)

    def __iter__(self) -> Iterator[ToolSpec]:
        """Every tool, sorted by name."""
        return iter(self._by_name.values())

    def __len__(self) -> int:
        """How many tools there are."""
        return len(self._by_name)
