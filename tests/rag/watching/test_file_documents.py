from dataclasses import replace
from pathlib import Path

from rag.documents import Document
from tests.fakes.kept_in import KeptIn
from tests.fakes.torture import opened

DOCUMENTS = (
    Document("/notes/a.md", "a", "A.", "file"),
    Document("/notes/in/b.md", "b", "B.", "file"),
    Document("/notes", "a file of that name", "N.", "file"),
    Document("/notes-too/c.md", "c", "C.", "file"),
    Document("/notes/d.jsonl#1", "d", "D.", "file", container="/notes/d.jsonl"),
    Document("17", "e", "E.", "file", container="/notes/corpus.jsonl"),
    Document("/notes/page", "f", "F.", "web"),
    Document("https://notes.example/notes/a.md", "g", "G.", "web"),
)


async def test_documents_of_files_are_found_and_removed_by_their_files_alone(tmp_path: Path, kept_in: KeptIn) -> None:
    library = await opened(tmp_path)
    await library.add_all(DOCUMENTS)
    await library.add(replace(DOCUMENTS[0], title="elsewhere"), collection="others")
    files = library.files()
    names = {"/notes/a.md", "/notes/in/b.md", "/notes/d.jsonl", "/notes/corpus.jsonl"}
    assert await files.paths_within("/notes") == names
    assert await files.paths_within("/") == {*names, "/notes", "/notes-too/c.md"}
    assert await files.remove_files(["/notes", "/notes/page", "/notes/in", "/notes/corpus.jsonl", "/none"]) == 2
    assert await files.remove_gone({"/notes/d.jsonl": []}) == 1
    assert await files.paths_within("/") == {"/notes/a.md", "/notes/in/b.md", "/notes-too/c.md"}
    assert await library.files("others").paths_within("/notes") == {"/notes/a.md"}
    await library.close()
