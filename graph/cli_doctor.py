"""`hippograph doctor`: tries every part the desk stands on and says how to mend what fails."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from configs.errors import ConfigError
from configs.settings import Settings, load_settings
from graph import cli_probes
from graph.cli_options import FAILED, OK, Door
from graph.cli_probes import Advice
from graph.cli_run import run
from graph.cli_screen import Screen

Probe: TypeAlias = Callable[[Settings], Awaitable[str | Advice]]

REINSTALL = "install the project again: `pip install 'hippograph[embedded]'` or `make install`"
PROBES: tuple[tuple[str, Probe, str], ...] = (
    ("models", cli_probes.models, "see `models` in app.yaml, and set the key it names"),
    ("token tables", cli_probes.token_tables, REINSTALL),
    ("spaCy", cli_probes.spacy_model, REINSTALL),
    ("embedder", cli_probes.embedder, REINSTALL),
    (
        "database",
        cli_probes.database,
        "see `database_url` in app.yaml; the folder must be writable",
    ),
    (
        "checkpoints",
        cli_probes.checkpoints,
        "put a backup of checkpoints.db in its place, or move it away; see `data_dir` in app.yaml",
    ),
    (
        "Chroma",
        cli_probes.chroma,
        "`hippograph memory reindex` makes the index anew; see `index` in app.yaml for a server; "
        f"else {REINSTALL}",
    ),
    ("tools", cli_probes.tools, "see `function` of the tool in its expert's file"),
    (
        "examples",
        cli_probes.examples,
        "add ways to say it to `examples` of the tool, or of an intent that names the tool; "
        "`hippograph examples` says which are confused",
    ),
    ("names", cli_probes.names, "see `parameters` of the tool in its expert's file"),
    ("MCP servers", cli_probes.mcp_servers, "see `mcp` in app.yaml; `hippograph mcp` says more"),
    ("parameters", cli_probes.parameters, cli_probes.UNDERSTOOD),
    ("desk database", cli_probes.desk_database, "move desk.db away; the next call makes a new one"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """How one part is: what it said, and the step that mends it when it is not well.

    A part with a warning works, but less well than it could.
    """

    name: str
    ok: bool
    detail: str
    mend: str = ""
    warning: bool = False

    @property
    def mark(self) -> tuple[str, str]:
        """A word for how it is, and its colour."""
        if not self.ok:
            return "problem", "red"
        return ("warning", "yellow") if self.warning else ("ok", "green")


def doctor(door: Door) -> int:
    """Check all parts; gives 1 when one has a problem."""

    async def work(screen: Screen) -> int:
        checks = await examine(door, screen)
        for check in checks:
            mark, style = check.mark
            screen.say(f"{mark:<8} {check.name}: {check.detail}", style)
            if check.mend:
                screen.say(f"         to mend: {check.mend}")
        well = all(check.ok for check in checks)
        screen.document({"ok": well, "checks": checks})
        return OK if well else FAILED

    return run(door, work)


async def examine(door: Door, screen: Screen) -> list[Check]:
    """All checks in order; wrong settings end them, since nothing else can be tried then."""
    try:
        settings = load_settings(door.app)
    except ConfigError as error:
        mend = f"correct {error.file}"
        return [Check(name="settings", ok=False, detail=str(error), mend=mend)]
    checks = [Check(name="settings", ok=True, detail=f"{settings.app_dir}")]
    for name, probe, mend in PROBES:
        with screen.progress(f"Checking {name}"):
            checks.append(await _check(name, probe, mend, settings))
    return checks


async def _check(name: str, probe: Probe, mend: str, settings: Settings) -> Check:
    try:
        detail = await probe(settings)
    except Exception as error:  # noqa: BLE001  whatever a part fails with is its diagnosis
        detail = f"{type(error).__name__}: {error}"
        return Check(name=name, ok=False, detail=detail, mend=mend)
    if isinstance(detail, Advice):
        return Check(name=name, ok=True, detail=detail.text, mend=mend, warning=True)
    return Check(name=name, ok=True, detail=detail)
