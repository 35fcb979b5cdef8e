"""Names of countries with their ISO 3166 codes, for tables that hold the codes."""

from collections.abc import Mapping
from typing import Final

_NAMES: Final = (
    "AT austria,BE belgium,BG bulgaria,BR brazil,CA canada,CH switzerland,CN china,CZ czechia"
    ",DE germany,DK denmark,EE estonia,ES spain,FI finland,FR france,GB britain,GB england,GB uk"
    ",GR greece,HR croatia,HU hungary,IE ireland,IN india,IT italy,JP japan,LT lithuania"
    ",LU luxembourg,LV latvia,MX mexico,NL netherlands,NL holland,NO norway,PL poland,PT portugal"
    ",RO romania,SE sweden,SI slovenia,SK slovakia,TR turkey,US usa,US america"
)
COUNTRIES: Final[Mapping[str, str]] = {
    name: code for code, name in (one.split() for one in _NAMES.split(","))
}
