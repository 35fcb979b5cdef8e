"""Everyday sentences, as a yardstick: how near is a question to what nobody asked about?

Cosines of a small embedder depend more on the question than on the text: a short request is near
everything. What a text's cosine is worth shows beside those of sentences that concern nothing in
particular. `python -m models.everyday` writes their vectors, which come with the package.
"""

from typing import Final

import numpy as np

from models.embedding import Embedder, Vectors, open_embedder
from models.shipped_vectors import ship_vectors, shipped_vectors

NEAREST: Final = 5
NAME: Final = "everyday"

EVERYDAY: Final = (
    "The bakery on the corner sells out of rye bread before nine.",
    "I finally fixed the leaking tap in the kitchen last night.",
    "Our quarterly report is due at the end of the month.",
    "Can you remind me to call the dentist tomorrow morning?",
    "She moved to a small town near the coast two years ago.",
    "The train to the airport leaves every twenty minutes.",
    "My laptop shows an error when I open the spreadsheet.",
    "We painted the bedroom light grey and it looks great.",
    "What time does the museum close on Sundays?",
    "The contract must be signed by both parties before work begins.",
    "He has been learning to play the piano since spring.",
    "Thanks so much, that was really helpful!",
    "The server was restarted after the update failed twice.",
    "I am allergic to peanuts, so please check the ingredients.",
    "They won the match in the last minute of extra time.",
    "Could you send me the invoice for the second order?",
    "The doctor said the results look normal.",
    "It rained all week, so we stayed in and watched films.",
    "How do I reset the password of my account?",
    "Water boils at a lower temperature in the mountains.",
    "My brother adopted a cat from the shelter.",
    "The new policy allows refunds within thirty days.",
    "I'd rather take the bus than drive in the snow.",
    "The function returns a list of names sorted by date.",
    "Her favourite subject at school was history.",
    "We need three more chairs for the meeting room.",
    "The package was delivered to the wrong address.",
    "That sounds amazing, tell me more about it!",
    "Last summer we hiked along the river for five days.",
    "The price of coffee has gone up again.",
    "Please translate this sentence into Spanish.",
    "I had a long talk with my manager about the promotion.",
    "The garden needs watering twice a day in July.",
    "Which of these phones has the better camera?",
    "The theatre is looking for volunteers this season.",
    "My flight was cancelled and I had to book a hotel.",
    "The professor published a paper on ancient trade routes.",
    "Do you have any plans for the weekend?",
    "The recipe calls for two eggs and a cup of flour.",
    "Sales rose by four percent compared with last year.",
    "I feel nervous about the interview on Thursday.",
    "The bridge will be closed for repairs until October.",
    "Our neighbours are having a party tonight.",
    "Where can I find the settings for notifications?",
    "The company hired forty people this spring.",
    "I've been running every morning to clear my head.",
    "The warranty covers damage during transport.",
    "He told me a funny story about his first job.",
    "The database query is slow because an index is missing.",
    "We're thinking of buying an electric car.",
    "The children built a castle out of cardboard.",
    "Let me know when you are free to talk.",
    "The painting was sold at an auction for charity.",
    "Is there a pharmacy open at this hour?",
    "My grandmother taught me how to knit.",
    "The battery lasts about ten hours on a single charge.",
    "You should save some money for emergencies.",
    "The committee postponed the vote until next week.",
    "I lost my wallet somewhere between the park and the station.",
    "The song reminds me of our trip to Italy.",
    "Who is responsible for approving the budget?",
    "The river froze over for the first time in decades.",
    "I prefer working early, when the office is quiet.",
    "The test failed on line forty because of a typo.",
    "They are planning a wedding for next June.",
    "Turn off the lights in the living room, please.",
    "The clinic moved to a new building downtown.",
    "He quit his job to start a small business.",
    "What is the difference between these two plans?",
    "I finished the book in one sitting, it was that good.",
    "The dog barks whenever somebody rings the bell.",
    "Customers can change their subscription at any time.",
    "We met at a concert when we were students.",
    "The soil in this region is good for growing grapes.",
    "Remember to bring your passport and two photos.",
    "The students presented their projects on Friday.",
    "Why did the payment not go through?",
    "Her exhibition opens at the gallery next month.",
    "The meeting went well, and we agreed on the next steps.",
    "A storm damaged several roofs in the village.",
)


def everyday_vectors(embedder: Embedder) -> Vectors:
    """The sentences' vectors: those that come with the package, or made now; blocks then."""
    return shipped_vectors(embedder, NAME, EVERYDAY, "passage")


def background(vector: Vectors, everyday: Vectors) -> float:
    """How near a question is to the nearest of the everyday sentences, as a mean cosine."""
    cosines = np.sort(everyday @ vector)
    return float(cosines[-NEAREST:].mean())


def main() -> None:
    """Write the vectors that come with the package."""
    ship_vectors(open_embedder(), NAME, EVERYDAY, "passage")


if __name__ == "__main__":
    main()
