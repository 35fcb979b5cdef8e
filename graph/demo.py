"""The main job in five commands, on the shipped sample company: what `make demo` runs.

Every step is a process of its own, as a user would start it: the one that pauses for an approval
has ended before the one that decides it begins.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph.cli_options import OK, WAITING

DATA_DIR = Path(".hippograph") / "demo"
SHOWN = "hippograph"
REFUND = "REF-3005"


@dataclass(frozen=True, slots=True)
class Step:
    """One command, what it is for, the exit code it must end with, and what it must name."""

    about: str
    arguments: tuple[str, ...]
    exit_code: int = OK
    names: str = ""

    def fault(self, exit_code: int, said: str) -> str:
        """What is wrong with how the command ended; empty when nothing is."""
        if exit_code != self.exit_code:
            return f"wanted exit code {self.exit_code}, came {exit_code}"
        if self.names not in said:
            return f"wanted {self.names} in what the command says, came nothing of it"
        return ""


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
        names=REFUND,
    ),
    Step(
        "Two questions in one: two experts work side by side.",
        ("ask", "--thread", "monday", "What is the status of ORD-2077, and who is overdue?"),
    ),
    Step(
        "Another session, another thread: the desk recalls what happened.",
        ("ask", "--thread", "friday", "What did we do about INV-1042 last time?"),
        names=REFUND,
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
        exit_code, said = _run(step.arguments, environment)
        if fault := step.fault(exit_code, said):
            _say(f"Step {number} failed: {fault}.")
            return 1
    _say(f"\nDone. The data of this demo lie in {DATA_DIR}; `{SHOWN} chat` starts your own.")
    return 0


def _run(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command, show what it says as it comes, and return its exit code and all it said."""
    said = []
    with subprocess.Popen(
        [_command(), *arguments], env=environment, stdout=subprocess.PIPE, text=True
    ) as running:
        for line in running.stdout or ():
            _say(line.removesuffix("\n"))
            said.append(line)
    return running.returncode, "".join(said)


def _command() -> str:
    """The console script of the Python that runs this file."""
    return str(Path(sys.executable).with_name(SHOWN))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
