"""Ranks of jobs: who is promoted has another job, however alike the two are called."""

import re
from typing import Final

from memory.normalising import normalise

_KIN: Final = 5
"""Letters that two words of one trade begin with."""
_LEADS: Final = re.compile(
    r"\b(?:head\w*|lead\w*|chief|manag\w+|manger|supervis\w+|boss|vp|vice president|foreman"
    r"|runs?|running|oversee\w*|in charge|direct\w*|chair\w*"
    r"|\w*leit(?:er|erin|ung)|\w*leder|chef\w*|\w+chef|\w+sjef|jef[ea]|responsab\w+|dire[ckt]\w+"
    r"|kierowni\w+|capo|gerente|dyrektor\w*|vedouc\w+|hoofd|mudur\w*|dirige\w*|dirijo|leite\w*|verantwort\w+)\b"
)
_GRADES: Final = {
    word: words.split()[0]
    for words in (
        "senior sr", "junior jr", "deputy vice stellvertretend stellv", "assistant",
        "trainee intern apprentice", "interim acting", "principal",
    )
    for word in words.split()
}  # fmt: skip


def other_rank(one: str, other: str) -> bool:
    """Whether two jobs of one trade differ in rank: an analyst and the head of analytics do."""
    first, second = normalise(one), normalise(other)
    return _are_kin(first, second) and _rank(first) != _rank(second)


def _are_kin(one: str, other: str) -> bool:
    first, second = (
        {word[:_KIN] for word in re.findall(r"[^\W\d_]+", text) if len(word) >= _KIN}
        for text in (one, other)
    )
    return bool(first & second)


def _rank(job: str) -> tuple[bool, frozenset[str]]:
    found = _LEADS.sub(" ", job)
    grades = frozenset(_GRADES[word] for word in found.split() if word in _GRADES)
    return found != job, grades
