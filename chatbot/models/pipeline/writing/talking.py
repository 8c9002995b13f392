"""What a model says of its own, without a source: its prompt, and the guard that lets no false claim through."""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from chatbot.conversation.messages import Message
from chatbot.conversation.promises import MAX_CHARS_CHECKED, claimed_act
from chatbot.conversation.turns import Turn
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, LanguageModel, Piece, ReplyOptions, Text
from chatbot.models.dialogue import answer_text, recalled_text
from chatbot.models.pipeline.decision.forms import wants_made_up
from chatbot.models.pipeline.decision.pointing import may_point_back
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.translations import translated_text, with_amounts_of, with_days_of
from chatbot.models.pipeline.writing.checks.repetition import goes_in_circles, repeats_itself
from chatbot.models.pipeline.writing.written import SentenceSplitter
from chatbot.prompts.fewshot import again_in, asked_again, load_prompt
from chatbot.prompts.phrases import fill_phrase
from rag.search.rare_words import telling_words, word_stems
from utils.fence import fence_text, without_marks
from utils.languages.detection import same_language
from utils.languages.language_names import mentioned_languages
from utils.languages.message_parts import asks_translation

DOUBTED, SURE = 3, -2.3
"""The words that are least likely, and the sum of their log-probabilities from which on an answer is believed: of 36
right answers to general questions (1.5B, ten languages) 34 reach it, of 40 to what the model cannot know none."""
SURE_ALONE = -1.6
"""The same for a question that is asked alone, briefly and in English, which makes the model surer of what it knows: of
25 right answers to general questions 23 reach it, and two of four wrong ones; of 22 to what it cannot know (when the
market opens, who is mayor) none."""
WISH_AGAIN = 0.75
"""The share of a sentence's words that the wish for another language has, from which on it is that wish said again."""
OPENING_CHARS = 24
"""Characters by which the language of a reply that is shown as it comes is told."""
SHORT_HISTORY_CHARS, LATEST = 1500, 2
"""Characters of a talk that is always sent whole, and turns of a longer one that a new subject is told of."""
_SPOKEN_SENTENCE_END = re.compile(r"(?<=[.!?…]\s)|(?<=\n)|(?<=[。！？।؟])")
_MAKERS = re.compile(r"\b(?i:Anthropic|OpenAI|Alibaba|ChatGPT|Qwen|Tongyi)\b|(?<![\w-])Claude\b(?! [A-ZÀ-Ý][a-zà-ÿ])")
"""Other makers and models; Claude Monet is none, nor is Jean-Claude."""
_CODE_MARKS = re.compile(r"```|~~~|\w\(|[{};=<>_$|]")
_FENCE_LINE = re.compile(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)


def chat_prefix(instructions: str) -> list[Message]:
    """The fixed beginning of a talk, with the user's own instructions."""
    system = load_prompt("chat").system
    return [Message("system", f"{system}\n\n{instructions}" if instructions else system)]


def turns_talked_on(turns: Sequence[Turn], decision: Decision) -> list[Turn]:
    """What was said before and may be gone on from, with the message; a small model goes on with all that it is sent.

    Before one that begins anew, brings a text to be translated or wishes for a rhyme about something new, nothing; of a
    long talk that it does not certainly go on from, the latest turns alone.
    """
    *before, last = turns
    if decision.alone or asks_translation(last.question.content) or _wishes_for_new_piece(before, last):
        return [last]
    long = sum(len(turn.question.content) + len(answer_text(turn)) for turn in before) > SHORT_HISTORY_CHARS
    return [*(before[-LATEST:] if long and not decision.certainly else before), last]


def _wishes_for_new_piece(before: Sequence[Turn], last: Turn) -> bool:
    """Whether a story or a poem is wished for in words none of which was said before."""
    message = last.question.content
    if not wants_made_up(message) or may_point_back(message):
        return False
    said = word_stems(" ".join(f"{turn.question.content} {answer_text(turn)}" for turn in before))
    return not telling_words(message) & said


def chat_prompt(
    turns: Sequence[Turn], instructions: str, facts: Sequence[str], about: str = "", guide: str = ""
) -> list[Message]:
    """The talk as the model is sent it: what was said, without what was read for it, and a text that it is about.

    `guide` are the user's instructions for this message; at the beginning they would have all be read anew.

    The text stands at its beginning, where it came in: right before "make it shorter" it would be what is shortened.
    """
    said: list[Message] = []
    for turn in turns[:-1]:
        if answer_text(turn).strip():
            asked = Message("user", turn.question.content, pictures=turn.question.pictures)
            said += [asked, Message("assistant", answer_text(turn))]
    told = "\n".join(f"- {fact}" for fact in facts)
    known = load_prompt("known").fill_question(facts=told) if facts else ""
    last = "\n\n".join(part for part in (known, guide, recalled_text(turns[-1]), turns[-1].question.content) if part)
    said.append(Message("user", last, pictures=turns[-1].question.pictures))
    if about:
        said[0] = replace(said[0], content=f"{fence_text(about)}\n\n{said[0].content}")
    return [*chat_prefix(instructions), *said]


def brief_prompt(question: str, instructions: str, before: Turn | None = None) -> list[Message]:
    """A question by itself, for a sentence of what the model knows: a long system text has small models say amiss.

    `before` is the turn that it may go on from, where it does not say by itself what it is about.
    """
    system, asked = load_prompt("surely").make_prompt(question=question)
    said = [Message("user", before.question.content), Message("assistant", answer_text(before))] if before else []
    return [_instructed(system, instructions), *said, asked]


def told_prompt(message: str, instructions: str) -> list[Message]:
    """What a user tells of their life, for a reply to it.

    Below the system text of a talk a small model gives advice, or says that it has no information on their brother.
    """
    system, *rest = load_prompt("told").make_prompt(message=message)
    return [_instructed(system, instructions), *rest]


def _instructed(system: Message, instructions: str) -> Message:
    """A system text with the user's own instructions below it."""
    return replace(system, content=f"{system.content}\n\n{instructions}".strip())


def own_words(text: str, language: str) -> str:
    """A text of the model's own, behind the sentence that says so."""
    return f"{fill_phrase('from_model', language)}\n\n{text}"


def is_sure(logs: Sequence[float], least: float = SURE) -> bool:
    """Whether a model knows what it says, by the log-probabilities of its words: what it makes up it also doubts."""
    return bool(logs) and sum(sorted(logs)[:DOUBTED]) >= least


class Talk:
    """One reply of the model's own, passed on a sentence at a time; `said` is what was passed on.

    An `eager` one, which claims nothing, is passed on as it comes once its first words are in the right language.
    `logs` are the log-probabilities of the words so far, where the model tells them.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompt: Sequence[Message],
        language: str,
        question: str,
        name: str,
        *,
        eager: bool = False,
    ) -> None:
        self.said = ""
        self.logs: list[float] = []
        self._text = SentenceSplitter(_SPOKEN_SENTENCE_END)
        self._wrong = ""
        """A sentence in the wrong language, for which the reply is asked for again."""
        self._first = ""
        """The sentence for which it was: kept where the second reply says the wish again."""
        self._ended = False
        self._name = name
        self._model = model
        self._prompt = list(prompt)
        self._language = language
        self._eager = eager
        self._opening = ""
        """The first words of an eager reply."""
        self._question = question
        self._told = "\n".join(message.content for message in prompt)
        self.translated = translated_text([message.content for message in prompt if message.role == "user"])
        """The text that it puts into another language, if it does that."""

    def asked_again(self, wish: str) -> "Talk":
        """The next reply, by a wish about what was said."""
        return self.begun_anew(asked_again(self._prompt, self.said.strip(), wish))

    def begun_anew(self, prompt: Sequence[Message]) -> "Talk":
        """The same reply from another prompt."""
        return Talk(self._model, prompt, self._language, self._question, self._name, eager=self._eager)

    async def stream_reply(self, options: ReplyOptions) -> AsyncGenerator[Piece, None]:
        """The reply; one in the wrong language is asked for once more, and then without what was said before.

        One that claims what nobody did, or goes round in circles, is ended.
        """
        alone = [message for message in self._prompt[:-1] if message.role == "system"] + self._prompt[-1:]
        # "In German, please" says nothing by itself.
        apart = len(alone) < len(self._prompt) and not mentioned_languages(self._question)
        for last in (False, False, True) if apart else (False, True):
            self._first = self._wrong
            self.logs, self._wrong, self._ended, self._text = [], "", False, SentenceSplitter(_SPOKEN_SENTENCE_END)
            self._opening = ""
            pieces = self._model.reply(self._prompt, options=options)
            async with aclosing(pieces):
                async for piece in pieces:
                    for shown in self._taken(piece, last):
                        yield shown
                    if self._wrong or self._ended:
                        break
            if not self._wrong:
                break
            self._prompt = alone if apart and self._first else again_in(self._prompt, self._wrong, self._language)
        if not self._ended:
            yield Done(Usage(), as_given=False)

    def _taken(self, piece: Piece, last: bool) -> Iterator[Piece]:
        """What a piece of the reply has to show: its whole sentences, up to one that is in the wrong language."""
        for sentence in map(without_marks, self._reply_sentences(piece)):
            if not (last or self.said or self._is_understood(sentence)):
                self._wrong = sentence
                return
            if not self._eager and repeats_itself(self.said, sentence, self._question):
                self._ended = True
                yield Done(Usage(), as_given=False)
                return
            sentence = with_amounts_of(self._told, with_days_of(self.translated, sentence))
            shown = self._first if self._says_wish_again(sentence) else self._guard_sentence(sentence)
            self.said += shown
            yield Text(shown)
            if shown != sentence or goes_in_circles(self.said, self._question):
                self._ended = True
                yield Done(Usage(), as_given=False)
                return
        if isinstance(piece, Done):
            self._ended = True
            yield replace(piece, as_given=False)

    def doubts_itself(self, piece: Piece) -> bool:
        """Whether a piece is the first sentence, and the model tells that it is not sure of it."""
        return isinstance(piece, Text) and self.said == piece.delta and bool(self.logs) and not is_sure(self.logs)

    async def say_surely(self, max_tokens: int, least: float = SURE_ALONE) -> str:
        """The whole reply, where the model is sure of its first sentence; empty where it is not.

        `least` is what `is_sure` asks: that for a question that is asked alone, unless told.
        """
        async with aclosing(self.stream_reply(ReplyOptions(max_tokens, 0.0))) as pieces:
            async for piece in pieces:
                if isinstance(piece, Text) and self.said == piece.delta and not is_sure(self.logs, least):
                    return ""
        return self.said

    def _is_understood(self, sentence: str) -> bool:
        """Whether a sentence is in the user's language, or in one that the message names; code is in any."""
        if _CODE_MARKS.search(sentence) or same_language(sentence, self._language):
            return True
        return any(same_language(sentence, named) for named in mentioned_languages(self._question))

    def _says_wish_again(self, sentence: str) -> bool:
        """Whether a second reply begins with the words of the wish for it and not with an answer."""
        if not self._first or self.said:
            return False
        words, wish = word_stems(sentence), word_stems(again_in((), "", self._language)[-1].content)
        return len(words & wish) >= WISH_AGAIN * len(words)

    def _guard_sentence(self, sentence: str) -> str:
        """The sentence, or what is true in its place: it claims an act, or another maker. What a translation says, its
        text does."""
        if self._eager or self.translated or _FENCE_LINE.search(self.said + sentence):
            return sentence
        if _MAKERS.search(sentence) and not _MAKERS.search(self._question):
            return fill_phrase("who_i_am", self._language, model=self._name)
        # What it says in a letter that it drafts, the user would do: that is seen in the whole of it.
        claims = claimed_act(sentence) and claimed_act((self.said + sentence)[-MAX_CHARS_CHECKED:])
        return fill_phrase("cannot_act", self._language) if claims else sentence

    def _reply_sentences(self, piece: Piece) -> list[str]:
        """The sentences that a piece of the reply ends; of an eager one all but the first words as they come."""
        if isinstance(piece, Text):
            self.logs += piece.logs
            if self._eager:
                return self._opened(piece.delta)
            return list(filter(None, self._text.feed(piece.delta)))
        return [*filter(None, [self._opening]), *self._text.rest()] if isinstance(piece, Done) else []

    def _opened(self, delta: str) -> list[str]:
        """What can be shown of an eager reply: nothing until its first words tell the language."""
        self._opening += delta
        if not self.said and len(self._opening) < OPENING_CHARS:
            return []
        shown, self._opening = self._opening, ""
        return [shown] if shown else []


async def begin_talk(
    model: LanguageModel, prompt: Sequence[Message], language: str, question: str, *, eager: bool = False
) -> Talk:
    """A reply to a user's message in a language (ISO 639-1), under the name that the user is shown of the model."""
    return Talk(model, prompt, language, question, (await model.describe()).label, eager=eager)
