"""Leaves an endpoint alone that fails again and again, and tries it with one call after a while."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from configs.sections import RetrySettings
from models.errors import ConnectionFailed, EndpointDown, ModelError, ModelTimeout, Overloaded

_DOWN = (ConnectionFailed, ModelTimeout, Overloaded)


@dataclass(slots=True)
class _Circuit:
    failures: int = 0
    cooldown_s: float = 0.0
    closed_until: float | None = None  # when set, the endpoint is left alone until then
    probing: bool = False
    last: str = ""


class Breakers:
    """One circuit per endpoint: closed, open after `open_after` failures in a row, half open."""

    def __init__(
        self,
        *,
        open_after: int,
        cooldown_s: float,
        longest_cooldown_s: float,
        now: Callable[[], float],
    ) -> None:
        """Set the policy.

        Args:
            open_after: failures in a row after which the endpoint is left alone.
            cooldown_s: for how long; doubled at each failed probe.
            longest_cooldown_s: at most.
            now: seconds of a clock that only goes forward.
        """
        self._open_after = open_after
        self._cooldown_s = cooldown_s
        self._longest_s = longest_cooldown_s
        self._now = now
        self._circuits: dict[str, _Circuit] = {}

    @classmethod
    def of(cls, settings: RetrySettings, now: Callable[[], float]) -> Self:
        """The policy as configured."""
        return cls(
            open_after=settings.open_after,
            cooldown_s=settings.cooldown_s,
            longest_cooldown_s=settings.longest_cooldown_s,
            now=now,
        )

    @contextmanager
    def watch(self, place: str, *, background: bool = False) -> Iterator[None]:
        """Let one request through and learn from how it ends.

        Failures of background work do not take an endpoint from the users; they only prolong its
        rest when one of them was the probe.

        Raises:
            EndpointDown: the circuit is open, or its one probe is under way.
        """
        circuit = self._circuits.setdefault(place, _Circuit())
        self._admit(place, circuit)
        try:
            yield
        except _DOWN as error:
            if circuit.probing or not background:
                self._failed(circuit, error)
            raise
        except ModelError:
            self._answered(circuit)  # it said no, so it is there
            raise
        else:
            self._answered(circuit)
        finally:
            circuit.probing = False

    def _admit(self, place: str, circuit: _Circuit) -> None:
        if circuit.closed_until is None:
            return
        left_s = circuit.closed_until - self._now()
        if left_s > 0 or circuit.probing:
            raise _down(place, circuit, max(left_s, 1.0))
        circuit.probing = True

    def _failed(self, circuit: _Circuit, error: ModelError) -> None:
        circuit.failures, circuit.last = circuit.failures + 1, error.came
        if not circuit.probing and circuit.failures < self._open_after:
            return
        doubled = 2 * circuit.cooldown_s if circuit.probing else self._cooldown_s
        circuit.cooldown_s = min(doubled, self._longest_s)
        circuit.closed_until = self._now() + circuit.cooldown_s

    @staticmethod
    def _answered(circuit: _Circuit) -> None:
        circuit.failures, circuit.closed_until = 0, None


def _down(place: str, circuit: _Circuit, left_s: float) -> EndpointDown:
    return EndpointDown(
        wanted=f"an answer from {place}",
        came=f"{circuit.failures} failures in a row, the last one: {circuit.last}",
        next_step=f"It is left alone for another {left_s:.0f} s; ask again then.",
        retry_after_s=left_s,
    )
