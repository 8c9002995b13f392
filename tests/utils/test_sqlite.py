import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from utils.errors import LibraryError
from utils.sqlite import Database, FileForm

FORM = FileForm("library", ("CREATE TABLE birds (name TEXT);",), LibraryError, LibraryError, "Move the file away.")


def test_a_table_whose_damaged_name_is_no_text_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    Database(path, FORM).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET name = CAST(x'a2' AS TEXT), sql = 'CREATE TABLE'")
    with pytest.raises(LibraryError, match="is damaged") as raised:
        Database(path, FORM)
    assert raised.value.remedy == "Move the file away."
