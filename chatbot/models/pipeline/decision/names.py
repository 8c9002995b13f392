"""What a question names: without the words that any question has, and without addresses."""

import re
from functools import cache

from chatbot.models.dialogue import ADDRESS
from chatbot.models.pipeline.decision.arguments import MAX_QUESTION_CHARS
from chatbot.prompts.fewshot import clip_middle
from rag.search.stop_words import STOP_WORDS
from utils.languages.detection import language_of
from utils.languages.language_names import locale_of

_NAME_WORD = re.compile(r"\w[\w'’.-]*")
_LETTERED = re.compile(r"[^\W\d_](?:[\w'’.-]*\w)?")
_FILE_NAMED = re.compile(
    r"(?<!\S)@(?:\"[^\"\n]{1,200}\"|\S{0,200}[./\\]\S*)|(?<!\S)(?:~/\S+|\.{0,2}/\S{1,200}\.\w{1,5}(?!\S))"
)
"""A file that comes with a message, as it is typed, or a path; somebody's name with @ before it is none."""
_ELIDED = re.compile(r"^(?:d|l|qu|un|jusqu|lorsqu|dell|nell|all|dall|sull|quell)['’]")
_OF = (
    r"(?:de la |de l['’]|de los |de las |du |des |de |d['’]|del |della |dello |dell['’]|dei |degli |delle |di |do |dos "
    r"|da |das )"
)
_NOUN_BEFORE = re.compile(
    r"(?<!\w)(?:musée|église|abbaye|château|tour|pont|gare|théâtre|cinéma|bibliothèque|école|jardin|parc|marché|port|mairie"
    r"|piscine|funiculaire|téléphérique|festival|fête|foire|salon|restaurant|hôtel|refuge|café|club|chœur|orchestre"
    r"|muse[ou]|iglesia|catedral|castillo|torre|puente|estación|teatro|cine|biblioteca|escuela|jardín|parque|mercado"
    r"|puerto|piscina|funicular|teleférico|fiesta|feria|restaurante|hotel|refugio|coro|orquesta|banda|chiesa|castello"
    r"|ponte|stazione|cinema|scuola|giardino|parco|mercato|porto|funivia|funicolare|traghetto|festa|fiera|sagra"
    r"|ristorante|albergo|rifugio|igreja|castelo|estação|escola|jardim|feira|clube)s? "
    rf"{_OF}(?:[^\W\d_]{{3,20}} {_OF})?$",
    re.IGNORECASE,
)
"""What a name is part of in languages that write it small: "musée de la dentelle de Vellin"."""
_SMALL_NOUNS = ("fr", "es", "it", "pt")
_BETWEEN_NAMES = re.compile(
    r"(?P<owned> [^\W\d_]+)? (?:of|in|at|on|near|by|from|to|for|de|del|della|dello|dei|degli|di|da|do|dos|du|des|aux?"
    r"|en|à|sur|a|al|em|no|na|von|vom|zu|zum|zur|bei|beim|am|an|im|auf|für|nach|van|te|op|w|we|przy|v|ve|i|på|ved|til|av|в"
    r"|на|у|при|из)(?: (?:the|la|le|les|el|los|las|il|lo|gli|o|os|as|der|die|das|dem|den|des|het))? ",
    re.IGNORECASE,
)
"""What joins two names: "Odo's tower in the Vellin"."""
LETTERS_OF_DAY = 7
"""Of the plural of a day at least."""
_FIRST_PERSON = re.compile(r"I(?:['’]\w+)?")
_SENTENCE_OPENING = re.compile(r"(?:^|(?<=[.?!:…] )|(?<=[¿¡]))\w[\w'’.-]*")
"""The word that a sentence begins with: its capital says nothing."""


def names_in(question: str) -> str:
    """The words of a question that are written with a capital or hold a figure; all where a script has no capitals.

    Without bare numbers, days and months, which name nothing that a later question would be about.
    """
    question = without_addresses(question)
    if question.lower() == question.upper():
        return clip_middle(question, MAX_QUESTION_CHARS // 3)
    openings = {found.start() for found in _SENTENCE_OPENING.finditer(question)}
    words = [(found[0], found.start() in openings) for found in _NAME_WORD.finditer(question)]
    named = [word for word, opens in words if (_begins_large(word) and not opens) or has_digit(word)]
    nameless = _calendar_words(language_of(question) or "en")
    return " ".join(
        word
        for word in dict.fromkeys(named)
        if not (word.rstrip(".").isdigit() or _singular(word) in nameless or _FIRST_PERSON.fullmatch(word))
    )


def names_told(query: str, message: str) -> list[str]:
    """What a query names; of a message that was left as it was, without capitals in its script, nothing is known."""
    return [] if query == message and query.lower() == query.upper() else names_in(query).split()


def _singular(word: str) -> str:
    """A word without the s of "Sundays"; Mars and Mons have their own."""
    return word.removesuffix("s") if len(word) >= LETTERS_OF_DAY else word


def with_names(message: str, earlier: str) -> str:
    """A message with the names of an earlier question behind it, if that has any, each with what joins it to the next:
    the bells of "St Odo's tower in Vellin" are not those of a school there."""
    named = _joined_names(earlier)
    return f"{message} ({named})" if named else message


def _joined_names(question: str) -> str:
    """The names of a question, each once, with what joins one of them to the next."""
    named = names_in(question)
    names, joined, last = set(named.split()), list[str](), ""
    if question.lower() == question.upper():
        return named
    end = 0
    question = without_addresses(question)
    small = (language_of(question) or "en") in _SMALL_NOUNS
    for word in _NAME_WORD.finditer(question):
        if word[0] not in names:
            continue
        if word[0] not in joined:
            joins = _BETWEEN_NAMES.fullmatch(question, end, word.start()) if last else None
            if joins and (not joins["owned"] or last.endswith(("'s", "’s"))):
                joined += joins[0].split()
            bare = _ELIDED.sub("", word[0])
            before = _NOUN_BEFORE.search(question[: word.end() - len(bare)]) if small and not joined else None
            joined += f"{before[0]}{bare}".split() if before else [word[0]]
        last, end = word[0], word.end()
    return " ".join(joined)


def with_question(message: str, earlier: str) -> str:
    """A message with the whole of an earlier question behind it, the middle of a long one left out."""
    return f"{message} ({clip_middle(earlier, MAX_QUESTION_CHARS // 3)})"


@cache
def _calendar_words(language: str) -> frozenset[str]:
    """The names of days and months in a language, whole and short."""
    locale = locale_of(language)
    kinds = [names["format"][width] for names in (locale.days, locale.months) for width in ("wide", "abbreviated")]
    return frozenset(name.rstrip(".") for kind in kinds for name in kind.values())


def without_addresses(question: str) -> str:
    """A question without the addresses in it, which no page says of itself, and without files that came with it, whose
    names are nobody's affair; as it is where nothing else is in it."""
    said = " ".join(ADDRESS.sub(" ", _FILE_NAMED.sub(" ", question)).split())
    # A file's name in brackets is taken for an address too.
    return said.replace("( )", "").strip() or question


def _begins_large(word: str) -> bool:
    """Whether a word begins with a capital, or has one behind what is written together with it: "d'Ombra"."""
    return _ELIDED.sub("", word)[:1].isupper()


def has_digit(text: str) -> bool:
    """Whether there is a figure in a text."""
    return any(character.isdigit() for character in text)


def new_names(sentence: str, question: str) -> set[str]:
    """The words of a sentence with a capital or a sign in them that neither the question has nor every text."""
    known = {*STOP_WORDS.get(language_of(sentence) or "en", ()), *map(str.casefold, _LETTERED.findall(question))}
    new = [word for word in _LETTERED.findall(sentence) if word.casefold() not in known]
    return {word for word in new if word != word.lower() or "_" in word}
