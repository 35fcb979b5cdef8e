"""The background job that tells people about actions that wait; sent again until it is taken."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from configs.notify import EmailChannel, WebhookChannel
from graph.approval_links import Links
from graph.services import Services
from memory.outbox import Job
from tools.effects import EffectRow
from tools.errors import EffectUnknown
from tools.notice_rows import read_key
from tools.notices import Notice, Phase, build_notice
from tools.sending import send

DECIDE_PATH = "/approvals/decide"


def notifier(services: Services) -> Callable[[Job], Awaitable[tuple[str, str]]]:
    """What the background does with a `notify` row: one message for all that waits in its thread.

    A row whose action was decided meanwhile, or is part of an earlier message, sends nothing.
    """
    links = Links(services.settings.http)

    async def notify(job: Job) -> tuple[str, str]:
        effect, name, phase = read_key(job)
        channel = services.settings.notify.channels.get(name)
        if channel is None:
            return "empty", f"there is no channel {name} any more"
        try:
            row = await services.ledger.get(effect)
        except EffectUnknown:
            return "empty", "the action is gone"
        told = await services.notices.told(job)
        rows = [one for one in await _waiting(services, row, channel, phase) if one.id not in told]
        if row.id not in {one.id for one in rows}:
            why = "told already" if row.id in told else f"it is {row.status} or its time is over"
            return "empty", why
        await send(_notice(services, rows, phase, name, channel, links), channel, services.clock)
        return "done", " ".join(one.id for one in rows)

    return notify


async def _waiting(
    services: Services, row: EffectRow, channel: WebhookChannel | EmailChannel, phase: Phase
) -> list[EffectRow]:
    """The thread's actions that wait now and that the message is about."""
    status = "unsettled" if phase == "unknown" else "prepared"
    hours = services.settings.notify.remind_before_hours
    until = services.clock() + timedelta(hours=hours)
    return [
        one
        for one in await services.ledger.pending(row.tenant, row.thread)
        if one.status == status
        and channel.wants(one.approver_teams)
        and (phase != "reminder" or one.expires_at <= until)
    ]


def _notice(
    services: Services,
    rows: list[EffectRow],
    phase: Phase,
    name: str,
    channel: WebhookChannel | EmailChannel,
    links: Links,
) -> Notice:
    base = services.settings.http.base_url
    return build_notice(
        rows,
        phase,
        services.registry,
        services.masking,
        channel=name,
        link=lambda row: "" if phase == "unknown" else links.of(row, channel.reviewer),
        decide_url=f"{base.rstrip('/')}{DECIDE_PATH}" if base else "",
    )
