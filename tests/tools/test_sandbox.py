"""Programs are shut in and limited; where they cannot be, they are refused with the reason."""

import asyncio
import sys
from pathlib import Path

import pytest

from configs.sandbox import SandboxSettings
from tools import sandbox
from tools.errors import ToolError
from tools.programs import run_python, run_shell, workspace_of
from tools.sandbox import Confinement, Ended, Isolation, run, why_not
from tools.spec import ToolContext

PYTHON = str(Path(sys.executable).resolve())
WAYS: tuple[Isolation, ...] = ("bubblewrap", "namespaces")
REASONS = {way: why_not(way) for way in WAYS}
SHUT_IN = pytest.mark.usefixtures("shut_in")
SMALL = SandboxSettings(timeout_s=5, cpu_s=1, memory_mb=256, file_mb=1, output_chars=1000)


@pytest.fixture(
    params=[
        pytest.param(way, marks=pytest.mark.skipif(bool(reason), reason=f"{way}: {reason}"))
        for way, reason in REASONS.items()
    ]
)
def shut_in(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way that works on this machine."""
    monkeypatch.setattr(sandbox, "confinement", lambda: Confinement(request.param))


def context(
    folder: Path, thread: str = "default:t", settings: SandboxSettings = SMALL
) -> ToolContext:
    return ToolContext(
        app_dir=folder,
        data_dir=folder,
        tenant="default",
        user="ada",
        teams=(),
        thread=thread,
        idempotency_key="k",
        sandbox=settings,
    )


async def python(folder: Path, code: str, settings: SandboxSettings = SMALL) -> Ended:
    return await run([PYTHON, "-I", "-c", code], folder / "w", settings)


@SHUT_IN
async def test_a_program_sees_its_workspace_and_no_file_of_ours(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("zq417", encoding="utf-8")
    shown = await python(tmp_path, f"print(open({str(secret)!r}).read())")
    assert (shown.exit_code, "No such file" in shown.stderr) == (1, True)
    ended = await python(tmp_path, "open('a','w').write('x'); import os; print(os.getcwd())")
    assert (ended.stdout, (tmp_path / "w" / "a").read_text(encoding="utf-8")) == (
        "/workspace\n",
        "x",
    )


@SHUT_IN
async def test_a_link_out_of_the_workspace_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "secret.txt").write_text("zq417", encoding="utf-8")
    (tmp_path / "w" / "link").symlink_to(tmp_path / "secret.txt")
    ended = await run(["/bin/sh", "-c", "cat link; cat ../secret.txt"], tmp_path / "w", SMALL)
    assert "zq417" not in ended.stdout
    found = await run_shell(context(tmp_path), command="ln -s /etc/passwd p; echo 1 > q")
    assert found["files"] == ["q"]


@SHUT_IN
async def test_a_program_has_no_network_and_an_empty_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "zq417-key")
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reach = f"socket.create_connection(('127.0.0.1', {port}), 1)"
    code = f"import os, socket; print(dict(os.environ)); {reach}"
    ended = await python(tmp_path, code)
    server.close()
    assert ended.exit_code == 1
    assert "zq417" not in ended.stdout


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("bytearray(900_000_000)", "MemoryError"),
        ("open('big', 'wb').write(b'x' * 2_000_000)", "File too large"),
    ],
)
@SHUT_IN
async def test_memory_and_files_are_limited(tmp_path: Path, code: str, said: str) -> None:
    ended = await python(tmp_path, code)
    assert ended.exit_code != 0
    assert said in ended.stderr


@SHUT_IN
async def test_processor_time_is_limited(tmp_path: Path) -> None:
    ended = await python(tmp_path, "while True: pass")
    assert (ended.exit_code != 0, ended.timed_out) == (True, False)


@SHUT_IN
async def test_wall_time_is_limited_and_nothing_is_left_running(tmp_path: Path) -> None:
    brief = SMALL.model_copy(update={"timeout_s": 0.5})
    command = "(sleep 2; echo late > late) & sleep 30"
    ended = await run(["/bin/sh", "-c", command], tmp_path / "w", brief)
    assert ended.timed_out
    await asyncio.sleep(2.2)
    assert not (tmp_path / "w" / "late").exists()


@SHUT_IN
async def test_an_output_is_cut_and_says_so(tmp_path: Path) -> None:
    found = await run_python(context(tmp_path), code="print('x' * 100_000)")
    assert len(found["stdout"]) == 1000
    assert "cut" in found


@SHUT_IN
async def test_threads_share_no_folder(tmp_path: Path) -> None:
    await run_shell(context(tmp_path), command="echo mine > a")
    there = await run_shell(context(tmp_path, "default:other"), command="ls")
    again = await run_shell(context(tmp_path), command="cat a")
    assert (there["stdout"], again["stdout"]) == ("", "mine\n")


async def test_a_full_workspace_runs_nothing(tmp_path: Path) -> None:
    place = context(tmp_path, settings=SandboxSettings(workspace_mb=1, isolation="process"))
    workspace_of(place).mkdir(parents=True)
    (workspace_of(place) / "big").write_bytes(b"x" * 2_000_000)
    with pytest.raises(ToolError, match="workspace holds"):
        await run_shell(place, command="true")


async def test_where_nothing_isolates_the_reason_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = Confinement("none", "bwrap is not installed; namespaces: Operation not permitted")
    monkeypatch.setattr(sandbox, "confinement", lambda: nothing)
    with pytest.raises(ToolError, match="not permitted") as caught:
        await run_python(context(tmp_path), code="print(1)")
    assert caught.value.kind == "denied"
    assert not workspace_of(context(tmp_path)).exists()


async def test_an_app_may_make_do_with_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "confinement", lambda: Confinement("none", "no"))
    monkeypatch.setenv("MY_API_KEY", "zq417-key")
    loose = SMALL.model_copy(update={"isolation": "process"})
    found = await run_shell(context(tmp_path, settings=loose), command="pwd; env")
    assert found["stdout"].startswith(str(tmp_path))
    assert "zq417" not in found["stdout"]
