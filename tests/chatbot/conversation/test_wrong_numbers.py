import pytest

from chatbot.conversation.events import Answered
from chatbot.conversation.wrong_numbers import wrong_numbers
from chatbot.history import entries
from chatbot.history.entries import Entry, decode_value, encode_value
from chatbot.history.replay import replay_entries


@pytest.mark.parametrize(
    ("unknown", "unsupported", "told"),
    [
        ((), (), []),
        ((4,), (), ["The answer cites a source 4 that does not exist."]),
        ((), (1,), ["1 number was struck: source 1 does not say what it stood behind."]),
        (
            (4, 5),
            (1, 2),
            [
                "The answer cites sources 4, 5 that do not exist.",
                "2 numbers were struck: sources 1, 2 do not say what they stood behind.",
            ],
        ),
    ],
)
def test_wrong_numbers_are_counted(unknown: tuple[int, ...], unsupported: tuple[int, ...], told: list[str]) -> None:
    assert wrong_numbers(Answered("", unknown=unknown, unsupported=unsupported)) == told


def test_what_was_struck_is_known_when_a_conversation_is_shown_again() -> None:
    kept = decode_value(*encode_value(entries.TurnAnswered(cited=(2,), unsupported=(1,))))
    assert isinstance(kept, entries.TurnAnswered)
    [shown] = replay_entries([Entry(0, "", kept)], {})
    assert isinstance(shown, Answered) and shown.unsupported == (1,)
