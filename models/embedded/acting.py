"""What a text does where it stands in the conversation, as far as that is read."""

from collections.abc import Collection
from typing import Final

from models.embedded.acts import Reading
from models.embedded.chooser import Chooser
from models.embedded.completing import hesitates
from models.embedded.continuing import TOLD
from models.embedded.demand import names_deed, speculates
from models.embedded.doubting import retracted
from models.embedded.placing import done_before, said_before
from models.embedded.scene import Scene

SURE_TALK: Final = 0.7
NO_LOOK: Final = 0.1


def reading_of(text: str, scene: Scene, chooser: Chooser) -> Reading | None:
    """What a text does after the turn before; None where acts are not read."""
    return chooser.read(text, said_before(scene), done_before(scene))


def only_talks(text: str, scene: Scene, chooser: Chooser) -> bool:
    """Whether a text surely tells or acknowledges something and asks for nothing."""
    reading = reading_of(text, scene, chooser)
    return reading is not None and reading.acts["talk"] >= SURE_TALK


def may_look(text: str, scene: Scene, chooser: Chooser) -> bool:
    """Whether a text may ask for something out of the records."""
    reading = reading_of(text, scene, chooser)
    return reading is None or reading.acts["records"] >= NO_LOOK


def may_want(text: str, deeds: Collection[str]) -> bool:
    """Whether nothing in a text speaks against a deed that it is read as wanting.

    Where the deed is named, the words that demand it decide: "INV-1042 was refunded".
    """
    told = speculates(text) or TOLD.search(text) is not None
    return not (told or names_deed(text, deeds) or retracted(text) or hesitates(text))


def changes_nothing(text: str, scene: Scene, chooser: Chooser) -> bool:
    """Whether a text surely wants no change, whatever its words demand."""
    reading = reading_of(text, scene, chooser)
    return reading is not None and reading.vetoes_change
