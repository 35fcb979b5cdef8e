"""Greetings, thanks and "what can you do": answered without an expert."""

import re
from collections.abc import Sequence
from typing import Final

from configs.expert import ExpertConfig

_GREETING: Final = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|moin|howdy)"
    r"(?:\s+(?:there|all|again|everyone|team|desk|back))*[\s!.,]*$",
    re.IGNORECASE,
)
_APPROVAL: Final = (
    "ok(?:ay)?|great|perfect|good|super|wonderful|nice|cool|alright|got it|that's all|all good|no"
    "|leave it|understood"
)
_THANKS: Final = re.compile(
    rf"^(?:(?:{_APPROVAL})[\s,.!]*)*"
    r"(?:thanks?(?: you)?(?: (?:a lot|so much|very much|for .{2,40}))?|thx|cheers|never ?mind"
    rf"|that is all|no more questions|that's all for (?:now|today)|{_APPROVAL})[\s!.,]*$",
    re.IGNORECASE,
)
_FAREWELL: Final = re.compile(r"^(?:bye|goodbye|see you(?: later)?|good night)[\s!.,]*$", re.I)
_ABILITY: Final = re.compile(
    r"\bwhat (?:can|do|could) you (?:do|help|know|offer)|\bhow can you help"
    r"|\bwhat are you (?:able|for)|^(?:help|help me|\?+)[\s!.]*$|\bwho are you\b"
    r"|\bwhat (?:is|does) this (?:desk|assistant|bot)\b",
    re.IGNORECASE,
)


def small_talk(text: str, experts: Sequence[ExpertConfig]) -> str:
    """An answer to a greeting, thanks, a farewell or a question for the desk's abilities."""
    if _GREETING.match(text):
        return "Hello. Tell me what to look up or to do."
    if _THANKS.match(text):
        return "You are welcome."
    if _FAREWELL.match(text):
        return "Goodbye."
    return abilities(experts) if _ABILITY.search(text) else ""


def abilities(experts: Sequence[ExpertConfig]) -> str:
    """What the desk can do, one line per expert."""
    lines = [f"- {expert.title}: {' '.join(expert.description.split())}" for expert in experts]
    return "\n".join(["This desk can help with:", *lines])
