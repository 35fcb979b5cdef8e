"""Sentences that only acknowledge what was said: "Yes, that works.", "Sounds great, thanks!"."""

from typing import Final

from models.embedded.words import word_set, words

_WORDS: Final = word_set(
    "yes yeah yep yup yea no nope nah ok okay sure great good perfect nice cool awesome wonderful"
    " excellent fantastic lovely alright right correct fine thanks thank thx ta please you this"
    " that it is it's that's its sounds sound works work would will be do does i i'm i'd am for me"
    " with now all need needed just so very much lot the one and then well oh hi hello hey bye"
    " goodbye day have like love to of help helpful your not really at moment later maybe another"
    " time today else anything nothing what was we're done set go ahead confirm confirmed proceed"
    " absolutely definitely exactly certainly by way as my appreciate it'll that'll i'll kind got"
    " there know a cheers"
)
MOST_WORDS: Final = 12


def acknowledges(sentence: str) -> bool:
    """Whether a sentence has words, and no word that asks for or tells anything."""
    said = words(sentence)
    return 0 < len(said) <= MOST_WORDS and set(said) <= _WORDS
