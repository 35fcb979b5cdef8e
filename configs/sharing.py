"""Settings of what users share with each other."""

import re
from typing import Self

from pydantic import Field, model_validator

from configs.sections import Section


class SharingSettings(Section):
    """What is taken out of an episode before others may read it, and which are shared by rule."""

    patterns: dict[str, str] = Field(
        default_factory=dict, description="regular expressions by name, beside the shipped ones"
    )
    entities: tuple[str, ...] = Field(
        default=("PERSON",), description="spaCy's types of names that are taken out"
    )
    promote_to: str | None = Field(
        default=None,
        pattern=r"^(?:organisation|team:\S+)$",
        description="who may read what was successful, without a person saying so; None: nobody",
    )
    least_successes: int = Field(
        default=2, gt=0, description="thumbs up, and lessons kept with success, before that"
    )

    @model_validator(mode="after")
    def _compile(self) -> Self:
        for name, pattern in self.patterns.items():
            try:
                re.compile(pattern)
            except re.error as error:
                message = f"a regular expression for {name} ({error})"
                raise ValueError(message) from error
        return self
