"""The library follows folders: real files, real notices of the system."""

import os
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from rag.documents import Document
from rag.readers.process.reader import ReaderProcess, too_slow
from rag.readers.process.worker import Order
from tests.fakes.postgres import PostgresServer
from tests.fakes.watching import SETTINGS, following
from utils.errors import ConfigError, LibraryError

ROOT_USER = os.geteuid() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    (made / "heron.txt").write_text("Herons wait.")
    return made


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


async def test_what_changes_moves_and_goes_is_followed(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"heron.txt": "Herons wait."})
        (folder / "heron.txt").write_text("Herons fly.")
        (folder / "old" / "er").mkdir(parents=True)
        (folder / "old" / "er" / "owl.txt").write_text("Owls listen.")
        await follows.until_texts(folder, {"heron.txt": "Herons fly.", "old/er/owl.txt": "Owls listen."})
        (folder / "old").rename(folder / "new")
        await follows.until_texts(folder, {"heron.txt": "Herons fly.", "new/er/owl.txt": "Owls listen."})
        (folder / "heron.txt").unlink()
        await follows.until_texts(folder, {"new/er/owl.txt": "Owls listen."})
        # The folder that was moved is watched under its new name.
        (folder / "new" / "er" / "owl.txt").write_text("Owls hunt.")
        await follows.until_texts(folder, {"new/er/owl.txt": "Owls hunt."})


async def test_a_folder_that_takes_the_place_of_one_that_was_moved_is_watched(folder: Path, data: Path) -> None:
    (folder / "d" / "e").mkdir(parents=True)
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
        for number in range(3):
            (folder / "d").rename(folder / f"old{number}")
            (folder / "d" / "e").mkdir(parents=True)
            (folder / "d" / "e" / "owl.txt").write_text(f"Owl {number}.")
            await follows.until_equal(folder)
            (folder / "d" / "e" / "owl.txt").write_text(f"Owl {number} hunts.")
            await follows.until_equal(folder)


async def test_a_file_that_was_moved_is_not_embedded_again(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"heron.txt": "Herons wait."})
        follows.embedder.texts.clear()
        (folder / "birds").mkdir()
        (folder / "heron.txt").rename(folder / "birds" / "heron.txt")
        await follows.until_texts(folder, {"birds/heron.txt": "Herons wait."})
        assert follows.embedder.texts == []


async def test_what_changed_while_nobody_watched_is_followed_at_the_next_start(folder: Path, data: Path) -> None:
    (folder / "owl.txt").write_text("Owls listen.")
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"heron.txt": "Herons wait.", "owl.txt": "Owls listen."})
    (folder / "heron.txt").unlink()
    (folder / "magpie.txt").write_text("Magpies build.")
    times = (folder / "owl.txt").stat()
    (folder / "owl.txt").write_text("Owls hunt!!!")
    os.utime(folder / "owl.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"magpie.txt": "Magpies build.", "owl.txt": "Owls hunt!!!"})


async def test_what_is_as_it_was_is_not_read_again_at_the_next_start(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"heron.txt": "Herons wait."})
    (folder / "owl.txt").write_text("Owls listen.")
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
        assert [str(one) for one in follows.news] == ["1 new"]


async def test_a_record_that_was_lost_has_all_files_read_again(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
    (data / "watching.db").write_bytes(b"no database" * 100)
    (folder / "heron.txt").unlink()
    (folder / "owl.txt").write_text("Owls listen.")
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"owl.txt": "Owls listen."})
        assert "each start reads all files" in follows.notices[0]


async def test_what_an_editor_saves_by_way_of_another_file_is_never_taken_for_gone(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
        (folder / "heron.txt").rename(folder / "heron.txt~")
        (folder / "heron.txt").write_text("Herons fly.")
        (folder / "heron.txt~").unlink()
        await follows.until_texts(folder, {"heron.txt": "Herons fly."})
        assert [str(one) for one in follows.news] == ["1 new", "1 changed"]


async def test_ignored_and_hidden_files_and_linked_folders_are_left_out_as_by_ingest(
    folder: Path, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "away.txt").write_text("Far away.")
    (folder / "link").symlink_to(tmp_path / "far")
    (folder / "linked.txt").symlink_to(tmp_path / "far" / "away.txt")
    (folder / ".hidden.txt").write_text("Hidden.")
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"heron.txt": "Herons wait.", "linked.txt": "Far away."})
        (folder / ".gitignore").write_text("heron.txt\n")
        await follows.until_texts(folder, {"linked.txt": "Far away."})
        (folder / ".gitignore").unlink()
        await follows.until_equal(folder)


async def test_only_what_came_from_the_folder_is_taken_out(folder: Path, data: Path, tmp_path: Path) -> None:
    named, beside = folder / ".named.txt", tmp_path / "notes-too.txt"
    named.write_text("Named.")
    others = [
        Document(str(named), "named", "Named.", "file"),
        Document(str(beside), "beside", "Beside.", "file"),
        Document(f"{folder}/page", "page", "A page.", "web"),
        Document("https://birds.example/notes/a", "page", "Another page.", "web"),
    ]
    async with following(data) as follows:
        await follows.library.add_all([*others, Document(f"{folder}/gone.txt", "gone", "Gone.", "file")])
        await follows.watch.begin(str(folder))
        await follows.until_texts(folder, {"heron.txt": "Herons wait.", ".named.txt": "Named."})
        (folder / "heron.txt").unlink()
        await follows.until_texts(folder, {".named.txt": "Named."})
        assert all([await follows.library.find_document(one.source) for one in others])


async def test_of_a_library_that_machines_share_only_what_was_put_in_from_here_is_taken_out(
    folder: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    shared, there = replace(SETTINGS, backend="postgres"), {"owl.txt": "Owls listen."}
    (folder / "gull.txt").write_text("Gulls cry.")
    async with following(tmp_path / "one", folder, settings=shared) as here:
        await here.until_equal(folder)
        # Another machine has a folder of the same path with another file in it.
        await here.library.add(Document(f"{folder}/owl.txt", "owl", "Owls listen.", "file"))
        (folder / "gull.txt").unlink()
        await here.until_texts(folder, {"heron.txt": "Herons wait.", **there})
    (folder / "heron.txt").unlink()
    (folder / "wren.txt").write_text("Wrens sing.")
    async with following(tmp_path / "one", folder, settings=shared) as here:
        await here.until_texts(folder, {"wren.txt": "Wrens sing.", **there})


async def test_the_records_of_a_file_follow_it(folder: Path, data: Path) -> None:
    (folder / "birds.jsonl").write_text('{"text": "One."}\n{"text": "Two."}\n')
    async with following(data, folder) as follows:

        async def has_documents(number: int) -> bool:
            return (await follows.library.stats()).documents == number

        await follows.until(lambda: has_documents(3))
        (folder / "birds.jsonl").write_text('{"text": "Two."}\n')
        await follows.until(lambda: has_documents(2))
        (folder / "birds.jsonl").unlink()
        await follows.until(lambda: has_documents(1))


async def test_what_cannot_be_read_is_told_once_and_read_when_it_can_be(folder: Path, data: Path) -> None:
    (folder / "report.pdf").write_bytes(b"%PDF-1.7 half of i")
    async with following(data, folder) as follows:
        await follows.until_texts(folder, {"heron.txt": "Herons wait."})
        (folder / "heron.txt").write_text("Herons fly.")
        await follows.until_texts(folder, {"heron.txt": "Herons fly."})
        assert follows.failures == ["report.pdf"]
        assert [one.unreadable for one in follows.watch.folders] == [1]
        (folder / "report.pdf").unlink()
        (folder / "report.txt").write_text("All of it.")
        await follows.until_equal(folder)
        assert [one.unreadable for one in follows.watch.folders] == [0]


async def give_up(_: ReaderProcess, order: Order) -> NoReturn:
    raise too_slow(order)


async def test_what_took_too_long_to_read_once_is_read_later_though_it_has_not_changed(
    folder: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.watching.failed_files.FIRST_PAUSE", 0.0)
    with monkeypatch.context() as busy:
        # As on a machine that has too much to do.
        busy.setattr(ReaderProcess, "receive", give_up)
        async with following(data, folder) as follows:

            async def has_failed() -> bool:
                return follows.failures != []

            await follows.until(has_failed)
            assert await follows.texts(folder) == {}
            busy.undo()
            # Has the folder looked at, which is done every five minutes otherwise.
            (folder / "owl.txt").write_text("Owls listen.")
            await follows.until_texts(folder, {"heron.txt": "Herons wait.", "owl.txt": "Owls listen."})
            assert (follows.failures, [one.unreadable for one in follows.watch.folders]) == (["heron.txt"], [0])


async def test_what_stood_in_a_file_that_was_emptied_is_taken_out(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
        (folder / "heron.txt").write_text("")
        await follows.until_texts(folder, {})
        assert follows.failures == ["heron.txt"]


async def test_a_folder_that_vanishes_keeps_its_documents_and_is_followed_when_it_is_back(
    folder: Path, data: Path, tmp_path: Path
) -> None:
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
        folder.rename(tmp_path / "elsewhere")
        await follows.until_told("is not there; what the library has of it stays")
        # As where a disk was mounted before.
        folder.mkdir()
        assert await follows.texts(folder) == {"heron.txt": "Herons wait."}
        folder.rmdir()
        (tmp_path / "elsewhere" / "owl.txt").write_text("Owls listen.")
        (tmp_path / "elsewhere").rename(folder)
        await follows.until_texts(folder, {"heron.txt": "Herons wait.", "owl.txt": "Owls listen."})
        assert f"{folder} is there again." in follows.notices


async def test_an_empty_folder_in_the_place_of_another_takes_nothing_out(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
    (folder / "heron.txt").rename(folder.with_name("heron.txt"))
    folder.rename(folder.with_name("unmounted"))
    folder.mkdir()
    async with following(data, folder) as follows:
        await follows.until_told("is empty, as a disk is that is not mounted")
        assert await follows.texts(folder) == {"heron.txt": "Herons wait."}


async def test_two_watchers_of_one_folder_agree(folder: Path, data: Path) -> None:
    async with following(data, folder) as one, following(data, folder) as other:
        await one.until_equal(folder)
        for number in range(20):
            (folder / f"bird{number}.txt").write_text(f"Bird {number}.")
        (folder / "heron.txt").unlink()
        assert await one.until_equal(folder) == 20
        assert await other.until_equal(folder) == 20


async def test_a_library_that_cannot_be_written_to_is_tried_again(
    folder: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
        add_all, full = follows.library.add_all, LibraryError("There is no room on the disk.", "Make room.")

        async def refuse(*_: object, **__: object) -> list[int]:
            monkeypatch.setattr(follows.library, "add_all", add_all)
            raise full

        monkeypatch.setattr(follows.library, "add_all", refuse)
        (folder / "owl.txt").write_text("Owls listen.")
        await follows.until_told("cannot be followed now, and is tried again: There is no room on the disk.")
        await follows.until_equal(folder)


async def test_what_is_no_folder_is_not_watched(folder: Path, data: Path) -> None:
    async with following(data, folder) as follows:
        for name in ("heron.txt", "none"):
            with pytest.raises(ConfigError, match="is no folder"):
                await follows.watch.begin(str(folder / name))
        with pytest.raises(ConfigError, match="watched already"):
            await follows.watch.begin(f"{folder}/../notes")
        assert await follows.watch.close() == 1
    async with following(data, settings=replace(SETTINGS, read_only=True)) as follows:
        with pytest.raises(LibraryError, match="only read"):
            await follows.watch.begin(str(folder))


@pytest.mark.skipif(ROOT_USER, reason="the superuser may read everything")
async def test_a_folder_that_may_not_be_read_keeps_its_documents(folder: Path, data: Path) -> None:
    (folder / "locked").mkdir()
    (folder / "locked" / "owl.txt").write_text("Owls listen.")
    async with following(data, folder) as follows:
        await follows.until_equal(folder)
        (folder / "locked").chmod(0)
        try:

            async def is_told() -> bool:
                return follows.failures == ["locked"]

            await follows.until(is_told)
            assert "locked/owl.txt" in await follows.texts(folder)
        finally:
            (folder / "locked").chmod(0o700)
