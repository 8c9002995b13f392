import argparse
from pathlib import Path

import pytest

from chatbot.frontends import prepare
from tests.fakes.app import FakeApp
from tests.fakes.model import ScriptedModel
from tests.fakes.zim import MANY, write_zim
from tools.settings import SearchSettings


async def test_the_archives_that_there_are_and_those_that_cannot_be_read_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_zim(tmp_path / "towns.zim")
    write_zim(tmp_path / "titles.zim", full_text=False, metadata={})
    (tmp_path / "text.zim").write_text("Hello")
    app = FakeApp(ScriptedModel([]), tmp_path, search=SearchSettings(zim_files=(tmp_path,)))
    assert await prepare.run(app.engine, argparse.Namespace()) == 0
    assert capsys.readouterr().err.splitlines()[:3] == [
        f"Archive titles: titles, {MANY + 1} articles, found by their titles alone.",
        f"Archive towns: Towns of the Enner, March 2024, {MANY + 1} articles, found by their words.",
        "text.zim is no ZIM archive. Check search.zim_files.",
    ]
