"""The commands about memory. Imports typer only; the work is brought in when called."""

from pathlib import Path
from typing import Annotated

import typer

from graph.cli_options import AppOption, JsonOption, TenantOption, UserOption, open_door

IdArgument = Annotated[str, typer.Argument(metavar="ID")]

memory_commands = typer.Typer(
    help="What the desk remembers for a user.", no_args_is_help=True, rich_markup_mode=None
)


@memory_commands.command("ls")
def memory_ls(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """List what is remembered, newest first."""
    from graph import cli_memory  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_memory.ls(open_door(ctx, app_dir, user, tenant, as_json), limit))


@memory_commands.command("show")
def memory_show(
    ctx: typer.Context,
    item: IdArgument,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Print one remembered item."""
    from graph import cli_memory  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_memory.show(open_door(ctx, app_dir, user, tenant, as_json), item))


@memory_commands.command("why")
def memory_why(
    ctx: typer.Context,
    item: IdArgument,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Say where a fact or an item comes from, and what was done to it."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_memory_care.why(open_door(ctx, app_dir, user, tenant, as_json), item))


@memory_commands.command("edit")
def memory_edit(
    ctx: typer.Context,
    item: IdArgument,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="What it says.")] = None,
    result: Annotated[
        str | None, typer.Option(metavar="SIGN", help="positive, negative, mixed or none.")
    ] = None,
    lesson: Annotated[str | None, typer.Option(metavar="TEXT", help="What it teaches.")] = None,
    avoid: Annotated[str | None, typer.Option(metavar="TEXT", help="What not to repeat.")] = None,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Change an item of yours. Its former wording is overwritten."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    given = {"text": text, "result": result, "lesson": lesson, "avoid": avoid}
    changes = {name: value for name, value in given.items() if value is not None}
    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_memory_care.edit(door, item, changes))


@memory_commands.command("promote")
def memory_promote(
    ctx: typer.Context,
    item: IdArgument,
    to: Annotated[str, typer.Option(metavar="team:NAME|organisation", help="Its new readers.")],
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Share an item of yours with a team or the organisation. It is written down who did."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_memory_care.promote(door, item, to))


@memory_commands.command("forget")
def memory_forget(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Items, facts, artifacts or turns."),
    ] = None,
    thread: Annotated[str | None, typer.Option(metavar="NAME", help="A whole thread.")] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="All that is kept of the user.")
    ] = False,
    memory_only: Annotated[
        bool, typer.Option("--memory-only", help="Leave the conversations they come from.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would go, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Erase from every store, with the turn an item comes from, and print a receipt."""
    from graph import cli_forget  # noqa: PLC0415  `--help` stays fast

    wish = cli_forget.Wish(tuple(ids or ()), thread, everything, memory_only)
    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_forget.forget(door, wish, dry_run=dry_run, yes=yes))


@memory_commands.command("export")
def memory_export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Write what the user has taught the desk to a file, one JSON document a line."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_memory_care.write_export(door, file))


@memory_commands.command("import")
def memory_import(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `memory export` wrote.")],
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Read an export into the user's own memory. Doing it again stores nothing new."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_memory_care.read_import(door, file))


@memory_commands.command("stats")
def memory_stats(
    ctx: typer.Context,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Count what is kept for the user, and what the stores take on disk."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_memory_care.stats(open_door(ctx, app_dir, user, tenant, as_json)))


@memory_commands.command("reindex")
def memory_reindex(
    ctx: typer.Context, as_json: JsonOption = False, app_dir: AppOption = None
) -> None:
    """Make the vector index anew from the database."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_memory_care.reindex(open_door(ctx, app_dir, as_json=as_json)))
