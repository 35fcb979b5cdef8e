"""Finds out how an endpoint's prompt cache behaves, by sending it a prefix that grows.

Each size is sent twice and once with another ending. A cache that works reads the earlier size the
first time, nearly everything the second time, and the shared part the third time.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from models.caching import RULES, PromptCall, blocks_of, mark_points, simulate
from models.gateway import Gateway

LINES_A_ROUND = 60
SLACK_TOKENS = 256
QUESTION = "Answer with the single word OK."
OTHER = "Answer with the single word YES."


@dataclass(frozen=True, slots=True)
class ProbeCall:
    """One call: what was sent, and the tokens read from the cache as predicted and as reported."""

    round: int
    sent: str
    tokens: int
    predicted: int
    reported: int
    told: bool
    seconds: float

    @property
    def cells(self) -> tuple[str, ...]:
        """The call as text."""
        reported = f"{self.reported:,}" if self.told else "-"
        return (
            str(self.round),
            self.sent,
            f"{self.tokens:,}",
            f"{self.predicted:,}",
            reported,
            f"{self.seconds:.2f}",
        )


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """All calls, and what they show."""

    rule: str
    calls: list[ProbeCall]
    findings: list[str]


async def probe(gateway: Gateway, role: str, rule: str, rounds: int) -> ProbeResult:
    """Send the growing prefix and compare.

    Args:
        gateway: asks the endpoint.
        role: whose model is probed.
        rule: a name in `models.caching.RULES`.
        rounds: how often the prefix grows.

    Raises:
        ModelError: the endpoint could not be asked.
    """
    nonce = secrets.token_hex(8)  # nobody has sent this prefix before
    calls: list[ProbeCall] = []
    sent: list[PromptCall] = []
    for number in range(1, rounds + 1):
        for what, ending in (("grown", QUESTION), ("again", QUESTION), ("other ending", OTHER)):
            messages = prompt(nonce, number, ending)
            reply = await gateway.call(role, messages, cache_key=f"probe-{nonce}")
            blocks = blocks_of(messages, (), reply.model)
            sent.append(PromptCall(role, float(len(sent)), blocks, mark_points(blocks)))
            usage = reply.usage
            calls.append(
                ProbeCall(
                    round=number,
                    sent=what,
                    tokens=usage.input_tokens,
                    predicted=simulate(sent, RULES[rule]).calls[-1].read,
                    reported=usage.cache_read_tokens,
                    told=not usage.counted,
                    seconds=round(reply.seconds, 3),
                )
            )
    return ProbeResult(rule, calls, findings(calls))


def prompt(nonce: str, rounds: int, ending: str) -> list[BaseMessage]:
    """A prefix of `rounds` parts, each a message, and an ending."""
    parts = [
        HumanMessage("\n".join(_line(part, number) for number in range(LINES_A_ROUND)))
        for part in range(rounds)
    ]
    return [SystemMessage(f"Test {nonce}. The lines mean nothing."), *parts, HumanMessage(ending)]


def findings(calls: Sequence[ProbeCall]) -> list[str]:
    """What the figures show, in sentences."""
    if not any(call.told for call in calls):
        return ["The endpoint reports no token figures, so its cache cannot be seen."]
    hits = [call for call in calls if call.reported]
    if not hits:
        return ["The endpoint has read nothing from a cache: it has none, or does not report it."]
    said = [f"The smallest prompt with a hit had {min(call.tokens for call in hits):,} tokens."]
    again = [call for call in calls if call.sent == "again" and call.tokens >= hits[0].tokens]
    missed = [call for call in again if call.reported + SLACK_TOKENS < call.predicted]
    if missed:
        said.append(
            f"Inconsistent: {len(missed)} of {len(again)} prompts that had just been sent read"
            f" less than they should, in rounds {', '.join(str(call.round) for call in missed)}."
        )
    else:
        said.append(f"Consistent: all {len(again)} prompts that were sent again were read.")
    others = [call for call in calls if call.sent == "other ending" and call in hits]
    said.append(
        "A prompt with another ending reads the shared part."
        if others
        else "A prompt with another ending reads nothing: only whole marked prefixes count."
    )
    return said


def _line(part: int, number: int) -> str:
    return f"{part}-{number}: row {number * 7919 % 1000} of table {part} is the number {number**2}."
