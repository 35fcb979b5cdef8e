"""What a model reads about a call: the result up to a cap, or why there is none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from models.tokens import count, truncate
from state import CallRecord

NOT_RUN: Final = "Not run. Do not repeat this call"


MOST_TOKEN_CHARS: Final = 64
"""Text beyond this many characters a token is not looked at for a page."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a text that fits a budget; `next_offset` is None at the end."""

    text: str
    tokens: int
    next_offset: int | None


def page(text: str, offset: int, budget_tokens: int, model: str = "") -> Page:
    """The part of the text from a character offset that fits the budget."""
    rest = text[offset : offset + budget_tokens * MOST_TOKEN_CHARS]
    shown = truncate(rest, budget_tokens, model) or rest[:1]
    after = offset + len(shown)
    return Page(shown, count(shown, model), after if after < len(text) else None)


def result_observation(
    record: CallRecord,
    text: str,
    total_tokens: int,
    budget_tokens: int,
    model: str = "",
    *,
    wrap: Callable[[str], str] = str,
) -> str:
    """A result, capped; a cut one says whether the call ran, how much is shown, how to go on.

    Args:
        record: the call's.
        text: its result.
        total_tokens: of the result.
        budget_tokens: the cap, without what `wrap` adds.
        model: whose tokens are counted.
        wrap: how the result itself is shown.
    """
    part = page(text, 0, budget_tokens, model)
    if part.next_offset is None:
        return wrap(part.text) if part.text else "Done; there is no result."
    ran = "ran OK" if record["status"] == "ok" else "failed"
    more = f'recall_artifact(id="{record["artifact"]}", offset={part.next_offset})'
    return (
        f"{wrap(part.text)}\n[The call {ran}. {part.tokens} of {total_tokens} tokens shown; "
        f"call {more} for the rest.]"
    )


def other_observation(record: CallRecord) -> str:
    """What a model reads about a call that left no result."""
    note = record["note"]
    match record["status"]:
        case "ok":
            return f"Done. {note}".strip()
        case "rejected":
            return f"{NOT_RUN}: {note or 'the reviewer did not agree.'}"
        case "expired":
            return f"{NOT_RUN}: nobody approved it in time. It needs a new request by the user."
        case "responded":
            return note
        case "unsettled":
            return (
                "It is not known whether this happened; a person is asked. "
                "Do not repeat this call, and say that its outcome is open."
            )
        case "error":
            return f"Error. {note}"
