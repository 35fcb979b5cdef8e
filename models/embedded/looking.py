"""Steps that depend on an earlier result: which record is meant, or how it was before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from models.embedded.fitting import pick
from models.embedded.steps import Step


def with_result(step: Step, results: Sequence[Mapping[str, Any] | None], today: date) -> Step | str:
    """The step with the id, or the arguments, that earlier results give; else what to ask.

    Args:
        step: a step with something to look up.
        results: the earlier results, as far as they could be read.
        today: the company's today.
    """
    look = step.look
    if look is None:
        return step
    if not look.phrase:
        args = (results[0] or {}).get("undo")
        if not isinstance(args, Mapping):
            return "What should it be set back to?"
        return replace(step, repeats=dict(args), look=None, fixed=True)
    ids = pick(results, look, today)
    if len(ids) == 1:
        return replace(step, text=step.text.replace(look.phrase, ids[0], 1))
    if ids:
        return f"Which one do you mean: {', '.join(ids[:6])}?"
    return f"I find none that is {look.phrase!r}. Which one do you mean?"
