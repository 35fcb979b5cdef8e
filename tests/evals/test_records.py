from evals.tau.records import Records


def base() -> dict[str, dict[str, dict[str, object]]]:
    return {"things": {"a": {"n": 5}, "b": {"n": 1}}}


def test_changes_leave_the_base_alone() -> None:
    tables = base()
    Records(tables).edit("things", "a")["n"] = 6
    assert tables == base()


def test_a_trial_reaches_its_origin_only_when_it_is_taken() -> None:
    records = Records(base())
    trial = records.fork()
    trial.edit("things", "a")["n"] = 6
    before = records.find("things", "a")
    records.take(trial)
    assert (before, records.find("things", "a")) == ({"n": 5}, {"n": 6})


def test_a_record_set_back_to_its_value_is_not_a_difference() -> None:
    records = Records(base())
    records.edit("things", "a")["n"] = 5.0
    records.put("things", "c", {"n": 0})
    assert records.diff() == {"things": {"c": {"n": 0}}}


def test_an_integer_and_the_equal_float_differ_as_text() -> None:
    records = Records(base())
    records.edit("things", "a")["n"] = 5.0
    assert not records.same_text(Records(base()))


def test_new_records_come_last() -> None:
    records = Records(base())
    records.put("things", "0", {"n": 0})
    assert [key for key, _ in records.each("things")] == ["a", "b", "0"]
