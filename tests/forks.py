"""Processes of their own that start at once: forked from one that has imported what they need."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from types import TracebackType
from typing import IO, Final, Self

FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["graph.session", "spacy", "tests.frozen"])


class Forked:
    """Runs a function in a process of its own, as `subprocess.Popen` does a program, in text."""

    stdin: IO[str]
    stdout: IO[str]
    stderr: IO[str]

    def __init__(self, function: Callable[..., None], *args: object) -> None:
        """Start it here and now, with this folder and this environment."""
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err) = (
            os.pipe() for _ in range(3)
        )
        theirs = (
            Connection(theirs_in, writable=False),
            Connection(theirs_out, readable=False),
            Connection(theirs_err, readable=False),
        )
        self._process = FORKS.Process(
            target=_enter, args=(theirs, dict(os.environ), function, args)
        )
        self._process.start()
        for end in theirs:
            end.close()
        self.stdin = os.fdopen(ours_in, "w")
        self.stdout, self.stderr = os.fdopen(ours_out), os.fdopen(ours_err)

    @property
    def pid(self) -> int:
        """Of the running process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """None while it runs, negative after a signal."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, such as `signal.SIGTERM`."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it without any clean-up."""
        self._process.kill()

    def communicate(self, typed: str = "", *, timeout: float = 60) -> tuple[str, str]:
        """Type, and wait for its end; what it has written to stdout and stderr.

        Raises:
            TimeoutError: it has not ended within so many seconds; it is killed.
        """
        with ThreadPoolExecutor(2) as readers, self:
            written = [readers.submit(pipe.read) for pipe in (self.stdout, self.stderr)]
            with self.stdin as pipe:
                pipe.write(typed)
            self._process.join(timeout)
            if self.returncode is None:
                self.kill()
                raise TimeoutError(f"{self._process} did not end within {timeout} s")
            out, err = (text.result() for text in written)
        return out, err

    def __enter__(self) -> Self:
        """It ends with the block at the latest."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()
        self._process.join()
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()


def command_line(*words: str) -> Forked:
    """`hippograph WORDS`, as its console script runs it."""
    return Forked(_command_line, words)


def _command_line(words: tuple[str, ...]) -> None:
    from graph.cli import main  # noqa: PLC0415 - what it imports counts there

    sys.argv = ["hippograph", *words]
    main()


def _enter(
    pipes: "tuple[Connection[bytes, bytes], ...]",
    environment: Mapping[str, str],
    function: Callable[..., None],
    args: tuple[object, ...],
) -> None:
    for number, pipe in enumerate(pipes):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    function(*args)
