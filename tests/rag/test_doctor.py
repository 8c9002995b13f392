from pathlib import Path

import numpy as np
import pytest

from rag.doctor import Diagnosis
from rag.indexes.exact_on_disk import VECTORS
from rag.indexes.manifest import read_manifest, write_manifest
from rag.library import Library
from rag.stored import Finding
from tests.fakes.torture import document, executed, faults, opened, ready, with_two_documents
from utils.errors import LibraryError

INDEXES = ("chroma", "keywords", "matrix")
MADE_ANEW = "was missing, damaged or not closed; it was made anew."


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    return await with_two_documents(tmp_path)


async def examined(folder: Path) -> Diagnosis:
    """What the doctor finds; afterwards all is well."""
    library = await opened(folder)
    found = await library.examine()
    assert await faults(library, "ada", 2) + await faults(library, "bob", 2) == []
    assert (await library.examine()).findings == ()
    await library.close()
    return found


def repaired(*findings: str) -> Diagnosis:
    return Diagnosis(2, 4, tuple(Finding(what, True) for what in findings), ())


async def test_a_sound_library_has_no_findings(folder):
    assert await examined(folder) == repaired()


async def test_damaged_indexes_are_named_and_made_anew(folder):
    for index in INDEXES:
        (folder / index / "rag_documents" / "magpie.json").write_text("{")
    assert await examined(folder) == repaired(
        f"The exact index of rag_documents {MADE_ANEW}",
        f"The vector index of rag_documents {MADE_ANEW}",
        f"The keyword index of rag_documents {MADE_ANEW}",
    )


async def test_a_chroma_that_fits_and_cannot_be_opened_is_made_anew_at_once(folder):
    index = folder / "chroma" / "rag_documents"
    basis = read_manifest(index)
    assert basis is not None
    (index / "chroma.sqlite3").write_bytes(b"nothing that can be read" * 200)
    write_manifest(index, basis)
    assert await examined(folder) == repaired("The vector index of rag_documents failed; it was made anew.")


async def test_an_index_that_lacks_chunks_is_made_anew(folder):
    for index in INDEXES:
        basis = read_manifest(folder / index / "rag_documents")
        assert basis is not None
        basis.chunk += 2
        write_manifest(folder / index / "rag_documents", basis)
    library = await opened(folder)
    await library.add(document("eve", 2))
    await library.close()
    assert await examined_with_eve(folder) == [
        "The exact index of rag_documents lacked 2 chunks and had 0 that are gone; it was made anew.",
        "The vector index of rag_documents lacked 2 chunks and had 0 that are gone; it was made anew.",
        "The keyword index of rag_documents lacked 2 chunks and had 0 that are gone; it was made anew.",
    ]


async def examined_with_eve(folder: Path) -> list[str]:
    library = await opened(folder)
    found = [finding.what for finding in (await library.examine()).findings]
    assert await faults(library, "eve", 2) == []
    await library.close()
    return found


async def test_an_index_that_has_other_vectors_is_made_anew(folder):
    matrix = folder / "matrix" / "rag_documents"
    basis = read_manifest(matrix)
    vectors = np.fromfile(matrix / VECTORS, "<f4")
    vectors[:2] = vectors[1::-1]
    vectors.tofile(matrix / VECTORS)
    assert basis is not None
    write_manifest(matrix, basis)
    assert await examined(folder) == repaired(
        "The exact index of rag_documents had other vectors than the library; it was made anew."
    )


@pytest.mark.parametrize(
    "damage", ["DELETE FROM meta", "DELETE FROM meta WHERE key = 'library'", "UPDATE meta SET value = 'x\x01'"]
)
async def test_a_library_that_has_lost_its_name_says_so_and_gets_another(folder, damage):
    executed(folder, damage)
    library = await opened(folder)
    with pytest.raises(LibraryError, match=r"damaged: what names it was lost\. Type /rag-doctor"):
        await library.search("ada")
    await library.close()
    found = (await examined(folder)).findings
    assert found[0] == Finding(
        "What names the library was lost; it has a new name, and its indexes are made anew.", True
    )
    assert [finding.what.endswith(MADE_ANEW) for finding in found[1:]] == [True] * len(INDEXES)


async def test_chunks_that_are_not_of_their_text_are_cut_anew(folder):
    executed(
        folder,
        "UPDATE chunks SET start = start + 3 WHERE id = 1",
        "UPDATE chunks SET text = CAST(x'ff41' AS TEXT) WHERE id = 4",
    )
    assert await examined(folder) == repaired("Documents whose chunks were not those of their text were cut anew: 2.")


async def test_chunks_without_a_document_are_removed(folder):
    executed(folder, "INSERT INTO chunks VALUES (9, 9, 0, 0, 1, 'x', x'00', '')")
    assert await examined(folder) == repaired("Chunks that belonged to no document were removed: 1.")


async def test_vectors_that_are_missing_or_impossible_are_made_anew(folder):
    executed(
        folder,
        "DELETE FROM vectors WHERE text_hash = (SELECT text_hash FROM chunks WHERE id = 1)",
        "UPDATE vectors SET vector = zeroblob(7) WHERE text_hash = (SELECT text_hash FROM chunks WHERE id = 4)",
        "UPDATE vectors SET vector = zeroblob(1024) WHERE text_hash = (SELECT text_hash FROM chunks WHERE id = 3)",
    )
    assert await examined(folder) == repaired(
        "Damaged vectors were made anew: 2.", "Texts of rag_documents that had no vector were embedded: 3."
    )


async def test_a_damaged_text_is_put_together_from_its_chunks(folder):
    executed(folder, "UPDATE documents SET text = zeroblob(20) WHERE source = '/ada'")
    library = await opened(folder)
    found = await library.examine()
    assert found == repaired("The text of /ada was damaged; it was put together from its chunks.")
    kept = await library.find_document("/ada")
    assert kept is not None and kept.text.split() == document("ada", 2).text.split()
    assert (await library.examine()).findings == ()
    assert await library.add(document("ada", 2)) == 2
    await library.close()
    assert await examined(folder) == repaired()


async def test_a_document_that_cannot_be_mended_is_removed_and_named(folder):
    executed(
        folder,
        "UPDATE documents SET text = zeroblob(20) WHERE source = '/ada'",
        "UPDATE chunks SET text = 'x' WHERE id = 1",
    )
    library = await opened(folder)
    found = await library.examine()
    assert found.findings[0] == Finding("The text of /ada was damaged, and the document removed: add it again.", True)
    assert await library.add(document("ada", 2)) == 2
    await library.close()
    assert await examined(folder) == repaired()


async def test_leftovers_are_removed(folder):
    library = await opened(folder)
    await library.add(document("joe", 2), collection="others")
    await library.close()
    executed(
        folder,
        "PRAGMA foreign_keys = ON",
        "DELETE FROM documents WHERE collection = 'others'",
        "DELETE FROM collections WHERE name = 'others'",
        "INSERT INTO vectors VALUES (x'00', 'another model', 1, zeroblob(1024))",
    )
    (folder / "keywords" / "rag_documents.new").mkdir()
    (folder / "library.db.v1.4000000").write_bytes(b"half")
    (folder / "chroma" / "mine").mkdir()
    found = await examined(folder)
    assert found.findings[0].what == "A keyword index of rag_documents that was never finished was removed."
    assert {finding.what for finding in found.findings[1:]} >= {
        "The indexes of others, which is no collection any more, were removed.",
        "library.db.v1.4000000, a copy that was never finished, was removed.",
    }
    assert found.is_sound
    assert sorted(path.name for path in folder.rglob("*") if path.is_dir() and "-" not in path.name) == [
        "chroma", "chunks", "documents", "keywords", "matrix", "mine", *["rag_documents"] * 3,
    ]  # fmt: skip


async def test_indexes_that_another_process_holds_are_left_to_it(folder):
    owner, other = await opened(folder), await opened(folder)
    await owner.search("anything")
    await ready(owner)
    executed(folder, "UPDATE chunks SET start = start + 3 WHERE id = 1")
    found = await other.examine()
    assert found == Diagnosis(
        2,
        4,
        (Finding("Documents whose chunks were not those of their text were cut anew: 1.", True),),
        ("rag_documents",),
    )
    await other.close()
    await owner.close()


async def test_a_damage_that_nobody_can_mend_is_told(folder):
    content = bytearray((folder / "library.db").read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    (folder / "library.db").write_bytes(content)
    library = await opened_in_spite(folder)
    if library is not None:
        found = await library.examine()
        assert not found.is_sound and "damaged" in found.findings[0].what
        await library.close()


async def opened_in_spite(folder: Path) -> Library | None:
    from utils.errors import LibraryError

    try:
        return await opened(folder)
    except LibraryError:
        return None


async def test_a_removed_collection_leaves_nothing_on_disk(folder):
    library = await opened(folder)
    await library.add(document("joe", 2), collection="others")
    await library.search("anything")
    await library.remove_collection("others")
    assert [path for path in folder.rglob("*") if path.name == "others"] == []
    assert await library.add(document("joe", 2), collection="others") == 2
    await library.close()
