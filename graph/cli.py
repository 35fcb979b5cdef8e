"""The command line. Imports typer only; each command brings in its own file when it is called."""

import gc
import sys
from pathlib import Path
from typing import Annotated

import typer

from graph.cli_cache_commands import cache_commands
from graph.cli_feedback_commands import feedback_commands
from graph.cli_job_commands import job_commands
from graph.cli_mcp_commands import mcp_commands
from graph.cli_memory_commands import memory_commands
from graph.cli_options import (
    AppOption,
    JsonOption,
    TenantOption,
    ThreadArgument,
    ThreadOption,
    UserOption,
    open_door,
)

EPILOG = (
    "Exit codes: 0 done, 2 a mistake in what was asked, 3 waits for an approval, "
    "1 something failed, 130 stopped by Ctrl-C."
)

app = typer.Typer(
    help="A desk of experts with tools, approvals and memory.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(memory_commands, name="memory")
app.add_typer(mcp_commands, name="mcp")
app.add_typer(cache_commands)
app.add_typer(job_commands)
app.add_typer(feedback_commands)


def main() -> None:
    """Entry point of the console script."""
    gc.disable()  # what is imported now stays; on again when a command has what it needs
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a text that cannot be written must not end a turn
            stream.reconfigure(errors="replace")
    app()


@app.callback()
def root(
    ctx: typer.Context,
    app_dir: AppOption = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show log records and tracebacks.")
    ] = False,
) -> None:
    """Keep what is said before the command."""
    ctx.obj = (app_dir, debug)


@app.command()
def chat(
    ctx: typer.Context,
    thread: ThreadOption = "main",
    user: UserOption = "local",
    tenant: TenantOption = "default",
    app_dir: AppOption = None,
) -> None:
    """Talk to the desk; approvals are asked in line. Ctrl-C leaves a thread that can be resumed."""
    from graph import cli_chat  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_chat.chat(open_door(ctx, app_dir, user, tenant), thread))


@app.command()
def ask(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The message; - reads stdin.")],
    thread: ThreadOption = "main",
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Ask one question and print the answer."""
    from graph import cli_turns  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_turns.ask(door, thread, text))


@app.command()
def pending(
    ctx: typer.Context,
    thread: Annotated[str | None, typer.Argument(metavar="[THREAD]")] = None,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """List the actions that wait for a person."""
    from graph import cli_turns  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_turns.pending(open_door(ctx, app_dir, user, tenant, as_json), thread))


@app.command()
def decide(
    ctx: typer.Context,
    thread: ThreadArgument,
    approve: Annotated[
        list[str] | None, typer.Option(metavar="ID|all", help="Run it. Can be repeated.")
    ] = None,
    reject: Annotated[
        list[str] | None, typer.Option(metavar="ID|all", help="Do not run it; see --message.")
    ] = None,
    edit: Annotated[
        str | None, typer.Option(metavar="ID", help="Run it with the changes in --args.")
    ] = None,
    arguments: Annotated[
        str | None, typer.Option("--args", metavar="JSON", help="Arguments that change.")
    ] = None,
    respond: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Do not run it, give --message as its result. For an action of unknown outcome "
            "the message is happened or not_happened.",
        ),
    ] = None,
    message: Annotated[str | None, typer.Option(metavar="TEXT")] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="End the turn; run nothing.")] = False,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Decide actions that wait and let the turn go on."""
    from graph import cli_decisions, cli_turns  # noqa: PLC0415  `--help` stays fast

    flags = cli_decisions.DecisionFlags(
        approve=approve or (),
        reject=reject or (),
        edit=edit,
        respond=respond or (),
        arguments=arguments,
        message=message,
        cancel=cancel,
    )
    raise typer.Exit(
        cli_turns.decide(open_door(ctx, app_dir, user, tenant, as_json), thread, flags)
    )


@app.command()
def resume(
    ctx: typer.Context,
    thread: ThreadArgument,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Finish a turn that was stopped."""
    from graph import cli_turns  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_turns.resume(open_door(ctx, app_dir, user, tenant, as_json), thread))


@app.command()
def rollback(
    ctx: typer.Context,
    thread: ThreadArgument,
    turns: Annotated[int, typer.Option(min=1, metavar="K", help="How many turns to take back.")],
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Take back the last turns. What has been done stays recorded; what stays done is listed."""
    from graph import cli_turns  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(
        cli_turns.rollback(open_door(ctx, app_dir, user, tenant, as_json), thread, turns)
    )


@app.command()
def threads(
    ctx: typer.Context,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """List the user's threads."""
    from graph import cli_turns  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_turns.threads(open_door(ctx, app_dir, user, tenant, as_json)))


@app.command()
def show(
    ctx: typer.Context,
    thread: ThreadArgument,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    budget: Annotated[
        bool, typer.Option("--budget", help="What each prompt was made of, in tokens.")
    ] = False,
    app_dir: AppOption = None,
) -> None:
    """Print a thread's turns: who was asked, which tools were called, what was answered."""
    from graph import cli_budget, cli_turns  # noqa: PLC0415  `--help` stays fast

    command = cli_budget.show if budget else cli_turns.show
    raise typer.Exit(command(open_door(ctx, app_dir, user, tenant, as_json), thread))


@app.command()
def cost(
    ctx: typer.Context,
    thread: Annotated[
        str | None, typer.Option("--thread", help="One conversation, turn by turn.")
    ] = None,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Show tokens and cost of the user's model calls, by module, model and thread."""
    from graph import cli_cost  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_cost.cost(open_door(ctx, app_dir, user, tenant, as_json), thread))


@app.command()
def audit(
    ctx: typer.Context,
    thread: Annotated[str | None, typer.Argument(metavar="[THREAD]")] = None,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """List the user's tool calls: how each ended and how long it took; no arguments or results."""
    from graph import cli_audit  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_audit.audit(open_door(ctx, app_dir, user, tenant, as_json), thread))


@app.command()
def init(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    as_json: JsonOption = False,
) -> None:
    """Make an app folder of your own, with the sample company and an expert to copy from."""
    from graph import cli_init  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_init.init(open_door(ctx, None, as_json=as_json), folder))


@app.command()
def doctor(ctx: typer.Context, as_json: JsonOption = False, app_dir: AppOption = None) -> None:
    """Check models, token tables, memory and tools, and say how to mend what fails."""
    from graph import cli_doctor  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_doctor.doctor(open_door(ctx, app_dir, as_json=as_json)))


@app.command()
def examples(ctx: typer.Context, as_json: JsonOption = False, app_dir: AppOption = None) -> None:
    """Try each example of the app's tools by the others, and show what is confused with what."""
    from graph import cli_examples  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_examples.examples(open_door(ctx, app_dir, as_json=as_json)))
