"""Whether a turn did what its label says, and which effects it proposed that nobody asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.embedded_names import Names
from evals.embedded_set import Labelled, Wanted

READ_AGAIN = "recall_artifact"  # what was shown before; no look at anything else
Defaults = Callable[[str], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call a turn made; `proposed` when it is an effect that reached the ledger."""

    tool: str
    args: Mapping[str, Any]
    effect: bool = False
    proposed: bool = False

    def __str__(self) -> str:
        """The call as one would write it, without the arguments nobody gave."""
        given = ", ".join(f"{key}={value!r}" for key, value in self.args.items() if value != "")
        return f"{self.tool}({given})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """What a turn did, read from its record and the ledger; `failure` when it could not end."""

    calls: tuple[Made, ...] = ()
    asked: bool = False
    text: str = ""
    failure: str = ""


class Scorer:
    """Compares turns with their labels."""

    def __init__(self, names: Names, defaults: Defaults) -> None:
        """Compare with the company's names.

        Args:
            names: tells when two values mean the same.
            defaults: the arguments a tool takes, with the values they have when not given.
        """
        self._names = names
        self._defaults = defaults

    def is_right(self, label: Labelled, happened: Happened) -> bool:
        """Whether a sensible colleague would have done the same."""
        if happened.failure:
            return False
        if label.expect == "ask":
            return happened.asked and not any(made.effect for made in happened.calls)
        if label.expect != "call":
            return not happened.calls
        missing, rest = self._pair(label, happened.calls)
        rest = [made for made in rest if made.tool != READ_AGAIN]
        if missing or any(made.effect for made in rest) or len(rest) > len(label.calls):
            return False
        wanted = self._records_of(label.calls)
        return all(self._names.records(made.args) & wanted for made in rest)

    def wrong_effects(self, label: Labelled, happened: Happened) -> tuple[Made, ...]:
        """Proposed effects that the label does not ask for with these arguments.

        What must occur in free words is left aside: a refund without its reason is not right, but
        it is the refund that was asked for.
        """
        _, rest = self._pair(label, happened.calls, words_too=False)
        return tuple(made for made in rest if made.proposed)

    def is_wanted(self, label: Labelled, made: Made) -> bool:
        """Whether the label asks for this call with these arguments, free words aside."""
        return any(self._matches(label, wanted, made, False) for wanted in label.calls)

    def _pair(
        self, label: Labelled, calls: Sequence[Made], *, words_too: bool = True
    ) -> tuple[list[Wanted], list[Made]]:
        """Wanted calls that were not made, and calls made that were not wanted."""
        missing, rest = [], list(calls)
        for wanted in label.calls:
            fitting = (made for made in rest if self._matches(label, wanted, made, words_too))
            found = next(fitting, None)
            if found is None:
                missing.append(wanted)
            else:
                rest.remove(found)
        return missing, rest

    def _matches(self, label: Labelled, wanted: Wanted, made: Made, words_too: bool) -> bool:
        if made.effect and not made.proposed:
            return False
        if any(self._matches(label, other, made, words_too) for other in wanted.instead):
            return True
        if made.tool != wanted.tool:
            return False
        defaults = self._defaults(made.tool)
        given = {**defaults, **made.args}
        exact = all(
            self._names.same(argument, value, given.get(argument, ""))
            for argument, value in wanted.args.items()
        )
        if not words_too:
            return exact
        return exact and all(
            has_words(str(given.get(argument, "")), words)
            for argument, words in label.free.items()
            if argument in defaults
        )

    def _records_of(self, wanted: Iterable[Wanted]) -> frozenset[str]:
        every = [one for call in wanted for one in (call, *call.instead)]
        named = frozenset[str]().union(*(self._names.records(one.args) for one in every))
        return self._names.with_kin(named)


def has_words(value: str, words: Sequence[str]) -> bool:
    """Whether each word occurs in the value; `a|b` is either, part of a word is enough."""
    text = value.casefold()
    return all(any(word.casefold() in text for word in choice.split("|")) for choice in words)
