"""What is going to be tried for a question, before anything is: its tools with their arguments."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any

from configs.settings import Settings
from models.embedded.planner import Planner
from models.embedded.router import EmbeddedRouter
from models.embedded.scene import Scene
from state import TurnRecord


class Foresight:
    """Foresees the calls that a question leads to."""

    def __init__(
        self,
        planner: Callable[[], Planner],
        tools: Mapping[str, Mapping[str, Any]],
        today: Callable[[], date],
    ) -> None:
        """Bind what reads requests.

        Args:
            planner: opens, at the first question, what reads requests by the app's examples.
            tools: function schemas by name.
            today: the app's day.
        """
        self._open_planner = planner
        self._tools = tools
        self._today = today

    @cached_property
    def _planner(self) -> Planner:
        return self._open_planner()

    def attempts(
        self, question: str, history: Sequence[TurnRecord] = ()
    ) -> list[tuple[str, dict[str, Any]]]:
        """The calls a question leads to, as far as they can be foreseen; blocks, so in a thread.

        Args:
            question: the user's message.
            history: the thread's turns so far.
        """
        scene = Scene(
            user=question,
            question=question,
            history=tuple(history),
            tools=self._tools,
            today=self._today(),
        )
        found: list[tuple[str, dict[str, Any]]] = []
        for step in self._planner.steps(question, scene):
            if step.in_scope and step.tool.name in self._tools:
                found.append((step.tool.name, dict(self._planner.fill(step, scene).args)))
        return found


def open_foresight(
    settings: Settings,
    tools: Mapping[str, Mapping[str, Any]],
    router: object,
    today: Callable[[], date],
) -> Foresight | None:
    """Foresight by the examples of the app's experts, whatever models answer; None without any.

    No example is read yet: that happens at the first question for which there are lessons.

    Args:
        settings: the app.
        tools: function schemas by name.
        router: the model that routes; what an embedded one has learned is shared.
        today: the app's day.
    """
    from models.embedded import open_planner  # noqa: PLC0415 - the package imports no weights

    if not any(intent.examples for expert in settings.experts for intent in expert.intents):
        return None

    def planner() -> Planner:
        if isinstance(router, EmbeddedRouter):
            routing: Planner = router.planner
            return routing
        return open_planner(settings)

    return Foresight(planner, tools, today)
