"""The arguments of a chosen tool: patterns first, `needle` for what they leave open.

Nothing is invented: a required argument that nobody stated is reported as missing, and the caller
asks back.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from models.embedded import readers
from models.embedded.choices import read_choice
from models.embedded.customers import enumerated, read_parties
from models.embedded.explaining import reason_of
from models.embedded.fields import Argument, arguments_of
from models.embedded.grounding import ungrounded
from models.embedded.guarding import meant_ids
from models.embedded.lessons import Filling, with_lessons
from models.embedded.needle import Guess
from models.embedded.patterns import dates, identifiers, months
from models.embedded.patterns import shifted as shifted_month
from models.embedded.requests import Request, led_by_deed
from models.embedded.reserving import told_from
from models.embedded.scene import MORE, outputs_of
from models.embedded.sums import share_in, sums_of

SURE: Final = 0.4  # calls of needle above this confidence are right in about 94 %
MAX_CALLS: Final = 6
_WORKED_OUT: Final = (
    "month",
    "date",
    "choice",
    "count",
    "title",
)  # "last month", "unpaid", "two weeks"
_MONTH_SHIFT: Final = re.compile(
    r"\bmonth (before|earlier|prior|after|later)\b(?! last)|\bthe (?:month )?(previous|following)"
    r" month\b",
    re.IGNORECASE,
)
_THESE_MONTHS: Final = re.compile(
    r"\b(?:those|these|both|the (?:two|three)|all (?:two|three))(?: two| three)? months\b", re.I
)
_OTHER: Final = re.compile(r"\bthe other\b|\banother one\b", re.IGNORECASE)
_NOT: Final = re.compile(
    r"\b(?:not|instead of|rather than|unlike"
    r"|(?:confused|mixed|mistook|mistaken|swapped)(?: \w+)?(?: up)? (?:with|for))"
    r" (?:the |for |on )?$",
    re.IGNORECASE,
)
_SAME_REASON: Final = re.compile(
    r"(?:(?:for|exactly|it's|also) )*(?:the )?same (?:reason|story|thing|issue|problem|cause)"
    r"(?: (?:again|as before|here))?",
    re.IGNORECASE,
)
_MANY: Final = re.compile(r"\b(?:both|them all|all of them|all three|these|those|each)\b", re.I)


class Filler(Protocol):
    """A model that fills the arguments of one tool."""

    def fill(self, tool: Mapping[str, Any], text: str) -> Guess | None:
        """The tool's arguments as read off a text, or None."""
        ...


class ArgumentReader:
    """Fills a tool's arguments from a request."""

    def __init__(self, model: Filler | None = None) -> None:
        """Bind the model that is asked where patterns find nothing; None asks none."""
        self._model = model
        self._readers: Mapping[str, Callable[[Argument, Request], list[Any]]] = {
            "id": _read_ids,
            "month": _read_months,
            "date": lambda _, request: list(dates(request.text, request.today))[:1],
            "choice": lambda argument, request: _one(read_choice(request.text, argument)),
            "party": read_parties,
            "reason": lambda _, request: _one(_read_reason(request)),
            "address": lambda _, request: readers.read_addresses(
                request.text, [one.text for one in identifiers(request.text)]
            ),
            "sql": lambda _, request: _one(readers.read_sql(request.text)),
            "query": lambda _, request: _one(readers.read_query(request.text)),
            "title": _read_titles,
            "other": lambda argument, request: _one(
                readers.read_code(request.text)
                if "_" in str(argument.schema.get("pattern"))
                else ""
            ),
            "count": lambda argument, request: _some(readers.read_count(request.text, argument)),
        }

    def read(self, tool: Mapping[str, Any], request: Request) -> Filling:
        """The calls that the request asks for.

        Args:
            tool: the tool's function schema: name, description, parameters.
            request: what was said.
        """
        arguments = arguments_of(tool["parameters"])
        found: dict[str, list[Any]] = {}
        for argument in arguments:
            read = self._readers.get(argument.kind)
            found[argument.name] = read(argument, request) if read else []
        filling = _with_amounts(arguments, found, request)
        filling = with_lessons(str(tool["name"]), arguments, filling, request.scene.constraints)
        if any(one.kind in ("text", "other") for one in filling.missing):
            return self._guessed(tool, filling, request)
        return filling

    def _guessed(self, tool: Mapping[str, Any], filling: Filling, request: Request) -> Filling:
        """Let the model read the free texts that no pattern covers; only grounded values count."""
        guess = self._model.fill(_plainly(tool), request.text) if self._model else None
        if guess is None or guess.confidence < SURE:
            return filling
        open_names = {argument.name for argument in filling.missing}
        read = {name: value for name, value in guess.arguments.items() if name in open_names}
        bad = set(ungrounded(read, [request.text]))
        sure = {name: value for name, value in read.items() if name not in bad and value}
        return replace(
            filling,
            calls=tuple({**call, **sure} for call in filling.calls),
            missing=tuple(one for one in filling.missing if one.name not in sure),
        )


def _plainly(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The tool without what the model was not trained on: patterns, lengths, long descriptions."""
    kept = ("type", "description", "enum")
    properties = {
        name: {key: value for key, value in schema.items() if key in kept}
        for name, schema in tool["parameters"].get("properties", {}).items()
    }
    required = list(tool["parameters"].get("required", ()))
    return {
        "name": tool["name"],
        "description": str(tool.get("description", "")).partition("\n")[0],
        "parameters": {"type": "object", "properties": properties, "required": required},
    }


def _one(value: str) -> list[Any]:
    return [value] if value else []


def _some(value: int | None) -> list[Any]:
    return [] if value is None else [value]


def _read_reason(request: Request) -> str:
    """Why; the last reason given, where the text says that it is the same."""
    own = reason_of(request.text, request.scene.user, request.deeds)
    if not _SAME_REASON.fullmatch(own.strip()):
        return own
    earlier = [
        str(call["args"]["reason"])
        for record in request.scene.history
        for module in record["modules"]
        for call in module["calls"]
        if call["args"].get("reason")
    ]
    return earlier[-1] if earlier else own


def _read_titles(argument: Argument, request: Request) -> list[Any]:
    """A title in the request; else the one that the last answer quotes from: "all of it"."""
    if several := readers.read_titles(request.text, request.titles):
        return list(several)
    if own := readers.read_title(request.text, argument.noun, request.titles):
        return [own]
    last = outputs_of(request.scene.last) if request.scene.last else []
    shown = " ".join(last).casefold().replace("-", " ")
    found = [(shown.find(title.replace("-", " ")), title) for title in request.titles]
    quoted = sorted(one for one in found if one[0] >= 0)
    return [quoted[0][1]] if quoted and argument.required else []


def _read_ids(argument: Argument, request: Request) -> list[Any]:
    """Ids in the request; else those that "it" stands for, in the message or the history."""
    kinds = argument.id_kinds
    named = identifiers(request.text, kinds)
    own = [one.text for one in named if not _NOT.search(request.text[: one.start])]
    if own := told_from(request.text, own):
        return meant_ids(request.text, own, request.deeds)
    before = told_from(request.before, [one.text for one in identifiers(request.before, kinds)])
    if before:
        return list(before) if _MANY.search(request.text) else list(before[-1:])
    if not argument.required:
        return []
    if _OTHER.search(request.text):
        return list(request.scene.other_ids(kinds))
    return list(request.scene.ids(kinds))


def _read_months(argument: Argument, request: Request) -> list[Any]:
    """Months in the request; "that month" and "the month before" count from the last one named."""
    own = months(request.text, request.today)
    whole = months(request.scene.user, request.today)  # "the churn and the revenue of May"
    said = months(request.before, request.today)[-1:] or whole[:1]
    earlier = said or list(request.base_months[:1])
    if shift := _MONTH_SHIFT.search(request.text):
        by = (
            -1
            if (shift[1] or shift[2]).lower() in ("before", "previous", "earlier", "prior")
            else 1
        )
        based = earlier or own if shift[2] else own or earlier  # of the month that was talked about
        return [shifted_month(month, by) for month in based]
    if own or not argument.required:
        return list(own)
    if _THESE_MONTHS.search(request.text):
        return request.scene.months(most=2)
    return earlier


def _with_amounts(
    arguments: Sequence[Argument], found: dict[str, list[Any]], request: Request
) -> Filling:
    """Spread what was read over calls; sums go with ids in their order."""
    priced = next((one for one in arguments if one.kind == "amount"), None)
    sums = sums_of(request.text) if priced else []
    calls = _spread(arguments, found, request)
    options = _options(arguments, found, request)
    if options:
        calls = [{name: value for name, value in calls[0].items() if value not in options}]
    share = share_in(sums)
    values = [one for one in sums if one.value is not None]
    if len(calls) == 1:  # "paid 600 on the wrong account, send the 600 back"
        values = list({one.value: one for one in values}.values())
    if priced and len(values) > 1 and len(calls) == 1:
        values = led_by_deed(values, request)
    if priced and len(values) in (1, len(calls)):
        for at, call in enumerate(calls):
            call[priced.name] = float(values[min(at, len(values) - 1)].value or 0)
        share = None
    missing = [one for one in arguments if one.required and any(one.name not in c for c in calls)]
    if share is not None and priced:
        missing = [one for one in missing if one is not priced]
    return Filling(
        calls=tuple(calls),
        missing=tuple(missing),
        share=share if priced else None,
        amount_name=priced.name if priced else "",
        options=tuple(options),
        derived=frozenset(
            str(value)
            for argument in arguments
            for value in found[argument.name]
            if argument.kind in _WORKED_OUT or value in request.titles
        ),
    )


def _options(
    arguments: Sequence[Argument], found: Mapping[str, list[Any]], request: Request
) -> list[str]:
    """Ids from the history between which "it" does not decide."""
    for argument in arguments:
        values = found[argument.name]
        many = _MANY.search(request.text) and MORE not in values
        if argument.kind != "id" or len(values) < 2 or many:
            continue
        said = f"{request.text} {request.before}"
        if not any(one.text in values for one in identifiers(said, argument.id_kinds)):
            return [str(value) for value in values]
    return []


def _spread(
    arguments: Sequence[Argument], found: Mapping[str, list[Any]], request: Request
) -> list[dict[str, Any]]:
    """One call for each value of the argument that was enumerated, if one was."""
    base = {name: values[0] for name, values in found.items() if values}
    many = next(
        (
            one
            for one in arguments
            if one.kind in ("id", "month", "party", "title") and len(found[one.name]) > 1
        ),
        None,
    )
    placed = next((one.name for one in arguments if one.kind == "address"), "")
    if len(found.get(placed, ())) > 1:
        return _paired(base, many.name if many else "", placed, found)
    if many is None or (many.kind == "party" and not enumerated(request, found[many.name])):
        return [base]
    return [{**base, many.name: value} for value in found[many.name][:MAX_CALLS]]


def _paired(
    base: Mapping[str, Any], many: str, placed: str, found: Mapping[str, list[Any]]
) -> list[dict[str, Any]]:
    """One call for each id with the address of its own; without one where the numbers differ."""
    if len(found.get(many, ())) != len(found[placed]):
        return [{name: value for name, value in base.items() if name != placed}]
    pairs = zip(found[many], found[placed], strict=True)
    return [{**base, many: id_, placed: address} for id_, address in pairs]
