"""A model that is allowed to finds the answers of earlier conversations, and those alone."""

from chatbot.conversation.messages import Message
from chatbot.history.entries import TurnAnswered
from chatbot.history.search.search_tool import EarlierAnswers
from chatbot.history.sessions import Sessions
from utils.sqlite import MEMORY


async def said(sessions: Sessions, question: str, answer: str) -> str:
    session = sessions.new_id()
    await sessions.append(session, Message("user", question), Message("assistant", answer), TurnAnswered())
    return session


async def test_answers_of_earlier_conversations_are_found_with_their_questions_and_dates():
    sessions = await Sessions.open(MEMORY)
    earlier = await said(sessions, "When does the ferry leave?", "The ferry leaves at nine.")
    current = await said(sessions, "And the ferry back?", "The ferry back leaves at ten.")
    found = await EarlierAnswers(sessions, lambda: current).search_history("ferry")
    [info] = [each for each in await sessions.list() if each.id == earlier]
    assert found.text == (
        "From earlier conversations:\n\n"
        f"{info.created[:10]}, in “When does the ferry leave?”\n"
        "Question: When does the ferry leave?\nAnswer: The ferry leaves at nine."
    )
    nothing = await EarlierAnswers(sessions, lambda: earlier).search_history("whale")
    assert nothing.text == "No earlier conversation has anything about that."
    await sessions.close()
