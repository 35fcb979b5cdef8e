"""From files to checked models, with errors that name file, key path, wanted and came."""

import difflib
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from configs.errors import InvalidConfig, MissingConfig, UnreadableConfig, quoted

try:  # ten times as fast
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML was built without libyaml
    from yaml import SafeLoader  # type: ignore[assignment]  # the same verbs

Checked = TypeVar("Checked", bound=BaseModel)
Location = tuple[int | str, ...]
Origin = Callable[[Location], tuple[Path | str, str]]


class _UniqueKeyLoader(SafeLoader):
    """A safe YAML loader that refuses a key written twice in one mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                problem = f"the key {key!r} a second time"
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            if isinstance(key, Hashable):
                seen.add(key)
        return super().construct_mapping(node, deep=deep)

    def construct_yaml_timestamp(self, node: yaml.ScalarNode) -> Any:  # noqa: ANN401 - as YAML says
        """A date; one that no calendar has stays text, for the check that names its key."""
        try:
            return super().construct_yaml_timestamp(node)
        except ValueError:
            return self.construct_scalar(node)


_UniqueKeyLoader.add_constructor(
    "tag:yaml.org,2002:timestamp", _UniqueKeyLoader.construct_yaml_timestamp
)


def read_text(file: Path) -> str:
    """The text of a configuration file.

    Raises:
        MissingConfig: the file is not there.
        UnreadableConfig: it is no UTF-8 text.
    """
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise MissingConfig(file, "", wanted="a file", came="nothing") from error
    except UnicodeDecodeError as error:
        came = f"a byte that is none at position {error.start}"
        raise UnreadableConfig(file, "", wanted="UTF-8 text", came=came) from error
    except OSError as error:
        raise UnreadableConfig(file, "", wanted="a readable file", came=str(error)) from error


def read_mapping(file: Path) -> dict[str, Any]:
    """The mapping at the top of a YAML file; an empty file is an empty mapping.

    Raises:
        MissingConfig: the file is not there.
        UnreadableConfig: it is no YAML, or holds a key twice; names the line.
        InvalidConfig: its top is something else than a mapping.
    """
    try:
        value = yaml.load(read_text(file), Loader=_UniqueKeyLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        key = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}"
        raise UnreadableConfig(file, key, wanted="YAML", came=error.problem or "") from error
    except yaml.YAMLError as error:
        raise UnreadableConfig(file, "", wanted="YAML", came=str(error)) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidConfig(file, "", wanted="key: value pairs at the top", came=quoted(value))
    for key in value:
        if not isinstance(key, str):
            raise InvalidConfig(file, "", wanted="keys that are words", came=quoted(key))
    return value


def check(model: type[Checked], value: Mapping[str, Any], origin: Origin) -> Checked:
    """Validate a mapping.

    Args:
        model: what the mapping has to be.
        value: the mapping.
        origin: tells for a location where its value came from, as (file, key).

    Raises:
        InvalidConfig: the first problem, and how many more there are.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        raise _explain(model, problems, origin) from error


def key_path(location: Location) -> str:
    """`("tools", 0, "name")` as `tools[0].name`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.lstrip(".")


def _explain(model: type[BaseModel], problems: list[ErrorDetails], origin: Origin) -> InvalidConfig:
    problem = problems[0]
    file, key = origin(_place(problem))
    came = "nothing" if problem["type"] == "missing" else quoted(problem["input"])
    if problem["type"] == "extra_forbidden":
        came = "an unknown key"  # its value may be a secret
    more = len({origin(_place(other)) for other in problems}) - 1
    if more:
        came = f"{came} ({more} more to mend after this)"
    return InvalidConfig(file, key, wanted=_wanted(model, problem), came=came)


def _place(problem: ErrorDetails) -> Location:
    """Where the problem is; pydantic marks a wrong key by a last part of its own."""
    location = problem["loc"]
    return location[:-1] if location[-1:] == ("[key]",) else location


def _wanted(model: type[BaseModel], problem: ErrorDetails) -> str:
    if problem["type"] == "extra_forbidden":
        return _known_keys(_model_at(model, problem["loc"][:-1]), str(problem["loc"][-1]))
    if problem["type"] == "missing":
        return "a value"
    if problem["type"] == "string_pattern_mismatch":
        return f"text that matches {problem['ctx']['pattern']}"
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return message[:1].lower() + message[1:]


def _known_keys(model: type[BaseModel] | None, came: str) -> str:
    known = sorted(model.model_fields) if model else []
    close = difflib.get_close_matches(came, known, n=1)
    return f"{close[0]!r}" if close else f"one of {', '.join(known)}"


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel] | None:
    found: Any = model
    for part in location:
        if isinstance(found, type) and issubclass(found, BaseModel):
            found = found.model_fields[str(part)].annotation
        elif get_origin(found) in (tuple, dict):
            found = next((arg for arg in get_args(found) if _is_model(arg)), None)
    return found if _is_model(found) else None


def _is_model(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)
