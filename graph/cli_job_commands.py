"""The commands about background work. Imports typer only; the work is brought in when called."""

from typing import Annotated

import typer

from graph.cli_options import AppOption, JsonOption, TenantOption, UserOption, open_door

job_commands = typer.Typer(rich_markup_mode=None)


@job_commands.command()
def worker(
    ctx: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Do what there is and end.")] = False,
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Do background work until SIGTERM."""
    from graph import cli_worker  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_worker.worker(open_door(ctx, app_dir, as_json=as_json), once=once))


@job_commands.command()
def consolidate(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="[THREAD]")] = "main",
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Turn a conversation into memory now, without waiting for a pause."""
    from graph import cli_worker  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_worker.consolidate(door, thread))


@job_commands.command()
def jobs(
    ctx: typer.Context,
    retry: Annotated[
        str | None, typer.Option(metavar="ID|all", help="Try a failed job again, now.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """List background jobs: what waits, what failed and why, what was done."""
    from graph import cli_worker  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_worker.jobs(door, retry, limit))
