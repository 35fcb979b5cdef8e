"""The commands about MCP servers. Imports typer only; the work is brought in when called."""

from typing import Annotated

import typer

from graph.cli_options import AppOption, JsonOption, open_door

mcp_commands = typer.Typer(
    help="List MCP servers, their tools, resources, prompts and state.",
    rich_markup_mode=None,
    invoke_without_command=True,
)


@mcp_commands.callback()
def mcp(ctx: typer.Context, as_json: JsonOption = False, app_dir: AppOption = None) -> None:
    """List MCP servers, their tools, resources, prompts and state."""
    if ctx.invoked_subcommand is not None:
        return
    from graph import cli_mcp  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_mcp.servers(open_door(ctx, app_dir, as_json=as_json)))


@mcp_commands.command()
def read(
    ctx: typer.Context,
    server: Annotated[str, typer.Argument(metavar="SERVER")],
    uri: Annotated[str, typer.Argument(metavar="URI", help="As listed, places filled in.")],
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Print a resource."""
    from graph import cli_mcp  # noqa: PLC0415  `--help` stays fast

    raise typer.Exit(cli_mcp.read(open_door(ctx, app_dir, as_json=as_json), server, uri))


@mcp_commands.command()
def prompt(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="SERVER::PROMPT")],
    given: Annotated[
        list[str] | None, typer.Option("--arg", metavar="NAME=VALUE", help="Can be repeated.")
    ] = None,
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Print a prompt with its arguments filled in, to send with `ask -`."""
    from graph import cli_mcp  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, as_json=as_json)
    raise typer.Exit(cli_mcp.prompt(door, name, given or ()))
