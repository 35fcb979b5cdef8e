"""An app folder whose expert holds one tau domain, and the tools it refers to."""

import functools
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import yaml

from evals.tau.domain import Domain
from evals.tau.errors import TauError
from evals.tau.journal import Journal
from evals.tau.tasks import DOMAINS
from tools.errors import ErrorKind
from tools.spec import ToolContext, ToolError

SOURCE = "source.json"
JOURNAL = "tau.sqlite"
DESCRIPTIONS = {
    "retail": "Looks up and changes orders, items, addresses and payments of a shop's customers.",
    "airline": "Books, changes and cancels flight reservations; sends travel certificates.",
}


def write_app(folder: Path, domain: str, data: Path, *, settle: bool = True) -> Path:
    """Make an app folder around the tables of a domain.

    Args:
        folder: made when absent.
        domain: retail or airline.
        data: the evaluation data, which hold `tau_bench`.
        settle: whether the writes can be looked up after a crash; without it a person is asked.
    """
    (folder / "experts").mkdir(parents=True, exist_ok=True)
    tables = (data / "tau_bench" / domain).resolve()
    (folder / SOURCE).write_text(json.dumps({"tables": str(tables)}), encoding="utf-8")
    kind = DOMAINS[domain]
    expert = {
        "name": domain,
        "title": domain.capitalize(),
        "description": DESCRIPTIONS[domain],
        "brief": f"Serve {domain} customers with your tools. Change records only as asked.",
        "intents": [{"name": "serve_customer", "examples": list(DESCRIPTIONS.values())}],
        "tools": [_tool(domain, kind, name, settle) for name in kind.tools],
    }
    settings = {"recall": {"enabled": False}, "router": {"default": domain}}
    (folder / "app.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    text = yaml.safe_dump(expert, sort_keys=False, allow_unicode=True)
    (folder / "experts" / f"{domain}.yaml").write_text(text, encoding="utf-8")
    return folder


def _tool(domain: str, kind: type[Domain], name: str, settle: bool) -> dict[str, Any]:
    text = inspect.getdoc(getattr(kind, name)) or ""
    entry = {
        "name": name,
        "function": f"{__name__}:{domain}_{name}",
        "effect": "irreversible" if name in kind.writes else "read_only",
        "description": text.splitlines()[0],
        "when": "The customer's request needs it.",
        "returns": "The record after the call, or what the call found.",
    }
    if name in kind.writes and settle:
        entry["settle"] = f"{__name__}:settle"
    return entry


def __getattr__(name: str) -> Callable[..., Any]:
    """The tool function `domain_tool`, as the expert's file refers to it."""
    domain, _, tool = name.partition("_")
    if domain not in DOMAINS or tool not in DOMAINS[domain].tools:
        raise AttributeError(name)
    return _tool_function(domain, tool)


@functools.cache
def _tool_function(domain: str, name: str) -> Callable[..., Any]:
    """A tool's method as a function of the run's context, with the method's own parameters."""
    method = getattr(DOMAINS[domain], name)

    def function(context: ToolContext, **arguments: object) -> object:
        try:
            return _journal(context).run(
                DOMAINS[domain],
                _tables(context.app_dir),
                thread=context.thread,
                key=context.idempotency_key,
                name=name,
                arguments=arguments,
            )
        except TauError as error:
            kind: ErrorKind = "failed"
            if error.kind in get_args(ErrorKind):
                kind = error.kind  # type: ignore[assignment]  # narrowed by the line above
            raise ToolError(str(error), kind=kind) from error

    own = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    hints = {**get_type_hints(method), "context": ToolContext, "return": object}
    function.__name__ = name
    function.__doc__ = method.__doc__
    function.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]  # set on a function by design
    function.__annotations__ = hints
    return function


def settle(context: ToolContext, **_: object) -> dict[str, object]:
    """Whether the write under this idempotency key has arrived at the tables."""
    return {"happened": bool(_journal(context).entries(context.thread, context.idempotency_key))}


def _journal(context: ToolContext) -> Journal:
    return Journal(context.data_dir / JOURNAL)


@functools.cache
def _tables(app_dir: Path) -> Path:
    return Path(json.loads((app_dir / SOURCE).read_text(encoding="utf-8"))["tables"])
