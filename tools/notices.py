"""What a person is told about actions that wait: one message for all of a thread that wait now."""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from configs.masking import Masking
from state import canonical_json, derived_id, thread_name
from tools.approvals import allowed_decisions, describe
from tools.effects import EffectRow, stamp
from tools.registry import Registry

Phase: TypeAlias = Literal["asked", "reminder", "unknown"]

TYPES: Final[dict[Phase, str]] = {
    "asked": "approval.requested",
    "reminder": "approval.expiring",
    "unknown": "outcome.unknown",
}
HEADLINES: Final[dict[Phase, str]] = {
    "asked": "Approval needed",
    "reminder": "Approval still needed, it expires soon",
    "unknown": "Did this happen?",
}
VALUE_CHARS: Final = 500
SLACK_CHARS: Final = 2_900
TOLERANCE_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Notice:
    """One message, before it takes a channel's shape.

    Attributes:
        delivery: the same for every try of this message, so that a receiver can drop a second one.
    """

    delivery: str
    phase: Phase
    tenant: str
    thread: str
    requested_by: str
    actions: tuple[dict[str, Any], ...]
    decide_url: str = ""

    @property
    def tools(self) -> str:
        """The tools' names to people, each once."""
        return ", ".join(dict.fromkeys(action["tool"] for action in self.actions))

    @property
    def headline(self) -> str:
        """The message in a line."""
        return f"{HEADLINES[self.phase]}: {self.tools} (thread {self.thread})"

    def how(self) -> dict[str, str]:
        """The ways to decide."""
        ids = " ".join(f"--approve {action['id']}" for action in self.actions)
        ways = {"command_line": f"hippograph decide {self.thread!r} {ids}"}
        if self.phase == "unknown":
            answers = " ".join(f"--respond {action['id']}" for action in self.actions)
            ways["command_line"] = (
                f"hippograph decide {self.thread!r} {answers} --message happened|not_happened"
            )
        if self.decide_url:
            ways["http"] = f"POST {self.decide_url}"
        return ways


def build_notice(
    rows: Sequence[EffectRow],
    phase: Phase,
    registry: Registry,
    masking: Masking,
    *,
    channel: str,
    link: Callable[[EffectRow], str],
    decide_url: str = "",
) -> Notice:
    """The message about rows of one thread.

    Args:
        rows: at least one.
        phase: why it is sent.
        registry: names and descriptions of the tools.
        masking: hides secrets in arguments.
        channel: where it goes.
        link: the page that decides an action in the reader's name; empty for none.
        decide_url: where decisions are posted to; empty when nowhere.
    """
    first = rows[0]
    return Notice(
        delivery=derived_id("ntc", channel, phase, *(row.id for row in rows)),
        phase=phase,
        tenant=first.tenant,
        thread=thread_name(first.thread),
        requested_by=first.requested_by,
        actions=tuple(_action(row, registry, masking, link(row)) for row in rows),
        decide_url=decide_url,
    )


def _action(row: EffectRow, registry: Registry, masking: Masking, link: str) -> dict[str, Any]:
    shown = {
        "id": row.id,
        "tool": registry.title_of(row.tool),
        "description": masking(describe(row, registry)),
        "arguments": shown_arguments(row.args, masking),
        "reasons": list(row.reasons),
        "expires_at": stamp(row.expires_at),
        "approver_teams": list(row.approver_teams),
        "allowed": list(allowed_decisions(row)),
    }
    return {**shown, "link": link} if link else shown


def shown_arguments(args: Mapping[str, Any], masking: Masking) -> dict[str, Any]:
    """Arguments without secrets; a secret is known by its shape or by its argument's name."""
    return {name: _shortened(value) for name, value in masking.within(args).items()}


def _shortened(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _shortened(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if not isinstance(value, str) or len(value) <= VALUE_CHARS:
        return value
    return f"{value[:VALUE_CHARS]}… ({len(value)} characters)"


def as_json(notice: Notice, sent_at: datetime) -> bytes:
    """The body of a signed webhook."""
    body = {
        "type": TYPES[notice.phase],
        "delivery_id": notice.delivery,
        "sent_at": sent_at.isoformat(),
        "tenant": notice.tenant,
        "thread": notice.thread,
        "requested_by": notice.requested_by,
        "actions": list(notice.actions),
        "how_to_decide": notice.how(),
    }
    return canonical_json(body).encode()


def as_slack(notice: Notice) -> bytes:
    """The body that Slack's incoming webhooks take."""
    sections = [f"*{_slack(notice.headline)}*\nasked by {_slack(notice.requested_by)}"]
    for action in notice.actions:
        link = f"\n<{action['link']}|Decide>" if "link" in action else ""
        sections.append(_slack("\n".join(_lines(action)))[:SLACK_CHARS] + link)
    ways = "\n".join(notice.how().values())
    sections.append(f"```{_slack(ways)}```")
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": text}} for text in sections]
    return canonical_json({"text": _slack(notice.headline), "blocks": blocks}).encode()


def as_text(notice: Notice) -> str:
    """The text of a mail."""
    parts = [f"{notice.headline}\nasked by {notice.requested_by}"]
    for action in notice.actions:
        lines = _lines(action)
        if "link" in action:
            lines.append(f"decide: {action['link']}")
        parts.append("\n".join(lines))
    parts.append("\n".join(["How to decide:", *notice.how().values()]))
    return "\n\n".join(parts) + "\n"


def _lines(action: Mapping[str, Any]) -> list[str]:
    arguments = [
        f"  {name}: {canonical_json(value)}" for name, value in action["arguments"].items()
    ]
    lines = [f"{action['tool']} ({action['id']})", action["description"], *arguments]
    lines += [f"why: {reason}" for reason in action["reasons"]]
    return [*lines, f"open until {action['expires_at']}"]


def _slack(text: str) -> str:
    """Slack's three characters of its own, escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The value of the signature header: HMAC-SHA256 over `timestamp.body`."""
    signed = timestamp.encode() + b"." + body
    return f"sha256={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def is_signed(
    secret: str,
    timestamp: str,
    body: bytes,
    given: str,
    now: datetime,
    tolerance_s: float = TOLERANCE_S,
) -> bool:
    """For receivers: whether a message is ours and not older than the tolerance, in seconds."""
    try:
        age_s = abs(now.timestamp() - float(timestamp))
    except ValueError:
        return False
    return age_s <= tolerance_s and hmac.compare_digest(signature(secret, timestamp, body), given)
