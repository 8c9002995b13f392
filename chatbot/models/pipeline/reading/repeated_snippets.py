"""What a search tells of a page beside the page itself: the beginnings of sentences that stand there whole."""

from collections.abc import Sequence

from chatbot.conversation.messages import Source
from rag.documents import Passage
from rag.search.rare_words import word_stems


def without_repeated_snippets(sources: Sequence[Source]) -> list[Source]:
    """The passages without what a search told of a page that the page's own passages say: it is cut anywhere, as in the
    middle of a number."""
    pages = dict[str, frozenset[str]]()
    for source in sources:
        passage = source.passage
        if passage.origin != "snippet":
            said = word_stems(f"{passage.headed_title} {passage.text}")
            pages[passage.source] = pages.get(passage.source, frozenset()) | said

    def repeats(passage: Passage) -> bool:
        whole, *_ = passage.text.rsplit(maxsplit=1) or [""]
        return passage.origin == "snippet" and passage.source in pages and word_stems(whole) <= pages[passage.source]

    return [source for source in sources if not repeats(source.passage)]
