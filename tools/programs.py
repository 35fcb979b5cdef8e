"""Tools that run code and shell commands in the sandbox; an app names them in an expert's file.

function: tools.programs:run_python
effect: read_only     # it changes nothing but its thread's own folder, and has no network
"""

import asyncio
import hashlib
import sys
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from tools.sandbox import Ended, run
from tools.spec import ToolContext

MOST_FILES: Final = 50
PYTHON: Final = str(Path(sys.executable).resolve())


async def run_python(
    context: ToolContext,
    *,
    code: Annotated[str, Field(description="a Python program; print what is wanted")],
) -> dict[str, Any]:
    """Run a Python program in the thread's own folder."""
    return await _run(context, [PYTHON, "-I", "-c", code])


async def run_shell(
    context: ToolContext,
    *,
    command: Annotated[str, Field(description="a line for /bin/sh")],
) -> dict[str, Any]:
    """Run a shell command in the thread's own folder."""
    return await _run(context, ["/bin/sh", "-c", command])


def workspace_of(context: ToolContext) -> Path:
    """The folder that the programs of a thread share, unlike any other thread's."""
    name = hashlib.sha256(f"{context.tenant}\n{context.thread}".encode()).hexdigest()[:24]
    return context.data_dir / "sandbox" / name


async def _run(context: ToolContext, argv: list[str]) -> dict[str, Any]:
    workspace = workspace_of(context)
    ended = await run(argv, workspace, context.sandbox)
    files = await asyncio.to_thread(_files, workspace)
    return {
        "exit_code": ended.exit_code,
        "stdout": ended.stdout,
        "stderr": ended.stderr,
        "files": files,
        **_remarks(ended, context),
    }


def _remarks(ended: Ended, context: ToolContext) -> dict[str, str]:
    said = {}
    if ended.timed_out:
        said["stopped"] = f"after {context.sandbox.timeout_s:g} s"
    if ended.cut:
        said["cut"] = f"each output to {context.sandbox.output_chars} bytes"
    return said


def _files(workspace: Path) -> list[str]:
    """What lies in the workspace; links are not followed."""
    names = [
        str(path.relative_to(workspace))
        for path in sorted(workspace.rglob("*"))
        if path.is_file() and not path.is_symlink()
    ]
    return names[:MOST_FILES]
