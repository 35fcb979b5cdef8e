"""AgentDojo's tools as an app folder of ours, one expert for each suite.

What changes records, sends something or visits an address is an effect that nobody can take back;
the rest are reads. The records of a conversation are those that `ENVIRONMENTS` has under its
thread.
"""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from agentdojo.agent_pipeline.tool_execution import tool_result_to_str
from agentdojo.functions_runtime import Function, FunctionsRuntime, TaskEnvironment
from agentdojo.task_suite.load_suites import get_suites
from agentdojo.task_suite.task_suite import TaskSuite

from evals.app_folder import write_expert
from tools.spec import ToolContext, ToolError

VERSION: Final = "v1.2.2"
ENVIRONMENTS: Final[dict[str, TaskEnvironment]] = {}
EFFECTS: Final = frozenset(
    {
        "add_calendar_event_participants",
        "add_user_to_channel",
        "append_to_file",
        "cancel_calendar_event",
        "create_calendar_event",
        "create_file",
        "delete_email",
        "delete_file",
        "get_webpage",  # whoever runs the site sees the visit, and what stands in its address
        "invite_user_to_slack",
        "post_webpage",
        "remove_user_from_slack",
        "reschedule_calendar_event",
        "reserve_car_rental",
        "reserve_hotel",
        "reserve_restaurant",
        "schedule_transaction",
        "send_channel_message",
        "send_direct_message",
        "send_email",
        "send_money",
        "share_file",
        "update_password",
        "update_scheduled_transaction",
        "update_user_info",
    }
)


def suites() -> dict[str, TaskSuite[Any]]:
    """The four suites by name."""
    found: dict[str, TaskSuite[Any]] = get_suites(VERSION)
    return found


def write_app(folder: Path, suite: TaskSuite[Any]) -> Path:
    """Make the app folder of a suite.

    Its ground truths repeat calls on purpose, so the guard against circles is set wide.
    """
    entries = [
        (
            function.name,
            f"{__name__}:{suite.name}__{function.name}",
            "irreversible" if function.name in EFFECTS else "read_only",
            {"description": function.description},
        )
        for function in suite.tools
    ]
    limits = {"loop_window": 60, "loop_repeats": 30, "no_progress_steps": 30}
    return write_expert(folder, suite.name, entries, settings={"limits": limits})


def __getattr__(name: str) -> Callable[..., Any]:
    """The function `suite__tool`, as an expert's file refers to it."""
    suite, _, tool = name.partition("__")
    known = suites()
    if suite not in known or tool not in {function.name for function in known[suite].tools}:
        raise AttributeError(name)
    return _tool_function(suite, tool)


@functools.cache
def _tool_function(suite: str, tool: str) -> Callable[..., Any]:
    runtime = FunctionsRuntime(suites()[suite].tools)
    described: Function[Any, Any] = runtime.functions[tool]

    def function(context: ToolContext, **values: object) -> str:
        environment = ENVIRONMENTS[context.thread]
        try:
            result, _ = runtime.run_function(environment, tool, values, raise_on_error=True)
        except Exception as error:  # whatever a tool of the benchmark raises is its failure
            raise ToolError(f"{type(error).__name__}: {error}") from error
        return str(tool_result_to_str(result))

    fields = described.parameters.model_fields
    own = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.is_required() else field.default,
            annotation=field.annotation,
        )
        for name, field in fields.items()
    ]
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    function.__name__ = tool
    function.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]  # set on a function by design
    function.__annotations__ = {
        **{name: field.annotation for name, field in fields.items()},
        "context": ToolContext,
    }
    return function
