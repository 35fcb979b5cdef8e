"""Requests to desks on the embedded model, through the whole product.

Four kinds of sets, nobody of whose authors knew the code: desks of strangers below `--data`, desks
that lie in this checkout, the blind half of the requests to the sample company, and that half again
with the company's tools, parameters, records and experts under other names. Requests to the company
that share more than half of their content words with an example, or want a query of their own, are
played, but not counted.

`--only hr,sample` plays some of the sets; `--show clinic` prints what went wrong at a desk of this
checkout that is there to develop on.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Literal

from configs.errors import ConfigError
from configs.settings import SHIPPED_APP, read_experts
from evals.embedded_names import Names
from evals.embedded_play import Performance, Played, perform
from evals.embedded_scoring import Score
from evals.embedded_set import (
    OWN_DESKS,
    Conversation,
    Labelled,
    borrowed,
    example_utterances,
    find_desks,
    load_conversations,
)
from evals.embedded_swap import renamed_conversation, renamed_same, write_company
from evals.errors import NotForReading, UnknownSet
from evals.registry import Outcome, Request, Value

Kind = Literal["given", "own", "sample", "swapped"]

HELD_OUT: Final = frozenset({"fleet", "academy"})
"""Desks of this checkout that are measured and never read."""
QUERY_TOOL: Final = "run_query"
DESK_DATA: Final = ".hippograph"
EMBEDDED: Final = Path(__file__).parents[1] / "models" / "embedded"
ANSWER_CHARS: Final = 200
NAME_WIDTH: Final = 16
HEADS: Final = " " * NAME_WIDTH + "".join(
    f"{head:>9}" for head in ("turns", "tool", "right", "no call", "wrong", "unasked")
)


@dataclass(frozen=True, slots=True)
class Part:
    """A set that is to be played: its name on the command line, its kind, a desk's folder."""

    name: str
    kind: Kind
    folder: Path = SHIPPED_APP

    @property
    def title(self) -> str:
        """The set's name in the table."""
        return f"ours: {self.name}" if self.kind == "own" else self.name


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a set; `refused` is why its desk could not be opened."""

    part: Part
    played: Sequence[Played]
    uncounted: frozenset[str] = field(default=frozenset())
    refused: str = ""

    @property
    def counted(self) -> list[Played]:
        """What the figures are about."""
        return [one for one in self.played if one.label.id not in self.uncounted]


async def evaluate(request: Request) -> Outcome:
    """Play the sets, each in one desk of its own.

    Raises:
        EvalError: a set is asked for that is not there, or failures of one that is not for reading.
    """
    parts = choose_parts(request)
    results = []
    for part in parts:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            results.append(await _play(part, Path(folder), request))
        for line in (HEADS, row(results[-1])):
            request.progress.print(line, markup=False, highlight=False, soft_wrap=True)
    shown = [line for one in results if one.part.name in request.show for line in failures(one)]
    return Outcome(figures=figures(results), notes=(*table(results), *shown))


def choose_parts(request: Request) -> list[Part]:
    """The sets that are asked for, in order.

    Raises:
        UnknownSet: one is not there.
        NotForReading: what went wrong in a set is asked for that nobody may read.
    """
    parts = [
        *(Part(name, "given", path) for name, path in find_desks(request.data / "desks").items()),
        *(Part(name, "own", path) for name, path in find_desks(OWN_DESKS).items()),
        Part("sample", "sample"),
        Part("swapped", "swapped"),
    ]
    for name in (*request.only, *request.show):
        if name not in {part.name for part in parts}:
            raise UnknownSet(name, [part.name for part in parts])
    readable = {part.name for part in parts if part.kind == "own"} - HELD_OUT
    readable -= {part.name for part in parts if part.kind != "own"}
    for name in request.show:
        if name not in readable:
            raise NotForReading(name, sorted(readable))
    return [part for part in parts if not request.only or part.name in request.only]


async def _play(part: Part, folder: Path, request: Request) -> Result:
    performance = _prepare(part, folder / "app", request.limit)
    data_dir = folder / "app" / DESK_DATA
    try:
        played = await perform(performance, data_dir, request.progress)
    except ConfigError as error:
        requests = [one for each in performance.conversations for one in each.requests]
        lost = [Played.lost(label, str(error)) for label in requests]
        return Result(part, lost, performance.uncounted, refused=str(error))
    return Result(part, played, performance.uncounted)


def _prepare(part: Part, app_dir: Path, limit: int | None) -> Performance:
    if part.kind in ("given", "own"):
        shutil.copytree(part.folder, app_dir, ignore=shutil.ignore_patterns("__pycache__"))
        conversations = load_conversations(app_dir / "requests.jsonl", limit)
        (app_dir / "requests.jsonl").unlink()
        return Performance(name=part.title, app_dir=app_dir, conversations=conversations)
    blind = blind_half(limit)
    examples = example_utterances(read_experts(SHIPPED_APP / "experts"))
    uncounted = borrowed(blind, examples) | wanting(blind, QUERY_TOOL)
    company = partial(Performance, name=part.title, uncounted=uncounted)
    if part.kind == "sample":
        return company(app_dir=SHIPPED_APP, conversations=blind, same=Names().same)
    return company(
        app_dir=write_company(app_dir),
        conversations=[renamed_conversation(one) for one in blind],
        same=renamed_same(Names().same),
    )


def blind_half(limit: int | None = None) -> list[Conversation]:
    """The conversations with the sample company that nobody may read."""
    return [one for one in load_conversations(limit=limit) if one.half == "test"]


def wanting(conversations: Sequence[Conversation], tool: str) -> frozenset[str]:
    """Ids of the requests that want this tool."""
    requests = [request for one in conversations for request in one.requests]
    return frozenset(one.id for one in requests if any(call.tool == tool for call in one.calls))


def figures(results: Sequence[Result]) -> dict[str, Value]:
    """All figures; those of sets that were not asked for are absent."""
    found: dict[str, Value] = {
        key: {one.part.name: desk_figures(one.played) for one in results if one.part.kind == kind}
        for key, kind in (("desks", "given"), ("own_desks", "own"))
    }
    for one in results:
        if one.part.kind == "sample":
            found |= sample_figures(one)
        if one.part.kind == "swapped":
            found["swapped_right"] = share(score.right for score in _on_topic(one))
    files = [path for path in sorted(EMBEDDED.rglob("*")) if path.suffix in (".py", ".yaml")]
    found["files"] = len(files)
    found["lines"] = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    return found


def desk_figures(played: Sequence[Played]) -> dict[str, Value]:
    """The figures of a desk: shares of the turns that want calls, and of those that want none."""
    calls = [one.score for one in played if one.label.expect == "call"]
    others = [one.score for one in played if one.label.expect != "call"]
    return {
        "turns": len(played),
        "tool_right": share(score.tool_right for score in calls),
        "right": share(score.right for score in calls),
        "no_call_right": share(score.right for score in others),
        "wrong_effects": sum(len(one.score.wrong_effects) for one in played),
        "performed_unasked": sum(one.score.performed_unasked for one in played),
    }


def sample_figures(result: Result) -> dict[str, Value]:
    """The figures of the sample company; wrong effects count in uncounted requests too."""
    on_topic = _on_topic(result)
    off_topic = [one.score for one in result.counted if one.label.expect == "off_topic"]
    return {
        "sample_total": len(on_topic),
        "sample_right": sum(score.right for score in on_topic),
        "sample_share": share(score.right for score in on_topic),
        "sample_off_topic_total": len(off_topic),
        "sample_off_topic_ok": sum(score.right for score in off_topic),
        "wrong_effects": sum(len(one.score.wrong_effects) for one in result.played),
        "performed_unasked": sum(one.score.performed_unasked for one in result.played),
    }


def _on_topic(result: Result) -> list[Score]:
    """Of the company's requests those that want a call or a question back."""
    return [one.score for one in result.counted if one.label.expect in ("call", "ask")]


def share(right: Iterator[bool]) -> float:
    """The share of what is right, to three decimals; 0 of nothing."""
    found = list(right)
    return round(sum(found) / len(found), 3) if found else 0.0


def kinds_of(label: Labelled) -> Iterator[str]:
    """The kinds a request belongs to: what is expected, and its form."""
    yield label.expect
    if label.follow_up:
        yield "follow_up"
    if label.two_in_one:
        yield "two_in_one"
    if label.expect == "call" and not (label.follow_up or label.two_in_one):
        yield "plain call"


def by_kind(played: Sequence[Played]) -> Mapping[str, tuple[int, int]]:
    """For each kind how many are right, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for one in played:
        for kind in kinds_of(one.label):
            right, total = found.get(kind, (0, 0))
            found[kind] = (right + one.score.right, total + 1)
    return dict(sorted(found.items()))


def table(results: Sequence[Result]) -> Iterator[str]:
    """One row a set, then right of all by kind; no request is told."""
    yield HEADS
    yield from map(row, results)
    for one in results:
        kinds = by_kind(one.counted).items()
        shown = (f"{kind} {right}/{total}" for kind, (right, total) in kinds)
        yield f"{one.part.title}: " + ", ".join(shown)
        if one.refused:
            yield f"{one.part.title} could not be opened: {one.refused}"


def row(result: Result) -> str:
    """The set's row; wrong effects count in uncounted requests too."""
    everywhere = desk_figures(result.played)
    kept = {key: everywhere[key] for key in ("wrong_effects", "performed_unasked")}
    values = (desk_figures(result.counted) | kept).values()
    shown = (f"{one:.3f}" if isinstance(one, float) else str(one) for one in values)
    return f"{result.part.title:<{NAME_WIDTH}}" + "".join(f"{one:>9}" for one in shown)


def failures(result: Result) -> Iterator[str]:
    """The turns of a set that went wrong: label, what was called, and the answer's beginning."""
    yield f"wrong at {result.part.title}:"
    for one in result.counted:
        if not one.score.right:
            yield _told(one)


def _told(one: Played) -> str:
    label, happened = one.label, one.happened
    wanted = "; ".join(f"{call.tool}{dict(call.args)}" for call in label.calls) or label.expect
    if label.free:
        wanted += f" with {dict(label.free)}"
    came = "; ".join(map(str, happened.calls)) or "no call"
    came += " and asked" if happened.asked else ""
    wrong = "; ".join(map(str, one.score.wrong_effects))
    came += f" (wrong effects: {wrong})" if wrong else ""
    answer = happened.failure or " ".join(happened.text.split())[:ANSWER_CHARS]
    return (
        f"  {label.id} {label.text!r}\n    wanted {wanted}\n    came   {came}\n    answer {answer}"
    )
