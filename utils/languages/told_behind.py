"""What a message in a hurry tells behind its question: "when does it close, i want to go after work" asks one thing."""

import re

from utils.languages.message_parts import NOT_WORDS, QUOTED_TEXT, TRANSLATES

_BEGINS_ASKING = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|and|but|or|also|then|und|oder|aber|dann|vale|et|ou|y|o|e|ed|en|och|og|a|i)\b[,.]?\s+){0,3}"
    r"(?:(?:at|from|until|till|to|since|by|for|in|on|with|um|bis|ab|seit|bei|mit|für|in|an|von|à|de|jusqu['’]à|depuis|avec"
    r"|pour|hasta|desde|con|para|por|fino|dalle|da|até|tot|vanaf|met|voor|till|från|med|fra|do|od|z|dla)\s+){0,2}"
    r"(?:who|whose|whom|what|which|when|where|why|how|whos|whats|whens|wheres|whys|hows|do|does|did|is|are|was|were|can"
    r"|could|may|must|will|would|should|has|have|wer|wen|wem|wessen|was|welche\w?|wann|wo|wohin|woher|warum|wieso|weshalb"
    r"|wie|wieviel\w*|darf|kann|kannst|gibt|qui|que|quoi|quel\w*|quand|où|pourquoi|comment|combien|est-ce|peut-on"
    r"|qu['’]est-ce|on peut \w+ combien|quién\w*|qué|cuál\w*|cuándo|cuanto|cuánt\w+|dónde|cómo|cuando|donde|quien|chi"
    r"|cosa|che|quale|quali|quando|dove|perché|quant\w|come|posso|quem|qual|quais|onde|aonde|como|wie|wat|welk\w?"
    r"|wanneer|waar|waarom|hoe|hoeveel|mag|kan|vem|vad|vilk\w+|när|var|varför|hur|får|hvem|hvad|hva|hvilk\w+|hvornår"
    r"|når|hvor|hvordan|kto|kogo|co|jaki\w*|jak|jaką|które\w*|która|który|której|kiedy|gdzie|ile|czy|dlaczego|kdo|kdy"
    r"|kde|kolik|proč)\b",
    re.IGNORECASE,
)
"""What a question begins with, in a dozen languages."""
_BEGINS_TELLING = re.compile(
    r"(?:(?:and|but|because|cause|cos|cuz|since|as|so|und|aber|denn|weil|da|et|mais|car|parce que|y|pero|porque"
    r"|es que|e|ma"
    r"|perché|mas|en|maar|want|omdat|och|men|för|og|fordi|bo|ale|a|protože)\s+)?"
    r"(?:i|i['’](?:m|ve|d|ll)|im|ive|id|we|we['’](?:re|ve|d|ll)|weve|my|our|he|he['’]s|hes|she|she['’]s|shes|they"
    r"|they['’]re|theyre|need|want|asking|just|cant|dont|didnt"
    r"|the \w+ (?:do|does|did|is|are|was|were|ca|has|have|wo)(?:n['’]?t|n['’]?t\b| not|\b)"
    r"|ich|wir|mein\w{0,2}|unser\w{0,2}|hab|habe|haben|brauch\w?|will|wollen|muss|müssen"
    r"|je|j['’]\w+|nous|on (?:va|veut|voudrait|voulait|arrive|part|vient|doit)|c['’]est|cest|mon|ma|mes|notre|nos"
    r"|yo|quiero|queremos|tengo|tenemos|voy|vamos|estoy|estamos|soy|somos|mi|mis|nuestr\w+|no \w+"
    r"|io|voglio|vorrei|vogliamo|vorremmo|ho|abbiamo|devo|dobbiamo|vado|andiamo|mio|mia|miei|nostr\w|non \w+|lo \w+"
    r"|eu|quero|queremos|tenho|temos|vou|preciso|confundo|meu|minha|nós|nosso|nossa|não \w+"
    r"|ik|wij|mijn|ons|onze|hij|jag|vi|min|mina|mitt|vår\w?|jeg|vores|ja|my|chcę|chcemy|mam|mamy|muszę"
    r"|potrzebuję|jestem|jesteśmy|jadę|jedziemy|mój|moja|moje|nasz\w*|mám|chci|chceme|potřebuji|jsem|můj)\b",
    re.IGNORECASE,
)
"""What tells something and asks nothing begins with: mostly who says it."""
_MAY_BE_CONDITION = re.compile(
    r"^\W*(?:\w+ ){0,2}(?:\w+['’](?:m|s|re|ve)|im|ive|weve|hes|shes|theyre|cest|c['’]est|j['’]ai|jai|am|is|are"
    r"|was|were|has"
    r"|have|bin|sind|ist|hab|habe|haben|hat|suis|est|sommes|sont|avons|a|soy|somos|es|son|estoy|estamos|está|tengo|tenemos"
    r"|tiene|sono|siamo|è|ho|abbiamo|ha|sou|é|são|estou|estamos|tenho|temos|tem|ben|zijn|heb|hebben|heeft|är|har|er"
    r"|jestem|jesteśmy|mam|mamy|jsem|jsme|mám|máme|live|lives|wohne|wohnen|only|not|isn['’]?t|aren['’]?t|ohne|without)\b"
    r"|\d|\b(?:please|pls|bitte|s['’]il (?:te|vous)|por favor|per favore|alsjeblieft)\b",
    re.IGNORECASE,
)
"""What may be a condition: who somebody is and what they have says which price is theirs; or how it is to be told."""
_SAYS_WHICH = re.compile(
    r"\b(?:mean|meant|which|who|what|where|when|how|or|not the|the one|instead|mein(?:e|te)|gemeint|sondern|oder)\b|\?",
    re.IGNORECASE,
)
"""What says which one was meant, or asks once more."""
_CLAUSE_JOINT = re.compile(r"(?:[,;?.!…]|\.{2,5}|\s[-–—]{1,3})\s+")
"""What stands between clauses."""
MIN_LEFT_WORDS, MIN_TOLD_WORDS = 3, 3
"""Words of the question that is left, and of what is told behind it, at least."""
MAX_HURRIED_CHARS = 400
"""Characters of such a message at most."""


def without_told_behind(message: str) -> str:
    """A question without the clauses behind it that ask nothing, but say why it is asked; any other message as it is.

    What they say may still tell which answer is the right one: who is a student pays less.
    """
    if len(message) > MAX_HURRIED_CHARS or "\n" in message.strip() or ":" in message or TRANSLATES.search(message):
        return message
    if QUOTED_TEXT.search(message) or NOT_WORDS.search(message) or not _BEGINS_ASKING.match(message):
        return message
    asked = message
    for joint in reversed(list(_CLAUSE_JOINT.finditer(message))):
        clause = asked[joint.end() :].strip()
        if not clause:
            continue
        if len(clause.split()) < MIN_TOLD_WORDS or not _BEGINS_TELLING.match(clause):
            break
        if _MAY_BE_CONDITION.search(clause) or _SAYS_WHICH.search(clause):
            break
        asked = asked[: joint.start()].strip() + ("?" if "?" in joint[0] else "")
    return asked if len(asked.split()) >= MIN_LEFT_WORDS else message
