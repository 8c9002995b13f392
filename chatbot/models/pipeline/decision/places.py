"""Where a message says to look: on the web, or in the user's files."""

import re
from collections.abc import Mapping, Sequence

from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.decision.router import ANSWER
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from utils.languages.message_parts import asks_translation

LIBRARY, WEB, NEWS_SEARCH = "search_vector_db", "web_search", "news_search"
OPENING_TOOL = "fetch_url_content"
REACHING = (WEB, NEWS_SEARCH, OPENING_TOOL)
"""Tools that need the web."""
LIKE_NAMED_FILE = 0.3
"""Cosine from which on a passage of the user's files that has a question's names may be about it: of six such questions
about three files five reached it, of four others that named a place of them none."""
VERY_LIKE_NAMED_FILE = 0.4
"""The same where it has no other word of the question."""
_OF_NOW = re.compile(r"\b(?:latest|news|weather|forecast)\b", re.IGNORECASE)
"""What a question in English has that no file knows."""
MIN_QUESTION_WORDS = 3
"""Words that are left of a question at least where the place is taken out of it."""
_ON_WEB = re.compile(
    r"\b(?:(?:on|from|in|off|search|check|ask) the (?:web|internet|net)|online|(?:im|aus dem) (?:netz|internet|web)|"
    r"(?:sur|dans) (?:le )?(?:web|net|internet)|en (?:la web|(?:el )?internet|línea)|(?:sul|dal|nel) web|su internet|"
    r"in rete|na (?:web|internet|rede)|op (?:het )?(?:web|internet)|på (?:nettet|nätet|webben|internett?)|netistä|"
    r"w (?:internecie|sieci)|na (?:internetu|webu)|pe (?:internet|net)|az interneten|в (?:интернете|сети)|"
    r"в (?:інтернеті|мережі)|στο (?:διαδίκτυο|ίντερνετ)|internet(?:te|ten))\b|على (?:الإنترنت|الويب)|באינטרנט|ברשת|"
    r"इंटरनेट (?:पर|से)|网上|網上|上网|互联网|ネット(?:で|上)|ウェブ(?:で|上)|인터넷에서",
    re.IGNORECASE,
)
"""Words that say to look on the web."""
_LOOK_UP = re.compile(
    r"\b(?:search (?:the )?(?:web|internet|net|online)|look (?:it|this|that|them) up|google (?:it|this|that|for)|"
    r"check (?:it |this |that )?online|such(?:e|t|en)? (?:\w+ )?(?:im|in dem) (?:netz|internet|web)|"
    r"(?:im|in dem) (?:netz|internet|web) (?:nach)?(?:suchen|schauen|sehen)|google (?:das|es|mal)|"
    r"cherche[rz]? (?:\w+ )?sur (?:internet|le web|le net)|busca(?:r|lo)? (?:\w+ )?en (?:internet|la web|la red)|"
    r"cerca(?:re|lo|la)? (?:\w+ )?(?:su internet|sul web|in rete|online)|"
    r"(?:procur[ae]r?|pesquis[ae]r?) (?:\w+ )?na (?:internet|web|rede)|"
    r"zoek(?:en)? (?:\w+ )?(?:online|op (?:het )?internet)|"
    r"(?:sök|søg|søk) (?:\w+ )?på (?:nätet|webben|nettet|internett?)|"
    r"(?:poszukaj|sprawdź|znajdź) (?:\w+ )?w (?:internecie|sieci)|(?:najdi|vyhledej) (?:\w+ )?na internetu|"
    r"(?:погугли|загугли)|(?:поищи|найди|посмотри) (?:\w+ )?в (?:интернете|сети)|пошукай (?:\w+ )?в інтернеті|"
    r"internette (?:ara|bak)|google'?la)\b|(?:上网|网上|在网上)(?:查|搜|找)|搜索一下|搜一下|"
    r"(?:ネット|ウェブ)で(?:調べ|検索|探)|인터넷에서 (?:찾|검색)|검색해|ابحث (?:في|على) الإنترنت|"
    r"חפש (?:באינטרנט|ברשת)|इंटरनेट पर (?:खोज|देख|ढूंढ)",
    re.IGNORECASE,
)
"""Words that tell to search, whatever the model knows."""
_ON_SITE = re.compile(
    r"\bon the (?!(?:web|official|own|whole|new|old|same|right|other|main|demolition|building|construction|camp|camping"
    r"|caravan|work|job|archaeological|excavation|landfill|heritage|burial|crash|accident|production|company['’]s)\b)"
    r"(?:[\w'’.-]+ ){1,2}(?:web ?)?site\b"
    r"|\bauf der (?:website|webseite|homepage) (?:von|der|des) (?-i:[A-ZÄÖÜ])"
    r"|\bsur le site (?:web |internet )?d(?:e|u|es) (?-i:[A-Z])"
    r"|\ben (?:la (?:página )?web|el sitio web) del? (?-i:[A-Z])|\bsul sito (?:web )?d(?:i|el\w*) (?-i:[A-Z])"
    r"|\bno site d[aeo]s? (?-i:[A-Z])|\bop de (?:web)?site van (?-i:[A-Z])",
    re.IGNORECASE,
)
"""Words that name a site on the web which says what is asked for."""
_MY_PAPERS = re.compile(
    r"\b(?:my|our) (?:\w+ )?(?:notes?|files?|documents?|papers|library|letters?|contract|lease)\b", re.IGNORECASE
)
"""What of the user's own says something."""
_WRITES = re.compile(
    r"\W*(?:please )?(?:write|draft|compose|translate|correct|fix|change|add|put|schreib|verfass|écris|rédige"
    r"|escribe|redacta|scrivi|escreve|schrijf)",
    re.IGNORECASE,
)
"""What a message begins with that wants something written, for a site perhaps."""
_NOT = re.compile(
    r"\b(?:not|don'?t|no need|never|without|nicht|ohne|kein\w{0,2}|pas|sans|inutile|no (?:hace|busques|hay)|sin|"
    r"senza|non|não|sem|niet|zonder|inte|ikke|utan|uden|uten|nie|bez|ne|не|без)\b|不用|不要|不必|別|别|"
    r"なくて|ないで|필요 ?없|말고",
    re.IGNORECASE,
)
"""Words before and within these, or behind them, that tell not to."""
NEGATION_CHARS = 30
"""Characters before those words in which they are negated, and a few behind."""
_IN_FILES = re.compile(
    r"\b(?:(?:in|from|according to) my (?:own )?(?:files?|documents?|docs|notes|papers|library)|"
    r"(?:in|aus|laut) meinen (?:dateien|dokumenten|unterlagen|notizen)|"
    r"(?:dans|d'après|selon) mes (?:fichiers|documents|notes)|"
    r"(?:en|según) mis (?:archivos|ficheros|documentos|notas|apuntes)|"
    r"(?:nei|dai) miei (?:file|documenti|appunti)|(?:nos|dos) meus (?:arquivos|ficheiros|documentos)|"
    r"(?:in|uit|volgens) mijn (?:bestanden|documenten|notities)|i mina (?:filer|dokument|anteckningar)|"
    r"i mine (?:filer|dokumenter|noter|notater)|(?:tiedostoissa|tiedostoista|asiakirjoissa|muistiinpanoissa)ni|"
    r"w moich (?:plikach|dokumentach|notatkach)|v mých (?:souborech|dokumentech|poznámkách)|"
    r"în (?:fișierele|documentele|notițele) mele|a (?:fájl|dokumentum|jegyzet)(?:j?aim|j?eim)b[ae]n|"
    r"в моих (?:файлах|документах|заметках)|(?:в|у) моїх (?:файлах|документах|нотатках)|"
    r"στ(?:α αρχεία|α έγγραφά|ις σημειώσεις) μου|(?:dosya|belge|not)lar[ıi]mda|belgelerimde|"
    r"trong (?:các )?(?:tệp|tài liệu|ghi chú) của tôi)\b|في (?:ملفاتي|مستنداتي|وثائقي)|ב(?:קבצים|מסמכים) שלי|"
    r"मेर[ेी] (?:फ़?ाइलों|फ़ाइलों|दस्तावेज़ों) में|(?:在)?我的(?:文件|文档|資料|资料|笔记)(?:里|中|裡)?|"
    r"私の(?:ファイル|文書|書類|メモ)(?:の中)?(?:に|で|では|によると)?|내 (?:파일|문서|메모)에서",
    re.IGNORECASE,
)
"""Words that say to look in the user's files."""

_END_MARKS, _PAUSES = "?？؟!.", " ,:-–،、：，"
"""What a question ends with, and what is left before that where its last words were taken out."""

_MINE = {
    "en": r"my|our|(?:is|are|was|were|of) (?:mine|ours)(?=\W*$|[?.,;!]| (?:and|or|too|then)\b)",
    "de": r"mein\w{0,2}|unser\w{0,2}",
    "fr": r"mon|ma|mes|notre|nos",
    "es": r"mis?|nuestr[oa]s?",
    "it": r"mi[oa]|mie|miei|nostr[oaie]",
    "pt": r"meus?|minhas?|nossos?|nossas?",
    "nl": r"mijn|onze|ons",
    "sv": r"min|mitt|mina|vår|vårt|våra",
    "da": r"min|mit|mine|vores",
    "no": r"min|mitt|mine|vår|vårt|våre",
    "fi": r"minun|meidän|\w{3,}(?:ni|mme)",
    "pl": r"m[oó]j\w{0,3}|nasz\w{0,3}",
    "cs": r"můj|m[áéý]\w{0,2}|moj\w{0,2}|naš\w{0,2}|náš",
    "ro": r"meu|mea|mei|mele|nostru|noastr[ăe]",
    "hu": r"\w{3,}(?:om|em|öm|am|ám|ém|aim|eim)",
    "ru": r"мо[йяёеи]\w{0,2}|наш\w{0,2}",
    "uk": r"мі[йм]|мо[яєї]\w{0,2}|мого|моє\w{0,2}|наш\w{0,2}",
    "el": r"μου|μας",
    "tr": r"benim|bizim|\w{3,}(?:ım|im|um|üm|mın|min|mun|mün)",
    "ar": r"\w{3,}ي",
    "he": r"שלי|שלנו",
    "hi": r"मेर[ाीे]|हमार[ाीे]",
    "vi": r"của tôi|của chúng tôi",
}
"""By the language, the words that say mine and ours."""
_MINE_APART = re.compile(r"我的|我们的|我們的|我家|私の|僕の|わたしの|うちの|우리|(?<!\w)(?:내|제) ")
"""The same where words are not set apart by spaces, or have no other form."""
_OF_ME = re.compile(
    r"\b(?:about|of|introduc\w+|describ\w+) (?:me|myself)\b|\bmich\b.{0,60}\bvorstell\w*|\bvorstell\w*.{0,60}\bmich\b"
    r"|\bme (?:présent\w+|present\w+|describ\w+)|\bpresentar?me\b|\bsobre (?:mí|mim)\b|\bsur moi\b|\büber mich\b"
    r"|\bsu di me\b|\bover mij\b"
    r"|\bmy (?:own )?(?:name|job|work|profession|trade|age|address|background|hobb\w+|life|skills)\b"
    r"|\bmein\w{0,2} (?:name\w*|beruf\w*|arbeit|alter|adresse|hobb\w+)\b|\bmon (?:nom|métier|travail|âge|adresse)\b"
    r"|\bmi (?:nombre|profesión|trabajo|oficio|edad|dirección)\b|\bmi[oa] (?:nome|lavoro|mestiere|età|indirizzo)\b"
    r"|\bm(?:eu|inha) (?:nome|trabalho|profissão|idade|morada)\b|\bmijn (?:naam|werk|beroep|leeftijd|adres)\b",
    re.IGNORECASE,
)
"""Words with which a wish is about who wishes: not "my neighbour", whose greeting tells nothing of that."""
_I_HAVE = {
    "en": r"(?:do|did) (?:i|we) (?:have|own)(?! to\b)|(?:have|had) (?:i|we) got(?! to\b)",
    "de": r"(?:hab\w{0,2}|besitz\w{1,2}|hatte\w?) (?:ich|wir)(?! zu\b)",
    "fr": r"(?:ai-je|avons-nous|est-ce que j['’]ai|que j['’]ai)(?! à\b)",
    "es": r"(?:tengo|tenemos|tenía)(?! que\b)",
    "it": r"(?:ho|abbiamo|avevo)(?! d[ai]\b)",
    "pt": r"(?:tenho|temos|tinha)(?! (?:de|que)\b)",
    "nl": r"(?:heb|had) ik|(?:hebben|hadden) (?:we|wij)",
    "sv": r"har (?:jag|vi)",
    "da": r"har (?:jeg|vi)",
    "no": r"har (?:jeg|vi)",
    "pl": r"mam|mamy",
    "cs": r"mám|máme",
    "ro": r"am|avem",
    "ru": r"у (?:меня|нас)",
    "uk": r"(?:у|в) (?:мене|нас)",
    "el": r"έχω|έχουμε",
}
"""By the language, how one asks what one has; having to do something is something else."""


_LEFT_BEFORE = re.compile(r"^(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar)\s?[,:;–-]\s+", re.IGNORECASE)
"""What is left before a question whose place stood between: "and on the web: what does it cost?"."""


def in_files(message: str) -> bool:
    """Whether a message says to look in the user's files, and not on the web as well."""
    return bool(_IN_FILES.search(message)) and not _ON_WEB.search(message)


def says_mine(question: str, language: str) -> bool:
    """Whether a question names something of the user's own; `language` is ISO 639-1."""
    return bool(_MINE_APART.search(question)) or says_one_of(_MINE, question, language)


def speaks_of_oneself(message: str) -> bool:
    """Whether a message speaks of the user, by their name or their work, in seven languages."""
    return _OF_ME.search(message) is not None


def asks_of_mine(question: str, language: str) -> bool:
    """Whether a question is about something of the user's own: names it as that, or asks what the user has."""
    return says_mine(question, language) or says_one_of(_I_HAVE, question, language)


def says_one_of(words: Mapping[str, str], text: str, language: str) -> bool:
    """Whether a text has one of the words of a language (ISO 639-1), which are written as a pattern for each."""
    return language in words and re.search(rf"\b(?:{words[language]})\b", text, re.IGNORECASE) is not None


def names_place(message: str) -> bool:
    """Whether a message says where to look: on the web, in the files, or that something is to be looked up."""
    return bool(_named_site(message)) or any(pattern.search(message) for pattern in (_LOOK_UP, _ON_WEB, _IN_FILES))


def _named_site(message: str) -> re.Match[str] | None:
    """Where a message names a site on the web that says what it asks for: what is to be written for one it does not."""
    return None if _WRITES.match(message) or _MY_PAPERS.search(message) else _ON_SITE.search(message)


def obey_place(shares: Mapping[str, float], question: str) -> dict[str, float]:
    """The shares of the tools with those of other places given to the one where the message says to look.

    What would be answered without a look is looked up as well where the files are named or a search is told, and
    nothing is where it is told not to search. A message that names both places leaves the choice, and so does one for
    which that place is off. What a text to be translated asks or says is nowhere looked for.
    """
    if asks_translation(question):
        return _given_to(ANSWER, (WEB, NEWS_SEARCH, LIBRARY), shares)
    searched = _LOOK_UP.search(question) or _named_site(question)
    on_web = bool(searched or _ON_WEB.search(question))
    if on_web == bool(_IN_FILES.search(question)):
        return dict(shares)
    if searched and _NOT.search(
        question, max(0, searched.start() - NEGATION_CHARS), searched.end() + NEGATION_CHARS // 4
    ):
        return _given_to(ANSWER, (WEB, NEWS_SEARCH, LIBRARY), shares)
    if on_web:
        return _given_to(WEB, (LIBRARY, ANSWER) if searched else (LIBRARY,), shares)
    return _given_to(LIBRARY, (WEB, NEWS_SEARCH, ANSWER), shares)


def prefer_naming_files(shares: Mapping[str, float], english: str, passages: Sequence[Passage]) -> dict[str, float]:
    """The shares, those of the web given to the library where a passage of the user's files has all that a question in
    English names and is like it: what their cat weighs the web does not know, and need not hear."""
    own = [one for one in passages if one.origin == "file" and one.similarity >= LIKE_NAMED_FILE]
    if LIBRARY not in shares or _OF_NOW.search(english) or not any(_tells_of_named(english, one) for one in own):
        return dict(shares)
    moved = {name: 0.0 for name in (WEB, NEWS_SEARCH) if name in shares}
    return {**shares, **moved, LIBRARY: shares[LIBRARY] + sum(shares[name] for name in moved)}


def _tells_of_named(english: str, passage: Passage) -> bool:
    """Whether a passage has all that a question names, and another word of it unless it is very like it."""
    names, known = word_stems(names_in(english)), word_stems(f"{passage.headed_title} {passage.text}")
    more = passage.similarity >= VERY_LIKE_NAMED_FILE or bool((telling_words(english) - names) & known)
    return bool(names) and names <= known and more


def _given_to(place: str, others: Sequence[str], shares: Mapping[str, float]) -> dict[str, float]:
    """The shares with those of others given to one place, if that is there."""
    if place not in shares:
        return dict(shares)
    given = sum(shares.get(name, 0.0) for name in others)
    return {**shares, **{name: 0.0 for name in others if name in shares}, place: shares[place] + given}


def without_place(question: str) -> str:
    """A question without the words that say where to look, which stand in no text that answers it."""
    for pattern in (_LOOK_UP, _ON_WEB, _IN_FILES):
        taken = " ".join(pattern.sub(" ", question, count=1).split()).lstrip(" ,:;-–،、：，")
        said = taken.rstrip(_END_MARKS)
        left = said.rstrip(_PAUSES) + taken[len(said) :] if taken != question else question
        if (
            left != question
            and len(left) >= MIN_QUESTION_WORDS * 2
            and len(left.split()) >= (MIN_QUESTION_WORDS if " " in question else 1)
        ):
            question = _LEFT_BEFORE.sub("", left)
    return question
