"""A text that is to be changed is changed: a small model asked for "more formal" likes to say it again as it was, and
one asked for it in a second sentence refuses."""

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
_CANNOT_HELP = re.compile(
    r"(?:(?:i['’]?m |i am )?(?:very |really )?sorry,?\W+(?:but )?)?i "
    r"(?:can(?:no|['’])t|can not|am unable to|am not able to) "
    r"(?:assist|help|fulfil|comply|do (?:that|this)|provide|translate|continue)\b"
    r"|(?:(?:es )?tut mir leid\b.{0,20})?\bich kann (?:\w+ ){0,3}?nicht (?:\w+ )?"
    r"(?:weiterhelfen|helfen|tun|übersetzen|erfüllen|beantworten)\b"
    r"|(?:(?:je suis )?désolée?\b.{0,20})?\bje ne peux pas (?:\w+ )?(?:aider|faire|traduire|répondre)\b"
    r"|(?:lo siento\b.{0,20})?\bno puedo (?:ayudar|hacer|traducir|responder)"
    r"|(?:mi dispiace\b.{0,20})?\bnon posso (?:aiutar|far|tradur|risponder)"
    r"|(?:(?:desculpe|lamento|sinto muito)\b.{0,20})?\bnão posso (?:ajudar|fazer|traduzir|responder)"
    r"|(?:het spijt me\b.{0,20})?\bik kan (?:\w+ ){0,3}?niet (?:helpen|doen|vertalen)\b"
    r"|(?:很|非常)?(?:抱歉|对不起)|申し訳",
    re.IGNORECASE,
)
"""How small models begin to refuse, in the languages in which they were seen to."""
REFUSAL_CHARS = 160
"""Length of a refusal that says nothing else, at most."""


def is_refusal(reply: str) -> bool:
    """Whether a reply says that it cannot help, and no more than that."""
    said = reply.strip()
    return len(said) <= REFUSAL_CHARS and _CANNOT_HELP.match(said) is not None


async def reply_changed(before: str, wish: str, talk: Talk, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
    """A reply that is not the last answer once more, unless that is wished, and no refusal to change it.

    What begins like either is shown when it goes on otherwise. Where it is that to its end, the wish is asked of the
    text alone, and what comes then is said.
    """
    earlier, held = "" if _ASKS_FOR_SAME.search(wish) else _in_one_line(before), list[Piece]()
    async with aclosing(talk.stream_reply(options)) as pieces:
        async for piece in pieces:
            said = _in_one_line(talk.said)
            refused = bool(before) and is_refusal(said)
            if isinstance(piece, Text) and (refused or (earlier and earlier.startswith(said))):
                held.append(piece)
                continue
            if held and (refused or said == earlier):
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
