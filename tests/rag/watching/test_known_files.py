import os
from pathlib import Path

from rag.watching.known_files import KnownFiles, WatchKey
from rag.watching.scan import FileSignature, FolderIdentity

KEY = WatchKey("name", "birds", "/notes")


def test_what_was_noted_is_known_to_the_next_one(tmp_path: Path) -> None:
    # An inode of 64 bits, and a name that is no UTF-8.
    one, other = FileSignature(1, 2, 3, (1 << 64) - 1), FileSignature(5, 6, 7, 8)
    strange = os.fsdecode(b"/notes/\xff.txt")
    record = KnownFiles(tmp_path, KEY)
    record.note({"/notes/a": one, strange: other, "/notes/gone": one})
    record.note({"/notes/a": other}, ["/notes/gone"])
    record.note_folder(FolderIdentity((1 << 64) - 2, 9))
    record.close()
    again = KnownFiles(tmp_path, KEY)
    assert again.load() == ({"/notes/a": other, strange: other}, FolderIdentity((1 << 64) - 2, 9))
    again.close()


def test_each_library_collection_and_folder_has_its_own(tmp_path: Path) -> None:
    record = KnownFiles(tmp_path, KEY)
    record.note({"/notes/a": FileSignature(1, 2, 3, 4)})
    record.close()
    for key in (
        WatchKey("other", "birds", "/notes"),
        WatchKey("name", "fish", "/notes"),
        WatchKey("name", "birds", "/"),
    ):
        other = KnownFiles(tmp_path, key)
        assert other.load() == ({}, None)
        other.close()
