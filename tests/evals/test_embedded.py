import json
from pathlib import Path

import pytest
from rich.console import Console

from evals.__main__ import main
from evals.embedded import (
    HELD_OUT,
    Part,
    Result,
    choose_parts,
    desk_figures,
    failures,
    figures,
    sample_figures,
    table,
    wanting,
)
from evals.embedded_play import Played
from evals.embedded_scoring import Happened, Made, Score
from evals.embedded_set import Conversation, Expect, Labelled, Wanted
from evals.errors import NotForReading, UnknownSet
from evals.registry import Request

EFFECT = Made(tool="pay", args={}, effect=True, proposed=True, unasked=True)
TEXT = "what was said word for word"


def played(
    id: str,
    expect: Expect,
    *,
    tool: bool = True,
    right: bool = True,
    asked: bool = False,
    wrong: tuple[Made, ...] = (),
) -> Played:
    label = Labelled(id=id, text=TEXT, expect=expect)
    return Played(
        label, Happened(), Score(tool_right=tool, right=right, asked=asked, wrong_effects=wrong)
    )


PLAYED = [
    played("a", "call"),
    played("b", "call", right=False),
    played("c", "call", tool=False, right=False, wrong=(EFFECT,)),
    played("d", "ask", asked=True),
    played("e", "talk", right=False),
    played("f", "off_topic"),
]


@pytest.fixture
def desks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for place, name in (
        ("given", "hotel"),
        ("own", "clinic"),
        ("own", "fleet"),
        ("own", "twice"),
        ("given", "twice"),
    ):
        folder = tmp_path / place / "desks" / name
        (folder / "experts").mkdir(parents=True)
        (folder / "app.yaml").touch()
        (folder / "requests.jsonl").touch()
    monkeypatch.setattr("evals.embedded.OWN_DESKS", tmp_path / "own" / "desks")
    return tmp_path / "given"


def asked(data: Path, **more: tuple[str, ...]) -> Request:
    return Request(data=data, limit=None, progress=Console(stderr=True), **more)


def test_shares_are_of_the_turns_that_want_calls_and_of_those_that_want_none() -> None:
    assert desk_figures(PLAYED) == {
        "turns": 6,
        "tool_right": 0.667,
        "right": 0.333,
        "no_call_right": 0.667,
        "wrong_effects": 1,
        "performed_unasked": 1,
    }
    assert desk_figures([])["right"] == 0.0


def test_at_the_company_asking_back_counts_and_talk_does_not() -> None:
    found = sample_figures(Result(Part("sample", "sample"), PLAYED, frozenset("b")))
    assert (found["sample_total"], found["sample_right"], found["sample_share"]) == (3, 2, 0.667)
    assert (found["sample_off_topic_total"], found["sample_off_topic_ok"]) == (1, 1)


def test_wrong_effects_count_in_requests_that_do_not() -> None:
    found = sample_figures(Result(Part("sample", "sample"), PLAYED, frozenset("c")))
    assert (found["wrong_effects"], found["performed_unasked"]) == (1, 1)


def test_our_desks_are_not_mixed_with_those_of_others() -> None:
    parts = (Part("hr", "given"), Part("clinic", "own"), Part("swapped", "swapped"))
    found = figures([Result(part, PLAYED) for part in parts])
    assert [list(found[key]) for key in ("desks", "own_desks")] == [["hr"], ["clinic"]]  # type: ignore[arg-type]
    assert found["swapped_right"] == 0.5
    assert "sample_total" not in found
    assert json.loads(json.dumps(found)) == found


def test_requests_for_a_query_are_found() -> None:
    calls = (Wanted(tool="run_query", args={}), Wanted(tool="get_order", args={}))
    requests = tuple(
        Labelled(id=f"x.{number}", text="", expect="call", calls=calls[number:])
        for number in (0, 1)
    )
    assert wanting([Conversation("x", "test", requests)], "run_query") == {"x.0"}


def test_the_table_tells_no_request() -> None:
    lines = "\n".join(table([Result(Part("clinic", "own"), PLAYED, refused="no such key")]))
    assert "ours: clinic" in lines
    assert "could not be opened: no such key" in lines
    assert TEXT not in lines


def test_failures_tell_label_calls_and_the_answer_s_beginning() -> None:
    label = Labelled(id="a.1", text=TEXT, expect="off_topic")
    happened = Happened(calls=(Made(tool="find", args={"n": 1, "m": ""}),), text="x" * 500)
    one = Played(label, happened, Score(tool_right=True, right=False))
    shown = "\n".join(failures(Result(Part("clinic", "own"), [one, *PLAYED[:1]])))
    assert "wanted off_topic" in shown
    assert "find(n=1)" in shown
    assert shown.count("x" * 200) == 1
    assert "x" * 201 not in shown
    assert shown.count(TEXT) == 1


def test_all_sets_are_played_or_those_that_are_named(desks: Path) -> None:
    titles = [part.title for part in choose_parts(asked(desks))]
    own = ["ours: clinic", "ours: fleet", "ours: twice"]
    assert titles == ["hotel", "twice", *own, "sample", "swapped"]
    (one,) = choose_parts(asked(desks, only=("hotel",)))
    assert (one.kind, one.folder) == ("given", desks / "desks" / "hotel")
    with pytest.raises(UnknownSet, match="motel"):
        choose_parts(asked(desks, only=("motel",)))


@pytest.mark.parametrize("name", ["hotel", "fleet", "sample", "swapped", "twice"])
def test_what_went_wrong_is_shown_of_no_set_that_measures(desks: Path, name: str) -> None:
    with pytest.raises(NotForReading, match=r"no measure any more. Readable are clinic"):
        choose_parts(asked(desks, show=(name,)))
    assert choose_parts(asked(desks, show=("clinic",)))


def test_held_out_desks_are_named() -> None:
    assert sorted(HELD_OUT) == ["academy", "fleet"]


def test_without_a_folder_of_desks_it_does_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["embedded", "--data", str(tmp_path)]) == 2
    assert "wanted desks in" in capsys.readouterr().err
