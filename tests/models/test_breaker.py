import asyncio
from dataclasses import dataclass

import pytest

from models.breaker import Breakers
from models.errors import EndpointDown, InvalidRequest, ModelError, Overloaded

HERE = "http://here/v1"


@dataclass
class Time:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def breakers(time: Time) -> Breakers:
    return Breakers(open_after=2, cooldown_s=30, longest_cooldown_s=50, now=time)


def said(kind: type[ModelError]) -> ModelError:
    return kind(wanted="an answer", came="503", next_step="Wait.")


def end(circuits: Breakers, kind: type[ModelError] | None, place: str = HERE) -> None:
    """One request that ends like this."""
    with circuits.watch(place):
        if kind is not None:
            raise said(kind)


def fail(circuits: Breakers, times: int) -> None:
    for _ in range(times):
        with pytest.raises(Overloaded):
            end(circuits, Overloaded)


def test_an_endpoint_that_fails_in_a_row_is_left_alone_and_the_error_says_for_how_long() -> None:
    circuits = breakers(Time())
    fail(circuits, 2)
    with pytest.raises(
        EndpointDown, match=r"2 failures in a row, the last one: 503.* 30 s"
    ) as down:
        end(circuits, None)
    assert down.value.retry_after_s == 30
    end(circuits, None, "http://elsewhere/v1")


def test_a_success_between_failures_starts_the_count_again() -> None:
    circuits = breakers(Time())
    fail(circuits, 1)
    end(circuits, None)
    fail(circuits, 1)
    end(circuits, None)


def test_an_endpoint_that_says_no_is_there() -> None:
    circuits = breakers(Time())
    for _ in range(5):
        with pytest.raises(InvalidRequest):
            end(circuits, InvalidRequest)
    end(circuits, None)


def test_failing_background_work_does_not_take_an_endpoint_from_the_users() -> None:
    circuits = breakers(Time())
    for _ in range(5):
        with pytest.raises(Overloaded), circuits.watch(HERE, background=True):
            raise said(Overloaded)
    end(circuits, None)


def test_after_the_pause_one_call_probes_and_closes_the_circuit() -> None:
    time = Time()
    circuits = breakers(time)
    fail(circuits, 2)
    time.now = 31
    with circuits.watch(HERE), pytest.raises(EndpointDown):
        end(circuits, None)
    end(circuits, None)


def test_a_failed_probe_doubles_the_pause_up_to_its_longest() -> None:
    time = Time()
    circuits = breakers(time)
    fail(circuits, 2)
    time.now = 31
    fail(circuits, 1)
    with pytest.raises(EndpointDown) as down:
        end(circuits, None)
    assert down.value.retry_after_s == 50


def test_a_cancelled_probe_lets_the_next_one_through() -> None:
    time = Time()
    circuits = breakers(time)
    fail(circuits, 2)
    time.now = 31
    with pytest.raises(asyncio.CancelledError), circuits.watch(HERE):
        raise asyncio.CancelledError
    end(circuits, None)
