"""A library on a full disk, or only read: what is in it is found, and why nothing is added is told."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag.library import Library
from rag.settings import RagSettings
from tests.fakes import unwritable_library
from tests.fakes.embedder import WordEmbedder
from utils.errors import LibraryError

SMALL = 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"'
OLD = ["/birds/magpie.md", "/birds/heron.md"]


def run(folder: Path, *how: str) -> dict[str, Any]:
    inside = ["unshare", "-rm", "sh", "-c", SMALL, str(folder)]
    if not shutil.which("unshare") or subprocess.run([*inside, "true"], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    command = [*inside, sys.executable, str(Path(unwritable_library.__file__)), str(folder), *how]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (process.returncode, "Traceback" in process.stderr) == (0, False), process.stderr
    result: dict[str, Any] = json.loads(process.stdout)
    return result


@pytest.mark.parametrize("end", ["clean", "killed"])
def test_with_no_byte_free_a_library_is_searched_and_goes_on_when_there_is_room(tmp_path: Path, end: str) -> None:
    result = run(tmp_path, "full", end)
    assert result["found"][:2] == OLD
    assert result["told"] == f"There is no room on the disk for the library {tmp_path}/data/library.db. Make room."
    assert result["diagnosed"] == result["told"]
    assert (result["added after"], result["found"][-1]) == (1, "/birds/owl.md")


@pytest.mark.parametrize("end", ["clean", "killed"])
def test_a_library_that_is_only_read_is_searched(tmp_path: Path, end: str) -> None:
    result = run(tmp_path, "read-only", end)
    assert result["found"][:2] == OLD
    assert result["told"] == (
        f"The library {tmp_path}/data/library.db can only be read. Check the folder and the disk."
    )
    assert result["diagnosed"] == result["told"]


@pytest.mark.parametrize("place", ["chroma", "matrix", "keywords"])
async def test_a_file_in_the_place_of_an_index_is_a_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / place).write_text("in the way")
    with pytest.raises(LibraryError) as caught:
        await Library.open(tmp_path, RagSettings(), WordEmbedder())
    assert str(caught.value) == (
        f"An index of the library cannot be in {tmp_path / place}, which is no folder. "
        "Move it away, or name another folder with rag.chroma_db_path."
    )
