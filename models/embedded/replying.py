"""Messages that only reply: what their own words do not say, the last question does."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from models.embedded.chooser import Chooser
from models.embedded.classes import asks_for_rules
from models.embedded.followup import asked_back, only_subject
from models.embedded.frames import arguments_in, repeatable
from models.embedded.lexicon import Lexicon
from models.embedded.patterns import identifiers
from models.embedded.reference import pointing
from models.embedded.scene import Scene
from models.embedded.speech import opens_request
from models.embedded.steps import IN_SCOPE, SURE, Step
from models.embedded.words import stems

REPEATED: Final = 0.8
SURELY: Final = 0.9


def reply(text: str, scene: Scene, chooser: Chooser) -> Step | None:
    """The step of a text that replies to the last answer's question; None without a question.

    Args:
        text: the reply; empty when it only acknowledges.
        scene: the prompt.
        chooser: compares the question with the experts' examples.
    """
    last = scene.last
    if last is None or not last["route"] or not asked_back(last):
        return None
    choice = chooser.choose_reply(text, last["answer"], last["route"][0], scene.served)
    if choice is None:
        return None
    return Step(text, "", choice.found.expert, choice.found.tool, choice.confidence, 1.0, choice)


def searched_on(text: str, scene: Scene, chooser: Chooser, lexicon: Lexicon) -> Step | None:
    """The last search with other words, for a text that is only a subject: "and resellers?"."""
    last = next(iter(repeatable(scene)), None)
    tool, owner = lexicon.tools.get(last["name"], (None, "")) if last else (None, "")
    if tool is None or tool.name not in scene.tools or not only_subject(text):
        return None
    if [one.kind for one in arguments_in(scene, tool.name) if one.required] != ["query"]:
        return None
    alone = chooser.choose(text)
    if alone and alone.confidence >= max(IN_SCOPE, SURE) and alone.found.expert != owner:
        return None
    return Step(text, "", owner, tool.name, REPEATED, 1.0)


def addressed(step: Step, scene: Scene, chooser: Chooser, lexicon: Lexicon) -> Step:
    """The step, or its text as a reply where its own words are for no expert."""
    choice = step.choice
    if choice is None or step.look or choice.alone >= IN_SCOPE or lexicon.is_strange(step.text):
        return step
    return reply(step.text, scene, chooser) or step


def with_details(steps: Sequence[Step], lexicon: Lexicon) -> list[Step]:
    """The steps whose words are for an expert; what only adds to one of them goes with it.

    "Find me a rental car. I'd like to pick it up around four." is one request.
    """
    found: list[Step] = []
    for step in steps:
        if found and not _stands_alone(step, lexicon) and step.expert != found[-1].expert:
            joint = "\n" if opens_request(step.text) else " "  # "tell me what else is open"
            found[-1] = replace(found[-1], text=f"{found[-1].text}{joint}{step.text}")
        elif found and not _stands_alone(found[-1], lexicon) and step.expert != found[-1].expert:
            found[-1] = replace(step, text=f"{found[-1].text} {step.text}")
        else:
            found.append(step)
    return found


def adds(part: str, lexicon: Lexicon) -> bool:
    """Whether a part names a thing of the app's, or asks on: "let me know what is in it"."""
    asks_on = opens_request(part) and pointing(part, lexicon.records)
    return bool(lexicon.nouns & set(stems(part))) or asks_on


def _stands_alone(step: Step, lexicon: Lexicon) -> bool:
    """Whether a part is a request: by its words, or by a record, an id or a rule it names."""
    choice = step.choice
    sure = choice is None or choice.demanded or choice.alone >= SURELY
    own = lexicon.records.of(step.text) or lexicon.nouns & set(stems(step.text))
    named = bool(identifiers(step.text)) or bool(own)
    return sure or named or asks_for_rules(step.text)
