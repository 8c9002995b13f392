from collections.abc import Sequence

from chatbot.conversation import Compaction
from chatbot.fence import fenced
from chatbot.messages import Message, Source, ToolCall
from chatbot.models.base import Call, Done, Piece, Text, Usage
from chatbot.models.fewshot import load_prompt
from chatbot.models.pipeline.model import Stepwise
from chatbot.models.pipeline.tool_choice import LibraryLook
from chatbot.substitutes import summarised
from rag.documents import Passage
from tests.fakes.deciding import DecidingModel
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import USAGE, says
from tools.base import ToolSchema

QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
URL = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
SEARCH = ToolSchema("web_search", "Search the web.", QUERY)
LIBRARY = ToolSchema("search_vector_db", "Search the library.", QUERY)
OPEN = ToolSchema("fetch_url_content", "Read a page.", URL)
TOOLS = (SEARCH, LIBRARY, OPEN)
QUESTION = "How tall is the tower of the Harrow light?"
TOWER = Passage("The tower of the Harrow light is 31 metres tall.", "https://harrow.test", "Harrow", "web")
FERRY = Passage("A ferry leaves twice a day.", "https://ferry.test", "Ferry", "web")


def stepwise(model: DecidingModel, look: LibraryLook | None = None) -> Stepwise:
    async def seen(question: str) -> LibraryLook:
        return look or LibraryLook()

    return Stepwise(model, WordEmbedder(dimensions=384), seen)


async def pieces(steps: Stepwise, messages: Sequence[Message], tools: Sequence[ToolSchema] = TOOLS) -> list[Piece]:
    return [piece async for piece in steps.reply(messages, tools)]


def found(*passages: Passage, tool: str = "web_search", query: str = "harrow") -> list[Message]:
    """A turn whose search has brought these passages."""
    call = ToolCall(tool, {"query": query}, "call_1")
    sources = tuple(Source(number, passage) for number, passage in enumerate(passages, 1))
    return [
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "", tool_name=tool, call_id="call_1", sources=sources),
    ]


async def test_a_search_is_called_with_a_query_of_one_line() -> None:
    model = DecidingModel([says('"Harrow light height"\nand more')], words=("search",))
    assert await pieces(stepwise(model), [Message("user", QUESTION)]) == [
        Call(ToolCall("web_search", {"query": "Harrow light height"})),
        Done(Usage()),
    ]


async def test_an_answer_is_streamed_without_tools() -> None:
    model = DecidingModel([says("Hello", " there.")], words=("answer",))
    assert await pieces(stepwise(model), [Message("system", "long"), Message("user", "hi", note="(Sunday)")]) == [
        Text("Hello"),
        Text(" there."),
        Done(USAGE, as_given=False),
    ]
    assert model.sent == [((*load_prompt("answer").prefix, Message("user", "(Sunday)\n\nhi")), ())]


async def test_the_number_of_the_passage_is_put_behind_the_answer() -> None:
    model = DecidingModel([says("It is 31", " metres tall. \n")], words=("yes",))
    messages = [Message("user", QUESTION), *found(FERRY, TOWER)]
    assert await pieces(stepwise(model), messages) == [
        Text("It is 31"),
        Text(" metres tall."),
        Text(" [2]"),
        Done(USAGE, as_given=False),
    ]
    assert model.sent[0][0][-1].content == load_prompt("answer").fill(
        passage=fenced(f"Harrow: {TOWER.text}"), question=QUESTION
    )


async def test_what_was_sent_for_a_turn_is_the_beginning_of_the_next_prompt() -> None:
    model = DecidingModel([says("31 metres."), says("You are welcome.")], words=("answer", "yes"))
    steps = stepwise(model)
    first = [Message("user", QUESTION, note="(Sunday)"), *found(FERRY, TOWER)]
    answer = "".join(piece.delta for piece in await pieces(steps, first) if isinstance(piece, Text))
    await pieces(stepwise(model), [*first, Message("assistant", answer), Message("user", "thanks")])
    before, after = model.sent[0][0], model.sent[1][0]
    assert after == (*before, Message("assistant", "31 metres."), Message("user", "thanks"))


async def test_a_hit_in_the_library_is_looked_up_beside_what_was_decided() -> None:
    model = DecidingModel([says("Harrow light")], words=("search",))
    look = LibraryLook(("Harrow",), (Passage(TOWER.text, "/harrow.md", "Harrow", "file", similarity=0.9),))
    assert await pieces(stepwise(model, look), [Message("user", QUESTION)]) == [
        Call(ToolCall("search_vector_db", {"query": QUESTION})),
        Call(ToolCall("web_search", {"query": "Harrow light"})),
        Done(Usage()),
    ]


async def test_a_page_is_opened_only_at_an_address_that_the_chat_holds() -> None:
    model = DecidingModel([says("query")], words=("open",))
    asked = [Message("user", "what does harrow.test/light say about the tower?")]
    assert await pieces(stepwise(model), asked) == [
        Call(ToolCall("fetch_url_content", {"url": "https://harrow.test/light"})),
        Done(Usage()),
    ]
    without = await pieces(stepwise(model), [Message("user", "what does that page say about the tower?")], (OPEN,))
    assert [piece for piece in without if isinstance(piece, Call)] == []


async def test_an_earlier_address_is_chosen_from_those_that_there_are() -> None:
    model = DecidingModel([], words=("open",), filled={"url": "https://ferry.test"})
    messages = [Message("user", "ferries?"), *found(TOWER, FERRY), Message("assistant", "Two.")]
    reply = await pieces(stepwise(model), [*messages, Message("user", "open the second one")], (OPEN,))
    assert reply == [Call(ToolCall("fetch_url_content", {"url": "https://ferry.test"})), Done(Usage())]


async def test_without_evidence_the_search_is_worded_anew_once_and_then_nothing_was_found() -> None:
    model = DecidingModel([says("I found nothing.")], words=("search",), filled={"query": "Harrow tower metres"})
    asked = [Message("user", QUESTION), *found(FERRY)]
    assert await pieces(stepwise(model), asked, (SEARCH,)) == [
        Call(ToolCall("web_search", {"query": "Harrow tower metres"})),
        Done(Usage()),
    ]
    again = [*asked, *found(query="Harrow tower metres")]
    assert await pieces(stepwise(model), again, (SEARCH,)) == [Text("I found nothing."), Done(Usage())]


async def test_a_tool_without_training_questions_is_chosen_by_its_description() -> None:
    model = DecidingModel([], words=("answer",), filled={"amount": 250})
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    money = ToolSchema("convert_currency", "Convert dollars into euros", schema)
    reply = await pieces(stepwise(model), [Message("user", "convert 250 dollars into euros")], (*TOOLS, money))
    assert reply == [Call(ToolCall("convert_currency", {"amount": 250})), Done(Usage())]


async def test_what_a_tool_without_passages_said_is_read() -> None:
    model = DecidingModel([says("214 euros.")])
    call = ToolCall("convert_currency", {"amount": 250}, "call_1")
    messages = [
        Message("user", "250 dollars in euros"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "214.10", tool_name="convert_currency", call_id="call_1"),
    ]
    assert await pieces(stepwise(model), messages) == [Text("214 euros."), Done(USAGE, as_given=False)]
    assert model.sent[0][0][-1].content == load_prompt("answer").fill(
        passage=fenced("214.10"), question="250 dollars in euros"
    )


async def test_a_comparison_is_answered_from_several_passages() -> None:
    model = DecidingModel([says("The Harrow light is taller.")], words=("yes",))
    one = Passage("Harrow light was built tall on rock.", "https://harrow.test", "", "web")
    two = Passage("Ferry point lamp stands low on sand.", "https://ferry.test", "", "web")
    asked = "Harrow light was tall on rock or Ferry point lamp stands on sand"
    reply = await pieces(stepwise(model), [Message("user", asked), *found(one, FERRY, two)])
    assert reply[1] in (Text(" [1] [3]"), Text(" [3] [1]"))


async def test_a_document_named_as_a_whole_is_read_from_its_beginning() -> None:
    model = DecidingModel([says("A lease.")], words=("yes",))
    parts = ("The tenant pays on Mondays.", "Pets need consent.")
    lease = [Passage(text, "/lease.pdf", "summarise my lease", "file", index) for index, text in enumerate(parts)]
    messages = [Message("user", "summarise my lease"), *found(*reversed(lease), tool="search_vector_db")]
    assert await pieces(stepwise(model), messages) == [Text("A lease."), Text(" [2] [1]"), Done(USAGE, as_given=False)]


async def test_the_fixed_beginnings_are_read_ahead() -> None:
    model = DecidingModel([])
    await stepwise(model).warm_up([])
    assert model.warmed == [load_prompt(name).system for name in ("decide", "answer", "query", "check")]


async def test_what_is_remembered_stands_before_the_first_question_and_behind_what_is_kept_on_disk() -> None:
    model = DecidingModel([says("Hi."), says("Yes.")], words=("answer",))
    steps = Stepwise(model, WordEmbedder(dimensions=384), memory=lambda: "Remember:\n- I am Anna")
    first = Message("user", "Remember:\n- I am Anna\n\nhi")
    await pieces(steps, [Message("user", "hi")])
    await pieces(steps, [Message("user", "hi"), Message("assistant", "Hi."), Message("user", "and?")])
    prefix = load_prompt("answer").prefix
    assert [messages[len(prefix) :] for messages, _ in model.sent] == [
        (first,),
        (first, Message("assistant", "Hi."), Message("user", "and?")),
    ]


async def test_tools_that_act_on_a_wish_are_not_decided_for() -> None:
    model = DecidingModel([says("Hi.")], words=("answer",))
    wish = ToolSchema("set_reminder", "Remind the user of something at a time.", QUERY)
    asked = [Message("user", "Remind the user of something at a time.")]
    assert await pieces(stepwise(model), asked, [wish]) == [Text("Hi."), Done(USAGE, as_given=False)]


async def test_the_summary_and_pinned_turns_are_read_like_turns() -> None:
    model = DecidingModel([says("Ghent.")], words=("answer",))
    pinned = [Message("user", "Keep this."), Message("assistant", "Kept.")]
    carried = [*summarised(Compaction("Odile lives in Ghent.", 4, 0, 0), []), *pinned]
    asked = Message("user", "Where does Odile live?", note="(From earlier: Ghent.)")
    await pieces(stepwise(model), [Message("system", "long"), *carried, asked])
    prefix = load_prompt("answer").prefix
    assert [message.content for message in model.sent[0][0][len(prefix) :]] == [
        *(message.content for message in carried),
        "(From earlier: Ghent.)\n\nWhere does Odile live?",
    ]
