"""Full-text indexes inside the SQL database, written in the transaction of the rows they find.

The index holds derived terms instead of the text (`memory.fulltext`). In SQLite each term is
stored for its audience (`7_refund`), so that a search reads no posting of another scope, and how
often a term occurs, how many rows there are and how long they are, are all the scope's own.
SQLite matches by FTS5, PostgreSQL by its own full text; both are ranked by the same BM25.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text

from memory import text_statements as sql
from memory.bm25 import bm25, rarest, rarity
from memory.fulltext import indexed_text, query_terms

# In a small memory every word is common; rarity is judged as in one of so many rows.
FEW_ROWS: Final = 100
# So many times the asked-for number of rows is scored exactly.
RESCORED: Final = 4


@dataclass(frozen=True, slots=True)
class TextHit:
    """A row found by full text; `score` is BM25, higher is better."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class TextFits:
    """How given rows fit a question, whether full text found them or not.

    Attributes:
        weights: Rarity of each of the question's terms among the readers' rows.
        unknown: Rarity of a term that occurs in none of them.
        scores: BM25 by row number; 0 where no term occurs.
        terms: A row's distinct terms.
    """

    weights: Mapping[str, float]
    unknown: float
    scores: Mapping[int, float]
    terms: Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A row to be found: its number in its table, who may find it, and its text."""

    number: int
    audience: str
    text: str


@dataclass(frozen=True, slots=True)
class _Readers:
    """The audiences of a search: their keys in the index, and what is known of their rows."""

    keys: tuple[int, ...]
    rows: int
    mean_length: float


@dataclass(frozen=True, slots=True)
class TextIndex:
    """The full-text index beside one table; its rows carry the table's `number`."""

    table: str

    def create(self, conn: Connection) -> None:
        """Create the index's tables, unless they are there."""
        for statement in (*sql.SHARED[conn.dialect.name], *sql.WORDS[conn.dialect.name]):
            conn.execute(self._sql(statement))

    def add(self, conn: Connection, entries: Sequence[TextEntry]) -> None:
        """Index rows that are new, in the transaction that writes them."""
        if not entries:
            return
        keys = self._keys(conn, {entry.audience for entry in entries}, create=True)
        rows = [
            _values(entry.number, keys[entry.audience], indexed_text(entry.text))
            for entry in entries
        ]
        conn.execute(self._sql(sql.ADD_TERMS), rows)
        conn.execute(self._sql(sql.ADD_WORDS[conn.dialect.name]), _words(conn, rows))
        self._count(conn, rows, 1)

    def remove(self, conn: Connection, numbers: Sequence[int]) -> None:
        """Take rows out of the index; unknown ones are no error."""
        found = self._stored(conn, numbers)
        rows = [_values(row.number, row.reader, row.terms) for row in found]
        if rows:
            conn.execute(self._sql(sql.REMOVE_WORDS[conn.dialect.name]), _words(conn, rows))
            conn.execute(self._sql(sql.REMOVE_TERMS), rows)
            self._count(conn, rows, -1)

    def erase(self, conn: Connection) -> None:
        """Rewrite the index without what was removed: until then its terms stay on disk."""
        if conn.dialect.name == "sqlite":
            conn.execute(self._sql("INSERT INTO {name}_words({name}_words) VALUES ('optimize')"))

    def search(
        self, conn: Connection, query: str, audiences: Sequence[str], limit: int
    ) -> list[TextHit]:
        """The best rows of the audiences for a question, best first."""
        wanted = query_terms(query)
        readers = self._readers(conn, audiences)
        if not wanted or not readers.rows or limit < 1:
            return []
        known = self._frequencies(conn, wanted, readers)
        matched = rarest(known)
        if not matched:
            return []
        found = self._match(conn, matched, readers, RESCORED * limit)
        hits = self._scored(conn, found, known, readers)
        return sorted(hits, key=lambda hit: (-hit.score, hit.number))[:limit]

    def fits(
        self, conn: Connection, query: str, audiences: Sequence[str], numbers: Sequence[int]
    ) -> TextFits:
        """How given rows of the audiences fit a question."""
        readers = self._readers(conn, audiences)
        wanted = query_terms(query)
        known = self._frequencies(conn, wanted, readers)
        rows = max(readers.rows, FEW_ROWS)
        weights = {term: rarity(known.get(term, 0), rows) for term in wanted}
        scores: dict[int, float] = {}
        distinct: dict[int, frozenset[str]] = {}
        for number, terms, length in self._rows(conn, numbers, readers):
            found = terms.split()
            distinct[number] = frozenset(found)
            scores[number] = bm25(found, weights, length / readers.mean_length)
        return TextFits(weights, rarity(0, rows), scores, distinct)

    def _readers(self, conn: Connection, audiences: Sequence[str]) -> _Readers:
        names = {f"n{at}": audience for at, audience in enumerate(dict.fromkeys(audiences))}
        if not names:
            return _Readers((), 0, 1.0)
        found = conn.execute(self._sql(sql.READERS, names), names).all()
        rows = sum(row.rows for row in found)
        length = sum(row.length for row in found)
        return _Readers(tuple(row.key for row in found), rows, max(length / max(rows, 1), 1.0))

    def _frequencies(
        self, conn: Connection, wanted: Sequence[str], readers: _Readers
    ) -> dict[str, int]:
        """In how many of the readers' rows each term occurs; terms that do not are left out."""
        counts: dict[str, int] = {}
        statement = self._sql(sql.FREQUENCIES[conn.dialect.name])
        for key in readers.keys:
            tokens = {_token(conn, key, term): term for term in wanted}
            values = {"tokens": json.dumps(list(tokens)), "reader": key}
            known = {row.token: row.found for row in conn.execute(statement, values).all()}
            for token, term in tokens.items():
                found = known.get(token)
                if not found and not term.isascii() and conn.dialect.name == "sqlite":
                    # FTS5 cuts letters that its Unicode tables do not know: look for the pieces.
                    found = conn.execute(self._sql(sql.PIECES), {"match": f'"{token}"'}).scalar()
                if found:
                    counts[term] = counts.get(term, 0) + int(found)
        return counts

    def _match(
        self, conn: Connection, matched: Sequence[str], readers: _Readers, limit: int
    ) -> list[int]:
        tokens = [_token(conn, key, term) for term in matched for key in readers.keys]
        values: dict[str, Any] = {"limit": limit}
        if conn.dialect.name == "sqlite":
            values["match"] = " OR ".join(f'"{token}"' for token in tokens)
        else:
            values |= {
                "match": " | ".join(dict.fromkeys(tokens)),
                "readers": list(readers.keys),
            }
        statement = self._sql(sql.MATCH[conn.dialect.name])
        return list(conn.execute(statement, values).scalars())

    def _scored(
        self,
        conn: Connection,
        numbers: Sequence[int],
        known: Mapping[str, int],
        readers: _Readers,
    ) -> Iterable[TextHit]:
        weights = {term: rarity(count, readers.rows) for term, count in known.items()}
        for number, terms, length in self._rows(conn, numbers, readers):
            relative = length / readers.mean_length
            yield TextHit(number, bm25(terms.split(), weights, relative))

    def _rows(
        self, conn: Connection, numbers: Sequence[int], readers: _Readers
    ) -> list[tuple[int, str, int]]:
        """Number, terms and length of those of the rows that the readers may find."""
        return [
            (number, terms, length)
            for number, reader, terms, length in self._stored(conn, numbers)
            if reader in readers.keys
        ]

    def _stored(self, conn: Connection, numbers: Sequence[int]) -> Sequence[Any]:
        statement = self._sql(sql.TERMS[conn.dialect.name])
        return conn.execute(statement, {"numbers": json.dumps(list(numbers))}).all()

    def _keys(
        self, conn: Connection, audiences: Iterable[str], *, create: bool = False
    ) -> dict[str, int]:
        names = {f"n{at}": audience for at, audience in enumerate(sorted(audiences))}
        if create:
            added = [{"audience": name} for name in names.values()]
            conn.execute(self._sql(sql.ADD_READER), added)
        found = conn.execute(self._sql(sql.READERS, names), names)
        return {row.audience: row.key for row in found}

    def _count(self, conn: Connection, rows: Sequence[Mapping[str, Any]], sign: int) -> None:
        changes: dict[int, list[int]] = {}
        for row in rows:
            change = changes.setdefault(row["reader"], [0, 0])
            change[0] += sign
            change[1] += sign * row["length"]
        counted = [
            {"key": key, "rows": number, "length": length}
            for key, (number, length) in sorted(changes.items())
        ]
        conn.execute(self._sql(sql.COUNT), counted)

    def _sql(self, statement: str, names: Iterable[str] = ()) -> Any:  # noqa: ANN401 - a text clause
        places = ", ".join(f":{name}" for name in names)
        return text(statement.format(name=self.table, places=places))


def _values(number: int, reader: int, indexed: str) -> dict[str, Any]:
    length = indexed.count(" ") + 1 if indexed else 0
    return {"number": number, "reader": reader, "terms": indexed, "length": length}


def _words(conn: Connection, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows as the matching index takes them: terms of the reader, or a tsvector."""
    if conn.dialect.name == "postgresql":
        return [{**row, "terms": _tsvector(row["terms"])} for row in rows]
    return [
        {**row, "terms": " ".join(f"{row['reader']}_{term}" for term in row["terms"].split())}
        for row in rows
    ]


def _token(conn: Connection, reader: int, term: str) -> str:
    return f"{reader}_{term}" if conn.dialect.name == "sqlite" else _lexeme(term)


def _lexeme(term: str) -> str:
    """A term quoted as PostgreSQL's tsvector and tsquery read it."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def _tsvector(indexed: str) -> str:
    # PostgreSQL keeps no higher position of a lexeme; later ones count as this one.
    places = enumerate(indexed.split(), start=1)
    return " ".join(f"{_lexeme(term)}:{min(place, 16_383)}" for place, term in places)


EPISODE_TEXT: Final = TextIndex("episodes")
ARTIFACT_TEXT: Final = TextIndex("artifacts")
