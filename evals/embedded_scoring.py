"""Whether a turn did what its label says, and which effects it proposed that nobody asked for."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from evals.embedded_set import Labelled, Wanted

HALF_A_CENT: Final = 0.005
NOTHING: Final = (None, "")
Defaults = Callable[[str], Mapping[str, Any]]
Same = Callable[[str, object, object], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call that a turn made.

    Attributes:
        effect: it changes something.
        proposed: an effect that reached the ledger.
        unasked: an effect that was performed and that nobody was asked about.
    """

    tool: str
    args: Mapping[str, Any]
    effect: bool = False
    proposed: bool = False
    unasked: bool = False

    def __str__(self) -> str:
        """The call as one would write it, without the arguments nobody gave."""
        given = ", ".join(
            f"{key}={value!r}" for key, value in self.args.items() if value not in NOTHING
        )
        return f"{self.tool}({given})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """What a turn did, read from its record and the ledger; `failure` when it could not end."""

    calls: tuple[Made, ...] = ()
    asked: bool = False
    text: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How a turn did.

    Attributes:
        tool_right: every tool that was wanted was called, whatever the arguments.
        right: with the right arguments and without an effect that was not wanted; where no call
            is wanted, none was made (asking back may look things up).
        asked: the turn ended with a question to the user.
        wrong_effects: effects that were proposed and not wanted.
    """

    tool_right: bool
    right: bool
    asked: bool = False
    wrong_effects: tuple[Made, ...] = ()

    @property
    def performed_unasked(self) -> int:
        """How many of the wrong effects were performed without a question."""
        return sum(made.unasked for made in self.wrong_effects)


class Scorer:
    """Compares turns with their labels."""

    def __init__(
        self, defaults: Defaults, free: Set[str] = frozenset(), same: Same | None = None
    ) -> None:
        """Compare with the tools of a desk.

        Args:
            defaults: the arguments a tool takes, with the values they have when not given.
            free: arguments in the user's words; one the label says nothing of may hold any.
            same: tells when two values of an argument mean the same.
        """
        self._defaults = defaults
        self._free = free
        self._same = same or (lambda _, wanted, came: same_value(wanted, came))

    def score(self, label: Labelled, happened: Happened) -> Score:
        """How the turn did what a sensible colleague would have done."""
        wrong = self.wrong_effects(label, happened)
        tool_right = not happened.failure and not _missing(label, happened.calls, _is_named)
        return Score(
            tool_right=tool_right,
            right=not (happened.failure or wrong) and self._is_right(label, happened),
            asked=happened.asked,
            wrong_effects=wrong,
        )

    def wrong_effects(self, label: Labelled, happened: Happened) -> tuple[Made, ...]:
        """Proposed effects that the label does not ask for with these arguments.

        What must occur in free words is left aside: a refund without its reason is not right, but
        it is the refund that was asked for.
        """
        proposed = [made for made in happened.calls if made.proposed]
        fits = partial(self._fits, label, words_too=False)
        return tuple(_pair(label.calls, proposed, fits)[1])

    def is_wanted(self, label: Labelled, made: Made) -> bool:
        """Whether the label asks for this call with these arguments, free words aside."""
        every = (one for wanted in label.calls for one in wanted.choices)
        return any(self._fits(label, one, made, words_too=False) for one in every)

    def _is_right(self, label: Labelled, happened: Happened) -> bool:
        if label.expect == "call":
            return not _missing(label, happened.calls, partial(self._fits, label))
        return label.expect == "ask" or not happened.calls

    def _fits(self, label: Labelled, wanted: Wanted, made: Made, *, words_too: bool = True) -> bool:
        """Whether a call is the wanted one; an argument not in the label has its default."""
        if made.tool != wanted.tool or (made.effect and not made.proposed):
            return False
        defaults = self._defaults(made.tool)
        given = {**defaults, **made.args}
        expected = {**defaults, **wanted.args}
        exact = all(
            self._same(name, expected.get(name), value)
            for name, value in given.items()
            if name in wanted.args or name not in self._free
        )
        return exact and (
            not words_too
            or all(
                has_words(str(given[name]), words)
                for name, words in label.free.items()
                if name in given and name not in wanted.args
            )
        )


def _is_named(wanted: Wanted, made: Made) -> bool:
    return made.tool == wanted.tool


def _missing(
    label: Labelled, calls: Sequence[Made], fits: Callable[[Wanted, Made], bool]
) -> list[Wanted]:
    return _pair(label.calls, calls, fits)[0]


def _pair(
    wanted: Sequence[Wanted], calls: Sequence[Made], fits: Callable[[Wanted, Made], bool]
) -> tuple[list[Wanted], list[Made]]:
    """Wanted calls that were not made, and calls that were not wanted; each counts once.

    The calls that labels name first are looked for before those that would answer as well.
    """
    missing, rest = list(wanted), list(calls)
    for choices in (lambda one: (one,), lambda one: one.instead):
        for one in list(missing):
            fitting = (made for made in rest if any(fits(choice, made) for choice in choices(one)))
            found = next(fitting, None)
            if found is not None:
                missing.remove(one)
                rest.remove(found)
    return missing, rest


def same_value(wanted: object, came: object) -> bool:
    """Whether two values are the same: numbers as numbers, lists as sets, text without case."""
    if wanted in NOTHING or came in NOTHING:
        return wanted in NOTHING and came in NOTHING
    if isinstance(wanted, bool) or isinstance(came, bool):
        return wanted is came
    if isinstance(wanted, int | float) or isinstance(came, int | float):
        return _same_number(wanted, came)
    if isinstance(wanted, list | tuple) and isinstance(came, list | tuple):
        return all(_has(came, one) for one in wanted) and all(_has(wanted, one) for one in came)
    if isinstance(wanted, Mapping) and isinstance(came, Mapping):
        names = wanted.keys() | came.keys()
        return all(same_value(wanted.get(name), came.get(name)) for name in names)
    return _plain(wanted) == _plain(came)


def has_words(value: str, words: Sequence[str]) -> bool:
    """Whether each word occurs in the value; `a|b` is either, part of a word is enough."""
    text = value.casefold()
    return all(any(word.casefold() in text for word in choice.split("|")) for choice in words)


def _has(values: Sequence[object], wanted: object) -> bool:
    return any(same_value(wanted, one) for one in values)


def _same_number(wanted: object, came: object) -> bool:
    try:
        return abs(float(str(wanted)) - float(str(came))) < HALF_A_CENT
    except ValueError:
        return False


def _plain(value: object) -> str:
    return " ".join(str(value).split()).casefold()
