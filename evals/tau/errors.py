"""Errors of the replayed tools.

TauError
└── PartialChange   the call failed and what it had changed by then stays
"""


class TauError(Exception):
    """The call cannot be carried out; the text is what the caller reads."""

    def __init__(self, message: str, *, kind: str = "failed") -> None:
        """Keep the short `kind` beside the text: not_found, conflict, invalid_arguments, failed."""
        super().__init__(message)
        self.kind = kind


class PartialChange(TauError):
    """A failure whose changes are kept."""
