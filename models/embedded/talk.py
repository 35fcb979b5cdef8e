"""What needs no expert: greetings, thanks, what is known of the user, what was said before."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from models.embedded.answers import shortened, spoken
from models.embedded.grammar import (
    ABILITY,
    ABOUT_ME,
    FAREWELL,
    GREETING,
    LOOKS_BACK,
    THANKS,
    withdrawn,
)
from models.embedded.planner import Planner
from models.embedded.scene import Scene
from text.words import STOP_WORDS, content_stems, overlap, words

SAYS_NOTHING: Final = 0.6
SURELY_NOTHING: Final = 0.95
CLEARLY: Final = 0.95
LIKELY: Final = 0.75
MOST_LINES: Final = 6
CLOSE: Final = 0.2
FEW_WORDS: Final = 4
_GREETINGS: Final = ("Hello. What can I look up or do for you?", "Hi, what do you need?")
_WELCOMES: Final = ("You are welcome.", "Gladly.", "Any time.", "Happy to help.")
_HEARD: Final = (
    "All right.",
    "Understood. Tell me when there is something to do.",
    "Good to know.",
)
_SLOT_WORDS: Final = {
    "employer": "work company", "location": "live based city town home",
    "role": "job position title", "preferred_name": "name called", "email": "mail address",
    "language": "language speak",
}  # fmt: skip


def aside(text: str, scene: Scene, planner: Planner) -> str:
    """An answer that needs no expert; empty where the message asks the desk for something."""
    if said := _by_words(text, scene, planner):
        return said
    if (noted := _noted(scene)) and not _asks(text, scene, planner):
        return noted
    reading = planner.chooser.read(text, scene.before, scene.done)
    if scene.asked:
        return ""
    if withdrawn(text) and reading.acts["change"] < SAYS_NOTHING:
        return "All right, I leave it as it is."
    courtesy = bool(THANKS.search(text)) and len(words(text)) <= FEW_WORDS
    talk = reading.acts["talk"]
    if courtesy or (
        talk >= SAYS_NOTHING and (talk >= SURELY_NOTHING or not _like_own(text, planner))
    ):
        some = _WELCOMES if THANKS.search(text) else _HEARD
        return some[len(scene.history) % len(some)]
    return ""


def _like_own(text: str, planner: Planner) -> bool:
    """Whether a message is much like what the desk's own examples say."""
    choice = planner.chooser.choose(text)
    return choice is not None and choice.alone >= CLEARLY and choice.sure >= LIKELY


def _by_words(text: str, scene: Scene, planner: Planner) -> str:
    """An answer to what its words alone tell: a greeting, or a question about desk or user."""
    if GREETING.match(text):
        return _GREETINGS[len(scene.history) % len(_GREETINGS)]
    if FAREWELL.match(text):
        return "Goodbye."
    if ABILITY.search(text):
        return abilities(planner)
    if LOOKS_BACK.search(text):
        return recollect(text, scene)
    return about_user(text, scene) if ABOUT_ME.search(text) else ""


def _asks(text: str, scene: Scene, planner: Planner) -> bool:
    reading = planner.chooser.read(text, scene.before, scene.done)
    return reading.acts["talk"] + reading.acts["unrelated"] < SAYS_NOTHING


def _noted(scene: Scene) -> str:
    """What the store says that it has kept of this message."""
    note: Mapping[str, Any] = scene.note or {}
    noted: Sequence[str] = note.get("noted") or ()
    return f"Noted: {'; '.join(noted)}." if noted else ""


def about_user(text: str, scene: Scene) -> str:
    """What is known of the user, each with its source; what the question names, else all."""
    note: Mapping[str, Any] = scene.note or {}
    facts: Sequence[Mapping[str, str]] = note.get("facts") or ()
    asked = set(content_stems(text))

    def is_asked(slot: str) -> bool:
        return bool(asked & set(content_stems(f"{spoken(slot)} {_SLOT_WORDS.get(slot, '')}")))

    whole = facts if "about me" in text.lower() or "who am i" in text.lower() else []
    chosen = [one for one in facts if is_asked(one["slot"])] or whole
    if not chosen:
        return "" if facts else "I know nothing about you yet."
    lines = (
        f"{spoken(one['slot']).capitalize()}: {one['value']} ({one['source']})." for one in chosen
    )
    return "\n".join(lines)


def abilities(planner: Planner) -> str:
    """What the desk can do, one line per expert."""
    lines = [
        f"- {one.title}: {' '.join(one.description.split())}" for one in planner.experts.values()
    ]
    return "\n".join(["This desk can help with:", *lines])


def off_topic(text: str, scene: Scene, planner: Planner) -> str:
    """What is said to a request that no expert is meant for; documents that answer first."""
    if documents := _documents(scene):
        return documents
    said = [word for word in words(text) if word.isalpha()]
    if len(said) >= FEW_WORDS and not set(said) & STOP_WORDS:
        return "I read English only. Could you say it in English?"
    titles = ", ".join(one.title for one in planner.experts.values())
    does = " ".join(
        one.description.split(". ")[0].rstrip(".") + "." for one in planner.experts.values()
    )
    return f"I cannot help with that. This desk covers {titles}. {does}"


def _documents(scene: Scene) -> str:
    """Lines of loaded documents that memory found for this question."""
    note = scene.note
    if note is None or not any(one["kind"] == "document" for one in note["items"]):
        return ""
    lines = [line.removeprefix("- ") for line in note["text"].splitlines() if line.startswith("- ")]
    return "\n".join(lines[:2])


def recollect(text: str, scene: Scene) -> str:
    """What memory and this thread hold on a question about the past."""
    note = scene.note["text"] if scene.note else ""
    remembered = [line for line in note.splitlines() if line.startswith("- ")]
    here = [
        f"- You: {shortened(one['user'], 160)} -> {shortened(one['answer'], 240)}"
        for one in scene.history
    ]
    wanted = content_stems(text)
    close = [line for line in here if overlap(wanted, content_stems(line)) >= CLOSE] or here
    parts = []
    if remembered:
        parts.append("\n".join(["From earlier sessions:", *remembered[:MOST_LINES]]))
    if close:
        parts.append("\n".join(["In this conversation:", *close[-MOST_LINES:]]))
    return "\n".join(parts) or "I remember nothing about that."
