"""What is known of a user as one typed object, for the module that asks."""

from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from configs.clock import REAL_CLOCK, ClockSettings
from memory.fact_history import Fact, held_since
from memory.slots import Slot


class Stated(BaseModel):
    """A value that holds, and since when; of an event its day."""

    model_config = ConfigDict(frozen=True)

    value: str
    since: date


class UserProfile(BaseModel):
    """The base of all profiles: a field a slot, one value for a single slot, else a list."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@cache
def profile_type(slots: tuple[Slot, ...]) -> type[UserProfile]:
    """The profile that some declared slots make."""
    fields: dict[str, Any] = {}
    for slot in slots:
        if slot.cardinality == "single":
            fields[slot.name] = (Stated | None, Field(default=None, description=slot.description))
        else:
            fields[slot.name] = (
                tuple[Stated, ...],
                Field(default=(), description=slot.description),
            )
    return create_model("Profile", __base__=UserProfile, **fields)


def profile_of(
    slots: Sequence[Slot],
    facts: Sequence[Fact],
    module: str = "",
    calendar: ClockSettings = REAL_CLOCK,
) -> UserProfile:
    """The current facts as a profile; slots that are not for the module are no fields of it.

    Args:
        slots: All declared slots.
        facts: Of one scope.
        module: An expert's name; empty for a view of everything.
        calendar: Dates when they were said.
    """
    shown = tuple(
        slot for slot in slots if not module or not slot.modules or module in slot.modules
    )
    values: dict[str, Any] = {}
    for slot in shown:
        known = [
            Stated(value=fact.value, since=held_since(fact, calendar))
            for fact in facts
            if fact.slot == slot.name and fact.is_current
        ]
        if known:
            # Of a team's and another team's value the newer is shown.
            latest = max(known, key=lambda one: one.since)
            values[slot.name] = latest if slot.cardinality == "single" else tuple(known)
    return profile_type(shown)(**values)
