"""Full text inside the SQL database: terms are made here, stored and matched by the database.

The index holds derived terms instead of the text: folded words, the parts of compound names
(`INV-1042` is found by `inv-1042`, `inv1042` and `1042`), and pairs of characters for scripts
without spaces. So ids, error codes, paths and Chinese are found by one tokenizer rule, and a query
can hold any character without being taken for query syntax.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

LONG_TEXT_CHARS: Final = 50_000
MAX_QUERY_TERMS: Final = 32
EXCERPT_SEARCH_CHARS: Final = 200_000

_COMPOUND = re.compile(r"[^\W_]+(?:[-_./:@#+\\]+[^\W_]+)*")
_PART = re.compile(r"[^\W\d_]+|\d+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003134f]+"
)

# Ending, what stands in its place, and the letters that must be left.
_ENDINGS = (
    ("sses", "ss", 1),
    ("ies", "y", 2),
    ("ied", "y", 2),
    ("ing", "", 3),
    ("ed", "", 3),
    ("s", "", 2),
)

# Function words of English; dropped from queries only, and never from a query made of nothing else.
STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a about again all also am an and any are as at be because been before being but by can "
        "could did do does doing done for from get go got had has have having he her hers him his "
        "how i if in into is it its just like me more most my no not now of on one or our out "
        "please really she should so some than that the their them then there these they thing "
        "things this those to too up us very was we well were what when where which who why will "
        "with would you your yes s t d ll m re ve",
    )
)


def fold(value: str) -> str:
    """The text as it is compared: compatibility forms unified, lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", value.casefold())
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFKC", plain)


def terms(value: str) -> list[str]:
    """The text's search terms in order of appearance, with repetitions."""
    found: list[str] = []
    for match in _COMPOUND.finditer(fold(value)):
        found.extend(_word_terms(match.group()))
    return found


def _word_terms(word: str) -> Iterator[str]:
    plain = _UNSPACED.sub(" ", word)
    for run in _UNSPACED.findall(word):
        yield from run
        yield from (run[at : at + 2] for at in range(len(run) - 1))
    for compound in plain.split():
        parts = _PART.findall(compound)
        if not parts:
            continue
        if len(parts) > 1:
            yield "".join(parts)
        yield from (stem(part) for part in parts)


def stem(word: str) -> str:
    """An English word without plural, -ed, -ing and final -e; anything else unchanged.

    Lighter than Porter's: endings that change a word's meaning stay.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    for ending, instead, left in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= left:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                return word
            word = _undoubled(word.removesuffix(ending) + instead)
            break
    return word.removesuffix("e") if len(word) > 3 else word


def _undoubled(word: str) -> str:
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiolsz"
    return word[:-1] if doubled else word


_STOP_TERMS = STOP_WORDS | {stem(word) for word in STOP_WORDS}


def query_terms(value: str) -> list[str]:
    """The distinct terms of a question, function words left out unless there is nothing else."""
    distinct = list(dict.fromkeys(terms(value[:LONG_TEXT_CHARS])))
    content = [term for term in distinct if term not in _STOP_TERMS]
    chosen = content or distinct
    # A single character of an unspaced script matches nearly everything; its pairs say more.
    pairs = [term for term in chosen if not (len(term) == 1 and _UNSPACED.match(term))]
    return (pairs or chosen)[:MAX_QUERY_TERMS]


def indexed_text(value: str) -> str:
    """What the index keeps of a text: all terms in order; of a very long one, each term once."""
    found: Iterable[str] = terms(value)
    if len(value) > LONG_TEXT_CHARS:
        found = dict.fromkeys(found)
    return " ".join(found)


def coverage(wanted: Sequence[str], found: Set[str]) -> float:
    """Share of the wanted terms that are among the found ones, 0 to 1."""
    return sum(term in found for term in wanted) / len(wanted) if wanted else 0.0


def excerpt(value: str, query: str, limit_chars: int) -> str:
    """The passage of a text with most of the query's terms, marked where it is cut."""
    if len(value) <= limit_chars:
        return value
    wanted = set(query_terms(query))
    step = max(limit_chars // 2, 1)
    starts = range(0, min(len(value), EXCERPT_SEARCH_CHARS), step)
    start = max(
        starts, key=lambda at: (len(wanted & set(terms(value[at : at + limit_chars]))), -at)
    )
    end = start + limit_chars
    return f"{'…' if start else ''}{value[start:end]}{'…' if end < len(value) else ''}"


@dataclass(frozen=True, slots=True)
class TextHit:
    """A row found by full text; `score` is BM25, higher is better."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class FullText:
    """The full-text index beside one table; its rows carry the table's `number`.

    The audience is a part of each query, so a search never scores or returns another scope's rows.
    SQLite matches by FTS5 and ranks by BM25, PostgreSQL by its own full text and `ts_rank`.
    """

    table: str

    @property
    def name(self) -> str:
        """The index table's name."""
        return f"{self.table}_text"

    def create(self, conn: Connection) -> None:
        """Create the index table."""
        for statement in _CREATE[conn.dialect.name]:
            conn.execute(text(statement.format(name=self.name)))

    def add(self, conn: Connection, number: int, audience: str, value: str) -> None:
        """Index one row's text, in the transaction that writes the row."""
        indexed = indexed_text(value)
        if conn.dialect.name == "postgresql":
            indexed = _tsvector(indexed)
        conn.execute(
            text(_ADD[conn.dialect.name].format(name=self.name)),
            {"n": number, "a": audience, "t": indexed},
        )

    def remove(self, conn: Connection, numbers: Sequence[int]) -> None:
        """Take rows out of the index."""
        column = "rowid" if conn.dialect.name == "sqlite" else "number"
        for number in numbers:
            conn.execute(text(f"DELETE FROM {self.name} WHERE {column} = :n"), {"n": number})

    def search(
        self, conn: Connection, query: str, audiences: Sequence[str], limit: int
    ) -> list[TextHit]:
        """The best rows of the audiences for a question, best first."""
        wanted = query_terms(query)
        if not wanted or not audiences or limit < 1:
            return []
        values: dict[str, object] = {"limit": limit}
        if conn.dialect.name == "sqlite":
            found = f"audience : ({_any_of(audiences)}) AND terms : ({_any_of(wanted)})"
            values["match"] = found
        else:
            values |= {"match": " | ".join(map(_lexeme, wanted)), "audiences": list(audiences)}
        statement = text(_SEARCH[conn.dialect.name].format(name=self.name))
        return [TextHit(number, float(score)) for number, score in conn.execute(statement, values)]


_CREATE: Final = {
    "sqlite": (
        "CREATE VIRTUAL TABLE IF NOT EXISTS {name} USING fts5("
        "audience, terms, tokenize='unicode61 remove_diacritics 0')",
    ),
    "postgresql": (
        "CREATE TABLE IF NOT EXISTS {name} "
        "(number BIGINT PRIMARY KEY, audience TEXT NOT NULL, terms TSVECTOR NOT NULL)",
        "CREATE INDEX IF NOT EXISTS {name}_terms ON {name} USING gin (terms)",
        "CREATE INDEX IF NOT EXISTS {name}_audience ON {name} (audience)",
    ),
}
_ADD: Final = {
    "sqlite": "INSERT INTO {name}(rowid, audience, terms) VALUES (:n, :a, :t)",
    "postgresql": (
        "INSERT INTO {name}(number, audience, terms) VALUES (:n, :a, CAST(:t AS tsvector))"
    ),
}
_SEARCH: Final = {
    "sqlite": (
        "SELECT rowid, -bm25({name}, 0.0, 1.0) AS score FROM {name} "
        "WHERE {name} MATCH :match ORDER BY score DESC, rowid LIMIT :limit"
    ),
    "postgresql": (
        "SELECT number, ts_rank(terms, CAST(:match AS tsquery), 1) AS score FROM {name} "
        "WHERE audience = ANY(:audiences) AND terms @@ CAST(:match AS tsquery) "
        "ORDER BY score DESC, number LIMIT :limit"
    ),
}
MAX_POSITION: Final = 16_383
"""PostgreSQL keeps no higher position of a lexeme; later ones count as this one."""


def _any_of(words: Sequence[str]) -> str:
    quoted = ('"' + word.replace('"', '""') + '"' for word in words)
    return " OR ".join(quoted)


def _lexeme(term: str) -> str:
    """A term quoted as PostgreSQL's tsvector and tsquery read it."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def _tsvector(indexed: str) -> str:
    return " ".join(
        f"{_lexeme(term)}:{min(place, MAX_POSITION)}"
        for place, term in enumerate(indexed.split(), start=1)
    )


EPISODE_TEXT: Final = FullText("episodes")
ARTIFACT_TEXT: Final = FullText("artifacts")
