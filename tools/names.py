"""Names in arguments: a parameter says in YAML which tool lists what it may name.

Before such a call runs, its value has to be an id of that list, or a name that fits exactly one
entry, whose id takes its place. The list is read once a turn, and again after an effect of the
turn. When it cannot be read, a read goes on and says so, and an effect does not run.
"""

import asyncio
import difflib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from configs.errors import InvalidConfig
from configs.expert import NamesConfig
from memory.normalising import normalise
from state import ToolCall, canonical_json
from tools.checking import CheckedCall, check_call, checked_args
from tools.errors import ToolError
from tools.reading import Reads
from tools.registry import Registry
from tools.results import Fault, fault_of, one_line
from tools.spec import CallSite, ToolSpec

NEAR: Final = 5
NEAR_FROM: Final = 0.5
NOTE_CHARS: Final = 600
REMEMBERED_TURNS: Final = 256

TurnKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call whose names were looked up.

    Attributes:
        call: with ids in the place of names.
        fault: why it may not run; empty if it may.
        note: what could not be checked.
    """

    call: ToolCall
    fault: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that may be named: what the parameter takes for it, and what it is called."""

    id: Any
    names: tuple[str, ...]

    @property
    def shown(self) -> str:
        """Its name, and the id where that is another text."""
        name = self.names[0]
        return name if str(self.id) == name else f"{name} ({self.id})"


class Entries:
    """What a list names, by id, by whole name, and by how a name begins or ends."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Index the entries."""
        self._ids: dict[str, list[Entry]] = {}
        self._wholes: dict[str, list[Entry]] = {}
        self._parts: dict[str, list[Entry]] = {}
        for entry in entries:
            self._ids.setdefault(str(entry.id).casefold(), []).append(entry)
            for name in entry.names:
                plain = normalise(name)
                self._wholes.setdefault(plain, []).append(entry)
                for part in _ends_of(plain):
                    self._parts.setdefault(part, []).append(entry)

    def find(self, value: object) -> list[Entry]:
        """The entries that a value stands for: none, the one, or those it could be."""
        said = str(value).strip()
        found = self._ids.get(said.casefold())
        if not found and isinstance(value, str):
            plain = normalise(said)
            found = self._wholes.get(plain) or self._parts.get(plain)
        return list({str(one.id): one for one in found or ()}.values())

    def near(self, value: object) -> list[Entry]:
        """Up to five entries with an id or a name much like the value, the nearest first."""
        known = {**self._parts, **self._ids, **self._wholes}
        said = normalise(str(value))
        close = difflib.get_close_matches(said, known, n=3 * NEAR, cutoff=NEAR_FROM)
        found = {str(one.id): one for key in close for one in known[key]}
        return list(found.values())[:NEAR]


def _ends_of(name: str) -> Iterator[str]:
    """What a name of several words begins or ends with."""
    words = name.split()
    for size in range(1, len(words)):
        yield " ".join(words[:size])
        yield " ".join(words[-size:])


def entries_of(text: str, names: NamesConfig) -> list[Entry]:
    """The entries in a look-up's result: the objects of its lists that have the field.

    Raises:
        ToolError: it is no JSON, or has rows and none of them has the field, or the id.
    """
    try:
        rows = list(_rows(json.loads(text)))
    except ValueError as error:
        message = f"{names.tool} gives no list of objects"
        raise ToolError(message) from error
    wanted = [names.field] if names.id is None else [names.field, names.id]
    whole = [row for row in rows if all(row.get(key) not in (None, "") for key in wanted)]
    if rows and not whole:
        message = f"{names.tool} gives no rows with {' and '.join(wanted)}"
        raise ToolError(message)
    return [_entry(row, names) for row in whole]


def _entry(row: Mapping[str, Any], names: NamesConfig) -> Entry:
    also = (row.get(key) for key in names.also)
    called = (str(row[names.field]), *(str(one) for one in also if one not in (None, "")))
    return Entry(row[names.id] if names.id is not None else row[names.field], called)


def _rows(value: object) -> Iterator[Mapping[str, Any]]:
    """Every object that stands in a list."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item
            yield from _rows(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _rows(item)


@dataclass(slots=True)
class _Turn:
    """What was looked up in a turn; `since` counts the effects that have run in it."""

    since: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    found: dict[str, Entries | Fault] = field(default_factory=dict)


class Names:
    """Looks up, through the pipeline of all reads, what calls name."""

    def __init__(self, registry: Registry, reads: Reads) -> None:
        """Bind the tools and what runs them."""
        self._registry = registry
        self._reads = reads
        self._turns: OrderedDict[TurnKey, _Turn] = OrderedDict()

    async def settle(self, checked: CheckedCall, site: CallSite) -> NamedCall:
        """The call with ids for names, or why it may not run, or what could not be checked."""
        spec, args = checked.spec, dict(checked.args)
        call = checked.call
        note = ""
        for parameter, names in spec.names.items():
            value = args.get(parameter)
            if parameter not in args or value is None or value == _default(spec, parameter):
                continue
            entries = await self._entries(names, site)
            place = f"{parameter} of {spec.name}"
            if isinstance(entries, Entries):
                try:
                    args[parameter] = await asyncio.to_thread(_settled, value, entries, names)
                except ToolError as error:
                    if not names.strict:
                        continue
                    fault = f"{error.kind}: {place}: {error.message} ({error.hint})"
                    return NamedCall(call, fault=one_line(fault, NOTE_CHARS))
            elif spec.effect == "read_only" or not names.strict:
                note = one_line(f"{place} was not checked: {entries.message}")
            else:
                why = f"unavailable: {place} cannot be checked, so it was not run"
                return NamedCall(call, fault=one_line(f"{why}: {entries.message}", NOTE_CHARS))
        return NamedCall({**call, "args": args}, note=note)

    def forget(self, site: CallSite) -> None:
        """An effect of the turn has run: what it may have added is looked up."""
        turn = self._turns.get(_key(site))
        if turn is not None:
            turn.since += 1
            turn.found.clear()

    async def _entries(self, names: NamesConfig, site: CallSite) -> Entries | Fault:
        turn = self._turns.setdefault(_key(site), _Turn())
        self._turns.move_to_end(_key(site))
        while len(self._turns) > REMEMBERED_TURNS:
            self._turns.popitem(last=False)
        key = canonical_json(names.model_dump(mode="json"))
        async with turn.lock:  # experts of one turn work side by side
            if key not in turn.found:
                turn.found[key] = await self._look_up(names, site, turn.since)
            return turn.found[key]

    async def _look_up(self, names: NamesConfig, site: CallSite, since: int) -> Entries | Fault:
        """Read the list as its own expert would, for the same person."""
        spec = self._registry.get(names.tool)
        try:
            if spec is None:
                message = f"there is no tool {names.tool}"
                raise ToolError(message, kind="unknown_tool")
            own = replace(site, expert=spec.expert)
            call: ToolCall = {"id": f"names_{names.tool}", "name": names.tool, "args": names.args}
            checked = check_call(self._registry, call, own)
            text = await self._reads.text(checked, -1 - since, own)
            return await asyncio.to_thread(lambda: Entries(entries_of(text, names)))
        except ToolError as error:
            return fault_of(error)


def _key(site: CallSite) -> TurnKey:
    return site.tenant, site.thread, site.turn_id


def _default(spec: ToolSpec, parameter: str) -> object:
    fields = spec.arguments.model_fields.items()
    found = next((one for name, one in fields if parameter in (one.alias, name)), None)
    return None if found is None else found.get_default(call_default_factory=True)


def _settled(value: object, entries: Entries, names: NamesConfig) -> Any:  # noqa: ANN401 - JSON
    """A value, or each of a list, as the parameter takes it.

    Raises:
        ToolError: invalid_arguments: it names nobody, or could be several.
    """
    if isinstance(value, list):
        return [_settled(one, entries, names) for one in value]
    found = entries.find(value)
    if len(found) == 1:
        return found[0].id
    wanted = f"a {names.field} that {names.tool} lists"
    wanted += f", or its {names.id}" if names.id is not None else ""
    came = one_line(repr(value), 80)
    if found:
        message = f"{came} could be {len(found)} of them: {_listed(found[:NEAR])}"
        raise ToolError(message, kind="invalid_arguments", hint="ask which one is meant")
    near = entries.near(value)
    told = f"; near are {_listed(near)}" if near else "; none is near"
    message = f"wanted {wanted}, came {came}{told}"
    raise ToolError(message, kind="invalid_arguments", hint="take one of these, or ask the user")


def _listed(entries: Sequence[Entry]) -> str:
    return ", ".join(one_line(one.shown, 80) for one in entries)


def check_lookups(specs: Sequence[ToolSpec], app_dir: Path) -> None:
    """Make sure that every look-up can be called as its file says.

    Raises:
        InvalidConfig: names the file and the key.
    """
    known = {spec.name: spec for spec in specs}
    for spec in specs:
        for parameter, names in spec.names.items():
            file = str(app_dir / "experts" / f"{spec.expert}.yaml")
            key = f"tools.{spec.name}.parameters.{parameter}.names"
            source = known.get(names.tool)
            if source is None or source.effect != "read_only":
                wanted = "a read_only tool of the app"
                raise InvalidConfig(file, f"{key}.tool", wanted=wanted, came=repr(names.tool))
            try:
                checked_args(source, "", names.args)
            except ToolError as error:
                wanted = f"arguments with which {names.tool} can be called"
                raise InvalidConfig(
                    file, f"{key}.args", wanted=wanted, came=error.message
                ) from error
