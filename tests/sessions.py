"""What a PostgreSQL database knows of those who use it."""

from sqlalchemy import create_engine, text


def asked(url: str, statement: str) -> int:
    """A number the server answers with, over a connection that is closed after it."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as conn:
        found = int(conn.execute(text(statement)).scalar_one())
    engine.dispose()
    return found


def connections(url: str) -> int:
    """How many others have a connection to the database."""
    statement = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    return asked(url, statement) - 1
