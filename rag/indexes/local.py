"""The indexes of a collection on this machine: they follow the library, and find what is in it."""

from collections.abc import Callable

from rag.indexes.chunk_feed import ChunkCosines, ChunkFeed, SpokenLanguages
from rag.indexes.index_check import check_local_indexes
from rag.indexes.index_owner import Folders, IndexOwner, discard_indexes
from rag.indexes.local_search import CandidateSearch
from rag.search.candidates import QueryHits, Question
from rag.stored import Finding


class LocalIndexes(IndexOwner):
    """What `CollectionIndexes` asks for, for a store whose chunks are fed to indexes on disk and in memory."""

    def __init__(
        self, store: SpokenLanguages, feed: ChunkFeed, vectors: ChunkCosines, fingerprint: str, folders: Folders
    ) -> None:
        super().__init__(feed, fingerprint, folders)
        self._search = CandidateSearch(store, feed, self, vectors)

    def begin_search(self, question: Question) -> Callable[[], QueryHits]:
        """Look up the words while the question is still embedded; see `CandidateFinder`."""
        return self._search.begin_search(question)

    def order_rebuild(self) -> None:
        """Have all indexes made anew, in whatever process."""
        self._feed.order_rebuild()

    def check_indexes(self) -> tuple[list[Finding], bool]:
        """Compare them with the library and mend them; False where another process holds some of them."""
        findings = check_local_indexes(self, self._feed, self._model)
        return findings, all([self.try_to_own(), self.own_chroma()])

    def size(self) -> int:
        """Bytes of all of them."""
        return self.folders.size()

    def discard(self) -> None:
        """Remove them; where another process owns them, it forgets the chunks one by one."""
        discard_indexes(self.folders)

    def close(self) -> None:
        """End the search, and close the indexes for good."""
        # First: a look-up that came later would make indexes anew.
        self._search.close()
        super().close()
