"""Keeps what came of calls: the result in the artifact log and a row in the audit, one commit.

A read's outcome can be read at once and is on disk before its node ends; an effect's outcome is on
disk before its row in the ledger is closed.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from configs.masking import Masked, Masking
from memory.artifacts import Artifact, ArtifactRef, Artifacts
from memory.group_commit import GroupCommit
from memory.tool_log import ToolCallRow, ToolLog, digest_and_size
from state import CallRecord
from tools.effects import artifact_id
from tools.injection import Scan, no_scan, scan_text
from tools.invoking import scope_of
from tools.results import SMALL_CHARS, Fault, kept_text
from tools.spec import CallSite, ToolSpec

RESULT: Final = "tool_result"
FAULT: Final = "tool_error"
REMEMBERED_TURNS: Final = 64
REMEMBERED_SCORES: Final = 1024


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of running a tool: its text without secrets, and how it went."""

    text: Masked
    fault: Fault | None = None
    tries: int = 1
    cached: bool = False
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """Which call it was: its place among its expert's calls, the model's id and the arguments."""

    ordinal: int
    call_id: str
    args: Mapping[str, Any]
    effect_id: str = ""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The way results take into the log."""

    artifacts: Artifacts
    log: ToolLog
    masking: Masking
    scan: Scan
    _scores: "OrderedDict[tuple[int, int], float]" = field(default_factory=OrderedDict)
    _turns: "OrderedDict[tuple[str, str, str], set[str]]" = field(default_factory=OrderedDict)

    @property
    def group(self) -> GroupCommit:
        """What commits results and audit rows together."""
        return self.log.group

    async def text_of(self, value: object) -> Masked:
        """Whatever a tool returned, without secrets; scanned in a thread where that may last."""
        masked = await kept_text(value, self.masking)
        if len(masked.text) > SMALL_CHARS or self.scan not in (scan_text, no_scan):
            await asyncio.to_thread(self.suspicion, masked.text)
        return masked

    def suspicion(self, text: str) -> float:
        """How much a text looks like instructions, 0 to 1; each text is scanned once."""
        key = (len(text), hash(text))
        score = self._scores.get(key)
        if score is None:
            score = self._scores[key] = self.scan(text).score
            while len(self._scores) > REMEMBERED_SCORES:
                self._scores.popitem(last=False)
        return score

    async def stored(self, site: CallSite, id_: str) -> Artifact | None:
        """What a call left before its node was run again; the log is asked once a turn."""
        turn = (site.tenant, site.thread, site.turn_id)
        known = self._turns.get(turn)
        if known is None:
            refs = await self.artifacts.of_turn(scope_of(site), site.thread, site.turn_id)
            known = {ref.id for ref in refs}
            self._remember(turn, known)
        return await self.artifacts.get(scope_of(site), id_) if id_ in known else None

    def keep(self, spec: ToolSpec, place: Place, site: CallSite, ran: Ran) -> ArtifactRef:
        """Have a call's outcome written with the next commit; it can be read at once."""
        id_ = artifact_id(site, place.ordinal, spec.name, place.args)
        ref = self.artifacts.put_soon(
            self.group,
            scope_of(site),
            id=id_,
            thread=site.thread,
            turn_id=site.turn_id,
            module=site.expert,
            kind=RESULT if ran.fault is None else FAULT,
            text=ran.text.text,
            source=spec.source,
        )
        known = self._turns.get((site.tenant, site.thread, site.turn_id))
        if known is not None:
            known.add(id_)
        return ref

    def audit(
        self,
        site: CallSite,
        place: Place,
        record: CallRecord,
        *,
        ran: Ran | None = None,
        spec: ToolSpec | None = None,
    ) -> None:
        """Have the call's row written with the next commit.

        Args:
            site: where it came from.
            place: which call it was.
            record: how it ended.
            ran: what came of running it; None when it did not run.
            spec: its tool; None for one that does not exist.
        """
        args_sha256, args_bytes = digest_and_size(dict(place.args))
        kept, result = record["artifact"], ("", 0)
        suspicion = 0.0
        if ran is not None:
            result = digest_and_size(ran.text.text)
            suspicion = 0.0 if spec is None or spec.trusted else self.suspicion(ran.text.text)
        paid = ran is not None and not ran.cached and spec is not None
        self.log.add(
            ToolCallRow(
                tenant=site.tenant,
                user=site.user,
                thread=site.thread,
                turn_id=site.turn_id,
                expert=site.expert,
                ordinal=place.ordinal,
                tool=self.masking(record["name"])[:100],
                tool_call_id=place.call_id,
                effect=record["effect"],
                effect_id=place.effect_id,
                outcome=record["status"],
                kind=_kind(record, ran),
                args_sha256=args_sha256,
                args_bytes=args_bytes,
                artifact=kept or "",
                result_sha256=result[0],
                result_bytes=result[1],
                duration_ms=round(ran.duration_ms, 3) if ran is not None else 0.0,
                tries=ran.tries if ran is not None else 0,
                cached=ran is not None and ran.cached,
                masked=ran.text.count if ran is not None else 0,
                suspicion=round(suspicion, 3),
                cost_usd=spec.cost_usd * max(ran.tries, 1) if paid and spec and ran else 0.0,
            )
        )

    def audit_refused(
        self, site: CallSite, records: Sequence[CallRecord], first_ordinal: int
    ) -> None:
        """Have rows written for calls that did not run."""
        for n, record in enumerate(records, start=first_ordinal):
            self.audit(site, Place(n, record["id"], record["args"]), record)

    def _remember(self, turn: tuple[str, str, str], known: set[str]) -> None:
        self._turns[turn] = known
        while len(self._turns) > REMEMBERED_TURNS:
            self._turns.popitem(last=False)


def _kind(record: CallRecord, ran: Ran | None) -> str:
    """The kind of error a record ended with; a refused call names it at the start of its note."""
    if record["status"] != "error":
        return ""
    if ran is not None and ran.fault is not None:
        return ran.fault.kind
    kind, colon, _ = record["note"].partition(":")
    return kind if colon and kind.replace("_", "").isalpha() else "failed"
