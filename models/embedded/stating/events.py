"""What happened to the user: a promotion, a move, a wedding, an exam."""

import re
from typing import Final

from models.embedded.patterns import identifiers
from models.embedded.stating.clauses import Clause
from models.embedded.stating.times import without_period

_SUBJECT: Final = (
    r"\b(?:I|we)(?:'ve| have)?(?: just| finally| recently| officially| also| first| once)?"
)
_LIFE: Final = re.compile(
    rf"(?:{_SUBJECT} (?:(?:was|were|got|been|am|became) (?:promoted|married|engaged|divorced|hired|certified|appointed|elected|awarded|named|made (?:director|lead|head|manager|partner|\w+)|born|knighted|laid off|licensed|accredited|naturali[sz]ed|transferred|widowed|nominated|admitted|accepted)"
    r"|joined|started (?:at|as|my|work|working|a|in|with)|moved (?:to|house|into|from|in)|became|retired|resigned|relocated|emigrated"
    r"|finished|completed|passed|graduated|earned|defended|qualified|married|bought (?:a|my|our) (?:first )?(?:house|flat|home|apartment|car|boat)|gave birth|adopted|turned \d\d|celebrated|won|ran|published|founded|launched|opened|received (?:my|the [\w ]*(?:award|prize|medal|certificate|diploma|degree))|obtained|got my|got the|got a|got an|had (?:a|my|our) (?:baby|son|daughter|first|surgery|operation)"
    r"|climbed|took (?:parental|maternity|paternity) leave|went on (?:parental|maternity|paternity) leave|came back from|returned from (?:parental|maternity|paternity)|broke my|signed (?:my|our|the lease)|switched (?:jobs|careers)|changed jobs|sold (?:my|our) (?:house|flat|car)|left)\b)"
    r"|\b(?:they|[A-Z]\w+) hired me\b|\bthey (?:made|promoted|appointed|named) me\b|\b(?:my|our) (?:\w+ ){0,2}(?:was born|were born|came through|arrived|wedding was|graduation was|promotion (?:was|came|to)|retirement (?:was|party)|anniversary was)\b"
    r"|\b(?:wurde ich|ich wurde|ich bin|ich habe|bin ich|habe ich)\b.*\b(?:befördert|geheiratet|umgezogen|gezogen|bestanden|abgeschlossen|angefangen|gekündigt|geworden|ernannt)\b"
    r"|\b(?:j'ai été|on m'a|je me suis|j'ai) (?:promue?|nommée?|embauchée?|mariée?|obtenu|réussi|terminé|commencé|déménagé|fini)\b"
    r"|\b(?:me (?:ascendieron|casé|gradué|nombraron|mudé|jubilé|promovieron)|fui (?:ascendid[oa]|promovid[oa])|terminé|aprobé|obtuve)\b"
    r"|\b(?:sono stat[oa] (?:promoss[oa]|assunt[oa])|mi sono (?:sposat[oa]|laureat[oa]|trasferit[oa])|ho (?:superato|finito|ottenuto))\b"
    r"|\b(?:fui promovid[oa]|casei-me|me casei|formei-me|concluí)\b|\bik (?:ben|werd) .*\b(?:gepromoveerd|bevorderd|getrouwd|verhuisd|geslaagd)\b",
    re.IGNORECASE,
)
_BUSINESS: Final = re.compile(
    r"\b(?:invoice|order|ticket|customer|refund|payment|parcel|delivery|report|call|meeting|spreadsheet|form|draft|mail|e-mail|message|list|review|the figures|stock|shipment|task|job today)\b",
    re.IGNORECASE,
)


def happened(clause: Clause) -> list[str]:
    """The clause, if it tells an event of the user's life."""
    text = clause.text.strip(" .,!")
    if _LIFE.search(text) is None or identifiers(text) or _BUSINESS.search(text):
        return []
    told = re.sub(
        r"^(?:so|and|but|then|also|well|yes|ok)\b,? ", "", without_period(text), flags=re.IGNORECASE
    )
    return [told[:200]]
