"""Calls the command line in this process, on a fake desk."""

import json
from typing import Any

from typer.testing import CliRunner

from graph.cli import app
from tests.graph.fake_desk import FakeDesk


class Shell:
    """Runs commands; the fake desk is what they open."""

    def __init__(self, desk: FakeDesk) -> None:
        self.desk = desk
        self.code = -1
        self.out = ""
        self.err = ""

    def __call__(self, *words: str, typed: str = "") -> int:
        result = CliRunner().invoke(app, list(words), input=typed)
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        return self.code

    def document(self) -> Any:  # noqa: ANN401  any JSON value
        """All of stdout, which has to be one JSON document."""
        return json.loads(self.out)
