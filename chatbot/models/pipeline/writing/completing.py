"""What an answer lacks of what its passages have: sentences of a summary, items of a list, the form of times."""

from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.writing.as_written import write_times_as
from chatbot.models.pipeline.writing.lists import forgotten_items
from chatbot.models.pipeline.writing.summaries import left_out
from chatbot.models.pipeline.writing.written import WrittenAnswer
from utils.languages.detection import same_language

ENUMERATING = ("fact", "list", "several")
"""Forms of answers that may enumerate a list."""


def lacking_pieces(
    reading: Reading, form: str, question: str, written: WrittenAnswer, language: str
) -> list[tuple[str, int]]:
    """What is added to an answer as the passages have it, each with its number (0 where the passage has none)."""
    if form == "summary":
        sentences = left_out(reading, question, written.text, written.cited, language)
        return [(f" {sentence}", number) for sentence, number in sentences]
    if form != "list":
        return []
    found = [(source, forgotten_items([source.passage.text], written.text)[1]) for source in reading.sources]
    lines = next(([(f"\n- {item}", source.number) for item in items] for source, items in found if items), [])
    if lines and written.text.endswith("\n"):
        lines[0] = (lines[0][0].lstrip(), lines[0][1])
    return lines


def as_standing(form: str, sentence: str, sources: Sequence[Source], language: str) -> str:
    """A sentence as its passages have what it says: with their times, and with the whole of a list that it enumerates
    but for an item or two. `language` is ISO 639-1."""
    texts = [source.passage.text for source in sources]
    items, _ = forgotten_items(texts, sentence) if form in ENUMERATING else ([], [])
    if items:
        return "\n".join(f"- {item}" for item in items)
    return write_times_as([text for text in texts if same_language(text, language)], sentence)
