"""What can go wrong when a model is asked.

ModelError
├── RateLimited          429: too many requests; retryable, Retry-After kept
├── Overloaded           5xx: the provider cannot serve now; retryable
├── ModelTimeout         no full reply within the profile's time-out; retryable
├── ConnectionFailed     nobody answers, or the connection broke; retryable
├── BadOutput            a reply came that cannot be used; retryable unless it was cut by length
├── ContextOverflow      the prompt does not fit the model's window; its size is kept where told
├── Refused              the model or a content filter declined
├── AuthFailed           the key is wrong or lacks a right
├── QuotaExceeded        the account has no credit left (also a 429, but waiting does not help)
├── InvalidRequest       the provider does not accept the request, or does not know the model
├── EndpointDown         the endpoint failed again and again; it is not asked for a while
├── BudgetExceeded       a token or money budget is used up; nothing was sent
├── BadHistory           the prompt breaks a rule every provider checks; a fault of the caller
├── MissingKey           no API key in the environment variable that the profile names
├── MissingPackage       the package a profile needs is not installed
├── UnknownRole          no model plays the role
└── DamagedTables        the installed token tables are not the ones that were published
"""

from typing import ClassVar, Final


class ModelError(Exception):
    """A model could not be asked, or its reply cannot be used.

    `str(error)` says what was wanted, what came and what to do next.
    """

    kind: ClassVar[str] = "failed"
    retryable: bool = False
    most_tries: ClassVar[int | None] = None
    """Fewer tries than the policy allows, where each one is dear."""
    elsewhere: ClassVar[bool] = False
    """Whether another model may do better, so that a fallback is worth asking."""

    def __init__(
        self, *, wanted: str, came: str, next_step: str, retry_after_s: float | None = None
    ) -> None:
        """Keep the parts and build the text a user reads.

        Args:
            wanted: what would have been right, as a noun phrase.
            came: what came instead; never holds a secret.
            next_step: one sentence on what to do.
            retry_after_s: seconds after which the provider asked to be tried again.
        """
        self.wanted = wanted
        self.came = came
        self.next_step = next_step
        self.retry_after_s = retry_after_s
        super().__init__(f"wanted {wanted}, came {came}. {next_step}")


class RateLimited(ModelError):
    """Too many requests in too short a time."""

    kind = "rate_limited"
    elsewhere = True
    retryable = True


class Overloaded(ModelError):
    """The provider cannot serve the request now."""

    kind = "overloaded"
    elsewhere = True
    retryable = True


class ModelTimeout(ModelError):
    """No full reply within the profile's time-out."""

    kind = "timeout"
    most_tries = 2
    elsewhere = True
    retryable = True


class ConnectionFailed(ModelError):
    """Nobody answers, or the connection broke."""

    kind = "connection"
    elsewhere = True
    retryable = True


class BadOutput(ModelError):
    """A reply came that cannot be used: cut, empty or malformed."""

    kind = "bad_output"
    elsewhere = True
    retryable = True

    def __init__(self, *, wanted: str, came: str, next_step: str, retryable: bool = True) -> None:
        """Keep the parts; a reply cut by its length limit is cut again, so not `retryable`."""
        super().__init__(wanted=wanted, came=came, next_step=next_step)
        self.retryable = retryable


class ContextOverflow(ModelError):
    """The prompt does not fit the model's window."""

    kind = "context_overflow"

    def __init__(
        self, *, wanted: str, came: str, next_step: str, window_tokens: int | None = None
    ) -> None:
        """Keep the parts, and a window that the prompt has to be fitted to if it was told.

        Args:
            wanted: what would have been right.
            came: what came instead.
            next_step: what to do.
            window_tokens: set when somebody else than the caller's own count found the overflow:
                fitting the prompt to this and asking once more may help.
        """
        super().__init__(wanted=wanted, came=came, next_step=next_step)
        self.window_tokens = window_tokens


class Refused(ModelError):
    """The model or a content filter declined."""

    kind = "refused"


class AuthFailed(ModelError):
    """The key is wrong or lacks a right."""

    kind = "auth"
    elsewhere = True


class QuotaExceeded(ModelError):
    """The account has no credit left."""

    kind = "quota"
    elsewhere = True


class InvalidRequest(ModelError):
    """The provider does not accept the request, or does not know the model."""

    kind = "invalid_request"
    elsewhere = True


class EndpointDown(ModelError):
    """The endpoint failed again and again; it is not asked for a while."""

    kind = "endpoint_down"
    elsewhere = True


class BudgetExceeded(ModelError):
    """A token or money budget is used up."""

    kind = "budget"


class BadHistory(ModelError):
    """The prompt breaks a rule every provider checks."""

    kind = "bad_history"


class MissingKey(ModelError):
    """No API key in the environment variable that the profile names."""

    kind = "missing_key"


class MissingPackage(ModelError):
    """The package a profile needs is not installed."""

    kind = "missing_package"


class UnknownRole(ModelError):
    """No model plays the role."""

    kind = "unknown_role"


class DamagedTables(ModelError):
    """The installed token tables are not the ones that were published."""

    kind = "damaged_tables"


OUTAGES: Final = (
    AuthFailed,
    BudgetExceeded,
    ConnectionFailed,
    EndpointDown,
    MissingKey,
    ModelTimeout,
    Overloaded,
    QuotaExceeded,
    RateLimited,
)
"""Faults that end without the caller's doing: work that nobody waits for is tried until then."""
