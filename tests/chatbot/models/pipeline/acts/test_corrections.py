"""A wish that was carried out and is put right, with the next message or later."""

import pytest

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.turns import Turn
from chatbot.conversation.wishes import correction_in
from chatbot.models.pipeline.acts.corrections import corrected_text, next_correction

LOCKER = "my locker is number 212"
REMEMBERED = (ToolCall("remember", {"fact": LOCKER}, "1"), "Remembered.")


def acted(said: str, *done: tuple[ToolCall, str]) -> Turn:
    results = [Message("tool", told, tool_name=call.name, call_id=call.id) for call, told in done]
    calls = [Message("assistant", "", tool_calls=tuple(call for call, _ in done))] if done else []
    return Turn(0, (Message("user", said), *calls, *results))


@pytest.mark.parametrize(
    ("fact", "message", "better"),
    [
        (LOCKER, "Sorry, it's 221.", "my locker is number 221"),
        (LOCKER, "no, wait, 221!", "my locker is number 221"),
        ("the code is 14 and the floor 3", "Sorry, it's 221.", ""),
        ("the code is 14 and the floor 3", "Sorry, 41, not 14.", "the code is 41 and the floor 3"),
        ("choir is on Tuesday", "Actually it's Thursday", "choir is on Thursday"),
        ("choir is on Tuesday", "Sorry, not Tuesday but Wednesday", "choir is on Wednesday"),
        ("choir is on Tuesday", "Sorry, not Tuesday.", ""),
        ("die Probe ist am Dienstag", "Entschuldigung, am Donnerstag.", "die Probe ist am Donnerstag"),
        ("my dentist is called Halloran", "Sorry, it is Hallorin.", "my dentist is called Hallorin"),
        ("my dentist is called Halloran", "Sorry, I have to go to Bern now.", ""),
        (LOCKER, "Sorry, never mind.", ""),
        (LOCKER, "sorry, 221 and not the 212", "my locker is number 221"),
        (LOCKER, "Actually, set a timer for 20 minutes.", ""),
        (LOCKER, "Sorry, I have to go, back in 10 minutes.", ""),
        (LOCKER, "No thanks, also remember that my bus is the 17.", ""),
        ("my yoga is on Tuesday", "Sorry, I can't come on Friday.", ""),
        ("der Schlüssel liegt im Keller", "Sorry, ich hole den Teller.", ""),
        ("my sister is called Marie", "Sorry, Maria is calling me.", ""),
        ("my vet is Brandt", "wait, wrong name, my vet is Roth. can you correct that", "my vet is Roth"),
        ("my dentist is called Halloran.", "Sorry, my dentist is called Ives.", "my dentist is called Ives."),
        ("my vet is Brandt", "Sorry, my vet is late, I have to go.", ""),
        ("my vet is Brandt", "Sorry, my vet is closed.", ""),
        ("my sister is called Anna", "Sorry, my sister is called away.", ""),
        ("my vet is dr brandt", "wait, wrong name, my vet is dr roth", "my vet is dr roth"),
        ("my vet is Brandt", "Sorry, Brandt is my vet and my aunt.", ""),
        ("I have a cat named Miso", "No, that's not a problem, thanks.", ""),
        ("the alarm code is 4711", "Sorry, I'm not the best typist.", ""),
        ("la clave es 4711", "perdón, pero no la tengo", ""),
        ("mi hija habla francés", "No, mi hija no habla francés.", ""),
        ("I speak French", "Sorry, I speak no French.", ""),
        ("choir is on Thursday", "Sorry, I can't join.", ""),
        ("mi clave es 4711", "perdón, es 4171", "mi clave es 4171"),
        ("I can't eat hazelnuts", "I was wrong: it's not hazelnuts but almonds", "I can't eat almonds"),
        ("I react to hazelnuts", "Sorry, I do not react to hazelnuts but to almonds.", "I react to almonds"),
        ("ich trinke gern Milch", "Entschuldigung, ich trinke nicht gern Milch, sondern Tee.", "ich trinke gern Tee"),
        ("I react to hazelnuts", "Sorry, I can't come, not because of you but work", ""),
    ],
)
def test_what_a_message_puts_in_the_place_of_a_word_is_plain_or_left(fact: str, message: str, better: str) -> None:
    assert corrected_text(fact, correction_in(message)) == better


def test_a_fact_is_kept_as_it_is_right_before_the_wrong_one_is_forgotten() -> None:
    kept, facts = acted(f"Remember that {LOCKER}.", REMEMBERED), [LOCKER]
    right = ToolCall("remember", {"fact": "my locker is number 221"}, "2")
    first = next_correction([kept, acted("Sorry, it's 221.")], facts)
    assert first and (first.name, first.arguments) == (right.name, right.arguments)
    facts.append("my locker is number 221")
    second = next_correction([kept, acted("Sorry, it's 221.", (right, "Remembered."))], facts)
    assert second and (second.name, second.arguments) == ("forget", {"fact": LOCKER})
    done = [(right, "Remembered."), (ToolCall("forget", {"fact": LOCKER}, "3"), f"Forgotten: {LOCKER}")]
    assert next_correction([kept, acted("Sorry, it's 221.", *done)], facts[1:]) is None


def test_what_was_not_kept_is_no_reason_to_forget_the_other() -> None:
    right = ToolCall("remember", {"fact": "my locker is number 221"}, "2")
    last = acted("Sorry, it's 221.", (right, "Not remembered yet: ..."))
    assert next_correction([acted(f"Remember that {LOCKER}.", REMEMBERED), last], [LOCKER]) is None


@pytest.mark.parametrize("message", ["Thanks!", "Sorry, what is 221?", "Sorry.", "My bus is the 221."])
def test_what_takes_nothing_back_corrects_nothing(message: str) -> None:
    assert next_correction([acted(f"Remember that {LOCKER}.", REMEMBERED), acted(message)], [LOCKER]) is None


def test_later_what_the_message_says_is_wrong_is_put_right() -> None:
    facts = [LOCKER, "I react to hazelnuts"]
    turns = [acted(f"Remember that {LOCKER}.", REMEMBERED), acted("What is 7 * 8?")]
    last = acted("I was wrong: I do not react to hazelnuts but to almonds.")
    first = next_correction([*turns, last], facts)
    assert first and (first.name, first.arguments) == ("remember", {"fact": "I react to almonds"})
    last = acted(last.question.content, (ToolCall("remember", first.arguments, "2"), "Remembered."))
    second = next_correction([*turns, last], [*facts, "I react to almonds"])
    assert second and (second.name, second.arguments) == ("forget", {"fact": "I react to hazelnuts"})


def test_a_correction_of_what_was_looked_up_rewrites_no_fact() -> None:
    facts = ["I live in Berlin", "my choir rehearsal is on Monday"]
    for message in ("Sorry, I meant Paris, not Berlin.", "No, not Monday but Tuesday."):
        turns = [acted("How is the weather in Berlin on Monday?"), acted(message)]
        assert next_correction(turns, facts) is None


def test_of_two_facts_that_were_kept_the_one_that_is_said_again_is_put_right() -> None:
    kept = [ToolCall("remember", {"fact": fact}, fact) for fact in ("I sing bass", "my vet is Brandt")]
    turns = [acted("Remember both.", *((call, "Remembered.") for call in kept)), acted("wait, my vet is Roth")]
    first = next_correction(turns, ["I sing bass", "my vet is Brandt"])
    assert first and first.arguments == {"fact": "my vet is Roth"}


def test_what_two_facts_say_is_not_put_right_later() -> None:
    facts = ["I react to hazelnuts", "my son reacts to hazelnuts"]
    turns = [acted("What is 7 * 8?"), acted("I was wrong: not to hazelnuts but to almonds.")]
    assert next_correction(turns, facts) is None


def test_only_what_was_done_right_before_is_put_right() -> None:
    turns = [acted(f"Remember that {LOCKER}.", REMEMBERED), acted("What is 7 * 8?"), acted("Sorry, it's 221.")]
    assert next_correction(turns, [LOCKER]) is None


@pytest.mark.parametrize(
    ("message", "better"),
    [
        ("j'ai changé, maintenant c'est la docteure Benn. oublie Brandt", "mon médecin s'appelle Dr Benn"),
        ("I have another one: it's Dr Benn now, forget Brandt", "mon médecin s'appelle Dr Benn"),
        ("Jetzt ist es Frau Benn, vergiss Brandt.", "mon médecin s'appelle Dr Benn"),
        ("oublie Brandt", ""),
        ("maintenant c'est la docteure Benn", ""),
        ("Forget Okafor, it's Dr Benn now.", ""),
    ],
)
def test_who_it_is_now_is_kept_before_who_it_was_is_forgotten(message: str, better: str) -> None:
    facts = ["mon médecin s'appelle Dr Brandt", "j'habite à Tours"]
    first = next_correction([acted(message)], facts)
    assert (first.arguments["fact"] if first else "") == better
    if first:
        kept = acted(message, (ToolCall("remember", first.arguments, "2"), "Remembered."))
        second = next_correction([kept], [*facts, better])
        assert second and (second.name, second.arguments) == ("forget", {"fact": facts[0]})
