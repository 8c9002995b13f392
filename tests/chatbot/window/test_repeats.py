"""A small model that goes round in circles is stopped, and says each thing once."""

from chatbot.window.repeats import goes_round, without_repeats

CIRCLE = "Odile lives in Ghent. She has a brown dog. "


def test_the_third_time_is_a_circle() -> None:
    assert [goes_round(CIRCLE * times + "Odile") for times in (0, 1, 2, 3)] == [False, False, False, True]


def test_a_sentence_that_is_still_being_written_is_not_counted() -> None:
    assert not goes_round("Odile lives in Ghent. Odile lives in Ghent. Odile lives in Ghent.")


def test_each_sentence_stays_once_and_lines_stay_lines() -> None:
    assert without_repeats(f"{CIRCLE}{CIRCLE}\n\n- The gate has a code.\n- {CIRCLE}") == (
        "Odile lives in Ghent. She has a brown dog.\n\n- The gate has a code.\n- Odile lives in Ghent."
    )
