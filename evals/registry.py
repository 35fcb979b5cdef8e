"""Which evaluations there are; a module is imported when its evaluation runs."""

import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from rich.console import Console

from evals.errors import DataAbsent, NotReady

Value: TypeAlias = "int | float | str | Sequence[str] | Mapping[str, Value] | None"
TAU_RETAIL = tuple(
    f"tau_bench/retail/{name}.json"
    for name in ("orders", "products", "users", "tasks_with_expected_state")
)
TAU_AIRLINE = (
    *(
        f"tau_bench/airline/{name}.json"
        for name in ("flights", "reservations", "users", "tasks_with_expected_state")
    ),
    "tau_bench/airline/gpt-4o-trajectories.jsonl.gz",
)

BEAM = tuple(f"beam/100K/{number}.json.gz" for number in range(1, 11))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What an evaluation is asked: where the data lie, how much of them, where to show progress.

    Attributes:
        only: the sets to play, of evaluations that have several; all when empty.
        show: sets whose failures are to be printed.
    """

    data: Path
    limit: int | None
    progress: Console
    only: tuple[str, ...] = ()
    show: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came out: the figures under their fixed keys, and notes for the reader of the table."""

    figures: Mapping[str, Value]
    notes: tuple[str, ...] = ()


Evaluate = Callable[[Request], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One entry of the registry; `module` has an async function `evaluate`."""

    name: str
    module: str
    purpose: str
    needs: tuple[str, ...] = field(default=())

    def check_data(self, data: Path) -> None:
        """Refuse to run without the files.

        Raises:
            DataAbsent: names what is missing.
        """
        missing = [path for path in self.needs if not (data / path).exists()]
        if missing:
            raise DataAbsent(self.name, data, missing)

    def load(self) -> Evaluate:
        """The function that runs it.

        Raises:
            NotReady: the module or a package it needs is not there.
        """
        try:
            module = importlib.import_module(self.module)
        except ModuleNotFoundError as error:
            message = f"{self.name}: wanted the module {error.name!r}; run `make install` first"
            raise NotReady(message) from error
        evaluate: Evaluate = module.evaluate
        return evaluate


EVALUATIONS: Mapping[str, Evaluation] = {
    evaluation.name: evaluation
    for evaluation in (
        Evaluation(
            name="tau_replay",
            module="evals.tau_replay",
            purpose="tau-bench ground truth and recorded runs replayed through the graph",
            needs=TAU_RETAIL + TAU_AIRLINE,
        ),
        Evaluation(
            name="crash",
            module="evals.crash",
            purpose="SIGKILL at every checkpoint write, ledger step and tool run, then resume",
            needs=TAU_RETAIL,
        ),
        Evaluation(
            name="crash_hippocampus",
            module="evals.crash_hippocampus",
            purpose="SIGKILL at every step of the background, then its end in another process",
        ),
        Evaluation(
            name="background",
            module="evals.background",
            purpose="turns of a user while a worker consolidates conversations of others",
            needs=("sgd/dialogues.jsonl.gz", "sgd/schema.json"),
        ),
        Evaluation(
            name="latency",
            module="evals.latency",
            purpose="harness ms per turn beside langgraph-supervisor; start-up times",
        ),
        Evaluation(
            name="embedded",
            module="evals.embedded",
            purpose="requests to desks of strangers and the sample company on the embedded model",
            needs=("desks",),
        ),
        Evaluation(
            name="hippocampus",
            module="evals.hippocampus",
            purpose="recorded conversations consolidated: what was done kept, chatter discarded",
            needs=TAU_AIRLINE,
        ),
        Evaluation(
            name="loop",
            module="evals.loop",
            purpose="what a person corrects in one session is heeded in a later one, and only then",
        ),
        Evaluation(
            name="locomo",
            module="evals.locomo",
            purpose="evidence of questions to long conversations recalled, and silence elsewhere",
            needs=("locomo",),
        ),
        Evaluation(
            name="beam",
            module="evals.beam_recall",
            purpose="sources of probing questions about long chats recalled, updates newest first",
            needs=("beam/100K",),
        ),
        Evaluation(
            name="crowded",
            module="evals.crowded",
            purpose="recall of paraphrased episodes among 2,500 against 100",
        ),
        Evaluation(
            name="bfcl_memory",
            module="evals.bfcl_memory",
            purpose="answers to questions about earlier conversations in what is recalled first",
            needs=tuple(
                f"bfcl_memory/{name}" for name in ("questions.jsonl.gz", "answers.jsonl.gz")
            ),
        ),
        Evaluation(
            name="writes",
            module="evals.writes",
            purpose="pairs of statements: merged, missed and retired facts of declared slots",
            needs=BEAM,
        ),
        Evaluation(
            name="memory_scale",
            module="evals.memory_scale",
            purpose="recall, writes and disk at 1k to 100k items, beside Chroma and LangMem",
        ),
        Evaluation(
            name="economics",
            module="evals.economics",
            purpose="prompt tokens, cached ones, checkpoints and ms beside two peers",
        ),
        Evaluation(
            name="dialogue_economics",
            module="evals.dialogue_economics",
            purpose="tokens of real dialogues per turn and module, by design of the history",
            needs=("sgd/dialogues.jsonl.gz", TAU_AIRLINE[-1]),
        ),
        Evaluation(
            name="counting",
            module="evals.counting",
            purpose="how long exact token counts and the assembly of a prompt take",
        ),
        Evaluation(
            name="compaction",
            module="evals.compaction",
            purpose="what can still be answered after folding, by strategy at equal tokens",
            needs=BEAM,
        ),
        Evaluation(
            name="faults",
            module="evals.faults",
            purpose="a provider that misbehaves: typed ends, bounded requests, a next turn",
        ),
        Evaluation(
            name="pipeline",
            module="evals.pipeline",
            purpose="what a tool call costs beside the tool; safe calls side by side",
        ),
        Evaluation(
            name="sgd_gate",
            module="evals.sgd_gate",
            purpose="real dialogues' transactional calls: each pauses, none runs after a no",
            needs=("sgd/dialogues.jsonl.gz", "sgd/schema.json"),
        ),
        Evaluation(
            name="bipia",
            module="evals.bipia",
            purpose="instructions hidden in e-mails and tables found, clean ones left alone",
            needs=tuple(
                f"bipia/{name}"
                for name in (
                    "text_attacks.json",
                    "email_contexts.jsonl.gz",
                    "table_contexts.jsonl.gz",
                )
            ),
        ),
        Evaluation(
            name="agentdojo",
            module="evals.agentdojo_gate",
            purpose="benign tasks solved, injected writes stopped: a bound, no model's rate",
        ),
        Evaluation(
            name="segmentation",
            module="evals.segmentation",
            purpose="conversations and topics found in public dialogues, by signal",
            needs=(
                "dialseg711/dialogues.jsonl.gz",
                "tiage/dialogues.jsonl.gz",
                "sgd/dialogues.jsonl.gz",
                "sgd/schema.json",
            ),
        ),
        Evaluation(
            name="router",
            module="evals.router",
            purpose="the embedded router: domains, requests for nobody, turns of conversations",
            needs=(
                "clinc150/utterances.json.gz",
                "clinc150/domains.json",
                "sgd/dialogues.jsonl.gz",
                "sgd/schema.json",
            ),
        ),
    )
}
