"""Variants of labelled messages: other names in the same places, small letters, a request beside.

A reader that saw each message in one wording only would learn its names.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from evals.reader_data import Labelled
from models.statements.tagging import Stretch

SWAPPED: Final = 0.7
ANOTHER_VALUE: Final = 0.6
INVENTED: Final = 0.6
BESIDE: Final = 0.2
SMALL, LARGE, BARE = 0.15, 0.18, 0.28
_WHOLE: Final = frozenset({"preference", "milestone"})
_OF_A_LANGUAGE: Final = frozenset({"role", "team", "language", "report_format", "responsible_for"})
_PROPER: Final = frozenset({"preferred_name", "employer", "location"})
VALUES: Final[Mapping[str, Sequence[str]]] = {
    slot: tuple(values.split("|"))
    for slot, values in {
        "preferred_name": "Anna|Jo|Mikkel|Priya|Tariq|Ines|Oluwaseun|Dee|Kasia|Zeynep|Bram|Theo|Max|Sadia|Liesl|Ruth|Koen|Yuki|Wei|Paulo|Chidi|Fatou|Graça|Bea|Ollie|Dr. Brandt|Ms. Okafor|Mr Vance|Pip|Tess|Hannes|Svetlana|Noor|Kenji|Juanma|Lupe|Ewa|Gizem|Tomasz|Aoife",
        "employer": "Kestrel Foods|Brennholm AG|Talvik Shipping|Oakline|Marrow & Pike|Contoso|Grupo Salinas|Nordvik Papier|Blue Harbor Logistics|Lumen Dairy|Farrow Textiles GmbH|Sanko|Verdane|Rolf Eik AS|Cobalt Systems|Delta Sugar|Mabuhay Foods|Casa Verde|Tamar Cement|Polder Bloemen BV|Zenit Pharma|Orinoco Cargo|Atlas Pumps|Hearth & Co|Vantaa Tools",
        "location": "Leipzig|Porto|Cork|Tampere|Osaka|Lagos|Valencia|Lyon|Gdansk|Bristol|Utrecht|Nairobi|Graz|Bologna|Quito|Hanoi|Pune|Izmir|Cardiff|Antwerp|Malmö|Boise|Halifax|Recife|Winnipeg|Cebu|Accra|Bergen|Trieste|Kraków|Austin, Texas|the Basque Country|Perth|Reno|Lisbon",
        "role": "buyer|accountant|warehouse manager|payroll clerk|sales rep|account manager|customs broker|shift lead|quality engineer|head of procurement|controller|office manager|data analyst|dispatcher|service technician|purchasing assistant|product owner|plant manager|credit controller|bookkeeper|CFO|nurse|trainee|field engineer|legal counsel|team lead|help desk agent|store manager|key account manager|auditor",
        "team": "procurement|logistics|accounts payable|finance|customer care|billing|sales|legal|quality|IT support|marketing|field service|claims|customs|returns|payroll|platform|dispatch|vendor management|night shift|collections|compliance|export|HR|R&D",
        "email": "a.berg@nordvik.example|priya@kestrel.example|jo.w@mail.example|office-12@talvik.example|k_lund@posten.example|ines.r@casaverde.example|me@tariq.example|dispatch.lagos@delta.example|tess.m@oakline.example",
        "language": "German|French|Spanish|Italian|Dutch|Portuguese|Polish|English|Swedish|Turkish|Japanese|Finnish|Danish|Norwegian|Czech|Arabic|Greek|Korean|Vietnamese|Hindi",
        "report_format": "table|CSV|Excel|PDF|bar chart|bullet points|plain text|spreadsheet|pie chart|JSON|line chart|xlsx|tables|bullets|a list|charts|markdown",
        "responsible_for": "Harbour Foods|the Nordic region|Tessel Group|Iberia|Marlow Clinics|pumps|the Baltic states|Quillstone|Solvik|spare parts|Amberly|Portugal|the Kiruna mine|Rowan Glass|packaging|Hartwell|the DACH region|Delphi Pharma|Canada|Silverline|cold chain|Bavaria|the Otava account|Fenwick Paper|bakery products",
    }.items()
}  # fmt: skip
"""Values made up for this, by slot."""


class Variants:
    """Makes variants from the values and requests of the messages it is given."""

    def __init__(self, messages: Iterable[Labelled], chance: random.Random) -> None:
        """Collect the values by slot and language, and the messages that state nothing."""
        self._chance = chance
        self._requests = []
        said: dict[tuple[str, str], set[str]] = defaultdict(set)
        for message in messages:
            if not message.stretches:
                self._requests.append(message.text)
            for at in message.stretches:
                said[at.slot, message.lang].add(message.text[at.start : at.stop])
        self._said = {key: sorted(values) for key, values in said.items()}

    def of(self, message: Labelled) -> Labelled:
        """One variant, drawn by chance; often the message as it is."""
        if message.stretches and self._chance.random() < SWAPPED:
            message = self._with_other_values(message)
        if self._requests and self._chance.random() < BESIDE:
            message = self._beside(message, self._chance.choice(self._requests))
        return self._respelled(message)

    def _with_other_values(self, message: Labelled) -> Labelled:
        text, at, moved = "", 0, list[Stretch]()
        for one in message.stretches:
            text += message.text[at : one.start]
            value = message.text[one.start : one.stop]
            if one.slot not in _WHOLE and self._chance.random() < ANOTHER_VALUE:
                value = self._other(one.slot, message.lang, value, text)
            moved.append(replace(one, start=len(text), stop=len(text) + len(value)))
            text, at = text + value, one.stop
        return replace(message, text=text + message.text[at:], stretches=tuple(moved))

    def _other(self, slot: str, lang: str, value: str, before: str) -> str:
        said = self._said.get((slot, lang), [value])
        invented = lang == "en" or slot not in _OF_A_LANGUAGE
        pool = VALUES[slot] if invented and self._chance.random() < INVENTED else said
        other = self._chance.choice(pool)
        if slot in _PROPER and value[:1].isupper() != other[:1].isupper():
            return value
        twice = other.startswith("the ") and before.rstrip().endswith("the")
        return value if twice else other

    def _beside(self, message: Labelled, request: str) -> Labelled:
        if self._chance.random() < 0.5:
            return replace(message, text=_closed(message.text) + request)
        before = _closed(request)
        moved = tuple(
            replace(one, start=one.start + len(before), stop=one.stop + len(before))
            for one in message.stretches
        )
        return replace(message, text=before + message.text, stretches=moved)

    def _respelled(self, message: Labelled) -> Labelled:
        drawn, text = self._chance.random(), message.text
        if drawn < SMALL and len(text.lower()) == len(text):
            return replace(message, text=text.lower())
        if SMALL <= drawn < LARGE and len(text.upper()) == len(text):
            return replace(message, text=text.upper())
        if LARGE <= drawn < BARE:
            return replace(message, text=text.rstrip(".!"))
        return message


def _closed(text: str) -> str:
    return text + (" " if text[-1:] in ".!?" else ". ")
