"""Tool calls as models really send them: arguments read strictly, calls written as text found."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from state import canonical_json, clean_text, derived_id

UNNAMED = "unnamed"
_TAGGED = re.compile(
    r"<(tool_call|function_call)>\s*(?P<call>.*?)\s*(?:</\1>|$)"
    r"|<function=(?P<name>[\w.-]+)>\s*(?P<args>.*?)\s*(?:</function>|$)",
    re.DOTALL,
)
_BARE = re.compile(r'(?:\[\s*)?\{\s*"(?:name|function|type|arguments|parameters|args)"\s*:')
_LEFT_OVER = re.compile(r"\[TOOL_CALLS\]|```[\w-]*\s*```")
_NAME = re.compile(r'"name"\s*:\s*"([^"]+)"')
_NAME_WITHIN = 200
_ARGUMENT_KEYS = ("arguments", "parameters", "args")


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call before its arguments are read; `args` is the text the model wrote."""

    id: str
    name: str
    args: str


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call after reading: either `args`, or `error` with the text that could not be read."""

    id: str
    name: str
    args: Mapping[str, Any] | None
    text: str = ""
    error: str = ""


def native_calls(message: AIMessage, streamed: Sequence[RawCall]) -> list[ReadCall]:
    """The calls of a message, in order.

    A streamed call is read from its raw text: LangChain completes cut JSON and drops a second
    object, so what it made of a stream may not be what the model wrote.
    """
    if streamed:
        return [_read(raw) for raw in streamed]
    calls = [_checked(call["id"] or "", call["name"], call["args"]) for call in message.tool_calls]
    for broken in message.invalid_tool_calls:
        raw = RawCall(broken.get("id") or "", broken.get("name") or "", broken.get("args") or "")
        calls.append(_read(raw))
    return calls


def written_calls(text: str, offered: Collection[str]) -> tuple[str, list[ReadCall]]:
    """Calls that a model without tool support wrote into its text, and the text without them.

    Tags mark a call whatever is in them; JSON without tags is one when it names an offered tool.
    """
    if not offered:
        return text, []
    tagged = list(_TAGGED.finditer(text))
    if tagged:
        return _TAGGED.sub("", text).strip(), [_read_tagged(found) for found in tagged]
    kept, calls, at = "", list[ReadCall](), 0
    for found in _BARE.finditer(text):
        if found.start() < at:
            continue
        read, end = _bare_calls(text, found.start(), offered)
        if read:
            kept += text[at : found.start()]
            calls.extend(read)
            at = end
    if not calls:
        return text, []
    return _LEFT_OVER.sub("", kept + text[at:]).strip(), calls


def with_ids(calls: Iterable[ReadCall], taken: Collection[str], *origin: object) -> list[ReadCall]:
    """Calls whose ids are unique in the prompt: missing or doubled ones get a derived id.

    Args:
        calls: in the model's order.
        taken: ids the prompt holds already.
        origin: what makes the derived ids unique, the same in a repeated run.
    """
    used = set(taken)
    named = []
    for ordinal, call in enumerate(calls):
        own = derived_id("call", *origin, ordinal, call.name, call.text or call.args)
        name = call.name or UNNAMED
        call_id = call.id if call.id and call.id not in used else own
        used.add(call_id)
        named.append(ReadCall(call_id, name, call.args, call.text, call.error))
    return named


def read_arguments(text: str) -> tuple[dict[str, Any] | None, str]:
    """Arguments of a call as one JSON object, or None and what is wrong with them."""
    if not text.strip():
        return {}, ""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text.strip())
    except ValueError as error:
        return None, f"wanted one JSON object as arguments, came text that is not JSON ({error})"
    if text.strip()[end:].strip():
        return None, "wanted one JSON object as arguments, came more; make one call for each"
    if value is None:
        return {}, ""
    if not isinstance(value, dict):
        return None, f"wanted a JSON object as arguments, came {type(value).__name__}"
    return value, ""


def _read(raw: RawCall) -> ReadCall:
    args, error = read_arguments(raw.args)
    if args is None:
        return ReadCall(raw.id, raw.name, None, raw.args, error)
    return _checked(raw.id, raw.name, args)


def _checked(call_id: str, name: str, args: Mapping[str, Any]) -> ReadCall:
    try:
        clean = json.loads(canonical_json(args), object_hook=_clean)
    except (TypeError, ValueError) as error:
        return ReadCall(call_id, name, None, repr(args), f"wanted plain JSON, came {error}")
    if not name:
        return ReadCall(call_id, name, None, canonical_json(clean), "wanted a tool's name")
    return ReadCall(call_id, name, clean)


def _clean(value: dict[str, Any]) -> dict[str, Any]:
    return {clean_text(key): _clean_value(item) for key, item in value.items()}


def _clean_value(value: object) -> object:
    if isinstance(value, list):
        return [_clean_value(item) for item in value]
    return clean_text(value) if isinstance(value, str) else value


def _read_tagged(found: re.Match[str]) -> ReadCall:
    if found["name"]:
        return _read(RawCall("", found["name"], found["args"]))
    return _read_written(found["call"])


def _bare_calls(text: str, start: int, offered: Collection[str]) -> tuple[list[ReadCall], int]:
    """The calls in the JSON at `start` and where it ends; none when it is something else."""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        named = _NAME.search(text, start, start + _NAME_WITHIN)
        cut = named is not None and named.group(1) in offered
        return ([_read_written(text[start:])], len(text)) if cut else ([], start)
    parts = value if isinstance(value, list) else [value]
    calls = [_unwrapped(part) for part in parts if isinstance(part, dict)]
    if len(calls) < len(parts) or not all(_is_call(call, offered) for call in calls):
        return [], end
    return [_read_call(call) for call in calls], end


def _unwrapped(value: dict[str, Any]) -> dict[str, Any]:
    """A call as such, where it stands in OpenAI's envelope."""
    inner = value.get("function")
    return inner if isinstance(inner, dict) else value


def _is_call(value: Mapping[str, Any], offered: Collection[str]) -> bool:
    return value.get("name") in offered and any(key in value for key in _ARGUMENT_KEYS)


def _read_written(text: str) -> ReadCall:
    value, error = read_arguments(text)
    if value is None:
        found = _NAME.search(text)
        return ReadCall("", found.group(1) if found else "", None, text, error)
    return _read_call(_unwrapped(value))


def _read_call(value: Mapping[str, Any]) -> ReadCall:
    args: object = next((value[key] for key in _ARGUMENT_KEYS if key in value), {})
    raw = args if isinstance(args, str) else json.dumps(args)
    return _read(RawCall("", str(value.get("name") or ""), raw))
