"""The embedded router: one `submit_plan` call, by examples, words and structure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage

from models.embedded.chat import EmbeddedChat, tool_call
from models.embedded.classes import names_month
from models.embedded.patterns import identifiers
from models.embedded.planning import Planner
from models.embedded.recollection import recollect
from models.embedded.replying import reply, with_details
from models.embedded.scene import Scene, read_scene
from models.embedded.smalltalk import small_talk
from models.embedded.speech import speech_act
from models.embedded.steps import IN_SCOPE, Step
from models.embedded.words import stems, words

ASKING: Final = 0.9
OWN_TOPIC: Final = 0.75  # of a part that is surely for the app, whatever stands before it
MIN_PARTS: Final = 2
_ADDING: Final = re.compile(r"(?:and|also|but|then|besides|plus|anyway|now)\b", re.IGNORECASE)
PLAN: Final = "submit_plan"
ACKNOWLEDGED: Final = "All right. Tell me when there is more to look up or to do."
_DECLINING: Final = re.compile(
    r"\b(?:never ?mind|forget (?:it|that)|leave it|drop it|no thanks|not now"
    r"|come back (?:to|when))\b",
    re.I,
)
EMPTY: Final = "I cannot read a request in that. What would you like to know or have done?"


class EmbeddedRouter(EmbeddedChat):
    """Chooses the experts for a question, answers what needs none, or asks back."""

    planner: Any

    @property
    def _llm_type(self) -> str:
        return "embedded-router"

    def reply(
        self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]
    ) -> AIMessage:
        """The plan."""
        scene = read_scene(messages, tools)
        plan = self._plan(scene)
        return AIMessage("", tool_calls=[tool_call(PLAN, plan, 0)])

    def _plan(self, scene: Scene) -> dict[str, Any]:
        planner: Planner = self.planner
        text = scene.user.strip()
        titles = [expert.title for expert in planner.experts.values()]
        if not words(text):
            return {"experts": [], "answer": "", "ask": EMPTY, "confidence": 0.0}
        if not self._has_intent(text) and (said := self._aside(text, scene)):
            return _answer(said)
        steps = planner.steps(text, scene)
        if not steps:
            return self._acknowledged(text, scene)
        wanted = [step for step in steps if not step.off_topic]
        if not wanted or self._stays_aside(text, steps):
            return _answer(_off_topic(planner, titles))
        known = [
            step for step in wanted if not step.unclear or _one_expert(step) or _toolless(step)
        ]
        return _consult(with_details(known, planner.lexicon)) if known else _ask(planner, wanted)

    def _has_intent(self, text: str) -> bool:
        """Whether an expert has an intent without a tool for a text, such as small talk."""
        planner: Planner = self.planner
        choice = planner.chooser.choose(text)
        return choice is not None and choice.found.tool is None and choice.alone >= IN_SCOPE

    def _aside(self, text: str, scene: Scene) -> str:
        """What needs no expert: small talk, what was said before, a remark about oneself."""
        planner: Planner = self.planner
        talk = small_talk(text, list(planner.experts.values()))
        if talk or planner.asks_tables(text, scene):
            return talk
        asks = self._is_request(text) or planner.demands(text)
        return recollect(text, scene) or ("" if asks else _noted(scene))

    def _is_request(self, text: str) -> bool:
        """Whether a text asks the app for something by its own words: a month's figures …."""
        planner: Planner = self.planner
        reading = planner.chooser.read(text)
        if reading and max(reading.acts[one] for one in ("records", "rules", "change")) >= ASKING:
            return True
        named = bool(planner.lexicon.nouns & set(stems(text)) or names_month(text))
        choice = planner.chooser.choose(text) if named else None
        return choice is not None and choice.alone >= IN_SCOPE

    def _stays_aside(self, text: str, steps: Sequence[Step]) -> bool:
        """Whether a message goes on with what is not for the app: "book me a flight. What is …?".

        What follows then is a question that only resembles the app's, with nothing of its own.
        """
        planner: Planner = self.planner
        if len(steps) < MIN_PARTS or not steps[0].off_topic or identifiers(text):
            return False
        if any(step.sure or _ADDING.match(step.text) for step in steps[1:]):
            return False
        chosen = [step.choice for step in steps if step.choice and not step.off_topic]
        own = any(one.alone >= OWN_TOPIC or one.found.anchored for one in chosen)
        whole = None if own or not chosen else planner.chooser.choose(text)
        return whole is not None and max(whole.alone, whole.in_scope) < IN_SCOPE

    def _acknowledged(self, text: str, scene: Scene) -> dict[str, Any]:
        """What becomes of "yes, that works": a reply to a question, or the end of a matter."""
        planner: Planner = self.planner
        step = None if _DECLINING.search(text) else reply("", scene, planner.chooser)
        return _consult([replace(step, text=text)]) if step else _answer(ACKNOWLEDGED)


def _toolless(step: Step) -> bool:
    """Whether an expert is meant for an intent that needs no tool."""
    return bool(step.choice and step.choice.found.tool is None and step.tool is None)


def _consult(steps: Sequence[Step]) -> dict[str, Any]:
    return {
        "experts": [{"name": step.expert, "question": step.text} for step in steps],
        "answer": "",
        "ask": "",
        "confidence": round(min(step.confidence for step in steps), 3),
    }


def _answer(text: str) -> dict[str, Any]:
    return {"experts": [], "answer": text, "ask": "", "confidence": 0.9}


def _one_expert(step: Step) -> bool:
    """Whether only the tool is unclear: the expert asks back better than the router."""
    choice = step.choice
    return bool(choice and choice.runner_up and choice.runner_up.expert == choice.found.expert)


def _ask(planner: Planner, steps: Sequence[Step]) -> dict[str, Any]:
    names: list[str] = []
    for step in steps:
        if step.choice:
            found = [step.choice.found, *([step.choice.runner_up] if step.choice.runner_up else [])]
            names += [planner.experts[one.expert].title for one in found]
    areas = " or ".join(dict.fromkeys(names))
    ask = f"I am not sure what you need. Is it about {areas}, and which record do you mean?"
    confidence = round(min(step.confidence for step in steps), 3)
    return {"experts": [], "answer": "", "ask": ask, "confidence": confidence}


def _off_topic(planner: Planner, titles: Sequence[str]) -> str:
    does = " ".join(_first_sentence(expert.description) for expert in planner.experts.values())
    return f"I cannot help with that. This desk covers {', '.join(titles)}. {does}"


def _first_sentence(text: str) -> str:
    return text.split(". ")[0].rstrip(".") + "."


def _noted(scene: Scene) -> str:
    """A confirmation of what the store has kept of a message that asks for nothing."""
    noted = scene.note.get("noted", []) if scene.note else []
    if not noted or speech_act(scene.user) == "question" or identifiers(scene.user):
        return ""
    return f"Noted: {'; '.join(noted)}."
