"""Names of customers in lower case, written as the app writes them: "usage torrente in may".

Known names are those in the experts' examples and in the answers of the conversation. A name that
begins with an ordinary word is only taken with its next word: "blue harbor", not "blue".
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Final

from models.embedded.names import names
from models.embedded.readers import read_address, read_sql
from models.embedded.words import STOP_WORDS, word_set, words

SHORTEST: Final = 4
_SEPARATOR: Final = r"[ ]+(?:&[ ]+|and[ ]+)?"
_LEGAL: Final = word_set("ltd inc gmbh sa as ab oy nv bv llp sas kk spa aps sl")


def parties_in(examples: Iterable[str], known_words: Collection[str]) -> tuple[str, ...]:
    """The names that examples hold, longest first."""
    found = {
        name
        for text in examples
        if not (read_address(text) or read_sql(text))
        for name in names(text, known_words)
        if name[0].isupper() and name.lower() not in known_words
    }
    return tuple(sorted(found, key=lambda name: (-len(name), name)))


def with_names(text: str, known: Sequence[str], ordinary: Collection[str]) -> str:
    """The text with the known names written in capitals, and "otavas" as "Otava's".

    Args:
        text: a message.
        known: names, longest first.
        ordinary: words of the app's own language, which begin no name alone.
    """
    if read_sql(text):
        return text
    for name in known:
        for pattern, written in _patterns(name, ordinary):
            text = pattern.sub(partial(_written, written), text)
    return text


def _written(name: str, match: re.Match[str]) -> str:
    return f"{name}'s" if match[1] else name


def _patterns(name: str, ordinary: Collection[str]) -> list[tuple[re.Pattern[str], str]]:
    """The name as a whole, then without its last words, as short as it still is a name."""
    tokens = [one for one in name.split() if one.lower().strip(".") not in _LEGAL and one != "&"]
    first = words(tokens[0])[0] if tokens and words(tokens[0]) else ""
    plain = first in ordinary or first in STOP_WORDS or len(first) < SHORTEST
    found = []
    for length in range(len(tokens), 1 if plain else 0, -1):
        said = _SEPARATOR.join(re.escape(one.lower()) for one in tokens[:length])
        link = " & " if f"{tokens[0]} & " in name and length > 1 else " "
        written = link.join([tokens[0], " ".join(tokens[1:length])]).strip(" &")
        found.append((re.compile(rf"(?<![\w@./-]){said}('?s)?(?![\w@/-])"), written))
    return found
