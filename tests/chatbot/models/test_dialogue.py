from chatbot.messages import Message, Source, ToolCall
from chatbot.models.dialogue import ADDRESS, addresses, read_turns
from rag.documents import Passage

PAGE = Source(3, Passage("text", "https://harrow.test/light", "Light", "web"))
MESSAGES = [
    Message("system", "be kind"),
    Message("user", "how tall is it? see blog.harrow.test/post."),
    Message("assistant", "", tool_calls=(ToolCall("web_search", {"query": "tall"}),)),
    Message("tool", "found", tool_name="web_search", sources=(PAGE,)),
    Message("assistant", "31 metres. [3]"),
    Message("user", "thanks"),
]


def test_messages_are_read_as_turns() -> None:
    first, second = read_turns(MESSAGES)
    assert (first.answer_text, first.cited, second.answer) == ("31 metres.", [PAGE], None)


def test_a_number_that_is_no_source_belongs_to_the_answer() -> None:
    (turn,) = read_turns([Message("user", "code?"), Message("assistant", "a [1]")])
    assert (turn.answer_text, turn.cited) == ("a [1]", [])


def test_addresses_are_those_of_texts_and_of_passages() -> None:
    assert addresses(read_turns(MESSAGES)) == ["blog.harrow.test/post", "https://harrow.test/light"]


def test_a_number_or_a_mail_address_is_no_web_address() -> None:
    assert ADDRESS.findall("version 3.14, 1.5 kg, ann@harrow.test, e.g. this") == []
