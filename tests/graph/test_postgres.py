"""The same desk on PostgreSQL: rows and checkpoints, a pause, a second desk, pruning, full text."""

import asyncio
import logging
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from sqlalchemy import create_engine, make_url, text

from configs.errors import ConfigError
from graph.session import open_desk
from memory.artifacts import Artifacts
from memory.database import Database
from memory.sql_episodes import SqlEpisodes
from state import Scope
from tests.graph.plays import Play, Turn, call
from tests.graph.workshop import journal, workshop
from tests.memory.samples import item
from tests.sessions import connections


@pytest.fixture
def postgres_url(postgres_database: str) -> str:
    return postgres_database


async def test_a_pause_is_decided_by_a_second_desk_on_postgresql(
    postgres_url: str, tmp_path: Path
) -> None:
    play = Play({"press": Turn(["hands"], {"hands": [[call("press_button", item="x")]]})})
    settings = workshop(tmp_path, database_url=postgres_url)
    async with open_desk(settings, models=play.models) as desk:
        paused = await desk.ask(thread="pg", user="local", text="press")
    async with open_desk(settings, models=play.models) as desk:
        action = paused.pending[0].id
        ended = await desk.decide("pg", [{"id": action, "type": "approve"}], user="local")
        for n in range(14):
            await desk.ask(thread="pg", user="local", text=f"hi {n}")
        config: RunnableConfig = {"configurable": {"thread_id": "default:pg"}}
        kept = [snapshot async for snapshot in desk.graph.aget_state_history(config)]
        report = await desk.rollback("pg", 12, user="local")
        again = await desk.ask(thread="pg", user="local", text="hi again")
    assert (paused.status, ended.status, again.status) == ("waiting", "done", "done")
    assert [line["tool"] for line in journal(tmp_path)] == ["press_button"]
    assert len(kept) == 10
    assert len(report.turns) == 12


async def test_several_desks_open_an_empty_database_at_once(
    postgres_url: str, tmp_path: Path
) -> None:
    """Migrations run once, under the database's own lock; each desk works."""
    database = empty_database(postgres_url, "fresh")

    async def once(n: int) -> str:
        settings = workshop(tmp_path / str(n), database_url=database)
        async with open_desk(settings, models=Play().models) as desk:
            return (await desk.ask(thread=f"t{n}", user="local", text="hi")).text

    assert await asyncio.gather(*map(once, range(4))) == ["Hello."] * 4


async def test_a_desk_that_does_not_open_leaves_no_connection_and_no_masking(
    postgres_url: str, tmp_path: Path
) -> None:
    settings = workshop(tmp_path, database_url=postgres_url)
    (eyes, *others) = settings.experts
    tool = eyes.tools[0].model_copy(update={"function": "tests.graph.workshop:no_such_name"})
    wrong = eyes.model_copy(update={"tools": (tool,)})
    before = logging.getLogRecordFactory()
    with pytest.raises(ConfigError, match="no_such_name"):
        async with open_desk(settings.model_copy(update={"experts": (wrong, *others)})):
            pass
    assert logging.getLogRecordFactory() is before
    assert await asyncio.to_thread(connections, postgres_url) == 0


def empty_database(server: str, name: str) -> str:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as admin:
        admin.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return make_url(server).set(database=name).render_as_string(hide_password=False)


async def test_hosts_of_one_server_share_the_jobs_and_each_is_run_once(
    postgres_url: str, tmp_path: Path
) -> None:
    url = empty_database(postgres_url, "shared")
    settings = workshop(tmp_path, database_url=url, hippocampus={"pause_s": 0.2, "drain_s": 0})
    async with (
        open_desk(settings, models=Play().models) as first,
        open_desk(settings, models=Play().models) as second,
    ):
        hosts = [desk.services.background for desk in (first, second)]
        await hosts[0].launch()
        assert [await host.is_host() for host in hosts] == [True, True]
        for n in range(5):
            await first.ask(thread=f"t{n}", user="local", text="My name is Ines Moreau.")
        async with asyncio.timeout(30):
            while await first.services.outbox.pending():
                await hosts[1].drain(10)
                await asyncio.sleep(0.05)
        assert sum(host.handled for host in hosts) == 10
    engine = create_engine(url)
    with engine.connect() as found:
        ran = found.execute(text("SELECT DISTINCT executor_id FROM dbos.workflow_status")).all()
    engine.dispose()
    assert ran == [("host-0",)]


async def test_connections_that_the_server_has_closed_are_replaced(
    postgres_url: str, tmp_path: Path
) -> None:
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    ended = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    async with open_desk(
        workshop(tmp_path, database_url=postgres_url), models=Play().models
    ) as desk:
        for _ in range(2):
            reply = await desk.ask(thread="cut", user="local", text="hi")
            assert (reply.status, reply.text) == ("done", "Hello.")
            await asyncio.sleep(0.3)
            with engine.connect() as admin:
                admin.execute(ended)
        assert len(await desk.show("cut", "local")) == 2
    engine.dispose()


async def test_artifacts_are_found_by_postgresqls_own_full_text(postgres_url: str) -> None:
    database = await Database.open(postgres_url)
    artifacts, scope = Artifacts(database), Scope(user="ada")
    for number, words in enumerate(["invoice INV-1042 o'clock \\ slash", "我住在上海", "nothing"]):
        await artifacts.put(
            scope,
            id=f"art_{number}",
            thread="t",
            turn_id="u",
            module="m",
            kind="k",
            text=words,
            source="tool",
        )
    found = {
        query: [hit.ref.id for hit in await artifacts.search(scope, query)]
        for query in ("inv-1042", "上海", "o'clock \\", "'; drop table turns; --")
    }
    others = await artifacts.search(Scope(user="ben"), "inv-1042")
    await database.close()
    assert found["inv-1042"] == ["art_0"]
    assert found["上海"] == ["art_1"]
    assert found["o'clock \\"] == ["art_0"]
    assert found["'; drop table turns; --"] == []
    assert others == []


async def test_what_stands_around_an_item_and_how_its_words_fit_is_read_from_postgresql(
    postgres_url: str,
) -> None:
    database, eve = await Database.open(postgres_url), Scope(user="eve")
    handle = SqlEpisodes(database).scoped(eve)
    said = ["refund of INV-7", "it was granted", "thanks", "weather in Lyon"]
    items = [item(eve, str(at), text, position=at) for at, text in enumerate(said)]
    await handle.add(items)
    hits = await handle.search_text("refund for inv-7?", 5)
    around = await handle.around(await handle.get([hit.id for hit in hits]), reach=1)
    fits = await handle.fit_words("refund for inv-7?", [one.id for one in items])
    await database.close()
    assert [hit.id for hit in hits] == [items[0].id]
    assert [one.text for one in around] == said[:2]
    assert fits.scores[items[0].id] > fits.scores[items[3].id] == 0.0
    assert set(fits.scores) == {one.id for one in items}
