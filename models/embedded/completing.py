"""A message with what the turns before say it belongs to: corrections and answers."""

import re
from dataclasses import replace
from typing import Final

from models.embedded.acts import ASKED
from models.embedded.answering import asks_reason, chosen, joined, offered, with_choice, with_other
from models.embedded.chooser import Chooser
from models.embedded.followup import asked_back, corrected, is_bare_answer
from models.embedded.lexicon import Lexicon
from models.embedded.patterns import amounts, identifiers
from models.embedded.reference import with_prefixes
from models.embedded.scene import Scene
from models.embedded.speech import core, speech_act
from models.embedded.steps import IN_SCOPE
from models.embedded.sums import plain_numbers
from models.embedded.words import words

SURE_ALONE: Final = 0.6
_BREAK: Final = re.compile(r"[,;:.!](?:\s+|$)|\s[-\u2013\u2014]+\s|\b(?:because|since|as)\b", re.I)
_HESITANT: Final = re.compile(
    r"\b(?:but|no|not|never|already|would|could|might|guess|think|was|were|got|gave|wanted|said|ever"
    r"|next time|stays?|keep|leave|forget|stop|wait|hold on|don't|didn't|won't|sent|if)\b|\?",
    re.IGNORECASE,
)
SURELY_SAME: Final = 0.8
_NEEDED_ID: Final = re.compile(r"I need the [\w ]*\bid\b[\w ]*\. What is it\?\s*$")
_REFUSING: Final = re.compile(
    r"^(?:no|forget|leave|never ?mind|stop|don't|wait|hold on|keep|rather not)\b|\?\s*$", re.I
)


def completed(text: str, scene: Scene, lexicon: Lexicon, chooser: Chooser) -> str:
    """The text, joined with the last request when it only corrects or completes that."""
    text = with_prefixes(lexicon.mended(text, scene.named()), scene, lexicon.records)
    if fixed := corrected(text, scene):
        return fixed
    text = with_other(text, scene.history)
    last = scene.last
    if last is None or not asked_back(last) or answered(text, scene, lexicon):
        return text
    earlier = completed(last["user"], replace(scene, history=scene.history[:-1]), lexicon, chooser)
    choices = offered(last)
    if id_ := chosen(text, choices):
        return with_choice(earlier, id_, choices)
    if hesitates(text):
        return text
    reason = asks_reason(last) and speech_act(text) == "comment"
    answers = reason or _answers(text, lexicon, chooser) or _given(text, scene, lexicon, chooser)
    return joined(last, earlier, text, lexicon.records) if answers else text


def answered(text: str, scene: Scene, lexicon: Lexicon) -> str:
    """The last request, where a text holds it together with the answer to a question back."""
    if scene.last is None or not asked_back(scene.last):
        return ""
    earlier = lexicon.mended(scene.last["user"]).rstrip(" .?!")
    at = text.find(earlier)
    return text[: at + len(earlier)] if at >= 0 and earlier else ""


def hesitates(text: str) -> bool:
    """Whether a text with a value is no plain answer: "they wanted 40 back but we said no".

    What is said beside the clause with the value, such as a reason, may hold any words.
    """
    if _REFUSING.search(core(text)):
        return True
    clauses = [one for one in _BREAK.split(text) if one and one.strip()]
    valued = [one for one in clauses if amounts(one) or plain_numbers(one)]
    return any(_HESITANT.search(one) for one in valued)


def _answers(text: str, lexicon: Lexicon, chooser: Chooser) -> bool:
    """Whether a text answers a question and is no request of its own."""
    if not is_bare_answer(text):
        return False
    if speech_act(text) == "comment" or not _has_verb(text, lexicon.verbs):
        return True
    alone = chooser.choose(text)
    standing = alone and alone.in_scope >= IN_SCOPE and alone.confidence >= SURE_ALONE
    return not standing


def _given(text: str, scene: Scene, lexicon: Lexicon, chooser: Chooser) -> bool:
    """Whether a text names the record that was asked for, whatever it tells beside it."""
    last = scene.last
    if last is None or _NEEDED_ID.search(last["answer"]) is None or text.rstrip().endswith("?"):
        return False
    reading = chooser.read(text, last["user"], ASKED)
    goes_on = reading is None or reading.same >= SURELY_SAME
    named = identifiers(text, frozenset(lexicon.records.kinds.values()))
    return goes_on and len(named) == 1 and not _has_verb(text, lexicon.verbs)


def _has_verb(text: str, verbs: frozenset[str]) -> bool:
    return next(iter(words(core(text))), "") in verbs or speech_act(text) == "question"
