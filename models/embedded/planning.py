"""From a message to steps: which tool each of its requests is for, with what the tool needs."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Final

from configs.expert import ExpertConfig, ToolConfig
from models.embedded.acknowledging import acknowledges
from models.embedded.acting import changes_nothing, may_look, may_want, only_talks, reading_of
from models.embedded.arguments import ArgumentReader
from models.embedded.chooser import Chooser
from models.embedded.classes import RequestClass, names_month
from models.embedded.completing import answered, completed
from models.embedded.continuing import (
    Again,
    carried_on,
    changed_ids,
    patched,
    redone,
    repeated,
    undone,
)
from models.embedded.demand import demands
from models.embedded.frames import repeatable
from models.embedded.lessons import Filling
from models.embedded.lexicon import Lexicon, titles_of
from models.embedded.pairing import corrected, written_out
from models.embedded.patterns import identifiers
from models.embedded.placing import place_of
from models.embedded.reference import linked, with_prefixes
from models.embedded.repeating import again_looked_up, step_again
from models.embedded.replying import REPEATED, addressed, adds
from models.embedded.requests import Request
from models.embedded.scene import Scene
from models.embedded.searching import searched_once
from models.embedded.segments import bare_request, request_of, split_requests
from models.embedded.selection import Look, named_beside, named_in, selected
from models.embedded.steps import IN_SCOPE, SURE, Step, merged, with_remarks
from models.embedded.tables.asking import asks_of_row, guessed, queried
from models.embedded.tables.schema import query_tool, read_schema
from models.embedded.unserved import unserved
from models.embedded.unspoken import with_assent
from models.embedded.words import stems, words

MOST_WORDS: Final = 8
CLEARER: Final = 0.15  # by so much must a request be clearer without the remarks beside it


class Planner:
    """Reads messages against the app's experts."""

    def __init__(
        self, experts: Sequence[ExpertConfig], chooser: Chooser, reader: ArgumentReader
    ) -> None:
        """Read the app's vocabulary off its experts."""
        self.reader = reader
        self.experts = {expert.name: expert for expert in experts}
        self.chooser = chooser
        self._classes: dict[str, RequestClass] = {one.key: one for one in chooser.classes}
        self.lexicon = Lexicon(experts, chooser.classes)
        self._tables = {expert.name: read_schema(expert) for expert in experts}

    def read_by(self, reader: ArgumentReader) -> "Planner":
        """The same planner with another reader of arguments."""
        other = copy(self)
        other.reader = reader
        return other

    def asks_tables(self, text: str, scene: Scene) -> bool:
        """Whether a text asks for figures or rows that a query gives."""
        return self._query(text, scene, None) is not None

    @property
    def tools(self) -> frozenset[str]:
        """Names of all configured tools."""
        return frozenset(self.lexicon.tools)

    def tool(self, name: str) -> ToolConfig:
        """The configuration of a tool."""
        return self.lexicon.tools[name][0]

    def steps(self, text: str, scene: Scene, expert: str | None = None) -> list[Step]:
        """The requests of a message, each with its tool.

        Args:
            text: the message, or an expert's part of it.
            scene: the prompt.
            expert: only this expert's tools; None chooses among all.
        """
        scene = self._written(scene)
        whole = completed(text, scene, self.lexicon, self.chooser)
        again = undone(whole, scene, self.lexicon.undone_by) or patched(whole, scene)
        if again and (step := self._again(again, whole, scene, expert)):
            right = redone(whole, scene)
            more = self._again(right, whole, scene, expert) if right else None
            return [step, more] if more else [step]
        if only_talks(whole, scene, self.chooser):
            return []
        query = self._query(whole, scene, expert)
        if query and (may_look(whole, scene, self.chooser) or asks_of_row(query.repeats)):
            return [query]
        found = self._changing(whole, scene, expert, self._parts(whole, scene, expert))
        guess = bool(found) and all(self._unserved(step, scene) for step in found)
        query = self._query(whole, scene, expert, loosely=True) if guess else None
        return [query] if query else found

    def _unserved(self, step: Step, scene: Scene) -> bool:
        return unserved(
            step, lambda: step.tool in scene.tools and bool(self.fill(step, scene).missing)
        )

    def _parts(self, whole: str, scene: Scene, expert: str | None) -> list[Step]:
        """What each part of a message asks for, one for what is asked for twice."""
        found: list[Step] = []
        before = scene.user[: max(0, scene.user.find(whole))]
        if not self.demands(whole):
            whole = written_out(corrected(whole), self.lexicon.common)
        parts = split_requests(whole, self.lexicon.verbs, self.lexicon.nouns, self._asks)
        for part in with_assent(parts):
            if scene.last and acknowledges(part):
                continue
            continued = any(not step.off_topic for step in found)
            for step in self._steps_of(part, before, scene, expert, continued):
                if continued and step.off_topic and adds(part, self.lexicon):
                    step = replace(step, in_scope=IN_SCOPE)  # "and their orders too"
                found.append(step if expert else addressed(step, scene, self.chooser, self.lexicon))
            before = f"{before} {part}".strip()
        return searched_once(merged(with_remarks(found)), whole, scene)

    def _changing(
        self, text: str, scene: Scene, expert: str | None, found: list[Step]
    ) -> list[Step]:
        """The steps; an effect among them where the whole message surely wants a change."""
        reading = reading_of(text, scene, self.chooser)
        if reading is None or not reading.wants_change:
            return found
        effects = [step for step in found if self._is_effect(step)]
        if any(step.sure or step.look or step.choice is None for step in effects):
            return found
        text = effects[0].text if len(found) == 1 and effects else text
        step = self._choice(text, bare_request(text), "", scene, expert, changing=True)
        wanted = step.choice and may_want(text, step.choice.found.deeds)
        return [step] if wanted and step.sure else found

    def _is_effect(self, step: Step) -> bool:
        return step.tool in self.lexicon.tools and self.tool(step.tool or "").effect != "read_only"

    def request(self, step: Step, scene: Scene) -> Request:
        """What the arguments of a step's tool may be read from."""
        scene = self._written(scene)
        found = self._classes.get(step.tool or "")
        return Request(
            text=step.text,
            scene=scene,
            today=scene.today,
            before=step.before,
            deeds=found.deeds if found else (),
            titles=titles_of(self.experts[step.expert]),
            known_words=self.lexicon.common,
            base_months=scene.months(),
        )

    def _written(self, scene: Scene) -> Scene:
        """The scene with the user's words as they are read: slips, names and ids mended."""
        text = self.lexicon.mended(scene.user, scene.named())
        return replace(scene, user=with_prefixes(text, scene, self.lexicon.records))

    def _asks(self, part: str) -> bool:
        """Whether a statement asks for something: a deed, or a report of a month."""
        short = len(words(part)) <= MOST_WORDS
        if short and names_month(part) and self.lexicon.nouns & set(stems(part)):
            return True
        choice = self.chooser.choose(part) if identifiers(part) else None
        likely = choice is not None and choice.demanded
        return likely or self.demands(part)

    def demands(self, text: str) -> bool:
        """Whether a text demands the deed of a tool."""
        return any(demands(text, one.deeds) for one in self.chooser.classes)

    def _steps_of(
        self, text: str, before: str, scene: Scene, expert: str | None, continued: bool
    ) -> list[Step]:
        """What one part of a message asks for; more than one only for "both again"."""
        again = None if continued else repeated(text, scene)
        if again and (step := self._again(again, text, scene, expert)):
            return [step]
        reading = reading_of(text, scene, self.chooser)
        changing = reading is not None and reading.wants_change
        kinds = self.lexicon.records.of(named_in(text))
        look = selected(text, scene, kinds, changing=changing)
        if look and not named_beside(text, look, self.lexicon.common):
            return [self._chosen(text, before, scene, expert, continued, look)]
        whole = text if self.demands(text) else carried_on(text, scene)
        meant = linked(whole, scene, self.lexicon.records, changed_ids(scene))
        if meant != text:
            return [self._chosen(meant, before, scene, expert, continued)]
        known = frozenset(self.lexicon.records.kinds.values())
        looks = may_look(text, scene, self.chooser) and not identifiers(before, known)
        if looks and (query := self._query(text, scene, expert)):
            return [query]
        repeats = again_looked_up(text, scene, self.chooser, self.lexicon, self.fill)
        repeats = [step for step in repeats if expert in (None, step.expert)]
        return repeats or [self._chosen(text, before, scene, expert, continued)]

    def _query(
        self, text: str, scene: Scene, expert: str | None, *, loosely: bool = False
    ) -> Step | None:
        """A query for figures that no report has, or the last one with what the text changes."""
        for owner, tables in self._tables.items():
            found = query_tool(self.experts[owner], scene) if expert in (None, owner) else None
            if found is None:
                continue
            tool, name = found
            before = repeatable(scene)[:1]
            last = str(before[0]["args"].get(name)) if before and before[0]["name"] == tool else ""
            today = scene.today
            ask = guessed(text, tables, today) if loosely else ""
            if sql := ask or queried(text, last, tables, today, scene):
                kept = {name: sql}
                return Step(text, "", owner, tool, REPEATED, 1.0, repeats=kept, fixed=True)
        return None

    def _again(self, again: Again, text: str, scene: Scene, expert: str | None) -> Step | None:
        known = again.tool in self.lexicon.tools and again.tool in scene.tools
        owner = self.lexicon.tools[again.tool][1] if known else ""
        if not known or expert not in (None, owner) or changes_nothing(text, scene, self.chooser):
            return None
        return step_again(again, text, owner)

    def _chosen(
        self,
        text: str,
        before: str,
        scene: Scene,
        expert: str | None,
        continued: bool,
        look: Look | None = None,
    ) -> Step:
        meant = text.replace(look.phrase, f"{look.kind}-1000", 1) if look else text
        meant = bare_request(meant, self.lexicon.nouns)
        step = self._choice(text, meant, before, scene, expert, continued)
        strange = step.off_topic or step.unclear
        if (strange or not (step.sure or identifiers(meant))) and (asked := request_of(meant)):
            alone = self._choice(text, asked, before, scene, expert, continued)
            better = strange or alone.confidence > step.confidence + CLEARER
            step = alone if better and not (alone.off_topic or alone.unclear) else step
        return replace(step, look=look)

    def _choice(
        self,
        text: str,
        meant: str,
        before: str,
        scene: Scene,
        expert: str | None,
        continued: bool = False,
        changing: bool = False,
    ) -> Step:
        place = place_of(
            meant,
            before,
            scene,
            self.lexicon,
            self.chooser.kinds,
            continued=continued,
            earlier=answered(meant, scene, self.lexicon),
        )
        choice = self.chooser.choose(meant, place, expert=expert, changing=changing)
        if choice is None:
            return Step(text, before, expert or "", None, 0.0, 0.0)
        asked = bool(place.earlier) and not choice.found.effect
        least = (SURE, IN_SCOPE) if asked else (0.0, 0.0)  # who asked back takes the best guess
        return Step(
            text=text,
            before=before,
            expert=choice.found.expert,
            tool=choice.found.tool,
            confidence=max(choice.confidence, least[0]),
            in_scope=max(choice.in_scope, least[1]),
            choice=choice,
        )

    def fill(self, step: Step, scene: Scene) -> Filling:
        """The calls of a step; a repeated call takes from the text only what differs."""
        if step.fixed and step.repeats is not None:
            looks = self.tool(step.tool or "").effect == "read_only"
            values = map(str, step.repeats.values()) if looks else ()
            return Filling(calls=(dict(step.repeats),), derived=frozenset(values))
        schema = scene.tools[step.tool or ""]
        request = self.request(step, scene)
        if step.repeats is None:
            return self.reader.read(schema, request)
        alone = replace(request, scene=replace(scene, history=(), made=(), summary="", note=None))
        found = self.reader.read(schema, alone)
        calls = tuple({**step.repeats, **call} for call in found.calls)
        return replace(found, calls=calls, missing=(), options=())
