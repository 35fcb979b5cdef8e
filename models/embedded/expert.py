"""The embedded expert: looks things up, proposes effects, and says what it found.

Stateless: its requests are read anew at each call, and what was called already is not called again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final, Literal

from langchain_core.messages import AIMessage, BaseMessage

from models.embedded import gate
from models.embedded.answers import answer, declined, failure, spoken
from models.embedded.chat import EmbeddedChat, tool_call
from models.embedded.grammar import OTHER, PAST, PRONOUN
from models.embedded.lessons import with_lessons
from models.embedded.planner import SAME, Planner, Step
from models.embedded.rows import Row, picked, rows_of
from models.embedded.scene import MEMORY_TOOLS, Made, Scene, is_effect, read_scene
from models.embedded.slots import Filling
from models.parameters import Parameter, parameters_of
from text.words import content_stems, stem, words

RECALL: Final = "recall_artifact"
RESULTS_BACK: Final = 2
"""Earlier results that are read again to find what "the second one" is."""
LOOK_AHEAD_DAYS: Final = 92
MOST_OPTIONS: Final = 6
_LEFT: Final = frozenset(
    stem(word) for word in ("left", "open", "remaining", "outstanding", "rest", "due")
)
Call = tuple[str, dict[str, Any]]


@dataclass(slots=True)
class _Work:
    """What an expert has to do for its question.

    Attributes:
        calls: tools with their arguments, in the order asked for.
        asks: questions to the user.
        remarks: what is said without a call.
        aside: calls made only to find a record.
    """

    calls: list[Call] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    aside: list[Call] = field(default_factory=list)
    confidence: float = 1.0


class EmbeddedExpert(EmbeddedChat):
    """A domain expert that reads the prompt's blocks and calls its own tools."""

    planner: Any

    @property
    def _llm_type(self) -> str:
        return "embedded-expert"

    def reply(
        self, messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]
    ) -> AIMessage:
        """The next calls, or the finding when there is nothing left to call."""
        scene = read_scene(messages, tools)
        if scene.expert not in self.planner.experts:
            return _finding("I do not know what I am to work on.", "failed", 0.0)
        work = _Work()
        for step in self._steps(scene):
            _Request(self.planner, scene, step, work).work_out()
        fresh = [one for one in work.aside if _made(scene, *one) is None]
        fresh += self._undone(work.calls, scene)
        if fresh:
            asked = list({(name, str(args)): (name, args) for name, args in fresh}.values())
            calls = [tool_call(name, args, at) for at, (name, args) in enumerate(asked)]
            return AIMessage(
                "", tool_calls=calls, additional_kwargs={"confidence": work.confidence}
            )
        return self._report(scene, work)

    def _undone(self, calls: Sequence[Call], scene: Scene) -> list[Call]:
        """Calls still to be made; an effect that a reviewer edited is not proposed again."""
        effects = Counter(one.name for one in scene.made)
        found: list[Call] = []
        for name, args in calls:
            if not self.planner.chooser.changes(name):
                found += [(name, args)] if _made(scene, name, args) is None else []
            elif effects[name]:
                effects[name] -= 1
            else:
                found.append((name, args))
        return found

    def _steps(self, scene: Scene) -> list[Step]:
        planner: Planner = self.planner
        parts = scene.question.split("\n") if scene.question != scene.user else [scene.question]
        return [step for part in parts for step in planner.steps(part, scene, scene.expert)]

    def _report(self, scene: Scene, work: _Work) -> AIMessage:
        aside = [args for _, args in work.aside]
        said = [
            one
            for one in scene.made
            if not (one.ok and (dict(one.args) in aside or one.name in MEMORY_TOOLS))
        ]
        lines = [self._said(one, scene) for one in said]
        asks = list(dict.fromkeys(work.asks))
        text = "\n\n".join([*lines, *dict.fromkeys(work.remarks), *asks])
        if asks:
            return _finding(text, "ask", work.confidence)
        if not text:
            return _finding("I found nothing to do for this.", "failed", work.confidence)
        failed = said and not any(one.ok or declined(one.text) for one in said)
        return _finding(text, "failed" if failed else "ok", work.confidence)

    def _said(self, made: Made, scene: Scene) -> str:
        if not made.ok:
            return failure(made.name, made.text)
        effect = self.planner.chooser.changes(made.name)
        return answer(made.text, scene.question, tool=made.name, effect=effect)


class _Request:
    """One request being worked out into calls, questions and remarks."""

    def __init__(self, planner: Planner, scene: Scene, step: Step, work: _Work) -> None:
        self._planner, self._scene, self._step, self._work = planner, scene, step, work
        self._parameters = planner.parameters(scene)
        self._own = self._parameters.get(step.tool.name, [])

    def work_out(self) -> None:
        """Add what this request needs to the work."""
        step, work = self._step, self._work
        work.confidence = min(work.confidence, round(step.choice.sure, 3))
        if not step.tool.name or step.tool.name not in self._scene.tools:
            work.asks.append(self._which())
            return
        effect = step.tool.changes
        if effect:
            read = self._planner.chooser.read
            verdict = gate.intent(
                step.text, step.choice, self._scene, amends=self._amends(), read=read
            )
            if not verdict.open:
                (work.asks if verdict.asks else work.remarks).append(verdict.reason)
                return
        filling = self._planner.fill(step, self._scene)
        lessons = self._scene.lessons
        filling = with_lessons(step.tool.name, self._own, filling, lessons)
        found = self._completed(filling)
        if found is None:
            return
        lacking = found.missing or (self._without_change(found) if effect else ())
        if lacking:
            work.asks.append(_lacking(step.tool.name, lacking))
        elif effect:
            self._propose(found)
        else:
            work.calls += [(step.tool.name, args) for args in _each(found, self._own)]

    def _without_change(self, filling: Filling) -> Sequence[Parameter]:
        """What a change would take, where a tool takes new values and none is said."""
        new = [one for one in self._own if "new" in one.own_words]
        return [] if any(one.name in filling.args for one in new) else new

    def _which(self) -> str:
        titles = self._planner.experts[self._scene.expert].title
        names = [spoken(one.name) for one in self._planner.experts[self._scene.expert].tools]
        return f"What shall {titles} do: {', '.join(names)}?" if names else "What do you need?"

    def _amends(self) -> bool:
        """Whether the request goes on with an effect that the turn before made."""
        last = next(self._scene.calls(), None)
        reading = self._step.choice.reading
        same = reading.same >= SAME
        return bool(last and is_effect(last) and last["name"] == self._step.tool.name and same)

    def _completed(self, filling: Filling) -> Filling | None:
        """The filling with ids that what was shown tells; None while that is still to be read."""
        filling = self._dated(filling)
        for one in [
            each for each in filling.missing if each.shape is not None and each.kind == "id"
        ]:
            keys = self._picked(one, filling)
            if keys is None:
                return None
            if len(keys) == 1:
                filling = filling.with_value(one.name, keys if one.many else keys[0], "picked")
            elif keys:
                self._work.asks.append(
                    f"Which {one.spoken} do you mean: {', '.join(keys[:MOST_OPTIONS])}?"
                )
                return None
        return self._with_sum(filling)

    def _dated(self, filling: Filling) -> Filling:
        """A look-up without a time is from today on, where its tool needs one."""
        if self._step.tool.changes:
            return filling
        today = self._scene.today.isoformat()
        for one in filling.missing:
            if one.kind == "day" and one.edge == "first" and not PAST.search(self._step.text):
                filling = filling.with_value(one.name, today, "said")
        begins = [one.name for one in self._own if one.edge == "first" and one.kind == "day"]
        for one in filling.missing:
            if one.kind == "day" and one.edge == "last" and {*begins} & {*filling.args}:
                last = max(today, *(str(filling.args[name]) for name in begins))
                filling = filling.with_value(one.name, last, "said")
        return filling

    def _picked(self, one: Parameter, filling: Filling) -> list[str] | None:
        """Ids of shown records that the user's words pick out; None while they are being read."""
        scene, shape = self._scene, one.shape
        if shape is None:
            return []
        heard = self._planner.heard(self._step.text, scene, self._parameters)
        but = (
            [str(v) for call in list(scene.calls())[:1] for v in call["args"].values()]
            if OTHER.search(self._step.text)
            else []
        )
        sole = not self._step.tool.changes or bool(PRONOUN.search(self._step.text))
        for rows in self._shown(shape.kind):
            if rows is None:
                return None
            if any(row.ids(shape) for row in rows):
                keys = picked(rows, shape, self._step.text, heard.periods, but=but, sole=sole)
                if len(keys) == 1 or not self._names_other(filling):
                    return keys
        looked = self._looked_up(one)
        if looked is None:
            return None
        return picked(looked, shape, self._step.text, heard.periods, sole=sole)

    def _names_other(self, filling: Filling) -> bool:
        return any(one.kind == "name" and one.name in filling.args for one in self._own)

    def _shown(self, kind: str) -> "Sequence[list[Row] | None]":
        """Rows of this turn's results, then of earlier ones, the latest first."""
        scene = self._scene
        found: list[list[Row] | None] = [
            rows_of(made.text) for made in scene.made if made.ok and made.name not in MEMORY_TOOLS
        ]
        if RECALL not in scene.tools:
            return found
        held = [
            call["artifact"]
            for call in scene.calls()
            if call["artifact"] and call["status"] == "ok"
        ]
        for artifact in held[:RESULTS_BACK]:
            args = {"id": artifact}
            made = _made(scene, RECALL, args)
            if made is None:
                self._work.aside.append((RECALL, args))
                return [*found, None]
            found.append(rows_of(made.text))
        return found

    def _looked_up(self, wanted: Parameter) -> list[Row] | None:
        """Rows of a list in which the record must be; None while that is being read."""
        tool = self._list_for(wanted)
        if tool is None:
            return []
        name, args = tool
        made = _made(self._scene, name, args)
        self._work.aside.append((name, args))
        if made is None:
            return None
        return rows_of(made.text) if made.ok else []

    def _list_for(self, wanted: Parameter) -> Call | None:
        """A read of the expert's own that may list such records, filled from the request."""
        aims = wanted.own_words | {
            stem(word) for word in words(self._step.tool.name.replace("_", " "))[1:]
        }
        best: tuple[int, Call] | None = None
        for tool in self._planner.chooser.tools:
            own = self._parameters.get(tool.name, [])
            if not tool.serves(self._scene.expert) or tool.changes or not tool.name or not own:
                continue
            if any(
                one.required
                and one.shape
                and wanted.shape
                and one.kind == "id"
                and one.shape.kind == wanted.shape.kind
                for one in own
            ):
                continue
            step = replace(self._step, choice=replace(self._step.choice, tool=tool))
            filling = self._wide(self._planner.fill(step, self._scene), own)
            near = len(aims & set(content_stems(f"{spoken(tool.name)} {tool.description}")))
            if not filling.missing and near and (best is None or near > best[0]):
                best = near, (tool.name, next(_each(filling, own)))
        return best[1] if best else None

    def _wide(self, filling: Filling, own: Sequence[Parameter]) -> Filling:
        today = self._scene.today
        for one in filling.missing:
            if one.kind == "day" and one.edge:
                day = today if one.edge == "first" else today + timedelta(days=LOOK_AHEAD_DAYS)
                filling = filling.with_value(one.name, day.isoformat(), "said")
        return filling

    def _with_sum(self, filling: Filling) -> Filling | None:
        """The filling with the sum that "half of it" comes to; None while a record is read."""
        if filling.part is None:
            return filling
        parameter, part = filling.part
        record = self._record(filling)
        if record is None:
            return None
        value = _sum_in(record, parameter, self._step.tool.name, left=part.left)
        if value is None or value <= 0:
            return replace(filling, part=None, missing=(*filling.missing, parameter))
        amount = round(float(part.value) * value, 2)
        return replace(filling.with_value(parameter.name, amount, "picked"), part=None)

    def _record(self, filling: Filling) -> Mapping[str, Any] | None:
        """The record that a part is taken of; empty where none is found, None while it is read."""
        ids = {
            one.name: str(filling.args[one.name])
            for one in self._own
            if one.kind == "id" and one.name in filling.args
        }
        for tool in self._planner.chooser.tools:
            own = self._parameters.get(tool.name, [])
            needed = [one for one in own if one.required]
            if tool.changes or not tool.serves(self._scene.expert) or len(needed) != 1:
                continue
            key = ids.get(needed[0].name)
            if key is None:
                continue
            call = (tool.name, {needed[0].name: key})
            self._work.aside.append(call)
            made = _made(self._scene, *call)
            if made is None:
                return None
            rows = rows_of(made.text) if made.ok else []
            return rows[0].values if rows else {}
        return {}

    def _propose(self, filling: Filling) -> None:
        """Propose the effect, if it is not done already and all its values are the user's."""
        step, scene, work = self._step, self._scene, self._work
        said = [scene.user, *(record["user"] for record in scene.history)]
        derived = {
            name: value
            for name, value in filling.args.items()
            if filling.origins.get(name) == "picked"
        }
        doubt = gate.unfounded(self._own, filling, said, derived)
        if doubt is not None:
            work.asks.append(f"Which {doubt.spoken} do you mean?")
            return
        sure = gate.confidence(step.choice, filling)
        if not gate.confirms(scene):
            if sure < gate.SURE_ENOUGH:
                deed = spoken(step.tool.name)
                work.asks.append(f"{gate.OFFER} {deed}: {_listed(filling.args)}?")
                return
            sure = gate.stated(sure, scene.user, step.choice, self._own, filling)
            work.confidence = min(work.confidence, round(sure, 3))
        for args in _each(filling.with_ids_only(self._own), self._own):
            made = _made(scene, step.tool.name, args)
            if made is None and gate.done_before(step.tool.name, args, scene):
                work.remarks.append(
                    f"That is done already: {spoken(step.tool.name)} {_listed(args)}."
                )
            else:
                work.calls.append((step.tool.name, args))


def _each(filling: Filling, own: Sequence[Parameter]) -> Iterator[dict[str, Any]]:
    """The arguments of each call: one for each value of what takes a single one."""
    defaults = {one.name: one.default for one in own}
    plain = {name: value for name, value in filling.args.items() if value != defaults.get(name)}
    yield dict(plain)
    for name, rest in filling.also.items():
        for value in rest:
            yield {**plain, name: value}


def _made(scene: Scene, name: str, args: Mapping[str, Any]) -> Made | None:
    """The call of this turn with these arguments, defaults left out or filled in."""
    own = parameters_of(scene.tools[name]) if name in scene.tools else []
    defaults = {one.name: one.default for one in own}
    wanted = _stated(args, defaults)
    made = (one for one in scene.made if one.name == name)
    return next((one for one in made if _stated(one.args, defaults) == wanted), None)


def _stated(args: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in args.items()
        if value not in (None, "") and value != defaults.get(name)
    }


def _lacking(tool: str, missing: Sequence[Parameter]) -> str:
    """A question for what is missing, with the choices where there are some."""
    names = [
        one.spoken + (f" ({', '.join(map(spoken, one.choices))})" if one.choices else "")
        for one in missing
    ]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"To {spoken(tool)} I need the {listed}. Which do you mean?"


def _listed(args: Mapping[str, Any]) -> str:
    return ", ".join(f"{spoken(name)} {value}" for name, value in args.items())


def _sum_in(
    record: Mapping[str, Any], parameter: Parameter, tool: str, *, left: bool
) -> float | None:
    """The sum that a part is of: what may still be done or is left, or else the amount."""
    sums = {
        k: float(v)
        for k, v in record.items()
        if isinstance(v, int | float) and not isinstance(v, bool)
    }
    about = tuple(stem(word)[:5] for word in words(tool.replace("_", " ")))
    keyed = {k: words(k.replace("_", " ")) for k in sums}
    stems = {k: {stem(word) for word in keyed[k]} for k in sums}
    able = [k for k in sums if any(w.endswith("able") and w.startswith(about) for w in keyed[k])]
    still = [k for k in sums if stems[k] & _LEFT]
    total = [k for k in sums if stems[k] & (parameter.own_words | {"amount", "total", "sum"})]
    ranked = [*still, *able, *total] if left else [*able, *total, *still]
    return sums[ranked[0]] if ranked else None


def _finding(text: str, status: Literal["ok", "ask", "failed"], confidence: float) -> AIMessage:
    kwargs = {"finding_status": status, "confidence": round(confidence, 3)}
    return AIMessage(text, additional_kwargs=kwargs)
