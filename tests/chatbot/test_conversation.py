"""A conversation keeps what was said, whatever is sent in its place."""

from chatbot.conversation import Compaction, Conversation, start_of_turn
from chatbot.messages import Message


def said(*contents: str) -> list[Message]:
    return [Message("assistant" if index % 2 else "user", content) for index, content in enumerate(contents)]


def test_undoing_a_compaction_brings_back_exactly_what_was_sent_before() -> None:
    first, second = Compaction("s1", 2, 900, 400), Compaction("s2", 4, 950, 450)
    chat = Conversation(said("a", "b", "c", "d", "e"), compactions=[first, second])
    assert (chat.covered, chat.undo_compaction()) == (4, second)
    assert (chat.covered, chat.undo_compaction()) == (2, first)
    assert (chat.covered, chat.undo_compaction()) == (0, None)
    assert chat.messages == said("a", "b", "c", "d", "e")


def test_the_last_turns_are_found_from_the_end() -> None:
    messages = said("a", "b", "c", "d", "e")
    assert [start_of_turn(messages, count) for count in (1, 2, 3, 4)] == [4, 2, 0, 0]
    assert Conversation(messages).last_turn == said("a", "b", "c", "d", "e")[4:]
    assert Conversation().last_turn == []


def test_a_new_conversation_has_no_pins_and_no_summary() -> None:
    chat = Conversation(said("a", "b"), compactions=[Compaction("s", 2, 9, 4)], pins={0, 1})
    chat.clear()
    assert chat == Conversation(sources=chat.sources)
