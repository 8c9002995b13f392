"""Few-shot prompts: a system text and example turns, kept as JSON files in `chatbot/prompts`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from chatbot.conversation.messages import Message
from chatbot.prompts.loader import FOLDER
from utils.languages.language_names import language_name


@dataclass(frozen=True)
class FewShot:
    """A prompt whose beginning never changes, so that a server's cache holds it."""

    system: str
    examples: tuple[tuple[str, str], ...]
    message: str
    """The last user message, with names in braces for what goes in."""

    @property
    def prefix(self) -> list[Message]:
        """System message and example turns."""
        turns = [Message("system", self.system)]
        for asked, answered in self.examples:
            turns += [Message("user", asked), Message("assistant", answered)]
        return turns

    def fill_question(self, **values: str) -> str:
        """The last user message with the values in their places."""
        return self.message.format(**values)

    def make_prompt(self, **values: str) -> list[Message]:
        """The whole prompt."""
        return [*self.prefix, Message("user", self.fill_question(**values))]


@cache
def load_prompt(name: str) -> FewShot:
    """The prompt of that file name, without `.json`."""
    raw = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return FewShot(raw["system"], tuple((asked, answered) for asked, answered in raw["examples"]), raw["message"])


def again_in(prompt: Sequence[Message], wrong: str, language: str) -> list[Message]:
    """The prompt and a reply that was not in a language (ISO 639-1), with the wish for one that is."""
    return asked_again(prompt, wrong, load_prompt("again").fill_question(language=language_name(language)))


def asked_again(prompt: Sequence[Message], reply: str, wish: str) -> list[Message]:
    """The prompt and a reply to it, with a wish for another one."""
    return [*prompt, Message("assistant", reply), Message("user", wish)]


def clip_middle(text: str, limit: int) -> str:
    """Beginning and end of a text that is longer than `limit` characters: what is asked stands at either end."""
    text = text.strip()
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    return f"{text[:head].rstrip()} … {text[head - limit :].lstrip()}"
