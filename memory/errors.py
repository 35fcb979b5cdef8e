"""What can go wrong in memory.

MemoryFault
├── DatabaseUnavailable   the SQL database cannot be opened
├── SchemaTooNew          the database was written by a later version
├── IndexUnavailable      the vector index cannot be used now; full text still can
│   ├── IndexNotOwned     another process owns its folder
│   ├── IndexDamaged      its files are broken; it is rebuilt at the next opening
│   ├── IndexMismatch     a server's index was made with another embedder
│   └── UnsafeServer      a server that strangers could reach
├── DamagedArtifact       an artifact's stored text is not what was written
├── NotSettled            an action of what is to be forgotten has no known end
├── WrongImport           a file to import cannot be read, with the line
├── UnknownSlot           a fact for a slot that the profile does not declare
├── WrongProfile          the file of slots cannot be read
└── ThreadOwned           the thread belongs to somebody else
"""


class MemoryFault(Exception):
    """Base of the room's errors."""


class DatabaseUnavailable(MemoryFault):
    """The SQL database cannot be opened."""

    def __init__(self, url: str, cause: object, *, is_damaged: bool = False) -> None:
        """Name the database, why it failed and what to do; damage needs another file."""
        step = (
            "End the processes that use it and put a backup in its place."
            if is_damaged
            else "Check that the folder exists and is writable, or set HIPPOGRAPH_DATABASE_URL."
        )
        super().__init__(f"wanted to open the database {url}, but: {cause}. {step}")
        self.url = url


class SchemaTooNew(MemoryFault):
    """The database was written by a later version of Hippograph."""

    def __init__(self, found: int, known: int) -> None:
        """Name both versions."""
        super().__init__(
            f"the database has schema version {found}, this Hippograph knows up to {known}. "
            "Install the newer version, or use another data folder."
        )


class ThreadOwned(MemoryFault):
    """The thread belongs to another user or tenant."""

    def __init__(self, thread: str) -> None:
        """Name the thread, not its owner."""
        super().__init__(f"thread {thread!r} belongs to somebody else. Use another thread name.")
        self.thread = thread


class IndexUnavailable(MemoryFault):
    """The vector index cannot be used now; full text still can."""


class IndexNotOwned(IndexUnavailable):
    """Another process owns the index's folder."""

    def __init__(self, folder: str, owner: str) -> None:
        """Name the folder and the owner's process id."""
        super().__init__(f"process {owner or 'unknown'} owns the index in {folder}")
        self.owner = owner


class IndexDamaged(IndexUnavailable):
    """The index's files are broken; it is rebuilt from the database at the next opening."""

    def __init__(self, folder: str, cause: str) -> None:
        """Name the folder and what was seen."""
        super().__init__(f"the index in {folder} is damaged and will be rebuilt: {cause}")


class IndexMismatch(IndexUnavailable):
    """A server's index was made with another embedder, dimension or space."""

    def __init__(self, where: str, wanted: str, found: str) -> None:
        """Name the server, what was wanted and what it holds."""
        super().__init__(
            f"the index at {where} was made with {found}, wanted {wanted}. Set the embedder back, "
            "or make the index anew with `hippograph memory reindex`."
        )


class UnsafeServer(IndexUnavailable):
    """An index server that strangers could reach; it is not spoken to."""

    def __init__(self, url: str, reason: str) -> None:
        """Name the server and what is wrong with it."""
        super().__init__(
            f"wanted an index server on a loopback address, or on a private one that asks for a "
            f"key, got {url}: {reason}"
        )


class DamagedArtifact(MemoryFault):
    """An artifact's stored text is not what was written."""

    def __init__(self, id: str, cause: str) -> None:
        """Name the artifact and what was seen."""
        super().__init__(f"the stored text of {id!r} is damaged: {cause}")


class NotSettled(MemoryFault):
    """An action of what is to be forgotten is not decided, or its outcome is unknown."""

    def __init__(self, tool: str) -> None:
        """Name the tool."""
        super().__init__(
            f"an action ({tool}) of what is to be forgotten waits, or its outcome is unknown. "
            "Decide it first: `hippograph pending` shows it. Nothing was forgotten."
        )


class WrongImport(MemoryFault):
    """A file to import cannot be read; nothing of it was stored."""

    def __init__(self, line: int, wanted: str, came: str) -> None:
        """Name the line, what was wanted and what came."""
        super().__init__(f"line {line}: wanted {wanted}, came {came[:200]}. Nothing was imported.")
        self.line = line


class UnknownSlot(MemoryFault):
    """A fact for a slot that the profile does not declare."""

    def __init__(self, slot: str, known: list[str]) -> None:
        """Name the slot and the declared ones."""
        super().__init__(f"wanted a slot of {', '.join(known) or 'none declared'}, got {slot!r}")
        self.slot = slot


class WrongProfile(MemoryFault):
    """The file of slots cannot be read."""

    def __init__(self, file: str, key: str, wanted: str, got: object) -> None:
        """Name the file, the key, what was wanted and what came."""
        super().__init__(f"{file}: {key}: wanted {wanted}, got {got!r}")
