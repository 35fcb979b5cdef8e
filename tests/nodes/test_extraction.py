"""A model words and judges drafts; what it makes up, leaves out or cannot say is stored nowhere."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from configs.sections import ModelProfile
from memory.artifacts import Artifacts
from memory.consolidation import Draft, Occasion
from memory.database import Database
from memory.drafting import Drafter
from memory.segmentation import Segmenter
from models.errors import ConnectionFailed, InvalidRequest, ModelError
from models.gateway import Gateway
from nodes.ask_background import AskBackground
from nodes.extraction import SUBMIT_EPISODES, SUBMIT_VERDICT, AskExtractor, AskJudge, quoted
from state import Scope
from tests.fakes.scripted import Answer, ScriptedModel
from tests.graph.plays import call as tool_call
from tests.memory.conftest import database, url
from tests.memory.remembered import LEARNABLE, messages_of
from tests.memory.samples import call, turn

__all__ = ["database", "url"]

RECORD = turn(1, "Refund 20 EUR on INV-10", "Done.", call("issue_refund", {"amount": 20}))
MESSAGES = messages_of(RECORD)
PLACE = Occasion("default:t", 1)


@pytest.fixture
async def draft(database: Database) -> Draft:
    (segment,) = Segmenter().batch(MESSAGES)
    drafter = Drafter(Artifacts(database), LEARNABLE)
    made = await drafter.draft(Scope(user="ana"), "t", segment, MESSAGES, [RECORD])
    return made["drafts"][0]


def asking(answer: Answer, role: str = "extractor") -> tuple[AskBackground, ScriptedModel]:
    def script(_: str, __: list[BaseMessage], ___: list[Mapping[str, Any]]) -> Answer:
        return answer

    model = ScriptedModel(role=role, script=script)
    profiles = {role: ModelProfile()}
    return AskBackground(Gateway({role: model}, profiles), profiles), model


def says(tool: str, **args: Any) -> AIMessage:  # noqa: ANN401 - JSON
    return AIMessage("", tool_calls=[tool_call(tool, **args)])


def episode(draft: Draft, **texts: str) -> dict[str, str]:
    return {"id": draft["id"], "situation": "a refund", "observation": "it was paid", **texts}


async def test_the_models_words_take_the_place_of_the_rules_and_the_actions_stay(
    draft: Draft,
) -> None:
    reply = says(SUBMIT_EPISODES, episodes=[episode(draft, lesson="Ask first")])
    asked, model = asking(reply)
    worded = await AskExtractor(asked, "PROMPT").word(MESSAGES, [draft], "say more", PLACE)
    (made,) = worded.drafts
    assert made["episode"]["situation"] == "a refund"
    assert made["episode"]["lesson"] == "Ask first"
    assert made["episode"]["actions"] == draft["episode"]["actions"]
    assert made["text"] == "a refund\nissue_refund: done"
    shown = json.loads(str(model.prompts[0].messages[1].text))
    assert (shown["wrong_last_time"], len(shown["conversation"])) == ("say more", 2)


@pytest.mark.parametrize(
    "reply",
    [
        "Sure! The user wanted a refund.",
        says(SUBMIT_EPISODES, episodes=[]),
        says(SUBMIT_EPISODES, episodes="none"),
        says(
            SUBMIT_EPISODES, episodes=[{"id": "epi_made_up", "situation": "x", "observation": "y"}]
        ),
        says("wipe_disk"),
        "",
    ],
)
async def test_prose_gaps_and_inventions_are_sent_back(draft: Draft, reply: Answer) -> None:
    asked, _ = asking(reply)
    worded = await AskExtractor(asked, "PROMPT").word(MESSAGES, [draft], "", PLACE)
    assert (worded.drafts, worded.failed, worded.waits) == ((), "", "")
    assert worded.fault


@pytest.mark.parametrize(
    ("error", "verdict"), [(ConnectionFailed, "waits"), (InvalidRequest, "failed")]
)
async def test_who_cannot_be_asked_has_failed_or_waits_and_the_draft_has_no_fault(
    draft: Draft, error: type[ModelError], verdict: str
) -> None:
    down = error(wanted="a reply", came="503", next_step="wait")
    asked, _ = asking(down)
    worded = await AskExtractor(asked, "PROMPT").word(MESSAGES, [draft], "", PLACE)
    assert "could not be asked" in {"waits": worded.waits, "failed": worded.failed}[verdict]
    assert worded.fault == ""
    judge, _ = asking(down, "judge")
    assert (await AskJudge(judge, "PROMPT").judge(MESSAGES, draft, PLACE)).verdict == verdict


@pytest.mark.parametrize("verdict", ["accept", "discard", "feedback"])
async def test_a_judges_verdict_is_taken(draft: Draft, verdict: str) -> None:
    judge, _ = asking(says(SUBMIT_VERDICT, verdict=verdict, reason="because"), "judge")
    opinion = await AskJudge(judge, "PROMPT").judge(MESSAGES, draft, PLACE)
    assert (opinion.verdict, opinion.reason) == (verdict, "because")


@pytest.mark.parametrize("reply", ["Looks good to me", says(SUBMIT_VERDICT, verdict="maybe")])
async def test_a_verdict_that_cannot_be_read_accepts_nothing(draft: Draft, reply: Answer) -> None:
    judge, _ = asking(reply, "judge")
    assert (await AskJudge(judge, "PROMPT").judge(MESSAGES, draft, PLACE)).verdict == "feedback"


async def test_long_conversations_are_cut_to_their_end() -> None:
    long = messages_of(*(turn(at, f"{at} " + "word " * 3000) for at in range(60)))
    shown = await quoted(long)
    assert 5 < len(shown) < len(long)
    assert shown[-1]["said"] == "Done."
