from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from tools.mcp_client.results import RESULT_CHARS, text_of


def words(*blocks: Any, structured: Any = None) -> str:
    return text_of(CallToolResult(content=list(blocks), structured_content=structured))


def test_text_is_given_and_all_else_named() -> None:
    blocks = (
        TextContent(text="one\x1b[2J"),
        ImageContent(data="AAAA", mime_type="image/png"),
        AudioContent(data="AAAA", mime_type="audio/wav"),
        ResourceLink(uri="file:///a", name="a"),
        EmbeddedResource(resource=TextResourceContents(uri="file:///b", text="held")),
        EmbeddedResource(resource=BlobResourceContents(uri="file:///c", blob="AAAA")),
    )
    assert words(*blocks).split("\n\n") == [
        "one",
        "(image of the type image/png, not shown)",
        "(audio of the type audio/wav, not shown)",
        "(a link to file:///a: a)",
        "file:///b:\nheld",
        "(the file file:///c, not shown)",
    ]


def test_what_is_structured_is_given_once() -> None:
    assert words(TextContent(text='{"a": 1}'), structured={"a": 1}) == '{"a": 1}'
    assert words(TextContent(text="one"), structured={"result": "one"}) == "one"
    assert words(TextContent(text="one"), structured={"content": "one"}) == "one"
    assert words(TextContent(text="one"), structured={"a": 1}) == 'one\n\n{"a": 1}'
    assert words(structured={"a": 1}) == '{"a": 1}'


def test_nothing_is_said_to_be_nothing() -> None:
    assert words() == words(TextContent(text="\x1b[2J ")) == "(The tool answered with nothing.)"


def test_what_is_long_is_cut() -> None:
    said = words(TextContent(text="x" * 1_000_000))
    assert said == f"{'x' * RESULT_CHARS}\n\n(Cut here: only the first {RESULT_CHARS:,} characters are given.)"
