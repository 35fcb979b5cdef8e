"""From a reference to a function, and from its signature to validated arguments and a schema."""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo

from configs.errors import InvalidConfig, quoted

CONTEXT = "context"
KEPT_SCHEMAS = 1024


class Place(NamedTuple):
    """Where in a configuration something stands: the file and the dotted key."""

    file: str
    path: str

    def key(self, name: str) -> "Place":
        """The key `name` below this one."""
        return Place(self.file, f"{self.path}.{name}")


def import_function(reference: str, app_dir: Path, at: Place) -> Callable[..., Any]:
    """The function that `package.module:name` or `file.py:name` (below the app folder) names.

    Raises:
        ConfigError: there is no such module, file or function.
    """
    place, colon, name = reference.partition(":")
    wanted = "package.module:function or file.py:function"
    if not (place and colon and name):
        raise InvalidConfig(*at, wanted=wanted, came=quoted(reference))
    try:
        module = _from_file(place, app_dir) if place.endswith(".py") else _from_name(place)
    except (ImportError, OSError, SyntaxError) as error:
        raise InvalidConfig(*at, wanted=f"an importable {place}", came=quoted(error)) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise InvalidConfig(*at, wanted=f"a function {name} in {place}", came=quoted(reference))
    return function  # type: ignore[no-any-return]  # callable() does not tell its signature


def _from_name(place: str) -> ModuleType:
    return importlib.import_module(place)


def _from_file(place: str, app_dir: Path) -> ModuleType:
    path = (app_dir / place).resolve(strict=True)
    name = f"hippograph_app_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        message = f"{path} is not a Python file"
        raise ImportError(message)
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def takes_context(function: Callable[..., Any]) -> bool:
    """Whether the function wants the ToolContext as its first argument."""
    return next(iter(inspect.signature(function).parameters), "") == CONTEXT


def argument_model(function: Callable[..., Any], name: str, at: Place) -> type[BaseModel]:
    """A strict model of the function's arguments; JSON types are never coerced into one another.

    Raises:
        ConfigError: a parameter has no type, is variadic, or cannot be validated.
    """
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise InvalidConfig(*at, wanted="resolvable type hints", came=quoted(error)) from error
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == CONTEXT:
            continue
        if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise InvalidConfig(*at, wanted="named parameters only", came=quoted(parameter.name))
        if parameter.name not in hints:
            raise InvalidConfig(*at, wanted="a type on every parameter", came=parameter.name)
        fields |= _field(parameter, hints[parameter.name])
    config = ConfigDict(extra="forbid", strict=True, protected_namespaces=(), allow_inf_nan=False)
    try:
        model: type[BaseModel] = create_model(f"{name}_arguments", __config__=config, **fields)
        json_schema(model)
    except (PydanticUserError, TypeError) as error:
        raise InvalidConfig(*at, wanted="types that JSON can carry", came=quoted(error)) from error
    return model


def _field(parameter: inspect.Parameter, annotation: type[Any]) -> dict[str, Any]:
    """The field of one parameter; names that pydantic keeps for itself live behind an alias."""
    default = ... if parameter.default is parameter.empty else parameter.default
    name = parameter.name
    if name.startswith("_") or hasattr(BaseModel, name):
        found = FieldInfo.from_annotated_attribute(annotation, default)
        found.alias = found.validation_alias = found.serialization_alias = name
        return {f"argument_{name.strip('_')}": (annotation, found)}
    return {name: (annotation, default)}


class SchemaArguments(BaseModel):
    """Arguments that a JSON schema describes; their function takes them as one `arguments`."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())


def call_arguments(model: BaseModel) -> dict[str, Any]:
    """The validated values by parameter name, as the function takes them."""
    if isinstance(model, SchemaArguments):
        return {"arguments": dict(model.model_extra or {})}
    fields = type(model).model_fields
    return {found.alias or name: getattr(model, name) for name, found in fields.items()}


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON schema without references and generated titles, as providers want it.

    Raises:
        TypeError: a type contains itself.
    """
    return deepcopy(_json_schema(model))


@lru_cache(KEPT_SCHEMAS)
def _json_schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    plain = _plain(schema, definitions, ())
    plain.pop("description", None)
    plain.setdefault("properties", {})
    return plain


def _plain(
    schema: dict[str, Any], definitions: dict[str, Any], above: tuple[str, ...]
) -> dict[str, Any]:
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rsplit("/", 1)[-1]
        if name in above:
            message = f"the type {name} contains itself"
            raise TypeError(message)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _plain({**definitions[name], **rest}, definitions, (*above, name))
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title":
            continue
        if key == "properties":
            plain[key] = {name: _plain(part, definitions, above) for name, part in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            plain[key] = _plain(value, definitions, above)
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            plain[key] = [_plain(part, definitions, above) for part in value]
        else:
            plain[key] = value
    return plain
