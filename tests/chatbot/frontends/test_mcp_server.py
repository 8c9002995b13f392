import asyncio
import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.server import Server
from mcp_types import ToolAnnotations

from chatbot.cli import main, parse_arguments
from chatbot.config import load_configuration
from chatbot.frontends.mcp_server.resources import DOCUMENTS_PER_PAGE, parts_of, uri_of
from chatbot.frontends.mcp_server.retrieval import Retrieval
from chatbot.frontends.mcp_server.server import Tools, make_server
from chatbot.frontends.mcp_server.tools import Offer
from chatbot.frontends.serving.values import FoundPassages, ServedResult
from rag.documents import Document
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.mcp_client import PATIENCE, connected, left_over, started, text_of
from tests.fakes.site import Site
from tools.base import tool

NESTS = "# Magpies\n\n## Nests\n\nMagpies build domed nests of twigs.\n"
BM25 = SearchOptions(mode="bm25")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "magpie.md").write_text(NESTS)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


async def fill(folder: Path, *documents: Document, collection: str = "") -> None:
    library = await Library.open(folder, RagSettings(), WordEmbedder())
    await library.add_all(documents, collection=collection)
    await library.close()


def bird(name: str, text: str) -> Document:
    return Document(f"/birds/{name}.txt", name, text, "file")


HERON, ROBIN = bird("heron", "Herons wait for fish."), bird("robin", "Robins guard their gardens.")


async def test_its_tools_say_what_they_take_and_what_they_return(data):
    async with connected(data) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert list(tools) == ["search_library", "web_search", "read_page", "index_source", "library_stats"]
        search = tools["search_library"]
        assert search.input_schema["required"] == ["query"]
        taken = ["query", "max_results", "mode", "source_ids", "collection", "filters"]
        assert list(search.input_schema["properties"]) == taken
        assert search.input_schema["properties"]["mode"]["enum"] == ["bm25", "vector", "hybrid"]
        assert search.input_schema["properties"]["max_results"]["default"] == 5
        assert all("description" in one for t in tools.values() for one in t.input_schema["properties"].values())
        assert {name: t.output_schema["required"] for name, t in tools.items() if t.output_schema} == {
            "search_library": ["summary", "passages"],
            "web_search": ["summary", "passages"],
            "read_page": ["title", "source", "text", "start", "end", "characters", "fetched"],
            "index_source": ["files", "documents", "chunks", "unchanged", "gone", "failures", "warnings"],
            "library_stats": ["collection", "documents", "chunks", "bytes_on_disk", "embedding_model", "collections"],
        }
        assert "instruction" in (client.instructions or "")
    assert (data / "stderr").read_text() == ""


async def test_what_it_indexes_is_found_by_it_and_by_a_chat_on_the_same_folder(data, notes, exports):
    shutil.copytree(exports, data / "onnx")
    library = await Library.open(data, RagSettings(), WordEmbedder())
    steps: list[str | None] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with connected(data) as client:
        empty = await client.call_tool("search_library", {"query": "nests", "mode": "bm25"})
        assert empty.structured_content == {"summary": text_of(empty), "passages": []}
        assert text_of(empty) == "The library is empty: nothing has been read or indexed yet. index_source fills it."
        indexed = await client.call_tool("index_source", {"source": str(notes)}, progress_callback=told)
        assert indexed.structured_content == {
            "files": 1,
            "documents": 1,
            "chunks": 1,
            "unchanged": 0,
            "gone": 0,
            "failures": [],
            "warnings": [],
        }
        assert text_of(indexed).startswith("Indexed 1 document, 1 chunk (")
        assert steps == ["magpie.md", "magpie.md: 1 of 1"]
        again = await client.call_tool("index_source", {"source": str(notes / "*.md")})
        assert (again.structured_content or {})["unchanged"] == 1

        for mode in ("hybrid", "vector", "bm25"):
            found = await client.call_tool("search_library", {"query": "who builds domed nests?", "mode": mode})
            [passage] = (found.structured_content or {})["passages"]
            assert (passage["number"], passage["source"]) == (1, str(notes / "magpie.md"))
            assert (passage["similarity"] is None) == (mode == "bm25")
            assert (passage["heading"], NESTS[passage["start"] : passage["end"]]) == (
                ["Magpies", "Nests"],
                passage["text"],
            )
        read = passage["fetched"][:10]
        assert text_of(found) == (
            f"Found in the library: Magpies.\n\n[1] Magpies > Nests ({notes}/magpie.md, read {read})\n{passage['text']}"
        )
        [passage] = await library.search("domed", options=BM25)
        assert passage.source == str(notes / "magpie.md")
        await library.add(HERON)
        found = await client.call_tool("search_library", {"query": "herons", "mode": "bm25"})
        assert [p["title"] for p in (found.structured_content or {})["passages"]] == ["heron"]
        stats = await client.call_tool("library_stats", {})
        assert (stats.structured_content or {})["collections"] == [
            {"name": "rag_documents", "documents": 2, "chunks": 2}
        ]
        assert text_of(stats).startswith("rag_documents: 2 documents, 2 chunks, ")
    await library.close()


async def test_a_search_keeps_to_sources_and_collections(data):
    await fill(data, HERON, ROBIN)
    await fill(data, bird("owl", "Owls hunt fish at night, too."), collection="night")
    async with connected(data) as client:

        async def titles(**arguments: Any) -> list[str]:
            result = await client.call_tool("search_library", {"query": "fish gardens", "mode": "bm25", **arguments})
            return sorted(passage["title"] for passage in (result.structured_content or {})["passages"])

        assert await titles() == ["heron", "robin"]
        assert await titles(max_results=1) in (["heron"], ["robin"])
        assert await titles(source_ids=["/birds/robin.txt"]) == ["robin"]
        assert await titles(collection="night") == ["owl"]
        assert await titles(filters=["source=/birds/robin.txt", "kind=file"]) == ["robin"]
        assert await titles(filters=["date=1850"]) == []
        nowhere = await client.call_tool("search_library", {"query": "quarks", "mode": "bm25"})
        assert text_of(nowhere) == "Nothing relevant found in the library about 'quarks'. Try other words."


async def test_a_call_that_fails_is_told_in_a_sentence(data):
    await fill(data, HERON)
    async with connected(data) as client:

        async def failure(name: str, **arguments: Any) -> str:
            result = await client.call_tool(name, arguments)
            assert result.is_error
            return text_of(result)

        assert await failure("search_library", query=" ") == "The query is empty. Say in a few words what to look for."
        assert await failure("search_library", query="x", filters=["date=soon"]) == (
            "'soon' is no date. Write it as 2026-11-25, 2026-11 or 2026."
        )
        assert await failure("search_library", query="x", collection="nope") == (
            "There is no collection nope. There are: rag_documents."
        )
        assert "max_results: Input should be less than or equal to 50" in await failure(
            "search_library", query="x", max_results=99
        )
        assert "query: Field required" in await failure("search_library")
        assert "does not exist" in await failure("index_source", source="/no/such/file")
        assert "cannot be the name of a collection" in await failure("index_source", source=str(data), collection="..")
        assert "private" in await failure("read_page", url="http://127.0.0.1:9/x")
        with pytest.raises(MCPError, match=r"There is no tool 'rm'\. There are: search_library, "):
            await client.call_tool("rm", {})
    assert "Traceback" not in (data / "stderr").read_text()


async def test_a_bug_ends_one_call_and_says_nothing_of_its_inside():
    async def broken() -> ServedResult:
        """Break."""
        raise ValueError("secret")

    tools = Tools([Offer(tool(broken), FoundPassages, ToolAnnotations())])
    async with Client(Server("magpie", on_list_tools=tools.list_tools, on_call_tool=tools.call_tool)) as client:
        result = await client.call_tool("broken", {})
    assert (result.is_error, text_of(result)) == (
        True,
        "broken failed because of a bug of Magpie's own; its log says more.",
    )


async def test_the_documents_are_resources_a_page_at_a_time(data):
    many = [bird(f"bird{number:03}", f"Bird number {number}.") for number in range(DOCUMENTS_PER_PAGE + 5)]
    await fill(data, *many)
    page = Document("https://a.example/?q=ä b", "Page", "Text of a *page*.", "web", "text/html", "2026-01-02T03:04:05Z")
    await fill(data, page, collection="other.one")
    async with connected(data) as client:
        first = await client.list_resources()
        rest = await client.list_resources(cursor=first.next_cursor)
        assert (len(first.resources), len(rest.resources), rest.next_cursor) == (DOCUMENTS_PER_PAGE, 6, None)
        listed = [one.name for one in [*first.resources, *rest.resources]]
        assert listed == ["Page", *(document.title for document in reversed(many))]
        newest = first.resources[0]
        assert newest.uri == "magpie://library/other.one/https%3A%2F%2Fa.example%2F%3Fq%3D%C3%A4%20b"
        assert (newest.description, newest.mime_type) == ("https://a.example/?q=ä b", "text/markdown")
        [content] = (await client.read_resource(newest.uri)).contents
        assert (content.uri, content.mime_type, getattr(content, "text", "")) == (
            newest.uri,
            "text/markdown",
            "Text of a *page*.",
        )
        [template] = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "magpie://library/{collection}/{source}"
        for unknown in ("magpie://library/rag_documents/x", "magpie://library/nope/x", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="Resource not found"):
                await client.read_resource(unknown)
        for cursor in ("x", "-1", "9" * 30):
            with pytest.raises(MCPError, match="There is no cursor"):
                await client.list_resources(cursor=cursor)


def test_the_address_of_a_document_leads_back_to_it():
    for source in ("/home/me/a b/ü%2F.md", "https://a.example/x?y=1#z", "corpus.jsonl#7"):
        assert parts_of(uri_of("my-notes", source)) == ("my-notes", source)


async def test_the_prompt_brings_a_question_and_what_the_library_has_for_it(data):
    await fill(data, HERON)
    async with connected(data, MAGPIE_RAG__SEARCH_MODE="bm25") as client:
        [prompt] = (await client.list_prompts()).prompts
        assert (prompt.name, [one.name for one in prompt.arguments or ()]) == ("answer_with_sources", ["question"])
        got = await client.get_prompt("answer_with_sources", {"question": "What do herons wait for?"})
        [message] = got.messages
        text = getattr(message.content, "text", "")
        assert text.endswith(
            "Passages of the library:\n\n[1] heron (/birds/heron.txt)\nHerons wait for fish.\n\n"
            "Question: What do herons wait for?"
        )
        for wrong in ({}, {"question": " "}):
            with pytest.raises(MCPError, match="needs a question"):
                await client.get_prompt("answer_with_sources", wrong)
        with pytest.raises(MCPError, match="There is no prompt"):
            await client.get_prompt("other", {"question": "x"})


async def test_the_web_is_searched_and_read_through_the_same_guard_as_in_the_chat(data, exports):
    shutil.copytree(exports, data / "onnx")
    async with Site() as site:
        settings = {
            "MAGPIE_SEARCH__SEARXNG_URL": site.searxng_url,
            "MAGPIE_SEARCH__ENGINES": "[]",
            "MAGPIE_FETCH__ALLOW_HOSTS": json.dumps([site.host]),
        }
        async with connected(data, **settings) as client:
            found = await client.call_tool("web_search", {"query": "Gull Point lighthouse lantern room steps"})
            passages = (found.structured_content or {})["passages"]
            assert any("142" in passage["text"] for passage in passages)
            assert f"[1] {passages[0]['title']}" in text_of(found)
            url = site.url("/bridge.html")
            page = (await client.call_tool("read_page", {"url": url, "max_characters": 100})).structured_content or {}
            rest = await client.call_tool("read_page", {"url": url, "start": 100})
            whole = page["text"] + (rest.structured_content or {})["text"]
            assert (page["end"], len(whole)) == (100, page["characters"])
            assert "Halvorsen" in whole
            assert f"[1] {page['title']} ({url}, read " in text_of(rest)
            kept = await client.call_tool("search_library", {"query": "Halvorsen", "mode": "bm25"})
            assert url in {passage["source"] for passage in (kept.structured_content or {})["passages"]}


async def test_only_what_was_asked_for_is_offered(data):
    async with connected(data, "mcp", "--only", "search_library") as client:
        assert [one.name for one in (await client.list_tools()).tools] == ["search_library"]
        with pytest.raises(MCPError, match=r"There is no tool 'web_search'\. There are: search_library\."):
            await client.call_tool("web_search", {"query": "x"})
    async with connected(data, "mcp", MAGPIE_RAG__ENABLED="false") as client:
        assert [one.name for one in (await client.list_tools()).tools] == ["web_search", "read_page"]
        assert client.server_capabilities.resources is None


async def test_rag_serve_offers_one_library_and_one_collection_of_it(data, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    await fill(folder, HERON, collection="water")
    await fill(folder, ROBIN, collection="garden")
    serve = ("rag", "serve", "--index-path", str(folder))
    async with connected(data, *serve, "--collection", "water") as client:
        assert [t.name for t in (await client.list_tools()).tools] == [
            "search_library",
            "index_source",
            "library_stats",
        ]
        found = await client.call_tool("search_library", {"query": "herons robins", "mode": "bm25"})
        assert [p["title"] for p in (found.structured_content or {})["passages"]] == ["heron"]
        for name, arguments in (("search_library", {"query": "x"}), ("index_source", {"source": str(folder)})):
            assert (await client.call_tool(name, {**arguments, "collection": "garden"})).is_error
        [resource] = (await client.list_resources()).resources
        assert resource.name == "heron"
        with pytest.raises(MCPError, match="Resource not found"):
            await client.read_resource(uri_of("garden", ROBIN.source))
    assert not (data / "library.db").exists()


async def test_rag_serve_begins_no_library(data):
    process = await started(data, "rag", "serve")
    out, aside = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert (process.returncode, out) == (1, b"")
    assert aside.decode() == f"There is no library in {data}. Begin one: magpie rag ingest FILE_OR_FOLDER\n"


async def test_standard_output_carries_the_protocol_alone_and_the_end_of_input_ends_it(data):
    await fill(data, HERON)
    process = await started(data, "mcp", python=("-X", "importtime"))
    call = {"name": "search_library", "arguments": {"query": "herons", "mode": "bm25"}}
    sent = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
    ]
    assert process.stdin and process.stdout
    process.stdin.write("".join(json.dumps(one) + "\n" for one in sent).encode() + b"no json\n")
    answers = [json.loads(await asyncio.wait_for(process.stdout.readline(), PATIENCE)) for _ in range(3)]
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3]
    assert {answer["id"] for answer in answers if "error" in answer} == {3}
    out, aside = await asyncio.wait_for(process.communicate(b""), PATIENCE)
    assert (process.returncode, out, left_over(process)) == (0, b"", [])
    lines = aside.decode().splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
    assert imported & {"chromadb", "torch", "trafilatura", "onnxruntime", "rich", "prompt_toolkit"} == set()
    assert [line for line in lines if not line.startswith("import time:")] == []


async def test_a_client_that_is_gone_ends_it(data):
    process = await started(data, "mcp")
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}\n')
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    assert (await process.stderr.read(), left_over(process)) == (b"", [])
    process.stdin.close()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_a_signal_ends_it_while_its_input_is_open(data, sent, code):
    process = await started(data, "mcp")
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    process.send_signal(sent)
    assert await asyncio.wait_for(process.wait(), PATIENCE) == code
    assert (await process.stdout.read(), left_over(process)) == (b"", [])
    assert process.stderr and await process.stderr.read() == b""
    process.stdin.close()


def test_words_of_a_question_are_no_command():
    assert parse_arguments(["mcp", "servers", "are", "what?"])[1].question == ["mcp", "servers", "are", "what?"]
    served = parse_arguments(["mcp", "--only", "search_library", "--only", "library_stats", "--collection", "notes"])[1]
    assert (served.command, served.only, served.collection) == (
        "mcp",
        ["search_library", "library_stats"],
        "notes",
    )


def test_an_unknown_tool_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        main(["rag", "serve", "--only", "web_search"])
    assert "invalid choice: 'web_search'" in capsys.readouterr().err


async def test_a_library_that_cannot_be_opened_is_said_by_every_call_and_the_server_stays(tmp_path):
    (tmp_path / "library.db").write_bytes(b"no database" * 100)
    config = load_configuration(options={"data_dir": str(tmp_path)}, environment={"MAGPIE_CONFIG": ""}).values
    retrieval = Retrieval(config)
    async with Client(make_server(retrieval, ["search_library"], paths=True)) as client:
        for _ in range(2):
            result = await client.call_tool("search_library", {"query": "x", "mode": "bm25"})
            assert result.is_error and "library.db" in text_of(result)
        with pytest.raises(MCPError, match=r"library\.db"):
            await client.list_resources()
    await retrieval.close()
