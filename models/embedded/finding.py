"""Records that a demand leaves open or names by their customer, found in the customer's list.

"Cancel the Mosaik order" and, after a list, "make it payable again" have one record each that the
tool can work on. More than one is asked about.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from configs.expert import ToolConfig
from models.embedded.choices import status_forms
from models.embedded.completing import answered
from models.embedded.demand import clauses_of, demands
from models.embedded.fields import Argument, arguments_of
from models.embedded.fitting import dated_in, fitting, records_of
from models.embedded.lessons import Filling
from models.embedded.names import names
from models.embedded.patterns import MONTH, identifiers, months
from models.embedded.planning import Planner
from models.embedded.readers import read_address
from models.embedded.records import record_in
from models.embedded.reference import called, points
from models.embedded.rendering import spoken
from models.embedded.scene import MORE, Made, Scene
from models.embedded.selection import picking
from models.embedded.standing import (
    about_records,
    leads_away,
    parties_of,
    picked_from_query,
    shown_in,
    strayed,
)
from models.embedded.steps import Step
from models.embedded.words import content_stems, stem, stems, words

_ONLY: Final = re.compile(r"\bOnly ([^.;]+)")
_EACH: Final = re.compile(r"\b(?:every|each|all|both)\b", re.IGNORECASE)
_UNPAID: Final = re.compile(r"\bwithout payments?\b")
_NAME: Final = r"(?-i:[A-Z][\w&-]*(?: [A-Z&][\w&-]*)*)"


@dataclass(frozen=True, slots=True)
class Search:
    """A list to look a record up in.

    Attributes:
        tool: the tool that lists records of the kind, with its arguments.
        kind: prefix of the record's ids.
        name: the argument of the effect that takes the id.
        among: ids that it must be one of; empty allows any.
    """

    tool: str
    args: Mapping[str, Any]
    kind: str
    name: str
    among: tuple[str, ...] = ()


def search_for(planner: Planner, step: Step, scene: Scene, filling: Filling) -> Search | None:
    """The list that has the record of an effect, where only that is open; None if there is none."""
    argument = _open_id(planner, step, scene, filling)
    if argument is None or not argument.id_kinds or len(filling.calls) != 1:
        return None
    if not points(step.text, planner.lexicon.records, planner.request(step, scene).deeds):
        return None  # "cancel the meeting with Tom"
    kind = min(argument.id_kinds)
    listing = _listing(planner, step, scene, kind)
    owner = _named(planner, step, kind) or ("" if leads_away(scene.last) else _talked_of(scene))
    if listing is None or not owner:
        return None
    tool, party = listing
    among = () if MORE in filling.options else filling.options
    return Search(
        tool, {party: owner}, kind, argument.name, () if _named(planner, step, kind) else among
    )


def found_in(search: Search, made: Made, planner: Planner, step: Step, scene: Scene) -> list[str]:
    """Ids of the records of a list that a demand may be about: all it says of one must hold."""
    value = record_in(made.text) if made.ok else None
    rows = records_of(value, search.kind)
    if search.among:
        rows = [one for one in rows if one["id"] in search.among]
    today = scene.today
    phrase = _without_owners(picking(step.text), planner)
    if step.look and (listed := _listed(step, scene, search.kind)):
        rows = [one for one in rows if one["id"] in listed] or rows
    rows = fitting(rows, phrase, today) if words(phrase) else rows
    demanded = _demanding(planner, step)
    rows = _told_apart(rows, demanded) if _explained(rows, demanded, search, planner) else []
    if MONTH.search(demanded) and (said := months(demanded, today)):
        rows = [one for one in rows if dated_in(one, said)]
    tool = planner.tool(step.tool or "")
    if len(rows) > 1 and _EACH.search(demanded):
        return [str(one["id"]) for one in rows]
    states = _states(tool)
    able = [one for one in rows if not states or str(one.get("status")) in states]
    if _UNPAID.search(tool.constraints):
        able = [one for one in able if not one.get("paid")]
    return [str(one["id"]) for one in able]


def _without_owners(phrase: str, planner: Planner) -> str:
    """What a phrase says of the record beside whose it is: "the order for the Malmö lot"."""
    for name in names(phrase, planner.lexicon.common):
        own = rf"(?: (?:for|of|from|at|to))?(?: the)? ?{re.escape(name)}(?:['\u2019]s)?"
        phrase = re.sub(
            rf"{own}(?: (?:\w+ )?(?:lot|people|folks|ppl|guys|company|team))?", " ", phrase
        )
    return phrase


def _listed(step: Step, scene: Scene, kind: str) -> set[str]:
    """Ids in the list that a phrase picks from."""
    stored = step.look.artifacts if step.look else ()
    made = [one for one in scene.made if one.ok and one.args.get("id") in stored]
    return {str(row["id"]) for one in made for row in records_of(record_in(one.text), kind)}


def _told_apart(rows: Sequence[Mapping[str, Any]], said: str) -> list[Mapping[str, Any]]:
    """The records that have each word which some of them have: "the licence invoice"."""
    known = [(one, set(stems(" ".join(map(str, one.values()))))) for one in rows]
    for word in content_stems(said):
        if fitting_ones := [(one, own) for one, own in known if word in own]:
            known = fitting_ones
    return [one for one, _ in known]


def _explained(
    rows: Sequence[Mapping[str, Any]], said: str, search: Search, planner: Planner
) -> bool:
    """Whether some record has what stands between the customer and the noun: "gateway order"."""
    owner = re.escape(str(next(iter(search.args.values()))))
    nouns = "|".join(map(re.escape, planner.lexicon.records.kinds))
    between = re.search(
        rf"{owner}(?:['\u2019]s)? ((?:[a-z-]+ ){{1,2}})(?:(?:{nouns})\w*|one)\b", said
    )
    shown = set(stems(" ".join(str(value) for one in rows for value in one.values())))
    return between is None or all(one in shown for one in content_stems(between[1]))


def with_id(filling: Filling, search: Search, id_: str) -> Filling:
    """The filling with the record that was found."""
    calls = tuple({**call, search.name: id_} for call in filling.calls)
    return replace(filling, calls=calls, missing=(), options=(), derived=filling.derived | {id_})


def astray(planner: Planner, step: Step, scene: Scene, args: Mapping[str, Any]) -> str:
    """A question where the effect's record was not named and nothing else makes it sure.

    Others were talked of since, or only a free query's rows have it.
    """
    named = {one.text for one in identifiers(planner.request(step, scene).scene.user)}
    earlier = answered(step.text, scene, planner.lexicon)
    stored = step.look.artifacts if step.look else ()
    for value in map(str, args.values()):
        pointed = identifiers(value) and value not in named
        strays = pointed and strayed(value, scene, stored, answers=bool(earlier))
        if strays or (pointed and picked_from_query(value, scene)):
            return f"Please give me the id: which record shall I {spoken(step.tool or '')}?"
    return ""


def _open_id(planner: Planner, step: Step, scene: Scene, filling: Filling) -> Argument | None:
    """The argument for the record's id, where it alone is missing or stands for another's."""
    schema = scene.tools[step.tool or ""]["parameters"]
    ids = [one for one in arguments_of(schema) if one.kind == "id" and one.required]
    others = [one for one in filling.missing if one not in ids]
    if len(ids) != 1 or others or identifiers(step.text, ids[0].id_kinds):
        return None
    if filling.missing or filling.options or _of_another(planner, step, scene, filling, ids[0]):
        return ids[0]
    return None


def _of_another(
    planner: Planner, step: Step, scene: Scene, filling: Filling, argument: Argument
) -> bool:
    """Whether a text names the record of somebody whom the turn with the id was not about."""
    if step.before or step.repeats is not None:
        return False
    nouns = planner.lexicon.records.kinds
    own = "|".join(re.escape(one) for one, kind in nouns.items() if kind in argument.id_kinds)
    noun = rf"(?:\w+ )?(?:(?:{own})\w*|one)\b"
    owned = re.compile(
        rf"\b(?:the|that|this) (?P<a>{_NAME}) {noun}|\b(?P<b>{_NAME})['\u2019]s {noun}"
        rf"|\b(?:{own})\w* (?:of|for|from) (?:the )?(?P<c>{_NAME})",
        re.IGNORECASE,
    )
    found = owned.search(step.text)
    if found is None:
        return False
    name = next(one for one in found.groups() if one)
    ids = {str(call.get(argument.name)) for call in filling.calls}
    about = [one for one in scene.history if ids & {i.text for i in identifiers(shown_in(one))}]
    return not any(name.casefold() in shown_in(one).casefold() for one in about[-1:])


def _listing(planner: Planner, step: Step, scene: Scene, kind: str) -> tuple[str, str] | None:
    """The expert's tool that lists one customer's records of a kind, with its argument."""
    for tool in planner.experts[step.expert].tools:
        noun = stem(tool.name.split("_")[-1])
        if tool.effect != "read_only" or tool.name not in scene.tools:
            continue
        needed = [one for one in arguments_of(scene.tools[tool.name]["parameters"]) if one.required]
        one_party = len(needed) == 1 and needed[0].kind == "party"
        if one_party and planner.lexicon.records.kinds.get(noun) == kind:
            return tool.name, needed[0].name
    return None


def _named(planner: Planner, step: Step, kind: str) -> str:
    """The customer that a demand for a record names: where it picks one, then where it demands."""
    if not (picking(step.text) or kind in planner.lexicon.records.of(step.text)):
        return ""  # "refund Castell" tells no invoice
    text = step.text.replace(read_address(step.text) or "\0", " ")
    for part in (picking(text), _demanding(planner, step), text):
        found = [one for one in names(part, planner.lexicon.common) if one in text]
        if written := [one for one in found if not one.islower()]:
            return written[0]
    return ""


def _demanding(planner: Planner, step: Step) -> str:
    deeds = step.choice.found.deeds if step.choice else ()
    text = step.text.replace(read_address(step.text) or "\0", " ")
    return " ".join(one for one in clauses_of(text) if demands(one, deeds))


def _talked_of(scene: Scene) -> str:
    """The one customer that the last turn with calls was about, not one that it only showed."""
    last = next((one for one in reversed(scene.history) if called(one)), None)
    if last is None:
        return ""
    asked = parties_of(last)
    about = replace(scene, history=(last,), made=()).customers() if about_records(last) else []
    found = dict.fromkeys(asked or about)
    return next(iter(found)) if len(found) == 1 else ""


def _states(tool: ToolConfig) -> Collection[str]:
    """States of the records a tool can work on: "Only orders that are processing or packed"."""
    for text in (*_ONLY.findall(tool.constraints), tool.when):
        if found := frozenset[str]().union(*map(status_forms, words(text))):
            return found
    return ()
