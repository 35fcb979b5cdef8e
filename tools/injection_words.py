"""The words by which the scan tells a request to a model from what a document says to people."""

import re
from typing import Final

OVERRIDES: Final = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}
        \b(?:previous|prior|above|earlier|all|any|your|the|these|those)\b[^.\n]{0,30}
        \b(?:instructions?|prompts?|rules?|guidelines?|directions?|commands?|context|task)\b
    | \bignor(?:ieren?|ez|a|e)\b[^.\n]{0,40}\b(?:anweisung|instruction|instruccion|istruzion)
    | \b(?:system|developer)\s+(?:prompt|message|instruction)s?\b
    | \b(?:new|updated|real|actual|additional|important|special|secret)\s+
        (?:instructions?|directives?|orders?)\s*(?::|for\s+(?:the\s+)?(?:ai|assistant|model|you
        |llm|agent))
    | \byou\s+are\s+(?:now|no\s+longer)\b | \b(?:from|as\s+of)\s+now\s+on\b[^.\n]{0,20}\byou\b
    | \b(?:act|behave|respond|pretend)\s+as\s+(?:if\s+you|though\s+you|an?\s+(?:ai|dan
        |unrestricted))
    | \b(?:as|dear|hey|attention|note\s+to|message\s+(?:to|for))[,:]?\s+(?:an?\s+|the\s+|any\s+)?
        (?:ai|a\.i\.|llm|gpt[\w.-]*|chatgpt|claude|gemini|copilot|language\s+model
        |ai\s+(?:assistant|agent|model)|
        assistant|chatbot)\b
    | \bto\s+you,?\s+(?:gpt|claude|gemini|the\s+(?:ai|assistant|model))
    | \bbefore\s+(?:you\s+)?(?:can\s+)?(?:answer|reply|respond|solv|complet|continu|proceed
        |finish|do)\w*\b
        [^.\n]{0,80}\b(?:first|must|please|need\s+to|do\s+the\s+following)\b
    | \b(?:do\s+not|don'?t|never|without)\s+(?:tell|inform|mention\w*|alert\w*|reveal\w*
        |notify\w*|telling|informing|asking)\b
        [^.\n]{0,30}\b(?:the\s+)?(?:user|human|owner|anyone|this\s+instruction)\b
    | \b(?:the\s+)?user\s+(?:has\s+)?(?:already\s+)?(?:asked|told|instructed|authori[sz]ed
        |approved|permitted)\s+
        (?:you|this|it|the\s+(?:call|transfer|payment|action))\b
    | \b(?:reveal|print|repeat|show|output|leak)\b[^.\n]{0,30}\b(?:system\s+prompt
        |your\s+(?:instructions|prompt|rules))
    | <\|?(?:im_start|im_end|system|endoftext|assistant|user)\|?> | \[/?INST\] | <</?SYS>>
    | </?(?:information|instructions?|system|important|admin|tool_call|function_call)>
    | ^\s*(?:\#{1,4}\s*)?(?:system|assistant|instructions?)\s*:
    | \b(?:call|use|invoke|execute|run)\s+(?:the\s+)?(?:[`'"]?[a-z]+(?:_[a-z]+)+[`'"]?)\b
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)

# What a model writes, spoken of as the reader's.
REPLY: Final = re.compile(
    r"\b(?:your|the|this|final|entire|whole|each|every|all)\s+(?:\w+\s+){0,2}?"
    r"(?:answers?|respon[sc]es?|repl(?:y|ies)|outputs?|summary|summaries|completions?"
    r"|generations?)\b"
    r"|\b(?:your|the)\s+(?:own\s+)?(?:message|text|sentences?|words?|letters?|vowels?|consonants?"
    r"|paragraphs?|writing|explanation|translation)\b"
    r"|\b(?:answer|respond|reply|write|speak|output)\s+(?:only\s+|everything\s+|back\s+)?"
    r"(?:in|with|using|as)\b",
    re.IGNORECASE,
)
# "In your reply, …" before what is wanted.
IN_REPLY: Final = re.compile(
    r"^(?:in|within|throughout|at\s+the\s+(?:end|start|beginning|top|bottom)\s+of|before|after"
    r"|for|when"
    r"|while)\s+(?:\w+ing\s+)?(?:your|the|this|each|every)\s+(?:\w+\s+)?"
    r"(?:answer|respon[sc]e|reply|output|message|summary)\b",
    re.IGNORECASE,
)

# What one asks of a model and does to its text; few of these open a sentence of a letter.
_TASK_VERBS: Final = """
abbreviate adopt advise advocate alphabetize alternate amend anagram analyse analyze answer
append argue arrange assess augment author book brainstorm break buy calculate call cancel
capitalize caption categorize change cite clarify classify code combine compare compile compose
compute concatenate conclude construct contrast convene convert convince correct count craft
create criticize critique debate debug decipher declare decode deduce define delete demonstrate
derive describe design detail determine develop devise diagnose differentiate discuss disguise
distort draft draw edit elaborate embed emphasize emulate encipher encode encourage encrypt
endorse enhance enumerate estimate evaluate examine exchange execute explain express extend
extract fabricate factor fetch fill find flip form format formulate forward frame generate give
group guess guide hide highlight hint hypothesize identify illustrate imitate impersonate
implement include incorporate infuse inject inquire insert inspire integrate interchange
interpret intersperse introduce invent invert investigate itemize jot jumble justify label
lengthen list look make map mask mention merge mimic mirror misspell mix modify name narrate
obfuscate omit optimize order organize outline paint paraphrase pay permute persuade plan play
portray pose post predict prefix prepare prepend present produce promote pronounce propose prove
provide publish punctuate purchase quote randomize rank rate rearrange recall recite recommend
recount redact refactor remember remind remove render reorder repeat rephrase replace represent
research reserve reshuffle resolve restate reverse rewrite rhyme role-play roleplay rotate run
say schedule scramble search sell send separate set share shift shorten show shuffle simplify
simulate sing skip solve sort speak spell split spread start state steal stress structure
subscribe substitute suffix suggest summarise summarize supply swap switch synthesize tag tease
tell think title trace transcribe transfer transform translate transliterate transpose turn type
uncover underline upload urge use utilize vary verify weave wire work wrap write
"""
TASK_VERBS: Final = frozenset(_TASK_VERBS.split())
# What one does to a model's text, and what a letter may as well ask its reader to do.
_EDIT_VERBS: Final = """
add advertise answer apply ask attach begin bold capitalise close direct do double drop end
finish follow invite italicize keep leave limit link lowercase note offer open place point put
recommend refer reply respond sign sound start uppercase warn wish
"""
EDIT_VERBS: Final = TASK_VERBS | frozenset(_EDIT_VERBS.split())
# Nouns as well: a request goes on with an article, a pronoun or the like.
_NOUNS_TOO: Final = """
book break call cause code color contrast count craft critique date debate design detail draft
estimate exchange fill flip format forward function group guess guide hint label limit link list
look map mask mix model name note order outline paint pay place plan play point post predict
quote rank rate record report research reserve return reverse run schedule search send set share
show shuffle sort speak split start state stress supply switch tag title trace transfer turn
type use value view wire work
"""
NOUNS_TOO: Final = frozenset(_NOUNS_TOO.split())
_AFTER_VERB: Final = """
a about all an and any as away back both down each every five for four from her him his how if in
into it its many me more most my no off on one or our out over several some ten that the their
them these this those three to two up us what when where whether which who why with your
"""
AFTER_VERB: Final = frozenset(_AFTER_VERB.split())
# Ways to ask for something without opening with its verb.
REQUEST: Final = re.compile(
    r"^(?:and\s+|also,?\s+|now,?\s+|then,?\s+|next,?\s+|finally,?\s+|instead,?\s+|furthermore,?\s+"
    r"|additionally,?\s+|first,?\s+|please,?\s+|kindly\s+|just\s+|simply\s+)*"
    r"(?:(?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+|also\s+)?"
    r"|i(?:'d|\s+would)\s+like\s+(?:you\s+)?to\s+|i\s+(?:want|need)\s+(?:you\s+)?to\s+"
    r"|i(?:'m|\s+am)\s+looking\s+(?:for|to)\s+|help\s+(?:me\s+)?(?:to\s+|with\s+|in\s+)?"
    r"|make\s+sure\s+(?:you\s+|to\s+)|be\s+sure\s+to\s+|you\s+(?:must|should|need\s+to"
    r"|have\s+to)\s+"
    r"|let'?s\s+|ensure\s+(?:that\s+)?(?:you\s+)?|remember\s+to\s+|try\s+to\s+)?"
    r"(?:also\s+|please\s+|only\s+|always\s+|never\s+|randomly\s+|intentionally\s+"
    r"|deliberately\s+)?"
    r"([a-z][a-z-]+)\b(?:\s+([\w$€£#'\"]+))?",
    re.IGNORECASE,
)
ASKED_FOR: Final = re.compile(
    r"^(?:please,?\s+)?(?:(?:can|could|would|will)\s+you\b|i(?:'d"
    r"|\s+would)\s+like\s+(?:you\s+)?to\b"
    r"|i\s+(?:want|need)\s+(?:you\s+to|to\s+know|help|advice|ideas?|tips?)\b|help\s+me\b"
    r"|i'm\s+looking\s+for\b"
    r"|(?:any|some)\s+(?:ideas?|tips|advice|suggestions?|recommendations?)\b)",
    re.IGNORECASE,
)
QUESTION: Final = re.compile(
    r"^(?:so,?\s+|and\s+|also,?\s+|but\s+|now,?\s+)?(?:what(?:'s|\s|'re)|who(?:'s|\s)|whom\s"
    r"|whose\s|where(?:'s|\s)"
    r"|when(?:'s|\s)|why\s|how(?:'s|\s)|which\s|is\s|are\s|was\s|were\s|do\s|does\s|did\s|can\s"
    r"|could\s"
    r"|should\s|would\s|will\s|has\s|have\s|tell\s+me\b|name\s)",
    re.IGNORECASE,
)
# A document that speaks to its own reader about its own matter.
TO_READER: Final = re.compile(
    r"\b(?:us|our|ours|we|we'll|we're|click|tap|here|below|attached|attachment|link|unsubscribe"
    r"|this\s+"
    r"(?:e-?mail|message|notification|page|letter|invoice|receipt|order)|your\s+(?:account"
    r"|booking|order|"
    r"card|subscription|ticket|tickets|invoice|payment|plan|team|company|application|profile|inbox|"
    r"password|preferences|free|trip|journey|documents?|bag|bags|luggage|seat|reservation|device"
    r"|app)"
    r"|log\s+in|sign\s+(?:in|up)|read\s+more|learn\s+more|get\s+started|faq|terms\s+(?:of|and|&)"
    r"|privacy)\b|>|©",
    re.IGNORECASE,
)
_FUNCTION_WORDS: Final = """
a about above after all also am an and any are as at be been before being below between both but
by can could did do does done down during each few first following for from had has have having
he her here him his how i if in into is it its just let may me might mine more most must my no
nor not of off on one only onto or other our out over own please same second shall she should so
some such than that the their them then there these they this those three through to too two
under up us use used using very was we were what when where which who whom whose why will with
without would yes yet you your yours
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
