"""What is alike, and what is for no app at all."""

import numpy as np
import pytest

from models.embedded.background import BACKGROUND
from models.embedded.likeness import Likeness, train
from models.embedding import shared_embedder

KITCHEN = {
    "timer": ("set a timer for the pasta", "remind me when the eggs are done", "start ten minutes"),
    "recipe": ("suggest a recipe with leeks", "how long do I boil rice", "what goes with fish"),
}


@pytest.fixture(scope="module")
def kitchen() -> Likeness:
    texts = [text for texts in KITCHEN.values() for text in texts]
    off = [text for texts in BACKGROUND.values() for text in texts]
    vectors = shared_embedder().encode([*texts, *off])
    return train(texts, [0, 0, 0, 1, 1, 1], BACKGROUND, vectors)


def probability(likeness: Likeness, text: str) -> float:
    return likeness.scope(likeness.evidence(text, shared_embedder().encode([text])[0]))


def test_the_class_of_the_likest_examples_scores_highest(kitchen: Likeness) -> None:
    text = "please set a timer for twelve minutes"
    scores = kitchen.scores(text, shared_embedder().encode([text])[0])
    assert int(np.argmax(scores)) == 0


def test_a_topic_of_the_app_is_no_background(kitchen: Likeness) -> None:
    assert probability(kitchen, "how long do I cook potatoes") > 0.5


def test_what_no_example_is_like_is_for_nobody(kitchen: Likeness) -> None:
    assert probability(kitchen, "who won the election in Norway") < 0.5
