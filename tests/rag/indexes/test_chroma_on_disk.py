import shutil

import chromadb
import pytest

from tests.fakes.torture import by_graph
from tests.rag.test_library import HERONS, MAGPIES, TAXES, opened, settled, sources


@pytest.mark.parametrize("damage", ["deleted", "garbled", "cut", "manifest"])
async def test_a_damaged_index_is_made_anew(tmp_path, damage):
    library = await opened(tmp_path)
    for document in (MAGPIES, HERONS, TAXES):
        await library.add(document)
    await settled(library)
    await library.close()
    database = tmp_path / "chroma" / "rag_documents" / "chroma.sqlite3"
    if damage == "deleted":
        shutil.rmtree(tmp_path / "chroma")
    elif damage == "garbled":
        database.write_bytes(b"\xa5" * database.stat().st_size)
    elif damage == "cut":
        database.write_bytes(database.read_bytes()[:5000])
    else:
        (tmp_path / "chroma" / "rag_documents" / "magpie.json").write_text("{")
    library = await opened(tmp_path)
    with by_graph():
        assert await sources(library, "domed nests") == [MAGPIES.source]
        await settled(library)
        assert await sources(library, "domed nests") == [MAGPIES.source]
        assert await sources(library, "income tax") == [TAXES.source]
    await library.close()


async def test_the_chroma_collection_has_the_documented_form(tmp_path):
    library = await opened(tmp_path)
    await library.add(MAGPIES)
    await settled(library)
    await library.close()
    with chromadb.PersistentClient(str(tmp_path / "chroma" / "rag_documents")) as client:
        collection = client.get_collection("rag_documents", embedding_function=None)
        assert collection.get()["metadatas"] == [
            {"source": MAGPIES.source, "title": "Magpies", "chunk_index": 0, "total_chunks": 1, "type": "file"}
        ]
