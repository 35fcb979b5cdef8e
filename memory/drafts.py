"""What drafts are made of: a segment with its turns, and what a rule has found in it."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Final

from memory.classification import topic_of
from memory.consolidation import Draft, episode_id
from memory.corrections import only_answers
from memory.entities import pattern_entities
from memory.episode_rows import read_episode
from memory.episodes import Episode, EpisodeItem, Result
from memory.history import calls_of
from memory.segment_shapes import Segment, SourceMessage
from state import Scope, TurnRecord

SITUATION_CHARS: Final = 500
CONFIRMED: Final = 8
"""A confirmation reaches back over so many turns at most."""


@dataclass(frozen=True, slots=True)
class Source:
    """A segment with what was said and done in it.

    Attributes:
        turns: The segment's turns, oldest first.
        before: The thread's earlier turns, oldest first: what a correction may be about.
    """

    scope: Scope
    thread: str
    segment: Segment
    messages: Sequence[SourceMessage]
    turns: Sequence[TurnRecord]
    before: Sequence[TurnRecord]


@dataclass(frozen=True, slots=True)
class Finding:
    """An episode that a rule has found.

    Attributes:
        turn: The turn it happened in.
        part: Tells it apart from others of the segment.
        cited: The turns it was made from.
    """

    turn: TurnRecord
    part: str
    episode: Episode
    result: Result
    cited: Sequence[TurnRecord]


def source_of(
    scope: Scope,
    thread: str,
    segment: Segment,
    messages: Sequence[SourceMessage],
    records: Sequence[TurnRecord],
) -> Source:
    """The part of a consolidation that one segment is about."""
    ids, turns = set(segment["message_ids"]), set(segment["turn_ids"])
    own = [record for record in records if record["id"] in turns]
    first = own[0]["index"] if own else 0
    return Source(
        scope,
        thread,
        segment,
        [message for message in messages if message["id"] in ids],
        own,
        [record for record in records if record["index"] < first],
    )


def situation_turns(turns: Sequence[TurnRecord], acting: TurnRecord) -> list[TurnRecord]:
    """The turn that acted, after those it only confirms or answers; `turns` are in order."""
    at = bisect_left(turns, acting["index"], key=lambda record: record["index"])
    wanted = [acting]
    for record in reversed(turns[max(0, at - CONFIRMED) : at]):
        if not only_answers(wanted[0]["user"], record["answer"]):
            break
        wanted.insert(0, record)
    return wanted


def situation_of(turns: Sequence[TurnRecord], acting: TurnRecord) -> str:
    """What the user wanted when a turn acted, in the user's words."""
    said = (record["user"] for record in situation_turns(turns, acting))
    return opening("\n".join(said), SITUATION_CHARS)


def opening(text: str, limit_chars: int) -> str:
    """The text's opening, cut between words."""
    if len(text) <= limit_chars:
        return text.strip()
    cut = text[:limit_chars]
    return f"{cut[: max(cut.rfind(' '), cut.rfind(chr(10))) + 1 or limit_chars].strip()} …"


def to_draft(source: Source, finding: Finding) -> Draft:
    """What a rule has found, as the draft of an episode."""
    segment, turn = source.segment, finding.turn
    cited = {record["id"] for record in finding.cited}
    messages = [one for one in source.messages if one["turn_id"] in cited]
    names = list(dict.fromkeys(action.tool for action in finding.episode.actions))
    episode = replace(
        finding.episode,
        topic=finding.episode.topic or _topic(segment, messages),
        entities=_entities(finding.episode.situation, segment["entities"]),
        turns=tuple(record["id"] for record in finding.cited),
        messages=tuple(one["id"] for one in messages),
    )
    operations = [*names, *(one for one in [segment["operation"]] if one)]
    return Draft(
        id=episode_id(source.scope, source.thread, segment["message_ids"], finding.part),
        segment_id=segment["id"],
        turn_id=turn["id"],
        position=turn["index"],
        domain=",".join(episode.agent),
        operation=",".join(operations),
        result=finding.result,
        text=f"{episode.situation}\n{deeds_of(episode)}",
        at=turn["at"],
        artifacts=artifacts_of(finding.cited),
        episode=asdict(episode),
    )


def _topic(segment: Segment, cited: Sequence[SourceMessage]) -> str:
    """What the segment is about, by nothing but the messages that the episode cites."""
    if len(cited) == len(segment["message_ids"]):
        return segment["topic"]
    said = "\n".join(one["text"] for one in cited).casefold()
    return topic_of(cited, [one for one in segment["entities"] if one.casefold() in said])


def _entities(situation: str, names: Sequence[str]) -> tuple[str, ...]:
    """Ids and codes as they were written, then the segment's names."""
    written = [one.text for one in pattern_entities(situation)]
    known = {one.casefold() for one in written}
    return (*dict.fromkeys(written), *(one for one in names if one.casefold() not in known))


def deeds_of(episode: Episode) -> str:
    """An episode's actions in one line."""
    return "; ".join(f"{action.tool}: {action.outcome}" for action in episode.actions)


def artifacts_of(turns: Sequence[TurnRecord]) -> list[str]:
    """Ids of what the turns' calls have left in the artifact log."""
    return [call["artifact"] for record in turns for call in calls_of(record) if call["artifact"]]


def item_of_finding(
    scope: Scope, thread: str, id: str, finding: Finding, recorded_at: datetime
) -> EpisodeItem:
    """What a rule has found outside of a consolidation, as an item of the index."""
    episode = replace(
        finding.episode,
        entities=_entities(finding.episode.situation, ()),
        turns=tuple(record["id"] for record in finding.cited),
    )
    return EpisodeItem(
        id=id,
        kind="episode",
        text=f"{episode.situation}\n{deeds_of(episode)}",
        thread=thread,
        turn_id=finding.turn["id"],
        position=finding.turn["index"],
        actor=scope.user,
        domain=",".join(episode.agent),
        operation=",".join(dict.fromkeys(action.tool for action in episode.actions)),
        result=finding.result,
        occurred_at=recorded_at,
        recorded_at=recorded_at,
        episode=episode,
    )


def item_of(scope: Scope, thread: str, draft: Draft, recorded_at: datetime) -> EpisodeItem:
    """An accepted draft as an item of the index."""
    return EpisodeItem(
        id=draft["id"],
        kind="episode",
        text=draft["text"],
        thread=thread,
        turn_id=draft["turn_id"],
        position=draft["position"],
        actor=scope.user,
        domain=draft["domain"],
        operation=draft["operation"],
        result=draft["result"],
        occurred_at=when(draft["at"]),
        recorded_at=recorded_at,
        episode=read_episode(draft["episode"]),
    )


def when(at: str) -> datetime:
    """A turn's time; one without a zone is UTC."""
    moment = datetime.fromisoformat(at)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
