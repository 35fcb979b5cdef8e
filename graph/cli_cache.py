"""`cache-report`: what a provider's cache should have served, beside what it says it did.

`cache-probe`: how the cache of the configured endpoint really behaves.
"""

from typing import TYPE_CHECKING

from configs.settings import ModelProfile, Settings, load_settings
from graph.cache_probe import probe as send_probe
from graph.cache_report import compare, rule_of
from graph.cli_options import OK, Door, UsageError
from graph.cli_run import guarded, run, run_with_desk
from graph.cli_screen import Screen
from models.caching import RULES
from models.gateway import Gateway
from models.providers import close_models, open_openai
from state import thread_key

if TYPE_CHECKING:
    from graph.session import Desk

MOST_OUTPUT = 64


def report(door: Door, thread: str, rule: str | None) -> int:
    """Compare prediction and the provider's figures, module by module."""

    async def work(desk: "Desk", screen: Screen) -> int:
        await desk.show(thread, door.user, door.tenant)  # refuses a thread of somebody else
        calls = await desk.services.calls.calls(thread_key(door.tenant, thread))
        if not calls:
            screen.say(f"No model has been called in the thread {thread!r} yet.")
            screen.document({"rule": rule, "rows": [], "notes": []})
            return OK
        found = compare(calls, rule or rule_of(desk.services.settings.models["expert"]))
        screen.table(
            ("module", "calls", "tokens", "predicted", "reported", "cost"),
            [row.cells for row in found.rows],
        )
        for note in found.notes:
            screen.say(note)
        screen.document(found)
        return OK

    return guarded(
        door,
        Screen(as_json=door.as_json),
        lambda: check_rule(rule) or run_with_desk(door, work),
    )


def probe(door: Door, role: str, rounds: int, rule: str | None) -> int:
    """Send a growing prefix to a role's endpoint and say what its cache does."""

    async def work(screen: Screen) -> int:
        profile = probed_profile(load_settings(door.app), role)
        chosen = rule or rule_of(profile)
        model = open_openai(role, profile)
        try:
            with screen.progress(f"Asking {profile.model}"):
                gateway = Gateway({role: model}, {role: profile})
                result = await send_probe(gateway, role, chosen, rounds)
        finally:
            await close_models([model])
        screen.table(
            ("round", "sent", "tokens", "predicted", "reported", "s"),
            [call.cells for call in result.calls],
        )
        for finding in result.findings:
            screen.say(finding)
        screen.document(result)
        return OK

    return guarded(door, Screen(as_json=door.as_json), lambda: check_rule(rule) or run(door, work))


def check_rule(rule: str | None) -> int:
    """Refuse a rule that is not there.

    Raises:
        UsageError: names those that are.
    """
    if rule is not None and rule not in RULES:
        message = f"wanted one of the rules {', '.join(sorted(RULES))}, came {rule!r}"
        raise UsageError(message)
    return OK


def probed_profile(settings: Settings, role: str) -> ModelProfile:
    """A role's profile with short replies.

    Raises:
        UsageError: there is no such role, or its model has no endpoint.
    """
    profiles = {str(name): profile for name, profile in settings.models.items()}
    if role not in profiles:
        message = f"wanted one of the roles {', '.join(sorted(profiles))}, came {role!r}"
        raise UsageError(message)
    profile = profiles[role]
    if profile.provider != "openai":
        message = (
            f"the role {role!r} is played by the embedded model, which has no prompt cache. "
            "Set a real model in app.yaml."
        )
        raise UsageError(message)
    limit = min(profile.max_output_tokens, MOST_OUTPUT)
    return profile.model_copy(update={"max_output_tokens": limit})
