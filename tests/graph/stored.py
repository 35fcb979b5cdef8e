"""Data folders as an earlier version left them: rows of both databases as JSON.

`python -m tests.graph.stored tests/graph/stored_v1.json` writes a new one; an old one is never
changed, since it stands for what lies on people's disks.
"""

import asyncio
import base64
import json
import sqlite3
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from graph.session import open_desk
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import workshop

FIXTURE = Path(__file__).parent / "stored_v1.json"
TABLES: Mapping[str, tuple[str, ...]] = {
    "checkpoints.db": ("checkpoints", "writes"),
    "hippograph.db": ("threads", "turns", "messages", "effects", "effect_events"),
}
PLAY = {
    "peek": Turn(["hands"], {"hands": [[call("peek_shelf", shelf="C")], "I saw three boxes"]}),
    "press": Turn(
        ["hands"],
        {
            "hands": [
                [call("peek_shelf")],
                [call("pull_lever", item="red")],
                [call("press_button", item="red")],
            ]
        },
        by_results=True,
    ),
}


def dump(data_dir: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows that a thread goes on from."""
    return {
        f"{file}/{table}": _rows(data_dir / file, table)
        for file, tables in TABLES.items()
        for table in tables
    }


def load(data_dir: Path) -> None:
    """Put the stored rows into the empty databases of a data folder."""
    stored = json.loads(FIXTURE.read_text(encoding="utf-8"))
    for place, rows in stored.items():
        file, _, table = place.partition("/")
        with closing(sqlite3.connect(data_dir / file)) as books, books:
            for row in rows:
                names = ", ".join(f'"{name}"' for name in row)
                marks = ", ".join("?" * len(row))
                values = [_decoded(value) for value in row.values()]
                books.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)


def _rows(file: Path, table: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(file)) as books:
        books.row_factory = sqlite3.Row
        found = books.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
    return [{key: _encoded(row[key]) for key in row.keys()} for row in found]  # noqa: SIM118


def _encoded(value: object) -> object:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _decoded(value: object) -> object:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value


async def _make(data_dir: Path) -> None:
    """One thread at rest, one that waits; the clock is the real one."""
    async with open_desk(workshop(data_dir), models=Play(PLAY).models) as desk:
        await desk.ask(thread="rest", user="local", text="peek")
        await desk.ask(thread="waits", user="local", text="peek")
        reply = await desk.ask(thread="waits", user="local", text="press")
        decision = {"id": reply.pending[0].id, "type": "approve"}
        await desk.decide("waits", [decision], user="local")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_make(Path(folder)))
        text = json.dumps(dump(Path(folder)), indent=1, sort_keys=True)
    Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")
