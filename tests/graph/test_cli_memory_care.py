"""`hippograph memory`: promote, edit, why, export, import, stats and forget on a real database."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from configs.settings import load_settings
from graph.cli_init import make_app
from memory.artifacts import Artifacts
from memory.database import Database
from memory.episodes import EpisodeItem
from memory.fact_rows import FactDraft
from memory.facts import Facts
from memory.slots import load_slots
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk


@pytest.fixture
def app(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    make_app(folder)
    asyncio.run(remember(folder))
    return folder


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


async def remember(app: Path) -> None:
    database = await Database.open(load_settings(app).database_url)
    item = EpisodeItem(
        id="epi_1",
        kind="episode",
        text="Refunded invoice INV-1042.",
        thread="default:main",
        turn_id="turn_1",
        occurred_at=datetime(2030, 1, 1, tzinfo=UTC),
        result="positive",
    )
    ada = Scope(user="ada")
    await SqlEpisodes(database).scoped(ada).add([item])
    facts = Facts(database, load_slots(app / "profile.yaml"))
    await facts.add(ada, [stated("location", "Lyon", 1), stated("location", "Oslo", 2)])
    await Artifacts(database).put(
        ada,
        id="art_1",
        thread="default:main",
        turn_id="turn_1",
        module="billing",
        kind="tool_result",
        text="The stored result",
        source="tool",
    )
    await database.close()


def stated(slot: str, value: str, day: int) -> FactDraft:
    return FactDraft(
        slot=slot,
        value=value,
        source="user",
        thread="default:main",
        turn_id=f"turn_{day}",
        quote=f"I live in {value}",
        occurred_at=datetime(2030, 1, day, tzinfo=UTC),
    )


def known(shell: Shell, app: Path, *words: str, user: str = "ada") -> dict[str, str]:
    """Id by value."""
    call(shell, app, "facts", "--json", *words, user=user)
    return {fact["value"]: fact["id"] for fact in shell.document()}


def call(shell: Shell, app: Path, *words: str, user: str = "ada") -> int:
    return shell("memory", *words, "--app", str(app), "--user", user)


def texts(shell: Shell, app: Path, user: str) -> list[str]:
    call(shell, app, "ls", "--json", user=user)
    return [item["text"] for item in shell.document()]


def test_a_promoted_item_is_read_by_the_team_and_the_act_is_kept(app: Path, shell: Shell) -> None:
    assert texts(shell, app, "ben") == []
    assert call(shell, app, "promote", "epi_1", "--to", "organisation") == 0
    assert texts(shell, app, "ben") == ["Refunded invoice INV-1042."]
    assert call(shell, app, "why", "epi_1") == 0
    assert "promote  to organisation" in shell.out


@pytest.mark.parametrize("to", ["team:nobodys", "everybody", "team:"])
def test_sharing_with_strangers_is_refused(app: Path, shell: Shell, to: str) -> None:
    assert call(shell, app, "promote", "epi_1", "--to", to) == 2
    assert "wanted" in shell.err


def test_an_edit_overwrites_and_only_ones_own(app: Path, shell: Shell) -> None:
    assert call(shell, app, "edit", "epi_1", "--text", "Refused INV-1042.", user="ben") == 2
    assert call(shell, app, "edit", "epi_1", "--text", "Refused INV-1042.") == 0
    assert texts(shell, app, "ada") == ["Refused INV-1042."]
    assert call(shell, app, "edit", "epi_1", "--result", "great") == 2


def test_what_is_edited_or_imported_is_kept_without_its_secrets(
    app: Path, shell: Shell, tmp_path: Path
) -> None:
    secret, file = "ghp_zq417CanaryOfTheFile0123456789abcdef", tmp_path / "memory.jsonl"
    assert call(shell, app, "export", str(file)) == 0
    lines = file.read_text().replace("Refunded", f"With {secret} refunded")
    file.write_text(lines.replace("Oslo", f"Oslo {secret}").replace("The stored", secret))
    assert call(shell, app, "import", str(file), user="ben") == 0
    assert texts(shell, app, "ben") == ["With [masked token] refunded invoice INV-1042."]
    assert [*known(shell, app, user="ben")] == ["Lyon"]  # a town with a secret is none
    assert call(shell, app, "edit", "epi_1", "--text", f"Refunded by {secret}.") == 0
    assert texts(shell, app, "ada") == ["Refunded by [masked token]."]
    held = [path for path in load_settings(app).data_dir.rglob("*") if path.is_file()]
    assert held
    assert not [path for path in held if secret.encode() in path.read_bytes()]


def test_an_export_can_be_imported_once_by_another_user(
    app: Path, shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "memory.jsonl"
    assert call(shell, app, "export", str(file)) == 0
    assert call(shell, app, "export", str(file)) == 2
    for wanted in ((1, 2, 1), (0, 0, 0)):
        assert call(shell, app, "import", str(file), "--json", user="ben") == 0
        found = shell.document()
        assert (found["items"], found["statements"], found["artifacts"]) == wanted
    assert texts(shell, app, "ben") == ["Refunded invoice INV-1042."]
    assert call(shell, app, "import", str(file), "--json") == 0
    assert shell.document()["items"] == 0


@pytest.mark.parametrize(
    "change",
    [
        {"user_id": "ben"},
        {"tenant": "other"},
        {"occurred_at": "100,000 years ago"},
        {"occurred_at": "-98000-01-01T00:00:00Z"},
        {"kind": "secret"},
        {"episode": {"agent": 3}},
    ],
)
def test_a_line_that_no_export_writes_is_refused_with_its_number(
    app: Path, shell: Shell, tmp_path: Path, change: dict[str, object]
) -> None:
    file = tmp_path / "memory.jsonl"
    call(shell, app, "export", str(file))
    header, item, *_ = file.read_text(encoding="utf-8").splitlines()
    file.write_text(f"{header}\n{json.dumps(json.loads(item) | change)}\n", encoding="utf-8")
    assert call(shell, app, "import", str(file), user="ben") == 1
    assert "line 2" in shell.err
    assert texts(shell, app, "ben") == []


def test_figures_are_the_users_own(app: Path, shell: Shell) -> None:
    assert call(shell, app, "stats", "--json") == 0
    assert shell.document()["kept"]["episodes"] == 1
    assert call(shell, app, "stats", "--json", user="ben") == 0
    assert "episodes" not in shell.document()["kept"]


def test_forgetting_asks_first_and_gives_a_receipt(app: Path, shell: Shell) -> None:
    assert call(shell, app, "forget", "epi_1", "--dry-run") == 0
    assert "Would be erased" in shell.out
    assert shell("memory", "forget", "epi_1", "--app", str(app), "--user", "ada", typed="n\n") == 0
    assert texts(shell, app, "ada") == ["Refunded invoice INV-1042."]
    assert call(shell, app, "forget", "epi_1") == 2
    assert "--yes erases without asking" in shell.err
    assert call(shell, app, "forget", "epi_1", "--yes", "--json") == 0
    stores = {store["store"]: store["rows"] for store in shell.document()["stores"]}
    assert stores["episodes"] == 1
    assert texts(shell, app, "ada") == []


@pytest.mark.parametrize("words", [(), ("epi_1", "--everything"), ("unknown",)])
def test_a_wish_that_names_nothing_or_two_things_is_refused(
    app: Path, shell: Shell, words: tuple[str, ...]
) -> None:
    assert call(shell, app, "forget", *words, "--yes") == 2
    assert texts(shell, app, "ada") != []


def test_facts_are_listed_and_every_one_says_why(app: Path, shell: Shell) -> None:
    assert set(known(shell, app)) == {"Oslo"}
    for fact in known(shell, app, "--past").values():
        assert call(shell, app, "why", fact) == 0
        assert "I live in" in shell.out
    assert known(shell, app, user="ben") == {}


def test_a_fact_can_be_corrected_by_whose_it_is_and_why_tells_it(app: Path, shell: Shell) -> None:
    fact = known(shell, app)["Oslo"]
    assert call(shell, app, "edit", fact, "--text", "Bergen", user="ben") == 2
    assert call(shell, app, "edit", fact, "--lesson", "Bergen") == 2
    assert call(shell, app, "edit", fact, "--text", "  ") == 2
    assert call(shell, app, "edit", fact, "--text", "Bergen") == 0
    assert set(known(shell, app, "--past")) == {"Lyon", "Bergen"}
    assert call(shell, app, "why", known(shell, app)["Bergen"]) == 0
    assert "edit" in shell.out


def test_what_an_import_makes_does_not_depend_on_the_order_of_its_lines(
    app: Path, shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "memory.jsonl"
    call(shell, app, "export", str(file))
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    for user, order in (("ben", lines), ("cleo", lines[::-1])):
        file.write_text("\n".join([header, *order]), encoding="utf-8")
        assert call(shell, app, "import", str(file), user=user) == 0
    assert set(known(shell, app, user="ben")) == set(known(shell, app, user="cleo")) == {"Oslo"}


def test_an_old_note_that_is_imported_overrides_no_newer_fact(
    app: Path, shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "memory.jsonl"
    call(shell, app, "export", str(file))
    header, *lines = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    note = next(line for line in lines if line["type"] == "statement")
    note |= {"value": "Rome", "occurred_at": "2023-05-08T00:00:00+00:00", "turn_id": "note"}
    file.write_text(f"{json.dumps(header)}\n{json.dumps(note)}\n", encoding="utf-8")
    assert call(shell, app, "import", str(file)) == 0
    assert set(known(shell, app)) == {"Oslo"}
    assert "Rome" in known(shell, app, "--past")
