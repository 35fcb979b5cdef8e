"""What can go wrong in memory.

MemoryFault
├── DatabaseUnavailable   the SQL database cannot be opened
├── SchemaTooNew          the database was written by a later version
└── ThreadOwned           the thread belongs to somebody else
"""


class MemoryFault(Exception):
    """Base of the room's errors."""


class DatabaseUnavailable(MemoryFault):
    """The SQL database cannot be opened."""

    def __init__(self, url: str, cause: Exception) -> None:
        """Name the database and why it failed."""
        super().__init__(
            f"wanted to open the database {url}, but: {cause}. "
            "Check that the folder exists and is writable, or set HIPPOGRAPH_DATABASE_URL."
        )
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
        super().__init__(
            f"thread {thread!r} belongs to somebody else. Use another thread name."
        )
        self.thread = thread
