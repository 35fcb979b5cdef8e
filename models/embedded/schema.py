"""The tables a query may read, as an expert's brief describes them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from configs.expert import ExpertConfig
from models.embedded.choices import status_forms
from models.embedded.countries import COUNTRIES
from models.embedded.frames import arguments_in
from models.embedded.scene import Scene
from models.embedded.words import stem, stems, words

_TABLE: Final = re.compile(r"\b([a-z_]+)\(((?:[a-z_]+, )+[a-z_]+)\)")
_VALUES: Final = re.compile(
    r"\b([a-z_]+)\.([a-z_]+) is ([a-z][a-z ]*(?:, [a-z ]+)*? or [a-z ]+?)(?=[.;])"
)
_OTHERS: Final[Mapping[str, str]] = {
    "customer": "client account company",
    "invoice": "bill",
    "order": "purchase",
    "refund": "reimbursement",
    "product": "article",
}
_DATES: Final = ("_on", "day", "_since")


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its columns and, for some of them, all values there are."""

    name: str
    columns: tuple[str, ...]
    values: Mapping[str, Sequence[str]]

    def is_named(self, said: Collection[str]) -> bool:
        """Whether stems name its rows: all words of its name, or a word that stands for it."""
        own = {stem(part) for part in self.name.split("_")}
        return own <= set(said) or bool((self.stems - own) & set(said))

    @property
    def stems(self) -> frozenset[str]:
        """Stems of the words that people use for its rows."""
        own = {stem(part) for part in self.name.split("_")}
        known = (said.split() for word, said in _OTHERS.items() if own == {stem(word)})
        others = [other for said in known for other in said]
        return frozenset(own | {stem(other) for other in others})

    @property
    def date(self) -> str:
        """The column that says when; empty if there is none."""
        return next((one for one in self.columns if one.endswith(_DATES)), "")

    def column(self, said: Sequence[str]) -> str:
        """The column that words name, all of its own words among them; empty if none."""
        found = [one for one in self.columns if set(stems(one.replace("_", " "))) <= set(said)]
        linked = [
            one
            for one in self.columns
            if one.endswith("_id") and stem(one.removesuffix("_id")) in said
        ]
        return next(iter([*found, *linked]), "")

    def numeric(self, said: Sequence[str]) -> str:
        """The column with a figure that words name, else the table's sum of money."""
        own = [one for one in self.columns if _is_figure(one)]
        named = [one for one in own if set(stems(one.removesuffix("_cents"))) <= set(said)]
        money = [one for one in own if one.endswith("_cents")]
        return next(iter([*named, *money, *own]), "")

    def named_figure(self, said: Sequence[str]) -> str:
        """The figure that words name; empty if none."""
        own = [one for one in self.columns if _is_figure(one)]
        return next((one for one in own if set(stems(one.replace("_", " "))) <= set(said)), "")

    @property
    def label(self) -> str:
        """The column that a row is known by: its name, else its id."""
        return next((one for one in ("name", "id") if one in self.columns), "")

    def conditions(self, text: str) -> Iterator[tuple[str, str, str]]:
        """Column, value and word for each value that a text names."""
        said = words(text)
        places = [word for word in said if word in COUNTRIES and "country" in self.columns]
        yield from (("country", COUNTRIES[word], word) for word in places[:1])
        for column, values in self.values.items():
            for value in values:
                if word := _said_for(column, value, said):
                    yield column, value, word


def _said_for(column: str, value: str, said: Sequence[str]) -> str:
    """The word, or words, that stand for a value of a column; empty if there are none."""
    if len(value.split()) > 1:
        return value if value in " ".join(said) else ""
    return next(
        (
            word
            for word in said
            if word in (value, f"{value}s") or (column == "status" and value in status_forms(word))
        ),
        "",
    )


def _is_figure(column: str) -> bool:
    counted = column.endswith("s") and column not in ("status", "address")
    return counted or column.endswith("_cents") or column == "quantity"


def read_tables(brief: str) -> tuple[Table, ...]:
    """The tables a brief lists: "orders(id, customer_id, …)", "orders.status is open or paid"."""
    plain = " ".join(brief.split())
    values: dict[str, dict[str, Sequence[str]]] = {}
    for found in _VALUES.finditer(plain):
        own = [one.strip() for one in re.split(r", | or ", found[3])]
        values.setdefault(found[1], {})[found[2]] = own
    return tuple(
        Table(found[1], tuple(found[2].split(", ")), values.get(found[1], {}))
        for found in _TABLE.finditer(plain)
    )


def query_tool(expert: ExpertConfig, scene: Scene) -> tuple[str, str] | None:
    """The expert's tool that takes a query, with the name of that argument."""
    for tool in expert.tools:
        for one in arguments_in(scene, tool.name):
            if one.kind == "sql" and tool.effect == "read_only":
                return tool.name, one.name
    return None
