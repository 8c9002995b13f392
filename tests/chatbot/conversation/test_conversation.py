"""A conversation keeps what was said, whatever is sent in its place."""

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.messages import Message


def said(*contents: str) -> list[Message]:
    return [Message("assistant" if index % 2 else "user", content) for index, content in enumerate(contents)]


def test_the_last_compaction_is_in_force_and_none_touches_what_was_said() -> None:
    first, second = Compaction("s1", 2, 900, 400), Compaction("s2", 4, 950, 450)
    chat = Conversation(said("a", "b", "c", "d", "e"), compactions=[first, second])
    for compaction, before in ((second, 2), (first, 0)):
        assert chat.covered_count == compaction.covers
        assert chat.compactions.pop() == compaction
        assert chat.covered_count == before
    assert chat.messages == said("a", "b", "c", "d", "e")


def test_the_last_turn_is_that_of_the_last_question() -> None:
    assert Conversation(said("a", "b", "c", "d")).last_turn.messages == tuple(said("a", "b", "c", "d")[2:])
    assert Conversation().last_turn.messages == ()


def test_pins_and_summaries_of_messages_that_there_are_not_are_left_out() -> None:
    chat, fits = Conversation(), Compaction("s", 2, 9, 4)
    chat.restore_messages(said("a", "b"), [fits, Compaction("t", 3, 9, 4)], {1, 2, 10**18})
    assert (chat.compactions, chat.pins) == ([fits], {1})


def test_a_new_conversation_has_no_pins_and_no_summary() -> None:
    chat = Conversation(said("a", "b"), compactions=[Compaction("s", 2, 9, 4)], pins={0, 1})
    chat.clear()
    assert chat == Conversation(sources=chat.sources)
