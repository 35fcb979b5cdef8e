"""What in an English clause says that a slot's value follows, or stands before."""

from collections.abc import Sequence
from typing import Final

from models.embedded.stating.cue import (
    ADV,
    AM,
    CARE,
    FIRM,
    HAVE,
    ME,
    NAME,
    PLACE,
    ROLE,
    TEAM,
    Cue,
    cue,
)
from models.embedded.stating.lexicon import DEPARTMENTS
from models.embedded.stating.values import (
    a_head,
    a_job,
    a_list,
    a_name,
    a_quoted_name,
    a_team,
    a_whole_team,
    anything,
)

_NAMES: Final = (
    cue(
        NAME,
        r"\bmy (?:(?:preferred|full|real|actual|first|given|new|married|legal|own) )*(?:name|nickname)"
        r"(?: is| has changed to| changed to|'s|:)(?: now| actually| really)?",
        a_quoted_name,
    ),
    cue(
        NAME,
        r"\b(?<!never )(?<!don't )(?<!not )(?:call me|calls me|calling me|call me just|address me as|refer to me as|know me as|greet me as"
        r"|knows me as|calls? me by|I am called|I'm called|be called|been called|called me|be addressed as|going by|go by|goes by"
        r"|I answer to|I'm known as|I am known as|introduce myself as|sign (?:off )?as|use the name)"
        r"(?: just| simply| by| the name)*",
        a_quoted_name,
    ),
    cue(NAME, r"^(?:my )?(?:nick)?name(?:'s|:| is)", a_quoted_name),
    cue(
        NAME,
        r"\b(?:it's|it is|that's|make it|make that|just) (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?),? (?:now,? )?(?:not|rather than|instead of|never) [A-Z]",
        a_quoted_name,
    ),
    cue(
        NAME,
        r"\bchanged my (?:\w+ )?name,? (?:to|it's(?: now)?|so it's(?: now)?|I'm(?: now)?)\b",
        a_quoted_name,
    ),
    cue(
        NAME,
        r"^(?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?: will do| works(?: for me)?| here|, please| is how I sign| is plenty| is what I go by)\b",
        a_quoted_name,
    ),
    cue(
        NAME,
        r"\b(?:use|stick with|stick to|go with|put) (?:the name )?(?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?= (?:when|for me|as my name|please|if|from now|in (?:your|mails|messages)|instead)|[.,!]|$)",
        a_quoted_name,
    ),
    cue(NAME, r"^I(?:'ve| have) always been (?=[A-Z])", a_quoted_name),
    cue(
        NAME,
        r"^(?:I am|I'm|this is)(?= [A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2},? (?:by the way|btw|here|now|not)\b)",
        a_quoted_name,
    ),
    cue(NAME, r"^(?:just |plain )(?=\w+ (?:is|will|works|would))", a_quoted_name),
    cue(
        NAME,
        r"^(?:hi |hello )?(?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?:is my (?:name|nickname|preferred name)|is what (?:everyone|people|my friends|they)"
        r"|is (?:fine|good|enough) (?:for me|with me)|is how I (?:like|want|prefer) to be)",
        a_quoted_name,
    ),
    cue(NAME, r"^(?:I am|I'm|Im|this is)(?= [A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}[.,!]?$)", a_name),
)
_HOME: Final = (
    r"(?:home|house|flat|apartment|place|residence|base|home base|city|hometown|home town|location"
    r"|home office|home city|address|current city|permanent home|new home|main base|whereabouts)"
)
_PLACES: Final = (
    cue(PLACE, rf"{ME}{ADV}(?: do)? (?:live|reside|dwell|stay|lodge|live and work|make my home|have my home|keep a home)(?: and work)?{ADV} (?:in|at|near|outside|just outside|out in|over in|up in|down in)\b", a_name),
    cue(PLACE, rf"{AM}{ADV} (?:living|residing|based|located|settled|staying|situated|domiciled|stationed|resident|at home|headquartered|rooted)(?: out| up| down| over| mostly)?{ADV} (?:in|at|out of|near|from|outside)\b", a_name),
    cue(PLACE, rf"{HAVE} (?:moved|relocated|settled|resettled|shifted|decamped|transplanted|migrated|emigrated|moved house|returned|gone|come)(?: house| home| back| away| over| down| up| permanently| across| myself| my family| the family| out)*{ADV} (?:from (?:\w+ ){{1,3}})?(?:to|in|into)\b", a_name),
    cue(PLACE, rf"{ME}{ADV} (?:work|am working|operate|work remotely|telework)(?: remotely| mostly)?{ADV} (?:from|out of)\b", a_name),
    cue(PLACE, rf"\b(?:my|our)(?: \w+)? {_HOME}(?: city| town| office)?(?: is| has moved to| moved to|'s)(?: now| still| currently)?(?: in| at)?\b", a_name),
    cue(PLACE, r"^(?:nowadays |these days )?home(?: for me| base)?(?: is|'s)(?: now| still| currently)?(?: in)?\b", a_name),
    cue(PLACE, r"^(?P<v>[A-Z].{1,40}?)(?: is|'s)(?: now| still| once again| again)? (?:where (?:I|we) (?:live|am|'m|are|work from|reside|am based)|where I'm (?:based|living)|where my home is|(?:my|our) (?:\w+ )?(?:home|base|city|hometown|place of residence)|home)\b", a_name),
    cue(PLACE, rf"(?:{AM}|\b(?:I|we) now am){ADV} (?:in|at|over in|down in|up in)(?! the| a| an| my| charge| touch| meeting| love)\b(?=.*\b(?:now|these days|again|nowadays|for good|permanently|since|back)\b)", a_name),
    cue(PLACE, rf"{AM}(?: now)? back (?:home )?in\b", a_name),
    cue(PLACE, rf"{AM}(?: now| currently)? (?:in)(?= [A-Z][\w-]+(?: [A-Z][\w-]+)?[.!]?$)", a_name),
    cue(PLACE, rf"{ME}(?:'ve| have)? (?:made|call|called|swapped [\w ]+ for|traded [\w ]+ for|picked|chose|chosen)(?: home)?(?: (?=[A-Z]))(?=.*\bhome\b|.*\bfor\b)", a_name),
    cue(PLACE, rf"{ME}(?:'ve| have)? swapped [\w ]+ for\b", a_name),
    cue(PLACE, rf"{ME}(?:'ve| have)? (?:ended up|landed|spend my \w+(?: \w+)?|spend most of my time|write|am writing|'m writing|sit|have my desk|have an office|sleep|rent|rent a (?:flat|place)|own a (?:house|flat))(?: mostly| now)? (?:in|from|at)(?= [A-Z])", a_name),
    cue(PLACE, rf"{AM} (?:writing|calling|dialling in|working|speaking|joining)(?: mostly| remotely)? (?:in|from|out of)(?= [A-Z])", a_name),
    cue(PLACE, rf"{AM}{ADV}(?: an?)? (?P<v>[A-Z][\w-]+?)(?:[ -]based| person| resident| local| dweller| girl| boy| guy)\b", a_name),
    cue(PLACE, r"^(?P<v>[A-Z][\w]+)(?:[ -]based)\b", a_name),
    cue(PLACE, r"\b(?:you'll find me|you can find me|find me|catch me|reach me|visit me)(?: \w+)? in\b", a_name),
    cue(PLACE, r"^(?:it's|it is|that's|now it's)(?= [A-Z]\w+ (?:now|these days|again))", a_name),
    cue(PLACE, r"^(?P<v>[A-Z]\w+) (?:it is|now)$", a_name),
    cue(PLACE, rf"{AM}(?: now| still)?(?: up| down| over| out)? (?:in|at) (?:our |the )?(?P<v>[A-Z]\w+) (?:office|branch|site|plant|headquarters|hub)\b", a_name),
    cue(PLACE, rf"{AM}(?: now| still| currently| back| mostly)*(?: up| down| over| out)? in(?= [A-Z]\w+(?: [A-Z]\w+)?(?:,| by the way| btw| these days| now| and )|(?= [A-Z]\w+(?: [A-Z]\w+)?$))", a_name),
    cue(PLACE, rf"{ME} (?:have )?(?:left|moved away from|moved out of|moved away)(?: from)?\b", a_name, ended=True),
    cue(PLACE, rf"{ME} (?:lived|was living|resided|was based|were based) in\b", a_name, past=True),
)  # fmt: skip
_BECAME: Final = (
    r"(?:became|become|been (?:promoted|made|appointed|named|hired as|moved|bumped up|upgraded)|was (?:promoted|made|appointed|named)"
    r"|got promoted|promoted|switched|moved (?:up |over |on |across )?(?:in)?|stepped (?:up |down )?(?:in)?|taken over|took over"
    r"|started(?: out)?|got the job|taken the job|taken (?:up )?the (?:role|post|position|job)|took (?:up |on )?the (?:role|post|position|job)"
    r"|accepted the (?:role|post|position|job)|got a (?:new )?job|changed(?: over)?|gone (?:back )?|returned|transitioned|retrained|qualified|advanced|risen|progressed|demoted)"
)
_ROLES: Final = (
    cue(ROLE, rf"{ME}{ADV} (?:work|am working|'m working|serve|am serving|'m serving|act|am acting|'m acting|operate|am employed|'m employed|earn my living|am hired|function)(?: here)?{ADV} as\b", a_job),
    cue(ROLE, rf"{AM}{ADV} (?:working|serving|acting|employed|hired|engaged|back)(?: here)?{ADV} as\b", a_job),
    cue(ROLE, rf"{HAVE} {_BECAME}(?: to be| to| into| as| of| from [\w ]+ to)*\b", a_job),
    cue(ROLE, r"\bthey(?:'ve| have)?(?: just)? (?:made|promoted|appointed|named) me(?: to)?\b", a_job),
    cue(ROLE, r"\bmy (?:(?:new|current|official|actual|present|main|day|full|exact|old)? ?)?(?:job title|role|job|title|position|function|post|occupation|profession|day job|work|business card)(?: here| at work| now)?(?: is| has changed to| changed to| became| says| reads| has become|'s)(?: now| currently| that of| still| officially| to be)*\b", anything),
    cue(ROLE, rf"(?:{AM}|\bI'm){ADV}(?= (?:the |an? |your |our |their )?)", a_job),
    cue(ROLE, rf"{ME}{ADV} (?:lead|head|head up|run|direct|oversee|am heading|'m heading|am leading|'m leading|am running|'m running)(?: up)?(?= (?:the |our |all of )?(?:\w+ )?(?:{DEPARTMENTS})\b)", a_head),
    cue(ROLE, r"^(?:speaking )?as (?=(?:the|an?|your) )", a_job),
    cue(ROLE, r"\b(?:my )?(?:job title|title|role|position|business card|badge|contract)(?: now)?(?:'s|:| now says| says| reads| now reads| now is)(?: now)?", a_job),
    cue(ROLE, rf"{AM} by (?:trade|profession|training)(?: an?)?\b", a_job),
    cue(ROLE, r"^(?:hi,? |hello,? |hey,? )?(?P<v>[\w -]{3,40}?) here\b", a_job),
    cue(ROLE, r"^I (?:became|got promoted to|was made|was promoted to)\b", a_job),
    cue(ROLE, r"^(?:the |a )?(?P<v>[\w -]{3,40}?) is (?:my (?:job|role|title|position|profession|new role|current role|job title|occupation)|what I do(?: for a living)?)\b", a_job),
    cue(ROLE, r"\bI (?:was|used to be|used to work as|worked as)\b", a_job, past=True),
)  # fmt: skip
_TEAMS: Final = (
    cue(TEAM, rf"(?:{AM}|{ME}){ADV} (?:sit|work|working|sitting|based|placed|in|on|with|part of|a part of|belong|belonging|a member of|one of|member of|assigned|attached|allocated|helping|back|serve|serving|now)(?: in| on| with| for| to| at| within| inside| the members of)*\b", a_team),
    cue(TEAM, rf"{HAVE} (?:joined|rejoined|moved|been moved|transferred|been transferred|switched|been switched|been assigned|been reassigned|reassigned|returned|gone|come|shifted|been placed|rotated|been rotated|changed|swapped|crossed|landed|been seconded|ended up|been put)(?: over| back| across| teams| departments| sideways| internally)*(?: from (?:the )?[\w ]{{2,30}}?)?(?: to| into| in| on| with| within)?\b", a_team),
    cue(TEAM, r"\bmy (?:(?:new|current|own|home|present|actual) )?(?:team|department|squad|unit|group|division|dept)(?: at work)?(?: is| has changed to| changed to|'s)(?: now| called| still| currently)*(?: the)?\b", anything),
    cue(TEAM, r"^(?:the )?(?P<v>[\w& -]{2,40}?)(?: team| department| squad| group)? is (?:now )?(?:my|our) (?:new |current |home )?(?:team|department|squad|unit|group|division)\b", anything),
    cue(TEAM, rf"{AM}{ADV} (?:over |up |down )?(?:in|with|on) (?:team|squad) (?P<v>[A-Z]\w+)", anything),
    cue(TEAM, rf"{AM}(?: now| still)? (?P<v>[\w ]{{2,20}}?)$", a_whole_team),
    cue(TEAM, r"^(?:the )?(?P<v>[\w& -]{2,40}?(?: team| department)) is (?:now )?where I (?:work|sit|am|belong)\b", a_team),
    cue(TEAM, rf"{ME}(?:'ve| have)?(?: now| just| recently)? (?:left|quit|moved off|come off|rotated off|rotated out of|moved out of)\b", a_team, ended=True),
)  # fmt: skip
_FIRMS: Final = (
    cue(FIRM, rf"{ME}{ADV} (?:work|am working|'m working|freelance|am employed|am under contract){ADV} (?:for|at|with)\b", a_name),
    cue(FIRM, rf"{AM}{ADV} (?:employed|hired|working|under contract|on the payroll|contracted|engaged|on staff)(?: now)? (?:by|at|for|with|of)\b", a_name),
    cue(FIRM, rf"{AM}{ADV} (?:with|at)(?= [A-Z])", a_name),
    cue(FIRM, rf"{HAVE} (?:joined|rejoined|started(?: work| working| a new job| a job| my new job| out)?(?: at| with| for)|signed(?: on| up)?(?: with| for)|taken a (?:new )?job (?:at|with)|took a (?:new )?job (?:at|with)|got(?:ten)? a (?:new )?job (?:at|with)|been hired by|got hired by|was hired by|gone to work for|gone back to(?: work(?:ing)? (?:at|for))?|went back to(?: work(?:ing)? (?:at|for))?|returned to(?: work(?:ing)? (?:at|for))?|come back to|switched to|moved (?:over |across |on )?to|changed (?:jobs |employers? |companies )?(?:to|and now work (?:for|at))|begun (?:work |working )?(?:at|with|for)|began (?:work |working )?(?:at|with|for)|accepted (?:a job|an offer) (?:at|from|with))\b", a_name),
    cue(FIRM, rf"{ME}(?:'ve| have)?(?: just| now| recently)? (?:taken|took|accepted|got|landed|found|started|begun) (?:a |an |my |the )?(?:new )?(?:\w+ )?(?:position|job|post|role|contract|work) (?:at|with|for)\b", a_name),
    cue(FIRM, r"^(?P<v>[A-Z].{1,40}?)(?: now)? pays me\b", a_name),
    cue(FIRM, rf"{HAVE} (?:moved|switched|gone|jumped|changed|transferred)(?: over| ship| jobs| companies)? from (?:[A-Z][\w&]+ ?){{1,3}} to\b", a_name),
    cue(FIRM, rf"{AM}(?: now)? back (?:at|with|working for|working at)\b", a_name),
    cue(FIRM, r"\b(?:my|our) (?:(?:new|current|present|actual) )?(?:employer|company|firm|workplace|organi[sz]ation|place of work|boss company|job is (?:at|with))(?: is| has changed to| changed to|'s)?(?: now| still| called| currently)*\b", a_name),
    cue(FIRM, r"^(?P<v>[A-Z].{1,40}?) (?:is (?:now |still |once again )?(?:my (?:new |current )?(?:employer|company|workplace)|where I work|the company I work for|who I work for|the firm I work for)|pays my (?:salary|wages)|(?:has |have )?(?:hired|employs|employed|rehired|signed|took) me)\b", a_name),
    cue(FIRM, rf"{ME}(?:'ve| have)?(?: now| just| recently| finally)? (?:left|quit|resigned from|departed(?: from)?|handed in my notice at|stopped working (?:for|at)|been laid off (?:by|from)|was laid off (?:by|from)|got laid off (?:by|from)|parted ways with|finished (?:up )?at)\b", a_name, ended=True),
    cue(FIRM, rf"{ME} (?:no longer|don't|do not|used to) work (?:for|at|with)\b", a_name, ended=True),
    cue(FIRM, rf"{ME} (?:worked|was working|was employed|was)(?: for| at| by| with)\b", a_name, past=True),
)  # fmt: skip
_CARES: Final = (
    cue(CARE, rf"(?:{AM}|{ME}){ADV} (?:the one |the person )?(?:responsible for|in charge of|accountable for|looking after|taking care of|handling|covering|managing|overseeing|assigned to|the (?:account manager|contact|lead|owner|go-to person|point of contact|one) (?:for|on|looking after|handling|covering)|the owner of|account manager for|contact for|caring for|on top of|dealing with|running|serving)\b", a_list),
    cue(CARE, rf"{ME}{ADV} (?:look after|handle|take care of|cover|oversee|own|serve|care for|deal with|service|watch over|hold|keep an eye on|do(?= [A-Z]))(?! it| that| this| my own)\b", a_list),
    cue(CARE, rf"{ME}{ADV} (?:manage|run)(?= (?:the )?(?:[A-Z]|\w+ (?:account|region|market|customer|client)))", a_list),
    cue(CARE, rf"{HAVE} (?:taken on|taken over|took on|took over|picked up|been given|was given|inherited|been assigned|was assigned|been handed|was handed|been put in charge of|was put in charge of|added|been made responsible for|become responsible for|assumed responsibility for|gained)(?: responsibility for)?(?= .*\b(?:account|region|market|customer|client|territory|portfolio|too|as well|also|over|on)\b|(?= (?:the )?[A-Z]))", a_list),
    cue(CARE, r"\b(?:my|our) (?:(?:main|key|new|current|own|biggest) )?(?:customers?|accounts?|clients?|regions?|territor(?:y|ies)|portfolio|patch|markets?|area|areas|responsibilit(?:y|ies)|product lines?|products?|remit|beat)(?: now)? (?:is|are|include|includes|covers?|consists? of|comprises?)(?: now| currently)?\b", a_list),
    cue(CARE, r"^(?P<v>.{2,60}?)(?:'s| is| are)(?: also| now)* (?:one of (?:mine|my (?:accounts|customers|clients))|with me|on my (?:desk|plate|list|books))\b", a_list),
    cue(CARE, r"^(?P<v>.{2,60}?)(?: now)? (?:(?:has been |was |got |been )?(?:added to my|moved to my|assigned to me|given to me|handed to me|passed to me)|belongs to me|landed on my desk|comes under me|falls (?:under|to) me|sits with me)\b", a_list),
    cue(CARE, r"^(?P<v>.{2,60}?)'s? account is (?:with me|mine|on my desk)\b", a_list),
    cue(CARE, r"\bthey(?:'ve| have)?(?: also| just)? (?:gave|given|assigned|handed|passed) me\b", a_list),
    cue(CARE, rf"{AM}{ADV} (?:the |an? )?(?:account manager|key account manager|contact|lead|contact person|owner|person) (?:of|for|at|responsible for|in charge of|to ask about)\b", a_list),
    cue(CARE, r"^(?P<v>.{2,60}?) (?:is|are|has been|have been)(?: also| now| both| all| still| back)* (?:my (?:own |new |main )?(?:\w+ )?(?:account|accounts|customers?|clients?|responsibility|responsibilities|region|market|territory|job to look after|concern|turf|patch|baby|remit|product)|mine(?: again| now| too| as well| to look after)?|in my (?:hands|care|portfolio|remit|charge)|under my (?:care|responsibility|wing)|on my (?:plate|desk|list)|assigned to me)\b", a_list),
    cue(CARE, rf"{ME}(?:'ve| have)?(?: now| just| since)? (?:handed over|handed off|given up|gave up|passed on|passed|let go of|stopped (?:looking after|handling|covering|managing)|dropped|lost|transferred|relinquished|stepped back from)\b", a_list, ended=True),
    cue(CARE, r"^(?P<v>.{2,60}?) (?:is|are) (?:no longer|not) (?:mine|my (?:account|customer|client|responsibility|region|market|job))\b", a_list, ended=True),
)  # fmt: skip
CUES: Final[Sequence[Cue]] = (
    *_NAMES,
    *_PLACES,
    *_ROLES,
    *_TEAMS,
    *_FIRMS,
    *_CARES,
)
