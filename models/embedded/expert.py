"""The embedded expert: looks things up, proposes effects, and says what it found.

Stateless: its steps are worked out anew at each call, without what the scratchpad already holds.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from langchain_core.messages import AIMessage, BaseMessage

from models.embedded.asking import (
    above_needs,
    hindered,
    missing_values,
    needed_above,
    needed_in_state,
    unclear,
    wanted,
)
from models.embedded.chat import EmbeddedChat, tool_call
from models.embedded.demand import demands
from models.embedded.finding import astray, found_in, search_for, with_id
from models.embedded.grounding import ungrounded
from models.embedded.guarding import unaccounted
from models.embedded.lessons import Filling
from models.embedded.looking import with_result
from models.embedded.names import names
from models.embedded.planning import Planner
from models.embedded.records import (
    Call,
    differs,
    find,
    look_ups,
    next_calls,
    part,
    record_in,
    rival_of,
    without,
)
from models.embedded.rendering import declined, failure, render, spoken
from models.embedded.restraining import held_back
from models.embedded.scene import Made, Scene, read_scene
from models.embedded.searching import search_instead, with_tool
from models.embedded.steps import Step

RECALL: Final = "recall_artifact"


@dataclass(slots=True)
class _Work:
    """What an expert has to do for its question.

    Attributes:
        calls: tool, arguments, and whether it is an effect, in the order asked for.
        asks: questions to the user.
        looked_up: calls made only to work out an argument.
    """

    calls: list[Call] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    looked_up: list[Made] = field(default_factory=list)
    confidence: float = 1.0


class EmbeddedExpert(EmbeddedChat):
    """A domain expert that reads the prompt's blocks and calls its own tools."""

    planner: Any
    worker: Any = None

    async def aclose(self) -> None:
        """End the argument model's process."""
        if self.worker is not None:
            await asyncio.to_thread(self.worker.close)

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
        work = self._work(scene)
        calls = next_calls(scene, work.calls)
        if calls:
            return AIMessage(
                "", tool_calls=[tool_call(name, args, at) for at, (name, args) in enumerate(calls)]
            )
        return self._report(scene, work)

    def _work(self, scene: Scene) -> _Work:
        planner: Planner = self.planner
        own, work = planner.experts[scene.expert].tools, _Work()
        for step in planner.steps(scene.question, scene, scene.expert):
            named = bool(names(step.text, planner.lexicon.common))
            step = with_tool(step, scene, [one.name for one in own], named=named)
            work.confidence = min(work.confidence, step.confidence)
            seen = self._seen(step, scene, work)
            if seen is None:
                continue
            if seen.unclear or seen.tool not in scene.tools:
                work.asks.append(unclear(planner, seen, scene))
            elif planner.tool(seen.tool or "").effect == "read_only":
                self._read(seen, scene, work)
            else:
                self._effect(seen, scene, work)
        return work

    def _seen(self, step: Step, scene: Scene, work: _Work) -> Step | None:
        """The step with what an earlier result says; None while that is still to be read."""
        if step.look is None or RECALL not in scene.tools or step.unclear:
            return step
        results = []
        for artifact in step.look.artifacts:
            wanted = {"id": artifact}
            made = find(scene, RECALL, wanted)
            if made is None:
                work.calls.append((RECALL, wanted, False))
            else:
                work.looked_up.append(made)
                results.append(record_in(made.text))
        if len(results) < len(step.look.artifacts):
            return None
        seen = with_result(step, results, scene.today)
        if isinstance(seen, str) and names(step.look.phrase, self.planner.lexicon.common):
            return step  # of a customer whom the list does not name
        if isinstance(seen, str):
            work.asks.append(seen)
            return None
        return seen

    def _read(self, step: Step, scene: Scene, work: _Work) -> None:
        planner: Planner = self.planner
        step = search_instead(step, scene, lambda: bool(planner.fill(step, scene).missing))
        filling = self.planner.fill(step, without(scene, step.tool or ""))
        if filling.missing or filling.options:
            work.asks.append(missing_values(step, filling))
            return
        for args in filling.calls:
            if bad := ungrounded(args, scene.said(), filling.derived):
                work.asks.append(f"Which {spoken(bad[0])} do you mean?")
            else:
                work.calls.append((step.tool or "", args, False))

    def _effect(self, step: Step, scene: Scene, work: _Work) -> None:
        """An effect is proposed only when it was demanded and all its values are grounded."""
        filling = self.planner.fill(step, scene)
        deeds = self.planner.request(step, scene).deeds
        reading = step.choice.reading if step.choice else None
        if not step.sure and (not demands(step.text, deeds) or (reading and reading.vetoes_change)):
            work.asks.append(f"Please say it with the id: shall I {spoken(step.tool or '')}?")
            return
        found = self._found(step, scene, filling, work)
        if found is None:
            return
        fresh, filling = found != filling, found
        if doubt := hindered(self.planner, step, scene, filling, found=fresh):
            work.asks.append(doubt)
            return
        records = self.planner.lexicon.records
        for args in filling.calls:
            call = (step.tool or "", args)
            again = step.demanded and not step.fixed
            doubt = "" if again else held_back(step.text, call, scene, deeds, records)
            if doubt := doubt or ("" if fresh else astray(self.planner, step, scene, args)):
                work.asks.append(doubt)
            else:
                self._propose(step, scene, filling, args, work)

    def _found(self, step: Step, scene: Scene, filling: Filling, work: _Work) -> Filling | None:
        """The filling with a record that is found in a list; None while that is to be read."""
        if (search := search_for(self.planner, step, scene, filling)) is None:
            return filling
        made = find(scene, search.tool, search.args)
        if made is None:
            work.calls.append((search.tool, dict(search.args), False))
            return None
        work.looked_up.append(made)
        ids = found_in(search, made, self.planner, step, scene)
        if len(ids) == 1:
            return with_id(filling, search, ids[0])
        if ids or made.ok:
            name = spoken(step.tool or "")
            ask = f"Which one do you mean: {', '.join(ids[:6])}?" if ids else ""
            work.asks.append(ask or f"I find none to {name}. Which one do you mean?")
        return None

    def _propose(
        self, step: Step, scene: Scene, filling: Filling, args: dict[str, Any], work: _Work
    ) -> None:
        derived = set(filling.derived)
        if (asks := self._lacks(step, scene, args, work)) is not None:
            work.asks.extend(asks)
            return
        if filling.share is not None and filling.amount_name not in args:
            value = self._shared(step, scene, filling, args, work)
            if value is None:
                return
            args, derived = {**args, filling.amount_name: value}, derived | {str(value)}
        rival = rival_of(work.calls, step.tool or "", args)
        if bad := ungrounded(args, scene.said(), derived):
            work.asks.append(f"Which {spoken(bad[0])} do you mean?")
        elif lacking := needed_above(self.planner.tool(step.tool or "").constraints, args):
            work.asks.append(above_needs(step, lacking, args))
        elif rival is None:
            work.calls.append((step.tool or "", args, True))
        elif differs(rival, args):
            work.calls.remove(rival)
            work.asks.append(f"You said two things: what exactly shall I {spoken(rival[0])}?")

    def _shared(
        self, step: Step, scene: Scene, filling: Filling, args: dict[str, Any], work: _Work
    ) -> float | None:
        """The sum that a share comes to; None while or because it is not known."""
        looked_up = self._looked_up(step, scene, args, work)
        if looked_up is None:
            return None
        value = part(looked_up, filling)
        if value is not None and value <= 0:
            work.remarks.append(
                f"Nothing to {spoken(step.tool or '').split()[-1]}: the sum is {value}."
            )
            return None
        if value is None or unaccounted(step.text, looked_up, value):
            work.asks.append("Which amount do you mean?")
            return None
        return float(value)

    def _looked_up(
        self, step: Step, scene: Scene, args: dict[str, Any], work: _Work
    ) -> Mapping[str, Any] | None:
        """The record a share is taken of; asks for it, or says why there is none."""
        for name, keys in look_ups(self.planner, step, scene):
            wanted = {key: args[key] for key in keys if key in args}
            made = find(scene, name, wanted)
            if made is None:
                work.calls.append((name, wanted, False))
                return None
            work.looked_up.append(made)
            record = record_in(made.text) if made.ok else None
            if record is None and made.ok:
                work.asks.append("Which amount do you mean?")
            return record
        work.asks.append("Which amount do you mean?")
        return None

    def _lacks(
        self, step: Step, scene: Scene, args: dict[str, Any], work: _Work
    ) -> list[str] | None:
        """Questions for what a record in this state needs; None when nothing hinders.

        Read off the tool's constraints: "a packed one needs a reason". Empty while the record is
        still to be looked up.
        """
        for state, name in needed_in_state(self.planner.tool(step.tool or "").constraints, args):
            for look, keys in look_ups(self.planner, step, scene)[:1]:
                wanted = {key: args[key] for key in keys if key in args}
                made = find(scene, look, wanted)
                if made is None:
                    work.calls.append((look, wanted, False))
                    return []
                work.looked_up.append(made)
                record = record_in(made.text) if made.ok else None
                if record and record.get("status") == state:
                    return [above_needs(step, name, args)]
        return None

    def _report(self, scene: Scene, work: _Work) -> AIMessage:
        asked = [args for _, args, effect in work.calls if not effect]
        aside = [one for one in work.looked_up if one.ok and dict(one.args) not in asked]
        lines = [self._said(made, scene) for made in scene.made if made not in aside]
        asks = list(dict.fromkeys([*work.asks, *wanted(scene)]))
        text = "\n".join([*lines, *work.remarks, *asks])
        if asks:
            return _finding(text, "ask", work.confidence)
        if not text:
            return _finding("I found nothing to do for this.", "failed", work.confidence)
        failed = scene.made and not any(made.ok or declined(made.text) for made in scene.made)
        return _finding(text, "failed" if failed else "ok", work.confidence)

    def _said(self, made: Made, scene: Scene) -> str:
        if not made.ok:
            return failure(made.name, made.text)
        known = made.name in self.planner.tools
        done = known and self.planner.tool(made.name).effect != "read_only"
        head = f"Done: {spoken(made.name)}. " if done else ""
        return head + render(made.text, scene.question)


def _finding(text: str, status: Literal["ok", "ask", "failed"], confidence: float) -> AIMessage:
    return AIMessage(
        text, additional_kwargs={"finding_status": status, "confidence": round(confidence, 3)}
    )
