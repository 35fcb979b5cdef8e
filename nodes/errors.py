"""What can go wrong in a node; everything else becomes a degraded answer.

NodeFault
├── NoQuestion          the run's input holds no user message
└── StateTooNew         the checkpoint was written by a later version
"""


class NodeFault(Exception):
    """Base of the room's errors."""


class NoQuestion(NodeFault):
    """The run's input holds no user message."""

    def __init__(self) -> None:
        """Say what was wanted."""
        super().__init__(
            'wanted a user message as the last of `messages`, such as {"messages": [{"role": '
            '"user", "content": "Which invoices are overdue?"}]}, came none'
        )


class StateTooNew(NodeFault):
    """The checkpoint was written by a later version of Hippograph."""

    def __init__(self, found: int, known: int) -> None:
        """Name both versions."""
        super().__init__(
            f"the thread's state has schema version {found}, this Hippograph knows up to {known}. "
            "Install the newer version, or start a new thread."
        )
