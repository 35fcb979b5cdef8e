"""The `notify` and `http` sections: who is told that an action waits, and who may decide over HTTP.

Secrets are named by their environment variables.
"""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from configs.sections import Section

Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
ChannelName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]


class Channel(Section):
    """What every channel has.

    Attributes:
        teams: only actions that these teams approve are told here; empty for all.
        reviewer: whose channel it is: messages then carry links that decide in this person's name.
    """

    teams: tuple[str, ...] = ()
    reviewer: str | None = Field(default=None, min_length=1)
    timeout_s: float = Field(default=10, gt=0)

    def wants(self, approver_teams: tuple[str, ...]) -> bool:
        """Whether an action of these approver teams is told here."""
        return not self.teams or not set(self.teams).isdisjoint(approver_teams)


class WebhookChannel(Channel):
    """A POST of JSON, signed with the secret; `slack` is the shape that incoming webhooks take."""

    kind: Literal["webhook"]
    url: str | None = Field(default=None, pattern=r"^https?://[^@\s]+$")
    url_env: Variable | None = Field(default=None, description="the variable that holds the url")
    format: Literal["json", "slack"] = "json"
    secret_env: Variable | None = Field(default=None, description="the variable for the signature")

    @model_validator(mode="after")
    def _one_address_and_a_signature(self) -> Self:
        if (self.url is None) == (self.url_env is None):
            message = "either url or url_env"
            raise ValueError(message)
        if self.format == "json" and self.secret_env is None:
            message = "secret_env, which signs every message, beside format: json"
            raise ValueError(message)
        return self

    @property
    def variables(self) -> set[str]:
        """Environment variables that it uses."""
        return {name for name in (self.url_env, self.secret_env) if name}


class EmailChannel(Channel):
    """A mail over SMTP."""

    kind: Literal["email"]
    host: str = Field(min_length=1)
    port: int = Field(default=587, gt=0, lt=65536)
    security: Literal["starttls", "tls", "none"] = "starttls"
    user_env: Variable | None = None
    password_env: Variable | None = None
    sender: str = Field(pattern=r"^[^\s@]+@[^\s@]+$")
    to: tuple[Annotated[str, StringConstraints(pattern=r"^[^\s@,]+@[^\s@,]+$")], ...] = Field(
        min_length=1
    )

    @model_validator(mode="after")
    def _log_in_whole_and_not_in_the_clear(self) -> Self:
        if (self.user_env is None) != (self.password_env is None):
            message = "user_env and password_env, or neither"
            raise ValueError(message)
        if self.password_env and self.security == "none":
            message = "security: starttls or tls beside a password"
            raise ValueError(message)
        return self

    @property
    def variables(self) -> set[str]:
        """Environment variables that it uses."""
        return {name for name in (self.user_env, self.password_env) if name}


class NotifySettings(Section):
    """Who is told that an action waits for a person, and told again before its time is over."""

    channels: dict[
        ChannelName, Annotated[WebhookChannel | EmailChannel, Field(discriminator="kind")]
    ] = Field(default_factory=dict)
    remind_before_hours: float = Field(default=4, ge=0, description="0: no reminder")

    @property
    def variables(self) -> set[str]:
        """Environment variables that channels use."""
        return {name for channel in self.channels.values() for name in channel.variables}


class HttpReviewer(Section):
    """A person who may decide over HTTP, known by a bearer token."""

    user: str = Field(min_length=1)
    tenant: str = "default"
    token_env: Variable


class HttpSettings(Section):
    """The routes beside the graphs' server: their address, and who may use them."""

    base_url: str | None = Field(default=None, description="as reviewers reach it, for links")
    link_secret_env: Variable | None = Field(default=None, description="signs links")
    reviewers: tuple[HttpReviewer, ...] = ()

    @property
    def variables(self) -> set[str]:
        """Environment variables that hold its secrets."""
        tokens = {reviewer.token_env for reviewer in self.reviewers}
        return tokens | ({self.link_secret_env} if self.link_secret_env else set())

    @model_validator(mode="after")
    def _be_an_address(self) -> Self:
        if self.base_url is not None and not re.match(r"^https?://[^@\s]+$", self.base_url):
            message = "a base_url such as https://desk.example.com"
            raise ValueError(message)
        return self
