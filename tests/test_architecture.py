"""The rooms: imports go one way, heavy libraries have one door each, names clash with nobody."""

import ast
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ORDER = ("text", "configs", "models", "memory", "tools", "nodes", "graph")
"""Lower rooms first; `state` stands beside `configs`, and `text` imports nothing of the project."""
OUTSIDE = ("tests", "evals")
OURS = ("state", *ORDER)
ENTRANCES = ("graph.session", "graph.studio", "graph.hippocampus", "memory.entities")
ALLOWED: dict[str, set[str]] = {
    room: {"state", *ORDER[: place + 1]} for place, room in enumerate(ORDER)
} | {"state": set(), "text": {"text"}}
ONE_DOOR = {"chromadb": "memory/chroma_episodes.py", "spacy": "memory/entities.py"}
STORES = {
    "memory.chroma_episodes",
    "memory.chroma_server",
    "memory.database",
    "memory.rate_buckets",
    "memory.sql_episodes",
}
NAMERS = {
    "graph/services.py": {"memory.database", "memory.rate_buckets"},
    "graph/cli_audit.py": {"memory.database"},
    "graph/cli_cost.py": {"memory.database"},
    "graph/cli_memory.py": {"memory.database", "memory.sql_episodes"},
    "graph/cli_memory_care.py": {"memory.database"},
    "graph/cli_probes.py": {"memory.database", "memory.chroma_episodes"},
    "tools/lease.py": {"memory.database"},
    "tools/ledger.py": {"memory.database"},
    "tools/notice_rows.py": {"memory.database"},
}
"""Who names a concrete store: the wiring, commands that only read, the ledger's own files."""
HEAVY = (
    "chromadb",
    "mcp",
    "langchain_mcp_adapters",
    "jsonschema",
    "spacy",
    "torch",
    "dbos",
    "dateparser",
    "text_to_num",
    "tiktoken",
    "openai",
)
EMBEDDED_OPENERS = {
    "models/providers.py",
    "graph/foresight.py",
    "graph/learned_models.py",
    "graph/cli_examples.py",
}
"""Who opens the embedded default: the providers, foresight, `doctor` and `examples`."""
FAILURES = {
    1: (1, 2, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23),
    2: (1, 2, 3, 4, 5, 7, 8, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 23, 24, 25, 26),
    7: (8, 9, 10),
    8: (1, 2, 3, 6, 8, 9, 10),
}
"""Rows of `FAILURES.md` by group: pausing, checkpoints, the development server, approvals."""
TOP_LEVEL = {
    "pyproject.toml", "README.md", "langgraph.json", "state.py", "graph", "nodes", "memory",
    "configs", "tests", "text", "tools", "models", "evals", "Makefile", "CHANGELOG.md",
    "CONTRIBUTING.md", "LICENSE", "requirements.lock", ".env.example", ".ci", ".gitignore",
}  # fmt: skip


@cache
def sources() -> dict[str, ast.Module]:
    """Every Python file of the project's rooms by its path from the root."""
    files = [ROOT / "state.py"]
    for room in (*ORDER, *OUTSIDE):
        files += sorted((ROOT / room).rglob("*.py"))
    return {
        file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
        for file in files
    }


@cache
def imported(tree: ast.AST) -> frozenset[str]:
    """Full names of what a file imports, at any depth; names under TYPE_CHECKING too.

    What is taken from a module is named as if it were one, since it may be.
    """
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def room_of(path: str) -> str:
    return path.removesuffix(".py").partition("/")[0]


def test_imports_go_one_way() -> None:
    wrong = [
        f"{path} imports {name}"
        for path, tree in sources().items()
        if room_of(path) not in OUTSIDE
        for name in imported(tree)
        if (top := name.partition(".")[0]) in (*OURS, *OUTSIDE)
        and top not in ALLOWED[room_of(path)]
    ]
    assert wrong == []


def test_the_embedded_default_is_one_provider_that_others_do_not_build_on() -> None:
    """What it shares with other rooms stands beside it: statements, parameters, token states."""
    importers = {
        path
        for path, tree in sources().items()
        if room_of(path) not in OUTSIDE and not path.startswith("models/embedded/")
        if any(name.startswith("models.embedded") for name in imported(tree))
    }
    assert importers == EMBEDDED_OPENERS


def test_no_file_imports_relatively() -> None:
    wrong = [
        path
        for path, tree in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert wrong == []


@pytest.mark.parametrize("library", sorted(ONE_DOOR))
def test_a_heavy_library_has_one_door(library: str) -> None:
    importers = {
        path
        for path, tree in sources().items()
        if room_of(path) != "tests"
        for name in imported(tree)
        if name.partition(".")[0] == library
    }
    assert importers == {ONE_DOOR[library]}


def test_only_the_wiring_names_concrete_stores() -> None:
    """Nodes and doors are given what they need; a command that asks no model opens its database."""
    named = {
        path: stores
        for path, tree in sources().items()
        if room_of(path) in ("tools", "nodes", "graph")
        and (stores := STORES.intersection(imported(tree)))
    }
    unknown = {path: stores - NAMERS.get(path, set()) for path, stores in named.items()}
    assert {path: stores for path, stores in unknown.items() if stores} == {}
    assert "graph/services.py" in named


def test_importing_the_rooms_loads_no_heavy_library() -> None:
    """What costs seconds is loaded when it is first used."""
    rooms = ", ".join([*OURS, *ENTRANCES])
    code = f"import sys, {rooms}; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"


def test_settings_read_the_environment_and_nobody_else_does() -> None:
    """Others hand it on to a child process, or set what a library reads at its import."""
    read = {
        (path, node.args[0].value)
        for path, tree in sources().items()
        if room_of(path) not in OUTSIDE and path != "configs/settings.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("os.environ.get", "os.getenv")
        and isinstance(node.args[0], ast.Constant)
    }
    assert read <= {("memory/index_folder.py", "PYTHONPATH")}


def test_a_node_is_a_file_and_its_name_the_nodes_id() -> None:
    build = (ROOT / "graph" / "build.py").read_text(encoding="utf-8")
    nodes = [
        node.module.partition(".")[2]
        for node in ast.walk(ast.parse(build))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("nodes.")
        and node.names[0].name == (node.module or "").partition(".")[2]
        for node.module in [node.module or ""]
    ]
    assert len(nodes) >= 10
    for name in nodes:
        tree = sources()[f"nodes/{name}.py"]
        function = next(
            part
            for part in tree.body
            if isinstance(part, ast.AsyncFunctionDef) and part.name == name
        )
        assert function.args.args[0].arg == "state"
        assert function.args.kwonlyargs or len(function.args.args) == 1, name


@pytest.mark.parametrize("name", OURS)
def test_no_installed_distribution_ships_a_module_of_our_name(name: str) -> None:
    owners = set(packages_distributions().get(name, []))
    assert owners <= {"hippograph"}


def test_the_top_level_is_the_agreed_one() -> None:
    listed = subprocess.run(
        ["git", "ls-files"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    found = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert found <= TOP_LEVEL


def test_no_room_has_a_mixed_bag() -> None:
    bags = {"utils", "util", "common", "helpers", "helper", "misc"}
    names = {part.removesuffix(".py") for path in sources() for part in path.split("/")}
    assert names & bags == set()


def test_every_test_that_failures_md_names_exists() -> None:
    text = (ROOT / "tests" / "FAILURES.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", text)
    assert len(named) > 60
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not re.search(rf"def {name}\(", (ROOT / "tests" / file).read_text(encoding="utf-8"))
    ]
    assert missing == []


def test_failures_md_has_a_row_for_each_failure_that_is_ours() -> None:
    text = (ROOT / "tests" / "FAILURES.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d+\.\d+) \| .+? \| (.+) \|$", text, re.MULTILINE)
    rows = {f"{group}.{row}" for group, numbers in FAILURES.items() for row in numbers}
    assert rows - {row for row, _ in found} == set()
    hollow = [row for row, here in found if "`" not in here and "Cannot occur" not in here]
    assert hollow == []
