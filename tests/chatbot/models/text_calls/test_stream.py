"""Calls written as text: every form seen is found, nothing else is taken for one, and text is shown without delay."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.conversation.messages import ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, Piece, Text, Thinking
from chatbot.models.text_calls.parser import find_calls
from chatbot.models.text_calls.stream import Sieve
from tests.fakes.ollama import RECORDINGS, recording
from tests.fakes.places import SHARED
from tests.fakes.text_calls import with_text_calls
from tools.base import ToolSchema
from utils.errors import ReplyBroken

QUESTION = "What is the weather in Oslo?"
SEARCH = ToolSchema(
    "web_search",
    "Search the web.",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["query"],
    },
)
FETCH = ToolSchema(
    "fetch_url_content",
    "Open a page.",
    {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
)
OFFERED = (SEARCH, FETCH)
CALL = '{"name": "web_search", "arguments": {"query": "weather in Oslo"}}'
FOUND = [ToolCall("web_search", {"query": "weather in Oslo"})]
END = Done(Usage(reply_tokens=3))
JSON_SUITE = SHARED / "attacks" / "text" / "jsontestsuite" / "test_parsing"


def accepts(name: str, arguments: dict[str, Any]) -> bool:
    return name in {tool.name for tool in OFFERED} and all(isinstance(value, str | int) for value in arguments.values())


async def sifted(*deltas: str, question: str = QUESTION, offered: tuple[ToolSchema, ...] = OFFERED) -> list[Piece]:
    async def reply() -> AsyncIterator[Piece]:
        for delta in deltas:
            yield Text(delta)
        yield END

    return [piece async for piece in with_text_calls(reply(), offered, accepts, question)]


def texts(pieces: list[Piece]) -> str:
    return "".join(piece.delta for piece in pieces if isinstance(piece, Text))


def calls(pieces: list[Piece]) -> list[ToolCall]:
    return [piece.call for piece in pieces if isinstance(piece, Call)]


FORMS = [
    CALL,
    f"```json\n{CALL}\n```",
    f"```\n{CALL}\n```",
    f"```json {CALL}```",
    f"[{CALL}]",
    f"\n\n  {CALL}\n",
    f"{CALL}\n{CALL}",
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"<tool_call>{CALL}",
    f"<tool_call>{CALL}</tools>",
    f"<tools>{CALL}</tools>",
    f"<function>{CALL}</function>",
    f"<function-call>{CALL}</function-call>",
    f"```xml\n<tool_call>\n{CALL}\n</tool_call>\n```",
    '<function=web_search>{"query": "weather in Oslo"}</function>',
    f"<|python_tag|>{CALL}",
    "{" + CALL + "}",
    "{" + CALL,
    '{{"name": "web_search", "arguments": {{"query": "weather in Oslo"}}}}',
    CALL[:-1],
    f"```json\n{CALL[:-1]}\n```",
    f"<tool_call>\n{CALL[:-1]}\n</tool_call>",
    f"[{CALL}",
    '{"tool_calls": [' + CALL + "]}",
    '{"tool_calls": [{"id": "call_1", "type": "function", "function": ' + CALL + "}]}",
    '{"id": "call_1", "type": "function", "function": ' + CALL + "}",
    '{"type": "function", "function": ' + CALL + "}",
    '{"name": "web_search", "parameters": {"query": "weather in Oslo"}}',
    '{"name": "web_search", "args": {"query": "weather in Oslo"}}',
    '{"name": "web_search", "input": {"query": "weather in Oslo"}}',
    '{"tool": "web_search", "arguments": {"query": "weather in Oslo"}}',
    '{"tool": "web_search", "query": "weather in Oslo"}',
    '{"function": "web_search", "arguments": {"query": "weather in Oslo"}}',
    '{"arguments": {"query": "weather in Oslo"}, "name": "web_search"}',
    '{"name": "web_search", "arguments": "{\\"query\\": \\"weather in Oslo\\"}"}',
    '{"web_search": {"query": "weather in Oslo"}}',
    '[web_search(query="weather in Oslo")]',
    '{"name": "web_search", "arguments": {"query": "weather in Oslo", "language": "no"}}',
    '{"name": "web_search", "arguments": {"query": "weather in Oslo"}} and then I will answer.',
    f"{CALL}\n<tool_response>\n" + '{"results": [1, 2]}' + " It is sunny. " * 50,
]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("form", FORMS)
async def test_a_call_in_any_form_is_made_and_not_shown(form: str, size: int) -> None:
    deltas = [form[at : at + size] for at in range(0, len(form), size)]
    pieces = await sifted(*deltas)
    assert calls(pieces) == FOUND
    assert texts(pieces).strip() == ""
    assert pieces[-1] == END


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I will look that up: ", ""),
        ("I will call ", " now."),
        ("Sure!\n\n```json\n", "\n```\n"),
        ("Use `", "` for that."),
        ("Let me see.\n```json\n", "\n```\nThe results say that it is sunny and warm. " + "It is lovely. " * 40),
        ("As [1] and {x} say, <b>now</b>:\n<tool_call>", "</tool_call>"),
        ('First code:\n```python\nd = {"a": 1}\n```\nthen ', ""),
    ],
)
async def test_a_call_inside_a_sentence_is_made(before: str, after: str, size: int) -> None:
    whole = before + CALL + after
    pieces = await sifted(*[whole[at : at + size] for at in range(0, len(whole), size)])
    assert calls(pieces) == FOUND
    assert before.startswith(texts(pieces).rstrip())


async def test_several_calls_keep_their_order_and_are_made_once() -> None:
    other = '{"name": "fetch_url_content", "arguments": {"url": "https://a.test"}}'
    pieces = await sifted("```json\n[", CALL, ", ", other, ", ", CALL, "]\n```")
    assert calls(pieces) == [*FOUND, ToolCall("fetch_url_content", {"url": "https://a.test"})]


ANSWERS = [
    "It is 7 degrees in Oslo [1], says [the weather service](https://yr.no) [2].",
    '{"name": "Alice", "age": 7}',
    '{"name": "get_weather", "arguments": {"query": "x"}}',
    '{"name": "web_search", "arguments": {}}',
    '{"name": "web_search", "arguments": {"query": ""}}',
    '{"name": "web_search", "arguments": {"query": {"type": "string"}}}',
    '{"type": "function", "function": {"name": "web_search", "description": "Search the web.", "parameters": '
    '{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}}}',
    '```json\n{"a": [1, 2, {"b": null}]}\n```\nThat is it.',
    f"```python\ncall = {CALL}\n```",
    "Sets {x | x > 0} and \\frac{1}{2} and <i>tags</i> and `code` and ``` alone",
    f"Two of them: {CALL} and " + '{"b": 1}',
    'A call looks like this: {"name": "web_search", "arguments": {"query": "cats"}}. '
    + "That is what the program reads and carries out. " * 6,
    '{"tool": ',
    "[[[[{{{{",
    '{"name": "web_search", "arguments": ' + '{"a":' * 200,
    "<tool_call>",
    "",
]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("answer", ANSWERS)
async def test_an_answer_passes_as_it_is(answer: str, size: int) -> None:
    pieces = await sifted(*[answer[at : at + size] for at in range(0, len(answer), size)])
    assert calls(pieces) == []
    assert texts(pieces) == answer


@pytest.mark.parametrize(
    "question",
    [
        "Write a JSON object that calls a search for the weather",
        "Gib mir nur JSON aus: Werkzeug und Argumente",
        'Complete this: {"name": "web_search", "arguments": ...',
        "Show me what goes into <tool_call>",
    ],
)
async def test_a_call_that_the_user_asked_to_see_is_shown(question: str) -> None:
    pieces = await sifted("```json\n", CALL, "\n```", question=question)
    assert pieces[-1] == END
    assert (texts(pieces), calls(pieces)) == (f"```json\n{CALL}\n```", [])


async def test_json_as_the_subject_of_a_question_is_looked_up() -> None:
    call = '{"name": "web_search", "arguments": {"query": "JSON Schema 2026"}}'
    pieces = await sifted(call, question="What is new in JSON Schema in 2026?")
    assert calls(pieces) == [ToolCall("web_search", {"query": "JSON Schema 2026"})]


async def test_a_call_is_made_though_the_question_names_the_tool() -> None:
    pieces = await sifted(CALL, question="Use web_search to find the weather in Oslo.")
    assert calls(pieces) == FOUND


def shown_after(*deltas: str) -> list[str]:
    sieve = Sieve(OFFERED, accepts, QUESTION)
    return [sieve.feed(delta) for delta in deltas]


def test_text_is_shown_the_moment_that_it_can_be_no_call() -> None:
    assert shown_after("Hel", "lo [", "1", "] and {", '"na', 'me": "Al', 'ice"') == [
        "Hel",
        "lo ",
        "[1",
        "] and ",
        "",
        '{"name": "Al',
        'ice"',
    ]
    assert shown_after("`", "``", "python", "\n", 'd = {"name"', ': "web_search"}', "\n`", "``", " so") == [
        "",
        "",
        "```python",
        "\n",
        'd = {"name"',
        ': "web_search"}',
        "\n",
        "```",
        " so",
    ]


async def test_real_calls_pass_at_once_and_are_not_made_twice() -> None:
    async def reply() -> AsyncIterator[Piece]:
        yield Thinking("hm")
        yield Text(CALL)
        yield Call(ToolCall("web_search", {"query": "weather in Oslo"}, "c1"))
        yield END

    pieces = [piece async for piece in with_text_calls(reply(), OFFERED, accepts, QUESTION)]
    assert pieces == [Thinking("hm"), Call(ToolCall("web_search", {"query": "weather in Oslo"}, "c1")), END]


async def test_what_was_held_back_is_shown_when_the_reply_breaks() -> None:
    async def reply() -> AsyncIterator[Piece]:
        yield Text("See: ")
        yield Text(CALL[:30])
        raise ReplyBroken("broken")

    pieces: list[Piece] = []
    with pytest.raises(ReplyBroken):
        async for piece in with_text_calls(reply(), OFFERED, accepts, QUESTION):
            pieces.append(piece)
    assert pieces == [Text("See: "), Text(CALL[:30])]


async def test_without_tools_everything_passes() -> None:
    assert await sifted(CALL, offered=()) == [Text(CALL), END]


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings of a live Ollama are not beside the project")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("tools-model", [("web_search", {"query": "weather in Oslo", "limit": 1})]),
        ("tools-model-two", [("web_search", {"query": f"weather in {city}", "limit": 1}) for city in ("Oslo", "Rome")]),
        ("tools-template", [("web_search", {"query": "weather in Oslo", "limit": 1})]),
        ("tools-template-two", [("web_search", {"query": f"weather in {c}", "limit": 1}) for c in ("Oslo", "Rome")]),
        ("tools-model-nonstream", [("web_search", {"query": "weather in Oslo", "limit": 1})]),
        ("tools-template-nonstream", [("web_search", {"query": "weather in Oslo", "limit": 1})]),
        ("tool-result-model", [("fetch_url_content", {"url": "https://www.yr.no/place/Norway/Oslo/forecast.html"})]),
        ("tool-result-template", []),
        ("tool-result-model-no-tools", []),
    ],
)
async def test_recorded_calls_in_text_are_found(name: str, found: list[tuple[str, dict[str, Any]]]) -> None:
    lines = "".join(text for _, text in recording(name)["response"]["pieces"]).splitlines()
    deltas = [json.loads(line)["message"]["content"] for line in lines]
    pieces = await sifted(*deltas)
    assert [(call.name, call.arguments) for call in calls(pieces)] == found
    assert bool(texts(pieces).strip()) is not bool(found)


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *'{}[]<>"`\\\n :,',
            "```",
            "```json\n",
            "<tool_call>",
            '"name"',
            '"arguments"',
            ": ",
            "web_search",
            '"query"',
            CALL,
        ]
    )
    | st.text(max_size=5),
    max_size=60,
)


@settings(max_examples=80, deadline=None)
@given(FRAGMENTS)
def test_hostile_text_is_neither_lost_nor_a_crash(deltas: list[str]) -> None:
    sieve = Sieve(OFFERED, accepts, QUESTION)
    shown = "".join(sieve.feed(delta) for delta in deltas)
    rest, found = sieve.finish()
    whole = "".join(deltas)
    assert whole.startswith(shown) if found else shown + rest == whole


@pytest.mark.parametrize(
    "text",
    [
        "[" * 400_000,
        "{" * 400_000,
        '{"name": "web_search", "arguments": ' * 20_000,
        "<" * 400_000,
        "`" * 400_000,
        '{"name":"web_search","arguments":{"query":""}}' * 9000,
        "[web_search(" * 30_000,
        "{ " * 200_000,
        CALL + '"' * 400_000,
    ],
)
@pytest.mark.timeout(20)
@pytest.mark.parametrize("size", [1, 1_000_000])
def test_long_hostile_text_is_read_in_linear_time(text: str, size: int) -> None:
    text = text[: 20_000 * size]
    sieve = Sieve(OFFERED, accepts, QUESTION)
    shown = [sieve.feed(text[at : at + size]) for at in range(0, len(text), size)]
    rest, found = sieve.finish()
    assert found or "".join(shown) + rest == text


@pytest.mark.skipif(not JSON_SUITE.is_dir(), reason="JSONTestSuite is not beside the project")
def test_json_of_the_test_suite_is_never_a_call_and_never_a_crash() -> None:
    for path in sorted(JSON_SUITE.glob("*.json")):
        text = path.read_bytes().decode("utf-8", "replace")
        assert find_calls(text, OFFERED, accepts) == [], path.name
        sieve = Sieve(OFFERED, accepts, QUESTION)
        assert sieve.feed(text) + sieve.finish()[0] == text, path.name
