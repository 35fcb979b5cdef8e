"""How messages begin a topic and how they go on with one, told by likeness to examples.

The examples say the same kinds of things about many subjects, so that what they have in common is
that they open or continue, not what they are about.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from models.embedding import Embedder, Vectors, open_embedder
from models.shipped_vectors import ship_vectors, shipped_vectors

Embed: TypeAlias = Callable[[Sequence[str]], Vectors]

NAME: Final = "openers"
NEAREST: Final = 5
OPENERS: Final = (
    "I need to find a restaurant in the centre of town",
    "Can you help me book a hotel for next weekend?",
    "What will the weather be like tomorrow?",
    "I am looking for a train to Boston",
    "Where is the nearest gas station?",
    "Schedule a meeting with my boss on Monday",
    "Hi, I would like some information on museums",
    "Could you find me a place to stay?",
    "When is my dentist appointment?",
    "I also need a taxi to get there",
    "Remind me to take my medicine",
    "I want to rent a car for my trip",
    "I'd like to see a movie tonight",
    "Play some music for me",
    "I need to transfer some money",
    "How much do I have in my savings account?",
    "Please find me a flight to Paris",
    "I want to buy bus tickets",
    "I need a hairdresser, can you make an appointment?",
    "Are there any concerts or games this weekend?",
    "I am thinking of moving, show me some apartments",
    "Set an alarm for seven in the morning",
    "What attractions should I visit in Rome?",
    "I need a ride to the airport",
    "Now I want to find something to eat",
    "And one more thing, what is the forecast for Friday?",
    "Next, can you look up the invoices of another customer?",
    "Show me all overdue invoices",
    "Where is my order?",
    "I have a question about the refund policy",
    "How did revenue develop last quarter?",
    "Please cancel my subscription",
    "I would like to report a problem with my laptop",
    "Can you write a summary of the report?",
    "Explain how the new software works",
    "I'm hungry, what is there to eat nearby?",
    "Do you have any pets?",
    "What do you do for a living?",
    "Hello, how are you today?",
    "Do you like to travel?",
    "What is your favorite food?",
    "Do you have any brothers or sisters?",
    "What kind of music do you listen to?",
    "I just moved to a new city",
    "My favorite color is blue, what is yours?",
    "Have you seen any good movies lately?",
    "I work as a teacher",
    "I love playing football, do you do any sports?",
    "By the way, what are your plans for the weekend?",
    "Anyway, did you hear about the election?",
)
"""Messages that bring up something new."""
CONTINUATIONS: Final = (
    "Yes, please book it for 4 people",
    "No, that is all, thank you",
    "What is the address and phone number?",
    "Booking was successful, your reference number is 12345",
    "Which area would you prefer?",
    "How many people will be staying?",
    "That sounds good",
    "It doesn't matter",
    "The phone number is 555 1234",
    "How about another day?",
    "I have five options, do you have a price range?",
    "Is there anything else I can help you with?",
    "Put the check-in date as the 5th of March",
    "For three nights, please",
    "I want to leave at half past ten in the morning",
    "Do they have wifi?",
    "Is smoking allowed there?",
    "Are there any others?",
    "Something cheaper would be better",
    "Please confirm the following details",
    "No, make it two rooms instead",
    "I found 10 that match, how about this one?",
    "It starts at 7 pm and costs 20 dollars",
    "Which city are you in?",
    "What time would you like to leave?",
    "I don't care about the price",
    "The second one is fine",
    "Who is the director of it?",
    "What is the average rating?",
    "From checking to savings, 300 dollars",
    "Great, I'll take that one",
    "It will be sunny with a high of 75 degrees",
    "Is there a chance of rain?",
    "Here is the song you wanted, shall I play it?",
    "I would like an automatic with insurance",
    "Yes, that is correct, go ahead",
    "Refund half of it",
    "And which customer does it belong to?",
    "When is it due?",
    "Why was it cancelled?",
    "Can you also send it to me by mail?",
    "Try again with the other number",
    "I agree with that",
    "Haha, that is funny",
    "Why is that?",
    "Me too, it is great",
    "Wow, that must be hard",
    "What kind is it?",
    "Oh, I am sorry to hear that",
    "You're welcome, have a nice day",
)
"""Messages that answer, ask on, or close."""
EXAMPLES: Final = (*OPENERS, *CONTINUATIONS)


class OpenerScale:
    """Measures how much a message opens a topic."""

    def __init__(self, vectors: Vectors) -> None:
        """Take the vectors of the openers, then of the continuations."""
        self._mean = vectors.mean(axis=0)
        centred = self.centred(vectors)
        self._openers, self._others = centred[: len(OPENERS)], centred[len(OPENERS) :]

    def centred(self, vectors: Vectors) -> Vectors:
        """Unit vectors around the examples' mean, so that likeness spreads over its whole range."""
        moved = vectors - self._mean
        unit: Vectors = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
        return unit

    def opening(self, centred: Vectors) -> Vectors:
        """For each vector its likeness to the nearest openers less that to the nearest others."""
        return _nearest(centred, self._openers) - _nearest(centred, self._others)


def opener_vectors(embedder: Embedder) -> Vectors:
    """The vectors of the openers, then of the continuations; blocks if they must be made."""
    return shipped_vectors(embedder, NAME, EXAMPLES)


def _nearest(vectors: Vectors, examples: Vectors) -> Vectors:
    likeness: Vectors = np.sort(vectors @ examples.T, axis=1)[:, -NEAREST:].mean(axis=1)
    return likeness


def main() -> None:
    """Write the vectors that come with the package."""
    ship_vectors(open_embedder(), NAME, EXAMPLES)


if __name__ == "__main__":
    main()
