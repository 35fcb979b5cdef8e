"""The `notify` and `http` sections: what is refused, with the right words."""

from typing import Any

import pytest

from configs.errors import ConfigError
from configs.settings import load_settings

HOOK: dict[str, Any] = {"kind": "webhook", "url": "https://hooks.example/x", "secret_env": "S"}
MAIL: dict[str, Any] = {
    "kind": "email",
    "host": "smtp.example",
    "sender": "desk@example.com",
    "to": ["ben@example.com"],
}


@pytest.mark.parametrize(
    ("channel", "wanted"),
    [
        ({**HOOK, "url_env": "U"}, "either url or url_env"),
        ({**HOOK, "secret_env": None}, "secret_env, which signs"),
        ({**HOOK, "url": "https://ann:pw@hooks.example"}, "text that matches"),
        ({**HOOK, "kind": "pigeon"}, "pigeon"),
        ({**MAIL, "to": []}, "at least 1"),
        ({**MAIL, "to": ["ben@example.com, eve@example.com"]}, "text that matches"),
        ({**MAIL, "user_env": "U"}, "user_env and password_env"),
        ({**MAIL, "user_env": "U", "password_env": "P", "security": "none"}, "starttls or tls"),
    ],
)
def test_a_wrong_channel_is_refused(channel: dict[str, Any], wanted: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(notify={"channels": {"ops": channel}})
    assert wanted in str(refused.value)


def test_every_variable_of_a_channel_and_a_reviewer_is_known_as_a_secret() -> None:
    settings = load_settings(
        notify={"channels": {"ops": HOOK, "mail": {**MAIL, "user_env": "U", "password_env": "P"}}},
        http={"link_secret_env": "L", "reviewers": [{"user": "ben", "token_env": "B"}]},
    )
    assert settings.secret_variables >= {"S", "U", "P", "L", "B"}


def test_an_address_of_the_routes_has_to_be_one() -> None:
    with pytest.raises(ConfigError, match="a base_url such as"):
        load_settings(http={"base_url": "desk.example.com"})
