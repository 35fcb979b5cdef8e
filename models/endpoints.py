"""Where a profile's model is: OpenAI itself, a server that speaks its protocol, or this process."""

from urllib.parse import urlsplit

from configs.sections import ModelProfile

PUBLIC_URL = "https://api.openai.com/v1"
_PUBLIC_HOST = "api.openai.com"


def is_public(profile: ModelProfile) -> bool:
    """Whether OpenAI itself is meant."""
    if profile.provider != "openai":
        return False
    return profile.base_url is None or urlsplit(profile.base_url).hostname == _PUBLIC_HOST


def is_compatible(profile: ModelProfile) -> bool:
    """Whether it is another server: those wrap replies in thoughts, code fences and tags."""
    return profile.provider == "openai" and not is_public(profile)


def place_of(profile: ModelProfile) -> str:
    """Where the model is, for the texts of errors."""
    if profile.provider != "openai":
        return "this process"
    return profile.base_url or PUBLIC_URL
