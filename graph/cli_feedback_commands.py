"""The command `feedback`. Imports typer only; the work is brought in when called."""

from typing import Annotated

import typer

from graph.cli_options import AppOption, JsonOption, TenantOption, UserOption, open_door

feedback_commands = typer.Typer(rich_markup_mode=None)


@feedback_commands.command()
def feedback(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="[THREAD]")] = "main",
    good: Annotated[bool | None, typer.Option("--good/--bad", help="Thumbs up, or down.")] = None,
    turn: Annotated[
        str | None, typer.Option(metavar="N", help="Which turn; the last one by default.")
    ] = None,
    note: Annotated[
        str, typer.Option(metavar="TEXT", help="What was wrong; it is remembered as a lesson.")
    ] = "",
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Say whether an answer was good; what was recalled for it counts for more, or for less."""
    from graph import cli_feedback  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_feedback.feedback(door, thread, turn, good, note))
