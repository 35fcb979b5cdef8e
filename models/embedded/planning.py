"""From a message to steps: which tool each of its requests is for, with what the tool needs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from configs.expert import ExpertConfig, ToolConfig
from models.embedded.arguments import ArgumentReader, Request, vocabulary
from models.embedded.chooser import Choice, Chooser, Place
from models.embedded.classes import RequestClass
from models.embedded.demand import demands
from models.embedded.fields import arguments_of
from models.embedded.followup import asked_back, asks_on, corrected, is_bare_answer, repeatable
from models.embedded.lessons import Filling
from models.embedded.names import names
from models.embedded.patterns import ID, identifiers
from models.embedded.readers import choice_forms
from models.embedded.scene import Scene, own_today
from models.embedded.segments import split_requests
from models.embedded.speech import core, speech_act
from models.embedded.words import stem, stems, words
from state import TurnRecord

IN_SCOPE: Final = 0.5
SURE: Final = 0.3
SURE_ALONE: Final = 0.6
REPEATED: Final = 0.8
_LIST: Final = re.compile(r"\b(\w+):\s+((?:[a-z][\w -]*,\s*)+[a-z][\w -]*)\.")


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a message.

    Attributes:
        before: the message up to this request.
        choice: the chooser's verdict; None for a repeated call.
        repeats: arguments of an earlier call that this one repeats with other values.
    """

    text: str
    before: str
    expert: str
    tool: str | None
    confidence: float
    in_scope: float
    choice: Choice | None = None
    repeats: Mapping[str, Any] | None = None

    @property
    def off_topic(self) -> bool:
        """Whether no expert is meant."""
        return self.in_scope < IN_SCOPE

    @property
    def unclear(self) -> bool:
        """Whether it is better to ask back than to act."""
        return self.tool is None or self.confidence < SURE


class Planner:
    """Reads messages against the app's experts."""

    def __init__(
        self, experts: Sequence[ExpertConfig], chooser: Chooser, reader: ArgumentReader
    ) -> None:
        """Read the app's vocabulary off its experts."""
        self.reader = reader
        self.experts = {expert.name: expert for expert in experts}
        self.chooser = chooser
        self._tools: dict[str, tuple[ToolConfig, str]] = {
            tool.name: (tool, expert.name) for expert in experts for tool in expert.tools
        }
        self._classes: dict[str, RequestClass] = {one.key: one for one in chooser.classes}
        examples = [text for one in chooser.classes for text in one.examples]
        self._nouns = frozenset(stem(part) for name in self._tools for part in name.split("_")[1:])
        self._verbs = frozenset(_opening(text) for text in examples) - {""}
        self._words = vocabulary([*examples, *(_own_text(expert) for expert in experts)])

    @property
    def tools(self) -> frozenset[str]:
        """Names of all configured tools."""
        return frozenset(self._tools)

    def tool(self, name: str) -> ToolConfig:
        """The configuration of a tool."""
        return self._tools[name][0]

    def steps(self, text: str, scene: Scene, expert: str | None = None) -> list[Step]:
        """The requests of a message, each with its tool.

        Args:
            text: the message, or an expert's part of it.
            scene: the prompt.
            expert: only this expert's tools; None chooses among all.
        """
        whole = self.completed(text, scene)
        found: list[Step] = []
        before = scene.user[: max(0, scene.user.find(whole))]
        for part in split_requests(whole, self._verbs, self._nouns):
            continued = any(not step.off_topic for step in found)
            step = self._step(part, before, scene, expert, continued)
            if continued and step.off_topic and self._nouns & set(stems(part)):
                step = replace(step, in_scope=IN_SCOPE)  # "and their orders too"
            found.append(step)
            before = f"{before} {part}".strip()
        return found

    def completed(self, text: str, scene: Scene) -> str:
        """The text, joined with the last request when it only corrects or completes that."""
        if fixed := corrected(text, scene):
            return fixed
        if asked_back(scene.last) and scene.last and is_bare_answer(text):
            alone = self.chooser.choose(text)
            standing = alone and alone.in_scope >= IN_SCOPE and alone.confidence >= SURE_ALONE
            if not standing or speech_act(text) == "comment" or not _has_verb(text, self._verbs):
                earlier = replace(scene, history=scene.history[:-1])
                return _answered(scene.last, self.completed(scene.last["user"], earlier), text)
        return text

    def request(self, step: Step, scene: Scene) -> Request:
        """What the arguments of a step's tool may be read from."""
        config = self.experts[step.expert]
        found = self._classes.get(step.tool or "")
        return Request(
            text=step.text,
            scene=scene,
            today=self.today(step.expert, scene),
            before=step.before,
            deeds=found.deeds if found else (),
            titles=_titles(config),
            known_words=self._words,
            base_months=scene.months(),
        )

    def today(self, expert: str, scene: Scene) -> date:
        """The day that "last month" counts from."""
        return own_today(self.experts[expert].brief, scene.today)

    def _step(
        self, text: str, before: str, scene: Scene, expert: str | None, continued: bool
    ) -> Step:
        repeat = self._repeat(text, scene, expert)
        if repeat:
            return repeat
        earlier = [one.text for one in identifiers(before, self.chooser.kinds)]
        focus = earlier[-1:] or scene.ids(self.chooser.kinds)
        previous = scene.last["route"][0] if scene.last and scene.last["route"] else None
        place = Place(previous=previous, focus=focus, continued=continued)
        choice = self.chooser.choose(text, place, expert=expert)
        if choice is None:
            return Step(text, before, expert or "", None, 0.0, 0.0)
        return Step(
            text=text,
            before=before,
            expert=choice.found.expert,
            tool=choice.found.tool,
            confidence=choice.confidence,
            in_scope=choice.in_scope,
            choice=choice,
        )

    def _repeat(self, text: str, scene: Scene, expert: str | None) -> Step | None:
        if any(demands(text, one.deeds) for one in self.chooser.classes):
            return None
        named = [*names(text, self._words), *self._choices(scene)]
        for call in repeatable(text, scene, named):
            tool, owner = self._tools.get(call["name"], (None, ""))
            if tool is None or expert not in (None, owner) or tool.name not in scene.tools:
                continue
            step = Step(text, "", owner, tool.name, REPEATED, 1.0, repeats=call["args"])
            if asks_on(text) or self._differs(step, scene):
                return step
        return None

    def _differs(self, step: Step, scene: Scene) -> bool:
        return any(call != step.repeats for call in self.fill(step, scene).calls)

    def _choices(self, scene: Scene) -> list[str]:
        """Words for the allowed values of the tools in the last turn: "only the paid ones"."""
        last = scene.last["modules"] if scene.last else []
        schemas = [scene.tools.get(call["name"]) for part in last for call in part["calls"]]
        arguments = [
            one for schema in schemas if schema for one in arguments_of(schema["parameters"])
        ]
        return [form.capitalize() for one in arguments for form in choice_forms(one)]

    def fill(self, step: Step, scene: Scene) -> Filling:
        """The calls of a step; a repeated call takes from the text only what differs."""
        schema = scene.tools[step.tool or ""]
        request = self.request(step, scene)
        if step.repeats is None:
            return self.reader.read(schema, request)
        alone = replace(request, scene=replace(scene, history=(), summary="", note=None))
        found = self.reader.read(schema, alone)
        calls = tuple({**step.repeats, **call} for call in found.calls)
        return replace(found, calls=calls, missing=(), options=())


def _answered(record: TurnRecord, request: str, text: str) -> str:
    """The last request with the answer to what the desk asked about it."""
    asked = record["answer"].rstrip()
    because = asked.endswith(("the reason?", "I need the reason. What is it?"))
    start = request.rstrip(" .?!")
    if because and not text.lower().startswith("because"):
        return f"{start} because {text}"
    return f"{start}: {text}"


def _opening(text: str) -> str:
    first = next(iter(words(core(ID.sub(" ", text)))), "")
    return first if speech_act(text) == "command" and first.isalpha() else ""


def _has_verb(text: str, verbs: frozenset[str]) -> bool:
    return next(iter(words(core(text))), "") in verbs or speech_act(text) == "question"


def _own_text(expert: ExpertConfig) -> str:
    texts = [expert.description, expert.brief]
    for tool in expert.tools:
        texts += [tool.description, tool.when, tool.when_not, tool.returns, tool.constraints]
    return "\n".join(texts)


def _titles(expert: ExpertConfig) -> tuple[str, ...]:
    """Titles that the brief lists: "Policies: refunds, security, discounts."."""
    found = _LIST.search(" ".join(expert.brief.split()))
    return tuple(part.strip() for part in found[2].split(",")) if found else ()
