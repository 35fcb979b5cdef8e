"""Slips of the pen: a letter left out, doubled, exchanged with its neighbour, or a wrong one."""

from typing import Final

LONG: Final = 6
"""Letters of a word in which one wrong letter hardly makes another word."""


def one_slip(wrong: str, right: str) -> bool:
    """Whether one slip lies between the words; the first letter is seldom wrong."""
    if wrong[:1] != right[:1] or abs(len(wrong) - len(right)) > 1:
        return False
    if wrong.startswith(right):
        return False  # later is another word than late
    if len(wrong) != len(right):
        return _one_missing(*sorted((wrong, right), key=len))
    apart = [at for at, (a, b) in enumerate(zip(wrong, right, strict=True)) if a != b]
    if len(apart) == 1:
        return len(right) >= LONG
    swapped = len(apart) == 2 and apart[1] == apart[0] + 1
    return swapped and wrong[apart[0]] == right[apart[1]] and wrong[apart[1]] == right[apart[0]]


def _one_missing(short: str, long: str) -> bool:
    at = next((n for n, letter in enumerate(short) if letter != long[n]), len(short))
    return short[at:] == long[at + 1 :]
