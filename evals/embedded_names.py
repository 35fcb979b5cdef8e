"""When two values mean the same at the sample company, and which records belong together."""

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from evals.query_answers import holds
from tools.desk.books import SHIPPED, rows
from tools.desk.records import find_customer
from tools.errors import ToolError

WORD = re.compile(r"\w+")
HALF_A_CENT = 0.005


class Names:
    """Customers, invoices, orders and policies as they are before anyone changes them."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        """Read the company's seed and the names of its policies."""
        self._policies = sorted(file.stem for file in (folder / "policies").glob("*.md"))
        with closing(sqlite3.connect(":memory:")) as books:
            books.row_factory = sqlite3.Row
            for script in ("schema.sql", "seed.sql"):
                books.executescript((folder / script).read_text("utf-8"))
            self._kin = _kin(books)
            self._customers = rows(books, "SELECT * FROM customers ORDER BY id")
            self._seed = "\n".join(books.iterdump())

    def same(self, argument: str, wanted: object, came: object) -> bool:
        """Whether the value of an argument is the one that is wanted."""
        if _is_number(wanted) or _is_number(came):
            return _same_number(wanted, came)
        left, right = str(wanted).strip(), str(came).strip()
        if argument == "customer":
            return self.customer(left) == self.customer(right)
        if argument == "name":
            return self.policy(right) == left
        if argument == "sql":
            return _flat_sql(left) == _flat_sql(right) or self._answers_alike(left, right)
        if argument == "address":
            return _words(left) == _words(right)
        return left.casefold() == right.casefold()

    def _answers_alike(self, wanted: str, came: str) -> bool:
        """Whether a query gives on the seed what the wanted one gives."""
        with closing(sqlite3.connect(":memory:")) as books:
            books.executescript(self._seed)
            books.execute("PRAGMA query_only = ON")
            try:
                found = [books.execute(one).fetchall() for one in (wanted, came)]
            except (sqlite3.Error, sqlite3.Warning):
                return False
        return holds(*found)

    def customer_names(self) -> list[str]:
        """Names of the company's customers."""
        return [str(one["name"]) for one in self._customers]

    def customer(self, text: str) -> str:
        """The id of the customer that is meant, or the text itself when that is not clear."""
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
        words = set(_words(text)) - {"policy", "policies", "our", "the"}
        found = [name for name in self._policies if words and words <= set(_words(name))]
        return found[0] if len(found) == 1 else text

    def records(self, args: Mapping[str, Any]) -> frozenset[str]:
        """Ids of the records a call names."""
        found = {str(args[key]).upper() for key in ("invoice_id", "order_id") if args.get(key)}
        if args.get("customer"):
            found.add(self.customer(str(args["customer"])))
        if args.get("name"):
            found.add(self.policy(str(args["name"])))
        words = set(_words(str(args.get("query", ""))))
        found |= {name for name in self._policies if words & set(_words(name))}
        return frozenset(found)

    def with_kin(self, records: frozenset[str]) -> frozenset[str]:
        """The records, their customers, and the invoice or order that goes with each."""
        return records.union(*(self._kin.get(record, frozenset()) for record in records))


def _kin(books: sqlite3.Connection) -> dict[str, frozenset[str]]:
    kin: dict[str, set[str]] = {}
    for one in rows(books, "SELECT id, customer_id FROM orders"):
        kin.setdefault(one["id"], set()).add(one["customer_id"])
    for one in rows(books, "SELECT id, customer_id, order_id FROM invoices"):
        kin.setdefault(one["id"], set()).add(one["customer_id"])
        if one["order_id"]:
            kin[one["id"]].add(one["order_id"])
            kin[one["order_id"]].add(one["id"])
    return {record: frozenset(others) for record, others in kin.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same_number(wanted: object, came: object) -> bool:
    try:
        return abs(float(str(wanted)) - float(str(came))) < HALF_A_CENT
    except ValueError:
        return False


def _words(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def _flat_sql(text: str) -> str:
    return " ".join(text.split()).rstrip("; ").casefold()
