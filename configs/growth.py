"""Settings of what memory keeps and where: the vector index, retention, and caps."""

from pydantic import Field

from configs.sections import Section


class IndexSettings(Section):
    """Where the vector index is: in the data folder, or on a Chroma server that processes share."""

    server_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^/\s@]+/?$",
        description="a loopback address, or a private one that asks for a key; None: in the folder",
    )
    key_env: str = Field(
        default="CHROMA_SERVER_KEY",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="the variable that holds the server's key, sent as a bearer token",
    )


class RetentionSettings(Section):
    """How long things are kept, and how many of a kind for one user; None is no limit.

    Above a cap the least valuable go first, by recency, use and success. What is younger than
    `grace_days` never goes, nor does anything of a turn that is not closed.
    """

    artifact_days: float | None = Field(default=365, gt=0)
    artifact_megabytes: float | None = Field(default=512, gt=0)
    turn_days: float | None = Field(default=None, gt=0)
    turns: int | None = Field(default=200_000, gt=0)
    episode_days: float | None = Field(default=None, gt=0)
    episodes: int | None = Field(default=50_000, gt=0)
    document_days: float | None = Field(default=None, gt=0)
    documents: int | None = Field(default=200_000, gt=0)
    call_days: float | None = Field(
        default=365, gt=0, description="rows about calls of models and of tools"
    )
    job_days: float | None = Field(
        default=90, gt=0, description="rows about jobs that have ended, and summaries of old folds"
    )
    grace_days: float = Field(default=7, ge=0)
    every_hours: float = Field(default=24, gt=0, description="how often the background looks")
