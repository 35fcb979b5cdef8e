"""When two values mean the same at the sample company."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from evals.embedded_scoring import same_value
from tools.desk.books import SHIPPED, rows
from tools.desk.records import find_customer
from tools.errors import ToolError

WORD: Final = re.compile(r"\w+")
NO_NAME: Final = frozenset({"policy", "policies", "our", "the"})


class Names:
    """Customers and policies as they are before anyone changes them."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        """Read the company's seed and the names of its policies."""
        self._policies = sorted(file.stem for file in (folder / "policies").glob("*.md"))
        with closing(sqlite3.connect(":memory:")) as books:
            books.row_factory = sqlite3.Row
            for script in ("schema.sql", "seed.sql"):
                books.executescript((folder / script).read_text("utf-8"))
            self._customers = rows(books, "SELECT * FROM customers ORDER BY id")

    def same(self, argument: str, wanted: object, came: object) -> bool:
        """Whether the value of an argument is the one that is wanted."""
        if argument == "customer":
            return self.customer(str(wanted or "")) == self.customer(str(came or ""))
        if argument == "name":
            return self.policy(str(came)) == str(wanted)
        if argument == "address":
            return _words(str(wanted)) == _words(str(came))
        return same_value(wanted, came)

    def customer_names(self) -> list[str]:
        """Names of the company's customers."""
        return [str(one["name"]) for one in self._customers]

    def customer(self, text: str) -> str:
        """The id of the customer that is meant, or the text itself when that is not clear."""
        text = text.strip()
        if not text:
            return ""
        with closing(sqlite3.connect(":memory:")) as books:
            books.row_factory = sqlite3.Row
            books.execute("CREATE TABLE customers (id TEXT, name TEXT, contact TEXT, city TEXT)")
            columns = ("id", "name", "contact", "city")
            known = [tuple(one[name] for name in columns) for one in self._customers]
            books.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", known)
            try:
                return str(find_customer(books, text)["id"])
            except ToolError:
                return text.casefold()

    def policy(self, text: str) -> str:
        """The policy that a name or a title stands for, or the text itself."""
        words = set(_words(text)) - NO_NAME
        found = [name for name in self._policies if words and words <= set(_words(name))]
        return found[0] if len(found) == 1 else text


def _words(text: str) -> list[str]:
    return WORD.findall(text.casefold())
