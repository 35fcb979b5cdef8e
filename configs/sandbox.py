"""Settings of the sandbox in which code and shell tools run."""

from typing import Final, Literal

from pydantic import Field

from configs.sections import Section


class SandboxSettings(Section):
    """What a program of a tool may use, and what is done where it cannot be shut in."""

    isolation: Literal["required", "process"] = Field(
        default="required",
        description="`required`: refuse where neither bubblewrap nor namespaces work; `process`: "
        "make do with limits and an empty environment, files and network are open then",
    )
    network: bool = False
    timeout_s: float = Field(default=20, gt=0, description="wall time")
    cpu_s: int = Field(default=10, gt=0)
    memory_mb: int = Field(default=512, ge=32)
    file_mb: int = Field(default=32, gt=0, description="the largest file it may write")
    workspace_mb: int = Field(default=256, gt=0, description="what a thread's folder may hold")
    processes: int = Field(default=32, gt=0)
    output_chars: int = Field(default=20_000, gt=0, description="of each of stdout and stderr")


SANDBOX: Final = SandboxSettings()
"""The defaults."""
