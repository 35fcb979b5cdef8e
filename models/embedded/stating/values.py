"""Finds the value after a cue: a name, a place, a team, a job."""

import re
from collections.abc import Callable
from typing import Final

from models.embedded.stating.lexicon import DEPARTMENTS, JOB, JOB_ABROAD, LANGUAGE
from models.embedded.words import word_set

_WORD: Final = r"(?:[^\W\d_a-zß-öø-ÿ]|\d+(?=[A-Z]))[\w'\u2019&.-]*[\w&]|[A-ZÀ-Þ]|[A-Z]\.(?= [A-Z])"
_TITLE: Final = r"(?:Dr|Mr|Mrs|Ms|Prof|St)\.? "
_LINK: Final = (
    r"(?: (?:of|de|la|le|del|di|da|do|dos|am|an der|upon|von|van|den|der|the|y|&|\+|und|et) | |-)"
)
PROPER: Final = re.compile(rf"(?:{_TITLE})?(?:{_WORD})(?:{_LINK}(?:{_WORD})){{0,4}}")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_SKIP: Final = re.compile(
    r"(?:(?:the|a|an|now|still|currently|called|named|just|simply|actually|always|usually|mostly"
    r"|sunny|lovely|beautiful|rainy|old|good old|back|again|here|in|at|over|up|down|out|to|city of"
    r"|town of|village of|outskirts of|suburbs of|centre of|center of|heart of|middle of|north of"
    r"|south of|area of|region of|company|firm|a company called|der|die|das|dem|den|jetzt|nun|la|le"
    r"|les|el|los|las|il|lo|de|het|maintenant|ahora|adesso|agora|nu|mittlerweile|désormais|ora)\s+)+",
    re.IGNORECASE,
)
_STOP: Final = (
    r"(?=[.,;:!?()\u2013\u2014。！]|\s(?:and (?:I|my|we|have|am|not|now|want|need|would)|but|so|who|which|because|from now on|instead"
    r"|rather than|these days|nowadays|now|again|since|until|for good|at the moment|anymore"
    r"|any more|any longer|today|currently|permanently|too|also|as well|please|though|by the way"
    r"|this|last month|last year|last week|last summer|as of|here|at present|once more|going forward)\b|\s-\s|$)"
)
_TEAM_WORD: Final = (
    r"(?:team|department|dept\.?|group|squad|unit|division|crew|desk|function|section|office|side|branch|tribe|chapter|pod|guild"
    r"|folks|people|guys|Team|Abteilung|équipe|equipo|reparto|ufficio|afdeling|équipe)"
)
_TEAM: Final = re.compile(
    rf"(?:the |our |your |a |new )*(?P<v>[\w&][\w &'/-]{{0,40}}?)[ -]{_TEAM_WORD}\b", re.IGNORECASE
)
_TEAM_OF: Final = re.compile(
    rf"(?:the |our |a )?{_TEAM_WORD} (?:of |for |called |named |de |des |von )?(?P<v>[A-Z]\w+(?: [A-Z]\w+){{0,2}})"
)
_DEPARTMENT: Final = re.compile(rf"(?:the |our )?(?P<v>{DEPARTMENTS})\b", re.IGNORECASE)
_NO_TEAM: Final = re.compile(r"\b(?:lunch|meeting|call|with me|customer|supplier)\b", re.IGNORECASE)
_JOB: Final = re.compile(
    rf"(?:(?:the|a|an|your|our|their|this|new|now|currently|working as|chief|former|one of the|only|full-time|part-time)\s+)*?"
    rf"(?:the |a |an |your |our |their |new )*"
    rf"(?P<v>(?:[\w&/'-]+ ){{0,4}}?(?:{JOB})\b(?:\s+(?:of|for|in charge of)\s+[\w& -]{{2,40}}?)?){_STOP}",
    re.IGNORECASE,
)
_JOB_LOOSE: Final = re.compile(
    rf"(?:the |a |an |your |our |their |new )*(?P<v>(?:[\w&/'-]+ ){{0,4}}?(?:{JOB})\b(?: of (?:the )?[\w&-]+(?: [\w&-]+)?)?)",
    re.IGNORECASE,
)
_JOB_ABROAD: Final = re.compile(
    rf"(?:(?:der|die|das|eine?|un|une|le|la|el|una|uno|um|uma|een|en|de|il|lo|jetzt|maintenant|ahora|adesso|agora|nu)\s+)*"
    rf"(?P<v>(?:[\w-]+ )?(?:{JOB_ABROAD})\b(?: (?:de|des|du|della?|der|für|im|in|do|da|van)(?: la| l')? ?[\w-]+(?: [\w-]+)?)?)",
    re.IGNORECASE,
)
_LOOSE: Final = re.compile(rf"(?P<v>[\w][\w &'\u2019/-]{{0,60}}?){_STOP}")
_LOWER_NAME: Final = re.compile(rf"(?P<v>[^\W\d_][\w'-]+(?: [^\W\d_][\w'-]+)?){_STOP}")
_NO_NAME: Final = word_set(
    "I I'm I've I'd My We Our You Your It The A An And But Please English German French Monday"
    " Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July"
    " August September October November December Ich Je Yo VAT CSV PDF"
)
_COMMON: Final = re.compile(
    rf"\b(?:{JOB}|{DEPARTMENTS}|team|role|house|home|office|job|work|company|flat|new|other|another|it|this|that|there"
    r"|here|in|the|an?|my|your|our|their|his|her|him|them|me|you|us|before|after|when|if|by|for|with|at|on|to|and|or|not|only|please"
    r"|afternoon|morning|evening|night|meeting|call|phone|mail|town|city|country|place|person|people|somebody|someone|charge|touch"
    r"|bed|holiday|vacation|school|university|college|customer|customers|client|clients|supplier|order|invoice|ticket|email|directly|late|early|soon|today|tomorrow)\b",
    re.IGNORECASE,
)
Find = Callable[[str], list[str]]


def a_name(rest: str) -> list[str]:
    """The proper name that the text begins with; in a text all in small letters, its first word."""
    start = _SKIP.match(rest)
    after = rest[start.end() :] if start else rest
    if found := PROPER.match(after):
        name = found[0].strip(" .-")
        return [name] if name not in _NO_NAME else []
    if found := _UNSPACED.match(after):
        return [found[0]]
    if rest == rest.lower() and (found := _LOWER_NAME.match(after)):
        return [] if _COMMON.search(found["v"]) else [found["v"]]
    return []


def names_in(text: str) -> list[str]:
    """All proper names of a text."""
    found = [re.sub(r"'s?$", "", match[0].strip(" .-")) for match in PROPER.finditer(text)]
    return [name for name in found if name not in _NO_NAME and not LANGUAGE.fullmatch(name)]


def a_quoted_name(rest: str) -> list[str]:
    """A name, in quotation marks or not."""
    return a_name(re.sub(r"[\"“”„«»']", "", rest))


def a_team(rest: str) -> list[str]:
    """A team's name: before or after the word team, or a usual department."""
    if _NO_TEAM.search(rest):
        return []
    after = rest.lstrip()
    for pattern in (_TEAM, _TEAM_OF):
        if (found := pattern.match(after)) and _is_team(found["v"]):
            return [found["v"].strip()]
    found = _DEPARTMENT.match(after)
    return [found["v"]] if found else []


def a_whole_team(value: str) -> list[str]:
    """A usual department, if the text is one and nothing else."""
    found = _DEPARTMENT.fullmatch(value.strip())
    return [found["v"]] if found else []


def _is_team(value: str) -> bool:
    words = value.lower().split()
    return bool(words) and words[-1] not in word_set(
        "the my a our this your same new old whole other another big small great good"
    )


def a_job(rest: str) -> list[str]:
    """A job, with what it is for."""
    after = rest.lstrip()
    after = re.sub(r"^(?:from [\w -]{2,30}? (?:to|into)|into|to) (?:the |an? )?", "", after)
    found = _JOB.match(after) or _JOB_LOOSE.match(after)
    return [found["v"].strip()] if found else []


def a_head(rest: str) -> list[str]:
    """What somebody leads, as the job of its head."""
    return [f"head of {value}" for value in anything(rest)]


def a_job_abroad(rest: str) -> list[str]:
    """A job in another language."""
    found = _JOB_ABROAD.match(rest.lstrip())
    return [found["v"].strip()] if found else a_job(rest)


def anything(rest: str) -> list[str]:
    """What stands up to the next clause."""
    after = re.sub(r"^\s*(?:(?:the|a|an|now|to|as|that of|into|from)\s+)*", "", rest)
    found = _LOOSE.match(after)
    return [found["v"].strip()] if found else []


def a_list(rest: str) -> list[str]:
    """What a user looks after: names, split at commas and "and"."""
    whole = re.split(
        r"[.;!?()]|\s(?:because|since|from now on|instead|until|so that|as well|too|now|again|these days"
        r"|at the moment|going forward|as you know|starting|for (?:the|now|us)|mittlerweile|jetzt|désormais|zuständig|verantwortlich|ahora|adesso|agora)\b|,\s+(?:so|as|but|which|who)\b",
        re.sub(
            r"^\s*(?:(?:now|also|both|all|still|currently|auch|aussi|también|anche)\s+)+",
            "",
            rest.strip(),
        ),
    )[0]
    parts = re.split(
        r",\s*(?:and\s+)?|\s+and(?: also)?\s+|\s+und\s+|\s+et\s+|\s+y\s+|\s+as well as\s+|\s+plus\s+",
        whole,
    )
    kept = [
        re.sub(
            r"^(?:the|our|all|now|also|die|den|das|le|la|les|el|los|las|du|compte|region|région|cuenta|cliente|klant|kunden|kunde)\s+",
            "",
            part.strip(),
            flags=re.I,
        )
        for part in parts
    ]
    return [part for part in kept if part and len(part) <= 60 and _worth(part)]


def _worth(part: str) -> bool:
    return part.lower() not in word_set(
        "it them this that everything things him her my own team myself the kids kids"
    )
