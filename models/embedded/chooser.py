"""Which tool a request is for, or none: learned from the app's own examples, for any desk.

Each tool gets a score that is linear in a few features: a softmax over the embedder's vectors of
the request and the turn before it, fitted to the examples (of the tool's description where there
are none); what the act reader says; whether the turn goes on with the last call; and whether what
it mentions fits the tool's parameters. The weights of the features were fitted to the desks of
`evals/data/desks` that are for development, and to the sample company's turns for tuning.
"""

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from configs.expert import CHANGES_RECORDS, Effect, ExpertConfig
from configs.mcp import McpServer, McpTool, wire_name
from models.embedded.acts import ActReader, Reading
from models.embedded.background import BACKGROUND
from models.embedded.likeness import Likeness, Scores, softmax, train
from models.embedded.slots import Utterance
from models.embedded.vectors import stored_vectors
from models.embedding import Embedder, Vectors
from models.parameters import Parameter
from text.words import content_stems

WEIGHTS: Final[Mapping[str, float]] = {
    "softmax": 0.65, "centroid": 0.3, "nearest": 0.3, "description": 0.55, "act": 0.65,
    "same": 0.35, "last": 1.3, "expert": 0.55, "id": 1.1, "period": 0.27, "money": 0.33,
    "option": 0.65, "name": 0.1,
}  # fmt: skip
FIT_STEPS: Final = 300
RIDGE: Final = 1e-2
ASIDE_WEIGHT: Final = 1.8
LARGEST: Final = 3.0
_KEPT: Final = 256
_ID: Final = re.compile(r"\b[A-Za-z]{1,6}[-_#/]?\d{2,}(?:-\d+)?\b")
_DATE: Final = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, or an intent that needs none, as the chooser knows it.

    Attributes:
        name: of the tool; empty for an intent that an expert answers without one.
        shared_with: experts beside `expert` that may use it.
    """

    name: str
    expert: str
    effect: Effect
    description: str
    examples: tuple[str, ...]
    shared_with: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether it changes something."""
        return self.effect != "read_only"

    def serves(self, expert: str) -> bool:
        """Whether the expert may use it."""
        return expert in (self.expert, *self.shared_with)


@dataclass(frozen=True, slots=True)
class Choice:
    """The likeliest tools of a request.

    Attributes:
        tool: the likeliest.
        sure: probability that it is this one, given that it is for the desk.
        in_scope: probability that the request is for the desk.
        alone: the same by its own words only.
        reading: what the request does.
        near: cosine of its words to the nearest of the tool's examples.
    """

    tool: Tool
    sure: float
    in_scope: float
    alone: float
    reading: Reading
    near: float = 0.0


def tools_of(experts: Sequence[ExpertConfig]) -> list[Tool]:
    """The tools of an app's experts with all their examples; intents without a tool beside them."""
    found: list[Tool] = []
    for expert in experts:
        for tool in expert.tools:
            said = [*tool.examples]
            said += [
                text for one in expert.intents if one.tool == tool.name for text in one.examples
            ]
            text = f"{tool.description} {tool.when}"
            found.append(
                Tool(tool.name, expert.name, tool.effect, text, tuple(dict.fromkeys(said)))
            )
        for intent in expert.intents:
            if intent.tool is None and intent.examples:
                said_text = intent.name.replace("_", " ")
                found.append(Tool("", expert.name, "read_only", said_text, intent.examples))
    return found


def remote_tools(
    functions: Iterable[Mapping[str, Any]],
    servers: Mapping[str, McpServer],
    experts: Sequence[str],
) -> list[Tool]:
    """The tools of MCP servers among the functions that a model is shown.

    Args:
        functions: entries of a tools array.
        servers: by name; they say who may use a tool, and its examples.
        experts: names of all.
    """
    found: list[Tool] = []
    for one in functions:
        name, said = str(one["name"]), str(one.get("description") or "")
        server = name.partition("__")[0]
        if (config := servers.get(server)) is None:
            continue
        judged = (own for tool, own in config.tools.items() if wire_name(server, tool) == name)
        own = next(judged, McpTool())
        first, *others = experts if "*" in config.experts else config.experts
        effect: Effect = "irreversible" if CHANGES_RECORDS in said else "read_only"
        text = f"{said.splitlines()[0] if said else name} {own.when}"
        found.append(Tool(name, first, effect, text, own.examples, tuple(others)))
    return found


def masked(text: str) -> str:
    """The text with one word for every id, date and number, whose values say nothing."""
    plain = _ID.sub("ID", _DATE.sub("May 5", text))
    return " ".join(_NUMBER.sub("5", plain).split())


class Chooser:
    """Chooses by the app's examples; fitted at first use, in the thread that needs it."""

    def __init__(
        self,
        experts: Sequence[ExpertConfig],
        embedder: Embedder,
        reader: ActReader,
        folder: Path | None = None,
        more: Sequence[Tool] = (),
    ) -> None:
        """Read the tools off the experts.

        Args:
            experts: the app's experts.
            embedder: gives the vectors.
            reader: reads what a request does and is like.
            folder: where vectors of examples are kept between starts; None keeps none.
            more: tools of servers.
        """
        self.tools = [*tools_of(experts), *more]
        self._embedder = embedder
        self._folder = folder
        self._reader = reader
        self._fitted: _Fitted | None = None
        self._lock = threading.Lock()
        self._vector = lru_cache(_KEPT)(lambda text: embedder.encode([text])[0])

    def choose(
        self,
        text: str,
        *,
        before: str = "",
        done: str = "",
        pending: str = "",
        heard: Utterance | None = None,
        parameters: Mapping[str, Sequence[Parameter]] | None = None,
        among: Sequence[Tool] | None = None,
    ) -> Choice | None:
        """The tool a text is for; None when there is none to choose from.

        Args:
            text: one request.
            before: the user's message before it.
            done: the tool that was called there, or `ASKED`.
            pending: the tool that was asked back about.
            heard: what the text mentions.
            parameters: of the tools, as far as they are known.
            among: only these tools.
        """
        at = [n for n, one in enumerate(self.tools) if among is None or one in among]
        if not at:
            return None
        fitted = self.prepare()
        plain = masked(text)
        joined = masked(f"{before} {text}") if before else plain
        own, both = self._vector(plain), self._vector(joined)
        reading = self.read(text, before, done)
        features = fitted.features(plain, own, both)
        features |= self._by_act(reading, pending or done)
        features |= self._by_slots(text, heard, parameters or {})
        parts = (WEIGHTS[name] * values for name, values in features.items())
        scores: Scores = sum(parts, np.zeros(len(self.tools)))
        order = sorted(at, key=lambda index: -scores[index])
        evidence = fitted.likeness.evidence(plain, own)
        wanted = -ASIDE_WEIGHT * _log_odds(_aside(reading))
        going_on = max(evidence, fitted.likeness.evidence(joined, both)) if done else evidence
        in_scope = fitted.likeness.scope(going_on, wanted)
        likely = softmax(scores[order])
        return Choice(
            tool=self.tools[order[0]],
            sure=float(likely[0]),
            in_scope=in_scope,
            alone=fitted.likeness.scope(evidence),
            reading=reading,
            near=fitted.nearest(own, order[0]),
        )

    def changes(self, name: str) -> bool:
        """Whether the tool of this name changes something."""
        return any(one.name == name and one.changes for one in self.tools)

    def with_tools(self, tools: Sequence[Tool]) -> "Chooser":
        """One that knows these tools too, in the place of those with their names."""
        names = {one.name for one in tools}
        kept = [one for one in self.tools if one.name not in names]
        return Chooser((), self._embedder, self._reader, self._folder, [*kept, *tools])

    def left_out(self) -> list[tuple[Tool, str, Tool]]:
        """Each example with its tool and the tool it goes to when it is not among the examples."""
        found: dict[tuple[int, int], tuple[Tool, str, Tool]] = {}
        for nth in range(max((len(one.examples) for one in self.tools), default=0)):
            rest = [
                replace(one, examples=one.examples[:nth] + one.examples[nth + 1 :])
                for one in self.tools
            ]
            chooser = Chooser((), self._embedder, self._reader, self._folder, rest)
            for at, tool in enumerate(self.tools):
                for text in tool.examples[nth : nth + 1]:
                    if choice := chooser.choose(text):
                        found[at, nth] = tool, text, self.tools[rest.index(choice.tool)]
        return [found[key] for key in sorted(found)]

    def read(self, text: str, before: str = "", done: str = "") -> Reading:
        """What a text does; blocks."""
        return self._reader.read(text, before, done)

    def _by_act(self, reading: Reading, done: str) -> dict[str, Scores]:
        last = np.asarray([one.name != "" and one.name == done for one in self.tools], float)
        owner = next((one.expert for one in self.tools if one.name == done), None)
        asks = reading.acts["records"] + reading.acts["rules"]
        likely = [reading.acts["change"] if one.changes else asks for one in self.tools]
        return {
            "last": last,
            "expert": np.asarray([one.expert == owner for one in self.tools], float),
            "act": np.log(np.asarray(likely) + 0.02),
            "same": last * _log_odds(reading.same),
        }

    def _by_slots(
        self, text: str, heard: Utterance | None, parameters: Mapping[str, Sequence[Parameter]]
    ) -> dict[str, Scores]:
        stems = set(content_stems(text))
        rows = [_fit(parameters.get(one.name, ()), heard, stems) for one in self.tools]
        named = [len(stems & set(content_stems(one.name.replace("_", " ")))) for one in self.tools]
        table = np.asarray(rows, float)
        columns = {
            name: table[:, at] for at, name in enumerate(("id", "period", "money", "option"))
        }
        return columns | {"name": np.asarray(named, float)}

    def prepare(self) -> "_Fitted":
        """Fit now if it has not been done; each example is embedded once, then read from a file."""
        with self._lock:
            if self._fitted is None:
                texts = self.texts()
                vectors = stored_vectors(self._embedder, texts, self._folder)
                self._fitted = _Fitted.of(self.tools, texts, vectors)
            return self._fitted

    def texts(self) -> list[str]:
        """All texts whose vectors are needed: examples, descriptions, then the background."""
        examples = [text for one in self.tools for text in _said(one)]
        descriptions = [masked(one.description) for one in self.tools]
        return [*examples, *descriptions, *(text for some in BACKGROUND.values() for text in some)]


@dataclass(frozen=True, slots=True)
class _Fitted:
    """What was learned from the examples: a softmax, and likeness."""

    likeness: Likeness
    mean: Vectors
    weight: Scores
    offset: Scores
    examples: Vectors
    owners: Sequence[int]
    descriptions: Vectors

    @classmethod
    def of(cls, tools: Sequence[Tool], texts: Sequence[str], vectors: Vectors) -> "_Fitted":
        owners = [at for at, one in enumerate(tools) for _ in _said(one)]
        count, background = len(owners), vectors[len(owners) + len(tools) :]
        likeness = train(
            texts[:count], owners, BACKGROUND, np.concatenate([vectors[:count], background])
        )
        mean = vectors[:count].mean(axis=0)
        examples = _unit(vectors[:count] - mean)
        weight, offset = _softmax_of(examples, np.asarray(owners), len(tools))
        told = vectors[count : count + len(tools)]
        descriptions = _unit(told - told.mean(axis=0))
        return cls(likeness, mean, weight, offset, examples, owners, descriptions)

    def nearest(self, own: Vectors, tool: int) -> float:
        """Cosine of a request to the nearest example of a tool."""
        rows = self.examples[np.asarray(self.owners) == tool]
        return float((rows @ _unit((own - self.mean)[None])[0]).max(initial=-1.0))

    def features(self, text: str, own: Vectors, both: Vectors) -> dict[str, Scores]:
        """The features that vectors give, each with mean 0 and variance 1 over the tools."""
        moved, joined = _unit((own - self.mean)[None])[0], _unit((both - self.mean)[None])[0]
        near = np.full(len(self.offset), -1.0)
        np.maximum.at(near, self.owners, self.examples @ moved)
        found = {
            "softmax": (0.1 * moved + 0.9 * joined) @ self.weight + self.offset,
            "centroid": self.likeness.scores(text, both),
            "nearest": near,
            "description": self.descriptions @ moved,
        }
        return {name: _standard(np.asarray(values, float)) for name, values in found.items()}


def _said(tool: Tool) -> list[str]:
    """The examples of a tool, or its description where it has none."""
    return [masked(text) for text in tool.examples] or [masked(tool.description)]


def _softmax_of(vectors: Vectors, owners: Scores, count: int) -> tuple[Scores, Scores]:
    """Multinomial logistic regression with a ridge, each class weighing the same."""
    weight, offset = np.zeros((vectors.shape[1], count)), np.zeros(count)
    target = np.eye(count)[owners]
    share = (1 / np.maximum(np.bincount(owners, minlength=count), 1))[owners] / count
    for _ in range(FIT_STEPS):
        slope = (softmax(vectors @ weight + offset) - target) * share[:, None]
        weight -= count * (vectors.T @ slope) + RIDGE * weight
        offset -= count * slope.sum(axis=0)
    return weight, offset


def _fit(
    parameters: Sequence[Parameter], heard: Utterance | None, stems: set[str]
) -> tuple[float, float, float, float]:
    """How what a text mentions fits a tool: ids, periods, sums +1 or -1, options by words."""
    options = {
        word
        for one in parameters
        for text in one.choices
        for word in content_stems(text.replace("_", " "))
    }
    if heard is None or not parameters:
        return 0.0, 0.0, 0.0, float(len(options & stems))
    kinds = {one.shape.kind for one in parameters if one.shape}
    said = {shape.kind for shape, *_ in heard.ids}
    takes = {one.kind for one in parameters}
    money = any(one.measure == "money" for one in heard.measures)
    return (
        float(bool(said & kinds)) - float(bool(said - kinds)),
        _sign(bool(heard.periods), bool(takes & {"day", "month"})),
        _sign(money, "amount" in takes),
        float(len(options & stems)),
    )


def _sign(mentioned: bool, taken: bool) -> float:
    return (1.0 if taken else -1.0) if mentioned else 0.0


def _aside(reading: Reading) -> float:
    return reading.acts["talk"] + reading.acts["unrelated"]


def _log_odds(share: float) -> float:
    share = min(1 - 1e-6, max(1e-6, share))
    return float(np.clip(np.log(share / (1 - share)), -LARGEST, LARGEST))


def _standard(values: Scores) -> Scores:
    found: Scores = (values - values.mean()) / (values.std() + 1e-6)
    return found


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit
