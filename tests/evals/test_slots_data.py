"""The labelled requests that slots are learned from: every label can be learned."""

import random

from evals.slots_data import MOST_QUERIES, SLOTS, desks, drawn, plain, texts


def test_what_an_utterance_states_stands_in_it() -> None:
    rows = [row for desk in desks() for row in plain(desk)]
    places = [(row, place) for row in rows for _, some in row.queries for place in some]
    assert len(places) > len(rows) / 2
    assert all(0 <= a < b <= len(row.text) for row, (a, b) in places)
    assert max(len(row.queries) for row in rows) < MOST_QUERIES


def test_files_held_out_are_not_learned() -> None:
    files = [file.stem for file in SLOTS.glob("*.jsonl")]
    every = len(drawn((), random.Random(0)))
    kept = [len(drawn({name}, random.Random(0))) for name in files]
    assert len(files) == 9
    assert sum(every - count for count in kept) == every
    assert drawn(files, random.Random(0)) == []


def test_each_option_of_a_choice_may_be_meant() -> None:
    said = 0
    for desk in desks():
        options = {one["name"]: one["options"] for one in desk["params"] if one.get("options")}
        for one in desk["utterances"]:
            for name, value in one["values"].items():
                values = value if isinstance(value, list) else [value]
                if name in options:
                    assert set(values) <= {*options[name], None}, one
                    said += value is not None
    assert said > 1000


def test_whatever_is_drawn_was_read_before() -> None:
    known = set(texts())
    for row in drawn((), random.Random(1)):
        assert row.text in known
        assert {query for query, _ in row.queries} <= known
