"""The profiles that come with Magpie: what they hold fits, and Strudel answers are checked in a real chat."""

import re
from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.conversation.events import AnswerDelta
from chatbot.profiles.folders import SHIPPED, ProfileFolders
from chatbot.profiles.strudel.check import code_blocks, find_code_problem
from chatbot.profiles.strudel.mini_notation import check_notation
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.app import events_of
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.site_app import running_chat

TEXTS = sorted(path for path in (SHIPPED / "strudel").rglob("*.md"))
NAMES = [path.name for path in SHIPPED.iterdir()]


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_profile_is_whole(name: str) -> None:
    read = ProfileFolders(Path("/nowhere")).read(name)
    assert read.problems == ()
    assert bool(read.instructions and read.about) is (name != "default")


async def test_every_tool_that_one_names_is_there(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    settings = {"data_dir": str(tmp_path), "history.searchable": True}
    async with running_chat(load_configuration(tmp_path / "config.json", settings, {})) as running:
        there = running.chat.agent.toolbox.names
    named = [ProfileFolders(Path("/nowhere")).read(name).values.tools or [] for name in NAMES]
    assert {tool for tools in named for tool in tools} - {*there} == set()


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_the_code_in_the_texts_on_strudel_is_valid(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [problem for _, code in code_blocks(text) if (problem := find_code_problem(code))] == []
    for code in re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)):
        if code.startswith((".", "setcpm", "note(", "n(", "s(", "const ", "chord(")):
            assert find_code_problem(code.removeprefix(".")) == "", code
        elif re.fullmatch(r"[a-z~{\[]\S* .*|\w+[*(!?@:]\S+", code) and "(" not in code:
            check_notation(code)


def chat_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (folder / "config.json").write_text("{}")
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder(dimensions=384))
    settings = {"data_dir": str(folder / "data"), "profile": "strudel"}
    return running_chat(load_configuration(folder / "config.json", settings, {}))


async def test_the_strudel_profile_searches_its_documentation_and_shows_only_checked_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, right = '```strudel\n$: s("bd(3,8")\n```', '```strudel\n$: s("bd(3,8)")\n```'
    query = {"query": "Euclidean rhythms round brackets spreads strokes over steps"}
    async with chat_of(tmp_path, monkeypatch) as running:
        model = ScriptedModel([calls(("search_vector_db", query)), says(wrong), says(right)], window=16_000)
        running.chat.agent.use_model(model)
        events = await events_of(running.chat.agent.ask("A tresillo for the bass drum, please."))
        assert running.configuration.values.rag.rewrite_queries
    assert [event.text for event in events if isinstance(event, AnswerDelta)] == [right]
    assert events[-1].text == right
    first, offered = model.sent[0]
    assert "use_skill" in offered
    assert "- drums: Makes drum beats" in first[0].content
    assert "tresillo" in model.sent[1][0][-1].content
    assert "the ( is not closed" in model.sent[2][0][-1].content
