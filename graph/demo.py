"""The main job in five commands, on the shipped sample company: what `make demo` runs.

Every step is a process of its own, as a user would start it: the one that pauses for an approval
has ended before the one that decides it begins.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from graph.cli_options import OK, WAITING

DATA_DIR = Path(".hippograph") / "demo"
SHOWN = "hippograph"


@dataclass(frozen=True, slots=True)
class Step:
    """One command, what it is for, and the exit code it must end with."""

    about: str
    arguments: tuple[str, ...]
    exit_code: int = OK


STEPS = (
    Step(
        "Ask for a figure: the router picks an expert, the expert uses a tool on the real tables.",
        ("ask", "--thread", "monday", "Show me invoice INV-1042, please."),
    ),
    Step(
        "A follow-up that only makes sense with the first turn. A refund cannot be undone, so the "
        "run pauses for a person and the process ends (exit code 3).",
        ("ask", "--thread", "monday", "And refund 120 euros of it because they were billed twice."),
        WAITING,
    ),
    Step(
        "Another process, perhaps days later: what waits?",
        ("pending",),
    ),
    Step(
        "Approve. The paused turn goes on from its checkpoint; the refund runs exactly once.",
        ("decide", "monday", "--approve", "all"),
    ),
    Step(
        "Two questions in one: two experts work side by side.",
        ("ask", "--thread", "monday", "What is the status of ORD-2077, and who is overdue?"),
    ),
    Step(
        "Another session, another thread: the desk recalls what happened.",
        ("ask", "--thread", "friday", "What did we do about INV-1042 last time?"),
    ),
    Step("What the desk remembers now.", ("memory", "ls")),
)


def main() -> int:
    """Run the steps in order and stop at the first that ends otherwise than it should."""
    shutil.rmtree(DATA_DIR, ignore_errors=True)
    environment = {**os.environ, "HIPPOGRAPH_DATA_DIR": str(DATA_DIR.resolve())}
    for number, step in enumerate(STEPS, start=1):
        _say(f"\n{number}. {step.about}")
        _say(f"$ {SHOWN} {subprocess.list2cmdline(step.arguments)}")
        ended = subprocess.run([_command(), *step.arguments], env=environment, check=False)
        if ended.returncode != step.exit_code:
            _say(f"wanted exit code {step.exit_code}, came {ended.returncode}")
            return 1
    _say(f"\nDone. The data of this demo lie in {DATA_DIR}; `{SHOWN} chat` starts your own.")
    return 0


def _command() -> str:
    """The console script of the Python that runs this file."""
    return str(Path(sys.executable).with_name(SHOWN))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
