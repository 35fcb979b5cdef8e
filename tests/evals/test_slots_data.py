"""The labelled requests of the slot reader: every label can be learned."""

from evals.slots_data import MOST_QUERIES, SLOTS, slot_rows


def test_what_an_utterance_states_stands_in_it_or_is_an_option() -> None:
    rows = slot_rows()
    places = [(row, place) for row in rows for one in row.queries for place in one.places]
    assert len(places) > len(rows) / 2
    assert all(0 <= a < b <= len(row.text) for row, (a, b) in places)
    assert any(one.pooled and one.said == 1 for row in rows for one in row.queries)
    assert any(one.said == -1 for row in rows for one in row.queries)


def test_files_held_out_are_not_learned() -> None:
    files = [file.stem for file in SLOTS.glob("*.jsonl")]
    kept = [slot_rows({name}) for name in files]
    every = slot_rows()
    assert len(files) == 9
    assert sum(len(every) - len(rows) for rows in kept) == len(every)
    assert slot_rows(files) == []


def test_no_query_of_a_row_is_cut_off() -> None:
    assert max(len(row.queries) for row in slot_rows()) <= MOST_QUERIES
