"""The folder of a vector index on disk: its stamp, and whether it can be trusted."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final
from uuid import uuid4

PROBE_TIMEOUT_S: Final = 30.0
SAID_CHARS: Final = 200
# What hnswlib keeps of one element beside its vector: links of level 0 and a label.
HNSW_ELEMENT_BYTES: Final = 140
PREFIX: Final = "index-"
COPY: Final = "copy"
OLD: Final = "old"
REMOVED: Final = "removed"
# Raised when collections are laid out in another way: an index of another layout is replaced.
LAYOUT: Final = 2
PROBE: Final = "import sys; from memory.chroma_episodes import probe; probe(sys.argv[1])"


class IndexFolder:
    """An index is replaced when its stamp differs, or its files are broken; never mended."""

    def __init__(self, path: Path, *, embedder: str, dimension: int, space: str) -> None:
        """Name the folder and what the index must have been made with."""
        self.path = path
        self._wanted = {
            "embedder": embedder,
            "dimension": dimension,
            "space": space,
            "layout": LAYOUT,
        }
        self._dimension = dimension
        self._new = _new_name()

    @property
    def index(self) -> Path:
        """Where the index lies; a new one gets a name of its own.

        Chroma keeps what it knows of a path for the life of the process, even of one it failed to
        open, so a replacement never takes the same path.
        """
        present = sorted(self.path.glob(f"{PREFIX}*"))
        return present[0] if present else self.path / self._new

    @property
    def _stamp(self) -> Path:
        return self.index / "stamp.json"

    @property
    def _closed(self) -> Path:
        return self.index / "closed"

    def generation(self) -> str:
        """The generation of the index that is now open, a new one for a new index."""
        if not self._stamp.exists():
            stamp = {**self._wanted, "generation": uuid4().hex}
            self._stamp.write_text(json.dumps(stamp), encoding="utf-8")
        self._closed.unlink(missing_ok=True)
        return str(json.loads(self._stamp.read_text(encoding="utf-8"))["generation"])

    def mark_removed(self) -> None:
        """Remember that entries were taken out, whose bytes are still in the files."""
        (self.index / REMOVED).touch()

    @property
    def holds_removed(self) -> bool:
        """Whether bytes of entries that were taken out may still be in the files."""
        return (self.index / REMOVED).exists()

    def mark_closed(self) -> None:
        """Remember that the last owner closed the index itself, so it need not be probed."""
        self._closed.touch()

    def replace(self) -> None:
        """Remove the index; the next one has another name."""
        for old in self.path.glob(f"{PREFIX}*"):
            shutil.rmtree(old, ignore_errors=True)
        self._new = _new_name()

    def copy(self) -> Path:
        """An empty folder for a copy of the index, under a name never used before."""
        self._drop(COPY)
        return self.path / f"{COPY}-{uuid4().hex[:12]}"

    def take_copy(self) -> None:
        """Put the copy in the index's place, under the same generation.

        Killed half-way there may be no index: then the next one is filled from the rows.
        """
        (made,) = self.path.glob(f"{COPY}-*")
        shutil.copyfile(self._stamp, made / self._stamp.name)
        for index in self.path.glob(f"{PREFIX}*"):
            index.rename(self.path / f"{OLD}-{index.name}")
        made.rename(self.path / _new_name())
        self._drop(OLD)

    def tidy(self) -> None:
        """Remove what an interrupted erasure left; only the owner may."""
        self._drop(COPY)
        self._drop(OLD)

    def _drop(self, prefix: str) -> None:
        for left in self.path.glob(f"{prefix}-*"):
            shutil.rmtree(left, ignore_errors=True)

    def reason_to_replace(self) -> str:
        """Why the index cannot be used; empty if it can, or if there is none."""
        return self._wrong_stamp() or self._broken_files() if self.index.exists() else ""

    def fault(self) -> str:
        """Like `reason_to_replace`, and the index is read whether or not it was closed well."""
        return self.reason_to_replace() or self._probe_in_child()

    def _wrong_stamp(self) -> str:
        try:
            stamp = json.loads(self._stamp.read_text(encoding="utf-8"))
            found = {key: stamp[key] for key in self._wanted}
        except (OSError, ValueError, KeyError, TypeError) as error:
            return f"its stamp is unreadable ({error!r})"
        return "" if found == self._wanted else f"wanted {self._wanted}, found {found}"

    def _broken_files(self) -> str:
        segments = [path.parent for path in self.index.glob("*/data_level0.bin")]
        for segment in segments:
            if not is_whole(segment, self._dimension):
                return f"segment {segment.name} is cut off"
        # Without segment files everything is read from Chroma's database, whose faults are errors.
        if segments and not self._closed.exists():
            return self._probe_in_child()
        return ""

    def _probe_in_child(self) -> str:
        """Read the index in another process first: a broken one can end the process it is in."""
        home = str(Path(__file__).resolve().parent.parent)
        path = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH", ""))))
        try:
            ended = subprocess.run(
                [sys.executable, "-c", PROBE, str(self.index)],
                env={**os.environ, "PYTHONPATH": path},
                capture_output=True,
                timeout=PROBE_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"reading it took longer than {PROBE_TIMEOUT_S} s"
        if ended.returncode == 0:
            return ""
        said = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2][:SAID_CHARS]
        return f"reading it ended with code {ended.returncode} ({said})"


def _new_name() -> str:
    return f"{PREFIX}{uuid4().hex[:12]}"


def is_whole(segment: Path, dimension: int) -> bool:
    """Whether a segment's vector file is as long as its list of elements says."""
    try:
        elements = (segment / "length.bin").stat().st_size // 4
    except FileNotFoundError:
        return False
    wanted = elements * (4 * dimension + HNSW_ELEMENT_BYTES)
    return (segment / "data_level0.bin").stat().st_size >= wanted
