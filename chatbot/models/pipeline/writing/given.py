"""Which of the texts that the user attached says what was written."""

from collections.abc import Awaitable, Callable, Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.writing.lists import has_item
from rag.search.rare_words import word_stems

Supports = Callable[[str, Sequence[Source], str], Awaitable[bool]]
"""Whether passages say a sentence that answers a question."""
LIKELIEST = 3
"""Parts of attached texts of which it is asked whether they bear a sentence out: those with most of its words."""


async def find_given(
    given: Sequence[Source], sentence: str, question: str, supports: Supports, *, is_item: bool
) -> list[int]:
    """The number of the attached text of which a part bears a sentence, or an item of a list, out; none without one."""
    said = word_stems(sentence)
    for source in sorted(given, key=lambda part: -len(said & word_stems(part.passage.text)))[:LIKELIEST]:
        if (is_item and has_item(source.passage.text, sentence)) or await supports(sentence, [source], question):
            return [source.number]
    return []
