"""Questions that were typed without their mark: "how heavy is the mixer, i live on the 4th floor".

What tells a question from a wish or a statement looks for the mark, and small models heed it. Only what is plainly a
question gets one: a statement with it would be lost as one.
"""

import re
from functools import lru_cache

from utils.languages.detection import language_of
from utils.languages.message_parts import QUOTED_TEXT, TRANSLATES
from utils.languages.question_words import PLAINLY_ASKING

_PERSON = r"(?:i|you|we|he|she|it|they|u|your?|my|our|his|her|their)(?:['’]\w{1,2})?"
_VERB = r"(?:is|are|was|were|do|does|did|can|could|may|must|will|would|should|has|have|had)(?:n['’]?t)?"
_ASKS_IN_ENGLISH = re.compile(
    r"\W*(?:(?:ok(?:ay)?|so|and|but|or|also|then|oh|hi|hey|well|right|cool)\b[,.]?\s+){0,3}"
    r"(?:(?:at|from|until|till|to|since|by|for|in|on|with|about)\s+)?"
    rf"(?:(?:who|what|where|how|when)['’]?s\b(?! more\b)|(?:who|what|when|where|why|how|whom)\s+{_VERB}\b"
    rf"|(?:what|which|whose|how)\s+(?!{_PERSON}\s|(?:an?|the)\b|(?:matters|counts|bothers|annoys|worries|helps)\b)"
    rf"(?:[\w'’-]+\s+){{1,4}}?{_VERB}\b"
    r"|how (?:much|many|long|far|old|big|tall|high|heavy|late|early|often|deep|wide|fast|hot|cold|loud|come|about)\b"
    rf"(?!\s+{_PERSON}\b)"
    rf"|who\s+(?!{_PERSON}\b)\w+\s+\w"
    rf"|(?:which|what)\s+(?!(?:{_PERSON}|on earth|an?|the)\b|(?:matters|counts|bothers|annoys|worries|helps)\b)"
    r"(?:\w+\s+)?\w+(?:s|ed|ould)\b"
    r"|(?:is|are|was|were|does|did|can|could|must|will|would|has)(?:n['’]?t)?\s+"
    r"(?:the|this|these|those|there|it|they|he|she|we|i|any(?:one|body|thing)?|some(?:one|body)"
    r"|kids|children|dogs|people|visitors|students|members|entry|parking|breakfast)\b(?!\s+you\b)"
    r"|(?:can|could|does|is|are) (?:my|our|his|her|their)\b"
    r"|(?:do|should|have)(?:n['’]?t)? (?:i|we|they)\b|may (?:i|we)\b)",
    re.IGNORECASE,
)
"""What a message in English begins with that asks, and tells nothing: "what i like" begins otherwise."""
_BEFORE_ASKING = r"\W*(?:(?:ok(?:ay)?|so|und|aber|et|mais|y|pero|e|ed|ma|mas|en|maar|och|men|og|i|a|а|и|і)\b,?\s+){0,2}"
_ASKS_BY_LANGUAGE = {
    "de": r"(?:(?:um|bis|ab|seit) )?(?:wann|wie ?viel(?:e|en)? \w+|wie lange|welche[rnsm]? \w+)|wer|wem|wen"
    r"|wie ?viel\w*|wo(?:hin|her)?|warum|wieso|weshalb"
    r"|wie (?:lange|teuer|hoch|weit|alt|schwer|gro(?:ß|ss)|oft|spät|hei(?:ß|ss)t|komm\w+|ist|sind|funktioniert)"
    r"|was (?:kostet|kosten|zahl\w*|ist|sind|war|mach\w+|bedeutet|muss|darf|kann|hei(?:ß|ss)t)|gibt es"
    r"|darf (?:ich|man|mein)",
    "fr": r"combien|(?:à|jusqu['’]à) quelle heure|quel(?:le)?s? (?:est|sont)|est-ce|y a-t-il|peut-on|qu['’]est-ce"
    r"|pourquoi"
    r"|(?:quand|où|comment|qui) (?:est|sont|ferme|ouvre|commence|part|arrive|a|finit|peut|se|s['’]|puis|dois|faire"
    r"|aller)|c['’]est (?:quoi|combien|quand|où)",
    "es": r"(?:(?:a|hasta|desde) )?qu[ée] hora|a q hora|cuánt[oa]s?|cuándo|dónde|quién(?:es)?|cuál(?:es)?"
    r"|cuanto (?:cuesta|vale|dura|tiempo|pag\w+)|cuando (?:abre|cierra|empieza|sale|llega|termina)"
    r"|donde (?:est[aá]|queda)",
    "it": r"(?:a|fino a) che ora|quant[oaie]"
    r"|(?:fino a )?quando (?:apre|chiude|inizia|parte|è|arriva|finisce|comincia)|dove (?:si|è|sono|posso|sta)"
    r"|chi (?:ha|è|era)|qual(?:i|e)?\b|si può",
    "pt": r"(?:a|até) que horas|quant[oa]s?|(?:até )?quando (?:abre|fecha|começa|é|sai|parte|chega)"
    r"|onde (?:fica|é|posso|está)|quem (?:é|foi|escreveu|fez)|qua(?:l|is)",
    "nl": r"(?:tot )?hoe (?:laat|lang|duur|ver|oud|veel|zwaar|groot|vaak|heet)|hoeveel|(?:tot )?wanneer|welke \w+"
    r"|waarom|wat (?:kost|kosten|is|zijn|betaal\w*|doet|moet)|waar (?:is|kan|ligt|zijn|staat)"
    r"|wie (?:is|heeft|was|zijn)|mag (?:ik|je|mijn)",
    "sv": r"vad (?:kostar|är|heter|gör)|när (?:öppnar|stänger|går|börjar|kommer)"
    r"|hur (?:mycket|lång\w*|länge|många|dags|gammal|ofta)|vilken \w+|vilka \w+|var (?:ligger|finns)|vem"
    r"|får (?:jag|man)",
    "da": r"hvad (?:koster|er|hedder)|hvornår|hvor (?:meget|lang\w*|længe|mange|ligger|er)|hvem|hvilken \w+",
    "no": r"hva (?:koster|er|heter)|når (?:åpner|stenger|går|begynner)|hvor (?:mye|lang\w*|lenge|mange|ligger|er)"
    r"|hvem|hvilken \w+",
    "pl": r"ile|kiedy|kto|czy|(?:do|od|o) której|gdzie (?:jest|są|można)|jak (?:długo|daleko|często|dojechać)"
    r"|dlaczego|jak(?:i|a|ie) (?:jest|są)",
    "cs": r"kolik|kdy|kdo|v kolik|proč|kde (?:je|jsou)|jak (?:dlouho|daleko)|jak(?:á|ý|é) (?:je|jsou)",
    "ru": r"сколько|когда|кто|почему|во сколько|до скольки|где (?:находится|можно|есть)"
    r"|как(?:ой|ая|ие|ое) (?!разница)\w+ \w+",
    "uk": r"скільки|коли|хто|чому|о котрій|де (?:знаходиться|можна|є)",
}
"""What a question begins with, by the language (ISO 639-1): what begins other clauses and cries too is left out, or
stands with its verb."""
_CONTRACTED = r"(?:i|we|he|she|it|they)['’]?(?:m|s|re|ve)"
_TOLD_BY = (
    rf"(?:i|we|he|she|it|they|my|our|his|her|their|{_CONTRACTED}"
    r"|ich|wir|mein\w{0,2}|unser\w{0,2}|je|j['’]\w+|nous|mon|ma|mes|notre|nos|yo|soy|tengo|vivo|somos|tenemos|mis?"
    r"|sono|ho|abito|siamo|abbiamo|sou|tenho|moro|temos|ik|wij|mijn|onze|jag|jeg|min|mitt"
    r"|jestem|mam|mój|moja|mieszkam|jsem|mám)"
)
_BEFORE_REMARK = re.compile(
    rf"\s?(?:[,;.]|\s[-–—]{{1,3}})\s+(?:(?={_TOLD_BY}\s+\S+\s+\S)|(?={_CONTRACTED}\s+\S))", re.IGNORECASE
)
"""Between a question and what its author tells beside it."""
_OWN_CLAUSE = re.compile(
    r"\W*(?:\w+\s+){1,3}(?:ich|wir|du|ihr|mein\w{0,2}|ik|wij|mijn|jag|min|mitt|jeg)\b", re.IGNORECASE
)
"""What begins like a question and tells, in languages that turn the order round to ask: "wo ich wohne"."""
_WISHES_FOR_AN_ACT = re.compile(
    r"\b(?:remind|remember|forget|note|keep in mind|erinner|merk|vergiss|rappel|souvien|oubli|recu[eé]rd|recorda|olvid"
    r"|anot|ricord|dimentic|lembr|esque[cç]|herinner|onthou|vergeet|påminn|kom ihåg|przypomn|zapamięt|připom|translate"
    r"|write|summari|rewrite|please|bitte|напомн|запомн)",
    re.IGNORECASE,
)
"""What wishes for something to be done."""
_ASKED_IN_CJK = re.compile(r"(?:[吗嗎呢]|几点|幾點|多少钱|多少錢|哪里|哪裡|ですか|ますか|でしょうか)$")
_ENDS_BEFORE_ANOTHER = re.compile(r"[.!…]\s+")
_ONE_MORE_CASE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|oh|so),? )?(?:(?:and|what about|how about) for|and on (?=\w+days?\b)|und für|et pour|y para"
    r"|e para|e per|en voor|och för|og for|a dla)\s+(?!that\b|this\b|what\b|now\b|dessert\b|favore\b|finir\b"
    r"|terminar\b|finire\b)(?:(?:an?|the|my|our|two|three|\d{1,3}|mein\w{0,2}|de[nr]|die|mon|ma|mes|les|mis?|il|mio"
    r"|mia|mijn|min) )?[\w'’-]{2,30}(?: (?:under|over|unter|über) \d{1,3})?",
    re.IGNORECASE,
)
"""What goes on with one more case of what was asked: "and for my gran"."""
_ASKS_BEHIND_COMMA = re.compile(rf"^[^,]{{6,200}}, {PLAINLY_ASKING}[^,]{{3,100}}$", re.IGNORECASE)
"""What tells something and asks behind a comma: "we come on Friday, how late are you open"."""
MAX_UNMARKED_CHARS = 300
"""Characters of such a message at most."""
MIN_FOREIGN_WORDS = 3
"""Words of a question in a language other than English, at least."""


@lru_cache(maxsize=1024)
def with_question_mark(message: str) -> str:
    """A message that asks without a mark with one behind what it asks; any other message as it is."""
    said = message.strip()
    if (
        not said
        or any(sign in said for sign in "?？؟\n:")
        or said.endswith(("!", "…"))
        or len(said) > MAX_UNMARKED_CHARS
    ):
        return message
    if _ASKED_IN_CJK.search(said):
        return f"{said}？"
    if QUOTED_TEXT.search(said) or TRANSLATES.search(said) or _WISHES_FOR_AN_ACT.search(said):
        return message
    remark = _BEFORE_REMARK.search(said)
    asked, told = (said[: remark.start()], said[remark.end() :]) if remark else (said, "")
    if _asks(asked):
        return f"{asked.rstrip(' .,;')}? {told}".rstrip()
    # What is told may stand before the question as well.
    *before, last = _ENDS_BEFORE_ANOTHER.split(said)
    behind = before and _ASKS_IN_ENGLISH.match(last) and " " in last
    return f"{said.rstrip(' .,;')}?" if behind or _ASKS_BEHIND_COMMA.search(said) else message


def _asks(said: str) -> bool:
    """Whether one sentence asks: of languages other than English one clause."""
    one = said.rstrip(" .")
    if _ENDS_BEFORE_ANOTHER.search(one):
        return False
    if _ONE_MORE_CASE.fullmatch(one) or _ASKS_IN_ENGLISH.match(one):
        return True
    begins = _ASKS_BY_LANGUAGE.get(language_of(one) or "", "")
    if not begins or "," in one or len(one.split()) < MIN_FOREIGN_WORDS:
        return False
    return bool(re.match(rf"{_BEFORE_ASKING}(?:{begins})\b", one, re.IGNORECASE)) and not _OWN_CLAUSE.match(one)
