"""Yes or no: what a passage says to a question that asks for one of them, and whether an answer says the same."""

import json
import re
from functools import cache

from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.reading.answerability import clipped_log_odds, denies, measured_value
from chatbot.models.pipeline.reading.expected import is_money, says_none
from chatbot.prompts.fewshot import load_prompt
from chatbot.prompts.loader import FOLDER
from rag.search.rare_words import says_anything, telling_words, word_stems
from utils.fence import fence_text

CLEAR_LOG_ODDS = {"1.5b": 0.6}
"""By a part of the model's name: log-odds, the mean of passage and answer, from which on the word is said. Of 48
questions in nine languages, half of them for a no, it is for 27, and right for 24. Asked first whether a passage has
the answer, and then for yes or no, the 1.5B begins 47 of the 48 answers with yes."""
CONTRARY = 1.0
"""Log-odds of yes of an answer from which on it contradicts a passage that says no, and the other way round."""
DENIED = 0.5
"""Log-odds with which a passage says no, or yes, clearly enough to be contradicted."""
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|nur|ausschließlich|lediglich|seulement|uniquement|sólo|solo|solamente|únicamente|soltanto|"
    r"só|somente|apenas|alleen|slechts|uitsluitend|bara|endast|kun|vain|ainoastaan|tylko|jedynie|wyłącznie|pouze|jenom|jen|"
    r"doar|numai|csak|только|лишь|тільки|лише|μόνο|yalnızca|sadece|yalnız|hanya|chỉ)\b"
    r"|فقط|רק |केवल|सिर्फ़?|[只仅僅]|のみ|だけ|(?<=\w)만(?!\w)|뿐",
    re.IGNORECASE,
)
"""Words with which all others are left out, in 26 languages."""
_FREE_OF_CHARGE = re.compile(
    r"\b(?:free of (?:any )?charges?|for free|(?:at|for|is|are) no (?:extra |additional )?(?:charge|cost|fee)s?"
    r"|without (?:charge|cost)|(?:is|are|was|were|be) (?:\w+ )?free(?! (?:of|from|to)\b)|kostenlos\w*|kostenfrei\w*"
    r"|unentgeltlich\w*|gebührenfrei|gratis|umsonst|gratuit\w*|sin costo|sem custo|kosteloos|kostnadsfritt|ilmai\w+"
    r"|maksut\w+|bezpłatn\w+|zdarma|bezplatn\w+|ingyen\w*|бесплатн\w+|безкоштовн\w+|δωρεάν|ücretsiz|bedava"
    r"|miễn phí)\b"
    r"|مجان|חינם|मुफ़्त|मुफ्त|नि:?शुल्क|免费|免費|無料|무료",
    re.IGNORECASE,
)
"""Words for what costs nothing, in 26 languages."""
_PAYING = re.compile(
    r"\b(?:pay\w*|paid|costs?|charged?|fees?|(?:be|ge)?zahl\w*|kost\w*|gebühr\w*|coût\w*|cuest\w+"
    r"|pag(?:a|ar|as|an|o|amos|are|ano|hi|ato|ado)|cost[ao]\w*|cust(?:a|am|ar|ou)|betal\w*|płac\w+|zapłac\w+|koszt\w*"
    r"|plat(?:í|ím|íte|it|ba)|stojí|plăt\w+|fizet\w*|плат\w+|стоит|коштує|πληρ\w+|öde\w+|maksa\w*)\b|付|费|費|料金|支払|지불|비용",
    re.IGNORECASE,
)
"""Words for what is paid, in as many."""
_CONTRAST = re.compile(
    r"[,;:]\s|[，；：、。]|\s(?:and|und|et|y|e|en|och|og|i|и|but|while|whereas|aber|jedoch|während|mais|tandis|pero|mientras|ma|mentre|mas|maar|ale|men"
    r"|но|але|а)\s",
    re.IGNORECASE,
)
"""What sets apart clauses of which one may deny what another says."""
_NOT_ONLY = re.compile(
    r"\b(?:not (?:only|just)|nicht nur|pas seulement|no s[oó]lo|non (?:solo|soltanto)|não só|niet alleen|nie tylko"
    r"|не только|не лише)\b",
    re.IGNORECASE,
)
"""What denies nothing."""
_CHOOSES_BETWEEN = {
    **{"en": "or", "de": "oder", "fr": "ou", "es": "o|u", "it": "o|oppure", "pt": "ou", "nl": "of", "sv": "eller"},
    **{"da": "eller", "no": "eller", "pl": "lub|czy", "cs": "nebo", "ru": "или", "uk": "або|чи", "tr": "yoksa"},
}
"""By the language (ISO 639-1), what a question has that asks which of two it is, though it begins as one for yes or
no."""
_FALLBACK = "en"
_FULL_STOPS = {"zh": "。", "ja": "。", "hi": "। "}


async def answer_plainly(model: LanguageModel, sentence: str, quote: str, question: str, language: str) -> str | None:
    """A sentence as the answer to a question for yes or no, behind that word where it is clear which.

    `quote` is the sentence of the passage that is nearest to the question; None where it says the contrary of what the
    model wrote, and where it is not clear what it says and the model only affirms or denies what was asked: the
    passage's own words say more. A model whose word was not measured says its sentence alone; `language` is ISO 639-1.
    """
    bare = without_word(sentence, language)
    clear = await measured_value(model, CLEAR_LOG_ODDS)
    if clear is None or not quote:
        return bare
    passage, answer = await _yes_log_odds(model, quote, question), await _yes_log_odds(model, bare, question)
    if passage * answer < 0 and abs(passage) >= DENIED and abs(answer) >= CONTRARY:
        return None
    if passage * answer <= 0 or abs(passage + answer) / 2 < clear:
        agree = passage < 0 and answer < 0 and denies(bare)
        chooses = re.search(rf"\b(?:{_CHOOSES_BETWEEN.get(language, 'or')})\b", question, re.IGNORECASE)
        return None if _says_nothing_new(bare, question) and not (agree or chooses) else bare
    return f"{word_for(answer > 0, language)}{bare}"


def contradicts(quote: str, sentence: str, question: str, language: str) -> bool:
    """Whether a sentence affirms what the best sentence of a passage leaves to some, gives for nothing, or denies.

    `language` is ISO 639-1, of the sentence.
    """
    return (
        loses_only(quote, sentence)
        or charges_for_what_is_free(quote, sentence)
        or affirms_what_is_denied(quote, without_word(sentence, language), question)
    )


def affirms_what_is_denied(quote: str, sentence: str, question: str) -> bool:
    """Whether a sentence only affirms what was asked, where the clause of a passage that has most of that denies it:
    "you pay in cash: cards do not work here". That there is no charge denies nothing.
    """
    quote, asked = _NOT_ONLY.sub(" ", quote), telling_words(question)
    if (
        not _says_nothing_new(sentence, question)
        or denies(sentence)
        or denies(question)
        or says_none(quote)
        or _FREE_OF_CHARGE.search(quote)
    ):
        return False
    clauses = [(denies(clause), asked & word_stems(clause)) for clause in _CONTRAST.split(quote)]
    affirmed = frozenset[str]().union(*(words for denied, words in clauses if not denied))
    return any(words - affirmed for denied, words in clauses if denied)


def _says_nothing_new(sentence: str, question: str) -> bool:
    """Whether a sentence only affirms, or denies, what was asked."""
    said = telling_words(sentence) if says_anything(sentence) else frozenset[str]()
    return says_anything(question) and not said - word_stems(question)


def loses_only(quote: str, sentence: str) -> bool:
    """Whether a sentence affirms of anything what a passage says of one thing alone: "with the large one only"."""
    return bool(_ONLY.search(quote)) and not (_ONLY.search(sentence) or denies(sentence))


def charges_for_what_is_free(quote: str, sentence: str) -> bool:
    """Whether a sentence has to be paid, without an amount, what a passage gives for nothing."""
    paid = _PAYING.search(sentence) and not (_FREE_OF_CHARGE.search(sentence) or denies(sentence) or is_money(sentence))
    besides, given = _FREE_OF_CHARGE.subn(" ", quote)
    return bool(paid and given) and not (is_money(quote) or _PAYING.search(besides))


def without_word(sentence: str, language: str) -> str:
    """A sentence without the yes or no that it begins with."""
    words = "|".join(map(re.escape, (*_yes_and_no(language), *_yes_and_no(_FALLBACK))))
    bare = re.sub(rf"^\s*(?:{words})\s*[,.:;!，。、।–-]+\s*", "", sentence, count=1, flags=re.IGNORECASE)
    return bare[:1].upper() + bare[1:] if bare != sentence else sentence


async def _yes_log_odds(model: LanguageModel, text: str, question: str) -> float:
    """Log-odds of yes, by what a text says to a question."""
    said = await model.weigh_words(
        load_prompt("verdict").make_prompt(passage=fence_text(text), question=question), ("yes", "no")
    )
    return clipped_log_odds(said.shares["yes"])


def word_for(affirmed: bool, language: str) -> str:
    """Yes or no as a sentence by itself, with what stands behind it; `language` is ISO 639-1."""
    return f"{_yes_and_no(language)[0 if affirmed else 1]}{_FULL_STOPS.get(language, '. ')}"


def _yes_and_no(language: str) -> tuple[str, str]:
    known = words_by_language()
    return known.get(language) or known[_FALLBACK]


@cache
def words_by_language() -> dict[str, tuple[str, str]]:
    """The words for yes and no, by language."""
    words: dict[str, list[str]] = json.loads((FOLDER / "yes_no.json").read_text(encoding="utf-8"))
    return {language: (yes, no) for language, (yes, no) in words.items()}
