"""Model profiles as app.yaml writes them, made whole: a default, named ones, and one per role.

    profiles:
      cheap: {model: gpt-4.1-nano}
      strong: {model: gpt-4.1}
    models:
      default: {provider: openai, model: gpt-4.1-mini}
      router: cheap
      expert: {temperature: 0, fallbacks: [strong, {model: gpt-4o}]}

What a profile does not say comes from `models.default`. A fallback that names no provider stands on
its role's profile.
"""

from collections.abc import Mapping
from typing import Any

from configs.sections import ROLES

Values = Mapping[str, Any]


def spread_profiles(values: Values) -> dict[str, Any]:
    """Give every role, every named profile and every fallback all of its keys.

    What has a wrong shape is left as it is, for the check that follows.
    """
    models = values.get("models") or {}
    named = values.get("profiles") or {}
    if not isinstance(models, Mapping) or not isinstance(named, Mapping):
        return dict(values)
    default = models.get("default") or {}
    over = {name: _over(default, profile) for name, profile in named.items()}
    whole = {name: _with_fallbacks(profile, over) for name, profile in over.items()}
    roles = {role: models.get(role) or {} for role in (*ROLES, *models) if role != "default"}
    spread = {
        role: _with_fallbacks(_role(default, said, whole), whole) for role, said in roles.items()
    }
    return {**values, "models": spread, "profiles": whole}


def merge(below: Values, above: Values) -> dict[str, Any]:
    """`above` over `below`, mappings key by key."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            merged[key] = merge(under, value)
        else:
            merged[key] = value
    return merged


def _role(default: object, said: object, named: Values) -> object:
    """A role's profile: its own keys over the default, or a named profile."""
    if isinstance(said, str) and said in named:
        return named[said]
    return _over(default, said)


def _over(default: object, profile: object) -> object:
    if isinstance(default, Mapping) and isinstance(profile, Mapping):
        return merge(default, profile)
    return profile or default


def _with_fallbacks(profile: object, named: Values) -> object:
    if not isinstance(profile, Mapping) or not isinstance(profile.get("fallbacks"), list | tuple):
        return profile
    below = {key: value for key, value in profile.items() if key != "fallbacks"}
    steps = [_fallback(below, step, named) for step in profile["fallbacks"]]
    return {**profile, "fallbacks": steps}


def _fallback(below: Values, step: object, named: Values) -> object:
    if isinstance(step, str) and isinstance(named.get(step), Mapping):
        return {key: value for key, value in named[step].items() if key != "fallbacks"}
    if isinstance(step, Mapping) and "provider" not in step:
        return merge(below, step)
    return step
