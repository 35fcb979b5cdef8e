"""The same cues in German, French, Spanish, Italian, Portuguese, Dutch, and some beyond."""

from collections.abc import Sequence
from typing import Final

from models.embedded.stating.cue import Cue, cue
from models.embedded.stating.values import a_job_abroad, a_list, a_name, a_team

_NOW: Final = (
    r"(?: (?:jetzt|nun|aktuell|derzeit|momentan|wieder|inzwischen|mittlerweile|auch|maintenant|désormais|actuellement|aussi"
    r"|ahora|actualmente|también|adesso|ora|attualmente|anche|agora|atualmente|também|nu|momenteel|ook|weer|seit \w+))*"
)
CUES_ABROAD: Final[Sequence[Cue]] = (
    cue("preferred_name", r"\b(?:ich hei(?:ß|ss)e|mein Name ist|nenn(?:en Sie|t)? mich(?: bitte)?|sag(?:t)? (?:einfach |bitte )?(?=\w+ zu mir)|je m'appelle|mon (?:pré)?nom est|appelle[- ]?moi|appelez[- ]?moi|me llamo|mi nombre es|ll[aá]m(?:a|e)me|puedes llamarme|mi chiamo|il mio nome è|chiamami|(?:eu )?me chamo|chamo-me|(?:o )?meu nome é|pode me chamar de|ik heet|mijn naam is|noem (?:me|mij)(?: maar)?|jag heter|mitt namn är|mam na imię|nazywam się)" + _NOW, a_name),
    cue("preferred_name", r"(?:我叫|我的名字是|私の名前は|私は(?=.{1,6}と申し))", a_name),
    cue("location", r"\b(?:ich (?:wohne|lebe|bin)|wir (?:wohnen|leben))" + _NOW + r" (?:in|bei)\b", a_name),
    cue("location", r"\b(?:ich (?:bin|habe)(?: \w+){0,2}? nach)\b(?=.*(?:gezogen|umgezogen|gewechselt))", a_name),
    cue("location", r"\b(?:mein (?:Wohnort|Zuhause) ist|mein Wohnsitz ist(?: in)?)\b", a_name),
    cue("location", r"\b(?:j'habite|je vis|je réside|nous habitons|je suis (?:basée?|installée?)|j'ai déménagé|je me suis installée?|j'ai emménagé)" + _NOW + r" (?:à|a|en|au|aux|dans)\b", a_name),
    cue("location", r"\b(?:j'habite)\b(?= [A-Z])", a_name),
    cue("location", r"\b(?:vivo|resido|vivimos|me he mudado|me mudé|me he trasladado|me trasladé|estoy viviendo)" + _NOW + r" (?:en|a)\b", a_name),
    cue("location", r"\b(?:abito|vivo|risiedo|mi sono trasferit[oa]|sono basat[oa])" + _NOW + r" (?:a|ad|in)\b", a_name),
    cue("location", r"\b(?:moro|vivo|resido|mudei-me|me mudei|mudei)" + _NOW + r" (?:em|no|na|para(?: o| a)?)\b", a_name),
    cue("location", r"\b(?:ik woon|ik ben verhuisd|ik leef)" + _NOW + r" (?:in|naar)\b", a_name),
    cue("location", r"\b(?:jag bor|jag har flyttat|jeg bor|asun)" + _NOW + r"(?: i| till)?\b", a_name),
    cue("location", r"\b(?:mieszkam) (?:w|we)\b", a_name),
    cue("location", r"(?:我(?:现在)?住在|我(?:现在)?住|我搬到了?|私は|いま|今は?)(?=[^住]{1,8}(?:に住|。|$)|[\u4e00-\u9fff]+)", lambda rest: a_name(rest.split("に")[0].split("了")[0])),
    cue("role", r"\b(?:ich bin|ich arbeite(?: \w+){0,2}? als|meine (?:Rolle|Position|Stelle) ist|mein Beruf ist|ich wurde zu[mr]?)" + _NOW, a_job_abroad),
    cue("role", r"\b(?:je suis|je travaille comme|je travaille en tant que|mon (?:poste|métier|rôle) est|je suis deven(?:u|ue))" + _NOW, a_job_abroad),
    cue("role", r"\b(?:soy|trabajo (?:de|como)|mi (?:puesto|cargo|trabajo|rol) es|me han nombrado|ahora trabajo como)" + _NOW, a_job_abroad),
    cue("role", r"\b(?:sono|lavoro come|faccio|il mio (?:ruolo|lavoro) è|sono diventat[oa])" + _NOW, a_job_abroad),
    cue("role", r"\b(?:sou|trabalho como|(?:o )?meu cargo é|ik ben|ik werk als|mijn functie is|jag är|jag jobbar som)" + _NOW, a_job_abroad),
    cue("team", r"\b(?:ich (?:arbeite|bin|sitze)" + _NOW + r" (?:im|in der|in dem|bei der)|ich gehöre zum|je travaille (?:au|à la|dans l'|dans le|dans la|aux)|je suis (?:dans|au)(?: l'| le| la)?|trabajo en|estoy en|lavoro (?:in|nel|nell'|nella|negli)|sono (?:nel|nella)|trabalho (?:em|no|na)|ik werk (?:in|op|bij)(?: de| het)?|ik zit (?:in|bij)(?: de| het)?)(?: service| département| departamento de| equipo de| el equipo de| l'équipe| equipe| team| reparto| équipe)*", a_team),
    cue("employer", r"\b(?:ich arbeite" + _NOW + r" (?:bei|für)|mein (?:Arbeitgeber|Unternehmen) ist|ich bin bei(?= [A-Z])|je travaille" + _NOW + r" (?:chez|pour)|mon employeur est|j'ai rejoint|trabajo" + _NOW + r" (?:en|para)|mi (?:empresa|empleador) es|lavoro" + _NOW + r" (?:per|da|presso|in|alla)|la mia azienda è|trabalho" + _NOW + r" (?:na|no|para|em)|(?:a )?minha empresa é|ik werk" + _NOW + r" (?:bij|voor)|mijn werkgever is|jag (?:jobbar|arbetar) (?:på|för|hos))\b", a_name),
    cue("responsible_for", r"\b(?:ich (?:betreue|kümmere mich um|bin (?:zuständig|verantwortlich) für|bin für(?=.*(?:zuständig|verantwortlich)))|je m'occupe (?:aussi )?(?:de|du|des|d')|je (?:suis responsable de|gère)|me (?:encargo|ocupo) (?:también )?de|soy responsable de|llevo la cuenta de|mi occupo (?:anche )?di|sono responsabile (?:di|del|della)|seguo|cuido d[aoe]|sou responsável p(?:or|ela|elo)|ik (?:beheer|ben verantwoordelijk voor|zorg voor))" + _NOW, a_list),
)  # fmt: skip
