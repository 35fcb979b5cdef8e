"""From what a server offers to the tools that experts see: our permissions around every one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from configs.mcp import McpServer, McpTool, shown_name, wire_name
from state import Effect, clean_text
from tools.mcp_offer import Offer, RemoteResource, RemoteTool
from tools.mcp_schema import arguments_of, is_schema
from tools.signatures import Place, argument_model
from tools.spec import ToolContext, ToolSpec

DESCRIPTION_CHARS: Final = 1_000
SHOWN_RESOURCES: Final = 20
READ_RESOURCE: Final = "read_resource"
UNDECIDED: Final = McpTool()

CallRemote = Callable[[str, dict[str, Any], ToolContext, Effect], Awaitable[Any]]
ReadRemote = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What holds where neither server nor tool says otherwise."""

    timeout_s: float
    max_output_tokens: int


def tools_of(
    name: str,
    config: McpServer,
    offer: Offer,
    *,
    limits: Limits,
    call: CallRemote,
    read: ReadRemote,
) -> list[ToolSpec]:
    """The specs of a server's allowed tools, and of the reading of its resources.

    A tool whose schema cannot be checked is left out: its arguments could not be either.

    Args:
        name: the server's.
        config: its permissions.
        offer: what it said it has.
        limits: defaults.
        call: calls a tool of the server.
        read: reads a resource of the server.
    """
    specs = [
        _tool(name, config, tool, limits, call)
        for tool in offer.tools
        if config.allows(tool.name) and is_schema(tool.schema)
    ]
    if config.resources and offer.resources:
        taken = READ_RESOURCE in {tool.name for tool in offer.tools}
        title = f"{READ_RESOURCE}{'_of_server' if taken else ''}"
        specs.append(_reader(name, config, offer.resources, limits, read, title))
    return sorted(specs, key=lambda spec: spec.name)


def effect_of(tool: RemoteTool, config: McpServer) -> Effect:
    """What the tool may do: as configured, as its trusted server says, else the worst."""
    decided = config.tools.get(tool.name, UNDECIDED).effect
    if decided is not None:
        return decided
    if not config.trust_annotations:
        return "irreversible"
    if tool.read_only:
        return "read_only"
    return "idempotent" if tool.idempotent and tool.destructive is False else "irreversible"


def _tool(
    server: str, config: McpServer, tool: RemoteTool, limits: Limits, call: CallRemote
) -> ToolSpec:
    decided = config.tools.get(tool.name, UNDECIDED)
    effect = effect_of(tool, config)
    wire = wire_name(server, tool.name)

    async def remote(context: ToolContext, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        return await call(tool.name, arguments, context, effect)

    approval = effect == "irreversible" if decided.approval is None else decided.approval
    return ToolSpec(
        name=wire,
        title=shown_name(server, tool.name),
        expert=config.experts[0],
        shared_with=config.experts[1:],
        allowed_teams=config.allowed_teams,
        description=decided.description or _said(tool.description) or f"{tool.name} of {server}.",
        when=decided.when,
        when_not=decided.when_not,
        constraints=decided.constraints,
        effect=effect,
        approval=approval and effect != "read_only",
        approver_teams=decided.approver_teams,
        timeout_s=decided.timeout_s or config.timeout_s or limits.timeout_s,
        max_output_tokens=decided.max_output_tokens or limits.max_output_tokens,
        arguments=arguments_of(wire, tool.schema),
        function=remote,
    )


def _reader(
    server: str,
    config: McpServer,
    resources: tuple[RemoteResource, ...],
    limits: Limits,
    read: ReadRemote,
    title: str,
) -> ToolSpec:
    async def read_resource(
        *, uri: Annotated[str, Field(description="as listed, with its places filled in")]
    ) -> str:
        return await read(uri)

    return ToolSpec(
        name=wire_name(server, title),
        title=shown_name(server, title),
        expert=config.experts[0],
        shared_with=config.experts[1:],
        allowed_teams=config.allowed_teams,
        description=f"Read a resource of {server}:\n{_listed(resources)}",
        timeout_s=config.timeout_s or limits.timeout_s,
        max_output_tokens=limits.max_output_tokens,
        arguments=argument_model(read_resource, title, Place("mcp", server)),
        function=read_resource,
    )


def _listed(resources: tuple[RemoteResource, ...]) -> str:
    lines = []
    for one in resources[:SHOWN_RESOURCES]:
        said = _said(one.description or one.name, 100)
        lines.append(f"- {one.uri}" + (f": {said}" if said else ""))
    if len(resources) > SHOWN_RESOURCES:
        lines.append(f"- and {len(resources) - SHOWN_RESOURCES} more")
    return "\n".join(lines)


def _said(text: str, most_chars: int = DESCRIPTION_CHARS) -> str:
    """A server's own words, on one line and cut."""
    line = " ".join(clean_text(text).split())
    return line if len(line) <= most_chars else f"{line[: most_chars - 1]}…"
