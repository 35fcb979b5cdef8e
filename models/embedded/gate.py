"""Whether an effect may be proposed: only what the user wishes, with values that are his own.

It is the embedded default's part of the one gate before an effect, the condition *intent*. A person
still approves what cannot be undone.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from models.embedded.acts import Reading
from models.embedded.chooser import Choice
from models.embedded.grammar import AFFIRMED, ASKS, DENIED, REFUSED, SUPPOSED, withdrawn
from models.embedded.mentions import mentions, with_digits
from models.embedded.scene import Scene, is_effect
from models.embedded.slots import Filling
from models.parameters import Parameter
from text.words import content_stems

Read = Callable[[str], Reading]
WISHED: Final = 0.5
OFFER: Final = "Shall I"
ANSWERED: Final = 0.25
"""How likely the answer to a question must be read as a wish."""
AN_EXAMPLE: Final = 0.8
"""Cosine to an example of the tool from which on a request says the same."""
SURE_ENOUGH: Final = 0.2
"""Below this confidence an effect is not proposed but asked about."""
UNFAMILIAR: Final = 0.39
"""At most so sure is an effect whose request is like no example: by default a person is asked."""
UNEXPLAINED: Final = 0.8
"""What each word is worth that neither the tool nor its values account for, after the first."""
_NUMBERS: Final = re.compile(r"\d+")
REPORTED: Final = 0.15
"""How likely a report must be read as a wish where its tool's own examples are such reports."""
LIKE_AN_EXAMPLE: Final = 0.75


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to propose an effect; where not, what to say.

    Attributes:
        reason: empty where it may be proposed.
        asks: whether the reason is a question to the user.
    """

    reason: str = ""
    asks: bool = True

    @property
    def open(self) -> bool:
        """Whether it may be proposed."""
        return not self.reason


def intent(
    text: str, choice: Choice, scene: Scene, *, amends: bool = False, read: Read | None = None
) -> Verdict:
    """Whether a request is a wish for its effect: no negation, no question, no hypothesis.

    Args:
        text: the request.
        choice: the tool it is for, with what the act reader says of it.
        scene: what stands before it.
        amends: whether it changes the effect made just before.
        read: reads what stands before a denial, which may be a wish of its own.
    """
    deed = choice.tool.name.replace("_", " ")
    if withdrawn(text) or REFUSED.match(text) or _denied(text, read):
        return Verdict(f"All right, I have not done it: {deed}.", asks=False)
    if SUPPOSED.search(text):
        return Verdict(f"I have changed nothing. {OFFER} {deed}? Then say so.")
    reading = choice.reading
    if amends or (scene.asked and reading.acts["change"] >= ANSWERED):
        return Verdict()
    if _is_wish(choice, asks=bool(ASKS.match(text)) and text.rstrip().endswith("?")):
        return Verdict()
    return Verdict(
        f"I have changed nothing. {OFFER} {deed}? Then say so, with the record you mean."
    )


def _denied(text: str, read: Read | None) -> bool:
    """Whether a text denies its deed; "book it, but don't tell them" does not."""
    found = DENIED.search(text)
    if found is None:
        return False
    before = text[: found.start()].strip()
    return read is None or not before or read(before).acts["change"] < WISHED


def wish(choice: Choice) -> float:
    """How likely a request is a wish for its effect; what says an example again surely is."""
    return 1.0 if choice.near >= AN_EXAMPLE else choice.reading.acts["change"]


def confidence(choice: Choice, filling: Filling) -> float:
    """How likely an effect is what the user wants: by its wish, its tool and its values.

    Cubed, for the product is too sure of itself: on the desks for development 9 of the 22
    proposals between .2 and .7 were what was asked.
    """
    return (choice.sure * wish(choice) * filling.sure) ** 3


def stated(
    sure: float, text: str, choice: Choice, own: Sequence[Parameter], filling: Filling
) -> float:
    """The confidence that an effect is proposed with, which decides whether a person is asked.

    A word that neither the tool nor its values account for may be a value that was not read.
    """
    tool = choice.tool
    known = {stem for one in (tool.description, *tool.examples) for stem in content_stems(one)}
    known |= {stem for one in own for stem in one.words}
    known |= {stem for value in filling.args.values() for stem in content_stems(str(value))}
    spoken = (word for word in content_stems(text) if word.isalpha() and word not in known)
    sure *= UNEXPLAINED ** max(0, len(set(spoken)) - 1)
    return sure if choice.near >= AN_EXAMPLE else min(sure, UNFAMILIAR)


def confirms(scene: Scene) -> bool:
    """Whether the user says yes to what the turn before offered to do."""
    offered = scene.asked and OFFER in scene.history[-1]["answer"]
    return offered and AFFIRMED.match(scene.user) is not None


def _is_wish(choice: Choice, *, asks: bool) -> bool:
    change = wish(choice)
    if asks:
        return change >= LIKE_AN_EXAMPLE
    return change >= WISHED or (change >= REPORTED and choice.sure >= LIKE_AN_EXAMPLE)


def unfounded(
    parameters: Sequence[Parameter],
    filling: Filling,
    texts: Sequence[str],
    derived: Mapping[str, Any],
) -> Parameter | None:
    """The first parameter whose id or sum is neither the user's own nor picked out.

    Args:
        parameters: the tool's.
        filling: its values with their origins.
        texts: the user's own words, this turn's and earlier ones.
        derived: sums worked out of a record by a part that the user named.
    """
    plain = [with_digits(text) for text in texts]
    heard = [one for text in plain for one in mentions(text)]
    said = {float(one.value) for one in heard}
    parts = {round(float(one.value) * 100, 6) for one in heard if one.measure == "part"}
    for one in parameters:
        value, origin = filling.args.get(one.name), filling.origins.get(one.name)
        known = origin in ("lesson", "earlier") or one.name in derived
        if one.kind in ("amount", "share") and value is not None and not known:
            allowed = said | parts if one.kind == "share" else said
            if not any(abs(each - float(value)) < 1e-6 for each in allowed):
                return one
        if one.kind == "id" and filling.origins.get(one.name) == "said" and one.shape is not None:
            keys = value if isinstance(value, list) else [value]
            digits = [str(key).removeprefix(one.shape.prefix) for key in keys]
            found = {number for text in plain for number in _NUMBERS.findall(text)}
            if not found.issuperset(digits):
                return one
    return None


def done_before(tool: str, args: Mapping[str, Any], scene: Scene) -> bool:
    """Whether this very call was carried out in this thread, and nothing was changed since."""
    for call in scene.calls():
        if is_effect(call) and call["status"] == "ok":
            given = {name: value for name, value in call["args"].items() if value not in (None, "")}
            plain = {name: value for name, value in args.items() if value not in (None, "")}
            keys = {one for one in (*given, *plain) if one not in ("reason", "note", "text")}
            return call["name"] == tool and all(given.get(one) == plain.get(one) for one in keys)
    return False
