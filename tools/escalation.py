"""Whether an effect waits for a person, and why: each reason by its name."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from configs.safety import EscalationSettings
from tools.checking import CheckedCall
from tools.taint import Sources, tainted_arguments

RULE: Final = "approval_rule"
IRREVERSIBLE: Final = "irreversible"
CONFIDENCE: Final = "low_confidence"
COST: Final = "cost_over_budget"
TAINT: Final = "tainted_arguments"
INJECTION: Final = "injection_suspected"
LIMIT: Final = "over_limit"
MOST_NAMES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What is known when a call is judged.

    Attributes:
        confidence: probability that this is what the user wants; None when nobody said.
        spent_usd: what the turn has cost, models and tools.
        sources: what the module has read.
        suspicious: tools whose results look like instructions to the model.
        made: how often the turn has asked for each effect already, by tool.
    """

    confidence: float | None = None
    spent_usd: float = 0.0
    sources: Sources = field(default_factory=Sources)
    suspicious: Sequence[str] = ()
    made: dict[str, int] = field(default_factory=dict)


def reasons_to_ask(
    checked: CheckedCall, grounds: Grounds, settings: EscalationSettings
) -> tuple[str, ...]:
    """Why a person is asked before the effect runs; empty when nobody has to be.

    Each reason is a name, some with what they are about behind a colon; no argument's value is in
    them.
    """
    spec = checked.spec
    found = []
    if spec.approval:
        found.append(IRREVERSIBLE if spec.effect == "irreversible" else RULE)
    if _is_unsure(grounds.confidence, settings):
        said = "none stated" if grounds.confidence is None else f"{grounds.confidence:.2f}"
        found.append(f"{CONFIDENCE}: {said}, below {settings.min_confidence:g}")
    budget, cost = settings.auto_budget_usd, grounds.spent_usd + spec.cost_usd
    if budget is not None and cost > budget:
        found.append(f"{COST}: ${cost:.2f} in this turn, over ${budget:g}")
    if spec.max_calls is not None and grounds.made.get(spec.name, 0) >= spec.max_calls:
        found.append(f"{LIMIT}: {spec.max_calls} calls in a turn")
    if settings.taint != "off":
        found.extend(_taints(checked, grounds, settings))
    return tuple(found)


def _is_unsure(confidence: float | None, settings: EscalationSettings) -> bool:
    if settings.min_confidence == 0:
        return False
    if confidence is None:
        return settings.unknown_confidence == "ask"
    return confidence < settings.min_confidence


def _taints(checked: CheckedCall, grounds: Grounds, settings: EscalationSettings) -> list[str]:
    found = []
    tainted = tainted_arguments(checked.values, grounds.sources)
    if tainted:
        names = ", ".join(dict.fromkeys(one.name for one in tainted[:MOST_NAMES]))
        origins = ", ".join(dict.fromkeys(one.origin for one in tainted if one.origin))
        where = f" from {origins}" if origins else " not in the user's words"
        said = f"{names}{where}" if names != "*" else "nothing in the call is the user's"
        found.append(f"{TAINT}: {said}")
    elif settings.taint == "any" and grounds.sources.outside:
        found.append(f"{TAINT}: text from outside was read")
    if grounds.suspicious:
        found.append(f"{INJECTION}: {', '.join(dict.fromkeys(grounds.suspicious))}")
    return found
