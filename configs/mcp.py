"""The `mcp` section of app.yaml: servers by name, who may use them, what their tools may do.

Secrets are named here by their environment variables and read only when a server is connected.
"""

import hashlib
import re
from fnmatch import fnmatchcase
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from configs.expert import Effect, ExpertConfig
from configs.sections import Section

Transport = Literal["stdio", "streamable_http", "sse", "websocket"]

VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
ADDRESS = {"streamable_http": "http", "sse": "http", "websocket": "ws"}
WIRE_CHARS: Final = 64
_SERVER = re.compile(r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")
_MARK_CHARS: Final = 8


def _check_server(name: str) -> str:
    if len(name) > 40 or not _SERVER.match(name):
        message = "a name of at most 40 small letters, digits and single underscores"
        raise ValueError(message)
    return name


Variable = Annotated[str, StringConstraints(pattern=VARIABLE)]
ServerName = Annotated[str, AfterValidator(_check_server)]


class McpTool(Section):
    """What is decided here about one tool of a server; what is not set is left to the defaults.

    `description` replaces the server's own words, which are not checked by anybody.
    """

    effect: Effect | None = Field(default=None, description="None: as far as the server is trusted")
    approval: bool | None = Field(default=None, description="None: true for irreversible effects")
    approver_teams: tuple[str, ...] = ()
    description: str = ""
    when: str = ""
    when_not: str = ""
    constraints: str = ""
    examples: tuple[str, ...] = Field(
        default=(), description="what people say when they want it; the embedded models learn them"
    )
    timeout_s: float | None = Field(default=None, gt=0, description="None: the server's")
    max_output_tokens: int | None = Field(
        default=None, gt=0, description="None: limits.observation_tokens"
    )

    @model_validator(mode="after")
    def _only_effects_need_people(self) -> Self:
        asked = self.approval or bool(self.approver_teams)
        if (self.effect == "read_only" and asked) or (self.approver_teams and not self._asks):
            message = "approval and approver_teams only for effects that ask a person"
            raise ValueError(message)
        return self

    @property
    def _asks(self) -> bool:
        return self.approval is True or (self.approval is None and self.effect != "idempotent")


class McpServer(Section):
    """One server: how it is reached, which experts may use it, and which of its tools.

    A server's annotations (`readOnlyHint`, `destructiveHint`, `idempotentHint`) count only with
    `trust_annotations`: without, a tool that is not named in `tools` is taken for an irreversible
    effect and asks a person.
    """

    transport: Transport
    command: str | None = Field(default=None, min_length=1, description="stdio: what is started")
    args: tuple[str, ...] = ()
    env: tuple[Variable, ...] = Field(
        default=(), description="stdio: variables of the environment that the server may see"
    )
    url: str | None = None
    headers: dict[str, Variable] = Field(
        default_factory=dict, description="header: the variable that holds its value"
    )
    bearer_env: Variable | None = Field(
        default=None, description="the variable that holds a token for `Authorization: Bearer`"
    )
    experts: tuple[str, ...] = Field(min_length=1, description='names, or "*" for all')
    allowed_teams: tuple[str, ...] = Field(default=(), description="empty: everybody")
    allow: tuple[str, ...] = Field(default=("*",), description="tools by name or pattern")
    tools: dict[str, McpTool] = Field(default_factory=dict)
    trust_annotations: bool = False
    resources: bool = Field(default=True, description="whether experts may read resources")
    timeout_s: float | None = Field(default=None, gt=0, description="None: limits.tool_timeout_s")
    connect_timeout_s: float = Field(default=10, gt=0)

    @model_validator(mode="after")
    def _fit_the_transport(self) -> Self:
        if self.transport == "stdio":
            self._check_stdio()
        else:
            self._check_address(ADDRESS[self.transport])
        if self.transport == "websocket" and (self.headers or self.bearer_env):
            message = "no headers or bearer_env beside transport: websocket, which sends none"
            raise ValueError(message)
        unreachable = sorted(name for name in self.tools if not self.allows(name))
        if unreachable:
            message = f"tools that `allow` lets through (not {', '.join(unreachable)})"
            raise ValueError(message)
        return self

    def _check_stdio(self) -> None:
        if self.command is None or self.url is not None or self.headers or self.bearer_env:
            message = "a command, and neither url, headers nor bearer_env, with transport: stdio"
            raise ValueError(message)

    def _check_address(self, scheme: str) -> None:
        found = re.match(r"^(\w+)://([^/\s]+)\S*$", self.url or "")
        if found is None or found[1] not in (scheme, f"{scheme}s"):
            message = f"a url that begins with {scheme}:// or {scheme}s://"
            raise ValueError(message)
        if "@" in found[2]:
            message = "a url without a password (use headers or bearer_env)"
            raise ValueError(message)
        if self.command is not None or self.args or self.env:
            message = f"no command, args or env with transport: {self.transport}"
            raise ValueError(message)

    def allows(self, tool: str) -> bool:
        """Whether the tool of this name may be used at all."""
        return any(fnmatchcase(tool, pattern) for pattern in self.allow)

    @property
    def variables(self) -> tuple[str, ...]:
        """Every environment variable that the server needs."""
        bearer = (self.bearer_env,) if self.bearer_env else ()
        return (*self.env, *self.headers.values(), *bearer)


def variables_of(servers: dict[ServerName, McpServer]) -> set[str]:
    """Every environment variable that a server is given: all are secrets."""
    return {variable for server in servers.values() for variable in server.variables}


def unknown_experts(
    servers: dict[ServerName, McpServer], experts: tuple[ExpertConfig, ...]
) -> tuple[str, str] | None:
    """The first server that names an expert which is not there, and that name."""
    known = {"*", *(expert.name for expert in experts)}
    for server, config in servers.items():
        for name in config.experts:
            if name not in known:
                return server, name
    return None


def shown_name(server: str, tool: str) -> str:
    """A tool's name in configuration and to people."""
    return f"{server}::{tool}"


def wire_name(server: str, tool: str) -> str:
    """A tool's name to models: letters, digits, `_` and `-`, at most 64 characters.

    A name that has to be changed for that ends in a hash of the whole, so that two never meet.
    """
    plain = f"{server}__{tool}"
    name = _UNSAFE.sub("_", plain)
    if name == plain and len(name) <= WIRE_CHARS:
        return name
    mark = hashlib.sha256(shown_name(server, tool).encode()).hexdigest()[:_MARK_CHARS]
    return f"{name[: WIRE_CHARS - _MARK_CHARS - 1]}_{mark}"
