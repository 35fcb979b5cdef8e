"""How drafts are worded and judged by models: one forced call each, never in the user's stream."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, ValidationError

from configs.settings import Settings
from memory.consolidation import Draft, Occasion
from memory.drafting import Wording
from memory.segment_shapes import SourceMessage
from memory.validation import Opinion
from models.errors import OUTAGES, BadOutput, ModelError, Refused
from models.tokens import load, truncate
from nodes.ask_background import AskBackground, Form

SUBMIT_EPISODES: Final = "submit_episodes"
SUBMIT_VERDICT: Final = "submit_verdict"
WORDED: Final = ("situation", "observation", "topic", "lesson", "avoid", "alternative")
MESSAGE_TOKENS: Final = 800
CONVERSATION_TOKENS: Final = 12_000
TEXT_CHARS: Final = 1_000


class WordedEpisode(BaseModel):
    """One draft in the extractor's words."""

    id: str
    situation: str
    observation: str
    topic: str = ""
    lesson: str = ""
    avoid: str = ""
    alternative: str = ""


class SubmitEpisodes(BaseModel):
    """The extractor's reply."""

    episodes: list[WordedEpisode]


class SubmitVerdict(BaseModel):
    """The judge's reply."""

    verdict: Literal["accept", "discard", "feedback"]
    reason: str = ""


EPISODES: Final = Form("extractor", "extractor", SUBMIT_EPISODES, SubmitEpisodes)
VERDICT: Final = Form("judge", "judge", SUBMIT_VERDICT, SubmitVerdict)


class AskExtractor:
    """Words drafts through the role `extractor`."""

    def __init__(self, ask: AskBackground, prompt: str) -> None:
        """Bind how models are asked and what the extractor is told."""
        self._ask = ask
        self._prompt = prompt

    async def word(
        self,
        messages: Sequence[SourceMessage],
        drafts: Sequence[Draft],
        feedback: str,
        occasion: Occasion,
    ) -> Wording:
        """The drafts in the model's words; prose, gaps and inventions are faults, not episodes."""
        asked = {
            "conversation": await quoted(messages),
            "drafts": [{"id": one["id"], "result": one["result"], **_known(one)} for one in drafts],
            "wrong_last_time": feedback,
        }
        try:
            reply = await self._ask(EPISODES, self._prompt, self._ask.shown(asked), occasion)
            said = SubmitEpisodes.model_validate(EPISODES.args_of(reply))
            worded = {one.id: one for one in said.episodes}
        except (BadOutput, Refused, ValidationError) as error:
            return Wording(fault=f"the extractor's reply cannot be read: {error}")
        except OUTAGES as error:
            return Wording(waits=f"the extractor could not be asked: {error}")
        except ModelError as error:
            return Wording(failed=f"the extractor could not be asked: {error}")
        wanted = {one["id"] for one in drafts}
        if set(worded) != wanted:
            strange, missing = sorted(set(worded) - wanted), sorted(wanted - set(worded))
            return Wording(fault=f"unknown ids {strange}, drafts left out {missing}")
        return Wording(drafts=[_reworded(one, worded[one["id"]]) for one in drafts])


class AskJudge:
    """Judges a draft through the role `judge`."""

    def __init__(self, ask: AskBackground, prompt: str) -> None:
        """Bind how models are asked and what the judge is told."""
        self._ask = ask
        self._prompt = prompt

    async def judge(
        self, messages: Sequence[SourceMessage], draft: Draft, occasion: Occasion
    ) -> Opinion:
        """The judge's opinion; one that cannot be read is asked for again."""
        asked = {"conversation": await quoted(messages), "episode": draft["episode"]}
        try:
            reply = await self._ask(VERDICT, self._prompt, self._ask.shown(asked), occasion)
            said = SubmitVerdict.model_validate(VERDICT.args_of(reply))
        except (BadOutput, Refused, ValidationError) as error:
            return Opinion("feedback", f"the judge's reply cannot be read: {error}")
        except OUTAGES as error:
            return Opinion("waits", f"the judge could not be asked: {error}")
        except ModelError as error:
            return Opinion("failed", f"the judge could not be asked: {error}")
        return Opinion(said.verdict, said.reason)


def open_extractor(settings: Settings, ask: AskBackground) -> AskExtractor | None:
    """Who words drafts; the embedded profile leaves that to rules."""
    if settings.models["extractor"].provider == "embedded":
        return None
    return AskExtractor(ask, settings.prompts["extractor"])


def open_judge(settings: Settings, ask: AskBackground) -> AskJudge | None:
    """Who judges drafts after the check by code; nobody on the embedded profile."""
    if settings.models["judge"].provider == "embedded":
        return None
    return AskJudge(ask, settings.prompts["judge"])


async def quoted(messages: Sequence[SourceMessage]) -> list[dict[str, str]]:
    """What was said, as data: each message cut, and the newest ones within the budget."""
    await load()
    kept: list[dict[str, str]] = []
    left = CONVERSATION_TOKENS
    for message in reversed(messages):
        text = truncate(message["text"], min(MESSAGE_TOKENS, left))
        kept.insert(0, {"role": message["role"], "said": text})
        left -= min(MESSAGE_TOKENS, max(1, len(text) // 3))
        if left <= 0:
            break
    return kept


def _known(draft: Draft) -> dict[str, Any]:
    episode = draft["episode"]
    return {name: episode[name] for name in (*WORDED, "cause", "actions")}


def _reworded(draft: Draft, said: WordedEpisode) -> Draft:
    """The draft with the model's texts; what it leaves empty keeps the rule's."""
    texts = {name: getattr(said, name).strip()[:TEXT_CHARS] for name in WORDED}
    episode = {**draft["episode"], **{name: text for name, text in texts.items() if text}}
    deeds = "; ".join(f"{one['tool']}: {one['outcome']}" for one in episode["actions"])
    return {**draft, "episode": episode, "text": f"{episode['situation']}\n{deeds}".strip()}
