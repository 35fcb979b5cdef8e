"""Choosing a tool, or none of them: learned from examples, kept between starts."""

from pathlib import Path

import pytest

from configs.expert import ExpertConfig
from models.embedded.acts import ActReader, shared_act_reader
from models.embedded.chooser import Chooser, masked, tools_of
from models.embedding import open_embedder, shared_embedder

YARD = ExpertConfig.model_validate(
    {
        "name": "yard",
        "title": "Yard",
        "description": "Crates in the yard: where they are, sending them back.",
        "brief": "You keep the yard.",
        "tools": [
            {
                "name": "find_crate",
                "function": "yard:find_crate",
                "effect": "read_only",
                "description": "Where a crate is, who owns it",
                "when": "one crate is asked about",
                "returns": "the crate",
                "examples": ["where is CRT-0001", "who owns CRT-0007?", "show me crate 12",
                             "is CRT-0003 still here", "look up the crate of Holm"],
            },
            {
                "name": "send_back",
                "function": "yard:send_back",
                "effect": "irreversible",
                "description": "Send a crate back to its owner",
                "when": "it is not wanted any more",
                "returns": "the crate",
                "examples": ["send CRT-0001 back", "return this crate to Holm please",
                             "CRT-0004 can go back", "ship crate 9 home", "please return both"],
            },
        ],
        "intents": [
            {"name": "opening_hours", "examples": ["when is the yard open", "open on Sunday?"]}
        ],
    }
)  # fmt: skip


def acts() -> ActReader:
    return shared_act_reader()


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Chooser:
    folder = tmp_path_factory.mktemp("yard")
    return Chooser([YARD], shared_embedder(), acts(), folder)


def chosen(chooser: Chooser, text: str, before: str = "", done: str = "") -> str:
    found = chooser.choose(text, before=before, done=done)
    assert found is not None
    return found.tool.name if found.in_scope > 0.5 else "nothing"


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("can you see where CRT-0042 stands?", "find_crate"),
        ("whose is CRT-0042", "find_crate"),
        ("CRT-0042 goes back to its owner now", "send_back"),
        ("please have CRT-0042 returned", "send_back"),
        ("at what time do you open on Monday?", ""),
        ("will it rain in Hamburg tomorrow", "nothing"),
        ("write me a poem about the sea", "nothing"),
    ],
)
def test_a_request_reaches_the_tool_whose_examples_are_like_it(
    yard: Chooser, text: str, tool: str
) -> None:
    assert chosen(yard, text) == tool


def test_what_goes_on_with_the_last_call_is_read_with_it(yard: Chooser) -> None:
    assert chosen(yard, "and CRT-0007?", before="where is CRT-0001", done="find_crate") == (
        "find_crate"
    )


def test_only_the_tools_that_may_be_chosen_are(yard: Chooser) -> None:
    found = yard.choose("send CRT-0001 back", among=yard.tools[:1])
    assert found is not None
    assert found.tool.name == "find_crate"
    assert yard.choose("send CRT-0001 back", among=[]) is None


def test_tools_and_intents_without_one_are_read_off_the_experts() -> None:
    found = [(one.name, one.effect, len(one.examples)) for one in tools_of([YARD])]
    assert found == [
        ("find_crate", "read_only", 5), ("send_back", "irreversible", 5), ("", "read_only", 2),
    ]  # fmt: skip


def test_ids_dates_and_numbers_weigh_the_same_whatever_they_are() -> None:
    assert masked("CRT-0001 on 2026-05-09 for 30") == masked("CRT-0099 on 2025-01-01 for 4.50")


def test_an_app_with_a_single_tool_opens(tmp_path: Path) -> None:
    single = YARD.model_copy(update={"tools": YARD.tools[:1], "intents": ()})
    chooser = Chooser([single], shared_embedder(), acts(), tmp_path)
    assert chosen(chooser, "where is CRT-0042?") == "find_crate"


def test_tools_without_examples_are_chosen_by_their_descriptions(tmp_path: Path) -> None:
    bare = YARD.model_copy(
        update={
            "tools": [one.model_copy(update={"examples": ()}) for one in YARD.tools],
            "intents": (),
        }
    )
    chooser = Chooser([bare], shared_embedder(), acts(), tmp_path)
    found = chooser.choose("please send that crate back to its owner")
    assert found is not None
    assert found.tool.name == "send_back"


def test_two_choosers_agree_with_and_without_kept_vectors(yard: Chooser, tmp_path: Path) -> None:
    fresh, kept, none = (
        Chooser([YARD], open_embedder(), acts(), folder) for folder in (tmp_path, tmp_path, None)
    )
    for text in ("who owns CRT-0042", "return it to Holm", "sing me a song"):
        found = [one.choose(text) for one in (yard, fresh, kept, none)]
        assert found[0] is not None
        assert all(one is not None and one.tool == found[0].tool for one in found)
        assert all(one is not None and one.sure == found[0].sure for one in found)
