"""The documents of a profile are in a collection of their own, which it alone searches."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.engine.profile_choice import use_profile
from rag.documents import Document
from rag.embedding.backends import EMBEDDING_BACKENDS
from tests.fakes.app import events_of
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.profiles import write_profile
from tests.fakes.site_app import RunningChat, running_chat
from tools.library_search import SearchScope

FERRY, HERON = "The ferry leaves the harbour at nine.", "The heron stands in the harbour at dusk."
READ = "Read {} document{} of the profile clerk into the collection profile-clerk."


@asynccontextmanager
async def chat_of(folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> AsyncIterator[RunningChat]:
    (folder / "config.json").write_text("{}")
    monkeypatch.setitem(EMBEDDING_BACKENDS, "local", lambda *_: WordEmbedder())
    settings = {"data_dir": str(folder / "data"), **{k.replace("__", "."): v for k, v in options.items()}}
    async with running_chat(load_configuration(folder / "config.json", settings, {})) as running:
        yield running


async def look_up(running: RunningChat, words: str) -> tuple[list[str], str]:
    """What is told, but for progress, and what a search for words brings."""
    running.chat.agent.use_model(ScriptedModel([calls(("search_vector_db", {"query": words})), says("So it is.")]))
    events = [*await events_of(running.chat.agent.ask(f"What of the {words}?"))]
    told = [event.text for event in events if isinstance(event, Notice)]
    return told, next(event.text for event in events if hasattr(event, "ok"))


async def test_the_documents_are_read_at_the_first_question_and_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_profile(tmp_path, "clerk") / "docs"
    docs.mkdir()
    (docs / "ferry.md").write_text(FERRY)
    async with chat_of(tmp_path, monkeypatch, profile="clerk") as running:
        events = [*await events_of(running.chat.agent._hooks.prepare())]
        assert any(isinstance(event, Progress) for event in events)
        assert events[-1] == Notice(READ.format(1, ""))
        told, found = await look_up(running, "ferry")
        assert told == []
        assert FERRY in found
        await use_profile(running.chat, "default")
        told, found = await look_up(running, "ferry")
        assert (told, found) == ([], "The library is empty: nothing has been read or indexed yet.")


async def test_a_later_run_reads_only_what_was_changed_and_forgets_what_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_profile(tmp_path, "clerk") / "docs"
    docs.mkdir()
    (docs / "ferry.md").write_text(FERRY)
    (docs / "kept.md").write_text("The lighthouse was built of granite.")
    async with chat_of(tmp_path, monkeypatch, profile="clerk") as running:
        assert (await look_up(running, "ferry"))[0] == [READ.format(2, "s")]
    async with chat_of(tmp_path, monkeypatch, profile="clerk") as running:
        told, found = await look_up(running, "ferry")
        assert told == []
        assert FERRY in found
        (docs / "ferry.md").unlink()
        (docs / "heron.md").write_text(HERON)
        told, found = await look_up(running, "heron")
        assert told == [READ.format(1, "")]
        assert HERON in found
        assert FERRY not in (await look_up(running, "ferry"))[1]


async def test_the_usual_library_is_searched_beside_unless_collections_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_profile(tmp_path, "clerk") / "docs"
    docs.mkdir()
    (docs / "ferry.md").write_text(FERRY)
    write_profile(tmp_path, "birder", {"collections": ["birds", "moths"]})
    async with chat_of(tmp_path, monkeypatch, profile="clerk") as running:
        library = running.chat.library
        assert library is not None
        await library.add(Document("/own.md", "Own", "The harbour has two ferry piers.", "file"))
        await library.add(Document("/b.md", "Birds", HERON, "file"), collection="birds")
        _, found = await look_up(running, "ferry harbour")
        assert FERRY in found
        assert "two ferry piers" in found
        assert HERON not in found
        await use_profile(running.chat, "birder")
        told, found = await look_up(running, "heron harbour")
        assert told == ["The profile birder names the collection moths, which the library has not."]
        assert HERON in found
        assert "piers" not in found
        assert (await look_up(running, "heron"))[0] == []


async def test_a_private_run_adds_no_documents_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_profile(tmp_path, "clerk") / "docs"
    docs.mkdir()
    (docs / "ferry.md").write_text(FERRY)
    async with chat_of(tmp_path, monkeypatch, profile="clerk", private=True) as running:
        told, _ = await look_up(running, "ferry")
        assert told == ["This run adds nothing to the library: docs/ is not read anew."]
        assert (await look_up(running, "ferry"))[0] == []
    assert not (tmp_path / "data" / "profile-documents").exists()


async def test_a_document_that_a_link_leads_to_elsewhere_is_none_of_the_profiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_profile(tmp_path, "clerk") / "docs"
    docs.mkdir()
    (tmp_path / "diary.md").write_text(HERON)
    (docs / "diary.md").symlink_to(tmp_path / "diary.md")
    async with chat_of(tmp_path, monkeypatch, profile="clerk") as running:
        told, found = await look_up(running, "heron")
    assert (told, found) == ([], "The library is empty: nothing has been read or indexed yet.")


async def test_no_other_chat_is_told_of_a_profiles_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = write_profile(tmp_path, "clerk") / "docs"
    docs.mkdir()
    (docs / "ferry.md").write_text(FERRY)
    async with chat_of(tmp_path, monkeypatch, profile="clerk") as running:
        await look_up(running, "ferry")
        await running.chat.library.add(Document("/own.md", "Own", HERON, "file"))
    async with chat_of(tmp_path, monkeypatch) as running:
        model = ScriptedModel([says("Yes.")])
        running.chat.agent.use_model(model)
        await events_of(running.chat.agent.ask("Is it?"))
    assert "own.md" in model.sent[0][0][-1].prompt_text
    assert "ferry.md" not in model.sent[0][0][-1].prompt_text


async def test_a_profile_says_how_many_passages_a_search_brings_and_how_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_profile(tmp_path, "clerk", {"retrieval": {"top_k": 1, "search_mode": "bm25"}})
    async with chat_of(tmp_path, monkeypatch) as running:
        assert running.chat.profile.scope == SearchScope()
        for source, text in {"/f.md": FERRY, "/h.md": HERON, "/p.md": "The harbour has a long pier of stone."}.items():
            await running.chat.library.add(Document(source, "Notes", text, "file"))
        assert (await look_up(running, "harbour"))[1].count("harbour") == 3
        await use_profile(running.chat, "clerk")
        assert running.chat.profile.scope == SearchScope(limit=1, mode="bm25")
        assert (await look_up(running, "harbour"))[1].count("harbour") == 1
