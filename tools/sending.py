"""Sends a notice: a signed webhook, or a mail; one try, the outbox tries again."""

import asyncio
import smtplib
import ssl
from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import Final

import httpx

from configs.environment import read_secret
from configs.notify import EmailChannel, WebhookChannel
from tools.errors import NoticeNotSent
from tools.notices import Notice, as_json, as_slack, as_text, signature

SIGNATURE: Final = "X-Hippograph-Signature"
TIMESTAMP: Final = "X-Hippograph-Timestamp"
DELIVERY: Final = "X-Hippograph-Delivery"
SUBJECT_CHARS: Final = 150


async def send(
    notice: Notice, channel: WebhookChannel | EmailChannel, clock: Callable[[], datetime]
) -> None:
    """Send it once.

    Raises:
        NoticeNotSent: it was not taken; says why, and no secret.
    """
    if isinstance(channel, WebhookChannel):
        await _post(notice, channel, clock())
        return
    user, password = _value(channel.user_env), _value(channel.password_env)
    message = _mail(notice, channel, clock())
    try:
        await asyncio.to_thread(_deliver, message, channel, user, password)
    except (OSError, smtplib.SMTPException) as error:
        raise NoticeNotSent(f"{channel.host}:{channel.port}: {type(error).__name__}") from error


async def _post(notice: Notice, channel: WebhookChannel, now: datetime) -> None:
    body = as_slack(notice) if channel.format == "slack" else as_json(notice, now)
    headers = {"Content-Type": "application/json", DELIVERY: notice.delivery}
    secret = _value(channel.secret_env)
    if secret:
        timestamp = str(int(now.timestamp()))
        headers |= {TIMESTAMP: timestamp, SIGNATURE: signature(secret, timestamp, body)}
    address = channel.url or _value(channel.url_env)
    try:
        async with httpx.AsyncClient(timeout=channel.timeout_s, follow_redirects=False) as http:
            answer = await http.post(address, content=body, headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:  # its text may hold the address
        raise NoticeNotSent(f"the webhook: {type(error).__name__}") from error
    if not answer.is_success:
        raise NoticeNotSent(f"the webhook answered {answer.status_code}")


def _value(variable: str | None) -> str:
    if variable is None:
        return ""
    secret = read_secret(variable)
    if secret is None:
        raise NoticeNotSent(f"{variable} is not set in the environment")
    return secret.get_secret_value()


def _mail(notice: Notice, channel: EmailChannel, now: datetime) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = " ".join(notice.headline.split())[:SUBJECT_CHARS]
    message["From"], message["To"] = channel.sender, ", ".join(channel.to)
    message["Date"] = format_datetime(now)
    message["Message-ID"] = make_msgid(notice.delivery, channel.sender.rpartition("@")[2])
    message[DELIVERY] = notice.delivery
    message.set_content(as_text(notice))
    return message


def _deliver(message: EmailMessage, channel: EmailChannel, user: str, password: str) -> None:
    """Speak SMTP; blocking, so in a thread."""
    context = ssl.create_default_context()
    wait_s = channel.timeout_s
    if channel.security == "tls":
        opened: smtplib.SMTP = smtplib.SMTP_SSL(
            channel.host, channel.port, timeout=wait_s, context=context
        )
    else:
        opened = smtplib.SMTP(channel.host, channel.port, timeout=wait_s)
    with opened as smtp:
        if channel.security == "starttls":
            smtp.starttls(context=context)
        if user:
            smtp.login(user, password)
        smtp.send_message(message)
