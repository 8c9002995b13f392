"""The page of the commands is that of the list of commands, and the README names none that there is not."""

import re

from chatbot.commands.registry import find_command
from docs.commands_page import MARK, PAGE, make_page
from tests.fakes.places import ROOT

_NAMED = re.compile(r"`/([a-z-]+)")


def test_the_page_is_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert MARK in text
    assert text == make_page(), "`make docs` writes it anew"


def test_the_readme_names_commands_that_there_are() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| command |")[2].partition("\n\n")[0]
    named = _NAMED.findall(table)
    assert len(named) > 15
    assert [name for name in named if find_command(name) is None] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 1200
