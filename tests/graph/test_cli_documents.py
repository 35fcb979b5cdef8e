"""`hippograph memory load`: documents in, replaced and out again, for whom they are meant."""

from pathlib import Path
from typing import Any

import pytest

from graph.cli_init import make_app
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk


@pytest.fixture
def app(tmp_path: Path) -> Path:
    make_app(tmp_path / "app")
    return tmp_path / "app"


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


@pytest.fixture
def guides(tmp_path: Path) -> Path:
    folder = tmp_path / "guides"
    folder.mkdir()
    (folder / "refunds.md").write_text("# Refunds\nWithin 90 days.\n# Reason\nSay why.\n")
    (folder / "notes.txt").write_text("Be kind.")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


def load(shell: Shell, app: Path, *words: str) -> int:
    return shell("memory", "load", "--json", "--app", str(app), *words)


def counts(shell: Shell) -> dict[str, tuple[Any, ...]]:
    return {
        one["name"]: (one["new"], one["unchanged"], one["removed"])
        for one in shell.document()["documents"]
    }


def test_a_folder_is_loaded_replaced_and_removed(app: Path, shell: Shell, guides: Path) -> None:
    assert load(shell, app, str(guides)) == 0
    assert counts(shell) == {"guides/notes.txt": (1, 0, 0), "guides/refunds.md": (2, 0, 0)}
    (guides / "refunds.md").write_text("# Refunds\nWithin 60 days.\n# Reason\nSay why.\n")
    assert load(shell, app, str(guides / "refunds.md")) == 0
    assert counts(shell) == {"refunds.md": (2, 0, 0)}
    assert load(shell, app, str(guides)) == 0
    assert counts(shell)["guides/refunds.md"] == (1, 1, 1)
    assert load(shell, app, "guides/refunds.md", "--remove") == 0
    assert counts(shell) == {"guides/refunds.md": (0, 0, 2)}
    assert load(shell, app, "guides/refunds.md", "--remove") == 2


def test_a_document_is_kept_without_its_secrets(app: Path, shell: Shell, guides: Path) -> None:
    secret = "ghp_zq417CanaryOfTheGuide0123456789abcdef"
    (guides / "notes.txt").write_text(f"Be kind to {secret}.")
    assert load(shell, app, str(guides)) == 0
    held = [path.read_bytes() for path in app.rglob("*") if path.is_file()]
    assert any(b"Be kind to [masked token]." in data for data in held)
    assert not any(secret.encode() in data for data in held)


def test_documents_for_all_are_seen_by_others_and_ones_own_are_not(
    app: Path, shell: Shell, guides: Path
) -> None:
    assert load(shell, app, str(guides / "notes.txt")) == 0
    assert load(shell, app, str(guides / "refunds.md"), "--to", "organisation") == 0
    shell("memory", "ls", "--json", "--app", str(app), "--user", "ben")
    assert [(one["kind"], one["source"]) for one in shell.document()] == [
        ("document", "document")
    ] * 2


@pytest.mark.parametrize(
    "words",
    [("missing.md",), ("picture.png",), ("empty.md",), ("notes.txt", "--to", "team:nobodys")],
)
def test_what_cannot_be_loaded_says_what_was_wanted(
    app: Path, shell: Shell, guides: Path, words: tuple[str, ...]
) -> None:
    (guides / "empty.md").write_text(" \n")
    assert load(shell, app, str(guides / words[0]), *words[1:]) == 2
    assert "wanted" in shell.err
