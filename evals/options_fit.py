"""Fit the reader of options: `python -m evals.options_fit [--held-out FILE ...]`.

Logistic regressions of the few cosines that `models/embedded/options.py` works out, on the requests
of `evals/data/slots`: whether an option is meant, and whether a flag is said. What is held out is
measured. It took a quarter of an hour beside other work.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console

from evals.slots_data import desks
from models.embedded.options import WEIGHTS, Features, OptionReader, grams_of
from models.embedding import Embedder, shared_embedder
from models.parameters import Parameter

HELD_OUT: Final = ("h", "i")
RIDGE: Final = 1e-5
STEPS: Final = 100
THRESHOLDS: Final = (0.2, 0.3, 0.4, 0.5)
TEXTS: Final = 2_000
"""As many texts make a mean."""


@dataclass(frozen=True, slots=True)
class Case:
    """A request and a choice or flag, with the features of each option and which are meant."""

    kind: str
    features: Features
    meant: Sequence[bool]


def parameter_of(given: Mapping[str, Any]) -> Parameter:
    """A parameter of the data as a tool's schema would say it."""
    options = tuple(given.get("options") or ())
    kind: Any = "choice" if options else given["kind"]
    return Parameter(given["name"], kind, False, None, given["description"], False, options)


def write_means(embedder: Embedder, every: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Write the means that vectors are centred about, with weights of no use yet."""
    texts = [one["text"] for desk in every for one in desk["utterances"]][:TEXTS]
    grams = list(dict.fromkeys(gram for text in texts for gram in grams_of(text)))[:TEXTS]
    told = [f"{one['name'].replace('_', ' ')}: {one['description']}"
            for desk in every for one in desk["params"]][:TEXTS]  # fmt: skip
    means = {"gram": embedder.encode(grams), "whole": embedder.encode(texts),
             "told": embedder.encode(told, "passage")}  # fmt: skip
    rows = {f"{kind}.mean": rows.mean(axis=0) for kind, rows in means.items()}
    np.savez(file, **rows, choice=np.zeros(8), flag=np.zeros(5))


def cases(reader: OptionReader, some: Iterable[Mapping[str, Any]]) -> Iterator[Case]:
    """Every request of some desks with each of their choices and flags."""
    for desk in some:
        parameters = [parameter_of(one) for one in desk["params"]]
        for one in desk["utterances"]:
            for parameter in parameters:
                value = one["values"].get(parameter.name)
                values = value if isinstance(value, list) else [value]
                if parameter.kind == "choice":
                    meant = [option in values for option in parameter.choices]
                elif parameter.kind == "flag" and value is not False:
                    meant = [value is True]
                else:
                    continue
                yield Case(parameter.kind, reader.features(one["text"], parameter), meant)


def regression(features: Features, meant: Features) -> Features:
    """Weights of a logistic regression with a small ridge, by Newton's method."""
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (likely - meant) / len(meant) + RIDGE * weights
        bend = (features.T * (likely * (1 - likely))) @ features / len(meant)
        weights -= np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)
    return weights


def measure(weights: Features, held_out: Sequence[Case], console: Console) -> None:
    """Print how often what is meant is found, and what is found that is not meant."""
    best = []
    for case in held_out:
        likely = 1 / (1 + np.exp(-case.features @ weights))
        at = int(likely.argmax())
        best.append((float(likely[at]), case.meant[at], any(case.meant)))
    said = sum(any_meant for _, _, any_meant in best)
    console.print(f"the likeliest is right in {sum(right for _, right, _ in best)} of {said}")
    for least in THRESHOLDS:
        found = [right for likely, right, _ in best if likely >= least]
        console.print(f"at {least}: right {sum(found)}, wrong {len(found) - sum(found)}")


def main() -> None:
    """Fit on all files but those held out, and measure it on those."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", nargs="*", default=HELD_OUT, help="names of files")
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    given = parser.parse_args()
    console, embedder = Console(stderr=True), shared_embedder()
    every = list(desks())
    kept = [one for one in every if one["file"] not in given.held_out]
    write_means(embedder, kept, given.to)
    reader, weights = OptionReader(embedder, given.to), dict[str, Features]()
    learned = list(cases(reader, kept))
    others = list(cases(reader, [one for one in every if one["file"] in given.held_out]))
    for kind in ("choice", "flag"):
        own = [one for one in learned if one.kind == kind]
        meant = np.concatenate([np.asarray(one.meant, float) for one in own])
        weights[kind] = regression(np.concatenate([one.features for one in own]), meant)
        console.print(f"{kind}: {len(own)} cases learned, {np.round(weights[kind], 2)}")
        measure(weights[kind], [one for one in others if one.kind == kind], console)
    with np.load(given.to) as stored:
        means = {key: stored[key] for key in stored if key.endswith(".mean")}
    rounded = {key: value.astype(np.float16) for key, value in (means | weights).items()}
    np.savez_compressed(given.to, **rounded)


if __name__ == "__main__":
    main()
