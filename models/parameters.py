"""What a tool's JSON schema says of its parameters: the kind of value each takes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

from text.words import STOP_WORDS, content_stems, stem, stem_set, words

Kind = Literal[
    "id", "choice", "flag", "day", "month", "time", "amount", "share", "count", "name", "text",
    "code", "unknown",
]  # fmt: skip
_DAY: Final = re.compile(r"\bYYYY-MM-DD\b|\biso 8601\b", re.IGNORECASE)
_MONTH: Final = re.compile(r"\bYYYY-MM\b(?!-)")
_TIME: Final = re.compile(r"\bHH:MM\b", re.IGNORECASE)
_MONEY: Final = stem_set(
    "amount price sum fee cost total budget money eur usd gbp euro dollar pound currency balance"
)
_SHARE: Final = stem_set("percent percentage discount share")
_COUNTED: Final = stem_set("day month count")
_FREE: Final = re.compile(
    r"\b(?:reason|why|note|comment|remark|message|text"
    r"|what (?:happened|is wrong|it is about|to|for)|in the user's words|own words|description"
    r"|subject|problem|question|search(?:ed)? (?:for|words)|words|details?|quer(?:y|ies)|body"
    r"|memo)\b",
    re.IGNORECASE,
)
_PROGRAM: Final = re.compile(r"\b(?:SQL|SELECT|code|program|script|command line)\b")
_EXAMPLE: Final = re.compile(
    r"\b(?:such as|like|e\.g\.|for example|for instance)[:,]? +"
    r"['\"]?([A-Za-z]{1,6}[-_/ ]?\d{1,10})\b"
)
_LITERAL: Final = re.compile(
    r"^\^?\(?([A-Za-z]+[-_/#]?)\)?(?:\\d|\[0-9\])(?:\{(\d+)(,(\d*))?\}|(\+|\*))?\)?\$?$"
)
_FIRST: Final = frozenset(["start", "begin", "first", "from", "since", "after", "earliest"])
_LAST: Final = frozenset(["end", "last", "to", "until", "till", "before", "latest", "through"])


@dataclass(frozen=True, slots=True)
class IdShape:
    """How ids of one kind of record are written: a prefix and a number of so many digits."""

    prefix: str
    least: int
    most: int

    @property
    def kind(self) -> str:
        """The letters that tell the kind of record."""
        return re.sub(r"[^A-Za-z]", "", self.prefix).upper()

    def found_in(self, text: str) -> list[tuple[str, int, int]]:
        """Ids in a text, written as the tool wants them, each with where it stands."""
        return [
            (self.prefix + match[1], match.start(), match.end())
            for match in _id_search(self.kind, self.least, self.most).finditer(text)
        ]

    def of_number(self, digits: str) -> str:
        """The id with this number; empty where the number is too short or too long."""
        return self.prefix + digits if self.least <= len(digits) <= self.most else ""


@lru_cache(256)
def _id_search(kind: str, least: int, most: int) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z0-9]){kind}[-_/# ]?(\d{{{least},{most}}})(?![\dA-Za-z])", re.IGNORECASE
    )


def id_shape(pattern: str, description: str, examples: object = ()) -> IdShape | None:
    """The shape of an id, from a pattern, or from an example in the description."""
    if match := _LITERAL.match(pattern.replace("(?i)", "")):
        if match[2]:
            most = int(match[2]) if not match[3] else int(match[4] or 12)
            return IdShape(match[1], int(match[2]), most)
        return IdShape(match[1], 1, 12 if match[5] else 1)
    named = _EXAMPLE.search(description)
    given = [str(one) for one in examples] if isinstance(examples, list | tuple) else []
    for text in [*given, *([named[1]] if named else [])]:
        if shape := re.fullmatch(r"([A-Za-z]+[-_/]?)(\d+)", text):
            digits = len(shape[2])
            return IdShape(shape[1], digits, digits)
    return None


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tool.

    Attributes:
        kind: what it takes; `unknown` where its schema says nothing that can be filled.
        many: whether it takes a list of such values.
        choices: of a choice, in the schema's order.
        shape: of an id; a name may be given as an id too.
        least: the smallest number it takes.
        most: the largest one.
    """

    name: str
    kind: Kind
    required: bool
    default: Any = None
    description: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()
    shape: IdShape | None = None
    least: float | None = None
    most: float | None = None
    whole: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of its name and of its description."""
        return frozenset(content_stems(f"{self.spoken} {self.description}"))

    @cached_property
    def own_words(self) -> frozenset[str]:
        """Stems of its name."""
        return frozenset(stem(word) for word in words(self.spoken))

    @property
    def spoken(self) -> str:
        """Its name as words, without a unit or "id" behind."""
        return re.sub(r"_(?:ids?|kg|eur|usd|gbp)$", "", self.name).replace("_", " ")

    @cached_property
    def edge(self) -> Literal["first", "last", ""]:
        """Whether it is the beginning or the end of a span of days."""
        names = set(words(self.name.replace("_", " ")))
        lead = [word for word in words(self.description)[:2] if word not in STOP_WORDS | {"only"}]
        if names & _FIRST or (not names & _LAST and set(lead[:1]) & {"first", "earliest"}):
            return "first"
        return "last" if names & _LAST or set(lead[:1]) & {"last", "latest"} else ""


def parameters_of(schema: Mapping[str, Any]) -> list[Parameter]:
    """The parameters of a function in an OpenAI-style tools array.

    Args:
        schema: the function's entry, with its `parameters`.
    """
    body = _mapping(schema.get("parameters"))
    required = _listed(body.get("required"))
    definitions = _mapping(body.get("$defs"))
    return [
        _parameter(name, _mapping(one), name in required, definitions)
        for name, one in _mapping(body.get("properties")).items()
    ]


def _mapping(value: object) -> Mapping[str, Any]:
    """A part of a schema; servers also send `true`, which allows anything, or something broken."""
    return value if isinstance(value, Mapping) else {}


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _parameter(
    name: str, given: Mapping[str, Any], required: bool, definitions: Mapping[str, Any]
) -> Parameter:
    schema = _resolved(given, definitions)
    many = schema.get("type") == "array"
    inner = _resolved(_mapping(schema.get("items")), definitions) if many else schema
    description = str(schema.get("description") or inner.get("description") or "")
    choices = tuple(str(one) for one in _listed(inner.get("enum")) if one is not None)
    shape = id_shape(str(inner.get("pattern") or ""), description, inner.get("examples"))
    kind = _kind(name, inner, description, choices, shape)
    return Parameter(
        name=name,
        kind=kind,
        required=required,
        default=schema.get("default"),
        description=description,
        many=many,
        choices=choices,
        shape=shape if kind in ("id", "name") else None,
        least=_bound(inner, "minimum", "exclusiveMinimum"),
        most=_bound(inner, "maximum", "exclusiveMaximum"),
        whole=inner.get("type") == "integer",
        schema=schema,
    )


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema without references and without "or null"."""
    if reference := schema.get("$ref"):
        target = _mapping(definitions.get(str(reference).rpartition("/")[2]))
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    options = _listed(schema.get("anyOf") or schema.get("oneOf"))
    real = [each for one in options if (each := _mapping(one)).get("type") != "null"]
    if len(real) == 1:
        rest = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        return {**_resolved(real[0], definitions), **rest}
    if "const" in schema:
        return {**schema, "enum": [schema["const"]]}
    types = schema.get("type")
    if isinstance(types, list):
        return {**schema, "type": next((one for one in types if one != "null"), "string")}
    return schema


def _bound(schema: Mapping[str, Any], *names: str) -> float | None:
    """A bound; that `exclusiveMinimum` is `true` in old schemas says nothing of its own."""
    given = [schema[name] for name in names if name in schema]
    return next((float(one) for one in given if type(one) in (int, float)), None)


def _kind(
    name: str,
    schema: Mapping[str, Any],
    description: str,
    choices: tuple[str, ...],
    shape: IdShape | None,
) -> Kind:
    kind = schema.get("type")
    if choices:
        return "choice"
    if kind == "boolean":
        return "flag"
    if kind in ("integer", "number"):
        return _number_kind(name, description)
    if kind not in (None, "string"):
        return "unknown"
    return _string_kind(name, schema, description, shape)


def _number_kind(name: str, description: str) -> Kind:
    stems = {stem(word) for word in words(f"{name.replace('_', ' ')} {description}")}
    if stems & _SHARE:
        return "share"
    return "amount" if stems & _MONEY and not stems & _COUNTED else "count"


def _string_kind(
    name: str, schema: Mapping[str, Any], description: str, shape: IdShape | None
) -> Kind:
    pattern, form = str(schema.get("pattern") or ""), str(schema.get("format") or "")
    if kind := _time_kind(pattern, form, description):
        return kind
    if _PROGRAM.search(f"{description} {name}") or name in ("sql", "code", "script"):
        return "code"
    if pattern and shape:
        return "id"
    spoken = name.replace("_", " ")
    if _FREE.search(spoken) or (
        _FREE.search(description) and not shape and "name" not in description
    ):
        return "text"
    if shape and not re.search(r"\b(?:or|name|title)\b", description):
        return "id"
    if pattern:
        return "unknown"
    return "name"


def _time_kind(pattern: str, form: str, description: str) -> Kind | None:
    """Whether it takes a day, a month or a time of day."""
    if (
        form in ("date", "date-time")
        or _DAY.search(description)
        or (pattern.count(r"\d{2}") == 2 and r"\d{4}" in pattern)
    ):
        return "day"
    if _MONTH.search(description) or r"\d{4}-" in pattern:
        return "month"
    if form == "time" or _TIME.search(description):
        return "time"
    return "time" if ":[0-5]" in pattern or r"\d{2}:\d{2}" in pattern else None
