"""What the lookups of a turn came to: whether the web could be asked, that nothing was found, what comes nearest."""

from collections.abc import Sequence

from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import NOTHING_CERTAIN, attached_texts
from chatbot.models.pipeline.decision.places import LIBRARY, REACHING, WEB, asks_of_mine
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.answerability import VERDICTS, holds_answer, measured_value
from chatbot.models.pipeline.reading.attachments import LENIENT
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.found_parts import CHOSEN, likeliest_part
from chatbot.models.pipeline.writing.foreign import CHECKED_ABROAD, retell
from chatbot.models.pipeline.writing.quotes import nearest_sentence
from chatbot.models.pipeline.writing.written import number_marks
from chatbot.prompts.phrases import fill_phrase
from tools.web.report import TROUBLE_WORDS
from utils.languages.detection import same_language

MIN_OWN_WEB_SHARE = 0.8
"""The share that the web must have, with the library left out, to be asked of something of the user's own."""
NEARLY = 1.3
"""What is added to the score of a reading whose best sentence is shown where nothing answers for certain. Of 34
questions about pages and files of which the 1.5B was not sure the best sentence answers eight; of the ten that reach
this five do, and of the five others two are left out by what is asked for."""
CUT_OFF = {"offline": "offline_switched", "unreachable": "no_network"}
"""The phrase for each state of the search engines in which none can be asked."""


def is_own_affair(at: Situation, called: Sequence[str]) -> bool:
    """Whether only the library was asked, and of something of the user's own: the web knows nothing of that, and need
    not hear of it."""
    decision = at.intent.decision
    asked = decision.best_wish == LIBRARY and set(called) == {LIBRARY}
    return (
        asked
        and asks_of_mine(at.intent.question, at.intent.language)
        and decision.elsewhere.get(WEB, 0.0) < MIN_OWN_WEB_SHARE
    )


def searched_again(at: Situation) -> bool:
    """Whether a search was made in other words than the question's."""
    return len({str(call.arguments) for call in at.last_turn.calls}) > len(at.intent.parts)


def told_without_web(at: Situation) -> str:
    """That the web could not be asked, and why; empty where it could."""
    for result in at.last_turn.results:
        if result.tool_name in REACHING and result.failed:
            for state, name in CUT_OFF.items():
                if result.content.startswith(TROUBLE_WORDS[state]):
                    return fill_phrase(name, at.intent.language)
    return ""


def nothing_said(at: Situation) -> str:
    """That what was read without a look-up says nothing of the question: the text that came with it, if one did."""
    return fill_phrase("nothing_in_attachment" if attached_texts(at.last_turn) else "nothing_found", at.intent.language)


async def tell_nothing(
    model: LanguageModel, finder: EvidenceFinder, at: Situation, parts: Sequence[Part], otherwise: str, said: str = ""
) -> str:
    """That nothing surely answers a question, with the sentences that come nearest to its parts; `otherwise` where none
    is near but those in `said`. One sentence alone is put into the user's language, several are quoted as they are."""
    near = [(part.question, await _nearest_of(model, finder, at, part, alone=len(parts) == 1)) for part in parts]
    quotes = {quote: question for question, quote in reversed(near) if quote and quote not in said}
    if not quotes:
        return otherwise
    told = fill_phrase(NOTHING_CERTAIN, at.intent.language)
    if len(parts) == 1:
        return f"{told} {next(iter(quotes))}"
    return "\n".join([told, *(f"{question} – {quote}" for quote, question in reversed(quotes.items()))])


async def _nearest_of(model: LanguageModel, finder: EvidenceFinder, at: Situation, part: Part, *, alone: bool) -> str:
    """The sentence that nearly answers a question, with its number; empty where none does, and where the model was not
    measured: the others' scores say too little for that."""
    if part.form not in CHOSEN or await measured_value(model, VERDICTS) is None:
        return ""
    reading, english = (await likeliest_part(model, finder, at, part)).reading, at.english_of(part.question)
    leniency = NEARLY if reading.numbered_sources else NEARLY + LENIENT
    if not await holds_answer(model, reading, part.question, part.form, leniency, english):
        return ""
    sentence, number = nearest_sentence(reading, part.question, english, part.form)
    if not sentence:
        return ""
    told, language = "", at.intent.language
    if alone and part.form in CHECKED_ABROAD and not same_language(sentence, language):
        wordings = f"{part.question}\n{english}"
        told = await retell(model, sentence, at.intent.question, wordings, part.form, language)
    return (told or f"“{sentence}”") + number_marks([number])


def nothing_found(called: Sequence[str], language: str) -> str:
    """That nothing was found, and where it was looked for."""
    if all(name == LIBRARY for name in called):
        return fill_phrase("nothing_in_files", language)
    return fill_phrase("nothing_on_web" if LIBRARY not in called else "nothing_found", language)
