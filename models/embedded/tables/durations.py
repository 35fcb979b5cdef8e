"""How long something takes: the days between two dates of a row."""

import re
from typing import Final

from models.embedded.tables.composing import Composing
from models.embedded.tables.schema import Named

_LASTS: Final = re.compile(
    r"\bhow (?:long|many days|much time)\b|\b(?:days?|time) (?:between|from)\b|\bdays? it takes\b",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r"\b(?:from|between|after|and|to|until|till)\b", re.IGNORECASE)


class Durations(Composing):
    """Reads which two days of a row a question sets apart."""

    def elapsed(self) -> tuple[str, str] | None:
        """The table, and the days between two of its dates as SQL; None if none are asked for."""
        text = self.question.text
        if not (_LASTS.search(text) and _BETWEEN.search(text)):
            return None
        dates = [self._dates(one.columns) for one in self.question.mentions]
        dates = [found for found in dates if found]
        if len(dates) != 2:
            return None
        for table, first in dates[0]:
            second = next((column for other, column in dates[1] if other == table), "")
            if second and second != first:
                return table, f"julianday({table}.{second}) - julianday({table}.{first})"
        return None

    def _dates(self, columns: tuple[Named, ...]) -> list[Named]:
        return [one for one in columns if one[1].endswith("_on")]
