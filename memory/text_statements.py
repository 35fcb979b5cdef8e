"""The statements of the full-text indexes, by dialect; `{name}` is the table they stand beside."""

from typing import Final

SHARED: Final = {
    "sqlite": (
        "CREATE TABLE IF NOT EXISTS {name}_readers (key INTEGER PRIMARY KEY AUTOINCREMENT, "
        "audience TEXT NOT NULL UNIQUE, rows INTEGER NOT NULL, length INTEGER NOT NULL)",
        "CREATE TABLE IF NOT EXISTS {name}_terms (number INTEGER PRIMARY KEY, "
        "reader INTEGER NOT NULL, terms TEXT NOT NULL, length INTEGER NOT NULL)",
    ),
    "postgresql": (
        "CREATE TABLE IF NOT EXISTS {name}_readers (key SERIAL PRIMARY KEY, "
        "audience TEXT NOT NULL UNIQUE, rows BIGINT NOT NULL, length BIGINT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS {name}_terms (number BIGINT PRIMARY KEY, "
        "reader INTEGER NOT NULL, terms TEXT NOT NULL, length INTEGER NOT NULL)",
    ),
}
WORDS: Final = {
    "sqlite": (
        "CREATE VIRTUAL TABLE IF NOT EXISTS {name}_words USING fts5("
        "terms, content='', tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")",
        "CREATE VIRTUAL TABLE IF NOT EXISTS {name}_vocabulary USING fts5vocab({name}_words, row)",
    ),
    "postgresql": (
        "CREATE TABLE IF NOT EXISTS {name}_words "
        "(number BIGINT PRIMARY KEY, reader INTEGER NOT NULL, terms TSVECTOR NOT NULL)",
        "CREATE INDEX IF NOT EXISTS {name}_words_terms ON {name}_words USING gin (terms)",
        "CREATE INDEX IF NOT EXISTS {name}_words_reader ON {name}_words (reader)",
    ),
}
ADD_READER: Final = (
    "INSERT INTO {name}_readers(audience, rows, length) VALUES (:audience, 0, 0) "
    "ON CONFLICT (audience) DO NOTHING"
)
READERS: Final = "SELECT * FROM {name}_readers WHERE audience IN ({places})"
COUNT: Final = (
    "UPDATE {name}_readers SET rows = rows + :rows, length = length + :length WHERE key = :key"
)
# The numbers as one value: the statement is the same for any number of rows.
TERMS: Final = {
    "sqlite": (
        "SELECT number, reader, terms, length FROM {name}_terms "
        "WHERE number IN (SELECT value FROM json_each(:numbers))"
    ),
    "postgresql": (
        "SELECT number, reader, terms, length FROM {name}_terms WHERE number IN "
        "(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(:numbers AS jsonb)))"
    ),
}
ADD_TERMS: Final = "INSERT INTO {name}_terms VALUES (:number, :reader, :terms, :length)"
REMOVE_TERMS: Final = "DELETE FROM {name}_terms WHERE number = :number"
ADD_WORDS: Final = {
    "sqlite": "INSERT INTO {name}_words(rowid, terms) VALUES (:number, :terms)",
    "postgresql": "INSERT INTO {name}_words VALUES (:number, :reader, CAST(:terms AS tsvector))",
}
REMOVE_WORDS: Final = {
    "sqlite": (
        "INSERT INTO {name}_words({name}_words, rowid, terms) VALUES ('delete', :number, :terms)"
    ),
    "postgresql": "DELETE FROM {name}_words WHERE number = :number",
}
FREQUENCIES: Final = {
    # Crossed, so that the vocabulary is asked for each token, and not read from end to end.
    "sqlite": (
        "SELECT value AS token, doc AS found FROM json_each(:tokens) "
        "CROSS JOIN {name}_vocabulary ON term = value"
    ),
    "postgresql": (
        "SELECT token, (SELECT count(*) FROM {name}_words "
        "WHERE reader = :reader AND terms @@ CAST(token AS tsquery)) AS found "
        "FROM jsonb_array_elements_text(CAST(:tokens AS jsonb)) AS wanted(token)"
    ),
}
PIECES: Final = "SELECT count(*) FROM {name}_words WHERE {name}_words MATCH :match"
MATCH: Final = {
    "sqlite": (
        "SELECT rowid FROM {name}_words WHERE {name}_words MATCH :match "
        "ORDER BY rank, rowid LIMIT :limit"
    ),
    "postgresql": (
        "SELECT number FROM {name}_words "
        "WHERE reader = ANY(:readers) AND terms @@ CAST(:match AS tsquery) "
        "ORDER BY ts_rank(terms, CAST(:match AS tsquery), 1) DESC, number LIMIT :limit"
    ),
}
