import pytest

import nodes.upgrade
from nodes.errors import StateTooNew
from nodes.upgrade import upgrade
from state import SCHEMA_VERSION


def test_a_new_thread_gets_the_present_version() -> None:
    assert upgrade({}) == {"schema_version": SCHEMA_VERSION}


def test_a_state_of_the_present_version_is_left_as_it_is() -> None:
    values = {"schema_version": SCHEMA_VERSION, "answer": "x"}
    assert upgrade(values) == values


def test_an_old_state_goes_through_every_step_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes.upgrade, "SCHEMA_VERSION", 3)
    steps = {n: lambda values, n=n: {**values, "steps": [*values["steps"], n]} for n in (1, 2)}
    monkeypatch.setattr(nodes.upgrade, "UPGRADES", steps)
    assert upgrade({"schema_version": 1, "steps": []}) == {"schema_version": 3, "steps": [1, 2]}


def test_a_state_is_not_changed_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes.upgrade, "SCHEMA_VERSION", 2)
    monkeypatch.setattr(nodes.upgrade, "UPGRADES", {1: lambda values: {**values, "answer": "new"}})
    before = {"schema_version": 1, "answer": "old"}
    assert upgrade(before)["answer"] == "new"
    assert before == {"schema_version": 1, "answer": "old"}


def test_a_step_is_there_for_every_version_before_the_present_one() -> None:
    assert set(nodes.upgrade.UPGRADES) == set(range(1, SCHEMA_VERSION))


def test_a_later_version_is_refused() -> None:
    with pytest.raises(StateTooNew, match="Install the newer version"):
        upgrade({"schema_version": SCHEMA_VERSION + 1})
