"""How long a reply is to be at most where the message says so, and how many words and sentences one has."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, Piece, ReplyOptions, Text
from chatbot.models.pipeline.writing.rewriting import is_refusal, rewritten_alone
from chatbot.models.pipeline.writing.talking import Talk
from chatbot.prompts.fewshot import load_prompt
from rag.search.rare_words import telling_words, word_stems
from utils.languages.lexicon import load_lexicon

_WORD_NAMES = (
    r"words?|w[öo]rter[n]?|worte[n]?|mots|palabras|parole|palavras|woorden|ord|sł[óo]w|slov|слов|слів|"
    r"kelime(?:yle|de)?|cuvinte"
)
_SENTENCE_NAMES = (
    r"sentences?|s(?:atz|ätze[n]?)|phrases?|frases?|oraci(?:ón|ones)|fras[ei]|zin(?:nen)?|mening(?:ar|er)?|"
    r"setning(?:er)?|sætning(?:er)?|zda(?:niu|niach|ń)|vět[áěy]\w*|предложени\w+|речен\w+|cümle\w*"
)
_LENGTH_BOUNDS = (
    r"in|with|within|under|at most|(?:no|not) more than|(?:fewer|less) than|max(?:imum|imal|imaal)?\.?|up to|only|"
    r"mit|höchstens|nicht mehr als|en|au plus|(?:au )?maximum|con|como máximo|máximo|al massimo|massimo|"
    r"em|no máximo|hooguit|i|på|med|högst|højst|høyst|w|maksymalnie|najwyżej|v|nejvýše|maximálně|в|не более|до|"
    r"не більше|en fazla|cel mult|în|"
    r"(?:make|cut) (?:it|this|that)|mach(?:e|t)? (?:es|das|daraus)|to|into|auf|zu|naar|tot|till|til"
)
_NAMES_OF_ONE = frozenset(
    [
        *("one", "einem", "einen", "une", "un", "una", "uno", "um", "uma", "één", "een", "ett", "en", "et"),
        *("jednym", "jednom", "jedné", "одном", "одно", "одне", "bir"),
    ]
)
_LENGTH_WISH = re.compile(
    rf"(?<!\w)(?:(?:{_LENGTH_BOUNDS})\s+){{1,2}}(?:(?:a|the|just|only|about|most)\s+)?(?P<count>\d{{1,3}}|[^\W\d_]+)"
    rf"\s+(?:[^\W\d_]{{3,12}}\s+)?(?:(?P<words>{_WORD_NAMES})|(?P<sentences>{_SENTENCE_NAMES}))(?!\w)",
    re.IGNORECASE,
)
_BOUNDS_BEHIND = (
    r"at (?:the )?most|max(?:imum|imal|imaal)?|or (?:less|fewer)|tops|höchstens|oder weniger|au plus|(?:au )?maximum|"
    r"como (?:máximo|mucho)|máximo|al massimo|(?:no )?máximo|hooguit|högst|højst|høyst|maks\w*|najwyżej|nejvýše|"
    r"maximálně|не более|максимум|не більше|en fazla|cel mult"
)
_LENGTH_BEFORE_BOUND = re.compile(
    rf"(?<!\w)(?P<count>\d{{1,3}}|[^\W\d_]+)\s+(?:[^\W\d_]{{3,12}}\s+)?"
    rf"(?:(?P<words>{_WORD_NAMES})|(?P<sentences>{_SENTENCE_NAMES})),?\s+(?:{_BOUNDS_BEHIND})(?!\w)",
    re.IGNORECASE,
)
_LINE_NAMES = (
    r"lines?|zeilen?|lignes?|vers|líneas?|versos?|righe|riga|versi|linhas?|regels?|rader|linjer|wers\w{1,3}|linijek|"
    r"řádc?k\w{0,3}|verš\w{1,3}|стро\w{2,5}|рядк\w{1,3}|mısra\w{0,3}"
)
_HAS_LINES = (
    r"poems?|verses?|rhymes?|haikus?|limericks?|toasts?|gedichte?|reime?|verse|poèmes?|poemas?|poesi[ae]|filastrocc\w+|"
    r"gedichten|rijmpjes?|dikt|digte?|runo\w*|wiersz\w*|báse?ň\w*|стихи?|стихотворени\w|вірш\w?|şiir\w*"
)
"""What is written in lines: "a network with two lines" is no poem."""
_LENGTH_IN_LINES = re.compile(
    rf"(?<!\w)(?:(?:{_HAS_LINES})\b[^.?!\n]{{0,40}}?\b(?:of|with|in|mit|aus|de|en|con|di|van|met|em|på|med|o|se?|из|в|з)"
    r"|(?:write|tell|explain|summari[sz]e|describe|say|answer|sum|put|schreib\w*|erklär\w*|sag\w*|fass\w*|beschreib\w*|écris"
    r"|explique|résume|décris|dis|escribe|explica|resume|describe|scrivi|spiega|riassumi|descrivi|escreve|leg|vat|schrijf)\b"
    r"[^.?!\n]{0,60}? (?:in|within|at most|no more than|mit höchstens|höchstens|en|au plus|como máximo"
    r"|al massimo|em|hooguit)"
    rf"(?: at most)?)\s+(?P<count>\d{{1,2}}|[^\W\d_]+)\s+(?:{_LINE_NAMES})(?=\W*$|[.,;!?]| (?:about|über|on|sur"
    rf"|sobre|su|over|om)\b)"
    rf"|(?<!\w)(?P<joined>\d{{1,2}}|[^\W\d_]{{2,6}}?)(?:(?:-lined?|-?zeilig\w{{0,2}}) (?:{_HAS_LINES})\b"
    rf"|-?zeiler(?!\w))",
    re.IGNORECASE,
)
_SENTENCE_STOPS = re.compile(r"(?<=\w\w)[.!?…]+(?=[\"”’»)\]]*(?:\s|$))|[。！？।؟]")
WISH_CHARS = 2000
"""Of the message's beginning and end, where such wishes stand."""


@dataclass(frozen=True)
class WishedLength:
    """How long a reply may be."""

    most: int
    unit: Literal["words", "sentences", "lines"]

    def fits(self, text: str) -> bool:
        """Whether a text is no longer."""
        return self.count(text) <= self.most

    def count(self, text: str) -> int:
        """How many of the unit a text has."""
        if self.unit == "lines":
            return sum(map(bool, map(str.strip, text.splitlines())))
        return len(text.split()) if self.unit == "words" else max(len(_SENTENCE_STOPS.findall(text)), 1)


def read_length(message: str) -> WishedLength | None:
    """The length that a message wishes for, in a dozen languages: "in one sentence", "höchstens zehn Wörter", "a poem
    of two lines"."""
    half = WISH_CHARS // 2
    searched = message if len(message) <= WISH_CHARS else f"{message[:half]}\n{message[-half:]}"
    for wish in chain(_LENGTH_WISH.finditer(searched), _LENGTH_BEFORE_BOUND.finditer(searched)):
        if count := _count_of(wish["count"]):
            return WishedLength(count, "words" if wish["words"] else "sentences")
    for wish in _LENGTH_IN_LINES.finditer(searched):
        if count := _count_of(wish["count"] or wish["joined"]):
            return WishedLength(count, "lines")
    return None


def _count_of(said: str) -> int:
    """The number that a word or figures say; 0 for none."""
    said = said.casefold()
    return int(said) if said.isdigit() else load_lexicon().numbers.get(said, 1 if said in _NAMES_OF_ONE else 0)


async def reply_within(
    length: WishedLength, talk: Talk, options: ReplyOptions, before: str = "", wish: str = ""
) -> AsyncGenerator[Piece, None]:
    """A reply of a length, shown once it is known whether it has it: one that is longer is asked for again.

    `before` is the answer that is to be put otherwise, if one is: where the model refuses, the wish is of that alone.

    First in the talk, for what else was wished; then by itself, in which small models that have gone on in a long form
    let go of it (1.5B: 5 of 10 fit after the first, 9 after both). Nothing is cut off; the shortest is said.
    """
    said = await _whole_reply(talk, options)
    if before and is_refusal(said):
        talk = rewritten_alone(talk, before, wish)
        rewritten = await _whole_reply(talk, options)
        said = before if is_refusal(rewritten) else rewritten
    for again in (_asked_in_talk, _asked_alone):
        if said and not length.fits(said):
            shorter = await _whole_reply(again(talk, said, length), options)
            # Asked in a talk a small model may tell something else of it that is short.
            is_it = word_stems(shorter) & telling_words(said) and not is_refusal(shorter)
            said = min(shorter, said, key=length.count) if is_it else said
    yield Text(said)
    yield Done(Usage(), as_given=False)


def _asked_in_talk(talk: Talk, said: str, length: WishedLength) -> Talk:
    """The same talk with the wish for fewer."""
    sizes = {"count": str(length.count(said)), "most": str(length.most), "unit": length.unit}
    return talk.asked_again(load_prompt("shorter").fill_question(**sizes))


def _asked_alone(talk: Talk, said: str, length: WishedLength) -> Talk:
    """A talk about nothing but what was said."""
    prompt = load_prompt("fewer_words").make_prompt(text=said, most=str(length.most), unit=length.unit)
    return talk.begun_anew(prompt)


async def _whole_reply(talk: Talk, options: ReplyOptions) -> str:
    async with aclosing(talk.stream_reply(options)) as pieces:
        async for _ in pieces:
            pass
    return talk.said.strip()
