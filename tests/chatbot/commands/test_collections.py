"""/collection: where a conversation searches and what it adds to, kept with it."""

from pathlib import Path

import pytest

from chatbot.commands.registry import run_command
from chatbot.conversation.events import Event, Listing, Notice, Progress
from rag.documents import Document
from rag.library import Library
from tests.chatbot.profiles.test_documents import FERRY, HERON, chat_of, look_up
from tests.fakes.app import events_of
from tests.fakes.model import ScriptedModel, says
from tests.fakes.profiles import write_profile
from tests.fakes.site_app import RunningChat
from utils.errors import LibraryError


async def run(running: RunningChat, line: str) -> list[Event]:
    async def ready():
        return running.chat

    return [event for event in await events_of(run_command(ready, line)) if not isinstance(event, Progress)]


async def filled(running: RunningChat) -> Library:
    library = running.chat.library
    assert library is not None
    await library.add(Document("/f.md", "Ferry", FERRY, "file"))
    await library.add(Document("/h.md", "Heron", HERON, "file"), collection="birds")
    return library


async def test_without_a_name_collections_are_listed_with_what_is_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chat_of(tmp_path, monkeypatch) as running:
        await filled(running)
        await run(running, "/collection birds")
        [listing] = await run(running, "/collection")
        assert isinstance(listing, Listing) and listing.rows == (
            ("●", "birds", "1 document", "1 chunk", "500/100 characters"),
            ("", "rag_documents", "1 document", "1 chunk", "500/100 characters"),
        )


async def test_a_chosen_collection_is_searched_and_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tern.md").write_text("The tern dives in the harbour.")
    async with chat_of(tmp_path, monkeypatch) as running:
        library = await filled(running)
        assert await run(running, "/collection birds") == [Notice("birds is searched and added to from here on.")]
        await run(running, f"/rag-index {tmp_path / 'tern.md'}")
        assert await library.find_document(str(tmp_path / "tern.md"), "birds")
        _, found = await look_up(running, "harbour")
        assert HERON in found and FERRY not in found
        [listing] = await run(running, "/rag-search harbour")
        assert isinstance(listing, Listing) and {row[1] for row in listing.rows} == {"Heron", "tern.md"}
        [status] = await run(running, "/rag-status")
        assert isinstance(status, Listing) and status.rows[:2] == (("collection", "birds"), ("documents", "2"))
        assert await run(running, f"/rag-remove {tmp_path / 'tern.md'}") == [Notice("Removed 1 document.")]
        await run(running, "/collection birds, rag_documents")
        _, found = await look_up(running, "harbour")
        assert HERON in found and FERRY in found
        assert await run(running, "/collection rag_documents") == [
            Notice("The library is searched and added to as the settings say from here on.")
        ]
        assert running.chat.profile.scope.collections == ()


async def test_a_choice_stays_with_its_conversation_whether_made_before_or_after_something_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chat_of(tmp_path, monkeypatch) as running:
        chat = running.chat
        await filled(running)
        chat.agent.use_model(ScriptedModel([says("Yes."), says("No.")]))
        await run(running, "/collection birds")
        before = chat.session
        await events_of(chat.agent.ask("Is it?"))
        await run(running, "/clear")
        assert chat.profile.chosen == ()
        await events_of(chat.agent.ask("And now?"))
        after = chat.session
        await run(running, "/collection birds rag_documents")
        await run(running, "/undo")
        assert chat.profile.chosen == ("birds", "rag_documents")
        for session, chosen in ((before, ("birds",)), (after, ("birds", "rag_documents"))):
            await events_of(run_command(lambda: _given(chat), f"/resume {session}"))
            assert chat.profile.chosen == chosen


async def _given(chat):
    return chat


async def test_a_new_name_begins_a_collection_and_a_wrong_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with chat_of(tmp_path, monkeypatch) as running:
        await filled(running)
        told = "Nothing is in work yet; /rag-index begins it. There are: birds, rag_documents."
        assert (await run(running, "/collection work"))[-1] == Notice(told, "warning")
        told = "There is no collection wrok. There are: birds, rag_documents."
        assert await run(running, "/collection wrok birds") == [Notice(told, "error")]
        with pytest.raises(LibraryError, match="cannot be the name of a collection"):
            await run(running, "/collection ../x")
        assert running.chat.profile.chosen == ("work",)


async def test_the_documents_of_a_profile_are_searched_whatever_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = write_profile(tmp_path, "clerk") / "docs"
    docs.mkdir()
    (docs / "pier.md").write_text("The pier of the harbour is of stone.")
    async with chat_of(tmp_path, monkeypatch, profile="clerk") as running:
        await filled(running)
        await run(running, "/collection birds")
        _, found = await look_up(running, "harbour")
        assert HERON in found and "pier" in found and FERRY not in found
