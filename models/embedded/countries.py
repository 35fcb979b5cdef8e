"""Names of countries with their ISO 3166 codes, for tables that hold the codes."""

from collections.abc import Mapping
from typing import Final

_NAMES: Final = (
    "AT austria austrian,BE belgium belgian,BG bulgaria bulgarian,BR brazil brazilian"
    ",CA canada canadian,CH switzerland swiss,CN china chinese,CZ czechia czech_republic czech"
    ",DE germany german,DK denmark danish,EE estonia estonian,ES spain spanish"
    ",FI finland finnish,FR france french,GB britain great_britain england united_kingdom uk u.k."
    " british english,GR greece greek,HR croatia croatian,HU hungary hungarian"
    ",IE ireland irish,IN india indian,IT italy italian,JP japan japanese,LT lithuania lithuanian"
    ",LU luxembourg,LV latvia latvian,MX mexico mexican,NL netherlands holland dutch"
    ",NO norway norwegian,PL poland polish,PT portugal portuguese,RO romania romanian"
    ",SE sweden swedish,SI slovenia slovenian,SK slovakia slovak"
    ",TR turkey turkish,US usa u.s. united_states america american"
)
COUNTRIES: Final[Mapping[str, str]] = {
    name.replace("_", " "): code
    for code, *names in (one.split() for one in _NAMES.split(","))
    for name in names
}
