"""Runs programs of tools in a process of their own: shut in, limited, with an empty environment.

Bubblewrap is used where it works, otherwise user namespaces; where neither does, and isolation is
required, nothing runs and the reason is given. What a program sees is its workspace, the system's
programs and libraries to read, and no network unless the settings open it.
"""

import asyncio
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from configs.sandbox import SandboxSettings
from tools.errors import ToolError
from tools.sandbox_child import SETUP_FAILED

Isolation: TypeAlias = Literal["bubblewrap", "namespaces", "none"]

CHILD: Final = Path(__file__).with_name("sandbox_child.py")
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
SYSTEM_FILES: Final = ("/etc/ld.so.cache", "/etc/localtime", "/etc/nsswitch.conf")
NETWORK_FILES: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl", "/etc/ca-certificates")
INSIDE: Final = "/workspace"
PROBE_S: Final = 10.0
MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Confinement:
    """How programs are shut in on this machine, or why they cannot be."""

    kind: Isolation
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit code, or that it ran out of time; outputs may be cut."""

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool = False
    cut: bool = False


@functools.cache
def confinement() -> Confinement:
    """What works here, tried once for each process."""
    reasons = []
    for kind in ("bubblewrap", "namespaces"):
        reason = why_not(kind)
        if not reason:
            return Confinement(kind)
        reasons.append(f"{kind}: {reason}")
    return Confinement("none", "; ".join(reasons))


def why_not(kind: Isolation) -> str:
    """Why a program cannot be shut in that way; empty when it can."""
    if not sys.platform.startswith("linux"):
        return f"wanted Linux, came {sys.platform}"
    if kind == "bubblewrap" and shutil.which("bwrap") is None:
        return "bwrap is not installed"
    with tempfile.TemporaryDirectory() as folder:
        command = _command(["/bin/sh", "-c", "exit 0"], Path(folder), SandboxSettings(), kind)
        try:
            done = subprocess.run(
                command, env={}, capture_output=True, text=True, timeout=PROBE_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip() or f"exit {done.returncode}")[:200]


async def run(
    argv: Sequence[str], workspace: Path, settings: SandboxSettings, stdin: str = ""
) -> Ended:
    """Run a program in a workspace.

    Args:
        argv: the program by its absolute path, and its arguments.
        workspace: the folder that it may write, at `/workspace` inside.
        settings: its limits.
        stdin: what it reads.

    Raises:
        ToolError: denied, where it cannot be shut in as the settings want.
    """
    found = await asyncio.to_thread(confinement)
    if found.kind == "none" and settings.isolation == "required":
        message = f"programs cannot be shut in on this machine ({found.reason}), so none was run"
        hint = "install bubblewrap, or allow user namespaces"
        raise ToolError(message, kind="denied", hint=hint)
    await asyncio.to_thread(_prepare, workspace, settings)
    with tempfile.TemporaryDirectory(prefix="hippograph-sandbox-") as root:
        command = _command(argv, workspace, settings, found.kind, Path(root))
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={},
            start_new_session=True,
        )
        try:
            return await _watched(process, settings, stdin)
        finally:
            _kill(process)
            await process.wait()


def _prepare(workspace: Path, settings: SandboxSettings) -> None:
    workspace.mkdir(parents=True, exist_ok=True)
    files = [path for path in workspace.rglob("*") if path.is_file() and not path.is_symlink()]
    used = sum(path.stat().st_size for path in files)
    if used > settings.workspace_mb * MEGABYTE:
        message = f"the workspace holds {used // MEGABYTE} MB of {settings.workspace_mb}"
        raise ToolError(message, kind="over_limit", hint="delete files in it first")


async def _watched(
    process: asyncio.subprocess.Process, settings: SandboxSettings, stdin: str
) -> Ended:
    most = settings.output_chars
    outputs = asyncio.gather(
        _read(process.stdout, most), _read(process.stderr, most), _feed(process.stdin, stdin)
    )
    timed_out = False
    try:
        await asyncio.wait_for(asyncio.shield(outputs), settings.timeout_s)
    except TimeoutError:
        timed_out = True
        _kill(process)
    (out, out_cut), (err, err_cut), _ = await outputs
    code = await process.wait()
    if code == SETUP_FAILED and err.startswith("sandbox: "):
        raise ToolError(f"the program was not run: {err.strip()}", kind="denied")
    return Ended(code, out, err, timed_out, out_cut or err_cut)


async def _read(stream: asyncio.StreamReader | None, most_chars: int) -> tuple[str, bool]:
    """The beginning of an output; what comes after is read and dropped."""
    kept, size = bytearray(), 0
    while stream is not None and (chunk := await stream.read(65_536)):
        size += len(chunk)
        kept += chunk[: max(most_chars - len(kept), 0)]
    return bytes(kept).decode("utf-8", "replace"), size > most_chars


async def _feed(stream: asyncio.StreamWriter | None, text: str) -> None:
    if stream is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.write(text.encode())
        await stream.drain()
    stream.close()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _command(
    argv: Sequence[str],
    workspace: Path,
    settings: SandboxSettings,
    kind: Isolation,
    root: Path | None = None,
) -> list[str]:
    """The command that sets the limits, shuts itself in and becomes the program."""
    place = INSIDE if kind != "none" else str(workspace.resolve())
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": place,
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    order: dict[str, Any] = {
        "argv": list(argv),
        "environment": environment,
        "workspace": str(workspace.resolve()),
        "limits": _limits(settings),
        "processes": settings.processes,
        "network": settings.network,
        "namespaces": kind == "namespaces",
        "root": str(root or workspace.resolve()),
        "readable": _readable(settings),
    }
    if kind == "bubblewrap":
        order["argv"] = _bubblewrap(argv, workspace, settings, environment)
        order["environment"] = {}
    return [sys.executable, "-I", "-S", str(CHILD), json.dumps(order)]


def _bubblewrap(
    argv: Sequence[str], workspace: Path, settings: SandboxSettings, environment: dict[str, str]
) -> list[str]:
    shared = ["--share-net"] if settings.network else []
    binds = [part for path in _readable(settings) for part in ("--ro-bind-try", path, path)]
    given = [part for pair in environment.items() for part in ("--setenv", *pair)]
    return [
        shutil.which("bwrap") or "bwrap",
        *("--unshare-all", *shared, "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(*binds, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),
        *("--bind", str(workspace.resolve()), INSIDE, "--chdir", INSIDE),
        *("--clearenv", *given, "--", *argv),
    ]


def _readable(settings: SandboxSettings) -> list[str]:
    """System folders, and those of this interpreter where they are elsewhere."""
    found = [*SYSTEM, *SYSTEM_FILES, *(NETWORK_FILES if settings.network else ())]
    for prefix in dict.fromkeys((sys.base_prefix, sys.prefix)):
        if not Path(prefix).is_relative_to("/usr"):
            found.append(prefix)
    return found


def _limits(settings: SandboxSettings) -> dict[str, int]:
    return {
        "CPU": settings.cpu_s,
        "AS": settings.memory_mb * MEGABYTE,
        "FSIZE": settings.file_mb * MEGABYTE,
        "NOFILE": 128,
        "CORE": 0,
    }
