"""Keys are planted wherever one may stand, and everything that a question leaves behind is searched for them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.end_to_end.test_answers import SEARCH
from tests.fakes.anthropic import FakeAnthropic, Spoken, events_of, listed_model, refused
from tests.fakes.anthropic import sent as sent_event
from tests.fakes.mcp_servers import GOOD
from tests.fakes.ollama import Raw
from tests.fakes.openai import FakeOpenAI, Said, chunk, event, failure, stream_of
from tests.fakes.planted import MODEL, OF_ENVIRONMENT, OF_FILE, file_with_key, run_magpie
from tests.fakes.site import Site
from utils.network.retries import MOST_SENDS

pytestmark = pytest.mark.usefixtures("exported")

IN_ADDRESS = "quiet+Magpie/83Jw5Xe9"

Answer = Callable[[str], Raw]
FAILURES: dict[str, tuple[Answer, str]] = {
    "401": (lambda key: failure(401, f"Incorrect API key provided: {key}."), "does not accept the key"),
    "429": (lambda key: failure(429, f"Too many for {key}.", "\r\nretry-after: 600"), "Too many"),
    "400": (lambda key: failure(400, f"The engine fell over ({key})."), "fell over"),
    "500": (lambda key: failure(500, f"The engine fell over ({key})."), "status 500"),
    "a page": (lambda key: Raw((f"<html>{key}</html>".encode(),), 404, "text/html"), "web page"),
    "a cut": (lambda key: stream_of(chunk({"content": "It is"}), cut=True), "broke"),
    "an error within": (lambda key: stream_of(event({"error": {"message": f"No room for {key}."}})), "No room"),
    "silence": (lambda key: stream_of(hang=True), "No sign"),
}
"""What the server answers to a question, the key that it was sent repeated, and what is then said."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", FAILURES)
async def test_a_key_is_nowhere_after_a_failure(kind: str, tmp_path: Path) -> None:
    answer, expected = FAILURES[kind]

    def repeat_key(_: dict[str, Any]) -> Raw:
        return answer(server.headers[-1]["authorization"].removeprefix("Bearer "))

    async with Site() as site, FakeOpenAI(listed=[MODEL], paths={"/v1/chat/completions": repeat_key}) as server:
        own = {"base_url": server.base_url, "key_file": file_with_key(tmp_path)}
        left = await run_magpie(tmp_path, {"openai": own}, (server, site))
        assert server.headers[-1]["authorization"] == f"Bearer {OF_FILE}"
        questions = [body for body in server.chats if body["messages"][-1]["role"] == "user"]
        assert len(questions) >= (MOST_SENDS if kind == "500" else 1)
    assert left.code == 1 and expected in left.said
    assert left.places_of(OF_FILE, *OF_ENVIRONMENT.values()) == []


CLAUDE = {"backend": "anthropic", "model": "anthropic:claude"}
CLAUDE_FAILURES: dict[str, tuple[Answer, str]] = {
    "401": (lambda key: refused(401, f"invalid x-api-key {key}", "authentication_error"), "does not accept the key"),
    "an error within": (
        lambda key: events_of(sent_event("error", error={"type": "api_error", "message": f"billing of {key}"})),
        "takes no more from this account",
    ),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", CLAUDE_FAILURES)
async def test_a_key_of_claude_s_server_is_nowhere_after_a_failure(kind: str, tmp_path: Path) -> None:
    answer, expected = CLAUDE_FAILURES[kind]

    def repeat_key(_: dict[str, Any]) -> Raw:
        return answer(server.headers[-1]["authorization"].removeprefix("Bearer "))

    async with Site() as site, FakeAnthropic((), [listed_model("claude")], {"/v1/messages": repeat_key}) as server:
        own = {"base_url": server.base_url, "key_file": file_with_key(tmp_path)}
        left = await run_magpie(tmp_path, {**CLAUDE, "anthropic": own}, (server, site))
        assert server.headers[-1]["authorization"] == f"Bearer {OF_FILE}"
    assert left.code == 1 and expected in left.said
    assert left.places_of(OF_FILE, *OF_ENVIRONMENT.values()) == []


@pytest.mark.timeout(300)
async def test_a_key_of_claude_s_server_is_nowhere_after_an_answer(tmp_path: Path) -> None:
    replies = [
        Spoken(calls=(SEARCH,), thinking="I look."),
        Spoken("It is 142 steps [1]."),
        Spoken('{"title": "Steps"}'),
    ]
    async with Site() as site, FakeAnthropic(replies, [listed_model("claude", schemas=True)]) as server:
        server.warming = True
        left = await run_magpie(tmp_path, {**CLAUDE, "anthropic": {"base_url": server.base_url}}, (server, site))
        used = OF_ENVIRONMENT["ANTHROPIC_API_KEY"]
        assert {headers.get("authorization") for headers in server.headers} == {f"Bearer {used}"}
    assert left.code == 0 and "142 steps" in left.said
    assert left.places_of(*OF_ENVIRONMENT.values()) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("by_file", [True, False])
async def test_a_key_is_nowhere_after_an_answer(by_file: bool, tmp_path: Path) -> None:
    replies = [Said(calls=(SEARCH,)), Said("It is 142 steps [1]."), Said('{"title": "Steps of the lighthouse"}')]
    async with Site() as site, FakeOpenAI(replies, [MODEL]) as server:
        server.warming = True
        own = {"base_url": server.base_url} | ({"key_file": file_with_key(tmp_path)} if by_file else {})
        left = await run_magpie(tmp_path, {"openai": own}, (server, site))
        used = OF_FILE if by_file else OF_ENVIRONMENT["OPENAI_API_KEY"]
        assert {headers.get("authorization") for headers in server.headers} == {f"Bearer {used}"}
    assert left.code == 0 and "142 steps" in left.said
    assert any("rag.readers.process.worker" in command for command in left.children)
    assert any(GOOD.name in command for command in left.children)
    assert any(place.endswith("sessions.db") for place in left.files)
    assert left.places_of(OF_FILE, *OF_ENVIRONMENT.values()) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "address", ["http://me:{key}@{host}/v1", "http://{host}/v1?api_key={key}", "http://{host}/v1#{key}"]
)
async def test_a_key_within_the_address_is_not_repeated(address: str, tmp_path: Path) -> None:
    async with Site() as site, FakeOpenAI(listed=[MODEL]) as server:
        host = server.url.removeprefix("http://")
        url = address.format(key=quote(IN_ADDRESS, safe=""), host=host)
        left = await run_magpie(tmp_path, {"openai": {"base_url": url}}, (server, site))
        assert server.requests == []
    assert left.code == 1 and "openai.key_file" in left.said
    assert left.places_of(IN_ADDRESS, *OF_ENVIRONMENT.values()) == []
