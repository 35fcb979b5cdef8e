"""What kind of value an argument takes, read off its JSON schema."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from models.embedded.patterns import ID, ISO_DATE, ISO_MONTH

FieldKind = Literal[
    "id", "month", "date", "amount", "count", "choice", "party", "reason", "address", "sql",
    "query", "title", "text", "other",
]  # fmt: skip

_WORDS: Final[Sequence[tuple[FieldKind, re.Pattern[str]]]] = (
    ("reason", re.compile(r"^(?:reason|note|comment|message|why|justification)$|_reason$")),
    ("address", re.compile(r"address")),
    ("sql", re.compile(r"^sql$|_sql$|^statement$")),
    ("query", re.compile(r"^(?:query|question|search|search_text|topic|keywords?|q)$")),
    ("title", re.compile(r"^(?:name|title|document|policy)$")),
    ("party", re.compile(r"customer|client|company|account|supplier|vendor|person|user")),
)
_TITLE_OF: Final = re.compile(r"\b(?:name|title) of (?:the |a |an )?(\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool as the embedded profile sees it.

    Attributes:
        id_kinds: prefixes of the ids it takes.
        choices: allowed values, for `choice`.
        noun: what a `title` names.
    """

    name: str
    kind: FieldKind
    required: bool
    description: str
    schema: Mapping[str, Any]
    id_kinds: frozenset[str] = frozenset()
    choices: tuple[str, ...] = ()
    noun: str = ""

    @property
    def spoken(self) -> str:
        """The argument's name as people say it."""
        return self.name.removesuffix("_id").replace("_", " ") + (
            " id" if self.name.endswith("_id") else ""
        )


def arguments_of(parameters: Mapping[str, Any]) -> list[Argument]:
    """The arguments of a tool from its JSON schema, in its order."""
    required = parameters.get("required", ())
    properties: Mapping[str, Any] = parameters.get("properties", {})
    return [_argument(name, schema, name in required) for name, schema in properties.items()]


def _argument(name: str, schema: Mapping[str, Any], required: bool) -> Argument:
    plain = _concrete(schema)
    description = str(plain.get("description") or schema.get("description") or "")
    shown = " ".join([description, *(str(one) for one in plain.get("examples", ()))])
    ids = frozenset(
        (match[1] or match[3]).upper() for match in ID.finditer(shown) if "-" in match[0]
    )
    kind = _kind(name, plain, ids, shown)
    noun = _TITLE_OF.search(description)
    return Argument(
        name=name,
        kind=kind,
        required=required,
        description=description,
        schema=plain,
        id_kinds=ids if kind in ("id", "party") else frozenset(),
        choices=tuple(str(value) for value in plain.get("enum", ())),
        noun=noun[1].lower() if noun else "",
    )


def _concrete(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema without its alternative `null`."""
    variants = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    return {**schema, **variants[0]} if len(variants) == 1 else schema


_TYPES: Final[Mapping[str, FieldKind]] = {"number": "amount", "integer": "count"}


def _kind(name: str, schema: Mapping[str, Any], ids: frozenset[str], shown: str) -> FieldKind:
    if schema.get("enum"):
        return "choice"
    if schema.get("type") != "string":
        return _TYPES.get(str(schema.get("type")), "other")
    if schema.get("format") == "date" or ISO_DATE.search(shown):
        return "date"
    if "month" in name or ISO_MONTH.search(shown):
        return "month"
    return _worded(name, ids) or ("id" if ids else _free(schema))


def _worded(name: str, ids: frozenset[str]) -> FieldKind | None:
    for kind, pattern in _WORDS:
        if pattern.search(name):
            return "id" if kind == "party" and name.endswith("_id") and ids else kind
    return None


def _free(schema: Mapping[str, Any]) -> FieldKind:
    """Free text, unless a pattern asks for a code that nobody says in a sentence."""
    return "other" if schema.get("pattern") else "text"
