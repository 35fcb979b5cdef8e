"""One request for one tool, and which of its sums the deed is about."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from models.embedded.patterns import Amount
from models.embedded.scene import Scene
from models.embedded.words import stem, words


@dataclass(frozen=True, slots=True)
class Request:
    """One request for one tool, with all that its arguments may be read from.

    Attributes:
        text: the request.
        before: earlier requests of the same message, for "it".
        deeds: words that name the tool's effect, which are no reason.
        titles: known titles of documents.
        known_words: the app's own vocabulary, which holds no names.
        base_months: months of the last report, for "the month before".
    """

    text: str
    scene: Scene
    today: date
    before: str = ""
    deeds: Collection[str] = ()
    titles: Sequence[str] = ()
    known_words: Collection[str] = ()
    base_months: Sequence[str] = ()


def led_by_deed(values: Sequence[Amount], request: Request) -> list[Amount]:
    """The one number of several that follows the deed: "refund 20 … for 2 seats"."""
    led = [
        one
        for one in values
        if {stem(word) for word in words(request.text[: one.start])[-2:]} & {*request.deeds, "of"}
    ]
    return led[:1] if len(led) == 1 else list(values)
