"""CLINC150's domains as experts of a desk: an app folder whose intents have a few examples each."""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evals.app_folder import write_folder
from evals.sgd_desk import SETTINGS

UTTERANCES: Final = "clinc150/utterances.json.gz"
DOMAINS: Final = "clinc150/domains.json"
EXAMPLES: Final = 10


@dataclass(frozen=True, slots=True)
class Utterances:
    """What is asked of the desk, and what it is taught.

    Attributes:
        domains: for each domain its intents.
        examples: for each intent so many utterances of the train part.
        inside: utterances of the test part, each with its domain.
        outside: utterances that are for no domain.
    """

    domains: Mapping[str, Sequence[str]]
    examples: Mapping[str, Sequence[str]]
    inside: Sequence[tuple[str, str]]
    outside: Sequence[str]


def load_utterances(data: Path, limit: int | None = None) -> Utterances:
    """Read the data set; `limit` takes so many in-scope utterances, spread over all intents."""
    with gzip.open(data / UTTERANCES, "rt", encoding="utf-8") as file:
        rows = json.load(file)
    domains: dict[str, list[str]] = json.loads((data / DOMAINS).read_text(encoding="utf-8"))
    owner = {intent: domain for domain, intents in domains.items() for intent in intents}
    said: dict[str, list[str]] = {}
    for text, intent in rows["train"]:
        said.setdefault(intent, []).append(text)
    inside = [(text, owner[intent]) for text, intent in rows["test"]]
    step = max(1, len(inside) // limit) if limit else 1
    return Utterances(
        domains=domains,
        examples={intent: texts[:EXAMPLES] for intent, texts in said.items()},
        inside=inside[::step],
        outside=[text for text, _ in rows["oos_test"]],
    )


def write_domains(folder: Path, utterances: Utterances) -> Path:
    """Make an app folder whose experts are the domains."""
    experts = [
        {
            "name": domain,
            "title": domain.replace("_", " ").capitalize(),
            "description": f"Answers requests about {_topics(intents)}.",
            "brief": "Answer the request.",
            "intents": [
                {"name": intent.lower(), "examples": list(utterances.examples[intent])}
                for intent in intents
            ],
        }
        for domain, intents in utterances.domains.items()
    ]
    return write_folder(folder, SETTINGS, experts)


def _topics(intents: Sequence[str]) -> str:
    return ", ".join(intent.replace("_", " ") for intent in intents)
