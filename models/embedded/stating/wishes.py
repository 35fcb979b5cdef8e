"""How users want to be served: language, format of reports, mail, standing instructions."""

import re
from typing import Final

from models.embedded.patterns import EMAIL, identifiers
from models.embedded.stating.clauses import Clause
from models.embedded.stating.lexicon import FORMAT, LANGUAGE, one_language

_LASTING: Final = re.compile(
    r"\b(?:from now on|from today|from here on|going forward|in future|in the future|as a rule|by default|always|never|every time"
    r"|each time|whenever|every (?:day|week|month|morning|friday|monday|report|answer|mail|time)|any ?time|at all times|without exception"
    r"|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|weekends)|rather than|instead of|make it a rule|remember (?:to|that)"
    r"|keep in mind|for the record|please note|don't ever|do not ever|ab jetzt|ab sofort|in Zukunft|künftig|immer|niemals?|grundsätzlich"
    r"|toujours|jamais|désormais|à l'avenir|dorénavant|siempre|nunca|de ahora en adelante|a partir de ahora|sempre|mai|d'ora in poi"
    r"|a partir de agora|altijd|nooit|voortaan|vanaf nu|alltid|aldrig)\b",
    re.IGNORECASE,
)
_ONCE: Final = re.compile(
    r"\b(?:just (?:this once|today|for today|this time|this one)|only (?:today|this time|this once|for today)|for once|this time|for today|right now|for this one"
    r"|once only|one[- ]off|this one|today only|for the moment|this (?:list|report|invoice|order|ticket|letter|mail|message|document|file|table))\b",
    re.IGNORECASE,
)
_SPEAK: Final = re.compile(
    r"\b(?:answer\w*|repl(?:y|ies)|respon[ds]\w*|write|writing|speak|talk|switch|use|using|continue|carry on|go back|stick|prefer\w*|rather"
    r"|want|need|like|language|address|communicate|keep|stay|back to|messages?|explain|antwort\w*|schreib\w*|sprich|sprechen|rede|réponds?|répondez|répondre|réponses?"
    r"|parle\w*|écri\w*|responde\w*|respóndeme|contesta\w*|habla\w*|háblame|escrib\w*|escríbeme|respuestas|rispond\w*|risposte|scriv\w*|parl\w*"
    r"|responda|fale|escreva|respostas|antwoord\w*|schrijf|praat|svar\w*|skriv|preferisco|prefiero|préfère|bevorzuge|prefiro|liever|lieber|hellere|hellre"
    r"|回答|答え|说|話)",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"(?:(?:bitte|por favor|per favore|s'il te plaît|graag|and|so|then|now|ok|back|please|just|only|always|all|everything) ?)*(?:could we |can we |let's |we )?(?:do (?:(?:this|it|that|everything) )?|have (?:this|it|everything) )?(?:in |auf |en |in het |em |på )?(?:an? )?X(?: tables?)?(?:(?: |, ?)(?:please|from now on|only|always|again|now|instead|for me|going forward|bitte|s'il (?:te|vous) plaît|por favor|per favore|graag|tack|thanks|if possible|then|it is|this time|for all (?:of )?(?:my |the )?reports|for reports|works? best(?: for me)?|for everything|as (?:always|usual)))*",
    re.IGNORECASE,
)
_NOT_MINE: Final = re.compile(
    r"\b(?:translat\w*|customers?|clients?|learn\w*|class(?:es)?|course|lessons|invoice|letter|contract|document|version|speaks|colleague|boss|studied|studying"
    r"|suppliers?|vendors?|caller|they|them|he|she|his|her|their|manual|website|film|movie|book|novel|food|wine|kunden?|client|cliente)\b",
    re.IGNORECASE,
)
OLD: Final = re.compile(
    r"\b(?:no|not(?: in| as)?|instead of|rather than|no more|no longer(?: in| as)?|any ?more|over|statt|au lieu d[eu]|en vez de|invece di|from)\s+(?:an? |the |in |as )*[\w-]+(?: [\w-]+(?=[,.]|$))?",
    re.IGNORECASE,
)
_FIGURES: Final = re.compile(
    r"\b(?:reports?|reporting|figures|numbers|data|results?|statistics|stats|summaries|summary|overviews?|lists?|exports?|everything|output|answers?|breakdowns?|totals|analyses|analysis"
    r"|findings|updates|information|Berichte?n?|Zahlen|Auswertungen|rapports?|chiffres|données|résultats|informes?|reportes?|cifras|datos|rapporti?|report|dati|cifre|relatórios?|dados|números"
    r"|rapporten|cijfers|gegevens|rapporter|siffror|listings?|them|metrics|kpis?|sales figures)\b",
    re.IGNORECASE,
)
_ONE_SHOT: Final = re.compile(
    r"\b(?:of|for) (?:last|this|that|today|yesterday|the (?:meeting|customer|client|board|call))\b",
    re.IGNORECASE,
)
_LIKES: Final = re.compile(
    r"\b(?:I(?:'d| would|'ll)?(?: now| still| always| also| really| much)* (?:prefer|like|rather|want|need|love|favou?r|find|read|work (?:best|better))|I'm (?:a fan|more of a)|my (?:preferred|favou?rite|usual) (?:report )?format"
    r"|works? best for me|(?:is|are) better|only read|prefer\w*|suits? me|easier for me|are best|is best|bevorzuge|lieber|préfère|prefiero|preferisco|prefiro|liever|hellre)\b",
    re.IGNORECASE,
)
_SHOW: Final = re.compile(
    r"\b(?:show|give|send|put|present|format|deliver|export|provide|make|use|want|need|prefer|like|display|render|lay|have|see|get|back to|again|switch|stick|go|change|attach|produce|supply|prepare|zeig\w*|schick\w*|send\w*|gib|montre\w*|envo\w*"
    r"|voglio|vorrei|quero|quiero|will|möchte|hätte|veux|voudrais|wil|vill|bitte|donne\w*|muestra\w*|muéstrame|env[ií]a\w*|dame|mostra\w*|manda\w*|invia\w*|mostre|envie|stuur|toon|geef|visa|skicka|ge)",
    re.IGNORECASE,
)
_OWN_MAIL: Final = re.compile(
    r"\b(?:my|me|mine|I|I'm|I've|I'd|use|switch|update|mich|mir|meine?|ich|moi|mon|m'|je|mi|mío|io|miei?|escríbeme|envíame|scrivimi|meu|minha|mim|mijn|ik|mij|min|mig|contact)\b"
    r"|(?:écri\w*|contacte\w*|envo\w*)-moi|scrivimi|escríbeme|我的|私の",
    re.IGNORECASE,
)
_ALL_MAIL: Final = re.compile(
    r"\b(?:send|direct|address|route|deliver) (?:all |any |the )?(?:mails?|e-?mails?|everything|messages|post|replies|notifications|correspondence|things|stuff|copies)\b",
    re.IGNORECASE,
)
_OTHERS_MAIL: Final = re.compile(
    r"(?:\w's|s') (?:new |work |private )?(?:e-?mail|mail|address|inbox|contact)|\b(?:forward|customers?|clients?|supplier|colleague|boss|cc|copy|his|her|their|assistant|wife|husband|send (?:this|that|the|it) (?:\w+ )?to(?! me)|tell|invite|remind|write (?:to )?(?!me)\w+ (?:at|under))\b",
    re.IGNORECASE,
)
_MANNER: Final = re.compile(
    r"^(?:please |kindly |bitte |s'il te plaît,? |por favor,? |per favore,? |and |also )*(?:"
    r"(?:do not|don't|never|avoid|no need to|skip|leave out|leave off|keep (?:it|your|the|all|my|answers?|replies|things|responses|reminders|messages|mails)|be (?:brief|concise|short|direct|blunt|formal|informal|polite|quick)"
    r"|start with|begin with|lead with|end with|round|spell out|check with me|ask me (?:before|first|one)|ask (?:before|first)|confirm with me|warn me|alert me|double[- ]check|abbreviate|explain your|call me (?:in|after|before|only|on)|use (?:\w+ ){0,2}(?:names|clock|format|units|currency|tone|language|words|dates|decimals|euros|dollars|style)"
    r"|sé |sois |sei |seja |no me |ne me |ruf\w*|fasse\w*|bleib|halte|runde|zeige|nenne|antworte|arrondi\w*|redonde\w*|arrotonda\w*|rispondi|responde|réponds|demande\w*|pregunta\w*|chiedi\w*|vraag|geen |houd |gardez?|reste[zs]?)\b"
    r"|(?:write|show|put|give|quote|include|mention|add|sort|group|list|state|express|format|display|copy|cc|send|attach|phrase|label|highlight|mark|number|sign|address|limit|hold|remind) (?:me |up |out |all |the |my |any |your |big |large )*"
    r"(?:prices|amounts|sums|dates|times|totals?|names|bad news|summaries|reports|invoices by|invoices (?:oldest|newest)|units|currenc\w+|sources|my assistant|assistant|mails|e-?mails|numbers|figures|tickets (?:by|oldest|newest)|due dates?|customers by|ids)\b)"
    r"|^(?:the |all |my |any )*(?:amounts?|prices?|dates?|times?|totals?|figures|numbers|names|invoices|tickets|reports|answers|replies|mails|reminders|bad news|summaries|customers|refunds|boss|assistant|units|currency|the PO number|\w+ number)\b.* (?:should|must|need to|needs to|has to|have to|ought to)\b"
    r"|^when(?:ever)? you\b|^(?:don't|do not|never) .*\b(?:unless|until|before|without)\b"
    r"|^(?:no |only )(?:emojis?|jargon|small talk|abbreviations|calls|mails|attachments|greetings?|exclamation\w*|surprises|phone calls|weekend\w*|bullet\w*)\b"
    r"|^(?:two|three|four|zero|no|\d) (?:decimals?|decimal places)|^(?:totals?|amounts|dates|prices|bad news|figures|numbers|names) (?:first|at the top|at the end|in|with|without|as)\b"
    r"|^(?:the )?(?:shorter|briefer|longer|more detailed?|less \w+)\b.* the better|^(?:nothing|no \w+) (?:goes|should go|leaves|gets sent|is sent|may go) out\b",
    re.IGNORECASE,
)
_TASK: Final = re.compile(
    r"\b(?:invoice|order|ticket|customer|report|mail|letter|refund|credit note|reminder|shipment|delivery|document|file|list|figures?|meeting|entry|address) (?:of|for|from|to|about|on|number|above|below|that|which|we)\b"
    r"|\b(?:this|that|these|those|his|her|their|today|tomorrow|tonight|now|q[1-4]|yesterday)\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(
    r"^(?:please |actually )?(?:you )?(?:no longer (?:need|have)|(?:don't|do not|needn't|need not) (?:need|have) to|needn't|no need|stop (?=\w+ing\b)|quit (?=\w+ing\b)|forget (?:about |the rule )|scrap the rule|there's no need"
    r"|I (?:no longer|don't|do not) (?:want|need|care|mind|insist|require)\b.*(?:any ?more|any longer)|I no longer (?:want|need|prefer|like))",
    re.IGNORECASE,
)
_ALWAYS: Final = re.compile(
    r"(?:[\w']+,? ){0,2}(?:always|never|immer|niemals?|nie|toujours|ne \w+ jamais|siempre|nunca|sempre|mai|altijd|nooit|alltid|aldrig)\b|.*\b(?:should|must|to|please|want|need|may|can) (?:always|never)\b"
    r"|.*\b(?:always|every time|each time|immer|toujours|siempre|sempre|altijd)[.!]?$|(?:runde|zeig\w*|schick\w*|antwort\w*|frag\w*|ruf\w*|bitte|demande\w*|réponds?|responde|rispondi|pregunta\w*|chiedi\w*) .*\b(?:immer|nie|toujours|jamais|siempre|nunca|sempre|mai)\b",
    re.IGNORECASE,
)
_FOR_GOOD: Final = re.compile(
    r"\b(?:from now on|from here on|going forward|in (?:the )?future|as a rule|by default|every time|each time|whenever|when you|at all times|without exception|make it a rule|remember (?:to|that)|keep in mind|for the record|please note|don't ever"
    r"|every (?:report|answer|mail|invoice|amount|reminder|friday|monday|tuesday|wednesday|thursday|morning|week|month|day|refund|order)|each (?:report|answer|mail|invoice|amount|reminder|refund|order)|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|weekends)"
    r"|ab jetzt|ab sofort|in Zukunft|künftig|grundsätzlich|désormais|à l'avenir|dorénavant|de ahora en adelante|a partir de ahora|d'ora in poi|a partir de agora|voortaan|vanaf nu)\b",
    re.IGNORECASE,
)
_NO_WISH: Final = re.compile(
    r"(?:[\w']+ )?(?:never mind|as a rule$|I need to |we need to |cancel|drop the|translate)|(?:I'd|I would|I) (?:love|like|want|need) to (?:see|know|hear|find out|check|refund|cancel|order|buy|have (?:the|a)|get (?:the|a))\b(?!.*\b(?:each|every|always|next to)\b)"
    r"|I(?:'m| am) |we(?:'re| are) |I(?:'ve| have) (?!a rule|asked)|remind me to\b(?!.*\bevery\b)",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\b(?:wurde|été|promue?|stat[oa]|habe|ascend\w+|(?<!I )(?<!we )(?<!please )\w+ never \w+ed|never (?:worked|arrived|came|got|paid|received|happened|had|been|was|were|did))\b"
)
_NOT_SAID_BY_ME: Final = re.compile(
    r"(?!Please|Kindly|Always|Never|From|Every|Whenever|By|In|As|And|Also)(?:(?:[Tt]he|[Oo]ur|[Mm]y) \w+|he|she|they|it|there|[A-Z]\w+) (?:never|always|is|are|was|has|have|had|were|pays?|orders?)\b|(?:I|we) (?:have |am |was |'ve )?(?:always|never)(?! want| need| like)"
)
_I_WISH: Final = re.compile(
    r"^(?:I(?:'d| would)?(?: now| really| also| always| never| much| generally| usually| strongly| only)* (?:prefer|like|want|need|rather|hate|dislike|love|expect|insist|appreciate|can't stand|don't (?:want|like|need))"
    r"|I'm (?:not )?(?:keen|fond|happy) |it(?:'s| is) (?:important|best|better|fine) |what I (?:want|like|prefer)|we (?:prefer|want|never|always)|ich (?:möchte|will|mag|bevorzuge|hätte)|je (?:veux|préfère|souhaite|voudrais)"
    r"|(?:yo )?(?:prefiero|quiero|no quiero)|(?:preferisco|voglio)|(?:prefiro|quero)|ik (?:wil|heb liever))",
    re.IGNORECASE,
)
_MANNERS: Final = re.compile(
    r"\b(?:my|mine|answers?|repl(?:y|ies)|amounts?|prices?|dates?|times?|figures|numbers|decimals?|VAT|currency|euros?|dollars?|reports|summar(?:y|ies)|mails?|e-?mails|calls?|phone[d]?|notifications?|reminders"
    r"|bad news|details?|short|long|brief|bullet|first|before|after|without|formal|approval|approv\w*|refund\w*|customers|invoices|orders|weekly|daily|monthly|metric|units|abbreviations|jargon|emoji\w*|greeting\w*|small talk|sources?|links?|copied|cc|steps|names|top|bottom|emojis?|polite|words|sentences|paragraph|tone|titles?|columns?|rows?|antwort\w*|kurz|knapp|beträge|preise|réponses?|bref|brèves?|courte?s?|respuestas?|corto|corta|breves?|risposte|breve|modo|antwoorden|kort|mich|mir|moi|montants?|importes?|importi|bedragen|totals?|ids?|order)\b",
    re.IGNORECASE,
)


def languages(clause: Clause) -> list[str]:
    """The language the user wants answers in."""
    text = clause.text if clause.ended else OLD.sub(" ", clause.text)
    found = LANGUAGE.findall(text)
    if len(set(map(one_language, found))) != 1 or _ONCE.search(text) or _NOT_MINE.search(text):
        return []
    if _SPEAK.search(LANGUAGE.sub(" ", text)) or _BARE.fullmatch(
        LANGUAGE.sub("X", text).strip(" .!")
    ):
        return found[:1]
    return []


def formats(clause: Clause) -> list[str]:
    """The format the user wants reports in; not what one single thing is wanted in."""
    text = clause.text if clause.ended else OLD.sub(" ", clause.text)
    found = FORMAT.search(text)
    if found is None or _ONCE.search(text) or identifiers(text) or _ONE_SHOT.search(text):
        return []
    if re.match(
        r"(?:please )?(?:give me|send me|I want|use|change (?:it|my reports|reports) to) (?:an? )?(?:bullet|bulleted|charts|tables|spreadsheets|PDFs)[\w ]*$",
        text,
        re.IGNORECASE,
    ):
        return [found[0]]
    general = (
        _FIGURES.search(FORMAT.sub(" ", text)) and _SHOW.search(text) and not _TASK.search(text)
    )
    bare = re.sub(
        r"^(?:from now on|always|please|as always),? ",
        "",
        FORMAT.sub("X", text, count=1),
        flags=re.I,
    )
    bare = re.sub(r"^(?:my |all )?reports? (?:as|in) ", "", bare.strip(" .!,"), flags=re.I)
    if _BARE.fullmatch(bare.strip(" .!,")) and (
        text != clause.text
        or _LASTING.search(text)
        or re.search(r"please|reports", text, re.IGNORECASE)
    ):
        return [found[0]]
    if general or _LIKES.search(text) or (_LASTING.search(text) and _SHOW.search(text)):
        return [found[0]]
    return []


def mails(clause: Clause) -> list[str]:
    """The user's own address."""
    text = clause.text
    found = EMAIL.search(
        re.sub(r"\b(?:not|instead of|rather than|from|no longer)\s+\S+@\S+", " ", text)
    )
    if found is None or _OTHERS_MAIL.search(text):
        return []
    if not _ALL_MAIL.search(text) and not _OWN_MAIL.search(text.replace(found[0], " ")):
        return []
    return [found[0]]


def standing(clause: Clause) -> list[str]:
    """What is to be done always, never, or in a certain manner."""
    text = clause.text.strip(" ,.")
    if _ONCE.search(text) or identifiers(text) or EMAIL.search(text) or len(text) < 8:
        return []
    if _is_standing(text):
        return [text]
    return []


def takes_back(text: str) -> bool:
    """Whether a wish says that a former one holds no more."""
    return _TAKES_BACK.match(text) is not None


def is_lasting(text: str) -> bool:
    """Whether a text says that it is meant for good."""
    return _LASTING.search(text) is not None


def _is_standing(text: str) -> bool:
    if takes_back(text):
        return _MANNERS.search(text) is not None
    if _NO_WISH.match(text) or _DONE.search(text):
        return False
    if _I_WISH.match(text):
        general = _MANNERS.search(text) or _LASTING.search(text)
        return general is not None and _TASK.search(text) is None
    if _ALWAYS.match(text) or _FOR_GOOD.search(text):
        return _NOT_SAID_BY_ME.match(text) is None
    return _MANNER.search(text) is not None and _TASK.search(text) is None
