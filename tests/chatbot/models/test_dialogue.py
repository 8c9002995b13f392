import pytest

from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.models.dialogue import (
    ADDRESS,
    answer_text,
    attached_texts,
    known_addresses,
    read_turns,
    thing_that_fits,
    without_notices,
)
from chatbot.prompts.phrases import fill_phrase
from rag.documents import Passage
from utils.fence import fence_text

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
    assert (answer_text(first), first.cited_sources, second.answer) == ("31 metres.", [PAGE], None)


def test_a_number_that_is_no_source_belongs_to_the_answer() -> None:
    (turn,) = read_turns([Message("user", "code?"), Message("assistant", "a [1]")])
    assert (answer_text(turn), turn.cited_sources) == ("a [1]", [])


def test_addresses_are_those_of_texts_and_of_passages() -> None:
    assert known_addresses(read_turns(MESSAGES)) == ["blog.harrow.test/post", "https://harrow.test/light"]


def test_a_number_or_a_mail_address_is_no_web_address() -> None:
    assert ADDRESS.findall("version 3.14, 1.5 kg, ann@harrow.test, e.g. this") == []


def test_an_attached_page_is_named_like_a_file_and_not_by_an_address_to_open() -> None:
    page = fence_text("At nine.", "the page Ferries (https://harrow.test/times)")
    asked = 'what do @https://harrow.test/t, @"http://harrow.test/a b" and https://harrow.test/other say?'
    (turn,) = read_turns([Message("user", asked, page)])
    assert turn.question.content == "what do @page, @page and https://harrow.test/other say?"
    (turn,) = read_turns([Message("user", asked, fence_text("At nine.", "the file a.md"))])
    assert turn.question.content == asked


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("@/home/jo/notes/gym.md What does it cost?", "What does it cost?"),
        ('@"/home/jo/my notes/gym.md" @b.txt What does it cost?', "What does it cost?"),
        ("What does @/home/jo/notes/gym.md say of it?", "What does @gym.md say of it?"),
        ("@/home/jo/notes/gym.md summarise", "@gym.md summarise"),
        ("Ask @anna what it costs", "Ask @anna what it costs"),
    ],
)
def test_of_a_file_that_came_with_a_message_the_folders_are_left_out(said: str, read: str) -> None:
    (turn,) = read_turns([Message("user", said, fence_text("It costs £3.", "the file gym.md"))])
    assert turn.question.content == read
    (turn,) = read_turns([Message("user", said)])
    assert turn.question.content == said


LETTER = (
    "Dear members,\n\nthe hall is closed in May, for its roof is mended.\n\n"
    + "Please tell your children. " * 20
    + "\n\nYours"
)


@pytest.mark.parametrize("said", ["When is the hall closed?\n\n{text}", "{text}\n\nWhen is the hall closed?"])
def test_a_text_that_was_pasted_below_or_above_a_question_came_with_it(said: str) -> None:
    (turn,) = read_turns([Message("user", said.format(text=LETTER))])
    assert turn.question.content == "When is the hall closed?"
    assert [text for _, text in attached_texts(turn)] == [LETTER.strip()]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("when is the hall closed?? here is her letter", "when is the hall closed?"),
        ("what do we have to tell the children, here's the letter:", "what do we have to tell the children?"),
        ("Wann ist die Halle zu? Hier ist der Brief.", "Wann ist die Halle zu?"),
        ("Here is the letter that I wrote to them.", ""),
        ("When you have a moment, here is the letter that I would like in German:", ""),
        ("Wie besprochen, hier ist der Brief.", ""),
        ("When is it closed? Here is the letter, please answer in French.", ""),
        ("Is this the place? Here we met for the first time. What do you think of it", ""),
    ],
)
def test_so_did_one_that_is_announced_behind_a_question(said: str, asked: str) -> None:
    (turn,) = read_turns([Message("user", f"{said}\n\n{LETTER}")])
    assert turn.question.content == (asked or f"{said}\n\n{LETTER}")
    assert len(attached_texts(turn)) == bool(asked)


NOTICE = "Jumble sale on Saturday, Larch Row School hall, 10 to 2. Tables 6 pounds, clothes rails 3."


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (f'from this notice: "{NOTICE}" - what do i pay for a table?', "from this notice: what do i pay for a table?"),
        (f"“{NOTICE}” When is the sale?", "When is the sale?"),
        (f'My boss wrote "{NOTICE}". What should I reply?', ""),
        (f'Who said "{NOTICE}"?', ""),
        (f'Wie kann ich "{NOTICE}" höflicher sagen?', ""),
        (f'What does "{NOTICE}" mean in German?', ""),
        (f'Is "{NOTICE}" well put?', ""),
        (f'Translate into German: "{NOTICE}"', ""),
        ('Who said "veni vidi vici"?', ""),
    ],
)
def test_a_long_text_in_quotation_marks_that_something_is_asked_of_came_with_it(said: str, asked: str) -> None:
    (turn,) = read_turns([Message("user", said)])
    assert turn.question.content == (asked or said)
    assert [text for _, text in attached_texts(turn)] == ([NOTICE] if asked else [])


@pytest.mark.parametrize("language", ["en", "fr"])
def test_what_is_remembered_below_that_nothing_was_found_is_not_read_as_an_answer(language: str) -> None:
    told = f"{fill_phrase('nothing_in_files', language)}\n\n{fill_phrase('known_about_you', language)}\n- I eat no nuts"
    assert without_notices(told) == ""
    assert without_notices(f"{told}\nIt is red.") == "It is red."


@pytest.mark.parametrize(
    "said",
    [
        "Please tell me what to do in this case:\n\n" + LETTER,
        "Can you tell me what this mail is about:\n\n" + LETTER + "\n\nAnd when is the hall closed?",
    ],
)
def test_an_own_account_is_no_pasted_text_and_the_question_below_one_is_the_question(said: str) -> None:
    (turn,) = read_turns([Message("user", said)])
    assert turn.question.content == (said if said.endswith("Yours") else "And when is the hall closed?")


def test_so_did_one_below_a_line_that_asks_to_be_told_something_of_it() -> None:
    asked = "Please tell me from this mail when the hall is closed:"
    (turn,) = read_turns([Message("user", f"{asked}\n\n{LETTER}")])
    assert (turn.question.content, len(attached_texts(turn))) == (asked, 1)


@pytest.mark.parametrize(
    "said",
    [
        "Translate this into German.\n\n" + LETTER,
        "Translate into German:\n\n" + LETTER,
        "What is wrong here?\n\ndef main():\n    run()\n" + "# a line of it\n" * 40,
        "Is it open? \n\nAnd when?",
        "Is it open? " * 60,
    ],
)
def test_wishes_code_and_long_questions_are_left_as_they_are(said: str) -> None:
    (turn,) = read_turns([Message("user", said)])
    assert (turn.question.content, attached_texts(turn)) == (said, [])


def test_what_the_program_said_of_an_answer_is_not_read_as_the_models() -> None:
    for language in ("en", "de"):
        told = f"{fill_phrase('no_network', language)} {fill_phrase('from_model', language)}\n\nCopenhagen."
        (turn,) = read_turns([Message("user", "What is the capital of Denmark?"), Message("assistant", told)])
        assert answer_text(turn) == "Copenhagen."


@pytest.mark.parametrize("name", ["nothing_found", "nothing_in_files", "nothing_on_web", "nothing_in_attachment"])
def test_that_nothing_was_found_is_not_read_as_the_models_answer(name: str) -> None:
    (turn,) = read_turns([Message("user", "Where is my key?"), Message("assistant", fill_phrase(name, "fr"))])
    assert answer_text(turn) == ""


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_came_nearest_where_nothing_was_certain_is_not_read_as_an_answer(language: str) -> None:
    doubt = fill_phrase("nothing_certain", language)
    lines = f"{doubt}\nWho? – “Ada Reed.” [1]\nWhen? – “In 1871 [the date: 2].” [2]"
    for told, left in (
        (f"{doubt} “It has “two” doors.” [3]", ""),
        (lines, ""),
        (f"It is red. [1]\nWhen? – {doubt} “In 1871.” [2]\nIt is tall.", "It is red. [1]\nWhen? – \nIt is tall."),
    ):
        assert without_notices(told) == left


def test_a_question_that_was_typed_without_its_mark_is_read_with_it() -> None:
    turns = read_turns([Message("user", "how heavy is the mixer, i live on the 4th floor")])
    assert turns[0].question.content == "how heavy is the mixer? i live on the 4th floor"


def test_of_things_held_against_conditions_the_one_that_fits_is_known() -> None:
    told = "- Sable 300 ✓ – Price: £79\n- Tern 5 ✗ – Price: £129"
    assert thing_that_fits(told) == "Sable 300"
    assert thing_that_fits(f"{told}\n- Corvo Mini ✓ – Price: £70") == ""
    assert thing_that_fits("- Tern 5 ✗ – Price: £129") == "" == thing_that_fits("It costs £79.")
