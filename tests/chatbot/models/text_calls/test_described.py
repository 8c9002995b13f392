"""A call that a reply only speaks of is found, and an answer about Magpie's tools is not taken for one."""

import pytest

from chatbot.models.text_calls.described import described_tool
from tools.base import ToolSchema

OFFERED = [
    ToolSchema(name, "", {})
    for name in ("web_search", "search_vector_db", "fetch_url_content", "calculate", "set_reminder")
]


@pytest.mark.parametrize(
    ("question", "text", "tool"),
    [
        (
            "What is the capital of Norway?",
            "To find the capital of Norway, I would use the `search_vector_db` function.",
            "search_vector_db",
        ),
        ("And the weather?", "You can use the web_search tool to find the current weather in Oslo.", "web_search"),
        ("What is in it?", "Let me call `fetch_url_content` with that address.", "fetch_url_content"),
        ("What is 17 % of 2340?", "I'll use the calculate function for this.", "calculate"),
        ("Weather in Oslo?", "I need to use web_search to answer this.", "web_search"),
        ("Wake me at six.", "I will call the `set_reminder` function with the time 6:00.", "set_reminder"),
    ],
)
def test_a_call_that_is_only_spoken_of_is_found(question: str, text: str, tool: str) -> None:
    assert described_tool(text, OFFERED, question) == tool


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What tools do you have?", "I can use the `web_search` tool to look things up."),
        ("What can you do?", "I can use `web_search` to search the web."),
        ("How do you find things?", "I would use the `web_search` function."),
        ("What is Magpie?", "A program in which I can use the `web_search` tool."),
        ("Does web_search cost anything?", "No, I can use web_search freely."),
        ("Tell me of yourself", "I can use web_search for pages and search_vector_db for your files."),
        ("What is 2 + 2?", "To calculate that, I would add two and two: 4."),
        ("How was it found?", "I used web_search and found two pages."),
        ("Write a script", "```python\n# you can use web_search here\nweb_search('x')\n```\nIt prints x."),
        ("Write a module", "Name it `web_search`. Then import it."),
        ("What is the weather?", "It is 7 degrees in Oslo [1]."),
        ("Was kostet das?", "Ich würde web_search nehmen."),
    ],
)
def test_what_speaks_of_tools_and_not_of_a_call_is_left_alone(question: str, text: str) -> None:
    assert described_tool(text, OFFERED, question) == ""
