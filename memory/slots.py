"""The slots of semantic memory, declared in `profile.yaml`."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from configs.reading import check, key_path, read_mapping
from configs.sections import Section

SlotType = Literal["text", "name", "email", "place", "number", "date", "language", "format", "job"]
Cardinality = Literal["single", "many", "event"]


class Slot(Section):
    """One thing worth knowing about a user, a team or an organisation.

    `single` has one value at a time and a new one supersedes it, `many` collects values, `event`
    keeps each value with its date. The type says how values are compared: two wordings of a text
    may mean the same, a place or a language has names in other languages, a name is what it is.

    The scope says whom a statement is about, and who may read it: who makes it, the one team they
    are in, or everybody of the tenant. `modules` are the experts that read it; empty for all.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    type: SlotType = "text"
    cardinality: Cardinality
    description: str = Field(min_length=1)
    scope: Literal["user", "team", "organisation"] = "user"
    modules: tuple[str, ...] = ()


class Profile(Section):
    """The declared slots."""

    slots: tuple[Slot, ...] = ()


def load_slots(file: Path) -> tuple[Slot, ...]:
    """The slots that a `profile.yaml` declares; none if there is no such file.

    Raises:
        InvalidConfig: something in it is not a slot; names file, key, wanted and came.
    """
    if not file.exists():
        return ()
    return check(Profile, read_mapping(file), lambda at: (file, key_path(at))).slots
