"""Options that several commands share. Imports typer only, so that `--help` stays fast."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

OK, FAILED, USER_ERROR, WAITING, STOPPED = 0, 1, 2, 3, 130

AppOption = Annotated[
    Path | None,
    typer.Option("--app", metavar="DIR", help="App folder; default: the shipped sample company."),
]
UserOption = Annotated[str, typer.Option("--user", help="Who is speaking.")]
TenantOption = Annotated[str, typer.Option("--tenant", help="Whose data it is.")]
ThreadOption = Annotated[str, typer.Option("--thread", help="Which conversation.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
ThreadArgument = Annotated[str, typer.Argument(metavar="THREAD", help="Which conversation.")]


class UsageError(ValueError):
    """Options that do not fit together; the message names the ones that would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Which app a command opens, for whom, and how it speaks."""

    app: Path | None
    user: str = "local"
    tenant: str = "default"
    as_json: bool = False
    debug: bool = False

    def again(self, command: str) -> str:
        """A command line that acts for the same app, user and tenant."""
        words = ["hippograph", command]
        if self.app is not None:
            words.append(f"--app {self.app}")
        if self.user != "local":
            words.append(f"--user {self.user}")
        if self.tenant != "default":
            words.append(f"--tenant {self.tenant}")
        return " ".join(words)


def open_door(
    ctx: typer.Context,
    app_dir: Path | None,
    user: str = "local",
    tenant: str = "default",
    as_json: bool = False,
) -> Door:
    """The door a command opens; what is said before the command holds where it says nothing."""
    root_app, debug = ctx.find_root().obj
    return Door(app=app_dir or root_app, user=user, tenant=tenant, as_json=as_json, debug=debug)


def door_command(
    commands: typer.Typer, name: str, *, of_user: bool = True
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Make a command of a function that takes a door first and returns an exit code.

    The options that make the door stand behind the function's own.

    Args:
        commands: Where the command belongs.
        name: Its name.
        of_user: Whether it is about a user; otherwise it takes no user and no tenant.
    """

    def make(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def command(ctx: typer.Context, **given: Any) -> None:  # noqa: ANN401 - any option
            door = open_door(ctx, **{name: given.pop(name) for name in _options(of_user)})
            raise typer.Exit(function(door, **given))

        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        context = inspect.Parameter("ctx", _NAMED, annotation=typer.Context)
        door = [
            inspect.Parameter(name, _NAMED, annotation=kind, default=default)
            for name, (kind, default) in _options(of_user).items()
        ]
        parameters = [context, *(one.replace(kind=_NAMED) for one in own), *door]
        vars(command)["__signature__"] = inspect.Signature(parameters)
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        commands.command(name)(command)
        return function

    return make


_NAMED = inspect.Parameter.KEYWORD_ONLY
_DOOR: dict[str, tuple[object, object]] = {
    "user": (UserOption, "local"),
    "tenant": (TenantOption, "default"),
    "as_json": (JsonOption, False),
    "app_dir": (AppOption, None),
}


def _options(of_user: bool) -> dict[str, tuple[object, object]]:
    return {name: _DOOR[name] for name in _DOOR if of_user or name not in ("user", "tenant")}
