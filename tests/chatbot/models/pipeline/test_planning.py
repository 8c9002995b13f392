"""What comes next, by what was attached and looked up before."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.base import Done, Text, WordShares
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import Intent
from chatbot.models.pipeline.decision.router import ANSWER, TEXT
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.knowing import Knowledge
from chatbot.models.pipeline.planning import Planner
from chatbot.models.pipeline.plans import Plan, Situation
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.prompts.phrases import fill_phrase
from tests.fakes.deciding import DecidingModel
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import USAGE
from tools.base import ToolSchema
from utils.fence import fence_text

LETTER = Message("user", "What does it ask for?", note=fence_text("Please pay by Friday.", "the file letter.txt"))
ANSWERED = Message("assistant", "It asks you to pay.")
LOOKED_UP = (
    Message("user", "When does the castle open?"),
    Message("assistant", "", tool_calls=(ToolCall("web_search", {"query": "When does the castle open?"}, "call_1"),)),
    Message("tool", "At ten.", tool_name="web_search", call_id="call_1"),
    Message("assistant", "At ten."),
)
QUESTION = "Is it open on Mondays?"
NOT_IN_TEXT = "The attached text does not say that."


SEARCH = ToolSchema("web_search", "Search.", {"type": "object", "properties": {"query": {"type": "string"}}})


async def plan_for(model: DecidingModel, decision: Decision, *messages: Message) -> Plan:
    """The first plan for the last of some messages."""
    planner = Planner(model, EvidenceFinder(WordEmbedder(dimensions=384)), None, Knowledge(model, str))
    asked = messages[-1].content
    return await planner.plan_first(Situation(read_turns(messages), [SEARCH], Intent(asked, decision, "en", (asked,))))


async def first_plan(*before: Message) -> Plan:
    decision = Decision({TEXT: 0.9, ANSWER: 0.1}, going_on=0.9)
    return await plan_for(DecidingModel([], words=("no",)), decision, *before, Message("user", QUESTION))


async def test_what_goes_on_from_a_text_and_is_not_in_it_is_said_so() -> None:
    assert (await first_plan(LETTER, ANSWERED)).said == NOT_IN_TEXT


async def test_what_goes_on_from_a_page_is_not_looked_for_in_a_text_that_came_before_it() -> None:
    assert (await first_plan(LETTER, ANSWERED, *LOOKED_UP)).said != NOT_IN_TEXT


@pytest.mark.parametrize(
    ("asked", "said", "logs", "calls"),
    [
        ("Who wrote Faust?", "Goethe wrote Faust.", (-0.1, -0.2), ()),
        ("When does the market open?", "The market opens at 9:30.", (-0.9, -0.8), ("web_search",)),
    ],
)
async def test_what_a_model_would_answer_it_is_asked_alone_and_what_it_makes_up_is_looked_up(
    asked: str, said: str, logs: tuple[float, ...], calls: tuple[str, ...]
) -> None:
    model = DecidingModel([[Text(said, logs=logs), Done(USAGE)]])
    earlier = [Message("user", "Translate good morning."), Message("assistant", "Bonjour.")]
    decision = Decision({ANSWER: 0.8, "web_search": 0.2}, going_on=0.6)
    plan = await plan_for(model, decision, *earlier, Message("user", asked))
    assert tuple(call.name for call in plan.calls) == calls
    assert plan.said == ("" if calls else said)


async def test_of_yes_and_no_a_doubted_question_is_looked_up_whatever_the_model_thinks() -> None:
    decision = Decision({ANSWER: 0.7, "web_search": 0.3}, form="yesno")
    plan = await plan_for(DecidingModel([]), decision, Message("user", "Can dogs eat grapes?"))
    assert [call.name for call in plan.calls] == ["web_search"]


@pytest.mark.parametrize(("going_on", "tool"), [(0.6, "web_search"), (0.9, None)])
def test_what_stands_alone_well_is_doubted_also_after_something_else(going_on: float, tool: str | None) -> None:
    said = {ANSWER: 0.9, "web_search": 0.1}
    decision = Decision(said, unprompted={ANSWER: 0.4, "web_search": 0.6}, going_on=going_on)
    assert decision.doubted_tool == tool


@pytest.mark.parametrize(
    ("said", "form", "calls"),
    [
        ("I bought a Lumo tent last week and it already leaks.", "text", ()),
        ("I need the price of a Lumo tent.", "text", ("web_search",)),
        ("My cousin Ben is moving to Vellin in March.", "fact", ()),
        ("My sister's just moved to Vellin!", "fact", ()),
        ("Our neighbour Jo Reed lives in Vellin", "yesno", ()),
        ("My flight LX 318 from Vellin", "fact", ("web_search",)),
        ("I have a dog, may I bring it to the Orla lido", "fact", ("web_search",)),
        ("My car is a Golf. Check its tyre pressure.", "fact", ("web_search",)),
        ("My dishwasher is showing E24", "fact", ("web_search",)),
        ("My sister is a nurse, where can she park in Vellin", "fact", ("web_search",)),
        ("My son has a fever of 39", "fact", ("web_search",)),
    ],
)
async def test_what_a_user_tells_of_their_life_is_not_looked_up(said: str, form: str, calls: tuple[str, ...]) -> None:
    decision = Decision({"web_search": 0.6, ANSWER: 0.3}, form=form)
    plan = await plan_for(DecidingModel([]), decision, Message("user", said))
    assert tuple(call.name for call in plan.calls) == calls


class OneThingModel(DecidingModel):
    """Takes a sentence for the answer to a question about one thing alone, as a small model does."""

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        self.words = ("no",) if "and" in messages[-1].content.partition("Question: ")[2] else ("yes",)
        return await super().weigh_words(messages, words)


async def test_two_things_that_the_user_told_are_looked_for_one_by_one_before_anything_is_searched() -> None:
    told = [Message("user", "My sister lives in Ghent."), Message("assistant", "I see.")]
    told += [Message("user", "My favourite tea is oolong."), Message("assistant", "I see.")]
    asked = Message("user", "Where does my sister live and what is my favourite tea?")
    parts = ["Where does my sister live?", "What is my favourite tea?"]
    model = OneThingModel([], filled={"questions": parts})
    plan = await plan_for(model, Decision({ANSWER: 0.7, "web_search": 0.3}, form="several"), *told, asked)
    assert [(part.question, part.reading.quote) for part in plan.parts] == [
        ("Where does my sister live?", "My sister lives in Ghent."),
        ("What is my favourite tea?", "My favourite tea is oolong."),
    ]
    stranger = replace(asked, content="What is the price of tea and who sings about Ghent?")
    assert (await plan_for(model, Decision({"web_search": 0.9}, form="several"), *told, stranger)).calls


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What should a host know before cooking for me?", "\n\nThis is what I know about you:\n- I eat no nuts"),
        ("What is in a Waldorf salad?", ""),
    ],
)
async def test_where_nothing_is_found_what_is_remembered_of_the_user_is_told_where_it_was_asked_for_them(
    asked: str, told: str
) -> None:
    planner = Planner(
        DecidingModel([]), EvidenceFinder(WordEmbedder(dimensions=384)), None, Knowledge(DecidingModel([]), str)
    )
    call = ToolCall("search_vector_db", {"query": asked}, "1")
    found = Message("tool", "", tool_name="search_vector_db", call_id="1")
    turns = read_turns([Message("user", asked), Message("assistant", "", tool_calls=(call,)), found])
    intent = Intent(asked, Decision({"search_vector_db": 1.0}), "en", (asked,))
    plan = await planner.plan_after(Situation(turns, [], intent, ["I eat no nuts"]), ())
    assert plan.said == f"{fill_phrase('nothing_in_files', 'en')}{told}"
