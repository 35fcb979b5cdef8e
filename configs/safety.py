"""Settings of when a person is asked, and of how text from outside is treated."""

from typing import Literal

from pydantic import Field

from configs.sections import Section


class EscalationSettings(Section):
    """When an effect that needs no approval by itself waits for a person all the same.

    Effects with `approval: true` always wait. These rules concern the others.
    """

    min_confidence: float = Field(
        default=0.4, ge=0, le=1, description="tau: below it a person is asked; 0 switches it off"
    )
    unknown_confidence: Literal["ask", "run"] = Field(
        default="ask", description="what a call without a stated confidence counts as"
    )
    auto_budget_usd: float | None = Field(
        default=1.0, ge=0, description="of a turn, models and tools; above it a person is asked"
    )
    taint: Literal["arguments", "any", "off"] = Field(
        default="arguments",
        description="after text from outside was read, a person is asked about arguments that are "
        "not the user's; `any`: about every effect",
    )


class SafetySettings(Section):
    """How text from tools and documents is shown to models."""

    quote_results: bool = Field(default=True, description="wrap untrusted results as data")
    scan_results: bool = Field(default=True, description="look for instructions in them")
    suspicion: float = Field(
        default=0.5, gt=0, lt=1, description="score from which text is flagged"
    )
    scanner: str | None = Field(
        default=None,
        description="file.py:function that gives a model to judge passages beside the patterns",
    )
