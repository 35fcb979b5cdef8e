"""What a message asks for: its requests, each with the tool it is for and that tool's arguments."""

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import takewhile
from typing import Any, Final

from configs.expert import ExpertConfig
from configs.mcp import McpServer
from models.embedded.chooser import Choice, Chooser, Tool, remote_tools
from models.embedded.grammar import CONTINUES, JOINT, PERSONAL, PRONOUN
from models.embedded.scene import ASKED, Scene
from models.embedded.slots import Filler, Filling, Utterance, segments, utterance
from models.parameters import IdShape, Parameter, parameters_of
from text.words import words

IN_SCOPE: Final = 0.5
SURE: Final = 0.5
MOST_JOINTS: Final = 5
FEW_WORDS: Final = 5
SAME: Final = 0.5
TURNS_BACK: Final = 6
MOST_CHARS: Final = 2_000
"""Of one message that are read; what a person asks for stands in them."""
_DAY: Final = re.compile(r"(\d{4}-\d\d)(-\d\d)?$")
_SAME: Final = re.compile(r"\bsame\b", re.I)
_ONE_BESIDE: Final = re.compile(r"\b(?:the|that) one (after|before)\b", re.I)
_THAT_TIME: Final = re.compile(
    r"\b(?:then|that (?:day|week|month|time)|those days|same (?:day|week|month|time|period))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a message.

    Attributes:
        text: its words.
        choice: which tool it is for.
    """

    text: str
    choice: Choice
    heard: Utterance

    @property
    def tool(self) -> Tool:
        """The tool it is for."""
        return self.choice.tool

    @property
    def in_scope(self) -> bool:
        """Whether it is for the desk at all."""
        return self.choice.in_scope >= IN_SCOPE


class Planner:
    """Reads requests by the app's examples and its tools' schemas; shared by router and expert."""

    def __init__(
        self,
        experts: Sequence[ExpertConfig],
        chooser: Chooser,
        filler: Filler,
        servers: Mapping[str, McpServer] | None = None,
    ) -> None:
        """Bind the parts; each learns at its first use. What servers offer is seen in prompts."""
        self.experts = {one.name: one for one in experts}
        self.chooser = chooser
        self._filler = filler
        self._servers = servers or {}
        self._lock = threading.Lock()

    def take_in(self, scene: Scene) -> None:
        """Know the tools of MCP servers that a prompt shows; fits anew where some have changed."""
        own = [tool.name for one in self.experts.values() for tool in one.tools]
        shown = [one for name, one in scene.tools.items() if name not in own]
        with self._lock:
            known = self.chooser.tools
            tools = remote_tools(shown, self._servers, list(self.experts))
            if new := [one for one in tools if one not in known]:
                self.chooser = self.chooser.with_tools(new)

    def parameters(self, scene: Scene) -> dict[str, list[Parameter]]:
        """The parameters of each tool that the scene shows, an id's shape known by its name."""
        found = {name: parameters_of(schema) for name, schema in scene.tools.items()}
        shapes = {one.name: one.shape for some in found.values() for one in some if one.shape}
        return {
            name: [
                replace(one, shape=shapes.get(one.name))
                if one.kind == "name" and not one.shape
                else one
                for one in some
            ]
            for name, some in found.items()
        }

    def steps(self, text: str, scene: Scene, expert: str = "") -> list[Step]:
        """The requests of a message, those that no expert is meant for too; blocks.

        Args:
            text: the message, or an expert's part of it.
            scene: what stands before it.
            expert: only this expert's tools.
        """
        self.take_in(scene)
        plain = text[:MOST_CHARS].strip()
        among = [one for one in self.chooser.tools if one.serves(expert)] if expert else None
        parameters = self.parameters(scene)
        whole = self._step(plain, scene, parameters, among)
        if whole is None:
            return []
        return self._split(whole, scene, parameters, among) or [whole]

    def _step(
        self,
        text: str,
        scene: Scene,
        parameters: Mapping[str, Sequence[Parameter]],
        among: Sequence[Tool] | None,
        before: str | None = None,
    ) -> Step | None:
        heard = self.heard(text, scene, parameters)
        choice = self.chooser.choose(
            text,
            before=scene.before if before is None else before,
            done=scene.done if before is None else "",
            pending=self._pending(scene) if before is None else "",
            heard=heard,
            parameters=parameters,
            among=among,
        )
        return Step(text, choice, heard) if choice is not None else None

    def _pending(self, scene: Scene) -> str:
        """The tool that the user was asked back about."""
        if scene.done != ASKED:
            return ""
        choice = self.chooser.choose(scene.unanswered[0])
        return choice.tool.name if choice else ""

    def heard(
        self,
        text: str,
        scene: Scene,
        parameters: Mapping[str, Sequence[Parameter]],
        *,
        ahead: bool | None = None,
    ) -> Utterance:
        """What a text mentions, by the ids of all the desk's tools."""
        shapes: dict[str, IdShape] = {}
        for some in parameters.values():
            shapes |= {one.shape.kind: one.shape for one in some if one.shape}
        then, unit = _then(scene)
        text = _ONE_BESIDE.sub(rf"the {unit} \1", text)
        before = scene.before
        return utterance(text, shapes.values(), scene.today, before=before, ahead=ahead, then=then)

    def _split(
        self,
        whole: Step,
        scene: Scene,
        parameters: Mapping[str, Sequence[Parameter]],
        among: Sequence[Tool] | None,
    ) -> list[Step]:
        """Two requests, where a message is cut best; none where it is one."""
        cuts = [
            one
            for one in JOINT.finditer(whole.text)
            if one.start() > 0 and one.end() < len(whole.text)
        ]
        best: tuple[float, list[Step]] = (0.0, [])
        for cut in cuts[:MOST_JOINTS]:
            parts = [whole.text[: cut.start()], whole.text[cut.end() :]]
            if min(len(words(part)) for part in parts) < 2:
                continue
            first = self._step(parts[0], scene, parameters, among)
            second = self._step(parts[1], scene, parameters, among, before=parts[0])
            if first is None or second is None or not (first.in_scope and second.in_scope):
                continue
            sure = min(first.choice.sure, second.choice.sure) * min(
                first.choice.alone, second.choice.alone
            )
            if (
                first.tool != second.tool
                and first.tool.name
                and second.tool.name
                and sure > max(best[0], SURE)
            ):
                best = (sure, [first, second])
        return best[1]

    def fill(self, step: Step, scene: Scene) -> Filling:
        """The arguments of a step's tool, as far as this turn and those before say them; blocks."""
        parameters = self.parameters(scene)
        own = parameters.get(step.tool.name, [])
        ahead = True if step.tool.changes else None
        texts = [*scene.unanswered, *segments(step.text)]
        filling = Filling(missing=tuple(one for one in own if one.required))
        for text in texts:
            heard = self.heard(text, scene, parameters, ahead=ahead)
            filling = self._filler.fill(own, heard, scene.today).over(filling)
        if step.text != scene.user and scene.user:
            filling = self._with_message(filling, own, scene, parameters)
        filling = self._with_history(step, filling, own, scene)
        for one in own:
            if one.kind == "text" and filling.args.get(one.name) == heard.text:
                value = _after_opening(heard.text, step.tool.examples)
                filling = filling.with_value(one.name, value, "said")
        for one in filling.missing:
            if one.name in filling.guesses:
                option, sure = filling.guesses[one.name]
                filling = filling.with_value(one.name, option, "said", sure)
        return filling

    def _with_message(
        self,
        filling: Filling,
        own: Sequence[Parameter],
        scene: Scene,
        parameters: Mapping[str, Sequence[Parameter]],
    ) -> Filling:
        """What a request leaves out and the rest of its message says: "… and what is left then"."""
        lacking = [
            one
            for one in own
            if one.name in {each.name for each in filling.missing}
            and one.kind in ("id", "name", "day", "month")
        ]
        if not lacking:
            return filling
        heard = self.heard(scene.user, scene, parameters)
        for name, value in self._filler.fill(lacking, heard, scene.today).args.items():
            filling = filling.with_value(name, value, "said")
        return filling

    def _with_history(
        self, step: Step, filling: Filling, own: Sequence[Parameter], scene: Scene
    ) -> Filling:
        """The filling with what the turns before say, where the request goes on with them."""
        calls = list(scene.calls())[:TURNS_BACK]
        reading = step.choice.reading
        short = len(words(step.text)) <= FEW_WORDS or bool(CONTINUES.match(step.text))
        last = calls[0] if calls else None
        again = last is not None and last["name"] == step.tool.name and not scene.asked
        if last and again and (reading.same >= SAME or short):
            known = {one.name for one in own}
            args = {
                name: value
                for name, value in last["args"].items()
                if name in known and value not in (None, "")
            }
            if filling.args or not step.tool.changes:
                return filling.over(Filling(args, dict.fromkeys(args, "earlier")))
        points = bool(PRONOUN.search(step.text)) or short
        alike = bool(_SAME.search(step.text))
        for one in own:
            if one.name in filling.args or (filling.part and filling.part[0].name == one.name):
                continue
            personal = one.kind in ("id", "name") and bool(PERSONAL.search(step.text))
            timely = one.kind in ("day", "month") and bool(_THAT_TIME.search(step.text))
            if (
                (one.required and points and one.kind in ("id", "name", "month", "day"))
                or (one.required and alike)
                or personal
                or timely
            ):
                value = _earlier(one, [call["args"] for call in calls], many=one.many)
                if value is not None:
                    filling = filling.with_value(one.name, value, "earlier")
        return filling


def _after_opening(text: str, examples: Sequence[str]) -> str:
    """A text without the words that it opens with like an example: "remind me to call Ada"."""
    said = text.lower().split()
    longest = 0
    for one in examples:
        pairs = zip(said, one.lower().split(), strict=False)
        alike = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        longest = max(longest, alike if alike < len(said) else 0)
    return " ".join(text.split()[longest:]) if longest > 1 else text


def _then(scene: Scene) -> tuple[date | None, str]:
    """The last day that a call before was about, and the unit of time it was of."""
    last = next(scene.calls(), None)
    found = [_DAY.match(str(value)) for value in (last["args"].values() if last else ())]
    said = sorted(f"{match[1]}{match[2] or '-01'}" for match in found if match)
    if not said:
        return None, "day"
    first, day = date.fromisoformat(said[0]), date.fromisoformat(said[-1])
    length = (day - first).days
    if length > 20 or any(match and not match[2] for match in found):
        return day, "month"
    return day, {1: "weekend", 4: "week", 6: "week"}.get(length, "day")


def _earlier(parameter: Parameter, args: Sequence[Mapping[str, Any]], *, many: bool) -> object:
    """The latest value that a call before had for such a parameter: of its name, or of its ids."""
    for given in args:
        value = given.get(parameter.name)
        if value in (None, "", []):
            shape = parameter.shape
            value = next(
                (
                    one
                    for one in given.values()
                    if shape
                    and isinstance(one, str)
                    and [key for key, *_ in shape.found_in(one)] == [one]
                ),
                None,
            )
        if value in (None, "", []):
            continue
        if isinstance(value, list) and not many:
            if len(value) != 1:
                continue
            value = value[0]
        return [value] if many and not isinstance(value, list) else value
    return None


__all__ = ["ASKED", "Planner", "Step"]
