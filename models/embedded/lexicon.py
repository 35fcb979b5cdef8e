"""What an app's own configuration says about its language: tools, verbs, nouns, titles, words."""

import re
from collections.abc import Sequence
from typing import Final

from configs.expert import ExpertConfig, ToolConfig
from models.embedded.classes import RequestClass, synonyms
from models.embedded.parties import parties_in, with_names
from models.embedded.patterns import ID, MONTH
from models.embedded.reference import nouns_of
from models.embedded.speech import core, speech_act
from models.embedded.spelling import Speller, ordinary_words
from models.embedded.sums import with_digits
from models.embedded.words import content_stems, stem, stem_set, stems, words

STRANGE_SHARE: Final = 0.4
_NAME: Final = re.compile(r"(?<=[\w,] )[A-Z][\w'-]+")
_BACK: Final = re.compile(r"\b(?:that one|this one|the one)\b", re.I)
_ANY_SUBJECT: Final = stem_set(
    "thing stuff screen alone recent next mean hm hmm btw fine argh ah anybody nobody everybody"
    " both whether overall around use double lot bit sort part time today number more less higher"
    " lower smaller bigger older newer oldest newest latest first second third fourth fifth last"
    " afterwards morning thx thank gimme keep stay carry carried found find happen know word split"
    " half whole full total wrong right way moment minute rest else back work only reason call look"
)
_LIST: Final = re.compile(r"\b([A-Z]\w+):\s+((?:[a-z][a-z0-9 -]*,\s*)+[a-z][a-z0-9 -]*)\.")

_TAKEN_BACK: Final = re.compile(
    r"\b((?:of|from|for|at) )(?-i:[A-Z])[\w&]*(?: (?-i:[A-Z])[\w&]*)*(?:\.{2,}|\u2026|,|\s-)\s*"
    r"(?:no|sorry|wait|oops|hang on)\b[\s,]*(?:(?:no|sorry|wait|i mean|make that)\b[\s,]*)*"
    r"(?:(?:of|from|for|at) )?(?=(?-i:[A-Z]))",
    re.IGNORECASE,
)
"""A name that is at once replaced: "from Cafe... no wait, from Aurora"."""
_ID_TAKEN_BACK: Final = re.compile(
    r"\b[A-Za-z]{2,6}-\d{3,8}(?:\.{2,}|\u2026|[,;.]|\s-)?\s*"
    r"(?:(?:no|sorry|wait|oops|hang on|i mean|make that|rather)\b[\s,]*)+(?=[A-Za-z]{2,6}-\d{3,8})",
    re.IGNORECASE,
)
"""An id that is at once replaced: "ORD-2086, no wait, ORD-2087"."""
_UN: Final = re.compile(r"\b(un)-(?=[a-z]{4})", re.IGNORECASE)
_MINE: Final = re.compile(r"\bmy\b", re.IGNORECASE)
PERSONAL_SHARE: Final = 0.05


class Lexicon:
    """The language of an app.

    Attributes:
        tools: each tool with its expert's name.
        nouns: stems of what the tools are about.
        verbs: words that its commands begin with.
        words: the app's own words.
        common: those, and ordinary ones of other subjects; none of them is a name.
        records: nouns of the records that have ids.
        speller: mends slips in its words.
        documents: titles that the briefs list.
        undone_by: for each effect that can be undone, the tool that does it.
        personal: whether a fair share of the examples is about things of the speaker's own.
    """

    def __init__(self, experts: Sequence[ExpertConfig], classes: Sequence[RequestClass]) -> None:
        """Read the language off the experts."""
        self.tools: dict[str, tuple[ToolConfig, str]] = {
            tool.name: (tool, expert.name) for expert in experts for tool in expert.tools
        }
        examples = [text for one in classes for text in one.examples]
        nouns = {stem(part) for name in self.tools for part in name.split("_")[1:]}
        self.nouns = frozenset(nouns | synonyms(nouns))
        self.verbs = frozenset(_opening(text) for text in examples) - {""}
        self._spoken = frozenset(part for text in examples for part in content_stems(text))
        self._spoken_for = {
            one.tool: frozenset(part for text in one.examples for part in content_stems(text))
            for one in classes
            if one.tool
        }
        mine = [text for text in examples if _MINE.search(text)]
        self.personal = len(mine) >= PERSONAL_SHARE * len(examples)
        self.words = vocabulary([*examples, *(_own_text(expert) for expert in experts)])
        self.common = self.words | ordinary_words()
        self.records = nouns_of(classes)
        self.speller = Speller(self.words, self.verbs)
        self._parties = parties_in(examples, self.words)
        self.documents = [title for expert in experts for title in titles_of(expert)]
        self.undone_by = {
            tool.name: tool.compensation
            for tool, _ in self.tools.values()
            if tool.compensation and tool.effect != "read_only"
        }

    def mended(self, text: str, named: Sequence[str] = ()) -> str:
        """The text with its slips mended, its names as names and its spelled numbers as digits.

        Args:
            text: a message.
            named: names that the conversation has had.
        """
        plain = _ID_TAKEN_BACK.sub("", _TAKEN_BACK.sub(r"\1", _UN.sub(r"\1", text)))
        mended = with_digits(self.speller.mended(plain))
        return with_names(mended, [*named, *self._parties], self.words)

    def is_strange(self, text: str) -> bool:
        """Whether a text is about things that nobody asks the app for: "order me a pizza".

        Told by the share of its content words that no example has; words that go with any subject
        do not count, nor do names.
        """
        share = self._unknown_share(text)
        if share is None or (share < 1 and _BACK.search(text)):
            return False
        return share >= STRANGE_SHARE

    def is_familiar(self, text: str) -> bool:
        """Whether most of the content words, one at least, occur in examples."""
        share = self._unknown_share(text)
        return share is not None and share < STRANGE_SHARE

    def _unknown_share(self, text: str) -> float | None:
        plain = _NAME.sub(" ", MONTH.sub(" ", ID.sub(" ", text)))
        said = [one for one in content_stems(plain) if one.isalpha() and one not in _ANY_SUBJECT]
        known = [one for one in said if one in self._spoken]
        return 1 - len(known) / len(said) if said else None

    def spoken_for_others(self, tool: str) -> frozenset[str]:
        """Stems that people use for other tools and not for this one."""
        return self._spoken - self._spoken_for.get(tool, frozenset())

    def names_document(self, text: str) -> bool:
        """Whether a text has all words of a title."""
        said = set(stems(text))
        return any(set(stems(title.replace("-", " "))) <= said for title in self.documents)


def vocabulary(texts: Sequence[str]) -> frozenset[str]:
    """Words that are written in lower case in an app's own texts, so are no names."""
    plain = " ".join(texts)
    lower = re.findall(r"(?<![\w'])[a-z][\w']*", plain)
    return frozenset(word for text in lower for word in words(text))


def _opening(text: str) -> str:
    first = next(iter(words(core(ID.sub(" ", text)))), "")
    return first if speech_act(text) == "command" and first.isalpha() else ""


def _own_text(expert: ExpertConfig) -> str:
    texts = [expert.description, expert.brief]
    for tool in expert.tools:
        texts += [tool.description, tool.when, tool.when_not, tool.returns, tool.constraints]
    return "\n".join(texts)


def titles_of(expert: ExpertConfig) -> tuple[str, ...]:
    """Titles that the brief lists: "Policies: refunds, security, discounts."."""
    found = _LIST.search(" ".join(expert.brief.split()))
    return tuple(part.strip() for part in found[2].split(",")) if found else ()
