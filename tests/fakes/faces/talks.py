"""The one conversation as it is had at each face: what the engine told there, and what was seen."""

import asyncio
import json
import re
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import openai
import pytest
from mcp import Client
from mcp_types import CallToolResult
from playwright.async_api import Locator, expect

from chatbot.conversation.events import Notice, Progress
from chatbot.engine.face import Face
from chatbot.frontends.http_api.openai_form.completions import PARAGRAPH_BREAK
from chatbot.frontends.mcp_server.arguments import TOOLS
from chatbot.frontends.mcp_server.retrieval import Retrieval
from chatbot.frontends.mcp_server.server import make_server
from chatbot.frontends.oneshot import OneShotQuestion, ask
from chatbot.frontends.terminal.consent import CONSENT_KEYS_HINT, IGNORED_KEYS_SECONDS
from chatbot.models.base import Call
from chatbot.trust.consent import Decision, Request
from tests.fakes.api_server import sent_events, serving_api
from tests.fakes.browser import browsing, running_chromium
from tests.fakes.faces import terminal_chat
from tests.fakes.faces.script import (
    TurnShown,
    WitnessedEngine,
    as_json,
    comparable,
    configure,
    conversation,
    numbered_anew,
    what_was_found,
    words,
)
from tests.fakes.mcp_client import text_of
from tests.fakes.site import Site
from tests.fakes.telegram import ANN, TOKEN, BotMessage, FakeTelegram
from tests.fakes.telegram_bot import running
from tests.fakes.terminal import Terminal

CTRL_D = "\x04"
BESIDE_ANSWER = "^Magpie would|is a private address"
"""What is told beside the answer: in Telegram in messages of their own, in a terminal whenever it comes."""
BELOW_ANSWER = ("Sources", "Also read", "The answer cites")
MCP_NAMES = {"web_search": "web_search", "fetch_url_content": "read_page", "search_vector_db": "search_library"}
"""The tools of the server by what they are called in a chat."""
Told = list[list[dict[str, Any]]]


@dataclass
class Talk:
    """The conversation at a face."""

    told: Told | None
    """What the engine told of each turn; None at a face where it is not asked."""
    shown: list[TurnShown] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """What was asked in each turn before something would leave, where the engine alone was there."""


async def talk_to_engine(folder: Path, site: Site) -> Talk:
    """The conversation with the engine itself, which shows nothing: what it tells is to be told at every face."""
    asked: list[str] = []

    async def allow(request: Request) -> Decision:
        asked[-1] += f"{request.question} {request.sent}"
        return "no"

    def show(news: Notice | Progress) -> None:
        return None

    async with WitnessedEngine(configure(folder, site), conversation(site)) as engine:
        chat = await engine.chat(Face(show, allow))
        for turn in engine.script:
            asked.append("")
            async for _ in chat.agent.ask(turn.question):
                pass
    return Talk(comparable(engine.turns), asked=asked)


def of_turn(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without those that are told of the process, whatever is asked."""
    return [event for event in events if event["event"] not in ("progress", "notice")]


def shown_events(events: Sequence[dict[str, Any]], asked: str | None = None) -> TurnShown:
    """What is seen of a turn by who is given its events."""
    ended = [event for event in events if event["event"] == "tool_finished"]
    return TurnShown(
        words(events[-1]["text"]),
        tuple((source["number"], source["passage"]["title"]) for source in events[-1]["cited"]),
        tuple((event["call"]["name"], event["ok"]) for event in ended),
        words("".join(event["text"] for event in events if event["event"] == "thinking_delta")),
        asked,
        tuple(map(what_was_found, ended)),
    )


class Keyboard(StringIO):
    """A terminal on which nothing is typed."""

    def isatty(self) -> bool:
        return True


async def talk_in_one_shots(folder: Path, site: Site) -> Talk:
    """`magpie --json`, a run for each question, in which nobody can be asked."""
    told, shown = [], []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdin", Keyboard())
        for number, turn in enumerate(conversation(site)):
            engine, out = WitnessedEngine(configure(folder, site), conversation(site)), StringIO()
            with redirect_stdout(out):
                asked = OneShotQuestion(turn.question, resume="last" if number else "")
                assert await ask(engine, asked, as_json=True) == 0
            printed = [json.loads(line) for line in out.getvalue().splitlines()]
            assert of_turn(printed) == of_turn(as_json(*engine.turns))
            told += comparable(engine.turns)
            shown.append(shown_events(printed))
    return Talk(told, shown)


async def talk_over_http(folder: Path, site: Site) -> Talk:
    """`/api/chat`, whose client does not allow what it is asked."""
    shown, session = [], ""
    async with WitnessedEngine(configure(folder, site), conversation(site)) as engine, serving_api(engine) as api:
        for turn in engine.script:
            asked, heard = "", ""
            question = {"message": turn.question, "session": session}
            async with api.client.stream("POST", "/api/chat", json=question) as response:
                session = response.headers["magpie-session"]
                async for piece in response.aiter_text():
                    heard += piece
                    if "event: consent_asked" in heard and not asked:
                        [request] = (await api.client.get("/api/consent")).json()["requests"]
                        asked = f"{request['question']} {request['sent']}"
                        await api.client.post(f"/api/consent/{request['id']}", json={"decision": "deny"})
            own = ("consent_asked", "consent_decided")
            events = [event for _, event in sent_events(heard) if event["event"] not in own]
            assert of_turn(events) == of_turn(as_json(engine.turns[-1]))
            shown.append(shown_events(events, words(asked)))
        return Talk(comparable(engine.turns), shown)


async def talk_in_openai_form(folder: Path, site: Site) -> Talk:
    """`/v1/chat/completions` by the stock client, which sends along what was said; nobody can be asked."""
    shown: list[TurnShown] = []
    said: list[Any] = []
    async with WitnessedEngine(configure(folder, site), conversation(site)) as engine, serving_api(engine) as api:
        http = openai.DefaultAsyncHttpxClient(trust_env=False)
        token = api.service.tokens.add("ann")
        async with openai.AsyncOpenAI(base_url=f"{api.url}/v1", api_key=token, http_client=http) as client:
            for turn in engine.script:
                said.append({"role": "user", "content": turn.question})
                stream = await client.chat.completions.create(model="magpie", messages=said, stream=True)
                chunks: list[Any] = [chunk async for chunk in stream]
                deltas = [chunk.choices[0].delta for chunk in chunks]
                whole = chunks[-1].magpie
                # What was withdrawn cannot be taken back in a stream: a paragraph ends there.
                streamed = [
                    PARAGRAPH_BREAK if event["event"] == "answer_withdrawn" else event["text"]
                    for event in of_turn(as_json(engine.turns[-1]))
                    if event["event"] in ("answer_delta", "answer_withdrawn")
                ]
                assert "".join(delta.content or "" for delta in deltas) == "".join(streamed)
                thinking = "".join((delta.model_extra or {}).get("reasoning_content") or "" for delta in deltas)
                sources = tuple((one["number"], one["title"]) for one in whole["sources"])
                shown.append(TurnShown(words(whole["text"]), sources, thinking=words(thinking)))
                said.append({"role": "assistant", "content": whole["text"]})
        return Talk(numbered_anew(comparable(engine.turns)), shown)


WITHOUT_COPY_BUTTONS = """answer => {
  const copy = answer.cloneNode(true);
  copy.querySelectorAll("button:not(.note)").forEach((each) => each.remove());
  return copy.textContent;
}"""


async def talk_in_page(folder: Path, site: Site) -> Talk:
    """The page in a browser, where the button says that it is not allowed."""
    shown: list[TurnShown] = []
    async with (
        WitnessedEngine(configure(folder, site), conversation(site)) as engine,
        serving_api(engine) as api,
        running_chromium() as browser,
        browsing(browser) as tab,
    ):
        await tab.page.goto(f"{api.url}/")
        for number, turn in enumerate(engine.script):
            await expect(tab.page.get_by_role("button", name="Send")).to_be_visible()
            await tab.page.get_by_label("Your question").fill(turn.question)
            await tab.page.keyboard.press("Enter")
            asked, article = "", tab.page.locator(".turn").nth(number)
            if turn.asks:
                consent = article.get_by_role("group", name="Your consent is needed")
                question, sent = consent.locator(".consent-question"), consent.locator("pre")
                asked = f"{await question.text_content()} {await sent.text_content()}"
                await consent.get_by_role("button", name="Do not allow").click()
            await expect(article).not_to_have_attribute("aria-busy", "true")
            shown.append(await read_article(article, words(asked)))
        assert tab.elsewhere(api.url) == [] and tab.complaints == []
        return Talk(comparable(engine.turns), shown)


async def read_article(article: Locator, asked: str) -> TurnShown:
    """What a turn on the page shows."""
    sources = []
    for item in await article.locator(".sources > ol > li").all():
        number = await item.locator(".number").text_content()
        sources.append((int(number or 0), await item.locator(".source-title").text_content() or ""))
    calls = []
    for tool in await article.locator(".tool").all():
        is_done = "done" in (await tool.get_attribute("class") or "").split()
        calls.append((await tool.locator(".tool-name").text_content() or "", is_done))
    answer = await article.locator(".answer:not(.withdrawn)").evaluate(WITHOUT_COPY_BUTTONS)
    thinking = " ".join(await article.locator(".thought").all_text_contents())
    return TurnShown(words(answer), tuple(sources), tuple(calls), words(thinking), asked)


async def talk_in_telegram(folder: Path, site: Site) -> Talk:
    """A chat with the bot, in which the button says no."""
    shown: list[TurnShown] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MAGPIE_TELEGRAM_TOKEN", TOKEN)
        async with FakeTelegram() as server:
            settings = {"telegram.allowed_users": [ANN], "telegram.base_url": server.url}
            engine = WitnessedEngine(configure(folder, site, **settings), conversation(site))
            async with running(engine):
                for turn in engine.script:
                    asked = ""
                    server.messages[ANN].clear()
                    await server.say(turn.question)
                    if turn.asks:
                        request = await server.shows("Magpie would")
                        asked = request.text
                        await server.press(request, "No")
                    await server.settles()
                    [answer] = [one for one in server.messages[ANN] if not re.search(BESIDE_ANSWER, one.text)]
                    shown.append(read_message(answer, words(asked)))
            return Talk(comparable(engine.turns), shown)


def read_message(message: BotMessage, asked: str) -> TurnShown:
    """What a message of the bot shows of a turn; what goes on is seen in it only until there is an answer."""
    answer, _, below = message.text.partition("\n\nSources\n")
    sources = [
        (int(number), line.rpartition("] ")[2])
        for line in below.partition("\n\n")[0].splitlines()
        for number in re.findall(r"\[(\d+)\]", line.partition("] ")[0] + "]")
    ]
    # What was not done and which numbers were wrong is said below the answer, a paragraph each.
    return TurnShown(words(answer.partition("\n\nNot done")[0]), tuple(sources), asked=asked)


async def talk_in_terminal(folder: Path, site: Site) -> Talk:
    """A terminal, in which the key says no."""
    return await asyncio.to_thread(type_in_terminal, folder, site)


def type_in_terminal(folder: Path, site: Site) -> Talk:
    """The same; waits."""
    terminal = Terminal([terminal_chat.__file__, str(folder), site.host], folder, columns=200, rows=60)
    try:
        terminal.wait_for("tools on")
        for number, turn in enumerate(conversation(site), 1):
            terminal.type(f"{turn.question}\r")
            if turn.asks:
                terminal.wait_for(CONSENT_KEYS_HINT)
                time.sleep(IGNORED_KEYS_SECONDS + 0.1)
                terminal.type("n")
            terminal.wait_for("tokens in", number)
            terminal.wait_for("›", number + 1)
        terminal.type(CTRL_D)
        assert terminal.wait_for_end() == 0
    finally:
        terminal.child.close(force=True)
    # Behind the last turn is the prompt that was left.
    _, *turns, _ = "\n".join(["", *terminal.lines]).split("\n›")
    shown = [read_screen(turn.strip()) for turn in turns]
    return Talk(json.loads((folder / "told.json").read_text()), shown)


def read_screen(turn: str) -> TurnShown:
    """What the screen shows of a turn: blocks with an empty line between them."""
    _, *all_blocks = turn.split("\n\n")
    blocks = [block for block in all_blocks if not re.search(BESIDE_ANSWER, block)]
    tools = [place for place, block in enumerate(blocks) if block[0] in "✓✗"]
    said = blocks[tools[-1] + 1 :] if tools else blocks
    ends = [place for place, block in enumerate(said) if block.startswith(BELOW_ANSWER) or "tokens in" in block]
    sources = [
        (int(number), title)
        for block in said
        for numbers, title in re.findall(r"^\[([\d, ]+)\]  (.*?)(?:  |$)", block, re.MULTILINE)
        for number in numbers.split(", ")
    ]
    asked = [block.partition("\n  y once")[0] for block in blocks if block.startswith("? ")]
    return TurnShown(
        words(" ".join(said[: ends[0]])),
        tuple(sources),
        tuple((line.split()[1], line[0] == "✓") for place in tools for line in blocks[place].splitlines()),
        words(" ".join(blocks[place] for place in range(tools[0], tools[-1]) if place not in tools) if tools else ""),
        words(" ".join(asked)),
    )


async def talk_with_mcp_server(folder: Path, site: Site) -> Talk:
    """The server's tools, called by a program whose own model answers, and which asks its own user before."""
    retrieval, shown = Retrieval(configure(folder, site).values), []
    try:
        async with Client(make_server(retrieval, TOOLS, paths=True)) as client:
            for turn in conversation(site):
                pieces = [piece for reply in turn.replies for piece in reply(0) if not turn.asks]
                wanted = [piece.call for piece in pieces if isinstance(piece, Call)]
                ended = [(one.name, await client.call_tool(MCP_NAMES[one.name], one.arguments)) for one in wanted]
                calls = tuple((name, not result.is_error) for name, result in ended)
                found = tuple(what_mcp_found(result) for _, result in ended)
                shown.append(TurnShown(None, None, None if turn.asks else calls, found=None if turn.asks else found))
    finally:
        await retrieval.close()
    return Talk(None, shown)


def what_mcp_found(result: CallToolResult) -> tuple[str, ...]:
    """Titles and sources of what a call found, each once; or why it found nothing."""
    if result.is_error:
        return (text_of(result).partition("\n\n")[0],)
    value = result.structured_content or {}
    found = value.get("passages", [value])
    return tuple(dict.fromkeys(f"{one['title']} {one['source']}" for one in found))
