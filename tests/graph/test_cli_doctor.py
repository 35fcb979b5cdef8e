from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from configs.settings import load_settings
from graph import cli_doctor
from graph import learned_models as checking
from graph.cli_init import make_app
from models.parameters import parameters_of
from models.statements.reader import Reader
from tests.graph.cli_calls import Shell
from tests.graph.fake_desk import FakeDesk
from tests.graph.own_app import tool, write_app
from tools.spec import load_tool


@pytest.fixture
def shell() -> Shell:
    return Shell(FakeDesk())


@pytest.fixture
def server() -> Iterator[str]:
    """A model server that takes one key."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            right = self.headers["Authorization"] == "Bearer right"
            self.send_response(404 if right else 401)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}/v1"
    http.shutdown()
    thread.join()
    http.server_close()


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let doctor try these parts only."""
    probes = tuple(probe for probe in cli_doctor.PROBES if probe[0] in names)
    monkeypatch.setattr(cli_doctor, "PROBES", probes)


def use_real_model(monkeypatch: pytest.MonkeyPatch, base_url: str, key: str) -> None:
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__PROVIDER", "openai")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__MODEL", "large")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__DEFAULT__BASE_URL", base_url)
    monkeypatch.setenv("OPENAI_API_KEY", key)


def test_doctor_finds_a_new_app_well(shell: Shell, tmp_path: Path) -> None:
    make_app(tmp_path)
    assert shell("doctor", "--app", str(tmp_path), "--json") == 0, shell.out
    document = shell.document()
    assert document["ok"]
    names = [check["name"] for check in document["checks"]]
    assert names == ["settings", *(name for name, _, _ in cli_doctor.PROBES)]


def test_doctor_names_what_is_wrong_and_how_to_mend_it(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    (tmp_path / "own_tools.py").write_text("")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__JUDGE__PROVIDER", "openai")
    monkeypatch.setenv("HIPPOGRAPH_MODELS__JUDGE__MODEL", "large")
    monkeypatch.setenv("HIPPOGRAPH_DATABASE_URL", "sqlite:////proc/nowhere/x.db")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    only(monkeypatch, "models", "database", "tools")
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "problem  models: MissingKey" in shell.out
    assert "OPENAI_API_KEY" in shell.out
    assert "problem  database:" in shell.out
    assert "problem  tools:" in shell.out
    assert shell.out.count("to mend:") == 3


def test_doctor_stops_at_wrong_settings(shell: Shell, tmp_path: Path) -> None:
    make_app(tmp_path)
    (tmp_path / "app.yaml").write_text("limits: {max_steps: none}")
    assert shell("doctor", "--app", str(tmp_path), "--json") == 1
    checks = shell.document()["checks"]
    assert [check["name"] for check in checks] == ["settings"]
    assert "limits.max_steps" in checks[0]["detail"]


def test_doctor_asks_a_model_server_and_sees_it_is_there(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "models")
    use_real_model(monkeypatch, server, "right")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert f"large in {server} for router, expert" in shell.out


def test_doctor_sees_a_wrong_key_and_does_not_print_it(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "models")
    use_real_model(monkeypatch, server, "sk-wrong")
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "status 401. Correct OPENAI_API_KEY." in shell.out
    assert "sk-wrong" not in shell.out + shell.err


def test_doctor_sees_that_no_model_server_runs(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "models")
    use_real_model(monkeypatch, "http://127.0.0.1:9/v1", "right")
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "wanted an answer from http://127.0.0.1:9/v1/models" in shell.out


def data_of(app: Path) -> Path:
    return load_settings(app).data_dir


def test_doctor_sees_checkpoints_that_cannot_be_read_and_so_does_ask(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "checkpoints")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    for file in data_of(tmp_path).glob("checkpoints.db*"):
        file.write_bytes(b"junk" * 5_000)
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "problem  checkpoints: CheckpointsUnreadable: wanted to read" in shell.out
    assert shell("ask", "--app", str(tmp_path), "hello") == 1
    assert "put a backup in its place" in shell.err
    assert "unexpected" not in shell.err


def test_doctor_sees_a_database_that_cannot_be_read(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "database")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    file = data_of(tmp_path) / "hippograph.db"
    with file.open("r+b") as damaged:
        damaged.seek(file.stat().st_size // 2)
        damaged.write(b"junk" * (file.stat().st_size // 8 - 1))
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "put a backup in its place" in shell.out
    file.write_bytes(b"junk" * 5_000)
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "put a backup in its place" in shell.out


def test_doctor_sees_the_apps_own_index_and_reindex_mends_it(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "Chroma")
    assert shell("memory", "reindex", "--app", str(tmp_path)) == 0, shell.err
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "can be read" in shell.out
    (junk,) = data_of(tmp_path).glob("chroma/index-*/chroma.sqlite3")
    junk.write_bytes(b"junk" * 5_000)
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "problem  Chroma: IndexDamaged" in shell.out
    assert "`hippograph memory reindex` makes the index anew" in shell.out
    assert shell("memory", "reindex", "--app", str(tmp_path)) == 0, shell.err
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out


def test_doctor_asks_the_index_server_that_is_configured(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "Chroma")
    monkeypatch.setenv("HIPPOGRAPH_INDEX__SERVER_URL", "http://127.0.0.1:9")
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "the vector index at http://127.0.0.1:9" in shell.out


def test_doctor_reads_the_learned_weights(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "models")
    monkeypatch.setattr(checking, "Reader", partial(Reader, tmp_path / "gone.npz"))
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "problem  models: DamagedModel: wanted the model of statements" in shell.out


def change(app: Path, expert: str, old: str, new: str) -> None:
    file = app / "experts" / f"{expert}.yaml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_doctor_warns_of_tools_with_few_examples_and_the_app_still_counts_as_well(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "examples")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "ok       examples: at least 5 for every tool" in shell.out
    change(
        tmp_path, "reminders", "  - name: list_reminders\n    tool: list_reminders", "  - name: x"
    )
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "warning  examples: fewer than 5 for list_reminders (0)" in shell.out
    assert "to mend: add ways to say it" in shell.out
    assert shell("doctor", "--app", str(tmp_path), "--json") == 0
    document = shell.document()
    assert document["ok"]
    assert [(one["ok"], one["warning"]) for one in document["checks"]][-1] == (True, True)


def test_doctor_counts_an_example_once(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "examples")
    said = ["[note it, note that]", "[note that, keep it, jot it, jot that]"]
    change(
        tmp_path,
        "reminders",
        "    tool: add_reminder\n    examples:",
        f"    tool: add_reminder\n    examples: {said[0]}\n  - name: y\n    examples:",
    )
    change(
        tmp_path,
        "reminders",
        "    approval: false\n",
        f"    approval: false\n    examples: {said[1]}\n",
    )
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "ok       examples" in shell.out
    change(tmp_path, "reminders", "jot that", "note it")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "add_reminder (4)" in shell.out


def test_doctor_tries_what_lists_names_and_warns_where_it_has_no_such_field(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "names")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "ok       names: " in shell.out
    assert " for customer of list_invoices" in " ".join(shell.out.split())
    change(tmp_path, "orders", "field: name, also", "field: nick_name, also")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "warning  names: customer of list_orders: list_customers gives no rows" in shell.out
    assert "list_invoices" not in shell.out


def test_doctor_names_a_list_that_cannot_be_called_without_arguments(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "tools")
    change(tmp_path, "orders", "{tool: list_customers, field", "{tool: get_order, field")
    assert shell("doctor", "--app", str(tmp_path)) == 1
    assert "tools.list_orders.parameters.customer.names.args" in shell.out


def test_doctor_says_when_the_books_and_the_clock_disagree(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_app(tmp_path)
    only(monkeypatch, "desk database")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "ok       desk database: books as of 2026-06-30" in shell.out
    monkeypatch.setenv("HIPPOGRAPH_CLOCK__TODAY", "2026-05-01")
    assert shell("doctor", "--app", str(tmp_path)) == 0, shell.out
    assert "books as of 2026-06-30, but the app's clock says 2026-05-01" in shell.out


UNFILLED = """
from typing import Annotated, Any

from pydantic import Field


def search_orders(filters: dict[str, str], limit: int = 5) -> str:
    return ""


def list_orders(customer: str, options: dict[str, Any] | None = None) -> str:
    return ""
"""
SHAPES = """
from enum import Enum
from typing import Annotated, Literal

from pydantic import Field


class Size(Enum):
    small = "small"
    large = "large"


def book_room(
    *,
    booking: Annotated[str, Field(description="The booking", pattern=r"^AB-\\d{4}$")],
    room: Annotated[str, Field(description="The room, such as RM-12")],
    kind: Literal["single", "double"],
    size: Size,
    breakfast: bool,
    day: Annotated[str, Field(description="Day, YYYY-MM-DD")],
    month: Annotated[str, Field(description="Month, YYYY-MM")],
    start: Annotated[str, Field(description="First day, YYYY-MM-DD")],
    end: Annotated[str, Field(description="Last day, YYYY-MM-DD")],
    at: Annotated[str, Field(description="Arrival, HH:MM")],
    price: float,
    discount: float,
    guests: Annotated[int, Field(ge=1, le=9)],
    guest: str,
    reason: str,
    others: list[str],
    fees: list[float],
) -> str:
    return ""
"""


def test_doctor_names_parameters_that_the_embedded_default_cannot_fill(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = str(write_app(tmp_path, UNFILLED, [tool("search_orders"), tool("list_orders")]))
    only(monkeypatch, "parameters")
    assert shell("doctor", "--app", app) == 0, shell.err
    assert "warning  parameters: the embedded default cannot fill " in shell.out
    assert "filters of search_orders, which it cannot call" in shell.out
    assert "options of list_orders" in shell.out
    assert "options of list_orders, which" not in shell.out
    assert "customer" not in shell.out
    assert "a date YYYY-MM-DD" in shell.out


def test_every_shape_that_a_new_apps_readme_lists_is_understood(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = str(write_app(tmp_path, SHAPES, [tool("book_room")]))
    only(monkeypatch, "parameters")
    assert shell("doctor", "--app", app, "--json") == 0, shell.err
    (check,) = [one for one in shell.document()["checks"] if one["name"] == "parameters"]
    assert not check["warning"], check["detail"]
    (expert,) = load_settings(tmp_path).experts
    schema = load_tool(expert.tools[0], tmp_path, expert.name).openai_schema()["function"]
    kinds = {one.name: (one.kind, one.many) for one in parameters_of(schema)}
    assert kinds == {
        "booking": ("id", False),
        "room": ("id", False),
        "kind": ("choice", False),
        "size": ("choice", False),
        "breakfast": ("flag", False),
        "day": ("day", False),
        "month": ("month", False),
        "start": ("day", False),
        "end": ("day", False),
        "at": ("time", False),
        "price": ("amount", False),
        "discount": ("share", False),
        "guests": ("count", False),
        "guest": ("name", False),
        "reason": ("text", False),
        "others": ("name", True),
        "fees": ("amount", True),
    }


def test_doctor_leaves_parameters_to_a_real_expert(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = str(write_app(tmp_path, UNFILLED, [tool("search_orders")]))
    only(monkeypatch, "parameters")
    for role in ("DEFAULT", "EXPERT"):
        monkeypatch.setenv(f"HIPPOGRAPH_MODELS__{role}__PROVIDER", "openai")
        monkeypatch.setenv(f"HIPPOGRAPH_MODELS__{role}__MODEL", "large")
    assert shell("doctor", "--app", app) == 0, shell.err
    assert "ok       parameters: no embedded expert" in shell.out
    monkeypatch.setenv("HIPPOGRAPH_MODELS__EXPERT__FALLBACKS", '[{"provider": "embedded"}]')
    assert shell("doctor", "--app", app) == 0, shell.err
    assert "filters of search_orders" in shell.out
