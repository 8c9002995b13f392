import pytest

from chatbot.models.pipeline.reading.sentences import body_sentences, split_sentences

WRAPPED = """In the chat, Enter sends, Alt-Enter begins a new line, Ctrl-X opens an
editor, Ctrl-C cancels the answer under way. Ctrl-D leaves the chat.

- a list of things stays a list of things, one a line and so on
- the second thing"""


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It was built in 1871. It is 31 metres tall!", ["It was built in 1871.", "It is 31 metres tall!"]),
        (
            "灯塔建于1871年，高三十一米，白色。它在1984年实现了自动化，现在是博物馆。",
            ["灯塔建于1871年，高三十一米，白色。", "它在1984年实现了自动化，现在是博物馆。"],
        ),
        (
            WRAPPED,
            [
                "In the chat, Enter sends, Alt-Enter begins a new line, Ctrl-X opens an editor, "
                "Ctrl-C cancels the answer under way.",
                "Ctrl-D leaves the chat.",
                "- a list of things stays a list of things, one a line and so on",
                "- the second thing",
            ],
        ),
    ],
)
def test_sentences_are_found_in_any_language_and_across_wrapped_lines(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_the_row_of_a_table_is_a_sentence_by_itself_whatever_stands_around_it() -> None:
    text = (
        "The small one. £69.\n\n## What does it cost?\n\n|  | Dog | Cat |\n|---|---|---|\n| Claws | £14 | £12 |\n\nOk."
    )
    assert body_sentences(text) == ["The small one. £69.", "What does it cost? – Claws, Dog: £14, Cat: £12", "Ok."]
