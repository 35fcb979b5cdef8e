"""What is going to be tried for a question, before anything is: its tools with their arguments.

By examples and patterns only, in milliseconds; the model for free texts is not asked.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property, partial
from typing import Any

from configs.settings import Settings
from models.embedded.arguments import ArgumentReader
from models.embedded.chooser import Chooser
from models.embedded.planning import Planner
from models.embedded.router import EmbeddedRouter
from models.embedded.scene import Scene
from models.embedded.searching import search_instead
from models.embedded.steps import Step
from models.embedding import shared_embedder
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
        self._today = today
        self._tools = tools

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
            today=self._today(),
            history=tuple(history),
            tools=self._tools,
        )
        found: list[tuple[str, dict[str, Any]]] = []
        for step in self._planner.steps(question, scene):
            tool = step.tool or ""
            if step.off_topic or step.unclear or step.look or tool not in self._tools:
                continue
            if self._planner.tool(tool).effect == "read_only":
                lacks = partial(self._lacks, step, scene)
                step = search_instead(step, scene, lacks)
            filling = self._planner.fill(step, scene)
            calls = filling.calls or ({},)
            found += [(str(step.tool), dict(call)) for call in calls]
        return found

    def _lacks(self, step: Step, scene: Scene) -> bool:
        return bool(self._planner.fill(step, scene).missing)


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
    if not any(intent.examples for expert in settings.experts for intent in expert.intents):
        return None

    def planner() -> Planner:
        if isinstance(router, EmbeddedRouter):
            routing: Planner = router.planner
            return routing.read_by(ArgumentReader())
        embedder = shared_embedder(settings.embedder.name)
        chooser = Chooser(settings.experts, embedder, settings.data_dir / "embedded")
        return Planner(settings.experts, chooser, ArgumentReader())

    return Foresight(planner, tools, today)
