from prompt_toolkit.formatted_text import StyleAndTextTuples

from chatbot.config import Config
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.frontends.terminal.browsing.preview import HEADER, ConversationPreview
from chatbot.frontends.terminal.browsing.session_list import FOUND_STYLE, pattern_of
from chatbot.history.entries import AnyValue, Entry, TurnAnswered
from chatbot.history.search.sessions import SessionInfo
from chatbot.history.store import Loaded
from tests.fakes.conversations import turn

TIME = "2026-11-22T12:00:00.000000Z"


def loaded(*values: AnyValue) -> Loaded:
    entries = tuple(Entry(place, TIME, value) for place, value in enumerate(values))
    return Loaded(SessionInfo("a", "Of birds", TIME, TIME, len(values), "qwen"), entries)


def talk(count: int) -> Loaded:
    values = [
        value
        for number in range(count)
        for value in (Message("user", f"Question {number}?"), Message("assistant", f"Answer {number}."), TurnAnswered())
    ]
    return loaded(*values)


def text(lines: list[StyleAndTextTuples]) -> list[str]:
    return ["".join(part[1] for part in line).rstrip() for line in lines]


def said(conversation: ConversationPreview, width: int = 60, height: int = 20) -> list[str]:
    """What is seen of it below its header, without empty lines."""
    return [line for line in text(conversation.visible_lines(width, height))[HEADER:] if line]


def test_a_conversation_is_drawn_as_it_looked() -> None:
    conversation = ConversationPreview(loaded(*turn(1)), Config(show_thinking=False))
    assert text(conversation.visible_lines(60, 30))[0] == "Of birds"
    assert text(conversation.visible_lines(60, 30))[1].split(" · ")[::2] == ["1 question", "qwen"]
    assert said(conversation, height=30) == [
        "› question1 how do birds build?",
        '✓ web_search "query1" limit 3 · 2 passages · 0.0 s',
        "answer1 with twigs [1].",
        "Sources",
        "[1]  Nests  a.example",
        "Also read: Nests",
        "101 tokens in (50 cached) · 10 out · 40/s · 1.5 s",
    ]


def test_an_answer_without_its_end_is_drawn_as_well() -> None:
    conversation = ConversationPreview(
        loaded(Message("user", "Why?"), Message("assistant", "Becau", interrupted=True)), Config()
    )
    assert said(conversation) == ["› Why?", "Becau", "Stopped."]
    unended = ConversationPreview(loaded(Message("user", "Why?"), Message("assistant", "Because")), Config())
    assert said(unended) == ["› Why?", "Because"]


def test_it_is_read_from_its_beginning_to_its_end_and_back() -> None:
    conversation = ConversationPreview(talk(10_000), Config())
    seen: list[str] = []
    for _ in range(30):
        seen += said(conversation, height=40)
        conversation.scroll(1, 60, 40)
    asked = list(dict.fromkeys(line for line in seen if line.startswith("›")))
    assert asked == [f"› Question {number}?" for number in range(len(asked))]
    for _ in range(40):
        conversation.scroll(-1, 60, 40)
    assert said(conversation)[0] == "› Question 0?"


def test_at_its_end_the_last_line_stays_at_the_bottom() -> None:
    conversation = ConversationPreview(talk(5), Config())
    for _ in range(10):
        conversation.scroll(1, 60, 20)
    assert text(conversation.visible_lines(60, 20))[1].startswith("3 of 5 questions")
    assert said(conversation)[-2:] == ["Answer 4.", "0.0 s"]


def test_a_short_one_does_not_move() -> None:
    conversation = ConversationPreview(talk(1), Config())
    conversation.scroll(1, 60, 40)
    assert said(conversation)[0] == "› Question 0?"


def test_it_begins_where_most_of_the_words_were_said_and_sets_them_off() -> None:
    values = [*turn(1), *turn(2), Message("user", "And twigs of birds?"), Message("assistant", "Thin."), TurnAnswered()]
    conversation = ConversationPreview(loaded(*values), Config(), pattern_of("twigs and bir"))
    lines = conversation.visible_lines(60, 10)
    marked = ["".join(part[1] for part in line if FOUND_STYLE in part[0]) for line in lines]
    assert "Andtwigsbir" in marked


def test_words_far_down_in_an_answer_are_in_sight() -> None:
    answer = "\n\n".join([*(f"Paragraph {number}." for number in range(50)), "The needle.", "The end."])
    values = (Message("user", "Where?"), Message("assistant", answer), TurnAnswered(Usage()))
    conversation = ConversationPreview(loaded(*values), Config(), pattern_of("needle"))
    assert "The needle." in said(conversation)
    assert "Paragraph 49." in said(conversation)


def test_another_width_draws_it_anew() -> None:
    words = " ".join(["word"] * 40)
    conversation = ConversationPreview(
        loaded(Message("user", words), Message("assistant", words), TurnAnswered()), Config()
    )
    assert max(map(len, said(conversation, 60, 40))) > 40
    assert max(map(len, said(conversation, 30, 40))) <= 30


def test_a_conversation_without_a_word_is_drawn_too() -> None:
    assert said(ConversationPreview(loaded(), Config())) == []
