"""What of a message is said, and what only quoted, or no words at all; and whether the quoted is to be translated."""

import re

from utils.languages.language_names import mentioned_languages, named_language

QUOTED_TEXT = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|»[^«»\n]{1,400}«|「[^「」\n]{1,400}」|『[^『』\n]{1,400}』"
    r"|(?<!\w)['‘‚][^'’‘\n]{2,400}['’‘](?!\w)|^[^\S\n]*>.*$",
    re.M,
)
NOT_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|www\.\S+|[^\s@]{1,64}@[^\s@]{1,255}\.\w+|@\S+|(?<!\S)[~.]?/[\w./-]+"
    r"|(?<![\w-])(?<![\w-]\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,4}(?!\w)|\[\d+\]|</?\w[^<>\n]*>|\{\w+\}",
    re.S,
)
TRANSLATES = re.compile(
    r"(?i)\b(?:translat|tradu|übersetz|vertaal|översätt|oversæt|oversett|käännä|przetłum|přelož|prelož|fordít|перевед|переклад"
    r"|преведи|μετάφρα|μεταφρά|çevir|terjemah|dịch)|ترجم|תרג|अनुवाद|翻译|翻譯|訳|번역"
)
_ASIDE_WORDS = (
    r"by the way|btw|incidentally|übrigens|nebenbei(?: gesagt| bemerkt)?|apropos|au fait|d['’]ailleurs|por cierto"
    r"|a propósito|a proposito|aliás|trouwens|overigens|förresten|forresten|przy okazji|mimochodem"
    r"|кстати|до речі|bu arada"
)
_ASKS_WORDING = re.compile(
    rf"\W*(?:(?:and|so|ok|okay|oh|hey|und|et|y|e|en|{_ASIDE_WORDS})\b\W+){{0,3}}"
    r"(?:how (?:do|does|would|can) (?:you|one|we|i) say\b"
    r"|wie (?:sagt man|sage ich|hei(?:ß|ss)t (?:das wort )?\W?\w+\W? auf)\b"
    r"|comment (?:on dit|dit-on|se dit|dire)\b|c[óo]mo se dice\b|come si dice\b|como se diz\b"
    r"|hoe zeg je\b|jak (?:się mówi|powiedzieć)\b)[^,;?]{1,80}\W*$",
    re.IGNORECASE,
)
"""A message that asks for a word in another language and nothing else, in eight languages."""
_SAID_ASIDE = re.compile(
    rf"^(?:(?:oh|ah|ok|okay|well|and|und|et|y|e|en)\b[,.!]?\s+)?(?:{_ASIDE_WORDS})\b[,:]?\s+"
    rf"|(?<![\s,])(?<!\bfor),?\s{{1,3}}(?:{_ASIDE_WORDS})(?=\s{{0,3}}[?.!]{{0,3}}$)",
    re.IGNORECASE,
)
_NEW_SUBJECT = re.compile(
    r"^\W*(?:(?:oh|ah|ok|okay|well|now|and|so|und|nun|et|y|e|en)\b[,.!]?\s+)?(?:(?:to|for|now for) )?"
    r"(?:something (?:\w+ )?(?:else|different)|(?:an)?other (?:question|topic|subject|thing)"
    r"|a different (?:question|subject)|(?:new|next) (?:question|topic|subject)|one more (?:question|thing)"
    r"|changing the subject|on another (?:note|subject)|(?:et)?was (?:ganz )?anderes"
    r"|(?:eine? )?andere (?:frage|sache)|ander(?:e|es) thema|(?:neue|noch eine) frage|themenwechsel"
    r"|(?:une )?autre (?:chose|question)|(?:una )?otra (?:cosa|pregunta)|cambiando de tema"
    r"|un['’]?altra (?:cosa|domanda)|(?:uma )?outra (?:coisa|pergunta)|iets (?:heel )?anders|andere vraag)"
    r"(?:\s*[:.!]|\s+[-–—])\s+(?=[\w¿¡])",
    re.IGNORECASE,
)
"""What says, in seven languages, that something new comes, and nothing of what that is."""
_DISMISSAL = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|oh|ah|well|fine|alright|all right|gut|bon|bueno|va bene)\b[,. ]+){0,2}"
    r"(?:(?:never ?mind(?: (?:that|about (?:that|it)))?|no (?:worries|problem)|schon gut|tant pis|laisse tomber"
    r"|laat maar)"
    r"\s?[.,!;–-]\s{1,3}"
    r"|(?:(?:it )?does(?:n['’]t| not) matter|(?:ist )?(?:schon )?(?:egal|gut so)|macht nichts|(?:ist )?nicht so wichtig"
    r"|(?:c['’]est |ce n['’]est )?pas grave|da igual|no importa|no pasa nada|non importa|lascia (?:stare|perdere)"
    r"|fa niente|não importa|deixa (?:estar|pra lá)|geeft niet)\s?[.!;]\s{1,3})(?=\S+\s\S)",
    re.IGNORECASE,
)
"""What lets go of the question before, in seven languages: "ok never mind. when does it close?"."""
_GREETING = re.compile(
    r"^\W*(?:hi|hiya|hello|hey|hallo|hej|hei|moin|servus|salut|bonjour|bonsoir|hola|ciao|salve|olá|oi|hoi|ahoj|cześć|tere"
    r"|dobrý den|dzień dobry|good (?:morning|afternoon|evening)|guten (?:morgen|tag|abend)|buenos días|buenas tardes"
    r"|buongiorno|buonasera|bom dia|boa tarde|goede(?:morgen|middag|navond)|god (?:morgon|morgen|dag|kväll)|привет"
    r"|привіт)"
    r"(?: (?:magpie|there|again|all|everyone|zusammen|alle|tous|à tous))?\s?[,!.]\s{1,3}(?!\w{1,20}[!:.])(?=\S+\s+\S)"
    r"|^\W*(?:(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening))(?: there)? "
    r"(?=(?-i:what|when|where|who|how|which|can you|could you|do you|are you)\b(?!\W*$))"
    r"|(?:hallo|moin|servus|guten (?:morgen|tag|abend)) (?=(?-i:wann|was|wo|wer|wie)\b(?!\W*$))"
    r"|(?:salut|bonjour|bonsoir) (?=(?-i:quand|où|qui|comment|combien)\b(?!\W*$))"
    r"|hola (?=¿|(?-i:cuándo|dónde|quién|cómo|cuánto)\b)"
    r"|(?:ciao|salve|buongiorno) (?=(?-i:quando|dove|chi|quanto)\b(?!\W*$)))"
    r"|^\W*(?:morning|afternoon|evening|morgen|gm)(?: (?:all|magpie|everyone))?\s?!\s{1,3}(?=\S+\s+\S)",
    re.IGNORECASE,
)
"""A greeting before what is said."""
_THANKS = re.compile(
    r"^\W{0,3}(?:(?:ok(?:ay)?|oh|ah|great|perfect|super|cool|nice|good|alright|gut|prima|parfait|vale|bene)\b"
    r"[,.! ]{1,3}){0,2}(?:thanks|thank you|thx|cheers|danke|vielen dank|merci|gracias|grazie|obrigad[oa]|bedankt"
    r"|dank je|tack|takk|dzięki|dziękuję|děkuji|díky|köszönöm|kiitos|teşekkürler|спасибо|дякую|ευχαριστώ)\b"
    r"(?: (?:a lot|a million|so much|very much|for (?:that|this|your help)|magpie|dir|schön|sehr|beaucoup|bien|mille"
    r"|bardzo)){0,2}\s?[.!,;…]\s{1,3}(?!(?:that|this|the|for|dass|für|que|pour|next)\b)(?=\S+\s+\S)",
    re.IGNORECASE,
)
"""Thanks before what is said next."""
_LEFT_APOSTROPHE = (
    (re.compile(r"\b(who|what|where|how|when|that|there)s\b", re.IGNORECASE), r"\1's"),
    (
        re.compile(
            r"\b([Hh]e|[Ss]he)s(?= (?:\d|(?:an?|in|at|the|my|our|only|just|not|too|very|so|got|been|going|allergic"
            r"|turning|about|almost|nearly|under|over)\b))"
        ),
        r"\1's",
    ),
    (
        re.compile(r"\bwhat['’]?s (it|that|this|he|she) (cost|mean|weigh|do|need|eat)(?=\W{0,3}$)", re.IGNORECASE),
        r"what does \1 \2",
    ),
    (re.compile(r"\b(do|does|did|is|are|was|were|could|would|should|have|has|had)nt\b", re.IGNORECASE), r"\1n't"),
    (re.compile(r"\b(you|we|they|i)ve\b", re.IGNORECASE), r"\1've"),
    (re.compile(r"\b(you|they)re\b", re.IGNORECASE), r"\1're"),
    (re.compile(r"\b(i|you|we|they|he|she|it) cant\b", re.IGNORECASE), r"\1 can't"),
)
"""What English loses an apostrophe in, and no other word is."""
_ASKS_AGAIN = re.compile(
    r"^(\W{0,3}(?:who|what)(?:'s| is| was| are| were)\b[^?\n]{3,120}?) again(?=\?{0,3}$)", re.IGNORECASE
)
"""Asks for what one knew once: "who's the author again?"."""
_TEXT_BEGINS = re.compile(r"[:：\n]")


def asks_translation(message: str) -> bool:
    """Whether a message brings a text and asks to have it in a language that it names, "Into German: where is it?", or
    asks how something is said in it."""
    asks_wording = _ASKS_WORDING.match(message) is not None and bool(mentioned_languages(message))
    return asks_wording or bool(text_to_translate(message))


def text_to_translate(message: str) -> str:
    """The text that a message brings to have it in a language that it names; empty where it asks for none."""
    said = NOT_WORDS.sub(" ", message)
    quoted = " ".join(found[0] for found in QUOTED_TEXT.finditer(said))
    head, *behind = _TEXT_BEGINS.split(QUOTED_TEXT.sub(" ", said), maxsplit=1)
    brought = " ".join([quoted, *behind]).strip()
    return brought if TRANSLATES.search(head) and named_language(head) else ""


def without_aside(message: str) -> str:
    """A message without "by the way" at its beginning or end, "again" at its end, and "hello", "thanks", "never mind",
    "something else:" before it: they ask nothing.

    "Whos" is "who's": of what is written wrongly a small model is less sure.
    """
    for pattern, whole in _LEFT_APOSTROPHE:
        message = pattern.sub(whole, message)
    message = _ASKS_AGAIN.sub(r"\1", message)
    return _SAID_ASIDE.sub("", _NEW_SUBJECT.sub("", _DISMISSAL.sub("", _THANKS.sub("", _GREETING.sub("", message)))))
