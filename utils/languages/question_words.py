"""Questions for an hour, a day and a price, by their words in some twenty languages: a translation may lose them."""

import re
from functools import lru_cache

_DOES_FOR_LIVING = re.compile(
    r"\b(?P<what>[Ww]hat) (?:does|do|did) (?:(?:(?:my|our|his|her|their|your) [a-z]{1,20} )?"
    r"(?P<name>[^\W\d_a-z][\w-]{1,30}(?: [^\W\d_a-z][\w-]{1,30}){0,3})|(?P<who>\w{1,20}(?: \w{1,20})?)) "
    r"do (?:for (?:a living|work)|professionally|as (?:a|his|her|their) (?:job|profession))"
    r"(?=\W*$|\s?[?.,;]| (?:now|today|in|at)\b)"
)
"""What asks in English for the trade of somebody, with whose cousin they are left out before a name."""
_WHOSE = {"he": "his", "she": "her", "they": "their", "you": "your", "i": "my", "we": "our"}
_ASKS_HOUR = re.compile(
    r"\b(?:(?:um|bis|ab|gegen) (?:wie ?viel uhr|welche uhrzeit)|wie ?viel uhr|(?:à|jusqu['’]à|vers|dès) quelle heure"
    r"|(?:a|hasta|desde) qué hora|(?:a|fino a|dalle) che ora|(?:a|até|desde) que horas?|hoe laat"
    r"|^\W*(?:[ai] )?(?:o|do|od) której|v kolik(?: hodin)?|(?:do|od) kolika hodin|vilken tid|hur dags|hvad tid"
    r"|hvilken tid|mihin aikaan|la ce oră|hány órakor|(?:в|до) (?:котор\w+ час\w*|сколько часов|скольки)"
    r"|(?:о|до) котр\w+|τι ώρα|saat kaç\w*|mấy giờ)\b"
    r"|几点|幾點|何時|몇 시",
    re.IGNORECASE,
)
_ASKS_PRICE = re.compile(
    r"\b(?:was (?:kostet|kosten|zahlt|zahlen|bezahlt)|wie ?viel (?:kostet|kosten|zahlt|zahle|muss ich (?:be)?zahlen)"
    r"|combien (?:ça |cela |est-ce que )?(?:co[uû]t\w*|pai\w+|payer|faut-il payer)|quel est le (?:prix|tarif)"
    r"|cuánto (?:cuesta|cuestan|vale|se paga|hay que pagar)|quanto (?:costa|costano|si paga|custa|custam|se paga)"
    r"|wat (?:kost|kosten|betaal|betaalt)|hoeveel (?:kost|betaal)|ile (?:kosztuj\w+|płac\w+|\w+ (?:kosztuj\w+|płac\w+))"
    r"|kolik (?:stojí|se platí)|vad kostar|hvad koster|hva koster|mitä maksaa|paljonko maksaa|cât costă|mennyibe kerül"
    r"|сколько стоит|скільки коштує|πόσο κοστίζει|ne kadar (?:tutar|eder|öde\w*)"
    r"|kaç (?:para|lira|euro)|giá bao nhiêu)\b|多少钱|多少錢|いくら|얼마",
    re.IGNORECASE,
)
_BEGINS_WITH_WHEN = re.compile(
    r"(?:^|[.;:!?…]\s)\W{0,3}(?:(?:und|et|y|e|en|och|og|i|a|и|та|ve) )?(?:(?:(?:bis|seit) )?wann"
    r"|(?:(?:depuis|jusqu['’]à|pour) )?quand|(?:(?:hasta|desde|para) )?cuándo"
    r"|(?:(?:fino a|entro|per|até|desde|para) )?quando|(?:(?:tot|vanaf|sinds) )?wanneer|när|hvornår|når"
    r"|(?:(?:do|na) )?kiedy|(?:do)?kdy|(?:до )?когда|(?:до )?коли|(?:μέχρι )?πότε"
    r"|ne zaman\w*|mikor\w*|meddig|milloin|(?:până )?când|khi nào|bao giờ)\b(?![^?]{0,300},)"
    r"|什么时候|什麼時候|何时|几号(?![线線楼樓出口车車公门門球馆館店厅廳])|哪一?天|いつ(?![もか])|언제(?!나|든|라도)",
    re.IGNORECASE,
)
"""Begins with asking when; "when it rains, ..." does not."""
PLAINLY_ASKING = (
    r"(?:how (?:late|long|much|many|far|old|early) (?:is|are|do|does|did|will|can|would)"
    r"|what (?:time|do|does|is the|are the)"
    r"|when (?:do|does|is|are|will)|where (?:is|are|do|does|can)|which \w{2,20} (?:is|are|do|does|should))\b"
)
"""What a clause in English begins with that asks: "what does it cost", and not "what it costs"."""
_ASKING_WORD = (
    r"(?:what|which|when|where|who|how|is|are|can|may|do|does|did|was|wann|wo|wer|welche\w?|wie|quand|cuándo)\b"
)
_PART_END = re.compile(
    r"(?<=[^\W\d_]{3}\.)\s+|(?<=(?-i: [a-z]{2})\.)\s+(?=(?-i:[A-Z]))"
    rf"|,\s+(?={PLAINLY_ASKING})|(?<=\.\.)\s+|(?<=[!?…])\s+|(?<=\d\.)\s+(?={_ASKING_WORD})",
    re.IGNORECASE,
)
"""What ends a sentence, and no abbreviation: "7 a.m. on Sunday", "Dr. Roth", "am 3. Mai"."""
_BEGINS_WITH_AND = re.compile(
    r"^\W{0,3}(?:(?:and|but|so|then|ok|okay|und|aber|et|mais|y|pero|e|ma|mas|en|maar|och|а|и)\b,? ){1,3}(?=\w+ \w)",
    re.IGNORECASE,
)
_ACCORDING_TO = re.compile(
    r"(?:, (?:according to|laut|selon|d['’]après|según|secondo|segundo|volgens)"
    r"| according to (?=(?:the|this|these|that|your|my|our|its|their)\b)) [^,.;?]{2,60}(?=\??\s{0,3}$)",
    re.IGNORECASE,
)
_ASKING_SIGNS = ("?", "？", "؟")
MIN_ASKING_PART = 3
"""Words of what asks, at least: "say 12?" says no more than how many."""


def asks_hour(question: str) -> bool:
    """Whether a question, not in English, asks for a time of the day."""
    return _ASKS_HOUR.search(question) is not None


def asks_price(question: str) -> bool:
    """Whether a question, not in English, asks what something costs."""
    return _ASKS_PRICE.search(question) is not None


def asks_when(question: str) -> bool:
    """Whether a question, not in English, begins with asking when, since when or until when."""
    return _BEGINS_WITH_WHEN.search(question) is not None


@lru_cache(maxsize=1024)
def asking_part(text: str) -> str:
    """The sentences of a message that ask, if any do; else all of it."""
    parts = (part for part in _PART_END.split(text) if part.rstrip(" \"'”’»)").endswith(_ASKING_SIGNS))
    asking = " ".join(part for part in parts if len(part.split()) >= MIN_ASKING_PART)
    return asking or text


def bare_question(question: str) -> str:
    """A question without the "and" that it begins with and without the source that it ends with: of neither a passage
    says a word, and where is "..., according to the guide?" to be found but there?

    What somebody does for a living is asked as their profession: no passage says "living" of a baker.
    """
    bare = _ACCORDING_TO.sub("", _BEGINS_WITH_AND.sub("", question))
    bare = _DOES_FOR_LIVING.sub(_profession_of, bare)
    whole = bare == question or len(bare.split()) < MIN_ASKING_PART
    return question if whole else f"{bare[:1].upper()}{bare[1:]}"


def _profession_of(asked: re.Match[str]) -> str:
    who = asked["name"] or asked["who"]
    return f"{asked['what']} is {_WHOSE.get(who.lower()) or f'{who}’s'} profession"
