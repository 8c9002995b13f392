import os
from pathlib import Path

import pytest

from rag.folders import find_files
from rag.watching.scan import ScanScope, identify_folder, is_gone, scan_folder, sign_file

FILES = ("a.txt", "d/b.txt", "d/e/c.txt", "f/g/h/i.txt", "f/.hidden", "f/skipped/j.txt")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_text(name)
    (tmp_path / "root" / "f" / ".gitignore").write_text("skipped/\n")
    return tmp_path / "root"


async def test_everything_is_what_a_folder_has_for_ingest(root: Path) -> None:
    scan = scan_folder(ScanScope(str(root), everything=True))
    assert list(scan.files) == [str(path) for path in find_files(root)]
    assert {os.path.relpath(folder, root) for folder in scan.folders} == {".", "d", "d/e", "f", "f/g", "f/g/h"}


def test_a_part_is_looked_at_with_what_is_on_the_way(root: Path) -> None:
    scope = ScanScope(str(root), frozenset({str(root / "d")}), frozenset({str(root / "f")}))
    scan = scan_folder(scope)
    found = {os.path.relpath(path, root) for path in scan.files}
    assert found == {"a.txt", "d/b.txt", "f/g/h/i.txt"}
    had = {name: scope.has_file(str(root / name)) for name in (*FILES, "d/gone.txt", "f/gone/k.txt", "z/l.txt")}
    assert [name for name, would in had.items() if would] == [
        *("d/b.txt", "f/g/h/i.txt", "f/.hidden", "f/skipped/j.txt", "d/gone.txt", "f/gone/k.txt")
    ]


def test_whoever_writes_moves_or_locks_a_file_changes_its_signature(root: Path) -> None:
    path = root / "a.txt"
    before = sign_file(str(path))
    assert sign_file(str(path)) == before
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_text("z.txt")
    os.utime(path, ns=times)
    written = sign_file(str(path))
    assert written != before
    path.rename(root / "b.txt")
    moved = sign_file(str(root / "b.txt"))
    assert moved.content == written.content
    (root / "b.txt").chmod(0o600)
    assert sign_file(str(root / "b.txt")) != written


def test_a_link_that_leads_nowhere_is_there(root: Path) -> None:
    (root / "link").symlink_to(root / "none")
    assert str(root / "link") in scan_folder(ScanScope(str(root), everything=True)).files
    assert not is_gone(str(root / "link"))
    assert is_gone(str(root / "none"))
    assert is_gone(str(root / "a.txt" / "none"))


def test_another_folder_of_the_same_name_has_another_identity(root: Path) -> None:
    identity, empty = identify_folder(str(root))
    assert identity and not empty
    root.rename(root.with_name("old"))
    assert identify_folder(str(root)) == (None, True)
    root.mkdir()
    other, empty = identify_folder(str(root))
    assert other and other != identity and empty
