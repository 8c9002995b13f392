"""Whether a passage is about what a question names: the price of something else is no answer."""

from chatbot.models.pipeline.decision.names import names_in
from rag.documents import Passage
from rag.search.rare_words import word_stems
from utils.languages.detection import language_of, same_language


def is_on_subject(question: str, passage: Passage) -> bool:
    """Whether a passage has one of the names of a question; one in another language may have them in other letters."""
    names = word_stems(names_in(question))
    known = word_stems(f"{passage.headed_title} {passage.text}")
    return not names or bool(names & known) or not same_language(passage.text, language_of(question) or "en")
