"""What is seen of the library beside its searches: a quick look for a question, and one sentence on its state."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from chatbot.library.progress import is_url
from chatbot.models.pipeline.decision.tool_choice import LibraryLook
from rag.library import Library
from rag.search.search import SearchOptions
from tools.library_search import SearchScope
from utils.errors import LibraryError
from utils.text import one_line

PROFILE_COLLECTIONS = "profile-"
"""What the names of collections begin with that hold the documents of a profile: no other chat is told of them."""
NEWEST, TITLES_NAMED = 50, 5
"""Documents among which the model is told of the user's files, and how many of these."""


def look_into(
    library: Library | None, scope: Callable[[], SearchScope] = SearchScope
) -> Callable[[str], Awaitable[LibraryLook]] | None:
    """A quick look into the library for what it has for a question, in the `scope` of the chat.

    It sees nothing where the library cannot be searched; its tool will say so when it is called.
    """
    if library is None:
        return None

    async def look_at_library(question: str) -> LibraryLook:
        try:
            within = scope()
            options = SearchOptions(within.mode, collections=within.collections, reranked=False)
            found = await library.search(question, within.limit, options)
            titles = [
                title for name in within.collections or ("",) for title in await library.list_titles(collection=name)
            ]
            return LibraryLook(tuple(dict.fromkeys(titles)), tuple(found))
        except LibraryError:
            return LibraryLook()

    return look_at_library


async def library_news(library: Library | None) -> str:
    """One sentence on the library's state, for the model: it names the user's own files, for strangers title pages."""
    if library is None or await library.is_empty():
        return ""
    stats = await library.stats()
    newest = await library.list_entries((), None, NEWEST)
    own = (e.source for e in newest if not (is_url(e.source) or e.collection.startswith(PROFILE_COLLECTIONS)))
    names = list(dict.fromkeys(one_line(Path(source).name, 80) for source in own))[:TITLES_NAMED]
    return f"The library holds {stats.documents} documents{', for instance: ' if names else ''}{'; '.join(names)}."
