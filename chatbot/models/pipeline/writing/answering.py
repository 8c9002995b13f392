"""An answer written from a reading: the model's words, and what of them is borne out."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from chatbot.conversation.messages import Message, Source
from chatbot.models.base import Done, LanguageModel, Piece, ReplyOptions, Text
from chatbot.models.pipeline.comparing import compares_two
from chatbot.models.pipeline.duties import asks_duties
from chatbot.models.pipeline.parts import Part
from chatbot.models.pipeline.reading.answer_evidence import FOREIGN_LIKENESS
from chatbot.models.pipeline.reading.answerability import ask_for, holds_answer
from chatbot.models.pipeline.reading.clauses import is_of_another_clause
from chatbot.models.pipeline.reading.expected import Kind, expected_kind
from chatbot.models.pipeline.reading.sentences import asks_reason, asks_something
from chatbot.models.pipeline.reading.tables.clear_cell import clear_cell
from chatbot.models.pipeline.reading.tables.told_cells import told_by_row
from chatbot.models.pipeline.writing.checks.repetition import names_another, says_answer_again, says_question_again
from chatbot.models.pipeline.writing.checks.told_hours import loses_day
from chatbot.models.pipeline.writing.checks.verdicts import answer_plainly, contradicts
from chatbot.models.pipeline.writing.checks.word_for_word import (
    is_of_another,
    is_of_asked_kind,
    lacks_side,
    says_as_own,
    speaks_of_something_else,
    tells_otherwise,
    turns_question_round,
)
from chatbot.models.pipeline.writing.checks.yes_no_cells import contradicts_cell, plain_word
from chatbot.models.pipeline.writing.completing import (
    ENUMERATING,
    as_standing,
    lacking_pieces,
    says_nothing,
    without_frame,
    without_strange_signs,
    write_dates_as,
)
from chatbot.models.pipeline.writing.foreign import is_written_in, retell, whole_text, written_language
from chatbot.models.pipeline.writing.given import BRIEF, Supports, find_given, says_given
from chatbot.models.pipeline.writing.lists import as_item, has_list, source_with_item, without_sign
from chatbot.models.pipeline.writing.quotes import COUNTING, counts_thing, find_quote, with_number
from chatbot.models.pipeline.writing.summaries import is_told, lead_of, tells_nothing_of
from chatbot.models.pipeline.writing.written import (
    LENGTHS,
    WRITTEN_SENTENCE_END,
    SentenceSplitter,
    WrittenAnswer,
    number_marks,
    trailing_space,
    without_number_marks,
)
from chatbot.prompts.fewshot import again_in
from chatbot.prompts.loader import form_instructions
from chatbot.prompts.phrases import fill_phrase
from utils.languages.detection import same_language
from utils.languages.language_names import language_name


class AnswerWriter:
    """Writes the answer to one question from one reading, in a language and a form.

    `english` is the question in it, `said` what the message's other questions were answered.
    """

    def __init__(self, model: LanguageModel, part: Part, language: str, english: str = "", said: str = "") -> None:
        self._model = model
        self.part = part
        self._reading = part.reading
        self._question = part.question
        self._form = part.form if part.form in form_instructions() else "fact"
        self._language = language
        self._said = without_number_marks(said)
        self._english = english or part.question
        self._translated = english
        self._kind = expected_kind(self._english, part.question) if self._form == "fact" else Kind.ANYTHING
        self._written_in = written_language(part.reading, self._form, language)
        self._asked = self._english if self._written_in == "en" else part.question
        """The question as it is compared with the passages: in their language where it is known in that."""
        of_duties = not part.reading.numbered_sources and asks_duties(self._english)
        self._duties_in = self._written_in if of_duties else ""
        """The language in which is told what has to be done by an attached text, where that is asked for."""
        read = (part.reading.quoted_row, part.reading.rows, self._asked)
        self._cell = clear_cell(*read) if self._form == "fact" else None
        self._held = part.read
        self._text = SentenceSplitter(WRITTEN_SENTENCE_END)
        self._wrong = ""
        """A sentence in the wrong language, for which the answer is asked for again."""
        self.written = WrittenAnswer()

    async def write_answer(self, supports: Supports) -> AsyncGenerator[Text, None]:
        """The answer's text with the numbers of what says it; no text where the reading says nothing of it."""
        read = (self._reading, self._question, self._form)
        self._held = self._held or await holds_answer(self._model, *read, english=self._translated)
        if not self._held:
            return
        if self._form == "summary" and (lead := lead_of(self._reading, self._question, self._language)):
            yield Text(self._add(lead[0], [lead[1]]))
        sentences = self._write_sentences(self._answer_prompt(self._written_in))
        async with aclosing(sentences):
            async for sentence in sentences:
                if shown := await self._judge_sentence(sentence, supports):
                    yield Text(shown)
        for piece, number in lacking_pieces(self._reading, self._form, self._question, self.written, self._language):
            yield Text(self._add(piece, [number] if number else []))
        if not self.written.text.strip() and self._reading.alike == FOREIGN_LIKENESS and self._form in BRIEF:
            self.written.refused = [await whole_text(self._model, self._answer_prompt("en"), LENGTHS[self._form])]
        if self.written.text.strip() and not self._cites_each():
            yield Text(number_marks(self.written.cited))

    def _answer_prompt(self, language: str) -> list[Message]:
        told = self._instruction(language)
        reading = self._reading.narrowed_to(self._cell.row) if self._cell else self._reading
        return [*ask_for(reading, self._question), Message("assistant", "yes"), Message("user", told)]

    def _instruction(self, language: str) -> str:
        form = "duties" if self._form == "list" and self._duties_in else self._form
        return form_instructions()[form].format(language=language_name(language))

    async def _write_sentences(self, prompt: list[Message]) -> AsyncGenerator[str, None]:
        """What the model writes, a sentence or an item at a time; asked once more where the language is wrong."""
        for last in (False, True):
            self._wrong, self._text = "", SentenceSplitter(WRITTEN_SENTENCE_END)
            async with aclosing(self._model.reply(prompt, options=ReplyOptions(LENGTHS.get(self._form, 0)))) as pieces:
                async for piece in pieces:
                    for sentence in self._understood(self._ended(piece)):
                        yield sentence
                    if self._wrong:
                        break
            rest = [] if self._wrong else [sentence for sentence in self._text.rest() if sentence.strip()]
            for sentence in self._understood(rest):
                yield sentence
            if not self._wrong:
                return
            # A second time in another language than the passage has as well: what stands there says it better.
            if last and not same_language(self._reading.text, self._written_in):
                yield self._wrong
            prompt = again_in(prompt, self._wrong, self._written_in)

    def _understood(self, sentences: Sequence[str]) -> Iterator[str]:
        """The sentences, up to a first one of the answer that is in the wrong language."""
        for sentence in (without_frame(sentence, self._english) for sentence in sentences):
            if not (self.written.text or is_written_in(sentence, self._written_in, self._language)):
                self._wrong = sentence
                return
            yield sentence

    def _ended(self, piece: Piece) -> list[str]:
        """The sentences that a piece ends; what was cut at the length of an answer that says one thing is none."""
        if isinstance(piece, Done) and piece.reason == "length" and self._form in BRIEF:
            self._text = SentenceSplitter(WRITTEN_SENTENCE_END)
        return self._text.feed(piece.delta) if isinstance(piece, Text) else []

    async def _judge_sentence(self, sentence: str, supports: Supports) -> str:
        """A sentence as it is shown: with its numbers, or not at all."""
        if self._form in BRIEF:
            sentence = write_dates_as(self._reading.numbered_texts, sentence, self._language)
            sentence = without_strange_signs(f"{self._reading.text} {self._question}", sentence)
        bare = without_sign(sentence)
        if not any(map(str.isalnum, bare)):
            return sentence if self.written.text else ""
        if self._form in BRIEF and (asks_something(bare) or bare.rstrip(".") in self._reading.attached_names):
            # The question said again, which the passage may well say too, or the name of the file that it is about.
            return ""
        if not self._is_asked_for(bare) or self._says_again(bare) or self._is_contrary(bare):
            self.written.refused.append(bare)
            return ""
        is_item = bare != sentence.strip() or self._form == "list"
        of_item = (self._reading, bare, self._duties_in)
        sources = source_with_item(*of_item) if is_item else await self._find_saying(bare, supports)
        told = await self._tell(sentence) if sources is not None else ""
        if sources is None or not told:
            self.written.refused.append(bare)
            return ""
        sentence = as_item(told, self._question) if is_item else told
        if self._form == "yesno" and not self.written.text:
            quote = self._reading.headed_quote
            plain = await answer_plainly(self._model, sentence.strip(), quote, self._question, self._language)
            if plain is None:
                self.written.refused.append(bare)
                return ""
            sentence = plain
        new = [source.number for source in sources if source.number]
        new = new or await find_given(self._reading.given, bare, self._question, supports, is_item=is_item)
        sentence = sentence if is_item else as_standing(self._form, sentence, sources, self._language)
        apart = self.written.text and not self.written.text.endswith(("\n", " "))
        return self._add(f" {sentence}" if apart else sentence, new)

    async def _tell(self, sentence: str) -> str:
        """A sentence that was checked, in the user's language; empty where the model does not tell the same in that."""
        if self._written_in == self._language:
            return sentence
        wordings = f"{self._question}\n{self._english}"
        return await retell(self._model, sentence, self._question, wordings, self._form, self._language)

    def _is_asked_for(self, sentence: str) -> bool:
        """Whether an answer that begins with a sentence is of the kind that is asked for: others are true, perhaps.

        Of when something is a passage may speak without a time, "at dusk", where none of its sentences has one.
        """
        nothing = says_nothing(sentence, f"{self._question} {self._english}")
        if nothing or self.written.text:
            return not nothing
        asked, quote = (sentence, self._asked), self._reading.quote
        if speaks_of_something_else(*asked, self._english, quote) or turns_question_round(*asked):
            return False
        if self._kind in COUNTING and not counts_thing(sentence, self._english, self._reading.lines):
            return False
        told = (is_of_asked_kind(one, self._kind, self._asked) for one in (*self._reading.lines, quote))
        return is_of_asked_kind(sentence, self._kind, self._asked) or (self._kind is Kind.MOMENT and not any(told))

    def _says_again(self, sentence: str) -> bool:
        """Whether a sentence says no more than the question, than the answers to the message's other questions, or than
        a summary says already."""
        if self._kind in (Kind.FIGURE, Kind.MOMENT) and names_another(sentence, self._asked, self._said):
            return True
        if says_answer_again(sentence, self._asked, self._said):
            return True
        if self._form == "summary":
            return is_told(sentence, self.written.text) or tells_nothing_of(self._reading.text, sentence)
        asks = self._form in ENUMERATING or asks_reason(self._english)
        return asks and says_question_again(sentence, self._asked, self._english)

    def _is_contrary(self, sentence: str) -> bool:
        """Whether a sentence says as its own what the user said, yes where a table says no or the text "only", or
        what is free as paid, what is denied as so, times without their day, or not the cell that answers."""
        quote = self._reading.quote
        if self._cell and not self._cell.is_told_by(sentence, self._question):
            return True
        if self._form == "told":
            return says_as_own(sentence, quote, self._language)
        if self._form == "yesno" and contradicts(quote, sentence, self._asked, self._language):
            return True
        texts = self._reading.numbered_texts
        if self._kind is Kind.MOMENT and loses_day("\n".join(texts), sentence, self._asked):
            return True
        if tells_otherwise(texts, sentence, self._english):
            return True
        return contradicts_cell(self._reading.quoted_row, sentence, self._asked)

    def _add(self, sentence: str, numbers: Sequence[int]) -> str:
        """Add a sentence to the answer; as it is shown, with its numbers."""
        self.written.note_citations(numbers)
        marks = number_marks(numbers) if self._cites_each() else ""
        shown = f"{sentence.rstrip()}{marks}{trailing_space(sentence)}" if marks else sentence
        self.written.text += shown
        return shown

    async def _find_saying(self, sentence: str, supports: Supports) -> Sequence[Source] | None:
        """The passages that say a sentence: one alone where one does; None where they do not together either."""
        numbered = self._reading.numbered_sources
        if not numbered:
            return () if says_given(self.part, sentence, self._english, self._language) else None
        if compares_two(self._english) and lacks_side(self._reading.numbered_texts, self._question):
            return None
        numbered = [one for one in numbered if not is_of_another(one.passage, sentence, self._question)]
        if self._form in BRIEF:
            numbered = [one for one in numbered if not is_of_another_clause(one.passage, sentence, self._asked)]
        for source in numbered:
            if has_list(source.passage.text, sentence, self._asked):
                return [source]
        tables = set[bool | None]()
        for source in numbered:
            table = (source.passage.text, sentence, self._asked, self._reading.rows)
            in_table = told_by_row(*table, whole=self._form != "fact")
            if in_table or (in_table is None and await supports(sentence, [source], self._asked)):
                return [source]
            tables.add(in_table)
        several = len(numbered) > 1 and False not in tables and await supports(sentence, numbered, self._asked)
        return numbered if several else None

    def _cites_each(self) -> bool:
        """Whether each sentence has numbers of its own: where there are several passages."""
        return len(self._reading.passage_numbers) > 1

    def best_sentence(self) -> str:
        """The best sentence as it stands, for what the model made of it the passage does not say; empty without one."""
        if not self._held:
            return ""
        if self._reading.certain and not self._reading.sources and self._reading.quote:
            # What a tool worked out, or the user said: "my" would be the program's, were it not said as theirs.
            quote = self._reading.quote
            return fill_phrase("you_said", self._language, statement=quote) if self._form == "told" else quote
        asked = (self._question, self._form, self._kind, self.written.refused)
        quote = self._reading.quote if self._cell else find_quote(self._reading, *asked)
        if not quote:
            return ""
        shown, number = with_number(self._reading, quote, self._question, self._asked, self._english, self._form)
        shown = self._cell.row.spoken if self._cell and shown else shown
        if not shown:
            return ""
        self.written.text = quote
        self.written.note_citations([number] if number else [])
        row = self._reading.quoted_row if self._form == "yesno" and quote == self._reading.quote else None
        plain = plain_word(row, self._question, self._english, self._language)
        return f"{plain}“{without_sign(shown)}”{number_marks([number])}"
