"""Binds the tool pipeline to the settings: masking, scan, escalation, limits."""

from collections.abc import Callable
from datetime import date

from configs.environment import secrets_of_environment
from configs.masking import Masking
from configs.settings import Settings
from memory.artifacts import Artifacts
from memory.tool_log import ToolLog
from tools.builtin import recall_artifact_spec
from tools.executor import Executor
from tools.injection import Scan
from tools.ledger import Ledger
from tools.mcp import McpServers
from tools.mcp_specs import Limits
from tools.names import check_lookups
from tools.registry import Registry
from tools.spec import ToolSpec, load_tool


def masking_of(settings: Settings) -> Masking:
    """Masks secrets by their shapes, and all that the environment holds by their values."""
    return Masking.of(secrets_of_environment(settings.secret_variables))


def open_executor(
    settings: Settings,
    registry: Registry,
    artifacts: Artifacts,
    ledger: Ledger,
    tool_log: ToolLog,
    scan: Scan,
    today: Callable[[], date],
) -> Executor:
    """The executor as configured."""
    return Executor(
        registry,
        artifacts,
        ledger,
        tool_log,
        app_dir=settings.app_dir,
        data_dir=settings.data_dir,
        masking=masking_of(settings),
        scan=scan,
        safety=settings.safety,
        escalation=settings.escalation,
        sandbox=settings.sandbox,
        observation_tokens=settings.limits.observation_tokens,
        parallel_calls=settings.limits.parallel_calls,
        today=today,
    )


async def open_mcp(settings: Settings, registry: Registry) -> McpServers:
    """The application's MCP servers, their last known tools in the registry; none is connected."""
    limits = Limits(settings.limits.tool_timeout_s, settings.limits.observation_tokens)
    servers = McpServers(
        settings.mcp, app_dir=settings.app_dir, data_dir=settings.data_dir, limits=limits
    )
    await servers.bind(registry)
    return servers


def load_registry(settings: Settings, artifacts: Artifacts) -> Registry:
    """The tools of the app's files and the built-in ones.

    Raises:
        ConfigError: a tool cannot be loaded.
    """
    limits = settings.limits
    specs: list[ToolSpec] = [
        load_tool(
            tool,
            settings.app_dir,
            expert.name,
            timeout_s=limits.tool_timeout_s,
            max_output_tokens=limits.observation_tokens,
            tries=limits.tool_tries,
        )
        for expert in settings.experts
        for tool in expert.tools
    ]
    check_lookups(specs, settings.app_dir)
    specs.append(
        recall_artifact_spec(
            artifacts, max_output_tokens=limits.observation_tokens, calendar=settings.clock
        )
    )
    return Registry(specs)
