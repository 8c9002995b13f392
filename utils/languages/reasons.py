"""Why a message in a hurry asks: "when does it close, i want to go after work" has a reason behind its question."""

import re

from utils.languages.message_parts import NOT_WORDS, QUOTED_TEXT, TRANSLATES

_BEGINS_ASKING = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|and|but|or|also|then|und|oder|aber|vale|et|ou|y|o|e|ed|en|och|og|a|i)\b[,.]?\s+){0,2}"
    r"(?:(?:at|from|until|till|to|since|by|for|in|on|with|um|bis|ab|seit|bei|mit|für|in|an|von|à|de|jusqu['’]à|depuis|avec"
    r"|pour|hasta|desde|con|para|por|fino|dalle|da|até|tot|vanaf|met|voor|till|från|med|fra|do|od|z|dla)\s+){0,2}"
    r"(?:who|whose|whom|what|which|when|where|why|how|whos|whats|whens|wheres|whys|hows|do|does|did|is|are|was|were|can"
    r"|could|may|must|will|would|should|has|have|wer|wen|wem|wessen|was|welche\w?|wann|wo|wohin|woher|warum|wieso|weshalb"
    r"|wie|wieviel\w*|darf|kann|gibt|qui|que|quoi|quel\w*|quand|où|pourquoi|comment|combien|est-ce|peut-on"
    r"|qu['’]est-ce|on peut \w+ combien|quién\w*|qué|cuál\w*|cuándo|cuanto|cuánt\w+|dónde|cómo|cuando|donde|quien|chi"
    r"|cosa|che|quale|quali|quando|dove|perché|quant\w|come|posso|quem|qual|quais|onde|aonde|como|wat|welk\w?"
    r"|wanneer|waar|waarom|hoe|hoeveel|mag|kan|vem|vad|vilk\w+|när|var|varför|hur|får|hvem|hvad|hva|hvilk\w+|hvornår"
    r"|når|hvor|hvordan|kto|kogo|co|jaki\w*|jak|jaką|które\w*|która|który|której|kiedy|gdzie|ile|czy|dlaczego|kdo|kdy"
    r"|kde|kolik|proč)(?:['’]s)?\b",
    re.IGNORECASE,
)
"""What a question begins with, in a dozen languages."""
_JOINED_BY = (
    r"(?:(?:and|but|because|cause|cos|cuz|since|as|und|aber|denn|weil|et|mais|car|y|pero|porque|es que|e|ma|perché|mas"
    r"|maar|want|omdat|och|men|för|og|fordi|bo|ale|a|protože)\s+)?"
)
_TELLING_WHY = (
    r"(?:i|we) (?:(?:just|only|really|still) )?(?:want(?:ed)?|would like|plan(?:ned)?|hope|like|need) to "
    r"(?:go|come|know|tell|show|(?:see|visit) (?:it|that|there)|pop|drop|ask|surprise|settle|check)\b",
    r"(?:i|we) (?:only |just |once )?(?:read|saw|heard) (?:(?:about|of) )?(?:it|that|this|something)\b",
    r"(?:i|we) (?:just )?(?:(?:ca|do|did|could)n['’]?t (?:find|remember|see|know|recall)|lost|misplaced|forgot|forget"
    r"|threw away) (?:it|that|them|where|the leaflet|the paper|the letter|the manual|anymore|any more)\b",
    r"i always (?:forget|mix|blank|confuse)\b",
    r"(?:i |we )?(?:just )?need (?:it|this|that) for (?:my|our|the|a) \w",
    r"(?:i(?:['’]?m)? )?(?:just )?(?:curious|asking for a|wondering)\b",
    r"(?:my|our) \w{2,20} (?:asks|asked|wants to know|keeps asking|is asking|blames)\b",
    r"they (?:keep \w+ing|moved it|changed it)\b",
    r"the \w{2,20} (?:does|do|did|wo)n['’]?t (?:fit|match|suit)\b",
    r"(?:ich|wir) (?:will|wollen|möchten?|würden? gern|wollte|wollten|müssen|muss) (?:\w{1,20} ){0,4}"
    r"(?:hin|hingehen|gehen|kommen|wissen|vorbei\w{0,10}|klettern|schwimmen|essen)$",
    r"(?:ich|wir) (?:weiß|wissen|find\w{0,2}) (?:es|das|den|die) (?:\w{1,20} )?nicht\b",
    r"(?:ich|wir) (?:hab|habe|haben) (?:es|das) (?:vergessen|verlegt|irgendwo gelesen)\b",
    r"wir kommen (?:erst|später|ziemlich) (?:\w{1,20} ){0,3}an\b",
    r"(?:nous |je )?(?:voudrais|voudrions|veux|voulons|voulais|compte) (?:y )?(?:aller|passer|venir|savoir)\b",
    r"je (?:ne |n['’])?(?:le |la |l['’])?(?:sais|trouve|souviens|retrouve)(?: plus| pas)\b|j['’]ai (?:oublié|perdu)$",
    r"(?:yo )?(?:quiero|queremos|quería) (?:ir|pasar|venir|saber|llegar)\b",
    r"no (?:me acuerdo|lo recuerdo|lo encuentro)\b",
    r"lo (?:leí|he leído|vi) en\b",
    r"(?:io )?(?:vorrei|vorremmo|voglio|vogliamo) (?:andare|andarci|passare|venire|sapere)\b",
    r"non (?:me )?(?:l[oa] )?(?:ricordo|trovo)\b|ho (?:dimenticato|perso)$",
    r"(?:eu )?(?:quero|queria|queremos) (?:ir|passar|saber|vir)\b|não (?:me )?(?:lembro|encontro)\b|esqueci$",
    r"confundo sempre\b",
    r"(?:ik|we|wij) (?:wil|willen|zou|zouden) (?:graag )?(?:\w{1,20} ){0,3}(?:gaan|komen|weten|langs)$",
    r"ik (?:weet|vind) (?:het|hem) niet\b|ik ben (?:het|hem) (?:vergeten|kwijt)\b",
    r"(?:vi|jag|jeg) (?:tänkte|vill|ska|vil|skal|tenkte|tænkte) (?:gärna |gerne )?"
    r"(?:åka|gå|komma|tage|dra|veta|vide|komme)\b",
    r"(?:jag|jeg) (?:minns|husker|hittar|finder|finner) (?:det |den )?(?:inte|ikke)\b",
    r"(?:jag|jeg) har (?:glömt|glemt)\b",
    r"(?:chcę|chcemy|chciał\w{1,4}) (?:tam )?(?:pójść|pojechać|wiedzieć|przyjść|iść)\b",
    r"nie pamiętam\b|zapomniał\w{1,3}\b",
)
_TELLS_WHY = re.compile(rf"{_JOINED_BY}(?:{'|'.join(_TELLING_WHY)})", re.IGNORECASE)
"""What tells why somebody asks, or why they do not know: no more than that, for who they are and what they have says
which answer is theirs."""
_SAYS_MORE = re.compile(
    r"\d|\?|\b(?:who|what|which|where|when|how|why|if|whether|ob|wer|was|wann|wie|si|qui|quoi|où|quand|combien|qué|dónde"
    r"|cuándo|cuánto|se|chi|dove|quanto|quando|onde|of|wat|waar|hoeveel|om|vad|var|när|czy|co|gdzie|ile|please|pls|bitte"
    r"|mean|meant|instead|not|only|with|without|mit|ohne|kein\w{0,2}|avec|sans|con|sin|senza|com|sem|met|zonder|geen|utan"
    r"|from|nach|aus|von|naar|till|from|in|en|em|into|to (?:the|a|an|my|our|your)|à|au|aux|do|na|z"
    r"|before|by|until|noon|midnight|early|late|today|weekends?|week|morning|evening|afternoon|night|as"
    r"|about(?! (?:it|that|this|them)\b)|heute|abends?"
    r"|wochenende|mittag|vor|als|hoy|oggi|hoje|vandaag|aujourd|idag|dziś"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|morgen|montag|dienstag|mittwoch"
    r"|donnerstag|freitag|samstag|sonntag|demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|mañana|lunes"
    r"|martes|miércoles|jueves|viernes|sábado|domingo|domani|sabato|domenica|amanhã|sexta|segunda|zaterdag|zondag|jutro)\b"
    r"|(?<=\s)(?!I\b)(?-i:[A-ZÄÖÜÉ])\w",
    re.IGNORECASE,
)
"""What may say more: where, when, with whom, which one, how, or another question."""
_HEARD_FROM = re.compile(
    r"\b(?:in the (?:papers?|news|gazette|leaflet|brochure|newsletter)|(?:ca|do|did)n['’]?t|i once read (?:it|that))\b",
    re.IGNORECASE,
)
"""What says only where somebody had it from."""
_BETWEEN_CLAUSES = re.compile(r"(?:[,;?.!…]|\.{2,5}|\s[-–—]{1,3})\s+")
"""What stands between clauses."""
_ASKS_WHAT_TO_DO = re.compile(
    r"\W*(?:what|who|how) (?:do|can|should|could|must) (?:i|we) \w+(?: it)?\W*$", re.IGNORECASE
)
"""Asks what is to be done: of what, only the reason says."""
MIN_LEFT_WORDS, MIN_TOLD_WORDS = 3, 3
"""Words of the question that is left, and of the reason behind it, at least."""
MAX_HURRIED_CHARS = 400
"""Characters of such a message at most."""


def without_reason(message: str) -> str:
    """A question without the clauses behind it that only say why it is asked; any other message as it is."""
    said = message.strip()
    if len(said) > MAX_HURRIED_CHARS or "\n" in said or ":" in said or TRANSLATES.search(said):
        return message
    if QUOTED_TEXT.search(said) or NOT_WORDS.search(said) or not _BEGINS_ASKING.match(said):
        return message
    for joint in _BETWEEN_CLAUSES.finditer(said):
        asked = said[: joint.start()].rstrip() + ("?" if "?" in joint[0] else "")
        if (
            len(asked.split()) >= MIN_LEFT_WORDS
            and not _ASKS_WHAT_TO_DO.match(asked)
            and is_reason(said[joint.end() :].strip(" .!"))
        ):
            return asked
    return message


def is_reason(told: str) -> bool:
    """Whether all that is told says why somebody asks: "i read about it in the paper but i cant find that anymore"."""
    enough = len(told.split()) >= MIN_TOLD_WORDS
    return enough and _TELLS_WHY.match(told) is not None and not _SAYS_MORE.search(_HEARD_FROM.sub(" ", told))
