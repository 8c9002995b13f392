"""What files bring into the library where many of them go in together."""

from pathlib import Path

from chatbot.conversation.events import Progress
from chatbot.library.ingest import Indexed, Ingest
from chatbot.library.read_ahead import GROUP_DOCUMENTS
from rag.library import Library
from rag.stored import DocumentQuery
from tests.fakes.embedder import WordEmbedder
from tests.fakes.watching import SETTINGS, NoPages

MANY = GROUP_DOCUMENTS + 20


class Stumbling(WordEmbedder):
    """An embedder that one text is too much for."""

    async def embed_pieces(self, texts):
        if any("stumble" in text for text in texts):
            raise KeyError("stumble")
        return await super().embed_pieces(texts)


async def taken_in(data: Path, target: Path) -> tuple[Ingest, list[Indexed], set[str]]:
    """The work, the files that it told, and the names of what is in the library then."""
    library = await Library.open(data, SETTINGS, Stumbling())
    try:
        work = Ingest(library, NoPages())  # type: ignore[arg-type]
        told = [step async for step in work.run([str(target)]) if not isinstance(step, Progress)]
        return work, told, {Path(one.source).name for one in await library.catalogue.page(DocumentQuery(), 0, 9999)}
    finally:
        await library.close()


async def test_a_file_that_fails_among_many_fails_alone_and_is_named(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    names = {f"note{number:03}.txt" for number in range(MANY)}
    for name in names:
        (notes / name).write_text(f"Note {name} is short.")
    (notes / "note007.txt").write_text("This one makes it stumble.")
    (notes / "note009.txt").write_bytes(b"\0\1\2")
    work, told, kept = await taken_in(tmp_path / "data", notes)
    broken = {"note007.txt", "note009.txt"}
    assert kept == names - broken
    assert {Path(one.name).name for one in told} == kept and all(one.documents == 1 for one in told)
    assert {Path(name).name for name, _ in work.summary.failures} == broken
    assert (work.summary.files, work.summary.documents) == (MANY - 2, MANY - 2)
    again, _, kept = await taken_in(tmp_path / "data", notes)
    assert (again.summary.unchanged, again.summary.chunks, kept) == (MANY - 2, 0, names - broken)


async def test_what_is_stopped_while_its_files_are_still_looked_for_takes_none_in(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A note.")
    library = await Library.open(tmp_path / "data", SETTINGS, Stumbling())
    work = Ingest(library, NoPages())  # type: ignore[arg-type]
    work.stop()
    assert not [step async for step in work.run([str(tmp_path / "note.txt")]) if isinstance(step, Indexed)]
    assert not await library.catalogue.page(DocumentQuery(), 0, 9999)
    await library.close()


async def test_a_file_of_records_of_which_one_cannot_be_kept_takes_nothing_away_and_is_told_once(
    tmp_path: Path,
) -> None:
    birds = tmp_path / "birds.jsonl"
    lines = [f'{{"text": "Bird {number}."}}' for number in range(MANY)]
    birds.write_text("\n".join(lines))
    _, [told], kept = await taken_in(tmp_path / "data", birds)
    assert told.documents == len(kept) == MANY
    lines[0], lines[1] = "", '{"text": "This one makes it stumble."}'
    birds.write_text("\n".join(lines))
    work, _, kept = await taken_in(tmp_path / "data", birds)
    assert [name for name, _ in work.summary.failures] == [str(birds)]
    assert (len(kept), work.summary.gone) == (MANY, 0)
