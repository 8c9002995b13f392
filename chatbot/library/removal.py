"""Takes out of the library what a name means, in the chat and in a shell."""

import asyncio
from pathlib import Path

from chatbot.library.progress import is_url
from rag.catalogue import AmbiguousName
from rag.folders import absolute_path
from rag.library import Library
from utils.errors import AddressRefused, LibraryError
from utils.network.addresses import parse_url
from utils.text import one_line


async def remove_named(library: Library, name: str, collection: str = "") -> int:
    """Remove the documents that a name means, an empty `collection` being that of the settings; how many there were.

    Where one document is meant and several have the name, or others than those of the collection, nothing is removed
    and `AmbiguousName` raised. An empty name means nothing: a path of that name would be the working folder.
    """
    if not name.strip():
        return 0
    full = await _in_full(name)
    if name.isdecimal() and await library.find_named(full, collection):
        problem = f"{name} is the number of a document, and the name of a file or folder here."
        raise LibraryError(problem, f"Write #{name} for the number, or ./{name} for what lies here.")
    removed = await library.remove(name, collection) or await library.remove(full, collection)
    if not removed and not collection and (elsewhere := await library.catalogue.elsewhere(name)):
        problem = f"Nothing here is called {one_line(name, 100)}, but in other collections something is."
        raise AmbiguousName(problem, elsewhere)
    return removed


async def _in_full(name: str) -> str:
    """An address as the library spells it, or the whole path of a file that was named from the working folder."""
    if not is_url(name):
        return str(await asyncio.to_thread(absolute_path, Path(name)))
    try:
        return parse_url(name).url
    except AddressRefused:
        return name
