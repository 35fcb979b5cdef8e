"""From flags or answers at a prompt to the decisions that a desk takes."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from graph.cli_options import UsageError
from graph.cli_screen import Screen, compact, when

if TYPE_CHECKING:
    from graph.replies import PendingAction

Decision: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[[str], str]

ALL = "all"
SETTLE = "settle"
MIN_OWN_CHARS = 4
"""Of an id's beginning, behind the kind that all ids of its sort begin with."""
_LETTERS = {"a": "approve", "e": "edit", "r": "reject", "s": "respond", "l": "later"}
_LABELS = {
    "approve": "[a]pprove",
    "edit": "[e]dit",
    "reject": "[r]eject",
    "respond": "re[s]pond",
    "later": "[l]ater",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFlags:
    """What `decide` was told on the command line."""

    approve: Sequence[str] = ()
    reject: Sequence[str] = ()
    edit: str | None = None
    respond: Sequence[str] = ()
    arguments: str | None = None
    message: str | None = None
    cancel: bool = False


def check_flags(flags: DecisionFlags, thread: str) -> None:
    """Refuse flags that say nothing or do not fit together.

    Raises:
        UsageError: names the flags that would fit.
    """
    decides = bool(flags.approve or flags.reject or flags.edit or flags.respond)
    if flags.cancel and decides:
        message = "--cancel ends the whole turn; give it without other decisions"
    elif not flags.cancel and not decides:
        message = (
            "nothing is decided: give --approve ID, --reject ID, --edit ID --args JSON, "
            f"--respond ID --message TEXT or --cancel; `hippograph pending {thread}` lists the ids"
        )
    elif (flags.edit is None) != (flags.arguments is None):
        message = "--edit ID and --args JSON go together"
    elif flags.respond and not flags.message:
        message = "--respond ID needs --message TEXT, which the expert gets as the result"
    elif flags.message and not (flags.respond or flags.reject):
        message = "--message belongs to --reject or --respond"
    else:
        return
    raise UsageError(message)


def from_flags(flags: DecisionFlags, pending: Sequence["PendingAction"]) -> list[Decision]:
    """The decisions that flags stand for.

    Raises:
        UsageError: `all` is nothing, an id is decided twice, or `--args` is no JSON object.
    """
    message = flags.message or ""
    decisions: list[Decision] = [
        {"id": id_, "type": "approve"} for id_ in _meant(flags.approve, pending)
    ]
    decisions += [
        {"id": id_, "type": "reject", "message": message} for id_ in _meant(flags.reject, pending)
    ]
    for id_ in flags.respond:
        decisions.append({"id": _full(id_, pending), "type": "respond", "message": message})
    if flags.edit is not None:
        decisions.append(_edit(_full(flags.edit, pending), flags.arguments or "", pending))
    seen: set[str] = set()
    for decision in decisions:
        if decision["id"] in seen:
            message = f"{decision['id']} is decided twice; decide each action once"
            raise UsageError(message)
        seen.add(decision["id"])
    return decisions


def ask_each(pending: Sequence["PendingAction"], screen: Screen, ask: Ask) -> list[Decision]:
    """Show each pending action and ask what to do; those put off are left out.

    The end of the input puts off what is not decided by then.
    """
    decisions: list[Decision] = []
    for action in pending:
        show_action(action, screen)
        try:
            decision = (
                _ask_settle(action, ask) if action.kind == SETTLE else _ask_one(action, ask, screen)
            )
        except EOFError:
            screen.say()
            return decisions
        if decision is not None:
            decisions.append({"id": action.id} | decision)
    return decisions


def show_action(action: "PendingAction", screen: Screen) -> None:
    """A pending action as a reviewer has to see it: tool, every argument, why, until when."""
    if action.kind == SETTLE:
        screen.say(f"Did this happen? {_title(action)} was started and never reported back", "bold")
    else:
        screen.say(f"Approval needed: {_title(action)}", "bold yellow")
    for name, value in action.args.items():
        screen.say(f"    {name}: {compact(value)}")
    for reason in action.reasons:
        screen.say(f"  why: {reason}")
    expires = when(action.expires_at)
    screen.say(f"  id: {action.id}" + (f", open until {expires}" if expires else ""))


def _title(action: "PendingAction") -> str:
    return action.title or action.tool


def _ask_settle(action: "PendingAction", ask: Ask) -> Decision | None:
    answers = {"y": "happened", "n": "not_happened", "l": None}
    while True:
        answer = ask(f"{_title(action)}: it happened? [y]es, [n]o, [l]ater > ").strip().lower()[:1]
        if answer in answers:
            message = answers[answer]
            return None if message is None else {"type": "respond", "message": message}


def _ask_one(action: "PendingAction", ask: Ask, screen: Screen) -> Decision | None:
    offered = [kind for kind in _LABELS if kind == "later" or kind in action.allowed]
    question = f"{', '.join(_LABELS[kind] for kind in offered)} > "
    while True:
        kind = _LETTERS.get(ask(question).strip().lower()[:1])
        if kind == "later":
            return None
        if kind not in offered:
            continue
        if kind == "approve":
            return {"type": kind}
        if kind == "edit":
            return _ask_edit(action, ask, screen)
        text = ask("reason > " if kind == "reject" else "answer in its place > ").strip()
        return {"type": kind, "message": text}


def _ask_edit(action: "PendingAction", ask: Ask, screen: Screen) -> Decision:
    while True:
        text = ask('arguments that change, as JSON, such as {"amount": 20} > ')
        try:
            return _edit(action.id, text, [action])
        except UsageError as error:
            screen.warn(str(error))


def _edit(id_: str, text: str, pending: Sequence["PendingAction"]) -> Decision:
    try:
        changes = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"wanted the changed arguments as a JSON object, came {text!r} ({error})"
        raise UsageError(message) from error
    if not isinstance(changes, dict):
        message = f"wanted the changed arguments as a JSON object, came {text!r}"
        raise UsageError(message)
    action = next((one for one in pending if one.id == id_), None)
    name = action.tool if action else ""
    args = {**action.args, **changes} if action else changes
    return {"id": id_, "type": "edit", "edited_action": {"name": name, "args": args}}


def _meant(given: Sequence[str], pending: Sequence["PendingAction"]) -> list[str]:
    """The ids of what was named; `all` is every action that waits for an approval."""
    if ALL not in given:
        return [_full(id_, pending) for id_ in given]
    found = [action.id for action in pending if action.kind != SETTLE]
    if not found:
        message = "nothing on this thread waits for your approval; `hippograph pending` lists all"
        raise UsageError(message)
    return found


def _full(given: str, pending: Sequence["PendingAction"]) -> str:
    """The id that was meant: whole, a tool-call id, or a beginning that fits one action only."""
    for action in pending:
        if given in (action.id, action.tool_call_id):
            return action.id
    fits = [action.id for action in pending if action.id.startswith(given)]
    _, _, own = given.partition("_")
    return fits[0] if len(fits) == 1 and len(own) >= MIN_OWN_CHARS else given
