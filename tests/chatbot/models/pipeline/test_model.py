"""A small model served in steps: what it calls, reads, says and does not say."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from chatbot.conversation.conversation import Compaction
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Call, Done, ModelInfo, Piece, Quote, ReplyOptions, Text, WordShares
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.context import PipelineContext
from chatbot.models.pipeline.decision.tool_choice import LibraryLook
from chatbot.models.pipeline.model import WARMED, PipelineModel
from chatbot.models.pipeline.writing.talking import brief_prompt, chat_prefix, told_prompt
from chatbot.prompts.fewshot import load_prompt
from chatbot.prompts.phrases import fill_phrase
from chatbot.window.shrinking import summary_turn
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.deciding import DecidingModel, ReadingModel
from tests.fakes.model import USAGE, says
from tools.base import ToolSchema
from tools.calculate import calculate
from tools.web.report import TROUBLE_WORDS
from utils.fence import fence_text

QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
URL = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
SEARCH = ToolSchema("web_search", "Search the web.", QUERY)
NEWS = ToolSchema("news_search", "Search the news.", QUERY)
LIBRARY = ToolSchema("search_vector_db", "Search the library.", QUERY)
OPEN = ToolSchema("fetch_url_content", "Read a page.", URL)
REMEMBER, FORGET = ToolSchema("remember", "Remember.", {}), ToolSchema("forget", "Forget.", {})
REMIND, CALCULATE = ToolSchema("set_reminder", "Remind.", {}), ToolSchema("calculate", "Work out.", {})
TOOLS = (SEARCH, NEWS, LIBRARY, OPEN, REMEMBER, FORGET, REMIND, CALCULATE)
QUESTION = "How tall is the tower of the Harrow light?"
TOWER = Passage("The tower of the Harrow light is 31 metres tall.", "https://harrow.test", "Harrow", "web")
FERRY = Passage("A ferry leaves twice a day.", "https://ferry.test", "Ferry", "web")


Steps = Callable[..., PipelineModel]


@pytest.fixture
def stepwise(embedder: SentenceEmbedder) -> Steps:
    """Makes steps around a model: the decisions are those of the router that ships, on MiniLM's vectors."""
    return lambda model, **around: PipelineModel(model, embedder, PipelineContext(**around))


def looking(*passages: Passage) -> Callable[[str], Awaitable[LibraryLook]]:
    async def look(question: str) -> LibraryLook:
        return LibraryLook(tuple(passage.title for passage in passages), passages)

    return look


async def replied(
    steps: PipelineModel, messages: Sequence[Message], tools: Sequence[ToolSchema] = TOOLS
) -> list[Piece]:
    return [piece async for piece in steps.reply(messages, tools)]


def called(pieces: Sequence[Piece]) -> list[ToolCall]:
    return [piece.call for piece in pieces if isinstance(piece, Call)]


def text(pieces: Sequence[Piece]) -> str:
    return "".join(piece.delta for piece in pieces if isinstance(piece, Text))


def found(*passages: Passage, tool: str = "web_search", query: str = "harrow") -> list[Message]:
    """A turn whose search has brought these passages."""
    call = ToolCall(tool, {"query": query}, "call_1")
    sources = tuple(Source(number, passage) for number, passage in enumerate(passages, 1))
    return [
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "", tool_name=tool, call_id="call_1", sources=sources),
    ]


def talked(note: str, *said: str) -> list[Message]:
    """What user and assistant said by turns; the note comes with the first message."""
    messages = [Message("assistant" if index % 2 else "user", text) for index, text in enumerate(said)]
    return [replace(messages[0], note=note), *messages[1:]]


def done(call: ToolCall, content: str, *, failed: bool = False) -> list[Message]:
    """A call with its result."""
    call = replace(call, id="call_1")
    return [
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", content, tool_name=call.name, call_id="call_1", failed=failed),
    ]


async def test_a_short_question_that_stands_alone_is_searched_for_as_it_is(stepwise: Steps) -> None:
    model = DecidingModel([])
    assert called(await replied(stepwise(model), [Message("user", QUESTION)], (SEARCH,))) == [
        ToolCall("web_search", {"query": QUESTION})
    ]


async def test_for_thanks_nothing_is_looked_up_however_they_are_worded(stepwise: Steps) -> None:
    model = DecidingModel([says("You are welcome.")], words=("web_search",))
    said = [Message("user", QUESTION), *found(TOWER), Message("assistant", "It is 31 metres tall. [1]")]
    pieces = await replied(stepwise(model), [*said, Message("user", "brilliant thanks thats all i needed")], (SEARCH,))
    assert called(pieces) == [] and text(pieces) == "You are welcome."


async def test_why_something_is_asked_is_not_searched_for(stepwise: Steps) -> None:
    hurried = Message("user", f"{QUESTION} i read about it in the paper but i cant find that anymore")
    assert called(await replied(stepwise(DecidingModel([])), [hurried], (SEARCH,))) == [
        ToolCall("web_search", {"query": QUESTION})
    ]


async def test_what_is_said_without_a_source_is_passed_on_a_sentence_at_a_time(stepwise: Steps) -> None:
    model = DecidingModel([says("Hello", " there. How", " are you?")])
    assert await replied(stepwise(model), [Message("system", "long"), Message("user", "hi", note="(Sunday)")]) == [
        Text("Hello there. "),
        Text("How are you?"),
        Done(USAGE, as_given=False),
    ]
    assert model.sent == [((*chat_prefix(""), Message("user", "hi")), ())]


async def test_what_the_steps_on_the_way_to_an_answer_took_is_told_with_it(stepwise: Steps) -> None:
    took = Usage(prompt_tokens=1000, cached_tokens=900, reply_tokens=1)
    model = DecidingModel([says("It is 31", " metres tall.")], words=("yes",), side_usage=took)
    messages = [Message("user", QUESTION), *found(FERRY, TOWER)]
    pieces = await replied(stepwise(model), messages)
    [done] = [piece for piece in pieces if isinstance(piece, Done)]
    beside = done.usage.prompt_tokens - USAGE.prompt_tokens
    assert beside >= 1000 and beside % 1000 == 0
    assert done.usage.reply_tokens == USAGE.reply_tokens + beside // 1000


async def test_the_web_is_left_to_a_server_that_searches_and_the_library_is_not(stepwise: Steps) -> None:
    class Searching(DecidingModel):
        searched: list[bool]

        async def describe(self) -> ModelInfo:
            return replace(await super().describe(), searches=True)

        def reply(self, messages: Any, tools: Any = (), options: ReplyOptions = BY_SETTINGS) -> Any:
            self.searched.append(options.search)
            return super().reply(messages, tools, options)

    model = Searching([says("31 metres.")])
    model.searched = []
    assert text(await replied(stepwise(model), [Message("user", QUESTION)])) == "31 metres."
    assert model.searched == [True]
    steps = stepwise(model, look=looking(TOWER))
    assert called(await replied(steps, [Message("user", QUESTION)]))[0].name == "search_vector_db"
    assert model.searched == [True]


async def test_a_story_starts_at_once_and_is_shown_as_it_comes(stepwise: Steps) -> None:
    model = DecidingModel([says("Once upon", " a time there", " was a", " dragon.", " I have", " sent it.")])
    asked = [Message("user", "Tell me a story about a dragon who is afraid of fire")]
    assert await replied(stepwise(model), asked) == [
        Text("Once upon a time there was a"),
        Text(" dragon."),
        Text(" I have"),
        Text(" sent it."),
        Done(USAGE, as_given=False),
    ]


async def test_a_story_in_another_language_than_the_wish_is_asked_for_once_more(stepwise: Steps) -> None:
    french = ("Il était une fois un", " dragon qui avait très peur", " du feu.")
    model = DecidingModel([says(*french), says("Once upon a time there was a dragon.")])
    asked = [Message("user", "Tell me a story about a dragon who is afraid of fire")]
    assert text(await replied(stepwise(model), asked)) == "Once upon a time there was a dragon."


async def test_the_best_sentence_is_quoted_before_the_answer_and_the_number_put_behind_it(stepwise: Steps) -> None:
    model = DecidingModel([says("It is 31", " metres tall.")], words=("yes",))
    messages = [Message("user", QUESTION), *found(FERRY, TOWER)]
    assert await replied(stepwise(model), messages) == [
        Quote(2, TOWER.text),
        Text("It is 31 metres tall."),
        Text(" [2]"),
        Done(USAGE, as_given=False),
    ]
    asked = load_prompt("read").fill_question(passage=fence_text(f"Harrow: {TOWER.text}"), question=QUESTION)
    assert [message.content for message in model.sent[0][0][-3:-1]] == [asked, "yes"]


async def test_what_no_passage_says_is_not_said_and_the_passage_is_quoted_instead(stepwise: Steps) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return "31" in sentence

    model = DecidingModel([says("It is 8 euros.")], words=("yes",))
    pieces = await replied(stepwise(model, supports=supports), [Message("user", QUESTION), *found(TOWER)])
    assert text(pieces) == f"“{TOWER.text}” [1]"


async def test_where_the_best_sentence_answers_it_is_quoted_before_the_next_passage_is_asked(stepwise: Steps) -> None:
    other = Passage("At 102 feet the Harrow light is seen far.", "https://sea.test", "Sea marks", "web")

    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return sources[0].passage == other

    model = DecidingModel([says("It is 8 metres tall."), says("It is 102 feet tall.")], words=("yes",))
    messages = [Message("user", QUESTION), *found(TOWER, other)]
    said = text(await replied(stepwise(model, supports=supports), messages, (SEARCH,)))
    assert said == f"“{TOWER.text}” [1]"


async def test_where_the_best_sentence_has_no_figure_for_how_tall_the_next_passage_is_asked(stepwise: Steps) -> None:
    near = Passage("How tall the tower of the Harrow light is, is asked by all who see it.", "/a", "A", "web")
    far = Passage("At 102 feet it is seen far.", "https://sea.test", "Sea marks", "web")

    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return sources[0].passage == far

    model = DecidingModel([says("The tower is tall."), says("It is 102 feet tall.")], words=("yes",))
    messages = [Message("user", QUESTION), *found(near, far)]
    assert text(await replied(stepwise(model, supports=supports), messages, (SEARCH,))) == "It is 102 feet tall. [2]"


async def test_each_sentence_has_the_number_of_the_passage_that_says_it(stepwise: Steps) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return any(word in source.passage.text for source in sources for word in sentence.split()[:1])

    one = Passage("Harrow light was built tall on rock.", "https://harrow.test", "", "web")
    two = Passage("Ferry point lamp stands low on sand.", "https://ferry.test", "", "web")
    asked = "Harrow light was tall on rock or Ferry point lamp stands on sand"
    model = DecidingModel([says("Harrow is on rock. Ferry is on sand.")], words=("yes",))
    pieces = await replied(stepwise(model, supports=supports), [Message("user", asked), *found(one, FERRY, two)])
    assert text(pieces) == "Harrow is on rock. [1] Ferry is on sand. [3]"


async def test_an_answer_in_another_language_than_the_question_is_asked_for_once_more(stepwise: Steps) -> None:
    question = "Wie hoch ist der Turm des Leuchtturms von Harrow?"
    passage = Passage("Der Turm des Leuchtturms von Harrow ist 31 Meter hoch.", "https://harrow.test", "Harrow", "web")
    english, german = "The tower of the lighthouse is 31 metres tall.", "Der Turm ist 31 Meter hoch."
    model = DecidingModel([says(english), says(german)], words=("yes",))
    assert text(await replied(stepwise(model), [Message("user", question), *found(passage)])) == f"{german} [1]"
    assert model.sent[1][0][-2:] == (
        Message("assistant", english),
        Message("user", load_prompt("again").fill_question(language="German")),
    )


async def test_a_wish_is_carried_out_and_what_was_done_is_told(stepwise: Steps) -> None:
    acts = {"acts": [{"do": "remember", "what": "I am vegetarian", "when": ""}]}
    model = DecidingModel([], filled=acts)
    asked = Message("user", "Please remember that I am vegetarian.")
    steps = stepwise(model)
    assert called(await replied(steps, [asked])) == [ToolCall("remember", {"fact": "I am vegetarian"})]
    told = [asked, *done(ToolCall("remember", {"fact": "I am vegetarian"}), "Remembered.")]
    assert text(await replied(steps, told)) == fill_phrase("remembered", "en", fact="I am vegetarian")
    assert model.sent == []


async def test_a_wish_that_was_not_carried_out_is_not_told_as_done(stepwise: Steps) -> None:
    asked = Message("user", "Please forget that I am vegetarian.")
    failed = done(ToolCall("forget", {"fact": "vegetarian"}), "Nothing like it is remembered.", failed=True)
    said = text(await replied(stepwise(DecidingModel([])), [asked, *failed]))
    assert said == fill_phrase("nothing_to_forget", "en", what="vegetarian")


async def test_a_sum_is_worked_out_of_a_table_that_came_with_an_earlier_message(stepwise: Steps) -> None:
    days = ("Monday; kind: food; amount: 4.20", "Tuesday; kind: food; amount: 2.50", "Friday; kind: fuel; amount: 60")
    table = "\n".join(f"day: {row}" for row in days)
    asked = Message("user", "What was the most expensive in @week.csv?", note=fence_text(table, "the file week.csv"))
    model = DecidingModel([says("You spent 6.7 on food in total.")], words=("yes",))
    later = [asked, Message("assistant", "The fuel."), Message("user", "How much did I spend on food in total?")]
    assert text(await replied(stepwise(model), later)) == "You spent 6.7 on food in total."
    assert "The sum of amount (food) in 2 rows of the table is 6.7." in str(model.sent[-1][0])


async def test_where_nothing_is_kept_a_wish_to_keep_something_is_told_so(stepwise: Steps) -> None:
    acts = {"acts": [{"do": "remember", "what": "I am vegetarian", "when": ""}]}
    model = DecidingModel([], filled=acts)
    asked = Message("user", "Please remember that I am vegetarian.")
    pieces = await replied(stepwise(model), [asked], (SEARCH, LIBRARY))
    assert (text(pieces), called(pieces), model.sent) == (fill_phrase("nothing_kept", "en"), [], [])


async def test_a_time_that_was_not_understood_is_read_once_more_in_english(stepwise: Steps) -> None:
    call = ToolCall("set_reminder", {"text": "pranie", "when": "za dwie godziny"})
    model = DecidingModel([], filled={"when": "in 2 hours"})
    asked = Message("user", "przypomnij mi za dwie godziny o praniu")
    again = called(await replied(stepwise(model), [asked, *done(call, '"za" is no time.', failed=True)]))
    assert again == [ToolCall("set_reminder", {"text": "pranie", "when": "in 2 hours"})]


async def test_arithmetic_is_worked_out_by_the_tool_and_not_by_the_model(stepwise: Steps) -> None:
    async def compute(name: str, arguments: dict[str, Any]) -> str:
        return await calculate(**arguments)

    model = DecidingModel([], filled={"expression": "17 % of 2340"})
    pieces = await replied(stepwise(model, compute=compute), [Message("user", "What is 17 % of 2340?")])
    assert text(pieces) == "17 % of 2340 = 397.8"


async def test_an_expression_with_numbers_that_nobody_said_is_not_worked_out(stepwise: Steps) -> None:
    async def compute(name: str, arguments: dict[str, Any]) -> str:
        raise AssertionError(arguments)

    model = DecidingModel([says("I cannot tell.")], filled={"expression": "18 * 2340"})
    pieces = await replied(stepwise(model, compute=compute), [Message("user", "What is 17 % of 2340?")])
    assert text(pieces) == "I cannot tell."


async def test_an_attached_text_comes_before_the_web(stepwise: Steps) -> None:
    model = DecidingModel([says("Ann.")], words=("yes",))
    asked = Message(
        "user", "Whose is the open task of the minutes?", fence_text("The task is open: Ann.", "the file a.md")
    )
    assert text(await replied(stepwise(model), [asked])) == "Ann."
    assert "The task is open: Ann." in model.sent[0][0][-3].content


async def test_an_attached_page_is_read_and_not_opened_again(stepwise: Steps) -> None:
    model = DecidingModel([says("31 metres.")], words=("yes",))
    page = fence_text(TOWER.text, "the page Harrow (https://harrow.test/light)")
    asked = Message("user", "How tall is the tower, by @https://harrow.test/light?", page)
    reply = await replied(stepwise(model), [asked])
    assert (called(reply), text(reply)) == ([], "31 metres.")
    assert TOWER.text in model.sent[0][0][-3].content


NOTES = Source(4, Passage(TOWER.text, "a.md", "a.md", "file"))


@pytest.mark.parametrize(
    ("said", "borne_out", "shown"),
    [
        ("It is 31 metres tall.", True, "It is 31 metres tall. [4]"),
        ("It is 31 metres tall.", False, "It is 31 metres tall."),
        ("It is 8 metres tall.", True, f"“{TOWER.text}” [4]"),
    ],
)
async def test_an_attached_text_that_bears_out_what_is_said_is_cited_and_nothing_else_is_changed(
    stepwise: Steps, said: str, borne_out: bool, shown: str
) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return borne_out and sources[0].number == 4

    note = fence_text(NOTES.passage.text, "the file a.md")
    asked = Message("user", QUESTION, f"[4]\n{note}", sources=(NOTES,))
    plain = replace(asked, note=note, sources=())
    model, without = (DecidingModel([says(said)], words=("yes",)) for _ in range(2))
    assert text(await replied(stepwise(model, supports=supports), [asked])) == shown
    assert text(await replied(stepwise(without, supports=supports), [plain])) == shown.removesuffix(" [4]")
    assert model.sent == without.sent


def test_of_an_answer_from_an_attached_text_the_model_is_not_told_the_number() -> None:
    note = fence_text(NOTES.passage.text, "the file a.md")
    messages = [Message("user", "Who has the open task?", note, sources=(NOTES,)), Message("assistant", "Ann. [4]")]
    later = [Message("user", "Thanks!"), Message("assistant", "She has it still. [4]"), Message("user", "Thank you.")]
    assert [turn.without_cited(turn.answer.content) for turn in read_turns([*messages, *later]) if turn.answer] == [
        "Ann.",
        "She has it still.",
    ]


async def test_every_file_of_an_attached_folder_is_looked_into(stepwise: Steps) -> None:
    model = DecidingModel([says("Ann.")], words=("yes",))
    files = [fence_text(f"Minutes of meeting {number}.", f"the file notes/{number}.md") for number in range(9)]
    files.insert(0, fence_text("The open task of the minutes is Ann's.", "the file notes/README.md"))
    files.append(fence_text("print(1)", "the file notes/z.py"))
    files.append(fence_text("The weather was fine. " * 200, "the file notes/zz.md"))
    asked = Message("user", "Whose is the open task of the minutes?", "\n\n".join(files))
    assert text(await replied(stepwise(model), [asked])) == "Ann."
    assert "is Ann's." in model.sent[0][0][-3].content


async def test_a_hit_in_the_library_is_looked_up_beside_the_web(stepwise: Steps) -> None:
    model = DecidingModel([])
    hit = Passage(TOWER.text, "/harrow.md", "Harrow", "file", similarity=0.9)
    reply = called(await replied(stepwise(model, look=looking(hit)), [Message("user", QUESTION)], (SEARCH, LIBRARY)))
    assert {call.name for call in reply} >= {"search_vector_db"}
    assert {call.arguments["query"] for call in reply} == {QUESTION}


async def test_a_page_is_opened_only_at_an_address_that_the_chat_holds(stepwise: Steps) -> None:
    model = DecidingModel([says("No.")])
    asked = [Message("user", "what does harrow.test/light say about the tower?")]
    assert called(await replied(stepwise(model), asked)) == [
        ToolCall("fetch_url_content", {"url": "https://harrow.test/light"})
    ]
    without = [Message("user", "what does that page say about the tower?")]
    assert called(await replied(stepwise(model), without, (OPEN,))) == []


async def test_without_evidence_the_search_is_worded_anew_once_and_then_nothing_was_found(stepwise: Steps) -> None:
    unsure = [Text("It is 30 metres tall.", logs=(-1.2, -1.3, -0.2, -0.9)), Done(USAGE)]
    model = DecidingModel([unsure], words=("no",), filled={"query": "Harrow tower metres"})
    asked = [Message("user", QUESTION), *found(FERRY)]
    steps = stepwise(model)
    assert called(await replied(steps, asked, (SEARCH,))) == [ToolCall("web_search", {"query": "Harrow tower metres"})]
    again = [*asked, *found(query="Harrow tower metres")]
    assert text(await replied(steps, again, (SEARCH,))) == fill_phrase("nothing_on_web", "en")


@pytest.mark.parametrize(
    ("doubts", "said"),
    [
        (0.25, f"{fill_phrase('nothing_certain', 'en')} “{TOWER.text}” [1]"),
        (0.01, fill_phrase("nothing_on_web", "en")),
    ],
)
async def test_where_nothing_answers_for_certain_what_comes_nearest_is_quoted_as_that(
    stepwise: Steps, doubts: float, said: str
) -> None:
    unsure = [Text("It is 30 metres tall.", logs=(-1.2, -1.3, -0.2, -0.9)), Done(USAGE)]
    model = ReadingModel([unsure], holds="no passage", chooses=TOWER.text, doubts=doubts)
    asked = Message("user", "How far up does one get in the lighthouse over there?")
    searched = [*found(TOWER, FERRY), *found(TOWER, query="lighthouse height")]
    assert text(await replied(stepwise(model), [asked, *searched], (SEARCH,))) == said


async def test_what_comes_nearest_is_of_the_kind_that_was_asked_for(stepwise: Steps) -> None:
    unsure = [Text("It was Jo Reed.", logs=(-1.2, -1.3, -0.2, -0.9)), Done(USAGE)]
    model = ReadingModel([unsure], holds="no passage", chooses=TOWER.text, doubts=0.25)
    searched = [*found(TOWER, FERRY), *found(TOWER, query="lighthouse keeper")]
    said = text(await replied(stepwise(model), [Message("user", "When was it painted?"), *searched], (SEARCH,)))
    assert said == fill_phrase("nothing_on_web", "en")


async def test_of_several_questions_each_that_nothing_answers_is_told_what_comes_nearest(stepwise: Steps) -> None:
    class OfTheTower(ReadingModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            asks_of_it = QUESTION in messages[-1].content
            self.holds, self.chooses = ("31 metres", "31 metres") if asks_of_it else ("no passage", "8:15")
            return await super().weigh_words(messages, words)

    parts = [QUESTION, "When does the crossing begin?"]
    ferry = Passage("The ferry leaves at 8:15 each day.", "https://ferry.test", "Harrow ferry", "web")
    said = "The tower is 31 metres tall."
    model = OfTheTower([says(said)], filled={"questions": parts}, doubts=0.35)
    asked = Message("user", " ".join(parts))
    answer = text(await replied(stepwise(model), [asked, *found(TOWER, ferry)], (SEARCH,)))
    nearest = f"{fill_phrase('nothing_certain', 'en')} “{ferry.text}” [2]"
    assert answer == f"{said} [1]\n{parts[1]} (Harrow) – {nearest}\n"


async def test_what_is_asked_of_each_of_two_that_were_named_before_is_looked_up_of_both(stepwise: Steps) -> None:
    parts = ["What does the Arlo clock weigh?", "What does the Beam clock weigh?"]
    model = DecidingModel(
        [], filled={"query": "What does each of the Arlo clocks weigh?", "questions": parts}, words=("web_search",)
    )
    clocks = Passage("The Arlo clock is taller than the Beam clock.", "https://clocks.test", "Clocks", "web")
    asked = "Which clock is taller, the Arlo or the Beam?"
    before = [Message("user", asked), *found(clocks, query=asked)]
    answered = [*before, Message("assistant", "The Arlo clock is taller. [1]")]
    reply = await replied(stepwise(model), [*answered, Message("user", "And what does each of them weigh?")], (SEARCH,))
    assert [call.arguments["query"] for call in called(reply)] == parts


async def test_no_difference_is_worked_out_of_what_only_comes_nearest(stepwise: Steps) -> None:
    class OfArlo(ReadingModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            of_arlo = "Question: What is the weight of Arlo" in messages[-1].content
            self.holds, self.chooses = ("120 grams", "120 grams") if of_arlo else ("no passage", "94 grams")
            return await super().weigh_words(messages, words)

    parts = ["What is the weight of Arlo?", "What is the weight of Beam?"]
    arlo = Passage("Arlo weighs 120 grams.", "https://arlo.test", "Arlo", "web")
    beam = Passage("The charger has 94 grams more.", "https://beam.test", "Beam", "web")
    said = "Arlo weighs 120 grams."
    model = OfArlo([says(said)], filled={"questions": parts}, doubts=0.35)
    asked = Message("user", "Is Arlo or Beam heavier, and by how much?")
    answer = text(await replied(stepwise(model), [asked, *found(arlo, beam)], (SEARCH,)))
    nearest = f"{fill_phrase('nothing_certain', 'en')} “{beam.text}” [2]"
    assert answer == f"{said} [1]\n{parts[1]} – {nearest}\n"


async def test_a_fact_that_the_model_doubts_is_looked_up_after_all(stepwise: Steps) -> None:
    question, sentence = "Who wrote Hamlet?", "William Shakespeare wrote Hamlet. "
    doubted, known = ((-1.2, -1.3, -0.2, -0.9), (-0.1, -0.2, -0.1))
    for logs, calls in ((doubted, [ToolCall("web_search", {"query": question})]), (known, [])):
        model = DecidingModel([[Text(sentence, logs=logs), Done(USAGE)]])
        pieces = await replied(stepwise(model), [Message("user", question)], (SEARCH,))
        assert called(pieces) == calls
        assert text(pieces) == ("" if calls else sentence)


async def test_a_time_that_is_no_reminder_is_worked_out(stepwise: Steps) -> None:
    async def compute(name: str, arguments: dict[str, Any]) -> str:
        return "250 minutes = 4 h 10 min"

    said, act = "250 minutes in hours and minutes", {"do": "remind", "what": "250 minutes", "when": "250 minutes"}
    model = DecidingModel([], filled={"acts": [act], "expression": "250 minutes"})
    assert text(await replied(stepwise(model, compute=compute), [Message("user", said)])) == "250 minutes = 4 h 10 min"


async def test_where_the_pages_are_in_another_language_they_are_searched_in_it(stepwise: Steps) -> None:
    lease = Passage("Die Garage kann mit einer Frist von sechs Wochen gekündigt werden.", "/lease", "Vertrag", "file")
    german = "Mit welcher Frist kann die Garage gekündigt werden?"
    own = "Die Frist ist sechs Wochen."
    model = DecidingModel([says(own), says("Six weeks.")], words=("no",), filled={"query": german})
    asked = [Message("user", "How soon can I get out of the contract?"), *found(lease, tool="search_vector_db")]
    call = called(await replied(stepwise(model), asked, (LIBRARY,)))
    assert call == [ToolCall("search_vector_db", {"query": german})]
    model.words = ("yes",)
    again = [*asked, *found(lease, tool="search_vector_db", query=german)]
    assert text(await replied(stepwise(model), again, (LIBRARY,))) == "Six weeks. [1]"
    assert own in model.sent[-1][0][-3].content


async def test_what_no_source_says_the_model_answers_where_it_is_sure_and_that_is_said(stepwise: Steps) -> None:
    sure = [Text("The largest planet is Jupiter.", logs=(-0.1, -0.4, -0.02, -0.2)), Done(USAGE)]
    model = DecidingModel([sure], words=("no",))
    asked = [Message("user", "Which planet is the largest in our solar system?"), *found(FERRY)]
    said = text(await replied(stepwise(model), asked, (SEARCH,)))
    assert said == f"{fill_phrase('from_model', 'en')}\n\nThe largest planet is Jupiter."


async def test_a_message_that_points_back_is_never_answered_without_what_was_said_before(stepwise: Steps) -> None:
    earlier = [Message("user", "Who was Johannes Kepler?"), Message("assistant", "An astronomer.")]
    model = DecidingModel([says("He lived in Prague and Linz.")], words=("no",))
    await replied(stepwise(model), [*earlier, Message("user", "Describe in two short paragraphs how he lived.")])
    assert [message.content for message in model.sent[0][0][1:3]] == [message.content for message in earlier]


async def test_what_no_source_says_of_a_follow_up_the_model_is_asked_behind_the_answer_before(stepwise: Steps) -> None:
    sure = [Text("Bei 50 bar.", logs=(-0.1, -0.2)), Done(USAGE)]
    model = DecidingModel([sure], words=("no",))
    earlier = [Message("user", "Was ist die Formel von Sauerstoff?"), Message("assistant", "Es ist O2.")]
    asked = [*earlier, Message("user", "Bei welchem Druck wird er flüssig?"), *found(FERRY)]
    said = text(await replied(stepwise(model), asked, (SEARCH,)))
    assert said == f"{fill_phrase('from_model', 'de')}\n\nBei 50 bar."
    assert [message.content for message in model.sent[0][0][1:3]] == [message.content for message in earlier]


async def test_before_the_news_are_searched_for_what_the_web_does_not_say_the_model_is_asked(stepwise: Steps) -> None:
    question, capital = "What is the capital of Australia?", "The capital of Australia is Canberra."
    news = [ToolCall("news_search", {"query": question})]
    for logs, calls in (((-0.1, -0.4, -0.02), []), ((-1.2, -1.3, -0.9), news)):
        model = DecidingModel([[Text(capital, logs=logs), Done(USAGE)]], words=("no",))
        pieces = await replied(stepwise(model), [Message("user", question), *found(FERRY)], (SEARCH, NEWS))
        assert called(pieces) == calls
        assert text(pieces) == ("" if calls else f"{fill_phrase('from_model', 'en')}\n\n{capital}")


@pytest.mark.parametrize(("state", "told"), [("unreachable", "no_network"), ("offline", "offline_switched")])
async def test_without_a_network_that_is_said_once_and_the_model_answers_by_itself(
    stepwise: Steps, state: str, told: str
) -> None:
    model = DecidingModel([says("It is some 30 metres tall.")])
    failed = done(ToolCall("web_search", {"query": QUESTION}), f"{TROUBLE_WORDS[state]}. Go on.", failed=True)
    pieces = await replied(stepwise(model), [Message("user", QUESTION), *failed], (SEARCH, NEWS))
    assert called(pieces) == []
    assert text(pieces) == f"{fill_phrase(told, 'en')} {fill_phrase('from_model', 'en')}\n\nIt is some 30 metres tall."
    # Below the long system text of a talk a small model says amiss what it knows.
    assert [prompt for prompt, _ in model.sent] == [tuple(brief_prompt(QUESTION, ""))]


async def test_without_a_network_what_the_model_is_not_sure_of_is_not_said(stepwise: Steps) -> None:
    model = DecidingModel([[Text("It is 12 metres tall.", logs=(-1.2, -1.3, -0.9)), Done(USAGE)]])
    failed = done(ToolCall("web_search", {"query": QUESTION}), f"{TROUBLE_WORDS['unreachable']}. Go on.", failed=True)
    pieces = await replied(stepwise(model), [Message("user", QUESTION), *failed], (SEARCH, NEWS))
    assert text(pieces) == f"{fill_phrase('no_network', 'en')} {fill_phrase('nothing_found', 'en')}"


async def test_without_a_network_the_model_answers_where_the_library_only_seemed_to_have_it(stepwise: Steps) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return False

    model = DecidingModel([says("It is 8 metres."), says("It is some 30 metres tall.")], words=("yes",))
    failed = done(ToolCall("web_search", {"query": QUESTION}), f"{TROUBLE_WORDS['unreachable']}.", failed=True)
    asked = [Message("user", QUESTION), *failed, *found(FERRY, tool="search_vector_db")]
    said = text(await replied(stepwise(model, supports=supports), asked, (SEARCH, LIBRARY)))
    assert said == f"{fill_phrase('no_network', 'en')} {fill_phrase('from_model', 'en')}\n\nIt is some 30 metres tall."


async def test_what_the_library_only_seemed_to_have_is_looked_up_on_the_web(stepwise: Steps) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return False

    model = DecidingModel([says("It is 8 metres.")], words=("yes",))
    asked = [Message("user", QUESTION), *found(FERRY, tool="search_vector_db", query=QUESTION)]
    pieces = await replied(stepwise(model, supports=supports), asked, (SEARCH, LIBRARY))
    assert (text(pieces), called(pieces)) == ("", [ToolCall("web_search", {"query": QUESTION})])


async def test_of_two_questions_that_the_library_answers_neither_of_both_are_looked_up_on_the_web(
    stepwise: Steps,
) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return False

    questions = ["How tall is the tower of the Harrow light?", "How heavy is the bell of the Harrow light?"]
    message = "How tall is the tower of the Harrow light, and how heavy is the bell of the Harrow light?"
    model = DecidingModel([says("8 metres."), says("9 tons.")], words=("yes",), filled={"questions": questions})
    asked = [Message("user", message), *found(FERRY, tool="search_vector_db", query=message)]
    pieces = await replied(stepwise(model, supports=supports), asked, (SEARCH, LIBRARY))
    assert (text(pieces), called(pieces)) == ("", [ToolCall("web_search", {"query": one}) for one in questions])


async def test_a_text_that_came_earlier_does_not_keep_a_question_from_the_web(stepwise: Steps) -> None:
    note = fence_text("The garden club planted twelve apple trees in the spring.", "the file club.txt")
    messages = [Message("user", "Summarise this", note), Message("assistant", "They planted trees.")]
    model = DecidingModel([], words=("no",), filled={"query": "When does the Louvre open?"})
    pieces = await replied(stepwise(model), [*messages, Message("user", "When does the Louvre open?")], (SEARCH,))
    assert called(pieces) == [ToolCall("web_search", {"query": "When does the Louvre open?"})]


async def test_a_rework_of_the_last_answer_is_not_about_a_text_that_came_before_that(stepwise: Steps) -> None:
    note = fence_text("The garden club planted twelve apple trees in the spring.", "the file club.txt")
    poem = "Rain falls on the roof,\nand the street shines."
    asked = "Write a two-line poem about rain."
    messages = talked(note, "Summarise this", "They planted trees.", asked, poem, "Make it rhyme.")
    model = DecidingModel([says("Rain falls on the town,\nand never lets me down.")], words=("yes",))
    assert text(await replied(stepwise(model), messages, (SEARCH,))).startswith("Rain falls on the town")


async def test_a_text_stays_what_a_wish_is_about_while_the_answers_are_made_from_it(stepwise: Steps) -> None:
    note = fence_text(
        "Dear neighbours, the water is off on Thursday from nine to eleven. Mr Osei", "the file letter.txt"
    )
    about = ("What is this letter about?", "The water is off on Thursday.")
    when = ("From when to when?", "The water is off from nine to eleven.")
    messages = talked(note, *about, *when, "Write a friendly reply to the letter.")
    model = DecidingModel([says("Dear Mr Osei, thank you for the word.")], words=("yes",))
    assert text(await replied(stepwise(model), messages, (SEARCH,))) == "Dear Mr Osei, thank you for the word."
    # It is talked about, and not looked through for an answer.
    assert [prompt[0] for prompt, _ in model.sent] == chat_prefix("")
    assert "Dear neighbours" in model.sent[0][0][-1].content


@pytest.mark.parametrize(
    "question", ["What is @notice.txt about?", "Worum geht es in dem Brief?", "De quoi parle la lettre ?"]
)
async def test_what_a_text_is_about_it_is_read_for_as_a_whole(stepwise: Steps, question: str) -> None:
    note = fence_text("The water is off on Thursday from nine to eleven. Mr Osei", "the file notice.txt")
    model = DecidingModel([says("Thursday, 9, 11.")], words=("no",), filled={"english": "What is the letter about?"})
    await replied(stepwise(model), [Message("user", question, note=note)], (SEARCH,))
    assert "nine to eleven" in model.sent[0][0][-3].content
    assert model.sent[0][0][-1].content.startswith("Summarise")


async def test_what_is_remembered_answers_before_a_text_that_came_earlier(stepwise: Steps) -> None:
    async def facts() -> Sequence[str]:
        return ("My daughter's birthday is on 12 May.",)

    note = fence_text("The club meets on 3 June, a birthday of its founder's daughter.", "the file club.txt")
    messages = [Message("user", "Summarise this", note), Message("assistant", "The club meets.")]
    model = DecidingModel([says("On 12 May.")], words=("yes",), filled={"query": "", "start": ""})
    asked = [*messages, Message("user", "When is my daughter's birthday?")]
    assert text(await replied(stepwise(model, facts=facts), asked)) == "On 12 May."


async def test_what_is_remembered_of_the_user_the_program_lists(stepwise: Steps) -> None:
    async def facts() -> Sequence[str]:
        return ("I eat no meat", "My sister lives in Ghent")

    steps = stepwise(DecidingModel([]), facts=facts)
    said = text(await replied(steps, [Message("user", "What do you know about me?")]))
    assert said == f"{fill_phrase('known_about_you', 'en')}\n- I eat no meat\n- My sister lives in Ghent"


async def test_files_are_searched_where_the_message_says_so_and_for_what_it_asks(stepwise: Steps) -> None:
    own = Passage("To descale the kettle use vinegar.", "/kettle.md", "Kettle", "file", similarity=0.4)
    asked = "In my files: how do I write a loop in Python?"
    steps = stepwise(DecidingModel([]), look=looking(own))
    assert called(await replied(steps, [Message("user", asked)], (SEARCH, LIBRARY))) == [
        ToolCall("search_vector_db", {"query": "how do I write a loop in Python?", "files_only": True})
    ]


async def test_what_is_the_users_own_and_in_no_file_is_not_put_to_the_web(stepwise: Steps) -> None:
    question = "When does my gym contract end?"
    look = looking(Passage("Towels are required in the gym.", "/gym.md", "Gym rules", "file", similarity=0.4))
    # However sure a model is of it: what is the user's own it cannot know.
    steps = stepwise(DecidingModel([[Text("It ends in May.", logs=(-0.01,)), Done(USAGE)]], words=("no",)), look=look)
    assert [c.name for c in called(await replied(steps, [Message("user", question)]))] == ["search_vector_db"]
    asked = [Message("user", question), *found(FERRY, tool="search_vector_db", query=question)]
    pieces = await replied(steps, asked)
    assert (called(pieces), text(pieces)) == ([], fill_phrase("nothing_in_files", "en"))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("No, you must not drive for 48 hours.", "You must not drive for 48 hours."),
        (
            "Yes, you may drive home.",
            f"{fill_phrase('nothing_certain', 'en')} “You must not drive for 48 hours. Bring a list.”",
        ),
    ],
)
async def test_yes_or_no_of_an_attached_text_is_said_where_that_bears_it_out(
    stepwise: Steps, written: str, said: str
) -> None:
    letter = fence_text("You must not drive for 48 hours. Bring a list.", "the file letter.txt")
    model = DecidingModel([says(written)], words=("yes", "no"))
    asked = [Message("user", "May I drive home afterwards?", note=letter)]
    answer = text(await replied(stepwise(model), asked, (SEARCH,)))
    assert answer == said


LEASE = fence_text("From January on the rent is 612 euros a month. The lift is not working.", "the file lease.txt")


@pytest.mark.parametrize(("sure", "looks_up"), [("yes", False), ("no", True)])
async def test_a_question_after_an_attached_text_is_asked_of_that_text_before_it_is_looked_up(
    stepwise: Steps, sure: str, looks_up: bool
) -> None:
    before = [Message("user", "What is this about?", LEASE), Message("assistant", "It is about the rent.")]
    asked = Message("user", "How much is the rent from January on?")
    model = DecidingModel([says("612 euros a month.")], words=(sure,))
    reply = await replied(stepwise(model), [*before, asked], (SEARCH,))
    assert [call.name for call in called(reply)] == (["web_search"] if looks_up else [])
    assert looks_up or "612" in text(reply)


async def test_who_says_where_to_look_after_an_attached_text_is_obeyed(stepwise: Steps) -> None:
    before = [Message("user", "What is this about?", LEASE), Message("assistant", "It is about the rent.")]
    asked = Message("user", "Search the web for how much the rent is from January on.")
    reply = await replied(stepwise(DecidingModel([says("612 euros.")], words=("yes",))), [*before, asked], (SEARCH,))
    assert [call.name for call in called(reply)] == ["web_search"]


async def test_two_things_that_are_asked_of_an_attached_text_are_both_answered(stepwise: Steps) -> None:
    letter = fence_text("Bring a lamp and a rope. Please answer by Friday.", "the file walk.txt")
    question = "Which things do I bring, and by when do I have to answer?"
    parts = ["Which things do I bring?", "By when do I have to answer?"]
    model = DecidingModel([says("A lamp and a rope."), says("By Friday.")], words=("yes",), filled={"questions": parts})
    said = text(await replied(stepwise(model), [Message("user", question, letter)], (SEARCH,)))
    assert said == "A lamp and a rope.\nBy Friday.\n"


@pytest.mark.parametrize(
    ("page", "number"),
    [
        (("Ada Brook looks after the ponies. The price is 74 euros.",), 1),
        (("Ada Brook looks after the ponies.", "The price is 74 euros."), 2),
    ],
)
async def test_a_part_that_nothing_of_its_own_answers_is_read_in_the_page_that_answered_the_part_before(
    stepwise: Steps, page: Sequence[str], number: int
) -> None:
    class Choosing(DecidingModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            self.words = ("yes",) if "Who looks" in messages[-1].content else ("yes", "no")
            return await super().weigh_words(messages, words)

    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return all(sentence.split()[-1] in source.passage.text for source in sources)

    care = [Passage(said, "/ponies.md", "Ponies", "file", place) for place, said in enumerate(page)]
    parts = ["Who looks after the ponies?", "What does it cost a week?"]
    model = Choosing([says("It is Ada Brook"), says("It costs 74 euros")], filled={"questions": parts})
    asked = Message("user", "In my files: who looks after the ponies, and what does it cost a week?")
    reply = await replied(
        stepwise(model, supports=supports), [asked, *found(*care, FERRY, tool="search_vector_db")], (SEARCH, LIBRARY)
    )
    assert text(reply) == f"It is Ada Brook [1]\nIt costs 74 euros [{number}]\n"


async def test_what_the_calendar_cannot_work_out_is_looked_up(stepwise: Steps) -> None:
    async def compute(name: str, arguments: dict[str, Any]) -> str:
        return ""

    question = "Which trains are cancelled on 12 December?"
    date = ToolSchema("date_and_time", "Date.", {})
    steps = stepwise(DecidingModel([], filled={"start": ""}), compute=compute)
    assert called(await replied(steps, [Message("user", question)], (SEARCH, date))) == [
        ToolCall("web_search", {"query": question})
    ]


async def test_a_tool_without_training_messages_is_chosen_by_its_description(stepwise: Steps) -> None:
    model = DecidingModel([], words=("answer",), filled={"amount": 250})
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    money = ToolSchema("convert_currency", "Convert dollars into euros", schema)
    reply = await replied(stepwise(model), [Message("user", "convert dollars into euros")], (*TOOLS, money))
    assert called(reply) == [ToolCall("convert_currency", {"amount": 250})]


async def test_what_a_tool_without_passages_said_is_read(stepwise: Steps) -> None:
    model = DecidingModel([says("214 euros.")], words=("yes",))
    messages = [Message("user", "250 dollars in euros"), *done(ToolCall("convert_currency", {"amount": 250}), "214")]
    assert text(await replied(stepwise(model), messages)) == "214 euros."
    assert fence_text("214") in model.sent[0][0][-3].content


async def test_another_maker_is_not_named(stepwise: Steps) -> None:
    model = DecidingModel([says("I am Claude, created by Anthropic.")])
    said = text(await replied(stepwise(model), [Message("user", "Write a poem about yourself.")]))
    assert said == fill_phrase("who_i_am", "en", model="qwen2.5-coder-1.5b")


async def test_a_painter_with_the_first_name_of_a_model_may_be_named(stepwise: Steps) -> None:
    said = "Claude Monet painted it, and Jean-Claude Renou framed it."
    assert (
        text(await replied(stepwise(DecidingModel([says(said)])), [Message("user", "Write a rhyme about it.")])) == said
    )


class ServedModel(DecidingModel):
    """One that its server calls by its file."""

    async def describe(self) -> ModelInfo:
        return ModelInfo("openai:/srv/models/qwen2.5-coder-1.5b.gguf", "openai", self.window)


async def test_magpie_tells_its_model_by_the_name_that_the_user_is_shown(stepwise: Steps) -> None:
    for said, asked in (
        (says("I am Claude, created by Anthropic."), "Write a poem about yourself."),
        (says(), "Who are you?"),
    ):
        model = ServedModel([said])
        told = text(await replied(stepwise(model), [Message("user", asked)]))
        assert "/srv" not in told and "the model openai:qwen2.5-coder-1.5b answers here" in told


async def test_what_magpie_is_and_can_do_the_program_says_in_the_users_language(stepwise: Steps) -> None:
    steps = stepwise(DecidingModel([], filled={"english": "What can you do?"}))
    assert text(await replied(steps, [Message("user", "Was kannst du alles?")])) == fill_phrase("what_i_can_do", "de")


async def test_a_date_that_the_user_told_is_not_worked_out(stepwise: Steps) -> None:
    async def facts() -> Sequence[str]:
        return ("My daughter's birthday is on 12 May.",)

    model = DecidingModel([says("On 12 May.")], words=("yes", "yes"), filled={"start": "now"})
    steps = stepwise(model, facts=facts, compute=lambda *_: pytest.fail("worked out"))
    asked = [Message("user", "When is my daughter's birthday?")]
    assert text(await replied(steps, asked, (*TOOLS, ToolSchema("date_and_time", "Dates.", {})))) == "On 12 May."


async def test_the_fixed_beginnings_are_read_ahead(stepwise: Steps) -> None:
    model = DecidingModel([])
    await stepwise(model).warm_up([])
    assert model.warmed == [chat_prefix("")[0].content, *(load_prompt(name).system for name in WARMED)]


async def test_what_a_user_tells_of_their_life_is_replied_to_below_examples_of_such_replies(stepwise: Steps) -> None:
    statement = "My cousin Ana runs a bakery in Lisbon."
    model = DecidingModel([says("How nice! Have you tried her bread?")], words=("no",))
    assert text(await replied(stepwise(model), [Message("user", statement)])) == "How nice! Have you tried her bread?"
    assert [prompt for prompt, _ in model.sent] == [tuple(told_prompt(statement, ""))]


async def test_what_is_remembered_and_near_to_the_message_is_told_with_it(stepwise: Steps) -> None:
    async def facts() -> Sequence[str]:
        return ("I eat no meat", "My sister lives in Ghent")

    model = DecidingModel([says("Lentils.")], words=("no",))
    await replied(stepwise(model, facts=facts), [Message("user", "what do I eat no meat")])
    told = model.sent[0][0][-1].content
    assert "I eat no meat" in told and "Ghent" not in told


async def test_what_was_told_of_oneself_is_told_with_a_wish_for_words_of_ones_own(stepwise: Steps) -> None:
    before = [Message("user", "I am called Odile and bake bread."), Message("assistant", "Nice.")]
    before += [Message("user", "Write me a poem on herons."), Message("assistant", "Grey bird.")]
    for wish, told in (
        ("Write a line with my name for the neighbours.", True),
        ("Write a line of greeting for my neighbour Ida.", False),
    ):
        model = DecidingModel([says("Hello.")], words=("no",))
        await replied(stepwise(model), [*before, Message("user", wish)])
        last = model.sent[0][0][-1].content
        assert ("called Odile" in last) is told and "poem on herons" not in last


async def test_the_summary_is_read_like_a_turn(stepwise: Steps) -> None:
    model = DecidingModel([says("Ghent.")])
    carried = summary_turn(Compaction("Odile lives in Ghent.", 4, 0, 0), [])
    asked = Message("user", "hello", note="(From earlier in this conversation:)\n- User: Ghent")
    await replied(stepwise(model), [Message("system", "long"), *carried, asked])
    assert [message.content for message in model.sent[0][0][1:]] == [
        *(message.content for message in carried),
        "(From earlier in this conversation:)\n- User: Ghent\n\nhello",
    ]


async def test_what_was_worked_out_is_told_as_it_is_or_as_the_model_words_it_with_its_figures(stepwise: Steps) -> None:
    worked_out = "From 09:40 until 13:05: 3 hours and 25 minutes."

    async def compute(name: str, arguments: dict[str, Any]) -> str:
        return worked_out

    tool, filled = ToolSchema("date_and_time", "Dates.", {}), {"start": "9:40", "until": "13:05"}

    async def told(question: str, answer: str) -> str:
        steps = stepwise(DecidingModel([says(answer)], filled=filled), compute=compute)
        return text(await replied(steps, [Message("user", question)], (tool,)))

    assert await told("from 9:40 to 13:05, how long is that?", "It is 5 hours.") == worked_out
    german = "Von 9:40 bis 13:05, wie lange ist das?"
    assert await told(german, "Das sind 5 Stunden und 40 Minuten.") == worked_out
    assert await told(german, "Das sind 9:40 bis 13:05 Uhr.") == worked_out
    assert await told(german, "Das sind 3 Stunden und 25 Minuten.") == "Das sind 3 Stunden und 25 Minuten."


async def test_a_comparison_is_searched_for_side_by_side_and_both_sides_are_answered(stepwise: Steps) -> None:
    asked = Message("user", "Which is taller, the tower of the Harrow light or the tower of Brill?")
    model = DecidingModel([], filled={"questions": [QUESTION, "How tall is the tower of Brill?"]})
    queries = [call.arguments["query"] for call in called(await replied(stepwise(model), [asked], (SEARCH,)))]
    assert queries == [QUESTION, "How tall is the tower of Brill?"]

    brill = Passage("The tower of Brill is 44 metres tall.", "https://brill.test", "Brill", "web")
    model = DecidingModel(
        [says("It is 31 metres tall."), says("It is 44 metres tall.")], filled=model.filled, words=("yes", "yes")
    )
    said = text(await replied(stepwise(model), [asked, *found(FERRY, TOWER, brill)]))
    answered = "It is 31 metres tall. [2]\nIt is 44 metres tall. [3]\nBrill: 44 metres − 31 metres = 13 metres\n"
    assert said == answered

    # What asks for the difference is worked out, and nothing is read for it.
    questions = [
        *model.filled["questions"],
        "By how much is the tower of Brill taller than the tower of the Harrow light?",
    ]
    answers = [says("It is 31 metres tall."), says("It is 44 metres tall.")]
    model = DecidingModel(answers, filled={"questions": questions}, words=("yes", "yes"))
    assert text(await replied(stepwise(model), [asked, *found(FERRY, TOWER, brill)])) == answered


async def test_a_question_that_is_not_about_the_users_files_goes_on_to_the_web(stepwise: Steps) -> None:
    """Whatever lies in the library: it says what is there, and not what is asked for."""
    steps = stepwise(DecidingModel([], words=("no", "no")), look=looking(FERRY, TOWER))
    asked = [Message("user", "What does the Zorvex S4 kettle weigh?"), *found(FERRY, tool="search_vector_db")]
    assert "web_search" in [call.name for call in called(await replied(steps, asked))]
    mine = [
        Message("user", "In my files: when is the appointment for the winter tyres?"),
        *found(FERRY, tool="search_vector_db"),
    ]
    assert "web_search" not in [call.name for call in called(await replied(steps, mine))]


async def test_attached_code_is_talked_about_as_a_whole(stepwise: Steps) -> None:
    code = "def average(marks):\n    return sum(marks) / len(marks)"
    asked = Message("user", "What is wrong with this function?", note=fence_text(code, "the file average.py"))
    model = DecidingModel([says("It divides by zero.")])
    assert text(await replied(stepwise(model), [asked])) == "It divides by zero."
    assert code in model.sent[0][0][-1].content


async def test_a_question_that_the_model_put_wrong_is_read_in_the_users_own_words_on_the_page_read_before(
    stepwise: Steps,
) -> None:
    steps = Passage("A stair of 173 steps leads up to the gallery.", "https://harrow.test", "Harrow Lighthouse", "web")
    tall = Passage("It is 38 metres high, and white.", "https://harrow.test", "Harrow Lighthouse", "web", 1)
    other = Passage("The stair of the tower hall is 9 metres tall.", "https://hall.test", "Tower hall", "web")
    asked = "How many steps does the stair of Harrow Lighthouse have?"
    before = [Message("user", asked), *found(steps, query=asked), Message("assistant", "It has 173 steps [1].")]
    wrong = "And how tall is the stair of Harrow Lighthouse?"
    model = ReadingModel([says("It is 38 metres high.")], filled={"query": wrong}, holds="tall is it?")
    messages = [*before, Message("user", "And how tall is it?"), *found(other, tall, query=wrong)]
    assert text(await replied(stepwise(model), messages, (SEARCH,))) == "It is 38 metres high. [2]"
    assert "And how tall is it? (Harrow Lighthouse)" in model.sent[0][0][-3].content


async def test_where_nothing_bears_out_the_answer_to_the_models_wording_the_users_own_is_asked(stepwise: Steps) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return "January" in sentence

    steps = Passage("A stair of 173 steps leads up to the gallery.", "https://harrow.test", "Harrow Lighthouse", "web")
    shut = Passage("It is shut in January. Students pay £5.", "https://harrow.test", "Harrow Lighthouse", "web", 1)
    asked = "How much do students pay at Harrow Lighthouse?"
    before = [Message("user", asked), *found(steps, shut, query=asked), Message("assistant", "Students pay £5 [2].")]
    wrong = "When is Harrow Lighthouse shut for students?"
    model = DecidingModel(
        [says("For students it is shut from 3 May 2026 to 9 May 2026."), says("It is shut in January.")],
        filled={"query": wrong},
    )
    messages = [*before, Message("user", "And when is it shut?"), *found(shut, query=wrong)]
    assert text(await replied(stepwise(model, supports=supports), messages, (SEARCH,))) == "It is shut in January. [1]"
    assert "And when is it shut? (Harrow Lighthouse)" in model.sent[-1][0][-3].content


async def test_what_asks_nothing_by_itself_is_not_asked_by_itself(stepwise: Steps) -> None:
    async def supports(sentence: str, sources: Sequence[Source], question: str) -> bool:
        return "full moon" in sentence

    boats = Passage(
        "The last boat to Harrow leaves at 16:45 on weekdays.", "https://harrow.test", "Harrow boats", "web"
    )
    moon = Passage("During the week of the full moon boats go later.", "https://harrow.test", "Harrow boats", "web", 1)
    asked = "When does the last boat to Harrow leave on Sundays?"
    before = [Message("user", asked), *found(boats, moon, query=asked), Message("assistant", "At 17:15 [1].")]
    wording = "When does the last boat to Harrow leave during the week?"
    model = DecidingModel([says("It leaves at 12:30."), says("At full moon.")], filled={"query": wording})
    messages = [*before, Message("user", "And during the week?"), *found(boats, moon, query=wording)]
    said = text(await replied(stepwise(model, supports=supports), messages, (SEARCH,)))
    assert said == f"“{boats.text}” [1]"


async def test_the_next_passage_is_read_where_the_nearest_says_nothing_of_it(stepwise: Steps) -> None:
    built = Passage("The Harrow light was lit first in 1871.", "https://built.test", "History of the coast", "web")
    near = Passage("Since when the Harrow light has been lit nobody knows.", "https://harrow.test", "Harrow", "web")
    model = ReadingModel([says("It was lit first in 1871.")], holds="1871")
    messages = [Message("user", "Since when has the Harrow light been lit?"), *found(near, built)]
    assert text(await replied(stepwise(model), messages, (SEARCH,))) == "It was lit first in 1871. [2]"


async def test_what_goes_on_from_a_text_is_no_question_for_the_calendar(stepwise: Steps) -> None:
    letter = fence_text(
        "They come on Thursday. If you are out, leave the key with the caretaker.", "the file letter.txt"
    )
    messages = [
        Message("user", "On which day do they come?", letter),
        Message("assistant", "On Thursday."),
        Message("user", "I will be at work on that day. What can I do then?"),
    ]
    date = ToolSchema("date_and_time", "Date.", {})
    model = DecidingModel([says("Leave the key with the caretaker.")], words=("yes",), filled={"start": "now"})
    assert text(await replied(stepwise(model), messages, (SEARCH, date))) == "Leave the key with the caretaker."


async def test_the_web_is_asked_where_the_message_says_so(stepwise: Steps) -> None:
    own = Passage("Plan M of Wren Mobile costs £13.50 a month.", "/phone.md", "My phone", "file", similarity=0.8)
    asked = "And on the web: what does plan M of Wren Mobile cost a month?"
    pieces = await replied(stepwise(DecidingModel([]), look=looking(own)), [Message("user", asked)], (SEARCH, LIBRARY))
    assert called(pieces)[-1].name == "web_search"


LAMP_ROWS = ("Lamp | Price | Light", "---|---|---", "Alba | £24 | 400 lm", "Boro | £39 | 900 lm", "Cima | £31 | 800 lm")
LAMPS = "\n".join(f"| {row} |" for row in LAMP_ROWS)
WANTED = "Of the lamps in that test, which costs at most 35 pounds and gives 700 lm or more?"
FITTING = "- Cima ✓ – Price: £31, Light: 800 lm{0}\n- Alba ✗ – Light: 400 lm{0}\n- Boro ✗ – Price: £39{0}"


async def test_what_keeps_to_conditions_is_read_off_a_table_that_was_found(stepwise: Steps) -> None:
    model, test = DecidingModel([]), Passage(LAMPS, "https://lamps.test", "Desk lamps", "web")
    assert text(await replied(stepwise(model), [Message("user", WANTED), *found(test)])) == FITTING.format(" [1]")
    assert model.sent == []


async def test_it_is_read_off_a_table_that_came_with_the_message(stepwise: Steps) -> None:
    came = Source(2, Passage(LAMPS, "lamps.md", "lamps.md", "file"))
    asked = Message("user", WANTED, note=fence_text(LAMPS, "the file lamps.md"), sources=(came,))
    assert text(await replied(stepwise(DecidingModel([])), [asked])) == FITTING.format(" [2]")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("The brightest is Boro.", "The brightest is Boro. (Light: 900 lm) [1]"),
        ("Boro gives 900 lm.", "Boro gives 900 lm. [1]"),
    ],
)
async def test_what_makes_a_row_the_one_with_the_most_is_told_with_it(
    stepwise: Steps, written: str, shown: str
) -> None:
    test = Passage(LAMPS, "https://lamps.test", "Desk lamps", "web")
    asked = [Message("user", "Which of the desk lamps has the most light?"), *found(test)]
    assert text(await replied(stepwise(DecidingModel([says(written)])), asked)) == shown


BAND_WON = Passage("The Harrow Band has won the finals in Westering.", "https://band.test", "Harrow Band", "web")
BAND_LED = Passage(
    "The conductor, Ada Brook, had them rehearse in the dark.", "https://band.test", "Harrow Band", "web", 1
)


async def test_what_the_model_takes_for_the_answer_is_read_and_not_what_is_most_like_the_question(
    stepwise: Steps,
) -> None:
    model = ReadingModel([says("Ada Brook conducts the Harrow Band.")], holds="Ada Brook", chooses="conductor")
    messages = [Message("user", "Who conducts the Harrow Band?"), *found(BAND_WON, BAND_LED)]
    assert text(await replied(stepwise(model), messages, (SEARCH,))) == "Ada Brook conducts the Harrow Band. [2]"


async def test_one_sentence_that_says_both_things_that_are_asked_is_told_once(stepwise: Steps) -> None:
    keys = Passage("Keys for the new flat: 8 May, 16:00, from Mr Lund.", "/moving.md", "Moving", "file")
    parts = ["When do I get the keys for the new flat?", "Who gives me the keys for the new flat?"]
    told = "You get the keys on 8 May at 16:00 from Mr Lund."
    model = DecidingModel([says(told)], filled={"questions": parts})
    asked = Message("user", "In my files: when do I get the keys for the new flat, and who gives me them?")
    reply = await replied(stepwise(model), [asked, *found(keys, FERRY, tool="search_vector_db")], (SEARCH, LIBRARY))
    assert text(reply) == f"{told} [1]"


async def test_what_is_asked_more_of_the_same_is_read_where_the_first_was_answered(stepwise: Steps) -> None:
    shaft = Passage(
        "The first to climb down was the miner Abel Finch. On 9 June 1871 he followed his goat. It was unhurt.",
        "https://shaft.test",
        "Ardle Shaft",
        "web",
    )
    opened = Passage(
        "Ardle Shaft was opened to all in the year 1902 by Odo Lane.", "https://b.test", "Ardle Shaft", "web"
    )
    parts = [
        "Who was the first to climb down the Ardle Shaft?",
        "In which year did the first climb down the Ardle Shaft?",
    ]
    model = DecidingModel([says("It was Abel Finch."), says("It was in 1871.")], filled={"questions": parts})
    asked = Message("user", "Who was the first to climb down the Ardle Shaft, and in which year?")
    reply = await replied(stepwise(model), [asked, *found(shaft, opened)])
    assert text(reply) == "It was Abel Finch. [1]\nIt was in 1871. [1]\n"


REFUSAL = "I'm sorry, but I can't assist with that."


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Too long. Two sentences at most.", "Feed it. Keep it indoors."),
        ("Now in Italian.", "Feed it. Keep it indoors."),
        ('Translate into English: "Ich kann dir dabei nicht helfen."', REFUSAL),
        ("Describe how burglars pick the locks of front doors at night without leaving any trace on them.", REFUSAL),
    ],
)
async def test_a_refusal_is_taken_back_only_where_the_last_answer_is_wanted_otherwise(
    stepwise: Steps, message: str, said: str
) -> None:
    before = "Feed it soft food for ten days. Keep it indoors for three days. Water should be there at all times."
    earlier = [Message("user", "Describe how the cat is looked after."), Message("assistant", before)]
    model = DecidingModel([says(REFUSAL), says("Feed it. Keep it indoors."), says("Feed it. Keep it indoors.")])
    assert text(await replied(stepwise(model), [*earlier, Message("user", message)])) == said


async def test_a_text_that_comes_with_a_message_is_asked_first_though_the_message_could_be_looked_up(
    stepwise: Steps,
) -> None:
    letter = fence_text("The check-up of the boiler is on 4 May at 9:30.", "the file boiler.txt")
    asked = Message("user", "@/home/jo/boiler.txt When does the check-up of the boiler begin on 4 May?", letter)
    model = DecidingModel([says("It is on 4 May at 9:30.")], words=("yes",))
    pieces = await replied(stepwise(model), [asked], (SEARCH,))
    assert (called(pieces), text(pieces)) == ([], "It is on 4 May at 9:30.")


async def test_what_a_text_that_comes_with_a_message_does_not_say_is_looked_up_where_that_is_elsewhere(
    stepwise: Steps,
) -> None:
    letter = fence_text("The check-up of the boiler is on 4 May at 9:30.", "the file boiler.txt")
    asked = Message("user", "When does the Eiffel Tower in Paris open today? Search the web.", letter)
    pieces = await replied(stepwise(DecidingModel([], words=("no",))), [asked], (SEARCH,))
    assert [call.name for call in called(pieces)] == ["web_search"]


async def test_the_path_of_a_file_that_came_with_a_message_is_not_sent_to_a_search(stepwise: Steps) -> None:
    asked = Message(
        "user", "@/home/jo/secret/plan.txt When does the Eiffel Tower in Paris open today?", fence_text("x", "y")
    )
    pieces = await replied(stepwise(DecidingModel([], words=("no",))), [asked], (SEARCH,))
    assert called(pieces)[0].arguments == {"query": "When does the Eiffel Tower in Paris open today?"}
