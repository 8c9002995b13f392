"""A whole question, the search engines' own client included, in a network that can be seen as a whole."""

from pathlib import Path

import pytest

from tests.attacks import lab
from tests.attacks.session import ANSWER, run_session
from tests.conftest import Tally
from tests.fakes import observer

ENGINES = {"html.duckduckgo.com", "search.brave.com", "www.mojeek.com", "en.wikipedia.org"}
NEWS = {"duckduckgo.com", "www.bing.com", "news.search.yahoo.com"}


async def test_a_question_asks_for_the_engines_and_the_page_and_for_nothing_else(tmp_path: Path, tally: Tally) -> None:
    if reason := lab.why_not() or observer.why_not():
        pytest.skip(reason)
    seen = await run_session(tmp_path)
    assert ANSWER in seen.said
    assert seen.names == {*ENGINES, *NEWS, "pub.test"}
    tally("a whole question, watched from outside", 1, seen.connected - {(lab.PUBLIC_ADDRESS, 80)})
