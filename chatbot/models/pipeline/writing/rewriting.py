"""A text that is to be changed is changed: a small model asked for "more formal" likes to say it again as it was, and
one asked for it in a second sentence refuses."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from chatbot.models.base import Piece, ReplyOptions, Text
from chatbot.models.pipeline.writing.talking import Talk
from chatbot.prompts.fewshot import load_prompt
from utils.languages.language_names import language_name

_ASKS_FOR_SAME = re.compile(
    r"\b(?:again|repeat|once more|noch\s?mal|noch einmal|wiederhol\w*|r[ée]p[éèe]t\w*|encore une fois|rep[ií]t\w*"
    r"|otra vez|ripet\w*|di nuovo|repet\w*|herha\w+|nog eens|opnieuw|upprepa|igen|gentag\w*|powtórz\w*|jeszcze raz"
    r"|zopakuj\w*)\b|"
    r"повтори|ещ[её] раз|ще раз|重复|再说|もう一度|다시",
    re.IGNORECASE,
)
_CANNOT_HELP = re.compile(
    r"(?:i['’]?m (?:very |really |so )?sorry|sorry|i apologi[sz]e|unfortunately)?\W*(?:but )?(?:i |i['’]?m |i am )"
    r"(?:can(?:no|['’])t|can not|unable to|not able to) (?:assist|help|fulfill?|comply|do|translate|provide"
    r"|continue)(?: you)?(?: with)?"
    r"(?: (?:that|this|it|your))?(?: request)?\W*"
    r"|(?:(?:es )?tut mir leid|leider|entschuldigung)?\W*(?:aber )?(?:(?:dabei |damit )?kann ich|ich kann)"
    r"(?: (?:ihnen|dir|euch|dabei|damit|leider|das|da|(?:bei )?dieser? (?:anfrage|bitte))){0,3} nicht"
    r" (?:weiterhelfen|helfen|tun|beantworten|bearbeiten|erfüllen|übersetzen)\W*"
    r"|(?:(?:je suis )?désolée?)?\W*(?:mais )?je ne peux pas"
    r" (?:(?:vous |t['’])?aider|répondre|(?:faire|traduire) (?:cela|ça))"
    r"(?: (?:avec|à|sur|pour) (?:cela|ça|cette demande))?\W*"
    r"|(?:lo siento)?\W*(?:pero )?no puedo (?:ayudar(?:te|le)?|(?:hacer|traducir)(?:lo| eso)|responder)"
    r"(?: (?:con|a) (?:eso|esto|esa solicitud))?\W*"
    r"|(?:mi dispiace)?\W*(?:ma )?non posso (?:aiutar(?:ti|la|vi)?|farlo|rispondere)(?: (?:con|a) questo)?\W*"
    r"|(?:desculpe|lamento|sinto muito)?\W*(?:mas )?não posso (?:ajudar|ajudá-lo|fazer isso|responder)(?: com isso)?\W*"
    r"|(?:het spijt me|sorry)?\W*(?:maar )?(?:ik kan|kan ik)(?: (?:je|u|dat|daar|daarmee)){0,2} niet"
    r" (?:mee )?(?:helpen|doen|vertalen)\W*"
    r"|(?:很|非常)?(?:抱歉|对不起)，?我(?:无法|不能)(?:协助|帮助|完成)\w{0,6}\W*",
    re.IGNORECASE,
)
"""A refusal that says nothing else, in eight languages: who cannot help on Saturday, or do this Friday, says more."""
REFUSAL_CHARS = 160
"""Its length at most."""
_APOLOGY = re.compile(
    r"(?:i['’]?m (?:very |really |so )?sorry|sorry|(?:es )?tut mir leid|désolée?|lo siento)\W*", re.IGNORECASE
)
"""What a refusal may begin with."""


def is_refusal(reply: str) -> bool:
    """Whether a reply says that it cannot help, and no more than that."""
    said = reply.strip()
    return len(said) <= REFUSAL_CHARS and _CANNOT_HELP.fullmatch(said) is not None


def rewritten_alone(talk: Talk, text: str, wish: str) -> Talk:
    """A talk about nothing but a text and what is wished of it."""
    return talk.begun_anew(load_prompt("rewrite").make_prompt(text=text, wish=wish))


def reply_translated(text: str, language: str, talk: Talk, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
    """A text in another language (ISO 639-1), asked of it alone: in the talk a small model takes the wish itself for
    what is to be said."""
    wish = f"Translate it into {language_name(language)}."
    alone = rewritten_alone(talk, text, wish)
    alone.translated = text
    return alone.stream_reply(options)


async def reply_changed(
    before: str, wish: str, talk: Talk, options: ReplyOptions, *, anew: bool = True
) -> AsyncGenerator[Piece, None]:
    """A reply that is not the last answer once more, unless that is wished, and no refusal to change it.

    `anew` says whether that one is surely wanted otherwise: if not, it may be said again, and only not refused.
    What begins like either is shown when it goes on otherwise. Where it is that to its end, the wish is asked of the
    text alone, and what comes then is said.
    """
    same = not anew or _ASKS_FOR_SAME.search(wish)
    earlier, held = "" if same else _in_one_line(before), list[Piece]()
    async with aclosing(talk.stream_reply(options)) as pieces:
        async for piece in pieces:
            said = _in_one_line(talk.said)
            refused = bool(before) and is_refusal(said)
            begins = refused or (bool(before) and _APOLOGY.fullmatch(said))
            if isinstance(piece, Text) and (begins or (earlier and earlier.startswith(said))):
                held.append(piece)
                continue
            if held and (refused or said == earlier):
                break
            for one in (*held, piece):
                yield one
            held.clear()
        else:
            return
    async with aclosing(rewritten_alone(talk, before, wish).stream_reply(options)) as pieces:
        async for piece in pieces:
            yield piece


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
