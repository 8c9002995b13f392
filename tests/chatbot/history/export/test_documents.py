"""Exports for people: Markdown, and HTML that loads nothing, runs nothing and shows everything."""

from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.history.entries import TurnAnswered
from chatbot.history.export.documents import to_html, to_markdown
from chatbot.history.sessions import Sessions
from chatbot.history.store import Loaded
from rag.documents import Passage
from tests.fakes.pictures import attached

EVIL = '<script>alert(1)</script><img src=x onerror="alert(1)"> "quoted" & \x1b[31mred\u202e'
SOURCES = (
    Source(1, Passage("Twigs & mud.", "https://nests.example/a?b=1&c=<2>", "Nests", "web", heading=("How",))),
    Source(2, Passage("A file.", "/home/ada/notes.md", EVIL, "file")),
    Source(3, Passage("Run.", "javascript:alert(1)", "Click", "web")),
)
CALL = ToolCall("web_search", {"query": "nests"}, "1")
SAID = (
    Message("user", f"What is this?\n    indented *stars* {EVIL}\n# no heading"),
    Message("assistant", "", thinking="Let me <b>look</b>.", tool_calls=(CALL,)),
    Message("tool", "found", tool_name="web_search", call_id="1", sources=SOURCES),
    Message(
        "assistant",
        f"Twigs [1], notes [1, 2] and none [9]. `[1]` [evil](javascript:alert(1)) [good](https://a.example/)"
        f" ![pixel](https://spy.example/p.png) ![data](data:image/png;base64,xx)\n\n{EVIL}\n\n"
        "[d]: https://b.example/ 'x'\n\n"
        "| a | b |\n|---|---|\n| 1 | ~~2~~ |\n\n```python\n<b>\n```",
    ),
    TurnAnswered(model="qwen"),
    Compaction("Birds build.", 2, 900, 90),
)  # fmt: skip


async def loaded(tmp_path: Path) -> Loaded:
    sessions = await Sessions.open(tmp_path / "sessions.db")
    await sessions.append("one", *SAID)
    session = await sessions.load("one")
    await sessions.close()
    return session


class Seen(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.unsafe: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.add(tag)
        self.unsafe += [
            (name, value) for name, value in attributes if name.startswith("on") or name in ("src", "style")
        ]
        if tag == "a":
            self.links.append(given["href"])
            if not given["href"].startswith("#") and given.get("rel") != "noopener noreferrer":
                self.unsafe.append(("rel", given["href"]))

    def handle_data(self, data):
        self.text += data


async def test_a_page_loads_nothing_and_runs_nothing(tmp_path):
    page = Seen(to_html(await loaded(tmp_path)))
    assert page.unsafe == []
    assert page.tags & {"script", "img", "iframe", "link", "object", "form", "base", "svg"} == set()
    assert page.links == [
        "#source-1", "#source-1", "#source-2", "https://a.example/", "https://spy.example/p.png",
        "https://nests.example/a?b=1&c=<2>",
    ]  # fmt: skip


async def test_a_page_shows_all_that_was_said(tmp_path):
    page = Seen(to_html(await loaded(tmp_path)))
    shown = '<script>alert(1)</script><img src=x onerror="alert(1)"> "quoted" & red'
    assert page.text.count(shown) == 3
    for text in (
        "Looked up: web_search nests",
        "Let me <b>look</b>.",
        "[d]: https://b.example/",
        "Birds build.",
        "Nests > How",
    ):
        assert text in page.text
    assert {"table", "s", "pre", "details"} <= page.tags
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text


async def test_markdown_shows_what_the_user_wrote_as_it_was_and_lists_the_sources(tmp_path):
    text = to_markdown(await loaded(tmp_path))
    page = Seen(MarkdownIt("commonmark", {"html": False}).render(text))
    assert "What is this?\n\u00a0\u00a0\u00a0\u00a0indented *stars* <script>alert(1)</script>" in page.text
    assert "# no heading" in page.text
    assert text.count("\n## ") == 5
    assert [line[:10] for line in text.splitlines()[-3:]] == ["1. [Nests ", "2. \\<scrip", "3. Click ("]
    assert [link for link in page.links if "nests" in link] == ["https://nests.example/a?b=1&c=%3C2%3E"]


async def test_markdown_has_no_html_and_loads_no_picture_whoever_shows_it(tmp_path):
    page = Seen(MarkdownIt("commonmark", {"html": True}).render(to_markdown(await loaded(tmp_path))))
    assert page.tags & {"script", "img"} == set()
    assert page.unsafe == [("rel", link) for link in page.links]
    assert "```python\n<b>\n```" in to_markdown(await loaded(tmp_path))


async def test_a_tool_of_another_program_keeps_the_users_name_for_it(tmp_path: Path) -> None:
    call = ToolCall("weather_shout", {"text": "a"}, "call_1", "weather.shout")
    sessions = await Sessions.open(tmp_path / "sessions.db")
    await sessions.append("one", Message("user", "Shout a."), Message("assistant", "", tool_calls=(call,)))
    session = await sessions.load("one")
    await sessions.close()
    assert session.messages[1].tool_calls == (call,)
    for text in (to_markdown(session), to_html(session)):
        assert ("Looked up: weather.shout a" in text, "weather_shout" in text) == (True, False)


async def test_a_picture_is_told_by_its_name_and_its_size_and_none_of_it_is_exported(tmp_path):
    sessions = await Sessions.open(tmp_path / "sessions.db")
    shown = (attached("<b>photo.png"), attached("b.png", width=1500))
    await sessions.append("one", Message("user", "What is this?", pictures=shown), Message("assistant", "A cat."))
    session = await sessions.load("one")
    await sessions.close()
    told = "picture <b>photo.png, 300×200; picture b.png, 1,500×200"
    assert told in Seen(to_html(session)).text
    assert told.replace("<b>", "\\<b\\>") in to_markdown(session)
    assert not Seen(to_html(session)).tags & {"img", "b"}
