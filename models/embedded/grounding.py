"""Whether the values of a call come from somewhere: an effect is never built on a guess.

Every id, amount and date must occur in the user's text, in a result or the shared history, or in a
recalled constraint; what was worked out from such a value is handed in as derived.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from models.embedded.patterns import identifiers, number
from models.embedded.words import words

_NUMBERS: Final = re.compile(r"\d+(?:[.,' ]\d{3})*(?:[.,]\d{1,2})?(?!\d)|\d+")


def ungrounded(
    args: Mapping[str, Any], said: Sequence[str], derived: Collection[str] = ()
) -> list[str]:
    """Names of the arguments with a value that occurs nowhere.

    Args:
        args: a call's arguments.
        said: texts that a value may come from.
        derived: values worked out from said ones, as text.
    """
    text = "\n".join(said)
    folded = " ".join(text.casefold().split())
    numbers = {value for match in _NUMBERS.finditer(text) if (value := number(match[0]))}
    ids = {found.text for found in identifiers(text, _kinds(args))}
    return [
        name
        for name, value in args.items()
        if not all(
            str(leaf) in derived or _occurs(leaf, folded, numbers, ids) for leaf in _leaves(value)
        )
    ]


def _kinds(args: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(
        found.kind
        for value in args.values()
        for leaf in _leaves(value)
        for found in identifiers(str(leaf).upper())
    )


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _occurs(value: object, folded: str, numbers: Collection[Decimal], ids: Collection[str]) -> bool:
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return Decimal(str(value)) in numbers
    text = str(value)
    named = identifiers(text.upper())
    if named and len(named[0].text) == len(text.strip()):
        bare = number(named[0].text.rpartition("-")[2])
        return named[0].text in ids or bare in numbers  # "2083" names ORD-2083
    plain = " ".join(text.casefold().split())
    return plain in folded or set(words(plain)) <= set(words(folded))
