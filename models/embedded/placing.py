"""What stands before a request: the expert, the records and the words of the turns so far."""

from models.embedded.acts import ASKED
from models.embedded.followup import asked_back
from models.embedded.lexicon import Lexicon
from models.embedded.names import names
from models.embedded.patterns import identifiers
from models.embedded.reference import called, kin, pointing
from models.embedded.scene import Scene, record_ids
from models.embedded.signs import Place
from models.embedded.unspoken import money_back


def place_of(
    text: str,
    before: str,
    scene: Scene,
    lexicon: Lexicon,
    kinds: frozenset[str],
    *,
    continued: bool,
    earlier: str,
) -> Place:
    """The place of a request in its message and conversation.

    Args:
        text: one request.
        before: the message up to it.
        scene: the prompt.
        lexicon: the app's language.
        kinds: prefixes of all ids the app knows.
        continued: whether an earlier part of the message is for the app.
        earlier: the request that the text answers a question about.
    """
    own = lexicon.records.of(text)
    said = [one.text for one in identifiers(before, frozenset(own) or kinds)]
    last = scene.last
    ongoing = last is not None and bool(last["route"]) and (called(last) or asked_back(last))
    named = [name for name in names(text, lexicon.common) if name[0].isupper()]
    nameless = text
    for name in named:
        nameless = nameless.replace(name, "the customer")
    focus = said[-1:] or scene.ids(frozenset(own)) or _focus(scene, lexicon, kinds)
    return Place(
        previous=last["route"][0] if last and last["route"] else None,
        served=scene.served,
        focus=focus,
        kin=kin(focus[0], scene, lexicon.records) if focus and not said else {},
        at_hand=record_ids(last) if last else (),
        continued=continued,
        ongoing=ongoing,
        kinds=own,
        titled=lexicon.names_document(text),
        nameless=nameless if named else "",
        pointing=pointing(text, lexicon.records) or money_back(text),
        familiar=lexicon.is_familiar(text),
        strange=lexicon.is_strange(text),
        earlier=earlier,
        said=before if continued else said_before(scene),
        done="" if continued else done_before(scene),
        own_words=() if lexicon.personal else lexicon.words,
        records={noun: (kind,) for noun, kind in lexicon.records.kinds.items()},
    )


def said_before(scene: Scene) -> str:
    """What the user said in the turn before."""
    return scene.last["user"] if scene.last else ""


def done_before(scene: Scene) -> str:
    """Name of the tool that was called in the turn before, or that it asked back."""
    if asked_back(scene.last):
        return ASKED
    calls = (
        [call for module in scene.last["modules"] for call in module["calls"]] if scene.last else []
    )
    return calls[0]["name"] if calls else ""


def _focus(scene: Scene, lexicon: Lexicon, kinds: frozenset[str]) -> list[str]:
    """Ids that "it" may stand for: a record rather than a customer."""
    records = frozenset(lexicon.records.kinds.values())
    found = scene.ids(kinds)
    return [one for one in found if one.partition("-")[0] in records] or found
