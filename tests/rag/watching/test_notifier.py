import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from watchfiles import Change

from rag.watching.notifier import ChangeNotifier
from tests.fakes.places import ROOT

LIMITED = """
import asyncio, sys
from pathlib import Path
from tests.fakes.watching import following

async def follow(folder):
    async with following(folder.with_name("data"), folder) as follows:
        await follows.until_equal(folder)
        (folder / "d1" / "new.txt").write_text("New.")
        await follows.until_equal(folder)
        print(follows.notices, [one.polls for one in follows.watch.folders])

asyncio.run(follow(Path(sys.argv[1])))
"""


def test_each_folder_is_watched_alone(tmp_path: Path) -> None:
    heard: set[tuple[Change, str]] = set()
    told = threading.Event()

    def hear(changes: set[tuple[Change, str]] | None) -> None:
        heard.update(changes or ())
        if any(path.endswith("last") for _, path in heard):
            told.set()

    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    notifier = ChangeNotifier([str(tmp_path), str(tmp_path / "in")], hear)
    (tmp_path / "out" / "unheard").touch()
    (tmp_path / "in" / "last").touch()
    assert told.wait(20)
    notifier.close()
    assert {path for _, path in heard} == {str(tmp_path / "in" / "last")}


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ChangeNotifier([str(tmp_path / "gone")], lambda changes: None)


@pytest.mark.parametrize("limit", ["inotify_watches", "inotify_instances"])
def test_where_the_systems_limit_is_reached_that_is_said_and_folders_are_looked_through(
    tmp_path: Path, limit: str
) -> None:
    folder = tmp_path / "folder"
    for number in range(5):
        (folder / f"d{number}").mkdir(parents=True)
    (folder / "heron.txt").write_text("Herons wait.")
    # A limit of its own, in a namespace of users of its own.
    limited = f'echo 0 > /proc/sys/user/max_{limit} && exec "$@"'
    if subprocess.run(["unshare", "-Ur", "sh", "-c", f"echo 0 > /proc/sys/user/max_{limit}"], check=False).returncode:
        pytest.skip("no namespace of users can be made here")
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", limited, "sh", sys.executable, "-c", LIMITED, str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert "is looked through again and again, as the system's limit of watched folders" in done.stdout, done.stderr
    assert "[True]" in done.stdout
