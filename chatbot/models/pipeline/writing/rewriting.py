"""A text that is to be changed is changed: a small model asked for "more formal" likes to say it again as it was."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from chatbot.models.base import Piece, ReplyOptions, Text
from chatbot.models.pipeline.writing.talking import Talk
from chatbot.prompts.fewshot import load_prompt

_ASKS_FOR_SAME = re.compile(
    r"\b(?:again|repeat|once more|noch\s?mal|noch einmal|wiederhol\w*|r[ée]p[éèe]t\w*|encore une fois|rep[ií]t\w*"
    r"|otra vez|ripet\w*|di nuovo|repet\w*|herha\w+|nog eens|opnieuw|upprepa|igen|gentag\w*|powtórz\w*|jeszcze raz"
    r"|zopakuj\w*)\b|"
    r"повтори|ещ[её] раз|ще раз|重复|再说|もう一度|다시",
    re.IGNORECASE,
)


async def reply_changed(before: str, wish: str, talk: Talk, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
    """A reply that is not the last answer once more, unless that is wished.

    What begins like it is shown when it goes on otherwise. Where it is the same to its end, the wish is asked of that
    text alone, and what comes then is said.
    """
    earlier, held = "" if _ASKS_FOR_SAME.search(wish) else _in_one_line(before), list[Piece]()
    async with aclosing(talk.stream_reply(options)) as pieces:
        async for piece in pieces:
            said = _in_one_line(talk.said)
            if earlier and isinstance(piece, Text) and earlier.startswith(said):
                held.append(piece)
                continue
            if held and said == earlier:
                break
            for one in (*held, piece):
                yield one
            held.clear()
        else:
            return
    alone = talk.begun_anew(load_prompt("rewrite").make_prompt(text=before, wish=wish))
    async with aclosing(alone.stream_reply(options)) as pieces:
        async for piece in pieces:
            yield piece


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
