"""How often and how patiently a model is asked again, and when asking again makes no sense."""

from dataclasses import dataclass

from configs.sections import RetrySettings
from models.errors import ModelError


@dataclass(frozen=True, slots=True)
class Retries:
    """The policy for retryable faults; `deadline_s` is for all tries of all models of a role."""

    tries: int = 3
    first_pause_s: float = 0.5
    longest_pause_s: float = 20.0
    deadline_s: float = 120.0

    @classmethod
    def of(cls, settings: RetrySettings) -> "Retries":
        """The policy as configured."""
        return cls(
            tries=settings.tries,
            first_pause_s=settings.first_pause_s,
            longest_pause_s=settings.longest_pause_s,
            deadline_s=settings.deadline_s,
        )

    def pause_s(self, attempt: int, jitter: float) -> float:
        """Back-off min(2^k t0 + U(0, t0), tmax) after attempt k = 0, 1, …; jitter in [0, 1)."""
        first = self.first_pause_s
        return min(2.0**attempt * first + jitter * first, self.longest_pause_s)

    def pause_after(
        self, error: ModelError, attempt: int, jitter: float, left_s: float
    ) -> float | None:
        """Seconds to wait before the next try, as the provider asks or by back-off.

        None when there is no sense in another try, or no time for it.
        """
        tries = min(self.tries, error.most_tries or self.tries)
        if not error.retryable or attempt + 1 >= tries:
            return None
        pause = error.retry_after_s
        if pause is None:
            pause = self.pause_s(attempt, jitter)
        return pause if pause < left_s else None
