"""Questions that were typed without their mark: "how heavy is the mixer, i live on the 4th floor".

What tells a question from a wish or a statement looks for the mark, and small models heed it.
"""

import re

from utils.languages.detection import language_of
from utils.languages.message_parts import QUOTED_TEXT, TRANSLATES

BEGINS_ASKING = re.compile(
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
    r"|kde|kolik|proč|кто|кому|что|где|куда|когда|сколько|почему|какой|какая|какие|хто|що|коли|скільки|чому)(?:['’]s)?\b",
    re.IGNORECASE,
)
"""What a question begins with, in a dozen languages."""
_VERB = r"(?:is|are|was|were|do|does|did|can|could|may|must|will|would|should|has|have|had)(?:n['’]?t)?"
_PERSON = r"(?:i|you|we|he|she|it|they|u|your?|my|our|his|her|their)(?:['’]\w{1,2})?"
_ASKS_IN_ENGLISH = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|and|but|or|also|then|oh|hi|hey|well|right|cool)\b[,.]?\s+){0,3}"
    r"(?:(?:at|from|until|till|to|since|by|for|in|on|with|about)\s+)?"
    rf"(?:(?:who|what|where|how|when)['’]?s\b(?! more\b)|(?:who|what|when|where|why|how|whom)\s+{_VERB}\b"
    rf"|(?:what|which|whose|how)\s+(?!{_PERSON}\s)(?:[\w'’-]+\s+){{1,4}}?{_VERB}\b"
    r"|how (?:much|many|long|far|old|big|tall|high|heavy|late|early|often|deep|wide|fast|hot|cold|loud|come|about)\b"
    rf"(?!\s+{_PERSON}\b)"
    rf"|who\s+(?!{_PERSON}\b)\w+\s+\w"
    rf"|(?:which|what)\s+(?!(?:{_PERSON}|on earth|a|an|the)\b)(?:\w+\s+)?\w+(?:s|ed|ould)\b"
    r"|(?:is|are|was|were|do|does|did|can|could|may|must|will|would|should|has|have)(?:n['’]?t)?\s+"
    r"(?:the|this|these|those|there|it|they|he|she|we|i|my|our|his|her|their|any(?:one|body|thing)?|some(?:one|body)"
    r"|kids|children|dogs|people|visitors|students|members|entry|parking|breakfast)\b(?!\s+you\b))",
    re.IGNORECASE,
)
"""What a message in English begins with that asks, and tells nothing: "what i like" begins otherwise."""
_CONTRACTED = r"(?:i|we|he|she|it|they)['’]?(?:m|s|re|ve)"
_TOLD_BY = (
    rf"(?:i|we|he|she|it|they|my|our|his|her|their|{_CONTRACTED}"
    r"|ich|wir|mein\w{0,2}|unser\w{0,2}|bin|je|j['’]\w+|nous|mon|ma|mes|notre|nos|yo|soy|tengo|vivo|somos|tenemos|mis?"
    r"|sono|ho|abito|siamo|abbiamo|mi[oa]|sou|tenho|moro|somos|temos|meu|minha|ik|wij|mijn|onze|jag|jeg|min|mitt"
    r"|jestem|mam|mój|moja|mieszkam|jsem|mám)"
)
_BEFORE_REMARK = re.compile(
    rf"\s?(?:[,;.]|\s[-–—]{{1,3}})\s+(?:(?={_TOLD_BY}\s+\S+\s+\S)|(?={_CONTRACTED}\s+\S))", re.IGNORECASE
)
"""Between a question and what its author tells beside it."""
_OWN_CLAUSE = re.compile(
    r"\W*(?:(?:und|aber|en|och|og|so)\s+)?(?:\w+\s+){1,2}(?:i|we|ich|wir|du|ihr|mein\w{0,2}|ik|wij|mijn|jag|jeg|min|mitt)\b",
    re.IGNORECASE,
)
"""What begins like a question and tells: "was ich mag"; languages that turn the order round to ask."""
_ALSO_JOINS = re.compile(
    r"\W*(?:quand|où|comme|cuando|como|donde|quando|come|dove|perché|onde|quem|wo|wie|wanneer|waar|när|var|når|hvor"
    r"|kiedy|gdzie|jak|co|kdy|kde|когда|где|как|что|коли|де|що)\b",
    re.IGNORECASE,
)
"""What begins a clause before another one as well: "quand je vais à Paris, je prends le train"."""
_WISHES_FOR_AN_ACT = re.compile(
    r"\b(?:remind|remember|forget|note|keep in mind|erinner|merk|vergiss|rappel|souvien|oubli|recu[eé]rd|recorda|olvid"
    r"|anot|ricord|dimentic|lembr|esque[cç]|herinner|onthou|vergeet|påminn|kom ihåg|przypomn|zapamięt|připom|translate"
    r"|write|summari|rewrite|please|bitte|напомн|запомн)",
    re.IGNORECASE,
)
"""What wishes for something to be done."""
_ASKED_IN_CJK = re.compile(r"(?:[吗嗎呢]|什么|什麼|几点|幾點|多少钱|多少錢|哪里|哪裡|ですか|ますか|でしょうか)$")
_ENDS_BEFORE_ANOTHER = re.compile(r"[.!…]\s+")
MAX_UNMARKED_CHARS = 300
"""Characters of such a message at most."""


_ONE_MORE_CASE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|oh|so),? )?(?:(?:and|what about|how about)(?: (?:for|on|at))|und (?:für|am|an)|et pour"
    r"|y para|e (?:per|para)|en (?:voor|op)|och (?:för|på)|og (?:for|på)|a (?:dla|w))\s+(?!that\b|this\b|what\b)"
    r"[\w'’-]{1,30}(?: [\w'’-]{1,30}){0,5}",
    re.IGNORECASE,
)
"""What goes on with one more case of what was asked: "and for my gran"."""


def with_question_mark(message: str) -> str:
    """A message that asks without a mark with one behind what it asks; any other message as it is."""
    said = message.strip()
    if not said or "?" in said or "？" in said or "؟" in said or "\n" in said or len(said) > MAX_UNMARKED_CHARS:
        return message
    if _ASKED_IN_CJK.search(said):
        return f"{said}？"
    if ":" in said or QUOTED_TEXT.search(said) or TRANSLATES.search(said) or _WISHES_FOR_AN_ACT.search(said):
        return message
    remark = _BEFORE_REMARK.search(said)
    asked, told = (said[: remark.start()], said[remark.end() :]) if remark else (said, "")
    if not _asks(asked) or (told and _ALSO_JOINS.match(asked)):
        # What is told may stand before the question as well.
        *before, last = _ENDS_BEFORE_ANOTHER.split(said)
        return f"{said.rstrip(' .,;!')}?" if before and _asks(last) else message
    return f"{asked.rstrip(' .,;!')}? {told}".rstrip()


def _asks(said: str) -> bool:
    """Whether one sentence asks: of languages other than English one clause, for "quand" begins others too."""
    one = said.rstrip(" .!")
    if _ONE_MORE_CASE.fullmatch(one):
        return True
    if _ENDS_BEFORE_ANOTHER.search(one):
        return False
    if _ASKS_IN_ENGLISH.match(one):
        return True
    begins = BEGINS_ASKING.match(one)
    foreign = language_of(one) not in (None, "en")
    return bool(begins and foreign) and not (_OWN_CLAUSE.match(one) or "," in one)
