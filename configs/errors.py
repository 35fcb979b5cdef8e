"""What can be wrong with a configuration.

ConfigError
├── MissingConfig      a file or folder that has to be there is not
├── UnreadableConfig   a file is not UTF-8 or not YAML (names the line)
└── InvalidConfig      a key is unknown, missing or has a wrong value
"""

from pathlib import Path

CAME_CHARS = 80


class ConfigError(Exception):
    """A configuration that cannot be used: which file, which key, what was wanted, what came."""

    def __init__(self, file: Path | str, key: str, *, wanted: str, came: str) -> None:
        """Keep the parts and build the one sentence a user reads.

        Args:
            file: the file, folder or `environment`.
            key: dotted path inside the file; empty when the whole file is meant.
            wanted: what would have been right, as a noun phrase.
            came: what stood there, already quoted.
        """
        self.file = str(file)
        self.key = key
        self.wanted = wanted
        self.came = came
        place = f"{self.file}: {key}" if key else self.file
        super().__init__(f"{place}: wanted {wanted}, came {came}")


class MissingConfig(ConfigError):
    """A file or folder that has to be there is not."""


class UnreadableConfig(ConfigError):
    """A file is not UTF-8 or not YAML."""


class InvalidConfig(ConfigError):
    """A key is unknown, missing or has a wrong value."""


def quoted(value: object) -> str:
    """`repr` of a value, cut to a length that still fits a sentence."""
    text = repr(value)
    return text if len(text) <= CAME_CHARS else f"{text[:CAME_CHARS]}…"
