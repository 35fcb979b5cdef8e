"""Rarer English cues: labels, corrections, who somebody is in passing."""

from collections.abc import Sequence
from typing import Final

from models.embedded.stating.cue import AM, CARE, FIRM, HAVE, ME, NAME, PLACE, ROLE, TEAM, Cue, cue
from models.embedded.stating.values import (
    a_job,
    a_list,
    a_name,
    a_quoted_name,
    a_team,
    a_whole_team,
    anything,
)

CUES_IN_PASSING: Final[Sequence[Cue]] = (
    cue(
        NAME,
        r"^(?:I'm|I am|this is)(?= [A-Z][\w'-]+(?: [A-Z][\w'-]+)?, (?:an?|the|your) )",
        a_name,
    ),
    cue(
        FIRM,
        rf"{HAVE}(?: been)? (?:worked|working|freelanced|employed) (?:for|at|with|by)\b",
        a_name,
    ),
    cue(FIRM, rf"{AM} an? (?:employee|worker) (?:of|at)\b", a_name),
    cue(
        FIRM,
        r"\bthe (?:company|firm) (?:I work (?:for|at)|that employs me|that pays me) is\b",
        a_name,
    ),
    cue(
        PLACE,
        rf"{HAVE}(?: been)? (?:lived|worked|working|living|resided|stayed|based|been) in(?= [A-Z])",
        a_name,
    ),
    cue(
        PLACE,
        rf"{ME} (?:was|were|got)(?: just)? (?:moved|transferred|relocated) (?:over )?to(?= [A-Z])",
        a_name,
    ),
    cue(
        TEAM,
        rf"{ME} (?:was|were|got|have been)(?: just)? (?:moved|transferred|reassigned|switched|assigned) (?:over )?(?:in)?to\b",
        a_team,
    ),
    cue(
        ROLE,
        rf"{ME} (?:was|were|got)(?: just)? (?:moved|promoted|switched) (?:up )?(?:in)?to\b",
        a_job,
    ),
    cue(
        ROLE,
        rf"{ME}(?:'ve| have)? (?:do|hold|got|have|had|fill|took|taken) (?:the )?(?:job|position|post|role|title)? ?(?:of )?(?=(?:an? |the )?[\w ]+$)",
        a_job,
    ),
    cue(ROLE, r"\bmy (?:role|job|title|position)(?:'s| has)? changed(?: to|:)", a_job),
    cue(
        CARE,
        rf"{HAVE} (?:looked after|handled|covered|managed|owned|overseen|taken care of|served)\b",
        a_list,
    ),
    cue(
        CARE,
        rf"{ME}(?:'ve)?(?: also)? (?:have|got)(?: also)?(?= [A-Z][\w&]+(?: [A-Z][\w&]+)*(?: too| as well| now)?$)",
        a_list,
    ),
    cue(
        CARE,
        r"\b(?:handed|gave|passed|assigned|transferred) (?P<v>[A-Z].{1,40}?) (?:over )?to me\b",
        a_list,
    ),
    cue(
        CARE,
        r"\b(?:add|put) (?P<v>[A-Z].{1,40}?) (?:to|on) my (?:customers|accounts|list|clients|portfolio|regions)\b",
        a_list,
    ),
    cue(
        NAME,
        r"^I(?:'d)? prefer(?: just| being)?(?= [A-Z][\w'-]+(?: (?:to|over) [A-Z]\w+)?$)",
        a_name,
    ),
    cue(NAME, r"^(?:I'm|I am|this is)(?= [A-Z][\w'-]+ from )", a_name),
    cue(NAME, r"^(?P<v>[A-Z][\w'-]+) speaking\b", a_name),
    cue(TEAM, r"^(?:I'm|I am|this is) [A-Z][\w'-]+ from\b", a_team),
    cue(TEAM, r"^(?P<v>[\w& ]{2,30}? (?:team|department)) (?:here|speaking)\b", a_team),
    cue(TEAM, rf"{HAVE}? ?(?:started|begun|handle \w+|work|do \w+) (?:in|for|with)\b", a_team),
    cue(
        FIRM, r"^as an? (?:employee|worker|member of staff|buyer|manager) (?:of|at|with)\b", a_name
    ),
    cue(FIRM, r"^we at\b", a_name),
    cue(FIRM, r"\bon behalf of\b(?=.*\bwhere I work\b)", a_name),
    cue(ROLE, r"^being (?=(?:the|an?) )", a_job),
    cue(
        CARE,
        r"^all (?:questions|calls|matters|requests) (?:on|about|for|of|from)\b(?=.*\bto me\b)",
        a_name,
    ),
    cue(NAME, r"^(?:my )?new name(?: for me)?(?::| is| -)", a_quoted_name),
    cue(
        PLACE,
        r"^(?:my )?new (?:home|city|address|location|base)(?: for me)?(?::| is| -)(?: in)?",
        a_name,
    ),
    cue(ROLE, r"^(?:my )?(?:new )?(?:role|job|position|title)(?: for me)?(?::| -)", a_job),
    cue(TEAM, r"^(?:my )?(?:new )?(?:team|department|squad)(?: for me)?(?::| -)", anything),
    cue(FIRM, r"^(?:my )?(?:new )?(?:employer|company|firm)(?: for me)?(?::| -)", a_name),
    cue(
        ROLE,
        r"\bthey(?:'ve| have)?(?: just)? moved me(?: up| over)?(?: from [\w ]+?)? to\b",
        a_job,
    ),
    cue(
        ROLE,
        r"\bmy (?:title|role|job|position) (?:was|has been|got) (?:upgraded|changed|bumped(?: up)?|raised|updated) to\b",
        a_job,
    ),
    cue(ROLE, rf"{ME} (?:went|'ve gone|have gone) back to being\b", a_job),
    cue(TEAM, rf"{ME}(?:'ve| have)? (?:traded|swapped|exchanged) [\w ]+ for\b", a_whole_team),
    cue(FIRM, r"\bmy contract is (?:now )?with\b", a_name),
    cue(
        FIRM,
        rf"{ME}(?: now)? (?:draw|get|receive|earn) my (?:salary|pay|wages|payslip|money) (?:from|at)\b",
        a_name,
    ),
    cue(CARE, r"^(?P<v>.{2,40}?)(?: has)? moved to me\b", a_list),
    cue(CARE, r"^(?P<v>.{2,40}?) is back with me\b", a_list),
    cue(CARE, rf"{ME}(?:'ve| have) got (?P<v>[A-Z].{{1,40}}?)(?: now| too| as well)\b", a_list),
    cue(NAME, r"\bI meant (?=[A-Z])", a_name),
)
