"""One owner per folder: a lock file held for the life of a process."""

import fcntl
import os
from pathlib import Path
from typing import IO


class OwnerLock:
    """An advisory lock on a file; the system frees it when the process dies, however it dies."""

    def __init__(self, path: Path) -> None:
        """Name the lock file; nothing is opened yet."""
        self._path = path
        self._file: IO[str] | None = None

    @property
    def held(self) -> bool:
        """Whether this object owns the folder."""
        return self._file is not None

    def acquire(self) -> bool:
        """Become the owner unless somebody else is; never waits."""
        if self._file is not None:
            return True
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return False
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        self._file = file
        return True

    def owner(self) -> str:
        """The process id written by the owner, for messages; empty if unknown."""
        try:
            return self._path.read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    def release(self) -> None:
        """Give the ownership up."""
        if self._file is not None:
            self._file.close()
            self._file = None
