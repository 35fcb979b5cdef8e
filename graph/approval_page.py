"""The page behind a link: one action with all of its arguments, and a form. No script, no style."""

from collections.abc import Mapping
from html import escape
from typing import Any

from state import canonical_json


def decision_page(action: Mapping[str, Any], reviewer: str) -> str:
    """The action as its reviewer has to see it; the form posts to the page itself."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td><code>{escape(canonical_json(value))}</code></td></tr>"
        for name, value in action["args"].items()
    )
    reasons = "".join(f"<li>{escape(reason)}</li>" for reason in action["reasons"])
    return _page(
        f"Approval needed: {escape(action['title'] or action['tool'])}",
        f"<p>Thread {escape(action['thread'])}, open until {escape(action['expires_at'])}. "
        f"You decide as {escape(reviewer)}.</p>"
        f"<p>{escape(action['description'])}</p><table>{rows}</table><ul>{reasons}</ul>"
        '<form method="post"><p><label>Reason, for a rejection '
        '<input name="message" maxlength="500"></label></p>'
        '<button name="decision" value="approve">Approve</button> '
        '<button name="decision" value="reject">Reject</button></form>',
    )


def answer_page(text: str) -> str:
    """What came of a decision."""
    return _page("Approval", f"<p>{escape(text)}</p>")


def refusal_page() -> str:
    """A link that stands for nothing (any more)."""
    return answer_page("This link is not valid, or its time is over; nothing was run by it.")


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><h1>{title}</h1>{body}</body></html>"
    )
