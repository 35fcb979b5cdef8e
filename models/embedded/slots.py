"""Fills a tool's parameters from what the user said, by each parameter's JSON schema alone."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal

from models.embedded.grammar import CORRECTED, FUTURE, PAST
from models.embedded.mentions import Mention, mentions, with_digits
from models.embedded.options import OptionReader
from models.embedded.slot_reader import SlotReader, Span
from models.parameters import IdShape, Parameter
from text.dates import Period, periods
from text.words import content_stems, stem, words

Origin = Literal["said", "earlier", "picked", "lesson"]
SURE: Final = 0.3
LONG_ID: Final = 4
"""Digits of a bare number that is an id though the tool wants a count too."""
LEAST_SAID: Final = 3
"""Words that say something, without which a message holds no text of its own."""
_CUED: Final = re.compile(r"(?:#|\bno\.?|\bnumber|\bnr\.?) ?$", re.IGNORECASE)
_FEW: Final = re.compile(
    r"\b(?:top|first|last|latest|next|at most|max(?:imum)?|up to|only|newest"
    r"|make it|make that|show|give me) $",
    re.IGNORECASE,
)
_AT_LEAST: Final = re.compile(
    r"\b(?:over|above|more than|at least|from|exceeding|beyond|minimum|min)\b", re.IGNORECASE
)
_WITHOUT: Final = re.compile(
    r"\b(?:without|no|not|don't|dont|doesn't|skip|leave out|minus|except)\b[^,.;]{0,20}$",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"(?<![\w.,-])\d{2,12}(?![\w%:/-]|[.,]\d)")
_ARTICLE: Final = re.compile(
    r"^(?:the|a|an|our|my|mr\.?|mrs\.?|ms\.?|miss|dr\.?(?= \w+ ?$)) +", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a text holds that can be read without a model.

    Attributes:
        text: what the user wrote, number words as digits.
        before: his message of the turn before.
        ids: each with its shape and where it stands.
    """

    text: str
    before: str = ""
    periods: tuple[Period, ...] = ()
    ids: tuple[tuple[IdShape, str, int, int], ...] = ()
    measures: tuple[Mention, ...] = ()

    def without(self, used: Iterable[tuple[int, int]]) -> str:
        """The text without what is taken or used."""
        left = list(self.text)
        for start, stop in [*self.taken, *used]:
            left[start:stop] = " " * (stop - start)
        return "".join(left)

    @property
    def taken(self) -> list[tuple[int, int]]:
        """Where ids and days stand."""
        return [(a, b) for _, _, a, b in self.ids] + [(p.start, p.stop) for p in self.periods]


def utterance(
    text: str,
    shapes: Iterable[IdShape],
    today: date,
    *,
    before: str = "",
    ahead: bool | None = None,
    then: date | None = None,
) -> Utterance:
    """Reads ids, days and measures of a text.

    Args:
        text: what the user wrote.
        shapes: of all ids of the desk.
        today: the desk's day.
        before: his message of the turn before.
        ahead: see `periods`; None lets the text's own tense decide.
        then: the day spoken of before.
    """
    plain = " ".join(with_digits(text).split())
    ids: list[tuple[IdShape, str, int, int]] = []
    for shape in shapes:
        for key, start, stop in shape.found_in(plain):
            if not any(a < stop and start < b for _, _, a, b in ids):
                ids.append((shape, key, start, stop))
    if ahead is None and (PAST.search(plain) or FUTURE.search(plain)):
        ahead = not PAST.search(plain)
    blank = list(plain)
    for _, _, start, stop in ids:
        blank[start:stop] = "#" * (stop - start)
    stretches = tuple(periods("".join(blank), today, ahead=ahead, then=then))
    found = Utterance(plain, before, stretches, tuple(sorted(ids, key=lambda one: one[2])))
    return replace(found, measures=tuple(mentions(plain, found.taken)))


@dataclass(frozen=True, slots=True)
class Filling:
    """What could be read for one call.

    Attributes:
        args: by name.
        origins: where each value comes from.
        missing: required parameters without a value.
        also: values of one parameter that takes a single one: each is a call of its own.
        part: a part of a sum that a record has to tell, with the parameter that takes it.
        guesses: the likeliest option of each choice, and how likely it is if one of them is meant.
        sureness: how likely each value, and each one left out, is right; 1 where it is not here.
    """

    args: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    missing: tuple[Parameter, ...] = ()
    also: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    part: tuple[Parameter, Mention] | None = None
    sureness: Mapping[str, float] = field(default_factory=dict)
    guesses: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    @property
    def sure(self) -> float:
        """How likely all its values are right."""
        return math.prod(self.sureness.values())

    def with_value(self, name: str, value: object, origin: Origin, sure: float = 1.0) -> "Filling":
        """The filling with one more value."""
        return replace(
            self,
            args={**self.args, name: value},
            origins={**self.origins, name: origin},
            missing=tuple(one for one in self.missing if one.name != name),
            sureness={**self.sureness, name: sure},
        )

    def with_ids_only(self, own: Sequence[Parameter]) -> "Filling":
        """The filling whose several calls are for several ids and nothing else."""
        ids = {one.name for one in own if one.kind == "id"}
        return replace(self, also={name: rest for name, rest in self.also.items() if name in ids})

    def over(self, earlier: "Filling") -> "Filling":
        """This filling over an earlier one, whose values stay where this has none."""
        also = {name: rest for name, rest in earlier.also.items() if name not in self.args}
        return Filling(
            args={**earlier.args, **self.args},
            origins={**earlier.origins, **self.origins},
            missing=tuple(one for one in self.missing if one.name not in earlier.args),
            also={**also, **self.also},
            part=self.part or (earlier.part if not self._takes(earlier.part) else None),
            guesses={**earlier.guesses, **self.guesses},
            sureness={
                **earlier.sureness,
                **{
                    name: sure
                    for name, sure in self.sureness.items()
                    if name in self.args or name not in earlier.args
                },
            },
        )

    def _takes(self, part: tuple[Parameter, Mention] | None) -> bool:
        return part is not None and part[0].name in self.args


def segments(text: str) -> list[str]:
    """A message before and after each place where its writer corrects himself."""
    found = [one for one in CORRECTED.split(text) if one.strip()]
    return found if CORRECTED.search(text) and len(found) > 1 else [text]


class Filler:
    """Fills parameters; what says names, words, choices and flags is read by a model."""

    def __init__(self, reader: SlotReader, options: OptionReader) -> None:
        """Bind the models."""
        self._reader, self._options = reader, options

    def fill(self, parameters: Sequence[Parameter], heard: Utterance, today: date) -> Filling:
        """What an utterance says of a tool's parameters; blocks.

        Args:
            parameters: the tool's.
            heard: the utterance.
            today: the desk's day.
        """
        values: dict[str, list[Any]] = {}
        used: set[tuple[int, int]] = set()
        for one in parameters:
            if one.shape and (found := list(_ids(one, heard, parameters, used))):
                values[one.name] = found
        values |= _days(parameters, heard, today)
        values |= _months(parameters, heard)
        part = _sums(parameters, heard, used, values)
        sureness: dict[str, float] = {}
        guesses: dict[str, tuple[str, float]] = {}
        values |= self._read(parameters, heard, values, used, sureness, guesses)
        _count(parameters, heard, used, values)
        for one in parameters:  # the words themselves say what a required text asks for
            lacks = one.kind == "text" and one.required and one.name not in values
            if lacks and len(content_stems(heard.without(used))) >= LEAST_SAID:
                values[one.name] = [heard.text]
        filling = _filled(parameters, values, part)
        return replace(filling, sureness=sureness, guesses=guesses)

    def _read(
        self,
        parameters: Sequence[Parameter],
        heard: Utterance,
        known: Mapping[str, list[Any]],
        used: set[tuple[int, int]],
        sureness: dict[str, float],
        guesses: dict[str, tuple[str, float]],
    ) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        text, unread = heard.text, [one for one in parameters if one.name not in known]
        for one in unread:
            if one.kind == "choice":
                likely = map(float, self._options.likely(text, one))
                shares = dict(zip(one.choices, likely, strict=True))
                found[one.name] = _chosen(one, shares)
                sureness[one.name] = _sure_of(shares, found[one.name])
                best = max(shares, key=lambda option: shares[option])
                guesses[one.name] = best, shares[best] / sum(shares.values())
            elif one.kind == "flag":
                said = float(self._options.likely(text, one)[0])
                before = text[: self._options.place(text, one)]
                found[one.name] = [not _WITHOUT.search(before)] if said >= SURE else []
                sureness[one.name] = max(said, 1 - said)
        spelled = [one for one in unread if one.kind in ("name", "text")]
        spans = [
            (sure, a, b, one)
            for one, some in zip(spelled, self._reader.spans(text, spelled), strict=True)
            for a, b, sure in (some if one.kind == "name" or one.many else _whole(some))
        ]
        for sure, _, _, one in spans:
            if one.kind == "name":
                sureness[one.name] = max(sure, sureness.get(one.name, 0.0))
        _spelled(sorted(spans, key=lambda span: -span[0]), text, heard, used, found)
        return {name: value for name, value in found.items() if value}


def _whole(spans: Sequence[Span]) -> list[Span]:
    """The stretch from the first to the last: a reason is not told in pieces."""
    if not spans:
        return []
    starts, stops, sure = zip(*spans, strict=True)
    return [(min(starts), max(stops), max(sure))]


def _spelled(
    spans: Iterable[tuple[float, int, int, Parameter]],
    text: str,
    heard: Utterance,
    used: set[tuple[int, int]],
    found: dict[str, list[Any]],
) -> None:
    """Add what the spans say to what was found, the surest first; no word is of two names."""
    for _, start, stop, one in spans:
        taken = [*heard.taken, *used]
        if one.kind == "name" and any(a < stop and start < b for a, b in taken):
            continue
        said = _ARTICLE.sub("", text[start:stop]) if one.kind == "name" else text[start:stop]
        said = said.removesuffix("'s").removesuffix("\u2019s").strip()
        if said and (one.many or one.kind == "text" or one.name not in found or one.required):
            found.setdefault(one.name, []).append(said)
            if one.kind == "name":
                used.add((start, stop))


def _ids(
    parameter: Parameter,
    heard: Utterance,
    parameters: Sequence[Parameter],
    used: set[tuple[int, int]],
) -> Iterator[str]:
    shape = parameter.shape
    found = [
        (key, a, b)
        for one, key, a, b in heard.ids
        if shape and one.kind == shape.kind and (a, b) not in used
    ]
    for key, start, stop in found:
        used.add((start, stop))
        yield key
    if found or shape is None:
        return
    for match in _DIGITS.finditer(heard.text):
        key, place = shape.of_number(match[0]), match.span()
        if not key or any(a < place[1] and place[0] < b for a, b in [*heard.taken, *used]):
            continue
        measure = next((one for one in heard.measures if one.start <= place[0] < one.stop), None)
        if measure is not None and measure.measure != "number":
            continue
        before = heard.text[: match.start()]
        last = words(before)[-1:]
        cued = bool(_CUED.search(before)) or bool({stem(word) for word in last} & parameter.words)
        sole = (
            len({one.shape for one in parameters if one.shape and one.shape.of_number(match[0])})
            == 1
        )
        rivals = [p for p in parameters if p.kind in ("count", "amount") and p.required]
        alone = not rivals or len(match[0]) >= LONG_ID
        if cued or (sole and parameter.kind == "id" and shape.least > 2 and alone):
            used.add(place)
            yield key


def _days(parameters: Sequence[Parameter], heard: Utterance, today: date) -> dict[str, list[Any]]:
    days = [one for one in parameters if one.kind == "day"]
    spans = list(heard.periods)
    found: dict[str, list[Any]] = {}
    if not days or not spans:
        return found
    first = next((one for one in days if one.edge == "first"), None)
    last = next((one for one in days if one.edge == "last"), None)
    plain = [one for one in days if one is not first and one is not last]
    if first is not None:
        span = spans.pop(0)
        if (
            len(spans)
            and not plain
            and span.is_day
            and spans[0].is_day
            and spans[0].last
            and spans[0].last > (span.first or today)
        ):
            span = replace(span, last=spans.pop(0).last)
        begin = span.first or (today if first.required else None)
        end = span.last or (
            max(today, begin or today) if last is not None and last.required else None
        )
        if begin:
            found[first.name] = [begin.isoformat()]
        if last is not None and end:
            found[last.name] = [end.isoformat()]
    elif last is not None:
        span = spans.pop(-1)
        found[last.name] = [str(span.last or span.first)]
    for one, span in zip(plain, _for_plain(plain, spans), strict=False):
        day = span.first or span.last
        found[one.name] = [str(day)]
    return found


def _for_plain(plain: Sequence[Parameter], spans: Sequence[Period]) -> Sequence[Period]:
    """The periods that days without an edge take: of a move "from Monday to Friday" the last."""
    if len(plain) == 1 and len(spans) == 1 and not spans[0].is_day and "new" in plain[0].own_words:
        return [replace(spans[0], first=spans[0].last)]
    return spans[-1:] if len(plain) == 1 and "new" in plain[0].own_words else spans


def _months(parameters: Sequence[Parameter], heard: Utterance) -> dict[str, list[Any]]:
    one = next((each for each in parameters if each.kind == "month"), None)
    if one is None or not heard.periods:
        return {}
    whole = [span for span in heard.periods if span.unit != "day"] or list(heard.periods)
    found: list[str] = []
    for span in whole:
        begin, end = span.first or span.last, span.last or span.first
        if begin is None or end is None:
            continue
        index, stop = begin.year * 12 + begin.month - 1, end.year * 12 + end.month - 1
        stop = stop if span.unit in ("month", "quarter") else index
        found += [f"{at // 12}-{at % 12 + 1:02d}" for at in range(index, min(stop, index + 11) + 1)]
    return {one.name: list(dict.fromkeys(found))} if found else {}


def _sums(
    parameters: Sequence[Parameter],
    heard: Utterance,
    used: set[tuple[int, int]],
    values: dict[str, list[Any]],
) -> tuple[Parameter, Mention] | None:
    """Fills times, sums and shares; a part of a sum is handed back."""
    part: tuple[Parameter, Mention] | None = None
    for one in parameters:
        kinds = {"time": "time", "amount": "money", "share": "share"}
        if one.kind not in kinds or one.name in values:
            continue
        fitting = [
            each
            for each in heard.measures
            if each.measure == kinds[one.kind] and (each.start, each.stop) not in used
        ]
        if one.kind != "time" and not fitting and (one.required or _cued_by(one, heard)):
            fitting = [
                each
                for each in heard.measures
                if each.measure == "number"
                and (each.start, each.stop) not in used
                and _in_bounds(one, each)
            ]
        parts = [each for each in heard.measures if each.measure == "part"]
        if fitting:
            chosen = fitting[-1] if one.kind == "time" and "new" in one.own_words else fitting[0]
            used.add((chosen.start, chosen.stop))
            values[one.name] = [chosen.clock if one.kind == "time" else _plain(chosen.value, one)]
        elif one.kind == "share" and parts:
            values[one.name] = [_plain(parts[0].value * 100, one)]
        elif one.kind == "amount" and parts and one.required:
            part = (one, parts[0])
        elif (
            one.kind == "amount"
            and (shares := [each for each in heard.measures if each.measure == "share"])
            and one.required
        ):
            part = (one, replace(shares[0], value=shares[0].value / 100))
    return part


def _cued_by(parameter: Parameter, heard: Utterance) -> bool:
    """Whether a parameter's own word, or "over", stands beside a number."""
    stems = set(content_stems(heard.text))
    least = any(word in parameter.name for word in ("min", "least", "over"))
    return bool(stems & parameter.own_words - {"min", "max"}) or (
        least and bool(_AT_LEAST.search(heard.text))
    )


def _in_bounds(parameter: Parameter, one: Mention) -> bool:
    value = float(one.value)
    low = parameter.least is None or value >= parameter.least
    return (
        low
        and (parameter.most is None or value <= parameter.most)
        and (not parameter.whole or value == int(value))
    )


def _count(
    parameters: Sequence[Parameter],
    heard: Utterance,
    used: set[tuple[int, int]],
    values: dict[str, list[Any]],
) -> None:
    """Fills counts from the numbers that are left, those beside a word of the parameter first."""
    counts = [one for one in parameters if one.kind == "count" and one.name not in values]
    left = [
        one
        for one in heard.measures
        if one.measure == "number" and (one.start, one.stop) not in used
    ]
    for one in sorted(counts, key=lambda each: not each.required):
        fitting = [each for each in left if _in_bounds(one, each)]
        beside = [each for each in fitting if _beside(each, heard.text) & one.words]
        others = sum(each.kind in ("count", "amount", "share") for each in parameters)
        loose = (
            fitting
            if one.required
            else [
                each
                for each in fitting
                if _FEW.search(heard.text[: each.start])
                or (others == 1 and _cued_by(one, heard))
                or (others == 1 and len(words(heard.text)) <= 4)
            ]
        )
        if chosen := (beside or loose)[:1]:
            used.add((chosen[0].start, chosen[0].stop))
            left.remove(chosen[0])
            values[one.name] = [_plain(chosen[0].value, one)]


def _beside(one: Mention, text: str) -> set[str]:
    after = [stem(word) for word in words(text[one.stop :])[:3]]
    before = [stem(word) for word in words(text[: one.start])[-1:]]
    return {*after, *before}


def _plain(value: Decimal, parameter: Parameter) -> int | float:
    return int(value) if parameter.whole else float(value)


def _chosen(parameter: Parameter, sure: Mapping[str, float]) -> list[Any]:
    """The options that are likely enough, or the likeliest of them."""
    found = sorted((one for one in sure if sure[one] >= SURE), key=lambda one: -sure[one])
    return [one for one in parameter.choices if one in found] if parameter.many else found[:1]


def _sure_of(sure: Mapping[str, float], chosen: Sequence[str]) -> float:
    """How likely just these options are meant."""
    taken = min((sure[one] for one in chosen), default=1.0)
    return taken * (1 - max((sure[one] for one in sure if one not in chosen), default=0.0))


def _filled(
    parameters: Sequence[Parameter],
    values: Mapping[str, list[Any]],
    part: tuple[Parameter, Mention] | None,
) -> Filling:
    args: dict[str, Any] = {}
    also: dict[str, tuple[Any, ...]] = {}
    for one in parameters:
        if found := list(dict.fromkeys(values.get(one.name, ()))):
            args[one.name] = found if one.many else found[0]
            if not one.many and len(found) > 1 and one.kind in ("id", "month", "name"):
                also[one.name] = tuple(found[1:])
    missing = tuple(
        one
        for one in parameters
        if one.required and one.name not in args and not (part and part[0] is one)
    )
    return Filling(args, dict.fromkeys(args, "said"), missing, also, part)
