"""Names in arguments: looked up once a turn, replaced by ids, refused with what is near."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from configs.errors import InvalidConfig
from configs.expert import NamesConfig
from memory.artifacts import Artifacts
from memory.database import Database
from memory.tables_calls import tool_calls
from memory.tool_log import ToolLog
from tests.tools.parts import SITE, a_call, spec_of
from tools.errors import ToolError
from tools.executor import Executor, NamedCall
from tools.ledger import Ledger
from tools.names import check_lookups, entries_of
from tools.registry import Registry
from tools.spec import ToolSpec

SHIPS = [
    {"id": "S-1", "name": "Ocean Star", "captain": "Ida Holm"},
    {"id": "S-2", "name": "Ocean Queen", "captain": "Rui Costa"},
    {"id": "S-3", "name": "Göteborg", "captain": "Ana Costa"},
]
OF_SHIPS = NamesConfig(tool="list_ships", field="name", id="id")
WITH_CAPTAINS = OF_SHIPS.model_copy(update={"also": ("captain",)})


class Harbour:
    """What the tools have seen, and what the list gives next."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.rows: Any = {"count": 3, "ships": SHIPS}
        self.fails = False

    def list_ships(self, *, port: str = "") -> Any:  # noqa: ANN401 - whatever a list may be
        self.asked.append(port)
        if self.fails:
            raise ToolError("the register is closed", kind="denied")
        return self.rows


@pytest.fixture
def harbour() -> Harbour:
    return Harbour()


Make = Callable[..., Executor]


@pytest.fixture
def make(
    harbour: Harbour, artifacts: Artifacts, ledger: Ledger, log: ToolLog, tmp_path: Path
) -> Make:
    def find_ship(*, ship: str = "", beside: list[str] = []) -> str:  # noqa: B006 - a default
        return f"{ship} {beside}"

    def sink_ship(*, ship: str) -> str:
        return ship

    def build(names: NamesConfig = OF_SHIPS, **more: Any) -> Executor:  # noqa: ANN401 - any field
        both = {"ship": names, "beside": names}
        listing = spec_of(harbour.list_ships, **{"expert": "harbour", **more})
        specs = [
            listing,
            spec_of(find_ship, names=both),
            spec_of(sink_ship, effect="irreversible", names={"ship": names}),
        ]
        return Executor(
            Registry(specs), artifacts, ledger, log, app_dir=tmp_path, data_dir=tmp_path
        )

    return build


async def named(executor: Executor, name: str = "find_ship", **args: Any) -> NamedCall:  # noqa: ANN401
    return await executor.named(a_call(name, **args), SITE)


@pytest.mark.parametrize(
    ("said", "id_"),
    [
        ("S-1", "S-1"),
        ("s-2", "S-2"),
        ("Ocean Star", "S-1"),
        ("ocean  STAR", "S-1"),
        ("Queen", "S-2"),
        ("star", "S-1"),
        ("goteborg", "S-3"),
    ],
)
async def test_an_id_or_a_name_that_fits_one_entry_becomes_its_id(
    make: Make, said: str, id_: str
) -> None:
    assert await named(make(), ship=said) == NamedCall(a_call("find_ship", ship=id_))


async def test_each_name_of_a_list_is_looked_up(make: Make, harbour: Harbour) -> None:
    found = await named(make(), ship="Queen", beside=["S-1", "Göteborg"])
    assert found.call["args"] == {"ship": "S-2", "beside": ["S-1", "S-3"]}
    assert harbour.asked == [""]


async def test_a_name_that_fits_several_is_not_guessed(make: Make) -> None:
    found = await named(make(), "sink_ship", ship="Ocean")
    assert found.fault.startswith("invalid_arguments: ship of sink_ship: 'Ocean' could be 2")
    assert "Ocean Star (S-1), Ocean Queen (S-2)" in found.fault


async def test_a_name_that_fits_nothing_is_answered_with_what_is_near(make: Make) -> None:
    found = await named(make(), ship="Ocaen Quen")
    assert "came 'Ocaen Quen'; near are Ocean Queen (S-2)" in found.fault
    strange = await named(make(), ship="xyzzy")
    assert "none is near" in strange.fault


async def test_a_tool_that_reads_more_than_names_gets_what_names_nothing(
    make: Make, harbour: Harbour
) -> None:
    executor = make(OF_SHIPS.model_copy(update={"strict": False}))
    found = await named(executor, "sink_ship", ship="Queen")
    assert (found.call["args"], found.fault) == ({"ship": "S-2"}, "")
    for other in ("the red one", "Ocean"):
        found = await named(executor, "sink_ship", ship=other)
        assert (found.call["args"], found.fault) == ({"ship": other}, "")
    harbour.fails = True
    elsewhere = replace(SITE, turn_id="u2")
    found = await executor.named(a_call("sink_ship", ship="Queen"), elsewhere)
    assert (found.call["args"], found.fault) == ({"ship": "Queen"}, "")
    assert "was not checked" in found.note


async def test_at_most_five_near_ones_are_named(make: Make, harbour: Harbour) -> None:
    harbour.rows = [{"id": n, "name": f"Lightship {n}"} for n in range(40)]
    found = await named(make(), ship="Lightshipp")
    assert found.fault.count("Lightship ") == 5


async def test_other_names_of_the_same_thing_count_too(make: Make) -> None:
    executor = make(WITH_CAPTAINS)
    assert (await named(executor, ship="ida holm")).call["args"] == {"ship": "S-1"}
    assert "could be 2" in (await named(executor, ship="Costa")).fault


async def test_without_an_id_the_name_itself_is_what_the_tool_gets(make: Make) -> None:
    executor = make(NamesConfig(tool="list_ships", field="name"))
    assert (await named(executor, ship="queen")).call["args"] == {"ship": "Ocean Queen"}


@pytest.mark.parametrize("args", [{}, {"ship": ""}, {"beside": []}])
async def test_what_is_left_out_or_the_default_is_not_looked_up(
    make: Make, harbour: Harbour, args: dict[str, Any]
) -> None:
    assert (await named(make(), **args)).fault == ""
    assert harbour.asked == []


async def test_the_list_is_read_once_a_turn_even_by_experts_side_by_side(
    make: Make, harbour: Harbour
) -> None:
    executor = make()
    for ship in ("S-1", "Queen", "nobody"):
        await named(executor, ship=ship)
    await executor.named(a_call("find_ship", ship="S-3"), replace(SITE, expert="*"))
    assert harbour.asked == [""]
    await executor.named(a_call("find_ship", ship="S-1"), replace(SITE, turn_id="u2"))
    assert harbour.asked == ["", ""]


async def test_a_node_that_runs_again_in_a_new_process_reads_the_stored_list(
    make: Make, harbour: Harbour
) -> None:
    first = make()
    await named(first, ship="Queen")
    await first.flush()
    assert (await named(make(), ship="Queen")).call["args"] == {"ship": "S-2"}
    assert harbour.asked == [""]


async def test_a_look_up_is_cached_and_audited_like_any_read(
    make: Make, harbour: Harbour, database: Database
) -> None:
    executor = make(cache_s=60)
    await named(executor, ship="Queen")
    await executor.named(a_call("find_ship", ship="S-1"), replace(SITE, turn_id="u2"))
    await executor.flush()
    assert harbour.asked == [""]
    columns = (tool_calls.c[name] for name in ("tool", "expert", "turn_id", "user", "cached"))
    rows = await database.read(lambda conn: conn.execute(select(*columns)).all())
    assert sorted(map(tuple, rows)) == [
        ("list_ships", "harbour", "u1", "ada", False),
        ("list_ships", "harbour", "u2", "ada", True),
    ]


FAULTS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"fails": True}, {}, "the register is closed"),
    ({"rows": "no list"}, {}, "gives no list of objects"),
    ({"rows": [{"id": "S-1", "title": "x"}]}, {}, "gives no rows with name and id"),
    ({}, {"allowed_teams": ("pilots",)}, "for members of pilots"),
]


@pytest.mark.parametrize(("state", "spec", "why"), FAULTS)
async def test_when_the_list_cannot_be_read_a_read_goes_on_and_an_effect_does_not(
    make: Make, harbour: Harbour, state: dict[str, Any], spec: dict[str, Any], why: str
) -> None:
    vars(harbour).update(state)
    executor = make(**spec)
    read = await named(executor, ship="Quen")
    assert (read.fault, read.call["args"]) == ("", {"ship": "Quen"})
    assert read.note.startswith("ship of find_ship was not checked: ")
    assert why in read.note
    effect = await named(executor, "sink_ship", ship="S-1")
    assert effect.fault.startswith("unavailable: ship of sink_ship cannot be checked, so it was")
    assert why in effect.fault


def test_an_empty_list_names_nothing_and_is_no_failure() -> None:
    assert entries_of('{"count": 0, "ships": []}', OF_SHIPS) == []


@pytest.mark.parametrize(
    ("names", "key", "wanted"),
    [
        ({"args": {"harbor": "Oslo"}}, "names.args", "with which list_ships can be called"),
        ({"tool": "list_boats"}, "names.tool", "a read_only tool of the app"),
        ({"tool": "sink_ship"}, "names.tool", "a read_only tool of the app"),
    ],
)
def test_a_list_that_cannot_be_called_is_an_error_of_the_file(
    make: Make, tmp_path: Path, names: dict[str, Any], key: str, wanted: str
) -> None:
    specs: list[ToolSpec] = make(OF_SHIPS.model_copy(update=names)).registry.all()
    with pytest.raises(InvalidConfig) as caught:
        check_lookups(specs, tmp_path)
    assert str(caught.value.file) == str(tmp_path / "experts" / "billing.yaml")
    assert caught.value.key.endswith(key)
    assert wanted in caught.value.wanted
