"""What comes next, by what was attached and looked up before."""

from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.intent import Intent
from chatbot.models.pipeline.decision.router import ANSWER, TEXT
from chatbot.models.pipeline.decision.tool_choice import Decision
from chatbot.models.pipeline.planning import Planner
from chatbot.models.pipeline.plans import Plan, Situation
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from tests.fakes.deciding import DecidingModel
from tests.fakes.embedder import WordEmbedder
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


async def knows_nothing(at: Situation) -> str:
    return ""


async def first_plan(*before: Message) -> Plan:
    planner = Planner(
        DecidingModel([], words=("no",)), EvidenceFinder(WordEmbedder(dimensions=384)), None, knows_nothing
    )
    decision = Decision({TEXT: 0.9, ANSWER: 0.1}, going_on=0.9)
    intent = Intent(QUESTION, decision, "en", (QUESTION,))
    return await planner.plan_first(Situation(read_turns([*before, Message("user", QUESTION)]), [], intent))


async def test_what_goes_on_from_a_text_and_is_not_in_it_is_said_so() -> None:
    assert (await first_plan(LETTER, ANSWERED)).said == NOT_IN_TEXT


async def test_what_goes_on_from_a_page_is_not_looked_for_in_a_text_that_came_before_it() -> None:
    assert (await first_plan(LETTER, ANSWERED, *LOOKED_UP)).said != NOT_IN_TEXT
