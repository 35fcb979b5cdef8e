"""All settings in one object: explicit argument > environment > app.yaml > defaults.

`HIPPOGRAPH_LIMITS__MAX_STEPS=20` sets `limits.max_steps`; `configs.environment` reads it.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from configs.clock import ClockSettings
from configs.environment import read_environment, read_secret
from configs.errors import InvalidConfig, MissingConfig, quoted
from configs.expert import ExpertConfig, IntentConfig, ToolConfig, check_experts
from configs.growth import IndexSettings, RetentionSettings
from configs.hippocampus import HippocampusSettings
from configs.layers import ENVIRONMENT, PREFIX, Layers, merged, origin_of
from configs.mcp import McpServer, ServerName, unknown_experts, variables_of
from configs.notify import HttpSettings, NotifySettings
from configs.profiles import spread_profiles
from configs.reading import check, key_path, read_mapping, read_text
from configs.safety import EscalationSettings, SafetySettings
from configs.sandbox import SandboxSettings
from configs.sections import (
    ROLES,
    ApprovalSettings,
    BudgetSettings,
    Directory,
    EmbedderSettings,
    HistorySettings,
    LayoutSettings,
    LimitSettings,
    Member,
    ModelProfile,
    RateSettings,
    RecallSettings,
    RetrySettings,
    Role,
    RouterSettings,
    Section,
    SpendingSettings,
)
from configs.segmenting import ClassificationSettings, SegmentationSettings
from configs.sharing import SharingSettings

__all__ = [
    "PROMPTS",
    "ROLES",
    "SHIPPED_APP",
    "ApprovalSettings",
    "BudgetSettings",
    "ClassificationSettings",
    "ClockSettings",
    "Directory",
    "EmbedderSettings",
    "EscalationSettings",
    "ExpertConfig",
    "HistorySettings",
    "IndexSettings",
    "IntentConfig",
    "LayoutSettings",
    "LimitSettings",
    "McpServer",
    "Member",
    "ModelProfile",
    "RateSettings",
    "RecallSettings",
    "RetentionSettings",
    "RetrySettings",
    "Role",
    "RouterSettings",
    "SafetySettings",
    "SandboxSettings",
    "SegmentationSettings",
    "Settings",
    "SpendingSettings",
    "ToolConfig",
    "load_settings",
    "read_secret",
]

SHIPPED_APP = Path(__file__).resolve().parent
PROMPTS = (
    "charter", "expert", "extractor", "facts", "judge", "router", "summarizer", "synthesizer",
)  # fmt: skip
PURPOSE = "{serves}"
_ARGUMENT = "argument"


class Settings(Section):
    """Everything the application can be told; immutable."""

    app_dir: Path
    data_dir: Path
    database_url: str = Field(repr=False, pattern=r"^[a-z][a-z0-9+]*://")
    serves: str = Field(
        default="", description="one sentence: whom and what the desk is for; fills {serves}"
    )
    clock: ClockSettings = ClockSettings()
    profiles: dict[str, ModelProfile] = Field(default_factory=dict)
    models: dict[Role, ModelProfile]
    retries: RetrySettings = RetrySettings()
    rates: dict[str, RateSettings] = Field(
        default_factory=dict, description="by the environment variable that holds the key"
    )
    spending: SpendingSettings = SpendingSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    recall: RecallSettings = RecallSettings()
    index: IndexSettings = IndexSettings()
    retention: RetentionSettings = RetentionSettings()
    sharing: SharingSettings = SharingSettings()
    approvals: ApprovalSettings = ApprovalSettings()
    escalation: EscalationSettings = EscalationSettings()
    safety: SafetySettings = SafetySettings()
    sandbox: SandboxSettings = SandboxSettings()
    history: HistorySettings = HistorySettings()
    segmentation: SegmentationSettings = SegmentationSettings()
    classification: ClassificationSettings = ClassificationSettings()
    hippocampus: HippocampusSettings = HippocampusSettings()
    budget: BudgetSettings = BudgetSettings()
    limits: LimitSettings = LimitSettings()
    router: RouterSettings = RouterSettings()
    layout: LayoutSettings = LayoutSettings()
    notify: NotifySettings = NotifySettings()
    http: HttpSettings = HttpSettings()
    mcp: dict[ServerName, McpServer] = Field(default_factory=dict)
    experts: tuple[ExpertConfig, ...]
    directory: Directory = Directory()
    prompts: dict[str, str]

    @property
    def charter(self) -> str:
        """The rules for every module, with whom and what the desk is for; the same bytes always."""
        said = " ".join(self.serves.split())
        if not said:
            titles = [" ".join(expert.title.split()) for expert in self.experts]
            said = f"Its experts: {', '.join(titles)}."
        return self.prompts["charter"].replace(PURPOSE, said)

    @property
    def secret_variables(self) -> set[str]:
        """Environment variables that hold secrets whatever their names are."""
        profiles = [*self.models.values(), *self.profiles.values()]
        profiles += [spare for profile in profiles for spare in profile.fallbacks]
        keys = {profile.api_key_env for profile in profiles} | {self.index.key_env}
        return keys | variables_of(self.mcp) | self.notify.variables | self.http.variables


def load_settings(app_dir: Path | str | None = None, **overrides: object) -> Settings:
    """Read an app folder.

    Args:
        app_dir: folder with app.yaml, experts/, prompts/; default `HIPPOGRAPH_APP_DIR`, then the
            shipped sample app.
        **overrides: settings that win over everything else; mappings are merged key by key.

    Raises:
        ConfigError: the first thing that is wrong: file, key path, wanted, came.
    """
    environment = read_environment()
    folder = _app_folder(app_dir if app_dir is not None else environment.pop("app_dir", None))
    environment.pop("app_dir", None)
    app_file = folder / "app.yaml"
    layers: Layers = [
        (_ARGUMENT, overrides),
        (ENVIRONMENT, environment),
        (app_file, _read_app(app_file)),
    ]
    values = spread_profiles(merged(layers))
    values["app_dir"] = folder
    _add_places(values, folder)
    if "experts" not in values:
        values["experts"] = read_experts(folder / "experts")
    if "directory" not in values:
        values["directory"] = _read_directory(folder / "directory.yaml")
    values["prompts"] = {**_read_prompts(folder), **values.get("prompts", {})}
    settings = check(Settings, values, lambda location: origin_of(layers, location))
    _check_experts(settings, layers)
    _check_purpose(settings, layers)
    _check_fact_reader(settings, layers)
    return settings


def read_experts(folder: Path) -> tuple[ExpertConfig, ...]:
    """The experts of a folder, one per YAML file, sorted by name.

    Raises:
        ConfigError: none is there, one is wrong, or names do not fit together.
    """
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise MissingConfig(folder, "", wanted="at least one expert, NAME.yaml", came="none")
    experts = {file: _read_expert(file) for file in files}
    check_experts(experts)
    return tuple(experts.values())


def _read_expert(file: Path) -> ExpertConfig:
    return check(ExpertConfig, read_mapping(file), lambda location: (file, key_path(location)))


def _app_folder(app_dir: Path | str | None) -> Path:
    if app_dir is None:
        return SHIPPED_APP
    folder = Path(app_dir).expanduser().resolve()
    if not folder.is_dir():
        wanted = "an app folder (`hippograph init DIR` makes one)"
        came = "a file" if folder.exists() else "nothing"
        raise MissingConfig(folder, "", wanted=wanted, came=came)
    return folder


def _read_app(file: Path) -> dict[str, Any]:
    if not file.is_file():
        wanted = "the settings of an app folder (`hippograph init DIR` makes one)"
        raise MissingConfig(file, "", wanted=wanted, came="nothing")
    values = read_mapping(file)
    for key in ("app_dir", "experts", "prompts", "directory"):
        if key in values:
            wanted = "no such key here (experts/, prompts/ and directory.yaml hold it)"
            raise InvalidConfig(file, key, wanted=wanted, came=quoted(values[key]))
    _refuse_password(file, values.get("database_url"))
    return values


def _refuse_password(file: Path, url: object) -> None:
    if isinstance(url, str) and urlsplit(url).password is not None:
        wanted = f"an address without a password (set {PREFIX}DATABASE_URL instead)"
        raise InvalidConfig(file, "database_url", wanted=wanted, came="one with a password")


def _read_directory(file: Path) -> Directory:
    if not file.exists():
        return Directory()
    return check(Directory, read_mapping(file), lambda location: (file, key_path(location)))


def _read_prompts(folder: Path) -> dict[str, str]:
    """Prompts of the app; one it does not have is taken from the shipped app."""
    files = {name: SHIPPED_APP / "prompts" / f"{name}.md" for name in PROMPTS}
    files |= {file.stem: file for file in (folder / "prompts").glob("*.md")}
    prompts = {name: read_text(file).strip() for name, file in sorted(files.items())}
    for name, text in prompts.items():
        if not text:
            raise InvalidConfig(files[name], "", wanted="a prompt", came="an empty file")
    return prompts


def _add_places(values: dict[str, Any], folder: Path) -> None:
    data_dir = values.get("data_dir")
    if data_dir is None:
        values["data_dir"] = _default_data_dir(folder)
    elif isinstance(data_dir, str | Path):
        values["data_dir"] = (folder / Path(data_dir).expanduser()).resolve()
    if values.get("database_url") is None:
        values["database_url"] = f"sqlite:///{values['data_dir']}/hippograph.db"


def _default_data_dir(folder: Path) -> Path:
    """Data lie in the app folder; those of the shipped app beside it, never in site-packages."""
    if folder != SHIPPED_APP:
        return folder / ".hippograph"
    checkout = SHIPPED_APP.parent
    root = checkout if (checkout / "pyproject.toml").is_file() else Path.cwd()
    return root / ".hippograph"


def _check_experts(settings: Settings, layers: Layers) -> None:
    """Refuse names of experts that are not there."""
    names = [expert.name for expert in settings.experts]
    if settings.router.default not in ("ask", *names):
        wanted, came = f"'ask' or an expert ({', '.join(names)})", settings.router.default
        raise InvalidConfig(
            *origin_of(layers, ("router", "default")), wanted=wanted, came=repr(came)
        )
    if found := unknown_experts(settings.mcp, settings.experts):
        wanted, place = f"'*' or an expert ({', '.join(names)})", ("mcp", found[0], "experts")
        raise InvalidConfig(*origin_of(layers, place), wanted=wanted, came=repr(found[1]))


def _check_purpose(settings: Settings, layers: Layers) -> None:
    """Refuse a purpose that no model would read."""
    if settings.serves.strip() and PURPOSE not in settings.prompts["charter"]:
        place = origin_of(layers, ("serves",))
        wanted = f"a place for it, {PURPOSE}, in prompts/charter.md"
        raise InvalidConfig(*place, wanted=wanted, came="a charter without it")


def _check_fact_reader(settings: Settings, layers: Layers) -> None:
    """Refuse to let the embedded role read facts as a chat model would."""
    if (
        settings.hippocampus.facts == "model"
        and settings.models["extractor"].provider == "embedded"
    ):
        place = origin_of(layers, ("hippocampus", "facts"))
        wanted = "a chat model for the role `extractor` (models.extractor), or `embedded`"
        raise InvalidConfig(*place, wanted=wanted, came="'model' and an embedded extractor")
