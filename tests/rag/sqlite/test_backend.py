import sqlite3

import pytest

from tests.rag.test_library import opened
from utils.errors import LibraryError


async def test_a_file_of_a_newer_magpie_is_refused(tmp_path):
    await (await opened(tmp_path)).close()
    with sqlite3.connect(tmp_path / "library.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(LibraryError, match="newer Magpie"):
        await opened(tmp_path)


async def test_a_file_that_is_no_library_is_refused(tmp_path):
    (tmp_path / "library.db").write_bytes(b"no database " * 500)
    with pytest.raises(LibraryError, match="damaged"):
        await opened(tmp_path)
