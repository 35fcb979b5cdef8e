"""The conditions of a query, from what a question says: times, figures, states, what is missing."""

import re
from collections.abc import Sequence
from typing import Final

from models.embedded.tables.nesting import Clauses, quoted
from models.embedded.tables.phrasing import column_of, role
from models.embedded.tables.questions import Figure
from models.embedded.tables.schema import Mention, Named
from models.embedded.tables.timing import Timing

_EVER: Final = re.compile(
    r"\b(?:so far|ever|to date|until now|up to now|altogether)\b", re.IGNORECASE
)
_ENDED: Final = ("cancelled_on", "voided_on", "churned_on")
_YET: Final = re.compile(r"\b(?:yet|still|so far|until now)\b", re.IGNORECASE)
_HAS: Final = re.compile(r"\b(?:with|have|has|having|got) an?\s*$")
_BESIDE: Final = re.compile(r"[\s:='\"-]*(?:is |are |of |was )?[\s:='\"-]*")


class ClauseReader(Timing):
    """Reads the conditions of one question over one base table."""

    def read(self, skip: Sequence[Mention] = ()) -> Clauses:
        """All conditions; `failed` when one fits no table.

        Args:
            skip: mentions that are measured, grouped by or listed.
        """
        self.found.taken += skip
        self._times()
        self._sizes()
        self._values()
        for mention in self.question.mentions:
            if mention not in self.found.taken:
                self._rest(mention)
        for name, lead in self.question.names:
            self._name(name, lead)
        self._nest()
        return self.found

    def _sizes(self) -> None:
        for figure in self.question.figures:
            if not self._counted(figure) and not self._compared(figure):
                self.found.failed = True

    def _beside(self, figure: Figure) -> list[Mention]:
        """The mention that a figure is of: right behind it, else right before it."""
        text = self.question.text
        after = [
            one
            for one in self.question.mentions
            if one.start >= figure.end
            and re.fullmatch(r"[\s-]*(?:of )?", text[figure.end : one.start])
        ]
        before = [
            one
            for one in self.question.mentions
            if one.end <= figure.start
            and re.fullmatch(
                r"\s*(?:is|are|was|of|that|which|has|have|with|an?|\s)*\s*",
                text[one.end : figure.start],
            )
        ]
        return [*after[:1], *before[-1:]]

    def _compared(self, figure: Figure) -> bool:
        for mention in self._beside(figure):
            named = [one for one in mention.columns if one[1] in self.schema.tables[one[0]].figures]
            chosen = column_of(Mention(0, 0, columns=tuple(named)), self.found.base, self.schema)
            chosen = chosen or next((one for one in named if self._below(one[0])), None)
            if chosen:
                self.found.taken.append(mention)
                self._size(chosen, figure)
                return True
        before = [one for one in self._beside(figure) if one.end <= figure.start]
        if self.size and not self._beside(figure):
            self._size((self.found.base, self.size), figure)
            return True
        if not figure.money and not any(one.tables for one in before):
            return False
        tables = [
            name
            for one in reversed(self.question.mentions)
            for name in one.tables
            if one.end <= figure.start
        ]
        tables += [self.found.base]
        money = [
            (one, self.schema.tables[one].money[0])
            for one in tables
            if self.schema.tables[one].money
        ]
        if money:
            self._size(money[0], figure)
        return bool(money)

    def _size(self, named: Named, figure: Figure) -> None:
        size = figure.size * 100 if named[1].endswith("_cents") else figure.size
        self._put(*named, f"{{}} {figure.sign} {size.normalize():f}")

    def _counted(self, figure: Figure) -> bool:
        """A number of other rows: "customers with more than three orders"."""
        behind = [one for one in self.question.mentions if one.start >= figure.end]
        at = figure.end
        for mention in behind[:3]:
            if self.question.text[at : mention.start].strip(" -"):
                return False
            at = mention.end
            table = next((one for one in mention.tables if self._below(one)), "")
            if table:
                self.found.taken.append(mention)
                having = f"HAVING COUNT(*) {figure.sign} {figure.size}"
                self.found.inner.setdefault((table, True), []).insert(0, having)
                return True
        return False

    def _values(self) -> None:
        chosen = self._chosen()
        for (table, column, wanted), said in chosen.items():
            values = list(dict.fromkeys(said))
            if not wanted and not self.schema.climb(self.found.base, table):
                self._put(table, column, f"{{}} = {quoted(values[0])}", wanted=False)
                continue
            listed = ", ".join(map(quoted, values))
            same, among = ("=", "IN") if wanted else ("<>", "NOT IN")
            what = f"{same} {listed}" if len(values) == 1 else f"{among} ({listed})"
            self._put(table, column, f"{{}} {what}")

    def _chosen(self) -> dict[tuple[str, str, bool], list[str]]:
        """The values that are spoken of, by table, column, and whether they are wanted."""
        chosen: dict[tuple[str, str, bool], list[str]] = {}
        for mention in self.question.mentions:
            if mention in self.found.taken or not mention.values:
                continue
            how = role(self.question, mention)
            value = self._value(mention)
            if how == "kept":
                self.found.taken.append(mention)
                continue
            if value is None or self._ever(mention, value):
                continue
            if how in ("not", "lacks") and self._own(mention):
                continue
            self.found.taken += [mention, *self._called(mention, value)]
            wanted = how not in ("not", "except", "lacks")
            chosen.setdefault((*value[:2], wanted), []).append(value[2])
        return chosen

    def _ever(self, mention: Mention, value: tuple[str, str, str]) -> bool:
        """Whether a state was reached at any time: "shipped so far" are delivered ones too."""
        table, _, name = value
        day = f"{name}_on"
        reached = day in self.schema.tables[table].columns and not role(self.question, mention)
        if not reached or not _EVER.search(self.question.text):
            return False
        self.found.taken.append(mention)
        self._put(table, day, "{} IS NOT NULL")
        return True

    def _called(self, mention: Mention, value: tuple[str, str, str]) -> list[Mention]:
        """The word for the column beside a value: "the enterprise plan", "sku HW-KEY"."""
        text = self.question.text
        return [
            one
            for one in self.question.mentions
            if value[:2] in one.columns
            and one != mention
            and any(
                0 <= b - a <= 8 and _BESIDE.fullmatch(text[a:b])
                for a, b in ((one.end, mention.start), (mention.end, one.start))
            )
        ]

    def _own(self, mention: Mention) -> bool:
        """Whether a date tells it better: "not shipped" has no day on which it was."""
        dates = tuple(one for one in mention.columns if self._is_date(one))
        return column_of(Mention(0, 0, columns=dates), self.found.base, self.schema) is not None

    def _value(self, mention: Mention) -> tuple[str, str, str] | None:
        """The value of the nearest table; of another one only if that is spoken of."""
        ways = [
            (len(way), one)
            for one in mention.values
            if (way := self.schema.climb(self.found.base, one[0]))
        ]
        if ways:
            return min(ways)[1]
        spoken = {name for one in self.question.mentions for name in one.tables}
        spoken |= {
            named[0]
            for one in self.question.mentions
            for named in one.columns
            if self._is_date(named)
        }
        for one in mention.values:
            if one[1] == self.schema.tables[one[0]].key and self._below(one[0]):
                return one
            if self._below(one[0]) and any(
                self.schema.climb(name, one[0]) or self.schema.below(one[0], name)
                for name in spoken - {self.found.base}
            ):
                return one
        return None

    def _rest(self, mention: Mention) -> None:
        how = role(self.question, mention)
        wanted = how not in ("lacks", "not", "except")
        named = column_of(mention, self.found.base, self.schema)
        if named and not wanted:
            self.found.taken.append(mention)
            self._put(*named, "{} IS NULL")
            self._still_open(named)
            return
        if named and self.question.measure and _HAS.search(self.question.before(mention)):
            self.found.taken.append(mention)
            self._put(*named, "{} IS NOT NULL")
            return
        tables = [*mention.tables, *(one[0] for one in mention.columns if self._is_date(one))]
        if not wanted and (parent := self._parent(mention)):
            self.found.taken.append(mention)
            self.found.add(parent, f"{self.found.base}.{parent} IS NULL")
            return
        nested = next(
            (
                one
                for one in tables
                if self._below(one) and not self.schema.climb(self.found.base, one)
            ),
            "",
        )
        if (nested, False) in self.found.inner or (nested, True) in self.found.inner:
            self.found.taken.append(mention)
        elif nested and not named:
            self.found.taken.append(mention)
            self.found.inner.setdefault((nested, wanted), [])

    def _still_open(self, named: Named) -> None:
        """Leave out rows that were ended instead: what is not shipped yet was not cancelled."""
        table, column = named
        spoken = {one[:2] for mention in self.question.mentions for one in mention.columns}
        for ended in _ENDED:
            other = (table, ended)
            if column in _ENDED or other in spoken or not _YET.search(self.question.text):
                continue
            if ended in self.schema.tables[table].columns:
                self._put(*other, "{} IS NULL")

    def _parent(self, mention: Mention) -> str:
        base = self.found.base
        for one in mention.tables:
            way = self.schema.climb(base, one)
            if way and len(way) > 1:
                return self.schema.reference(base, way[1])
        return ""
