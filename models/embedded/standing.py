"""Whether a record that a text only points to is still the one that the conversation is at.

An effect on a record that was not named needs that. A turn that asked back, found nothing or was
about somebody else leads away from what stood before it.
"""

import re
from collections.abc import Collection
from typing import Final

from models.embedded.followup import asked_back
from models.embedded.patterns import identifiers
from models.embedded.readers import read_sql
from models.embedded.scene import PARTIES, Scene, outputs_of
from state import CallRecord, TurnRecord

_LIKE: Final = re.compile(r"'%([^'%]+)%'")


def strayed(
    name: str, scene: Scene, artifacts: Collection[str] = (), *, answers: bool = False
) -> bool:
    """Whether a turn since the one with an id was about something else.

    Args:
        name: the id.
        scene: the prompt.
        artifacts: stored results that the id was found in.
        answers: whether the text answers what the last turn asked, which so leads nowhere.
    """
    history = scene.history[:-1] if answers else scene.history
    others: list[str] = []
    for record in reversed(history):
        shown = shown_in(record)
        stored = {call["artifact"] for call in _calls(record)}
        if name in {one.text for one in identifiers(shown)} or stored & set(artifacts):
            return any(other.casefold() not in shown.casefold() for other in others)
        if leads_away(record):
            return True
        others += parties_of(record)
    return False


def picked_from_query(name: str, scene: Scene) -> bool:
    """Whether a record may only come from a free query's rows, as "the one at the top" does.

    It does not if the user has named it, a change was made to it, or another call has shown it that
    was itself about nothing picked so: a wrongly read query is not to lead to an effect.

    Args:
        name: the record's id.
        scene: the prompt.
    """
    known, queried = {one.text for one in identifiers(scene.summary)}, False
    for record in scene.history:
        calls, shown = _calls(record), {one.text for one in identifiers(shown_in(record))}
        known |= {one for one in shown if one.partition("-")[2] in record["user"]}
        known |= {one for call in calls if call["effect"] != "read_only" for one in _args(call)}
        rows = any(read_sql(str(value)) for call in calls for value in call["args"].values())
        if not rows and all(_args(call) <= known for call in calls):
            known |= shown
        queried = queried or rows
    return queried and name not in known


def shown_in(record: TurnRecord) -> str:
    """All words of a turn: what was said, called and answered."""
    values = [str(value) for call in _calls(record) for value in call["args"].values()]
    return " ".join([record["user"], *values, *outputs_of(record), record["answer"]])


def leads_away(record: TurnRecord | None) -> bool:
    """Whether a turn asked back, or was to look something up and did not come to it."""
    if record is None:
        return False
    calls = _calls(record)
    failed = not calls or any(call["status"] == "error" for call in calls)
    return asked_back(record) or (bool(record["route"]) and failed)


def parties_of(record: TurnRecord) -> list[str]:
    """Customers that a turn's calls were about, also by a name in a query."""
    found = [call["args"].get(name) for call in _calls(record) for name in PARTIES]
    texts = [str(value) for call in _calls(record) for value in call["args"].values()]
    return [
        *(str(one) for one in found if one),
        *(one for text in texts for one in _LIKE.findall(text)),
    ]


def about_records(record: TurnRecord) -> bool:
    """Whether a turn's calls were about records that they named."""
    return any(
        identifiers(str(value)) for call in _calls(record) for value in call["args"].values()
    )


def _calls(record: TurnRecord) -> list[CallRecord]:
    return [call for module in record["modules"] for call in module["calls"]]


def _args(call: CallRecord) -> set[str]:
    return {one.text for value in call["args"].values() for one in identifiers(str(value))}
