"""What a user says of having something remembered, in many languages."""

import pytest

from chatbot.conversation.wishes import (
    asks_to_remember,
    is_courtesy,
    lasting_statements,
    plainly_asks_to_remember,
)


@pytest.mark.parametrize(
    "text",
    [
        "Thank you!",
        "thank you",
        "Thanks a lot for your help",
        "Good morning, Magpie",
        "Hello",
        "The user says thank you",
        "Vielen Dank!",
        "Guten Morgen",
        "Merci beaucoup",
        "brilliant thanks thats all i needed",
        "ok great, ta mate",
        "thanks, that's just what i wanted",
        "Muchas gracias",
        "Grazie mille",
        "Muito obrigado",
        "Dank je wel",
        "Спасибо большое",
        "Teşekkür ederim",
        "谢谢你",
        "ありがとうございます",
        "감사합니다",
        "ขอบคุณ",
        "धन्यवाद",
    ],
)
def test_thanks_and_greetings_are_courtesy(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "I am vegetarian",
        "My dog is called Hello",
        "Thank-you cards are sent on Fridays",
        "It is good",
        "thanks, what is that",
        "hi is it for everyone",
        "thanks, is that right",
        "yes please, thanks",
        "I love Thanksgiving",
        "my mate is Ty",
        "thanks, what about there now?",
        "ok thanks but what i wanted is the price",
        "My friend is Ana",
        "Danke ist mein Hund",
        "謝さんは友達です",
        "",
    ],
)
def test_what_says_more_is_no_courtesy(text: str) -> None:
    assert not is_courtesy(text)


@pytest.mark.parametrize(
    "message",
    [
        "I am vegetarian.",
        "I'm allergic to nuts",
        "I live in Bonn, by the way",
        "My wife's name is Ana",
        "Call me Ana",
        "I have two cats",
        "Ich bin Vegetarier",
        "Mein Hund heißt Rex",
        "Je suis végétarien",
        "Je m'appelle Ana",
        "Soy vegetariano",
        "Mi chiamo Ana",
        "Moro em Lisboa",
        "Ik woon in Gent",
        "Mieszkam w Krakowie",
        "Меня зовут Анна",
        "我是素食者",
        "私の名前はアナです",
    ],
)
def test_a_lasting_fact_is_told_plainly(message: str) -> None:
    assert lasting_statements(message).strip() == message


@pytest.mark.parametrize(
    "message",
    [
        "Thank you!",
        "I am looking for a hotel",
        "I'm not sure",
        "What is the weather?",
        "Am I right that I live in Bonn?",
        "Translate this for me",
        "Show me trains to Bonn",
        "Is my name Ana?",
    ],
)
def test_what_is_asked_or_passes_is_none(message: str) -> None:
    assert lasting_statements(message) == ""


@pytest.mark.parametrize(
    "message",
    [
        "Remember that I drive a van",
        "Can you keep in mind that I drive a van?",
        "Merk dir das bitte",
        "Souviens-toi de ça",
        "запомни это",
        "记住这个",
    ],
)
def test_a_wish_to_remember_has_a_word_for_it(message: str) -> None:
    assert asks_to_remember(message)
    assert not asks_to_remember("Thank you!")


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("onthou even dat ik op dinsdag thuiswerk", True),
        ("Ricordati che sono vegetariano", True),
        ("Zapamiętaj, że mieszkam w Krakowie.", True),
        ("Please remember that my sister lives in Ghent.", True),
        ("Kom ihåg att min kod är 4471", True),
        ("can you note that I park on level 3", True),
        ("Merk dir bitte, dass ich freitags nie kann.", True),
        ("Keep in mind that I am vegetarian and suggest a dinner.", False),
        ("Remember that I'm allergic to nuts. Recommend me a dessert.", False),
        ("Note that the text below is a draft. Summarise it: it rained.", False),
        ("Remember that episode of Friends with the turkey", False),
        ("Husk at købe mælk i morgen", False),
        ("Do you remember that my sister lives in Ghent?", False),
        ("I remember that we met in Bern.", False),
    ],
)
def test_what_plainly_asks_to_remember_asks_for_nothing_else(message: str, plain: bool) -> None:
    assert plainly_asks_to_remember(message) is plain
