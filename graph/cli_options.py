"""Options that several commands share. Imports typer only, so that `--help` stays fast."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

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
