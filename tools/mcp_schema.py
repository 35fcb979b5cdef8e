"""From a server's JSON schema to checked arguments.

A schema comes from outside: references are resolved inside it only, descriptions are cut, and
patterns are left for the server to check, since one can be written that never ends.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import BaseModel, create_model, model_validator

from state import clean_text
from tools.signatures import SchemaArguments

DEEPEST: Final = 12
DESCRIPTION_CHARS: Final = 300
MOST_PARTS: Final = 2_000
_DROPPED: Final = frozenset(
    {"$schema", "$id", "$defs", "definitions", "title", "examples", "pattern", "patternProperties"}
)
_SCHEMAS: Final = frozenset({"items", "additionalProperties", "not", "contains"})
_LISTS: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_ANYTHING: Final[dict[str, Any]] = {}


class RemoteArguments(SchemaArguments):
    """Arguments of one tool of a server, checked against its schema."""

    remote_schema: ClassVar[dict[str, Any]] = {}
    remote_validator: ClassVar[Any] = None

    @model_validator(mode="before")
    @classmethod
    def _check(cls, given: Any) -> Any:  # noqa: ANN401 - whatever a model wrote
        from jsonschema.exceptions import best_match  # noqa: PLC0415 - loaded when it is used

        filled = _with_defaults(given, cls.remote_schema)
        fault = best_match(cls.remote_validator.iter_errors(filled))
        if fault is not None:
            place = ".".join(str(part) for part in fault.absolute_path) or "arguments"
            message = f"{place}: {fault.message[:DESCRIPTION_CHARS]}"
            raise ValueError(message)
        return filled

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic's
        """The server's schema, cleaned."""
        return dict(cls.remote_schema)


def arguments_of(name: str, schema: Mapping[str, Any]) -> type[BaseModel]:
    """A model of the arguments that a server's schema describes.

    An argument that the schema does not name is refused, unless the schema says otherwise: the
    server would ignore it, and a person would have approved it.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - loaded when it is used

    plain = clean_schema(schema)
    plain = {**plain, "type": "object", "properties": plain.get("properties") or {}}
    if plain["properties"]:
        plain.setdefault("additionalProperties", False)
    model = create_model(f"{name}_arguments", __base__=RemoteArguments)
    model.remote_schema = plain
    model.remote_validator = Draft202012Validator(plain)
    return model


def is_schema(schema: Mapping[str, Any]) -> bool:
    """Whether it is a JSON schema of an object that can be checked."""
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 - when it is used

    plain = clean_schema(schema)
    try:
        Draft202012Validator.check_schema(plain)
    except SchemaError:
        return False
    return bool(plain.get("type", "object") == "object")


def clean_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without references, titles and patterns, its descriptions cut.

    What contains itself, is nested too deep or has too many parts becomes "anything" there.
    """
    definitions = {**_mapping(schema.get("definitions")), **_mapping(schema.get("$defs"))}
    return _Cleaning(definitions).of(schema, ())


class _Cleaning:
    """One schema's cleaning; counts the parts it has seen."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._seen = 0

    def of(self, schema: Any, above: tuple[str, ...], depth: int = 0) -> dict[str, Any]:  # noqa: ANN401
        self._seen += 1
        if not isinstance(schema, Mapping) or depth > DEEPEST or self._seen > MOST_PARTS:
            return dict(_ANYTHING)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self._resolved(reference, schema, above, depth)
        return {
            key: self._part(key, value, above, depth + 1)
            for key, value in schema.items()
            if isinstance(key, str) and key not in _DROPPED
        }

    def _resolved(
        self, reference: str, schema: Mapping[str, Any], above: tuple[str, ...], depth: int
    ) -> dict[str, Any]:
        name = reference.rsplit("/", 1)[-1]
        if not reference.startswith("#/") or name in above or name not in self._definitions:
            return dict(_ANYTHING)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        whole = {**_mapping(self._definitions[name]), **rest}
        return self.of(whole, (*above, name), depth + 1)

    def _part(self, key: str, value: Any, above: tuple[str, ...], depth: int) -> Any:  # noqa: ANN401
        if key == "properties" and isinstance(value, Mapping):
            return {str(name): self.of(part, above, depth) for name, part in value.items()}
        if key in _SCHEMAS:
            return value if isinstance(value, bool) else self.of(value, above, depth)
        if key in _LISTS and isinstance(value, list):
            return [self.of(part, above, depth) for part in value]
        if key == "description":
            return clean_text(str(value))[:DESCRIPTION_CHARS]
        return value


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _with_defaults(given: Any, schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """The arguments with the schema's own defaults, so that a person sees what will be used."""
    if not isinstance(given, Mapping):
        return given
    defaults = {
        name: part["default"]
        for name, part in schema["properties"].items()
        if "default" in part and part["default"] is not None
    }
    return {**defaults, **given}
