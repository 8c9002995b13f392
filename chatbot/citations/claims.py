"""A sentence that is to be checked and the passages that are to say it, analysed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from chatbot.citations.texts import (
    Statement,
    WordToken,
    analyse_statement,
    consonant_skeleton,
    main_script,
    word_key,
    word_prefixes,
)
from chatbot.models.pipeline.reading.sentences import split_sentences
from rag.documents import Passage
from rag.search.tokenization import DEFAULT, detect_language
from utils.languages.quantities import Quantity, all_offered

MIN_LANGUAGE_CHARS = 25
"""Characters of question and sentence from which their language is told."""
ENGLISH_MARKERS = frozenset(
    {"the", "of", "and", "is", "was", "are", "were", "to", "by", "with", "from", "for", "that", "did"}
)


@dataclass(frozen=True)
class PassageText:
    """What the passages of a citation say together."""

    above: Statement
    """Titles and headings."""
    sentences: tuple[Statement, ...]
    prefixes: frozenset[str]
    offers: frozenset[str]
    skeletons: frozenset[str]


@dataclass(frozen=True)
class Claim:
    """A sentence that is to be checked, and the question that it answers."""

    statement: Statement
    question: Statement

    @property
    def question_and_sentence(self) -> str:
        """Question and sentence as one text."""
        return f"{self.question.text} {self.statement.text}".strip()

    def is_news(self, token: WordToken) -> bool:
        """Whether a word is the sentence's own, rather than the question's repeated."""
        return not self.question.has_word(token.word)

    @property
    def new_quantities(self) -> list[Quantity]:
        """The quantities that the question does not have."""
        asked = all_offered(self.question.quantities)
        return [quantity for quantity in self.statement.quantities if not quantity.required & asked]

    @property
    def new_names(self) -> list[WordToken]:
        """The names that the question does not have."""
        return [token for token in self.statement.tokens if token.name and self.is_news(token)]


def read_claim(sentence: str, question: str = "") -> Claim:
    """A sentence and its question, analysed."""
    return Claim(analyse_statement(sentence), analyse_statement(question))


def read_passages(passages: Sequence[Passage]) -> PassageText:
    """Passages, analysed; what was analysed before is remembered."""
    return _analyse_passages(tuple((passage.headed_title, passage.text) for passage in passages))


@lru_cache(256)
def _analyse_passages(passages: tuple[tuple[str, str], ...]) -> PassageText:
    above = analyse_statement("\n".join(dict.fromkeys(headed for headed, _ in passages)))
    sentences = tuple(analyse_statement(sentence) for _, text in passages for sentence in split_sentences(text))
    tokens = [token for statement in (above, *sentences) for token in statement.tokens]
    bones = {consonant_skeleton(token.word) for token in tokens}
    return PassageText(
        above,
        sentences,
        word_prefixes(token.word for token in tokens),
        all_offered(quantity for statement in (above, *sentences) for quantity in statement.quantities),
        frozenset(bone for bone in bones if len(bone) > 1),
    )


def is_foreign(claim: Claim, text: PassageText) -> bool:
    """Whether a sentence and its passages are in different languages: another script, or hardly a word in common."""
    said = " ".join(statement.text for statement in text.sentences)
    if not (main_script(claim.statement.text) and main_script(said)):
        return False
    if main_script(claim.statement.text) != main_script(said):
        return True
    ordinary = [token for token in claim.statement.content_words if not token.name]
    unheard = sum(word_key(token.word) not in text.prefixes for token in ordinary)
    if len(claim.question_and_sentence) < MIN_LANGUAGE_CHARS or unheard <= 0.5 * len(ordinary):
        return False
    languages = detect_language(claim.question_and_sentence), detect_language(said)
    # English is also what a text is taken for whose language cannot be told.
    unsure = languages[0] == DEFAULT and not any(token.word in ENGLISH_MARKERS for token in claim.statement.tokens)
    return languages[0] != languages[1] and not unsure
