"""Answers in the form of OpenAI's: their text with citations, their usage, and Magpie's own field."""

import re
from typing import Any

from chatbot.frontends.http_api.chats.live_answer import EventFields
from chatbot.frontends.links import shown_source
from chatbot.history.export.taming import tame_markdown
from utils.text import one_line

_NUMBER_MARK = re.compile(r"\[(\d{1,6})\]")
MAX_CHARS_OF_LISTED_TITLE = 200
SOURCE_FIELDS = ("title", "source", "origin", "text", "similarity", "fetched")


def url_citations(answered: EventFields) -> list[dict[str, Any]]:
    """Where the answer cites pages, each with its address and title; files have no address, and stand in `magpie`."""
    pages = {
        source["number"]: source["passage"]
        for source in answered["cited"]
        if source["passage"]["source"].lower().startswith(("http://", "https://"))
    }
    return [
        {
            "start_index": mark.start(),
            "end_index": mark.end(),
            "url": pages[int(mark[1])]["source"],
            "title": pages[int(mark[1])]["title"],
        }
        for mark in _NUMBER_MARK.finditer(answered["text"])
        if int(mark[1]) in pages
    ]


def listed_sources(answered: EventFields) -> str:
    """What stands below the text for who sees nothing else: a line a page in Markdown; empty where none is cited."""
    numbers: dict[tuple[str, str], str] = {}
    for source in answered["cited"]:
        page = source["passage"]["source"], source["passage"]["title"]
        numbers[page] = f"{numbers.get(page, '')}[{source['number']}]"
    lines = [f"- {cited} {_page_line(source, title)}" for (source, title), cited in numbers.items()]
    return "\n".join(["\n\nSources:\n", *lines]) if lines else ""


def _page_line(source: str, title: str) -> str:
    # A title is from outside: no picture in it is loaded by what shows the Markdown.
    told = tame_markdown(one_line(title, MAX_CHARS_OF_LISTED_TITLE))
    return f"{told}: {shown_source(source)}" if told else shown_source(source)


def own_field(answered: EventFields) -> dict[str, Any]:
    """What Magpie tells beside the answer: the passages that it cites, and what was not done for want of consent."""
    sources = [
        {"number": source["number"], **{name: source["passage"][name] for name in SOURCE_FIELDS}}
        for source in answered["cited"]
    ]
    return {"sources": sources, "denied": list(answered["denied"]), "text": answered["text"]}


def usage_of(answered: EventFields) -> dict[str, Any]:
    """The tokens of the whole turn, searches included, as chat completions tell them."""
    usage = answered["usage"]
    prompt, reply = usage["prompt_tokens"], usage["reply_tokens"]
    return {
        "prompt_tokens": prompt,
        "completion_tokens": reply,
        "total_tokens": prompt + reply,
        "prompt_tokens_details": {"cached_tokens": usage["cached_tokens"]},
    }


def finish_reason(answered: EventFields, *, calls: bool) -> str:
    """Why the answer ends."""
    if calls:
        return "tool_calls"
    return "length" if answered["truncated"] else "stop"
