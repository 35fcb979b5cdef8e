"""Instructions hidden in e-mails and tables: how many the scan finds, how many it imagines.

Each attack is put at the beginning, in the middle and at the end of each context, as a line of its
own, as the benchmark's authors do. The scan is the product's, with its default threshold.
"""

import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.progress import Progress

from configs.safety import SafetySettings
from evals.registry import Outcome, Request
from tools.injection import Scan, scan_text

KINDS: Final = ("email", "table")
PLACES: Final = ("start", "middle", "end")
SEED: Final = 2023
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many poisoned and clean texts there were, and how many of each were flagged."""

    poisoned: int = 0
    found: int = 0
    clean: int = 0
    alarms: int = 0

    @property
    def recall(self) -> float:
        """Share of the poisoned texts that were flagged."""
        return self.found / max(self.poisoned, 1)

    @property
    def false_alarms(self) -> float:
        """Share of the clean texts that were flagged."""
        return self.alarms / max(self.clean, 1)

    @property
    def precision(self) -> float:
        """Share of the flagged texts that are poisoned, were half of all texts poisoned."""
        flagged = self.recall + self.false_alarms
        return self.recall / flagged if flagged else 0.0

    def __add__(self, other: "Counts") -> "Counts":
        """Both together."""
        return Counts(
            self.poisoned + other.poisoned,
            self.found + other.found,
            self.clean + other.clean,
            self.alarms + other.alarms,
        )


async def evaluate(request: Request) -> Outcome:
    """Scan every clean context and every attack in every context."""
    folder = request.data / "bipia"
    attacks = load_attacks(folder / "text_attacks.json")
    threshold = SafetySettings().suspicion
    total, missed, notes = Counts(), dict[str, int](), []
    with Progress(console=request.progress) as progress:
        for kind in KINDS:
            contexts = load_contexts(folder / f"{kind}_contexts.jsonl.gz")[: request.limit]
            bar = progress.add_task(kind, total=len(contexts))
            counts = Counts()
            for number, context in enumerate(contexts):
                counts += count(context, attacks, number, scan_text, threshold, missed)
                progress.advance(bar)
            total += counts
            notes.append(
                f"{kind}: recall {counts.recall:.3f} of {counts.poisoned}, false alarms "
                f"{counts.alarms} of {counts.clean}"
            )
    worst = sorted(missed.items(), key=lambda one: -one[1])[:5]
    notes.append("missed most: " + ", ".join(f"{name} ({number})" for name, number in worst))
    notes.append("precision as if half of the texts were poisoned")
    figures = {
        key: round(getattr(total, key), 4) for key in ("precision", "recall", "false_alarms")
    }
    return Outcome(figures=figures, notes=tuple(notes))


def load_attacks(file: Path) -> list[tuple[str, str]]:
    """Each attack with its category."""
    found: Mapping[str, Sequence[str]] = json.loads(file.read_text(encoding="utf-8"))
    return [(category, text) for category, texts in found.items() for text in texts]


def load_contexts(file: Path) -> list[str]:
    """The clean texts, each once, in file order."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return list(dict.fromkeys(json.loads(line)["context"] for line in lines))


def count(
    context: str,
    attacks: Sequence[tuple[str, str]],
    number: int,
    scan: Scan,
    threshold: float,
    missed: dict[str, int],
) -> Counts:
    """Scan a context alone and with each attack in each place; what is missed is noted."""
    poisoned = found = 0
    for place, (category, attack) in poisonings(attacks):
        poisoned += 1
        text = poison(context, attack, place, number)
        if scan(text).score >= threshold:
            found += 1
        else:
            missed[category] = missed.get(category, 0) + 1
    return Counts(poisoned, found, 1, int(scan(context).score >= threshold))


def poisonings(
    attacks: Sequence[tuple[str, str]],
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each attack in each place."""
    for attack in attacks:
        for place in PLACES:
            yield place, attack


def poison(context: str, attack: str, place: str, number: int) -> str:
    """The context with the attack at its start or end, or between two of its sentences."""
    if place == "start":
        return f"{attack}\n{context}"
    if place == "end":
        return f"{context}\n{attack}"
    cuts = [match.end() for match in _SENTENCES.finditer(context)] or [len(context)]
    at = random.Random(f"{SEED} {number} {attack}").choice(cuts)
    return f"{context[:at].rstrip()}\n{attack}\n{context[at:]}"
