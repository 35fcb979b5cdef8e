"""Settings of the work that follows a turn in the background."""

from typing import Literal

from pydantic import Field

from configs.sections import Section


class HippocampusSettings(Section):
    """When conversation is turned into memory, how often it is tried, and who goes first."""

    pause_s: float = Field(
        default=30, ge=0, description="a thread at rest for so long is consolidated"
    )
    pause_ceiling_s: float = Field(
        default=600, ge=0, description="and one that never rests after so long"
    )
    max_tries: int = Field(default=8, gt=0, description="before a job waits for a person")
    first_retry_s: float = Field(default=10, gt=0, description="doubled at each try")
    longest_retry_s: float = Field(default=3600, gt=0)
    concurrency: int = Field(default=1, gt=0, description="jobs of a kind at a time in a process")
    drain_s: float = Field(default=10, ge=0, description="for what is left when a desk closes")
    facts: Literal["auto", "embedded", "model"] = Field(
        default="auto",
        description="who reads what users state of themselves: the embedded reader, or a call of "
        "the role `extractor` after each turn; auto: the role where it is a chat model and "
        "profile.yaml has a slot that the embedded reader does not know",
    )
    give_way_s: float = Field(
        default=5, ge=0, description="at most so long a step waits for the turns of users"
    )
