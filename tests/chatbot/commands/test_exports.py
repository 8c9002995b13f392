"""The commands that take what was said elsewhere."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatbot.commands.registry import run_command
from chatbot.conversation.events import Asked, ContextUsed, CopyText, Listing, Notice
from chatbot.conversation.usage import Usage
from chatbot.history.entries import Spent
from chatbot.settings import Price
from rag.documents import Document
from rag.embedding.backends import open_embedder
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.app import FakeApp, events_of
from tests.fakes.embedding_server import EmbeddingServer
from tests.fakes.model import ScriptedModel, calls, says
from utils.errors import SessionError
from utils.network.access import NetworkAccess

CODE = "First:\n\n```python\nprint(1)\n```\n\nThen:\n\n~~~\nls\n~~~\n"


async def ferry(folder: Path, answer: str = "At nine [1].", **settings: object) -> FakeApp:
    model = ScriptedModel([calls(("web_search", {"query": "ferry"})), says(answer)])
    app = FakeApp(model, folder, **settings)
    await events_of(app.chat.agent.ask("When does the ferry leave?"))
    return app


async def run(app: FakeApp, line: str) -> list[Any]:
    return [event for event in await events_of(run_command(app.ready, line)) if not isinstance(event, ContextUsed)]


@pytest.mark.parametrize(
    ("argument", "name", "begins"),
    [
        ("", "when-does-the-ferry-leave.md", "# When does the ferry leave?"),
        ("html", "when-does-the-ferry-leave.html", "<!doctype html>"),
        ("json kept.txt", "kept.txt", "{"),
        ("page.html", "page.html", "<!doctype html>"),
        ("a file of mine.md", "a file of mine.md", "# When does the ferry leave?"),
    ],
)
async def test_a_conversation_is_written_into_a_file_of_the_form_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str, name: str, begins: str
) -> None:
    app = await ferry(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    assert await run(app, f"/export {argument}") == [Notice(f"Written to {tmp_path / name}.")]
    assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith(begins.lower())
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("argument", "form"), [("pdf", "pdf"), ("PDF talk", "pdf"), ("talk.docx", "docx"), ("txt", "txt")]
)
async def test_a_form_that_cannot_be_written_is_said_with_those_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str, form: str
) -> None:
    app = await ferry(tmp_path / "data")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    [notice] = await run(app, f"/export {argument}")
    assert notice.level == "error"
    assert notice.text.startswith(f"A conversation cannot be written as {form}, but as md (Markdown), html or json:")
    assert list((tmp_path / "here").iterdir()) == []


async def test_a_files_own_ending_decides_nothing_where_the_form_is_named(tmp_path: Path) -> None:
    app = await ferry(tmp_path / "data")
    assert await run(app, f"/export json {tmp_path / 'talk.xml'}") == [Notice(f"Written to {tmp_path / 'talk.xml'}.")]
    assert await run(app, f"/export {tmp_path / 'talk.txt'}") == [Notice(f"Written to {tmp_path / 'talk.txt'}.")]


async def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    app = await ferry(tmp_path / "data")
    target = tmp_path / "kept.md"
    target.write_text("mine")
    assert await run(app, f"/export {target}") == [Notice(f"Written to {tmp_path / 'kept-2.md'}.")]
    assert target.read_text() == "mine"
    with pytest.raises(SessionError, match="cannot be written"):
        await run(app, f"/export {tmp_path / 'nowhere' / 'kept.md'}")


async def test_what_was_exported_is_taken_in_elsewhere_and_gone_on_with(tmp_path: Path) -> None:
    app = await ferry(tmp_path / "data")
    await run(app, f"/export {tmp_path / 'kept.json'}")
    other = FakeApp(ScriptedModel([says("Yes.")]), tmp_path / "other")
    shown = await run(other, f"/import {tmp_path / 'kept.json'}")
    assert Asked("When does the ferry leave?") in shown
    assert Notice("What is in it counts as text from outside, whoever it says has written it.") in shown
    said = [replace(message, origin="an imported conversation") for message in app.chat.agent.conversation.messages]
    assert other.chat.agent.conversation.messages == said
    await run(other, f"/export {tmp_path / 'again.json'}")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "kept.json").read_bytes()
    await run(other, "/clear")
    shown = await run(other, f"/import {tmp_path / 'kept.json'}")
    assert Notice("This conversation was there already, just as it is in the file.") in shown


async def test_a_file_that_is_no_conversation_is_refused_in_a_sentence(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    (tmp_path / "no.json").write_text("[1, 2")
    for name in ("no.json", "absent.json"):
        with pytest.raises(SessionError):
            await run(app, f"/import {tmp_path / name}")
    for path, why in (("/dev/zero", "it is no regular file"), (tmp_path, "it is a folder"), ("n" * 5000, "too long")):
        with pytest.raises(SessionError, match=why) as caught:
            await run(app, f"/import {path}")
        assert len(str(caught.value)) < 500
    assert await run(app, "/import") == [Notice("Write the file after the command: /import <file>", "error")]
    assert await run(app, "/export") == [Notice("Nothing was said yet that could be exported.", "warning")]


async def test_a_code_block_of_the_last_answer_is_copied_by_its_number(tmp_path: Path) -> None:
    app = await ferry(tmp_path, CODE)
    assert await run(app, "/copy") == [CopyText(CODE)]
    assert await run(app, "/copy 1") == [CopyText("print(1)\n")]
    assert await run(app, "/copy 2") == [CopyText("ls\n")]
    for wrong in ("3", "0", "x", "9" * 5000):
        [notice] = await run(app, f"/copy {wrong}")
        assert notice == Notice(f"The last answer has no code block {wrong[:20]}. It has 2.", "warning")


async def test_a_code_block_that_was_cut_off_is_copied_too(tmp_path: Path) -> None:
    app = await ferry(tmp_path, "So:\n\n```python\nprint(1)\n")
    assert await run(app, "/copy 1") == [CopyText("print(1)\n")]


async def test_usage_tells_tokens_by_model_and_what_they_cost_where_a_price_is_set(tmp_path: Path) -> None:
    app = await ferry(tmp_path, prices={"scripted": Price(prompt=2.0, reply=10.0)})
    [listing] = await run(app, "/usage")
    row = ("scripted", "1 answer", "20", "8", "4", "0.0001")
    assert listing == Listing(
        "What was spent",
        ("", "model", "for", "tokens in", "cached", "out", "cost"),
        (("last answer", *row), ("this conversation", *row), ("today", *row), ("in all", *row)),
    )
    free = await ferry(tmp_path / "free")
    [listing] = await run(free, "/usage")
    assert isinstance(listing, Listing) and listing.title == "What was spent (no prices are set)"
    assert listing.columns[-1] == "out" and len(listing.rows[0]) == 6
    new = FakeApp(ScriptedModel([]), tmp_path / "new")
    assert await run(new, "/usage") == [Notice("Nothing was asked yet, so nothing was spent.")]


async def test_usage_tells_what_embedding_servers_read_for_the_library(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path, prices={"words": Price(prompt=1_000.0)})
    async with EmbeddingServer() as server:
        choice = EmbeddingChoice("openai", "words", f"{server.url}/v1")
        for _ in range(2):
            # What a process read is known to the next one.
            embedder = open_embedder(choice, EmbedderSurroundings(tmp_path, NetworkAccess()))
            library = await Library.open(tmp_path / "library", RagSettings(), embedder)
            app.chat.retrieval = replace(app.chat.retrieval, library=library)
            await library.add(Document("/ferry.md", "Ferry", "The ferry leaves at nine.", "file"))
            [listing] = await run(app, "/usage")
            assert isinstance(listing, Listing)
            assert listing.rows == (("library, in all", "words@openai", "embedding", "6", "0", "0", "0.0060"),)
            await library.close()
            await embedder.close()


async def test_usage_tells_what_was_asked_beside_the_answers_and_what_that_cost(tmp_path: Path) -> None:
    app = await ferry(tmp_path, prices={"scripted": Price(prompt=1_000, reply=0)})
    for purpose, tokens in (("titles", 30), ("ranking", 500), ("titles", 2)):
        await app.chat.recording.spend(Spent(Usage(tokens), "scripted", purpose))
    [listing] = await run(app, "/usage")
    assert isinstance(listing, Listing)
    assert [row for row in listing.rows if row[0] in ("last answer", "this conversation", "")][:4] == [
        ("last answer", "scripted", "1 answer", "20", "8", "4", "0.0200"),
        ("this conversation", "scripted", "1 answer", "20", "8", "4", "0.0200"),
        ("", "scripted", "ranking, titles", "532", "0", "0", "0.5320"),
        ("", "together", "all", "552", "8", "4", "0.5520"),
    ]


async def test_what_a_server_writes_into_its_cache_has_a_price_of_its_own(tmp_path: Path) -> None:
    price = Price(prompt=3.0, cached=0.3, written=3.75, written_hour=6.0, reply=15.0)
    plain = Price(prompt=3.0, cached=0.3, reply=15.0)
    spent = Usage(1_000_000, 500_000, 100_000, written_tokens=400_000, hour_tokens=100_000)
    costs = []
    for number, one in enumerate((price, plain)):
        app = await ferry(tmp_path / str(number), prices={"claude": one})
        await app.chat.recording.spend(Spent(spent, "claude", "titles"))
        [listing] = await run(app, "/usage")
        assert isinstance(listing, Listing)
        assert listing.columns == ("", "model", "for", "tokens in", "cached", "written", "out", "cost")
        [row] = [row for row in listing.rows if row[1:3] == ("claude", "titles")][:1]
        assert row[3:7] == ("1,000,000", "500,000", "400,000", "100,000")
        costs.append(float(row[-1]))
    assert costs == [
        pytest.approx(0.1 * 3 + 0.5 * 0.3 + 0.3 * 3.75 + 0.1 * 6 + 0.1 * 15),
        pytest.approx(0.5 * 3 + 0.5 * 0.3 + 0.1 * 15),
    ]


async def test_the_cost_of_several_models_is_added_up_and_what_has_no_price_is_said(tmp_path: Path) -> None:
    named = {"fast": {"backend": "embedded", "model": "0.5b"}, "own": {"backend": "embedded", "price": {"prompt": 1}}}
    prices = {"0.5b": Price(prompt=1_000, cached=100, reply=0)}
    app = await ferry(tmp_path, prices=prices, models=named)
    for model in ("fast", "own"):
        app.chat.models.current = model
        app.chat.agent.use_model(ScriptedModel([says("At ten.")]))
        await events_of(app.chat.agent.ask("And the next one?"))
    [listing] = await run(app, "/usage")
    assert isinstance(listing, Listing)
    assert [row for row in listing.rows if row[0] in ("this conversation", "")][:4] == [
        ("this conversation", "fast", "1 answer", "10", "4", "2", "0.0064"),
        ("", "own", "1 answer", "10", "4", "2", "under 0.0001"),
        ("", "scripted", "1 answer", "20", "8", "4", "not priced"),
        ("", "together", "all", "40", "16", "8", "0.0064 and what is not priced"),
    ]
