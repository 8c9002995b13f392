"""What a server has searched for by itself: the results in its chunks as passages, its numbers apart from the text."""

import re
from typing import Any

from chatbot.models.base import Piece, ServerCited, ServerFound, Text
from rag.documents import Passage
from utils.text import one_line

MOST_SERVER_RESULTS = 20
"""Results of one reply that are taken."""
MAX_ADDRESS_FOUND, MAX_TITLE_FOUND, MAX_SNIPPET_FOUND = 2000, 200, 1000
"""Characters of a result's address, title and snippet."""
_SERVER_NUMBERS = re.compile(r"\[(\d{1,3}(?:, ?\d{1,3})*)\]")
_MAY_BECOME_NUMBERS = re.compile(r"\[[\d, ]{0,40}\Z")


class FoundReader:
    """Takes the results that come with chunks, and the text, of which it holds back what cites results not there yet.

    In the form of Perplexity: `search_results` with title, url, date and snippet, or `citations` with addresses alone;
    a number in the text counts them from 1. Numbers without a result are dropped, for they say nothing here.
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self._known: dict[int, Passage] = {}
        self._held = ""
        self._passed = ""

    def take_results(self, chunk: dict[str, Any]) -> list[Piece]:
        """The results that no chunk before had, and the text that waited for them."""
        new = {number: one for number, one in read_results(chunk, self._host).items() if number not in self._known}
        if not new:
            return []
        self._known |= new
        return [ServerFound(new, self._host), *self._release()]

    def take_text(self, delta: str) -> list[Piece]:
        """What of the text so far can be passed on."""
        self._held += delta
        return self._release()

    def finish(self) -> list[Piece]:
        """What was still held back, at the end."""
        pieces = self._release(ended=True)
        rest, self._held = self._held, ""
        return [*pieces, Text(rest)] if rest else pieces

    def _release(self, *, ended: bool = False) -> list[Piece]:
        pieces: list[Piece] = []
        while match := _SERVER_NUMBERS.search(self._held):
            if is_within_code(self._passed + self._held[: match.start()]):
                # An index into a list says where something stands there.
                pieces += self._let_go(match.end())
                continue
            numbers = tuple(number for number in map(int, match[1].split(",")) if number in self._known)
            pieces += self._let_go(match.start())
            if not (self._known or ended):
                return pieces
            self._held = self._held[match.end() - match.start() :]
            pieces += [ServerCited(numbers)] if numbers else []
        begun = _MAY_BECOME_NUMBERS.search(self._held)
        return [*pieces, *self._let_go(begun.start() if begun else len(self._held))]

    def _let_go(self, end: int) -> list[Piece]:
        text, self._held = self._held[:end], self._held[end:]
        self._passed += text
        return [Text(text)] if text else []


def is_within_code(before: str) -> bool:
    """Whether what comes behind a text is code: within a fenced block, or behind a backtick that nothing closes."""
    return before.count("```") % 2 == 1 or before.rpartition("\n")[2].replace("```", "").count("`") % 2 == 1


def read_results(chunk: dict[str, Any], host: str) -> dict[int, Passage]:
    """The results of a chunk by their numbers; what is no result with a web address is left out."""
    results, addresses = chunk.get("search_results"), chunk.get("citations")
    entries = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    if isinstance(addresses, list) and addresses:
        told = {one.get("url"): one for one in entries if isinstance(one.get("url"), str)}
        entries = [told.get(url, {"url": url}) if isinstance(url, str) else {} for url in addresses]
    made = ((number, _make_passage(entry, host)) for number, entry in enumerate(entries[:MOST_SERVER_RESULTS], 1))
    return {number: passage for number, passage in made if passage}


def _make_passage(entry: dict[str, Any], host: str) -> Passage | None:
    url, title, date, snippet = (
        one_line(value, most) if isinstance(value := entry.get(name), str) else ""
        for name, most in (
            ("url", MAX_ADDRESS_FOUND),
            ("title", MAX_TITLE_FOUND),
            ("date", 40),
            ("snippet", MAX_SNIPPET_FOUND),
        )
    )
    if not url.startswith(("https://", "http://")):
        return None
    text = snippet or title or url
    return Passage(f"{text} ({date})" if date else text, url, title or url, "snippet", found_by=host)
