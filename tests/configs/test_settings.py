import re
from pathlib import Path

import pytest

from configs.errors import ConfigError, InvalidConfig, MissingConfig, UnreadableConfig
from configs.settings import PROMPTS, ROLES, SHIPPED_APP, load_settings, read_secret
from tests.configs.app_folder import AppFolder


def refusal(app: AppFolder, **overrides: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_settings(app.path, **overrides)
    return caught.value


def test_an_app_folder_needs_no_more_than_an_empty_app_file_and_an_expert(app: AppFolder) -> None:
    settings = load_settings(app.path)
    assert [expert.name for expert in settings.experts] == ["billing"]
    assert settings.limits.max_steps == 50
    assert set(settings.models) == set(ROLES)
    assert set(settings.prompts) == set(PROMPTS)


def test_data_lie_in_the_app_folder(app: AppFolder) -> None:
    settings = load_settings(app.path)
    assert settings.data_dir == app.path / ".hippograph"
    assert settings.database_url == f"sqlite:///{app.path}/.hippograph/hippograph.db"


def test_a_relative_data_dir_counts_from_the_app_folder(app: AppFolder) -> None:
    app.write_app({"data_dir": "../elsewhere"})
    assert load_settings(app.path).data_dir == app.path.parent / "elsewhere"


def test_data_of_the_shipped_app_lie_beside_it() -> None:
    assert load_settings(experts=()).data_dir == SHIPPED_APP.parent / ".hippograph"


def test_an_argument_beats_the_environment_which_beats_the_file_which_beats_the_default(
    app: AppFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings(app.path).limits.max_steps == 50
    app.write_app({"limits": {"max_steps": 40, "lease_s": 9}})
    assert load_settings(app.path).limits.max_steps == 40
    monkeypatch.setenv("HIPPOGRAPH_LIMITS__MAX_STEPS", "30")
    assert load_settings(app.path).limits.max_steps == 30
    settings = load_settings(app.path, limits={"max_steps": 20})
    assert settings.limits.max_steps == 20
    assert settings.limits.lease_s == 9


def test_the_environment_names_the_app_folder(
    app: AppFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPPOGRAPH_APP_DIR", str(app.path))
    assert load_settings().app_dir == app.path
    assert load_settings(SHIPPED_APP, experts=()).app_dir == SHIPPED_APP


def test_an_empty_variable_counts_as_absent(
    app: AppFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPPOGRAPH_DATABASE_URL", "")
    assert load_settings(app.path).database_url.startswith("sqlite:///")


@pytest.mark.parametrize(("text", "enabled"), [("false", False), ("1", True), ("off", False)])
def test_the_environment_speaks_words_for_switches(
    app: AppFolder, monkeypatch: pytest.MonkeyPatch, text: str, enabled: bool
) -> None:
    monkeypatch.setenv("HIPPOGRAPH_RECALL__ENABLED", text)
    assert load_settings(app.path).recall.enabled is enabled


def test_the_environment_takes_mappings(app: AppFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIPPOGRAPH_MODELS__JUDGE__EXTRA_BODY", '{"seed": 7}')
    assert load_settings(app.path).models["judge"].extra_body == {"seed": 7}


def test_every_role_starts_from_the_default_model(app: AppFolder) -> None:
    default = {"provider": "openai", "model": "large", "timeout_s": 5}
    app.write_app({"models": {"default": default, "summarizer": {"model": "small"}}})
    models = load_settings(app.path).models
    assert (models["router"].model, models["summarizer"].model) == ("large", "small")
    assert models["summarizer"].timeout_s == 5


def test_an_own_prompt_replaces_the_shipped_one(app: AppFolder) -> None:
    app.write("prompts/router.md", "Route it.\n")
    prompts = load_settings(app.path).prompts
    assert prompts["router"] == "Route it."
    assert prompts["charter"] == (SHIPPED_APP / "prompts/charter.md").read_text("utf-8").strip()


def test_the_directory_names_users_and_their_teams(app: AppFolder) -> None:
    app.write("directory.yaml", "users:\n  ada: {teams: [finance]}\n  ben: {}\n")
    users = load_settings(app.path).directory.users
    assert users["ada"].teams == ("finance",)
    assert users["ben"].teams == ()


def test_a_secret_is_read_from_the_environment_and_hides_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-1")
    secret = read_secret("SOME_KEY")
    assert secret is not None
    assert secret.get_secret_value() == "sk-1"
    assert "sk-1" not in repr(secret)
    monkeypatch.setenv("SOME_KEY", " ")
    assert read_secret("SOME_KEY") is None


def test_a_database_password_does_not_show_when_settings_are_printed(app: AppFolder) -> None:
    settings = load_settings(app.path, database_url="postgresql+psycopg://me:hush@db/desk")
    assert "hush" not in repr(settings)


def test_a_missing_folder_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(MissingConfig, match="hippograph init DIR"):
        load_settings(tmp_path / "nowhere")


def test_a_folder_without_app_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(MissingConfig, match=r"app\.yaml: wanted .*hippograph init DIR.*nothing"):
        load_settings(tmp_path)


def test_a_folder_without_experts_is_refused(app: AppFolder) -> None:
    (app.path / "experts/billing.yaml").unlink()
    assert "wanted at least one expert, NAME.yaml, came none" in str(refusal(app))


def test_broken_yaml_names_the_line(app: AppFolder) -> None:
    file = app.write("app.yaml", "limits:\n  max_steps: [1\nrouter: x\n")
    error = refusal(app)
    assert isinstance(error, UnreadableConfig)
    assert (error.file, error.key) == (str(file), "line 3, column 7")


def test_a_key_written_twice_names_the_line(app: AppFolder) -> None:
    app.write("app.yaml", "limits: {max_steps: 3}\nlimits: {lease_s: 3}\n")
    error = refusal(app)
    assert error.key == "line 2, column 1"
    assert "'limits' a second time" in error.came


def test_a_file_that_is_no_text_is_refused(app: AppFolder) -> None:
    (app.path / "app.yaml").write_bytes(b"\xff\xfe\x00")
    assert "wanted UTF-8 text" in str(refusal(app))


def test_a_file_that_is_a_list_is_refused(app: AppFolder) -> None:
    app.write_app([1, 2])
    assert "wanted key: value pairs at the top, came [1, 2]" in str(refusal(app))


@pytest.mark.parametrize(
    ("values", "key", "wanted", "came"),
    [
        ({"limits": {"max_steps": "many"}}, "limits.max_steps", "valid integer", "'many'"),
        ({"limits": {"max_steps": 0}}, "limits.max_steps", "greater than 0", "0"),
        ({"limits": {"max_step": 3}}, "limits.max_step", "'max_steps'", "an unknown key"),
        ({"colour": "red"}, "colour", "one of app_dir, approvals", "an unknown key"),
        ({"limits": 3}, "limits", "LimitSettings", "3"),
        ({"models": {"poet": {}}}, "models.poet", "'router', 'expert', 'synth", "'poet'"),
        ({"models": {"router": {"provider": "acme"}}}, "models.router.provider", "'openai'", "'ac"),
        ({"models": {"default": {"provider": "acme"}}}, "models.default.provider", "'emb", "'ac"),
        ({"models": {"default": {"api_key": "sk-1"}}}, "models.default.api_key", "api_key_env", ""),
        ({"models": {"judge": {"provider": "openai"}}}, "models.judge", "a model name beside", ""),
        ({"models": 3}, "models", "dictionary", "3"),
        (
            {"hippocampus": {"facts": "model"}},
            "hippocampus.facts",
            "a chat model for the role `extractor`",
            "an embedded extractor",
        ),
        ({"router": {"default": "sales"}}, "router.default", "'ask' or an expert (billing)", "'sa"),
        ({"history": {"low_water_tokens": 900}}, "history", "below high_water_tokens (800)", "900"),
        ({"experts": []}, "experts", "experts/, prompts/ and directory.yaml", "[]"),
        (
            {"database_url": "postgresql://a:b@c/d"},
            "database_url",
            "DATABASE_URL instead",
            "with a",
        ),
    ],
)
def test_a_wrong_app_file_names_file_key_wanted_and_came(
    app: AppFolder, values: object, key: str, wanted: str, came: str
) -> None:
    file = app.write_app(values)
    error = refusal(app)
    assert isinstance(error, InvalidConfig)
    assert (error.file, error.key) == (str(file), key)
    assert wanted in error.wanted
    assert came in error.came


def test_a_secret_in_a_wrong_place_is_not_repeated_in_the_error(app: AppFolder) -> None:
    app.write_app({"models": {"default": {"api_key": "sk-hush"}}})
    assert "sk-hush" not in str(refusal(app))


def test_several_problems_are_counted(app: AppFolder) -> None:
    app.write_app({"limits": {"max_steps": 0, "lease_s": 0}})
    assert "(1 more to mend after this)" in str(refusal(app))


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("HIPPOGRAPH_LIMITS__MAX_STEPS", "many", "integer"),
        ("HIPPOGRAPH_LIMIT__MAX_STEPS", "3", "'limits'"),
        ("HIPPOGRAPH_MODELS__DEFAULT__EXTRA_BODY", "{a", "a list or mapping"),
        ("HIPPOGRAPH_ROUTER__DEFAULT", "sales", "an expert (billing)"),
    ],
)
def test_a_wrong_variable_is_named(
    app: AppFolder, monkeypatch: pytest.MonkeyPatch, name: str, text: str, wanted: str
) -> None:
    monkeypatch.setenv(name, text)
    error = refusal(app)
    assert error.file == "environment"
    assert name.startswith(error.key)
    assert wanted in error.wanted


def test_a_variable_beside_keys_below_it_is_refused(
    app: AppFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIPPOGRAPH_LIMITS", "3")
    monkeypatch.setenv("HIPPOGRAPH_LIMITS__MAX_STEPS", "3")
    assert "either LIMITS or keys below it, not both" in str(refusal(app))


def test_a_wrong_argument_is_named(app: AppFolder) -> None:
    error = refusal(app, limits={"max_steps": "many"})
    assert (error.file, error.key) == ("argument", "limits.max_steps")


def test_an_empty_prompt_is_refused(app: AppFolder) -> None:
    app.write("prompts/router.md", "\n")
    assert "router.md: wanted a prompt, came an empty file" in str(refusal(app))


def test_the_shipped_app_loads() -> None:
    settings = load_settings()
    assert len(settings.experts) >= 3
    assert "local" in settings.directory.users


def test_the_shipped_prompts_are_stable_text_without_years_or_places_to_fill() -> None:
    for name in PROMPTS:
        text = (SHIPPED_APP / f"prompts/{name}.md").read_text("utf-8")
        if name == "charter":
            text = text.replace("{serves}", "", 1)
        assert re.search(r"\d{4}|[{}]", text) is None, name
