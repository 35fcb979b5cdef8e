"""Whether what a tool returned went into the answer: by numbers, ids and names that both hold."""

import re
from typing import Final

from memory.fulltext import STOP_WORDS, fold

LONGEST_CHARS: Final = 200_000
_NUMBER: Final = re.compile(r"[A-Za-z]*[-_#]?\d(?:[\w.,:/-]*\w)?")
_NAME: Final = re.compile(r"(?<![.!?:*\n] )(?<=[ \"'(\[])[A-Z][\w'-]{2,}(?:\s+[A-Z][\w'-]+)*")
"""A capitalised word that does not begin a sentence or a line."""


def feeds(result: str, answer: str, asked: str) -> bool:
    """Whether a number, id or name of the answer comes from a tool's result.

    What the user had said does not count, however often the tool repeats it.

    Args:
        result: what the tool returned.
        answer: what the user was told.
        asked: what had been said before.
    """
    found, known = telling(result[:LONGEST_CHARS]), telling(asked[:LONGEST_CHARS])
    return bool((telling(answer[:LONGEST_CHARS]) & found) - known)


def telling(text: str) -> set[str]:
    """A text's numbers, ids and names, folded; a number is the same with and without commas."""
    found = [match.group() for kind in (_NUMBER, _NAME) for match in kind.finditer(text)]
    plain = (re.sub(r"(?<=\d),(?=\d{3})", "", fold(one)).strip(".,:/-_#'") for one in found)
    return {one for one in plain if one and one not in STOP_WORDS}
