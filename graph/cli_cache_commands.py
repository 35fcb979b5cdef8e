"""The commands about prompt caches. Imports typer only; the work is brought in when called."""

from typing import Annotated

import typer

from graph.cli_options import (
    AppOption,
    JsonOption,
    TenantOption,
    ThreadArgument,
    UserOption,
    open_door,
)

RuleOption = Annotated[
    str | None,
    typer.Option("--rule", metavar="NAME", help="Cache rule; default: that of the endpoint."),
]

cache_commands = typer.Typer(rich_markup_mode=None)


@cache_commands.command("cache-report")
def cache_report(
    ctx: typer.Context,
    thread: ThreadArgument,
    rule: RuleOption = None,
    user: UserOption = "local",
    tenant: TenantOption = "default",
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Set what a provider's cache should have served beside what it says it did."""
    from graph import cli_cache  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, user, tenant, as_json)
    raise typer.Exit(cli_cache.report(door, thread, rule))


@cache_commands.command("cache-probe")
def cache_probe(
    ctx: typer.Context,
    role: Annotated[str, typer.Option(metavar="ROLE", help="Whose model is asked.")] = "expert",
    rounds: Annotated[int, typer.Option(min=1, max=50, help="How often the prefix grows.")] = 5,
    rule: RuleOption = None,
    as_json: JsonOption = False,
    app_dir: AppOption = None,
) -> None:
    """Send a growing prefix to a model's endpoint and say what its cache does. Costs tokens."""
    from graph import cli_cache  # noqa: PLC0415  `--help` stays fast

    door = open_door(ctx, app_dir, as_json=as_json)
    raise typer.Exit(cli_cache.probe(door, role, rounds, rule))
