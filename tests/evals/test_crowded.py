"""The crowded memory that recall is asked about."""

from collections import Counter

from evals.crowded import CUSTOMERS, EACH, items_of, stored_episodes
from state import Scope


def test_every_domain_holds_five_different_situations_of_each_customer() -> None:
    everything = stored_episodes()
    assert [len(stored) for stored in everything.values()] == [len(CUSTOMERS) * EACH] * 5
    keys = Counter(one.key for stored in everything.values() for one in stored)
    assert set(keys.values()) == {1}


def test_an_item_is_found_by_what_happened() -> None:
    (first, *_), *_ = stored_episodes().values()
    (item,) = items_of(Scope(user="ana"), [first])
    assert (item.turn_id, item.domain) == (first.key, first.domain)
    assert first.asked not in item.text
