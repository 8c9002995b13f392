"""Thinking that a model writes into its answer, between `<think>` and `</think>`, told from the answer."""

from chatbot.models.base import Piece, Text, Thinking

OPENING, CLOSING = "<think>", "</think>"


class ThinkingSplitter:
    """Takes the text of a reply and gives it as thinking and text; only what a reply begins with can be thinking."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "begin"

    def feed(self, text: str) -> list[Piece]:
        """The pieces of a text, as far as they are certain."""
        if self._state == "text":
            return [Text(text)]
        self._held += text
        if self._state == "begin":
            start = self._held.lstrip()
            if OPENING.startswith(start[: len(OPENING)]) and len(start) < len(OPENING):
                return []
            if not start.startswith(OPENING):
                self._state = "text"
                return [Text(self._take_held())]
            self._held, self._state = start.removeprefix(OPENING).lstrip("\n"), "thinking"
        return self._think()

    def finish(self) -> list[Piece]:
        """What was held back when the reply ended."""
        held = self._take_held()
        if not held:
            return []
        return [Thinking(held) if self._state == "thinking" else Text(held)]

    def _think(self) -> list[Piece]:
        if self._state == "after":
            return self._begin_text(self._take_held())
        thought, closing, rest = self._held.partition(CLOSING)
        if closing:
            self._held, self._state = "", "after"
            pieces: list[Piece] = [Thinking(thought)] if thought else []
            return [*pieces, *self._begin_text(rest)]
        kept = next((size for size in range(len(CLOSING) - 1, 0, -1) if thought.endswith(CLOSING[:size])), 0)
        told, self._held = thought[: len(thought) - kept], thought[len(thought) - kept :]
        return [Thinking(told)] if told else []

    def _begin_text(self, rest: str) -> list[Piece]:
        """The answer's beginning, without the empty lines that stand between it and the thinking."""
        text = rest.lstrip()
        if not text:
            return []
        self._state = "text"
        return [Text(text)]

    def _take_held(self) -> str:
        held, self._held = self._held, ""
        return held
