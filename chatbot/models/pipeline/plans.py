"""What a plan is made from, and what it says comes next."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chatbot.conversation.messages import ToolCall
from chatbot.conversation.turns import Turn
from chatbot.models.dialogue import answer_text, attached_texts
from chatbot.models.pipeline.decision.forms import wants_made_up
from chatbot.models.pipeline.decision.going_on import goes_on_from_files
from chatbot.models.pipeline.decision.intent import MAX_REWORKING_WORDS, Intent
from chatbot.models.pipeline.decision.names import has_digit
from chatbot.models.pipeline.decision.places import LIBRARY, REACHING, in_files, names_place
from chatbot.models.pipeline.decision.statements import tells_of_life, tells_of_somebody_near
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.attachments import is_about_text
from chatbot.models.pipeline.reading.sentences import asks_something, count_words
from chatbot.models.pipeline.translations import language_of_translation, translated_text
from chatbot.models.pipeline.writing.wished_length import read_length
from tools.base import ToolSchema
from utils.languages.detection import same_language
from utils.languages.language_names import mentioned_languages
from utils.languages.message_parts import asks_translation

SAID = ("text", "act")
"""Forms of answers to what asks for no fact: thanks, a statement, a wish."""
ELSEWHERE = 0.8
"""The share of looking up from which on a message is taken not to be about the text that came with it."""


@dataclass(frozen=True)
class Plan:
    """The next reply: calls, what is said as it is, answers from readings, or (none of these) the model's own."""

    calls: tuple[ToolCall, ...] = ()
    said: str = ""
    """Words of the program's, which no model writes."""
    parts: tuple[Part, ...] = ()
    """What is answered one after the other, each from its reading."""
    about: str = ""
    """A text that the model's own words are about."""
    unsourced: str = ""
    """What stands before an answer of the model's own, where a source was looked for in vain."""
    made_up: bool = False
    """Whether the model's own words are a story or a poem, which claim nothing and are shown as they come."""
    unless_sure: tuple[ToolCall, ...] = ()
    """What is called in the place of the model's own words, if it is not sure of the first of them."""


@dataclass(frozen=True)
class Situation:
    """What a plan is made from."""

    turns: Sequence[Turn]
    tools: Sequence[ToolSchema]
    intent: Intent
    facts: Sequence[str] = field(default_factory=list)

    @property
    def last_turn(self) -> Turn:
        """The last turn."""
        return self.turns[-1]

    @property
    def wants_made_up(self) -> bool:
        """Whether a story or a poem is wished for, of nothing that came with the message."""
        return wants_made_up(self.said_in_english) and not attached_texts(self.last_turn)

    @property
    def answer_before(self) -> str:
        """The last answer where a short message may want it otherwise: it goes on from that, tells another language or
        a length. Empty for a question, and for what is a wish of its own."""
        message = self.last_turn.question.content
        own_wish = asks_something(message) or asks_translation(message) or self.wants_made_up
        if len(self.turns) < 2 or own_wish or attached_texts(self.last_turn):
            return ""
        tells = self.intent.decision.follows or mentioned_languages(message) or read_length(message)
        return answer_text(self.turns[-2]) if tells and count_words(message) <= MAX_REWORKING_WORDS else ""

    @property
    def source_text(self) -> str:
        """What a wish for another language is to translate: the text of one before, else the last answer that is no
        other one put into another language. From that once more it would lose twice."""
        said = [turn.question.content for turn in self.turns]
        own = [turn for turn in self.turns[:-1] if not language_of_translation(turn.question.content)]
        return translated_text(said) or answer_text((own or self.turns[:-1])[-1])

    @property
    def wants_changed(self) -> bool:
        """Whether the last answer is to be put otherwise: "more formal"."""
        goes_on = len(self.turns) > 1 and self.intent.decision.follows and self.intent.decision.form == "text"
        return goes_on and not asks_something(self.last_turn.question.content)

    @property
    def goes_on_from_text(self) -> bool:
        """Whether a message without a figure goes on from one that a text came with: no sum, and no date of today."""
        figures = has_digit(self.last_turn.question.content)
        return self.intent.decision.follows and not figures and is_about_text(self.turns)

    @property
    def looks_elsewhere(self) -> bool:
        """Whether a message that a text came with is hardly about that: it is asked for one place of it alone."""
        share = self.intent.decision.share_of(*REACHING, LIBRARY)
        return bool(attached_texts(self.last_turn)) and share >= ELSEWHERE

    @property
    def looks_in_files(self) -> bool:
        """Whether the user's own files are meant, and no pages that were kept: they are named or were answered from."""
        message = self.last_turn.question.content
        goes_on = self.intent.decision.follows and goes_on_from_files(self.turns) and not names_place(message)
        return goes_on or in_files(message)

    @property
    def tells_of_life(self) -> bool:
        """Whether the message only tells something of the user's life, and goes on from nothing."""
        begins = not self.intent.decision.follows and not attached_texts(self.last_turn)
        return begins and tells_of_life(self.said_in_english)

    @property
    def only_tells(self) -> bool:
        """Whether the message only tells something of the user's life and nothing in it is to be looked up."""
        said = self.said_in_english
        return self.tells_of_life and (self.intent.decision.form in SAID or tells_of_somebody_near(said))

    @property
    def said_in_english(self) -> str:
        """The message in English, as it is where it is in English or long."""
        return self.intent.english or self.last_turn.question.content

    def as_one_part(self, reading: Reading, *, read: bool = True) -> tuple[Part, ...]:
        """The message as one part."""
        return (Part(self.intent.question, self.intent.decision.form, reading, read),)

    def wordings_of(self, question: str) -> list[tuple[str, str]]:
        """A question as the user said it, and as it stands alone, each with what it is in English (empty for English).

        Beside what was asked before a question that stands alone may say that once more.
        """
        if question != self.intent.question:
            return [(question, "")]
        own = self.intent.own
        return [*([(own.message, own.english)] if own else []), (question, self.intent.english)]

    def english_of(self, question: str) -> str:
        """A question of the message in English; empty for one that is in it, and where that is not known."""
        own = self.intent.own
        if own and question == own.named:
            return own.english
        return self.intent.english if question == self.intent.question else ""

    def other_wording(self, question: str) -> str:
        """The question in another language: the one that was searched in at last, else English; empty for neither."""
        last = str(self.last_turn.calls[-1].arguments.get("query", ""))
        if last and not same_language(last, self.intent.language):
            return last
        return self.intent.english if question == self.intent.question else ""

    def offers_tool(self, name: str) -> bool:
        """Whether a tool may be called."""
        return any(tool.name == name for tool in self.tools)
