"""The commands about memory. Imports typer only; the work is brought in when called."""

from pathlib import Path
from typing import Annotated

import typer

from graph.cli_options import Door, door_command

IdArgument = Annotated[str, typer.Argument(metavar="ID")]

memory_commands = typer.Typer(
    help="What the desk remembers for a user.", no_args_is_help=True, rich_markup_mode=None
)


@door_command(memory_commands, "ls")
def memory_ls(door: Door, limit: Annotated[int, typer.Option(min=1, max=1000)] = 50) -> int:
    """List what is remembered, newest first."""
    from graph import cli_memory  # noqa: PLC0415  `--help` stays fast

    return cli_memory.ls(door, limit)


@door_command(memory_commands, "facts")
def memory_facts(
    door: Door,
    past: Annotated[bool, typer.Option("--past", help="Those that hold no more, too.")] = False,
) -> int:
    """List what is known of a user, their teams and their organisation."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    return cli_memory_care.facts(door, past=past)


@door_command(memory_commands, "show")
def memory_show(door: Door, item: IdArgument) -> int:
    """Print one remembered item."""
    from graph import cli_memory  # noqa: PLC0415  `--help` stays fast

    return cli_memory.show(door, item)


@door_command(memory_commands, "why")
def memory_why(door: Door, item: IdArgument) -> int:
    """Say where a fact or an item comes from, and what was done to it."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    return cli_memory_care.why(door, item)


@door_command(memory_commands, "edit")
def memory_edit(
    door: Door,
    item: IdArgument,
    text: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What it says; of a fact its value.")
    ] = None,
    result: Annotated[
        str | None, typer.Option(metavar="SIGN", help="positive, negative, mixed or none.")
    ] = None,
    lesson: Annotated[str | None, typer.Option(metavar="TEXT", help="What it teaches.")] = None,
    avoid: Annotated[str | None, typer.Option(metavar="TEXT", help="What not to repeat.")] = None,
) -> int:
    """Change an item or a fact of yours. Its former wording is overwritten."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    given = {"text": text, "result": result, "lesson": lesson, "avoid": avoid}
    changes = {name: value for name, value in given.items() if value is not None}
    return cli_memory_care.edit(door, item, changes)


@door_command(memory_commands, "promote")
def memory_promote(
    door: Door,
    item: IdArgument,
    to: Annotated[str, typer.Option(metavar="team:NAME|organisation", help="Its new readers.")],
) -> int:
    """Share an item of yours with a team or the organisation. It is written down who did."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    return cli_memory_care.promote(door, item, to)


@door_command(memory_commands, "forget")
def memory_forget(
    door: Door,
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
) -> int:
    """Erase from every store, with the turn an item comes from, and print a receipt."""
    from graph import cli_forget  # noqa: PLC0415  `--help` stays fast

    wish = cli_forget.Wish(tuple(ids or ()), thread, everything, memory_only)
    return cli_forget.forget(door, wish, dry_run=dry_run, yes=yes)


@door_command(memory_commands, "export")
def memory_export(
    door: Door, file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")]
) -> int:
    """Write what the user has taught the desk to a file, one JSON document a line."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    return cli_memory_care.write_export(door, file)


@door_command(memory_commands, "import")
def memory_import(
    door: Door,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `memory export` wrote.")],
) -> int:
    """Read an export into the user's own memory. Doing it again stores nothing new."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    return cli_memory_care.read_import(door, file)


@door_command(memory_commands, "load")
def memory_load(
    door: Door,
    documents: Annotated[
        list[Path], typer.Argument(metavar="DOCS...", help="Markdown or text files, or folders.")
    ],
    to: Annotated[
        str, typer.Option(metavar="private|team:NAME|organisation", help="Who may read them.")
    ] = "private",
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the documents of these names.")
    ] = False,
) -> int:
    """Remember guides and policies, section by section. Loading one again replaces it."""
    from graph import cli_documents  # noqa: PLC0415  `--help` stays fast

    return cli_documents.load(door, documents, to, remove=remove)


@door_command(memory_commands, "stats")
def memory_stats(door: Door) -> int:
    """Count what is kept for the user, and what the stores take on disk."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    return cli_memory_care.stats(door)


@door_command(memory_commands, "reindex", of_user=False)
def memory_reindex(door: Door) -> int:
    """Make the vector index anew from the database."""
    from graph import cli_memory_care  # noqa: PLC0415  `--help` stays fast

    return cli_memory_care.reindex(door)
