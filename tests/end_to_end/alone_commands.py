"""Every command with every part that needs no model of its own, each on a model server's scripted replies; runs inside.

seen = await walk(folder, data, __name__)
"""

import asyncio
import json
import os
import re
import signal
import urllib.request
from asyncio.subprocess import PIPE, Process
from collections.abc import Coroutine, Sequence
from typing import Any

from tests.attacks.test_session import ENGINES, NEWS
from tests.end_to_end.alone import ANSWERING, SERVED, Step, Walk, run_inside, talk, watched_by
from tests.fakes.ollama import Turn

Call = tuple[str, dict[str, Any]]

HUB = frozenset({"huggingface.co"})
SITE = frozenset({"site"})
SEARCHED = frozenset({*ENGINES, *NEWS})
OPENED = "http://pub.test/"
ABROAD = "http://93.184.216.34"
"""A public address, which is there for the proxy alone."""
QUESTION = f"What do public words say of the heron? See {OPENED}"
LOOKING = (
    ("web_search", {"query": "heron"}),
    ("news_search", {"query": "heron"}),
    ("fetch_url_content", {"url": OPENED}),
    ("search_vector_db", {"query": "heron"}),
    ("weather_shout", {"text": "heron"}),
)
ON_SITE: dict[str, Any] = {
    "search": {"searxng_url": "http://{site}", "engines": [], "news_engines": []},
    "fetch": {"allow_hosts": ["{site}"]},
}
LIBRARY = {
    "--version": Step(("--version",)),
    "--help": Step(("--help",), "usage: magpie"),
    "rag --help": Step(("rag", "--help"), "usage: magpie rag"),
    "mcp --help": Step(("mcp", "--help"), "usage: magpie mcp"),
    "--prepare": Step(("--prepare",), "Ready: "),
    "rag ingest": Step(("rag", "ingest", "notes"), "Indexed 1 file"),
    "rag ingest of every format": Step(("rag", "ingest", "kinds", "--verify"), "Indexed 27 files"),
    "rag ingest of pages": Step(
        ("rag", "ingest", "http://{site}/bridge.html", "http://{site}/guide.pdf"),
        "Indexed 2",
        places=SITE,
        settings=ON_SITE,
    ),
    "rag ingest of a site": Step(
        ("rag", "ingest", "http://{site}/bridge.html", "--depth", "1"),
        "Took in",
        places=SITE,
        settings=ON_SITE | {"crawl": {"delay": 0}},
    ),
    "rag search": Step(("rag", "search", "nests"), "twigs"),
    "rag search by words": Step(("rag", "search", "nests", "--mode", "bm25"), "twigs"),
    "rag search reranked": Step(("rag", "search", "nests", "--reranker", "{folder}/given/reranker"), "Nests"),
    "rag search reranked by the model": Step(("rag", "search", "nests", "--reranker", "model"), "twigs"),
    "rag search reranked from the hub": Step(
        ("rag", "search", "nests", "--reranker", "cross-encoder/some-model"), "Results are not reranked", HUB
    ),
    "rag search reranked from the hub offline": Step(
        ("rag", "search", "nests", "--reranker", "cross-encoder/some-model", "--set", "offline=true"),
        "Results are not reranked",
    ),
    "rag ingest with another embedder": Step(
        ("rag", "ingest", "notes", "--index-path", "other", "--set", "rag.embedding_model={folder}/given/embedder"),
        "Indexed 1 file",
    ),
    "rag ingest with an embedder from the hub": Step(
        ("rag", "ingest", "notes", "--index-path", "more", "--set", "rag.embedding_model=some/model"), names=HUB, code=1
    ),
    "rag ask": Step(("rag", "ask", "What are nests made of?"), "Yes."),
    "rag stats": Step(("rag", "stats")),
    "rag list": Step(("rag", "list", "magpie"), "magpie.md"),
    "rag collections": Step(("rag", "collections")),
    "rag doctor": Step(("rag", "doctor"), "sound"),
    "rag rebuild": Step(("rag", "rebuild")),
    "rag serve": Step(("rag", "serve")),
    "rag copy": Step(("rag", "copy", "--to", "postgres"), "MAGPIE_POSTGRES_URL", code=1),
    "serve --new-token": Step(("serve", "--new-token"), "told this once"),
    "telegram": Step(("telegram",), "telegram.allowed_users", code=1),
    "rag remove": Step(("rag", "remove", "notes/magpie.md"), "Removed 1"),
}
ASKED = {
    "mcp approve": Step(("mcp", "approve", "weather"), "weather may run"),
    "a question": Step((QUESTION,), "weather.shout", SEARCHED | {"pub.test"}, frozenset({"itself"}), calls=LOOKING),
    "a question offline": Step(("--offline", QUESTION), "weather.shout", places=frozenset({"itself"}), calls=LOOKING),
    "a question to a site": Step(
        ("Who designed the Ostermark Bridge?",),
        "web_search",
        places=SITE,
        settings=ON_SITE,
        calls=(("web_search", {"query": "Ostermark Bridge designed"}),),
    ),
    "a question through a proxy": Step(
        (f"What does {ABROAD}/bridge.html say?",),
        "fetch_url_content",
        places=frozenset({"proxy"}),
        settings={"network": {"proxy": "http://{proxy}"}},
        calls=(("fetch_url_content", {"url": f"{ABROAD}/bridge.html"}),),
    ),
    "a question to tools over HTTP": Step(
        ("Say heron loudly.",),
        "far.shout",
        places=frozenset({"tools"}),
        settings={"mcp": {"config": "{place}/far.json"}},
        calls=(("far_shout", {"text": "heron"}),),
    ),
    "a question with a file": Step(("--private", "--verbose", "-f", "kinds/a.pdf", "What is it?"), "Yes."),
    "a question that goes on": Step(("--json", "--continue", "And then?"), "Yes."),
    "a question that is checked": Step(
        ("What are nests made of?",),
        "Yes.",
        settings={"citations": {"checker": "{folder}/given/checker"}},
        calls=(("search_vector_db", {"query": "nests"}),),
    ),
    "feedback": Step(("feedback", "export", "{place}/marks"), "marked answer"),
    "research": Step(("research", "Who designed the Ostermark Bridge?"), "Searches: ", places=SITE, settings=ON_SITE),
    # Last: after a probe that finds no calls, the model is served in steps.
    "probe": Step(("probe",), "Magpie serves it in steps"),
    "bench-models": Step(("bench-models", "-o", "{place}/results.md"), "Written to", places=frozenset({"itself"})),
}
FIRST = {
    "--prepare from nothing": Step(("--prepare", "--set", "data_dir={place}/first"), "Preparing the fast embedder")
}
"""With PyTorch, which the others need no more once it has made an export."""
STEPS = {**LIBRARY, **ASKED, **FIRST}
SERVING = {
    "mcp": Step(("mcp", "--set", "offline=true"), '"isError":false'),
    "mcp online": Step(("mcp",), names=SEARCHED - NEWS | {"pub.test"}, places=frozenset({"itself"})),
    "mcp over HTTP": Step(
        ("mcp", "--http", "--port", "0", "--no-token"), '"isError":false', places=SITE, settings=ON_SITE
    ),
    "rag serve over HTTP": Step(
        ("rag", "serve", "--http", "--port", "0"), '"isError":false', places=SITE, settings=ON_SITE
    ),
    "rag watch": Step(("rag", "watch", "notes"), "1 file read"),
}
READ: tuple[Call, ...] = (
    ("index_source", {"source": "http://{site}/flood.html"}),
    ("search_library", {"query": "nests"}),
    ("library_stats", {}),
)
# /model lists what servers on this machine have, wherever those listen.
CHAT = Step((), places=frozenset({"model servers"}))
LINES = (
    ("/help", "/export"),
    ("/rag-index {place}/notes", "Indexed 1 document"),
    ("Are nests made of twigs?", "tokens in"),
    ("/ask Are nests made of twigs?", "tokens in"),
    ("Read @{place}/kinds/a.pdf", "tokens in"),
    ("/source 1", "The passage:"),
    ("/good", "marked as good"),
    ("/bad too long", "marked as bad"),
    ("/copy", "clipboard"),
    ("/export html {place}/one.html", "one.html."),
    ("/export json {place}/one.json", "one.json."),
    ("/context", "free"),
    ("/pin 1", "stay word for word"),
    ("/usage", "What was spent"),
    ("/title Of nests", "“Of nests” now"),
    ("/compact", "summarise yet"),
    ("/undo", "aken back"),
    ("/retry", "Again:"),
    ("/branch", "You go on in a copy"),
    ("/clear", "A new conversation"),
    ("/resume nests", "Of nests"),
    ("/import {place}/one.json", "from outside"),
    ("/edit", "change the question"),
    ("\x15/rag-search twigs", "Passages"),
    ("/library", "takes one out"),
    ("/collection", "Collections"),
    ("/rag-status", "documents"),
    ("/rag-rebuild", "Rebuilt the vector index"),
    ("/rag-doctor", "The library is sound"),
    ("/rag-watch {place}/kinds", "Watching "),
    ("/rag-watch off", "no longer watched"),
    ("/rag-remove {place}/notes", "Removed 1 document"),
    ("/memory add I like herons", "herons"),
    ("/mcp enable weather", "weather"),
    ("/mcp", "MCP servers"),
    ("/remind tomorrow 9:00 call mum", "I will remind you"),
    ("/reminders", "call mum"),
    ("/model", "Models"),
    ("/pull qwen3", "is here"),
    ("/probe", "can do ("),
    ("/profile", "researcher"),
    ("/tools", "web_search"),
    ("/toggle-tools", "Tools are"),
    ("/think low", "Thinking is on, with low effort"),
    ("/toggle-thinking", "thinks is"),
    ("/toggle-markdown", "Markdown is"),
    ("/offline", "Nothing leaves this machine"),
    ("/offline", "reaches the network again"),
    ("/log", "details"),
    ("/save-config", "config.json"),
    ("/research", "Nothing is being researched"),
    ("/history", "Of nests"),
)
"""What is typed in the chat, and what is then shown; `/quit` comes at the end."""


async def chat(walked: Walk) -> None:
    """A chat on a terminal, in which every command is given."""
    place = walked.lane("chat")
    typed = [(walked.filled(line, place), shown) for line, shown in LINES]
    async with walked.model_server(paths={"/api/chat": lambda body: Turn("Yes, of twigs.")}) as server:
        await talk(walked, "a chat", walked.command("a chat", "chat", CHAT, server), typed)


async def serve(walked: Walk, name: str, lane: str, *calls: Call) -> None:
    """A server that is asked over standard input, and stays for a while."""
    async with walked.model_server() as server:
        process = await walked.started(name, lane, SERVING[name], server, PIPE)
        assert process.stdin
        asked = messages(json.loads(walked.filled(json.dumps(calls), walked.lane(lane))))
        for message in asked:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        said = ""
        for number in [message["id"] for message in asked if "id" in message]:
            while f'"id":{number},' not in said:
                said += await line_of(process)
        await asyncio.sleep(SERVED)
        process.stdin.close()
        rest, _ = await process.communicate()
        walked.note(name, process.returncode or 0, said + rest.decode())


async def serve_http(walked: Walk, name: str, lane: str, *calls: Call) -> None:
    """A server over HTTP that is asked, stays for a while, and is told to end."""
    async with walked.model_server() as server:
        process = await walked.started(name, lane, SERVING[name], server)
        said = ""
        while not (found := re.search(r"serves (http://\S+)", said)):
            said += await line_of(process)
        kept = walked.lane(lane) / "data" / "mcp_server_token"
        token = kept.read_text().strip() if kept.exists() else ""
        asked = messages(json.loads(walked.filled(json.dumps(calls), walked.lane(lane))))
        said += "".join(await asyncio.to_thread(post, found[1], asked, token))
        await asyncio.sleep(SERVED)
        os.kill(watched_by(process), signal.SIGTERM)
        rest, _ = await process.communicate()
        walked.note(name, process.returncode or 0, said + rest.decode())


async def follow_notes(walked: Walk) -> None:
    """A library that follows a folder until it has what is in it, and is told to end."""
    async with walked.model_server() as server:
        process = await walked.started("rag watch", "library", SERVING["rag watch"], server)
        said = ""
        while " new: " not in said:
            said += await line_of(process)
        os.kill(watched_by(process), signal.SIGTERM)
        rest, _ = await process.communicate()
        walked.note("rag watch", process.returncode or 0, said + rest.decode())


async def line_of(process: Process) -> str:
    """The next line that a process says; raises `EOFError` where it says no more."""
    assert process.stdout
    if not (line := await asyncio.wait_for(process.stdout.readline(), ANSWERING)):
        raise EOFError("a server has ended")
    return line.decode()


def messages(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """What a client says that calls tools."""
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    called = [
        {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls, 2)
    ]
    first = [{"id": 1, "method": "initialize", "params": about}, {"method": "notifications/initialized"}]
    return [{"jsonrpc": "2.0", **message} for message in [*first, *called]]


def post(url: str, said: Sequence[dict[str, Any]], token: str) -> list[str]:
    """What a server answers to messages, one request each."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    answers = []
    for message in said:
        request = urllib.request.Request(url, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request, timeout=ANSWERING) as response:
            if session := response.headers.get("Mcp-Session-Id"):
                headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
            answers.append(response.read().decode())
    return answers


async def library(walked: Walk) -> None:
    """What there is in a library, on the command line and for a client over HTTP with a token."""
    await walked.steps("library", LIBRARY)
    await serve_http(walked, "rag serve over HTTP", "library", *READ)
    await follow_notes(walked)


def lanes(walked: Walk) -> Sequence[Coroutine[Any, Any, None]]:
    """Everything, as far as it can be at once."""
    return (
        library(walked),
        walked.steps("asked", {**FIRST, **ASKED}),
        chat(walked),
        serve(walked, "mcp", "served", ("index_source", {"source": "{place}/notes"}), *READ[1:]),
        serve(walked, "mcp online", "online", ("web_search", {"query": "heron"}), ("read_page", {"url": OPENED})),
        serve_http(walked, "mcp over HTTP", "http", *READ),
    )


if __name__ == "__main__":
    run_inside(lanes)
