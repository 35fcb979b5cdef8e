"""Names of languages, formats and jobs, and which word of another language means the same."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

# English name, then names in other languages.
_LANGUAGES: Final = (
    "English|Englisch|anglais|inglés|ingles|inglese|Engels|inglês|engelska|英語|英语",
    "German|Deutsch|allemand|alemán|aleman|tedesco|Duits|alemão|tyska",
    "French|Französisch|français|francais|francés|frances|francese|Frans|francês|franska",
    "Spanish|Spanisch|espagnol|español|espanol|castellano|spagnolo|Spaans|espanhol|spanska",
    "Italian|Italienisch|italien|italiano|Italiaans|italienska",
    "Dutch|Niederländisch|Holländisch|néerlandais|neerlandés|holandés|olandese|Nederlands|holandês",
    "Portuguese|Portugiesisch|portugais|portugués|portoghese|Portugees|português|portugues",
    "Polish|Polnisch|polonais|polaco|polacco|Pools|polski",
    "Swedish|Schwedisch|suédois|sueco|svedese|Zweeds|svenska",
    "Danish|Dänisch|danois|danés|danese|Deens|dansk",
    "Norwegian|Norwegisch|norvégien|noruego|norvegese|Noors|norsk",
    "Finnish|Finnisch|finnois|finlandés|finlandese|Fins|suomi",
    "Japanese|Japanisch|japonais|japonés|giapponese|Japans|日本語",
    "Chinese|Mandarin|Chinesisch|chinois|chino|cinese|Chinees|中文",
    "Russian|Russisch|russe|ruso|russo|Русский",
    "Turkish|Türkisch|turc|turco|Turks|Türkçe",
    "Greek|Griechisch|grec|griego|greco|Grieks",
    "Czech|Tschechisch|tchèque|checo|ceco|čeština",
    "Hungarian|Ungarisch|hongrois|húngaro|ungherese|magyar",
    "Romanian|Rumänisch|roumain|rumano|rumeno",
    "Ukrainian|Ukrainisch|ukrainien|ucraniano|ucraino",
    "Arabic|Arabisch|arabe|árabe|arabo",
    "Korean|Koreanisch|coréen|coreano|한국어",
    "Hindi|Catalan|Basque|Welsh|Irish|Icelandic|Estonian|Latvian|Lithuanian|Croatian|Serbian",
    "Vietnamese|Thai|Hebrew|Bulgarian|Slovak|Slovenian|Afrikaans|Swahili|Urdu|Bengali|Tamil",
)
_FORMATS: Final = (
    "table|tables|tabular|tabelle|tabellen|tableau|tableaux|tabla|tablas|tabella|tabelle|tabela"
    "|tabel|tabell",
    "CSV|comma[- ]separated(?: values?| files?)?",
    "spreadsheets?|excel(?: sheets?| files?| workbooks?)?|xlsx?|tabellenkalkulation|tableur"
    "|hojas? de cálculo|google sheets?|worksheets?",
    "(?:bar |line |pie |column )?charts?|charted|(?:bar |line )?graphs?|graphed|diagrams?|diagramme?"
    "|plots?|graphiques?|gráficos?|gráficas?|grafici|grafico|grafiken|grafieken?|graphically"
    "|visually",
    "PDFs?(?: files?| documents?)?",
    "bullet(?:ed)?(?: points?| lists?)?|bullets|point form|stichpunkte\\w*|puces|viñetas",
    "plain text|text only|prose|running text|paragraphs?|fließtext",
    "JSON|markdown|HTML|XML|slides?|slide decks?|powerpoint|one[- ]pagers?|dashboards?"
    "|word documents?|e-?mails?(?= form)",
)
_KINDS: Final = ("table", "csv", "spreadsheet", "chart", "pdf", "bullets", "prose")
_JOBS: Final = (
    "manager|managers|director|engineer|analyst|accountant|controller|assistant|lead|leader|clerk"
    "|officer|developer|programmer|owner|consultant|specialist|agent|founder|co-?founder"
    "|coordinator|co-ordinator|representative|rep|CEO|CFO|CTO|COO|CIO|CMO|CISO|CPO|head|bookkeeper"
    "|buyer|designer|administrator|admin|nurse|teacher|lawyer|solicitor|attorney|paralegal|auditor"
    "|supervisor|technician|planner|secretary|receptionist|scientist|researcher|architect|editor"
    "|writer|copywriter|translator|interpreter|recruiter|trainer|chef|cook|driver|dispatcher"
    "|pharmacist|doctor|physician|surgeon|dentist|therapist|psychologist|economist|statistician"
    "|professor|lecturer|student|intern|trainee|apprentice|partner|president|vice president|VP"
    "|chair|chairman|chairwoman|chairperson|treasurer|cashier|merchandiser|marketer|salesperson"
    "|salesman|saleswoman|seller|broker|trader|underwriter|actuary|adviser|advisor|advocate"
    "|strategist|producer|photographer|journalist|librarian|curator|pilot|electrician|plumber"
    "|carpenter|mechanic|welder|operator|inspector|tester|foreman|forewoman|surveyor|executive"
    "|principal|associate|contractor|freelancer|expert|champion|steward|handler|packer|picker"
    "|estimator|scheduler|expediter|investigator|examiner|adjuster|arbiter|scrum master|maintainer"
    "|general counsel|counsel|chief of staff|boss|deputy|superintendent|ranger|midwife|paramedic"
    "|vet|veterinarian|biologist|chemist|physicist|geologist|mathematician|baker|butcher|barista"
    "|waiter|waitress|bartender|gardener|farmer|janitor|cleaner|caretaker|guard|detective"
    "|policeman|firefighter|soldier|captain|judge|notary|realtor|banker|teller|purchaser"
    "|procurer|assembler|machinist|tailor|seamstress|hairdresser|stylist|actor|actress|musician"
    "|artist|illustrator|animator|storekeeper|shopkeeper|storeperson|quartermaster|chief"
)
_JOBS_ABROAD: Final = (
    r"\w*leiter(?:in)?|\w*manager(?:in)?|\w*ingenieur(?:in)?|buchhalter(?:in)?|\w*entwickler(?:in)?"
    r"|\w*berater(?:in)?|\w*assistent(?:in)?|\w*schwester|\w*pfleger(?:in)?|\w*lehrer(?:in)?"
    r"|\w*kauf(?:mann|frau)|geschäftsführer(?:in)?|\w*sachbearbeiter(?:in)?|\w*einkäufer(?:in)?"
    r"|\w*verkäufer(?:in)?|controller(?:in)?|\w*chef(?:in)?|\w*referent(?:in)?|\w*arzt|ärztin"
    r"|\w*anwalt|\w*anwältin|\w*techniker(?:in)?|\w*prüfer(?:in)?|\w*analyst(?:in)?|\w*planer(?:in)?"
    r"|comptable|directeur|directrice|responsable|ingénieure?|infirmi(?:er|ère)|chef(?:fe)?|gérante?"
    r"|acheteu(?:r|se)|vendeu(?:r|se)|développeu(?:r|se)|avocate?|enseignante?|professeure?|médecin"
    r"|analyste|assistante?|consultante?|contrôleu(?:r|se)|secrétaire|technicien(?:ne)?"
    r"|director[ae]?|gerente|jef[ea]|ingenier[oa]|contable|contador[a]?|enfermer[oa]|profesora?"
    r"|abogad[oa]|analista|asistente|consultora?|comprador[a]?|vendedor[a]?|desarrollador[a]?"
    r"|encargad[oa]|técnic[oa]|médic[oa]|direttore|direttrice|responsabile|ingegnere|infermier[ea]"
    r"|insegnante|avvocat[oa]|ragionier[ea]|contabile|impiegat[oa]|acquirente|capo|consulente"
    r"|diretora?|chefe|engenheir[oa]|enfermeir[oa]|professora?|advogad[oa]|contabilista|gestora?"
    r"|boekhouder|verpleegkundige|leraar|advocaat|inkoper|verkoper|directeur|hoofd|teamleider"
    r"|ingenjör|sjuksköterska|lärare|chef|ekonom|revisor"
)
DEPARTMENTS: Final = (
    "sales|marketing|finance|accounting|accounts|accounts payable|accounts receivable|payments"
    "|logistics|HR|human resources|people operations|IT|legal|claims|support|customer support"
    "|customer service|customer success|customer care|procurement|purchasing|audit|internal audit"
    "|treasury|engineering|product|operations|ops|compliance|collections|risk|data|platform|core"
    "|fraud|billing|invoicing|payroll|planning|production|manufacturing|quality|quality assurance"
    "|QA|security|design|research|R&D|development|infrastructure|growth|analytics|insights|tax"
    "|controlling|credit|returns|refunds|warehouse|warehousing|distribution|shipping|dispatch"
    "|inventory|supply chain|sourcing|pricing|partnerships|communications|PR|public relations"
    "|training|facilities|maintenance|field service|onboarding|retention|underwriting|trading"
    "|business development|strategy|reporting|recruiting|recruitment|talent|helpdesk|help desk"
    "|service desk|back office|front office|order management|fulfilment|fulfillment|export|import"
    "|editorial|content|community|events|purchase|receivables|payables|ecommerce|e-commerce|retail"
    "|wholesale|customs|fleet|transport|Vertrieb|Einkauf|Buchhaltung|Marketing|Personalabteilung"
    "|Logistik|Lager|Rechtsabteilung|Kundendienst|Kundenservice|Controlling|Produktion|Qualität"
    "|Finanzen|ventas|compras|contabilidad|logística|finanzas|recursos humanos|comptabilité|ventes"
    "|achats|logistique|ressources humaines|vendite|acquisti|contabilità|logistica|verkoop|inkoop"
    "|boekhouding|logistiek|vendas|logística|Verkauf|Finanzabteilung|Entwicklung|Technik|achats|informatique|juridique|production|qualité|service client|atención al cliente|producción|calidad|produzione|magazzino|almacén|entrepôt|risorse umane|personeelszaken|klantenservice|magazijn|facturación|fatturazione|facturation"
)
_ROLES: Final[Mapping[str, str]] = {
    "chief executive officer": "ceo",
    "chief executive": "ceo",
    "chief financial officer": "cfo",
    "finance chief": "cfo",
    "chief technology officer": "cto",
    "chief technical officer": "cto",
    "chief operating officer": "coo",
    "chief information officer": "cio",
    "chief marketing officer": "cmo",
    "chief product officer": "cpo",
    "vice president": "vp",
}
# By English job, the same in German, French, Spanish, Italian, Portuguese and Dutch.
_SAME_JOBS: Final = (
    "nurse|Krankenschwester|Krankenpfleger|Krankenpflegerin|infirmier|infirmière|enfermero|enfermera|infermiere|infermiera|enfermeiro|enfermeira|verpleegkundige|verpleger",
    "accountant|bookkeeper|Buchhalter|Buchhalterin|comptable|contable|contador|contadora|contabile|ragioniere|ragioniera|contabilista|boekhouder|accountant",
    "buyer|purchaser|Einkäufer|Einkäuferin|acheteur|acheteuse|comprador|compradora|acquirente|inkoper",
    "teacher|Lehrer|Lehrerin|enseignant|enseignante|professeur|professeure|profesor|profesora|insegnante|professor|professora|leraar|lerares|docent",
    "lawyer|Anwalt|Anwältin|Rechtsanwalt|Rechtsanwältin|avocat|avocate|abogado|abogada|avvocato|avvocata|advogado|advogada|advocaat",
    "engineer|Ingenieur|Ingenieurin|ingénieur|ingénieure|ingeniero|ingeniera|ingegnere|engenheiro|engenheira|ingenieur",
    "developer|Entwickler|Entwicklerin|développeur|développeuse|desarrollador|desarrolladora|sviluppatore|sviluppatrice|ontwikkelaar",
    "sales manager|Vertriebsleiter|Vertriebsleiterin|directeur commercial|directrice commerciale|directeur des ventes|directrice des ventes|director de ventas|directora de ventas|jefe de ventas|jefa de ventas|direttore vendite|direttrice vendite|responsabile vendite|verkoopleider",
    "purchasing manager|procurement manager|head of procurement|Einkaufsleiter|Einkaufsleiterin|responsable des achats|directrice des achats|directeur des achats|jefa de compras|jefe de compras|directora de compras|director de compras|responsabile acquisti|hoofd inkoop",
    "project manager|Projektleiter|Projektleiterin|Projektmanager|Projektmanagerin|chef de projet|cheffe de projet|jefe de proyecto|jefa de proyecto|responsabile di progetto|capo progetto|projectleider|gestor de projeto|gestora de projeto",
    "team lead|team leader|Teamleiter|Teamleiterin|chef d'équipe|cheffe d'équipe|jefe de equipo|jefa de equipo|capo squadra|teamleider|líder de equipa",
    "warehouse manager|Lagerleiter|Lagerleiterin|responsable d'entrepôt|jefe de almacén|jefa de almacén|responsabile di magazzino|magazijnchef",
    "managing director|Geschäftsführer|Geschäftsführerin|gérant|gérante|gerente general|amministratore delegato|diretor geral|algemeen directeur",
    "consultant|Berater|Beraterin|consultante|consultor|consultora|consulente|adviseur",
    "doctor|physician|Arzt|Ärztin|médecin|médico|médica|medico|arts", "analyst|Analyst|Analystin|analyste|analista|analist",
    "secretary|Sekretär|Sekretärin|secrétaire|secretario|secretaria|segretario|segretaria|secretaresse",
    "assistant|Assistent|Assistentin|assistante|asistente|assistente", "controller|Controllerin|contrôleur de gestion|contrôleuse de gestion",
    "finance manager|head of finance|Finanzleiter|Finanzleiterin|directeur financier|directrice financière|director financiero|directora financiera|direttore finanziario|responsabile finanziario|financieel directeur",
    "clerk|Sachbearbeiter|Sachbearbeiterin|employé de bureau|administrativo|administrativa|impiegato|impiegata|kantoormedewerker",
)  # fmt: skip
_SAME_TEAMS: Final = (
    "sales|Vertrieb|Verkauf|ventes|les ventes|ventas|vendite|verkoop|vendas|commercial|försäljning",
    "purchasing|procurement|Einkauf|achats|les achats|compras|acquisti|inkoop|sourcing",
    "accounting|accounts|Buchhaltung|comptabilité|la comptabilité|contabilidad|contabilità|boekhouding|contabilidade|bookkeeping|ekonomi",
    "human resources|HR|Personal|Personalabteilung|people operations|people team|ressources humaines|RH|recursos humanos|risorse umane|personeelszaken",
    "logistics|Logistik|logistique|la logistique|logística|logistica|logistiek",
    "customer service|customer support|customer care|Kundenservice|Kundendienst|service client|service clients|atención al cliente|servicio al cliente|servizio clienti|klantenservice|atendimento",
    "warehouse|Lager|entrepôt|almacén|magazzino|magazijn|armazém|warehousing",
    "finance|Finanzen|Finanzabteilung|finances|finanzas|finanza|financiën|finanças",
    "legal|Rechtsabteilung|Recht|juridique|legales|ufficio legale|juridische zaken|jurídico",
    "production|Produktion|producción|produzione|productie|produção|manufacturing",
    "quality|quality assurance|QA|Qualität|Qualitätssicherung|qualité|calidad|qualità|kwaliteit",
    "engineering|Technik|Entwicklung|development|développement|desarrollo|sviluppo|ontwikkeling",
    "IT|informatique|informática|informatica", "marketing|Marketing", "R&D|research and development|Forschung",
    "help desk|helpdesk|service desk|support desk", "accounts payable|AP", "accounts receivable|AR|receivables",
    "billing|invoicing|Rechnungsstellung|facturation|facturación|fatturazione|facturatie",
)  # fmt: skip
_PLACES: Final = (
    "Munich|München|Monaco di Baviera|Múnich|Munique", "Vienna|Wien|Vienne|Viena|Wenen",
    "Cologne|Köln|Colonia|Colônia|Keulen", "Geneva|Genève|Genf|Ginebra|Ginevra|Genebra",
    "Zurich|Zürich|Zurigo|Zúrich|Zurique", "Lisbon|Lisboa|Lissabon|Lisbonne|Lisbona",
    "London|Londres|Londra|Londen", "Paris|Parigi|París|Parijs", "Rome|Roma|Rom",
    "Milan|Milano|Mailand|Milán|Milão|Milaan", "Florence|Firenze|Florenz|Florencia|Florença",
    "Venice|Venezia|Venedig|Venise|Venecia|Veneza", "Naples|Napoli|Neapel|Nápoles",
    "Turin|Torino|Turín|Turim", "Genoa|Genova|Genua|Gênes|Génova", "Seville|Sevilla|Séville",
    "Prague|Praha|Prag|Praga|Praag", "Warsaw|Warszawa|Warschau|Varsovie|Varsovia|Varsavia",
    "Cracow|Krakow|Kraków|Krakau|Cracovie|Cracovia", "Copenhagen|København|Kopenhagen|Copenhague",
    "Gothenburg|Göteborg", "Stockholm|Estocolmo|Stoccolma", "Helsinki|Helsingfors",
    "Turku|Åbo", "Brussels|Bruxelles|Brüssel|Bruselas|Brussel|Bruxelas", "Antwerp|Antwerpen|Anvers",
    "Ghent|Gent|Gand|Gante", "Bruges|Brugge|Brügge|Brujas", "The Hague|Den Haag|La Haye|La Haya",
    "Lyon|Lyons|Lione", "Marseille|Marseilles|Marsella|Marsiglia", "Nice|Nizza|Niza",
    "Strasbourg|Straßburg|Estrasburgo|Strasburgo", "Athens|Athen|Athènes|Atenas|Atene",
    "Moscow|Moskva|Moskau|Moscou|Moscú|Mosca", "Saint Petersburg|St Petersburg|Sankt Petersburg",
    "Bucharest|București|Bukarest|Bucarest", "Belgrade|Beograd|Belgrad|Belgrado",
    "Tokyo|東京|Tokio|Tóquio", "Beijing|北京|Peking|Pékin|Pekín", "Shanghai|上海|Schanghai",
    "Hamburg|Hambourg|Hamburgo|Amburgo", "Berlin|Berlín|Berlino|Berlim", "Nuremberg|Nürnberg",
    "Frankfurt|Francfort|Fráncfort|Francoforte", "Hanover|Hannover|Hanovre", "Basel|Bâle|Basilea",
    "Bern|Berne|Berna", "Lucerne|Luzern|Lucerna", "Porto|Oporto", "Barcelona|Barcelone|Barcellona",
    "Madrid|Madri", "Dublin|Baile Átha Cliath|Dublín|Dublino", "Edinburgh|Edimburgo|Édimbourg",
    "New York|Nueva York|Nova York|Nova Iorque", "Mexico City|Ciudad de México", "Germany|Deutschland|Allemagne|Alemania|Germania|Alemanha",
    "Spain|España|Espagne|Spanien|Spagna|Espanha", "Italy|Italia|Italien|Italie|Itália",
    "France|Frankreich|Francia|França|Frankrijk", "Austria|Österreich|Autriche|Oostenrijk|Áustria",
    "Switzerland|Schweiz|Suisse|Suiza|Svizzera|Suíça|Zwitserland", "Netherlands|Nederland|Niederlande|Pays-Bas|Países Bajos|Paesi Bassi",
)  # fmt: skip
_DRAWN: Final[Mapping[str, re.Pattern[str]]] = {
    "bar": re.compile(r"\b(?:bars?|columns?|balken|saulen|barras|barres|barre|staaf|histogra)"),
    "line": re.compile(r"\b(?:lines?|linien|lineas|courbes?|linee|linhas|lijn)"),
    "pie": re.compile(r"\b(?:pies?|kuchen|torten?|torta|camembert|circular|taart|pizza)"),
}
"""What a chart is drawn with, without accents."""
LANGUAGE: Final = re.compile(rf"(?<!\w)(?:{'|'.join(_LANGUAGES)})(?!\w)", re.IGNORECASE)
FORMAT: Final = re.compile(rf"\b(?:{'|'.join(_FORMATS)})\b", re.IGNORECASE)
JOB: Final = rf"(?:{_JOBS})"
JOB_ABROAD: Final = rf"(?:{_JOBS_ABROAD})"


_SITE: Final = re.compile(r"^(?:our|my) | (?:office|site|branch|plant|area)$")


def plain(value: str) -> str:
    """Lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", value.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _first_names(groups: tuple[str, ...]) -> dict[str, str]:
    return {
        plain(name): plain(names.split("|")[0]) for names in groups for name in names.split("|")
    }


_CANONICAL_TEAMS: Final = _first_names(_SAME_TEAMS)
_CANONICAL_JOBS: Final = _first_names(_SAME_JOBS)
_CANONICAL: Final = _first_names(_PLACES)
PLACE_NAMES: Final = frozenset(_CANONICAL)
_CANONICAL_LANGUAGES: Final = _first_names(_LANGUAGES[:-2])
_FORMAT_KINDS: Final = tuple(
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), kind)
    for pattern, kind in zip(_FORMATS, _KINDS, strict=False)
)


def one_place(value: str) -> str:
    """The English name of a place that is called otherwise elsewhere: "our Wien office" is one."""
    found = _SITE.sub("", plain(value))
    return _CANONICAL.get(found, found)


def one_language(value: str) -> str:
    """The English name of a language, alone or as the only one in a value."""
    whole = plain(value)
    named = {_CANONICAL_LANGUAGES[word] for word in whole.split() if word in _CANONICAL_LANGUAGES}
    return _CANONICAL_LANGUAGES.get(whole) or (named.pop() if len(named) == 1 else whole)


def one_format(value: str) -> str:
    """The kind of a format: tables and tabular are one; a bar chart is not a line chart."""
    kinds = {kind for pattern, kind in _FORMAT_KINDS if pattern.search(value)}
    if len(kinds) != 1:
        return plain(value)
    (kind,) = kinds
    drawn = {name for name, pattern in _DRAWN.items() if pattern.search(plain(value))}
    return f"{drawn.pop()} {kind}" if kind == "chart" and len(drawn) == 1 else kind


def one_team(value: str) -> str:
    """A department by its English name."""
    return _CANONICAL_TEAMS.get(plain(value), plain(value))


def one_role(value: str) -> str:
    """A role with its usual abbreviation."""
    found = plain(value)
    found = _CANONICAL_JOBS.get(found, found)
    return _ROLES.get(found, found)
