"""Answers in the form of OpenAI's: their text with citations, their usage, and Magpie's own field."""

import re
from typing import Any

from chatbot.frontends.http_api.chats.live_answer import EventFields

_NUMBER_MARK = re.compile(r"\[(\d{1,6})\]")
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
