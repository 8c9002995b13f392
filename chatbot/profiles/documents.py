"""What a profile searches in the library: the collections that it names, and its own documents in one of theirs."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from chatbot.conversation.events import Notice, Progress
from chatbot.library.ingest import Ingest, Summary
from chatbot.library.look import PROFILE_COLLECTIONS
from chatbot.library.progress import counted
from chatbot.profiles.files import find_state, is_inside
from chatbot.profiles.profile import ChatProfile
from rag.folders import iterate_files
from rag.library import Library
from tools.web.fetch import Fetcher
from utils.errors import FileUnreadable
from utils.files import is_folder, read_json
from utils.paths import write_private
from utils.text import json_text, one_line

DOCUMENTS_FOLDER = "docs"
MAX_DOCUMENTS = 2000
"""Documents of a profile that are read: they are looked at before each question."""
MAX_STATES_BYTES = 2_000_000

States = dict[str, list[int]]
"""By each document when it was written and its size."""


@dataclass
class ProfileLibrary:
    """The part of the library that a profile searches."""

    library: Library | None
    fetcher: Fetcher
    folder: Path
    """Where is kept which documents of each profile are in the library."""
    collections: tuple[str, ...] = ()
    """Those that are searched; empty: that of the settings."""
    told: set[str] = field(default_factory=set)
    """What was told already, and is not told again."""

    async def bring_in(self, profile: ChatProfile) -> AsyncGenerator[Notice | Progress, None]:
        """Have the documents of a profile in the library as they are now; raises a `LibraryError`."""
        documents = await asyncio.to_thread(find_documents, profile)
        kept = self.folder / f"{profile.name}.json"
        is_known = await asyncio.to_thread(kept.exists)
        if not (documents or profile.values.collections or is_known):
            return
        there = {one.name: one.documents for one in await self.library.list_collections()} if self.library else {}
        for news in self._tell_lacks(profile, documents, there):
            yield news
        if self.library is None:
            return
        named = [name for name in profile.values.collections if name in there]
        own = f"{PROFILE_COLLECTIONS}{profile.name}"
        if documents or there.get(own):
            async with aclosing(self._update(profile, kept, documents, bool(there.get(own)))) as steps:
                async for step in steps:
                    yield step
            there[own] = len(documents) if there.get(own) or not self.library.read_only else 0
        # Where no collection is named, the usual one is searched as well.
        usual = profile.values.collections or [""]
        self.collections = (*(named or usual), own) if there.get(own) else tuple(named or profile.values.collections)

    async def _update(
        self, profile: ChatProfile, kept: Path, documents: States, is_there: bool
    ) -> AsyncGenerator[Notice | Progress, None]:
        """Read what is new or was changed, and take out what is gone; `kept` says how they were before."""
        assert self.library is not None
        own = f"{PROFILE_COLLECTIONS}{profile.name}"
        known = await asyncio.to_thread(read_known, kept) if is_there else {}
        if known == documents:
            return
        if self.library.read_only:
            for news in self._tell_once(f"This run adds nothing to the library: {DOCUMENTS_FOLDER}/ is not read anew."):
                yield news
            return
        for gone in known.keys() - documents.keys():
            await self.library.remove(gone, own)
        ingest = Ingest(self.library, self.fetcher, own)
        changed = [name for name, state in documents.items() if known.get(name) != state]
        async with aclosing(ingest.run(changed)) as steps:
            async for step in steps:
                if isinstance(step, Progress):
                    yield step
        await asyncio.to_thread(write_private, kept, json_text(documents))
        for news in tell_summary(ingest.summary, profile.name, own):
            yield news

    def _tell_lacks(self, profile: ChatProfile, documents: States, there: Collection[str]) -> Iterator[Notice]:
        """What of a profile is not searched."""
        if self.library is None:
            yield from self._tell_once("The library is switched off: the profile searches nothing.")
            return
        for name in set(profile.values.collections).difference(there):
            told = f"The profile {profile.name} names the collection {one_line(name, 100)}, which the library has not."
            yield from self._tell_once(told)
        if len(documents) == MAX_DOCUMENTS:
            yield from self._tell_once(f"Of the documents of a profile only {MAX_DOCUMENTS:,} are searched.")

    def _tell_once(self, said: str) -> list[Notice]:
        if said in self.told:
            return []
        self.told.add(said)
        return [Notice(said, "warning")]


def tell_summary(summary: Summary, profile: str, collection: str) -> Iterator[Notice]:
    """What was read into the collection of a profile, and what could not be."""
    for name, why in summary.failures:
        yield Notice(f"{one_line(name, 200)} of the profile is not searched: {why}", "warning")
    if summary.files:
        files = counted(summary.files, "document")
        yield Notice(f"Read {files} of the profile {profile} into the collection {collection}.")


def find_documents(profile: ChatProfile) -> States:
    """The documents in a profile's folder; what a link leads to outside of it is none of them. Blocks."""
    found: States = {}
    if profile.folder is None or not is_folder(profile.folder / DOCUMENTS_FOLDER):
        return found
    for file in iterate_files(profile.folder / DOCUMENTS_FOLDER):
        state = find_state(file) if is_inside(file, profile.folder) else None
        if state is not None:
            found[str(file)] = [*state[1:]]
        if len(found) == MAX_DOCUMENTS:
            break
    return found


def read_known(file: Path) -> States:
    """Which documents were read and how they were; nothing where that cannot be told, and all are read again."""
    try:
        known = read_json(file, MAX_STATES_BYTES)
    except FileUnreadable:
        return {}
    return known if isinstance(known, dict) else {}
